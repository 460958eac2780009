"""A program of the user that plugins attack: it has sockets, an open file and a process id, and counts what reaches it.

`sandbox_victim.py FOLDER` says as a line of JSON where it can be reached. For each line that it reads, it writes what
has reached it since it began. It blocks every signal: those that arrive stay pending, and are told by number.
"""

import json
import os
import selectors
import shutil
import signal
import socket
import sys

STREAMS = {"unix-path": "path", "session-bus": "bus", "system-bus": "system_bus", "daemon-socket": "daemon",
           "wayland": "wayland-0", "pipewire": "pipewire-0", "agent": "agent", "x11": "X77", "race-path": "race",
           "pulse": "pulse/native", "files-socket": "files/socket"}
ABSTRACT = {"unix-abstract": "path", "x11-abstract": "X77", "race-abstract": "race"}
DATAGRAMS = {"journal": "journal", "datagram-path": "datagrams"}


def listening(family, kind, address):
    made = socket.socket(family, kind)
    made.bind(address)
    if kind != socket.SOCK_DGRAM:
        made.listen(400)
    made.setblocking(False)
    return made


def sockets(folder):
    """All sockets, by the name of the target, and the text by which a plugin finds each."""
    made, names = {}, {}
    for name in ("pulse", "files"):
        os.mkdir(f"{folder}/{name}")
    os.symlink(f"{os.path.dirname(folder)}/home/.ssh/id", f"{folder}/files/link")
    shutil.copy(f"{os.path.dirname(folder)}/home/.ssh/id", f"{folder}/files/plain")

    def add(name, kind, text):
        address = f"\0{text[1:]}" if text.startswith("@") else text
        made[name] = listening(socket.AF_UNIX, kind, address)
        names[name] = text
    for name, file in STREAMS.items():
        add(name, socket.SOCK_STREAM, f"{folder}/{file}")
    for name, text in ABSTRACT.items():
        add(name, socket.SOCK_STREAM, f"@{folder}/{text}")
    for name, file in DATAGRAMS.items():
        add(name, socket.SOCK_DGRAM, f"{folder}/{file}")
    add("packets-path", socket.SOCK_SEQPACKET, f"{folder}/packets")
    add("datagram-abstract", socket.SOCK_DGRAM, f"@{folder}/datagrams")
    made["tcp"] = listening(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
    made["udp"] = listening(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
    names["tcp"], names["udp"] = (str(made[name].getsockname()[1]) for name in ("tcp", "udp"))
    return made, names


def count(made):
    """Takes what has come to a socket."""
    number = 0
    try:
        while True:
            if made.type == socket.SOCK_DGRAM:
                made.recv(64)
            else:
                made.accept()[0].close()
            number += 1
    except BlockingIOError:
        return number


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    folder = sys.argv[1]
    secret = open(f"{folder}/../home/.ssh/id", "rb")
    made, names = sockets(folder)
    reached = dict.fromkeys(made, 0)
    names.update({"victim": str(os.getpid()), "victim-file": str(secret.fileno()), "runtime": folder})
    print(json.dumps(names), flush=True)
    with selectors.DefaultSelector() as selector:
        for name, each in made.items():
            selector.register(each, selectors.EVENT_READ, name)
        selector.register(0, selectors.EVENT_READ, "")
        while True:
            events = selector.select()
            for key, _ in events:
                if key.data:
                    reached[key.data] += count(key.fileobj)
            if any(not key.data for key, _ in events):
                if not os.read(0, 64):
                    return
                for name, each in made.items():
                    reached[name] += count(each)
                pending = sorted(int(number) for number in signal.sigpending())
                print(json.dumps({"signals": pending, "sockets": reached}), flush=True)


if __name__ == "__main__":
    main()
