"""A program that floods the daemon: `flooder.py SOCKET KIND SECONDS [PATH]`. It prints `flooding` once the first messages
are sent, and at the end, which an interrupt brings forward, how many it sent.

It is a process of its own, and sends prepared bytes, so that it is faster than the daemon.
"""

import os
import select
import signal
import socket
import struct
import sys
import threading
import time

from rawbus import handshake, method_call, padded, string

NAME = "org.opencallkit.CallSystem1"
ROOT = "/org/opencallkit/CallSystem1"
PROPERTIES = "org.freedesktop.DBus.Properties"
MANAGER = "org.freedesktop.DBus.ObjectManager"
CHUNK = 200
"""Messages that are sent at once."""


def variant(signature, body):
    return bytes([len(signature)]) + signature.encode() + b"\0" + body


def message(kind, path, serial):
    match kind:
        case "get-all":
            return method_call(serial, NAME, ROOT, PROPERTIES, "GetAll", "s", string(NAME))
        case "start":
            return method_call(serial, NAME, ROOT, NAME, "StartCall", "s", string("tel:070123"))
        case "simulate":
            return method_call(serial, NAME, ROOT, NAME, "SimulateTransaction", "a(sa{sv})a{sv}", bytes(16))
        case "set":
            body = padded(padded(string(NAME), 4) + string("DoNotDisturb"), 1) + variant("b", b"")
            return method_call(serial, NAME, ROOT, PROPERTIES, "Set", "ssv", padded(body, 4) + struct.pack("<I", 0))
        case "errors":
            return method_call(serial, NAME, ROOT, NAME, "Nothing")
        case "objects" | "objects-unread":
            return method_call(serial, NAME, ROOT, MANAGER, "GetManagedObjects")
        case "large":
            return method_call(serial, NAME, ROOT, NAME, "StartCall", "s", string("x" * (7 << 20)))
        case "mutes":
            return method_call(serial, NAME, path, "org.opencallkit.Call1", "SetMuted", "b", struct.pack("<I", serial % 2))
        case "answers":
            return method_call(serial, NAME, path, "org.opencallkit.Call1", "Answer")
        case "nested":
            body = padded(string("tel:070123"), 4)
            entries = padded(string("nested"), 1)
            for _ in range(60):
                entries += variant("v", b"")
            entries += variant("y", b"\1")
            return method_call(serial, NAME, ROOT, NAME, "StartCallWith", "sa{sv}",
                               padded(body + struct.pack("<I", len(entries)), 8) + entries)
    raise SystemExit(f"unknown kind {kind}")


def descriptors(connection, end):
    """Messages with 16 descriptors each."""
    files = [os.open("/dev/null", os.O_RDONLY) for _ in range(16)]
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("16i", *files))]
    data = method_call(2, NAME, ROOT, NAME, "StartCall", "s", string("generic:x"), descriptors=16)
    sent = 0
    while time.monotonic() < end:
        connection.sendmsg([data], rights)
        sent += 1
    return sent


def main():
    address, kind, seconds, *path = sys.argv[1:]
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    handshake(connection, descriptors=kind == "descriptors")
    if kind != "objects-unread":
        threading.Thread(target=drain, args=(connection,), daemon=True).start()
    end = time.monotonic() + float(seconds)
    if kind == "descriptors":
        sent = descriptors(connection, end)
    else:
        count = 1 if kind == "large" else CHUNK
        data = b"".join(message(kind, path[0] if path else ROOT, serial + 2) for serial in range(count))
        sent = 0
        interrupted = []
        signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
        while time.monotonic() < end and not interrupted:
            if send(connection, data, end):
                if not sent:
                    print("flooding", flush=True)
                sent += count
    print(sent)


def send(connection, data, end):
    view = memoryview(data)
    while view:
        if not select.select([], [connection], [], max(0, end - time.monotonic()))[1]:
            return False
        view = view[connection.send(view, socket.MSG_DONTWAIT):]
    return True


def drain(connection):
    while connection.recv(1 << 16):
        pass


if __name__ == "__main__":
    main()
