"""A bus connection without a library, which can send invalid messages."""

import os
import socket
import struct

from gi.repository import GLib

from waiting import wait_until

METHOD_CALL = 1
PATH, INTERFACE, MEMBER, DESTINATION, SIGNATURE = 1, 2, 3, 6, 8


def padded(data, boundary):
    return data + bytes(-len(data) % boundary)


def string(data):
    data = data if isinstance(data, bytes) else data.encode()
    return struct.pack("<I", len(data)) + data + b"\0"


def method_call(serial, destination, path, interface, member, signature="", body=b"", body_length=None):
    """A message in little-endian order, without any checks."""
    fields = b""
    for code, kind, value in ((PATH, b"o", path), (INTERFACE, b"s", interface), (MEMBER, b"s", member),
                              (DESTINATION, b"s", destination)):
        fields = padded(fields, 8) + bytes([code, 1]) + kind + b"\0" + string(value)
    if signature:
        fields = padded(fields, 8) + bytes([SIGNATURE, 1]) + b"g\0"
        fields += bytes([len(signature)]) + signature.encode() + b"\0"
    length = len(body) if body_length is None else body_length
    head = struct.pack("<cBBBIII", b"l", METHOD_CALL, 0, 1, length, serial, len(fields))
    return padded(head + fields, 8) + body


class RawConnection:
    """A socket after SASL and Hello."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.data = b""
        self.is_closed = False
        self.source = GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, self.socket.fileno(), GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        self.send(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        wait_until(lambda: self.data.startswith(b"OK "), "no OK from the bus")
        self.data = b""
        self.send(b"BEGIN\r\n")
        self.send(method_call(1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello"))
        wait_until(lambda: b"NameAcquired" in self.data, "no Hello from the bus")
        self.data = b""

    def read(self, *_):
        try:
            chunk = self.socket.recv(65536)
        except ConnectionResetError:
            chunk = b""
        self.data += chunk
        self.is_closed = not chunk
        return not self.is_closed

    def send(self, data):
        """Sends as much as the bus accepts; the bus may disconnect before the end."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def close(self):
        if not self.is_closed:
            GLib.source_remove(self.source)
        self.socket.close()
