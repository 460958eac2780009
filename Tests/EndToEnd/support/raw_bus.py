"""A bus connection without a library, which can send invalid messages, and answers to questions of others."""

import os
import re
import socket
import struct

from gi.repository import GLib

from support.waiting import wait_until

METHOD_CALL, METHOD_RETURN, ERROR = 1, 2, 3
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SIGNATURE, UNIX_FDS = 1, 2, 3, 4, 5, 6, 8, 9


def padded(data, boundary):
    return data + bytes(-len(data) % boundary)


def string(data):
    data = data if isinstance(data, bytes) else data.encode()
    return struct.pack("<I", len(data)) + data + b"\0"


def message(kind, serial, fields, signature="", body=b"", body_length=None):
    """A message in little-endian order, without any checks."""
    data = b""
    for code, (type_, value) in fields.items():
        value = struct.pack("<I", value) if type_ == b"u" else string(value)
        data = padded(data, 8) + bytes([code, 1]) + type_ + b"\0" + value
    if signature:
        data = padded(data, 8) + bytes([SIGNATURE, 1]) + b"g\0"
        data += bytes([len(signature)]) + signature.encode() + b"\0"
    length = len(body) if body_length is None else body_length
    head = struct.pack("<cBBBIII", b"l", kind, 0, 1, length, serial, len(data))
    return padded(head + data, 8) + body


def method_call(serial, destination, path, interface, member, signature="", body=b"", body_length=None, descriptors=0):
    fields = {PATH: (b"o", path), INTERFACE: (b"s", interface), MEMBER: (b"s", member), DESTINATION: (b"s", destination)}
    fields = {code: field for code, field in fields.items() if field[1] is not None}
    if descriptors:
        fields[UNIX_FDS] = (b"u", descriptors)
    return message(METHOD_CALL, serial, fields, signature, body, body_length)


def answer(serial, destination, reply_serial, signature="", body=b"", error=None):
    """An answer to a call, whether or not it was put to the sender; an error if it has the name of one."""
    fields = {REPLY_SERIAL: (b"u", reply_serial), DESTINATION: (b"s", destination)}
    if error:
        fields[ERROR_NAME] = (b"s", error)
    return message(ERROR if error else METHOD_RETURN, serial, fields, signature, body)


AUTH = b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n"
HELLO = method_call(1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")


def handshake(connection, descriptors=False):
    """SASL and Hello on a blocking socket."""
    def expect(sent, expected):
        connection.sendall(sent)
        answer = b""
        while expected not in answer:
            chunk = connection.recv(4096)
            if not chunk:
                raise ConnectionError(f"no {expected} from the bus")
            answer += chunk
    expect(AUTH, b"OK ")
    if descriptors:
        expect(b"NEGOTIATE_UNIX_FD\r\n", b"AGREE_UNIX_FD")
    expect(b"BEGIN\r\n" + HELLO, b"NameAcquired")


class RawConnection:
    """A socket after SASL and Hello."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.data = b""
        self.is_closed = False
        self.source = GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, self.socket.fileno(), GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        self.send(AUTH)
        wait_until(lambda: self.data.startswith(b"OK "), "no OK from the bus")
        self.data = b""
        self.send(b"BEGIN\r\n")
        self.send(HELLO)
        wait_until(lambda: b"NameAcquired" in self.data, "no Hello from the bus")
        self.name = re.search(rb":\d+\.\d+", self.data)[0].decode()
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
