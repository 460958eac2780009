"""A program that floods the daemon: `python3 -m support.flooder SOCKET KIND SECONDS [PATH]`. It prints `flooding` once the
first messages are sent, and at the end, which an interrupt brings forward, how many it sent.

It is a process of its own, and sends prepared bytes, so that it is faster than the daemon.
"""

import contextlib
import os
import select
import signal
import socket
import struct
import sys
import threading
import time

from gi.repository import Gio, GLib

from support.raw_bus import handshake, method_call, padded, string

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
        case "settings":
            chosen = GLib.Variant("a{ss}", {"tel": f"Provider{serial % 2}"})
            arguments = GLib.Variant("(ssv)", (NAME, "DefaultProviders", chosen))
            return gio_call(serial, ROOT, PROPERTIES, "Set", arguments)
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
        case "account-update":
            settings = {"monkeys": GLib.Variant("u", serial % 100 + 1)}
            return gio_call(serial, path, "org.opencallkit.Account1", "Update", GLib.Variant("(a{sv}as)", (settings, [])))
        case "account-add":
            return gio_call(serial, f"{ROOT}/accounts", "org.opencallkit.Accounts1", "Add", GLib.Variant("(sa{sv})", ("MonkeyCall", {})))
        case "account-enable":
            body = padded(padded(string("org.opencallkit.Account1"), 4) + string("Enabled"), 1) + variant("b", b"")
            return method_call(serial, NAME, path, PROPERTIES, "Set", "ssv", padded(body, 4) + struct.pack("<I", serial % 2))
        case "account-clear":
            return method_call(serial, NAME, path, "org.opencallkit.Account1", "ClearSecret", "s", string("pin"))
        case "nested":
            body = padded(string("tel:070123"), 4)
            entries = padded(string("nested"), 1)
            for _ in range(60):
                entries += variant("v", b"")
            entries += variant("y", b"\1")
            return method_call(serial, NAME, ROOT, NAME, "StartCallWith", "sa{sv}",
                               padded(body + struct.pack("<I", len(entries)), 8) + entries)
    raise SystemExit(f"unknown kind {kind}")


def gio_call(serial, path, interface, member, arguments):
    message = Gio.DBusMessage.new_method_call(NAME, path, interface, member)
    message.set_body(arguments)
    message.set_serial(serial)
    return bytes(message.to_blob(Gio.DBusCapabilityFlags.NONE))


def secrets(connection, end, path):
    """Secrets for an account, each in a pipe of its own."""
    sent = 0
    body = string("pin")
    body = padded(body, 4) + struct.pack("<I", 0)
    data = method_call(2, NAME, path, "org.opencallkit.Account1", "SetSecret", "sha{sv}",
                       padded(body + struct.pack("<I", 0), 8), descriptors=1)
    while time.monotonic() < end:
        reading, writing = os.pipe()
        os.write(writing, b"%04d" % (sent % 9_999 + 1))
        os.close(writing)
        connection.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", reading))])
        os.close(reading)
        sent += 1
    return sent


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
    handshake(connection, descriptors=kind in ("descriptors", "account-secret"))
    if kind != "objects-unread":
        threading.Thread(target=drain, args=(connection,), daemon=True).start()
    end = time.monotonic() + float(seconds)
    if kind == "descriptors":
        sent = descriptors(connection, end)
    elif kind == "account-secret":
        sent = secrets(connection, end, path[0])
    else:
        count = 1 if kind == "large" else CHUNK
        data = b"".join(message(kind, path[0] if path else ROOT, serial + 2) for serial in range(count))
        sent = 0
        # One that is started in the background ignores it otherwise.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):
            while time.monotonic() < end:
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
