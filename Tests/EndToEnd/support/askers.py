"""A program that asks the store until SIGTERM: `python3 -m support.askers SOCKET KIND CONNECTIONS [WORD...]`.

Each connection has 16 requests under way; a program's share are 128. It prints `asking` after the first answer, and at the
end how many answers and refusals there were, and how many of these were because of others.
"""

import selectors
import signal
import socket
import struct
import sys

from support.raw_bus import ERROR, METHOD_RETURN, handshake, method_call, padded, string

NAME = "org.opencallkit.CallSystem1"
ROOT = "/org/opencallkit/CallSystem1"
UNDER_WAY = 16


def request(kind, serial, words):
    """One request; `words` are names to look for, or the plugin to load."""
    def of(path, interface, member, signature="", body=b""):
        return method_call(serial, NAME, f"{ROOT}/{path}", f"org.opencallkit.{interface}", member, signature, body)
    match kind:
        case "find":
            return of("directory", "Directory1", "FindPeople", "s", string(words[serial % len(words)]))
        case "identify":
            return of("directory", "Directory1", "Identify", "s", string(f"+4670{serial % 10_000_000:07}"))
        case "blocked":
            return of("directory", "Rules1", "Blocked")
        case "block":
            return of("directory", "Rules1", "Block", "s", string(f"+4671{serial % 10_000_000:07}"))
        case "unblock":
            rule, member = string("+46701234567"), "Block" if serial % 2 else "Unblock"
            return of("directory", "Rules1", member, "s", rule)
        case "favorites":
            return of("favorites", "Favorites1", "List")
        case "list":
            body = padded(struct.pack("<I", 0), 8) + struct.pack("<II", 0, 200)
            return of("recents", "Recents1", "List", "a{sv}uu", body)
        case "mark":
            return of("recents", "Recents1", "MarkAllRead")
        case "delete":
            return of("recents", "Recents1", "Delete", "ax", padded(struct.pack("<I", 8), 8) + struct.pack("<q", serial))
        case "reload":
            return of(f"plugins/{words[0]}", "DirectoryExtension1", "Reload")
        case "start":
            return method_call(serial, NAME, ROOT, NAME, "StartCall", "s", string(f"tel:+4673{serial % 10_000_000:07}"))
    raise SystemExit(f"unknown kind {kind}")


class Asker:
    """One connection."""

    def __init__(self, address, kind, words):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(address)
        handshake(self.socket)
        self.kind, self.words = kind, words
        self.serial = 1
        self.data = b""
        self.answers = self.refusals = self.others = 0
        for _ in range(UNDER_WAY):
            self.ask()

    def ask(self):
        self.serial += 1
        self.socket.sendall(request(self.kind, self.serial, self.words))

    def read(self):
        self.data += self.socket.recv(1 << 20)
        while len(self.data) >= 16:
            body, _, fields = struct.unpack_from("<III", self.data, 4)
            size = 16 + fields + -fields % 8 + body
            if len(self.data) < size:
                return
            kind, text = self.data[1], self.data[:size]
            self.data = self.data[size:]
            if kind not in (METHOD_RETURN, ERROR):
                continue
            self.answers += 1
            self.refusals += kind == ERROR
            self.others += kind == ERROR and b"all clients" in text
            self.ask()


def main():
    address, kind, connections, *words = sys.argv[1:]
    ends = []
    signal.signal(signal.SIGTERM, lambda number, frame: ends.append(number))
    askers = [Asker(address, kind, words) for _ in range(int(connections))]
    selector = selectors.DefaultSelector()
    for asker in askers:
        selector.register(asker.socket, selectors.EVENT_READ, asker)
    has_begun = False
    while not ends:
        for key, _ in selector.select(0.1):
            key.data.read()
        if not has_begun and all(asker.answers for asker in askers):
            has_begun = True
            print("asking", flush=True)
    print(*(sum(getattr(asker, name) for asker in askers) for name in ("answers", "refusals", "others")))


if __name__ == "__main__":
    main()
