"""A bus that tells the daemon what a test wants of its clients: a relay between the daemon and the real bus, which changes
the answers to GetConnectionCredentials."""

import os
import select
import socket
import struct
import threading

from support import raw_bus

SERIAL_AT, LENGTH_AT, FIELDS_AT = 8, 4, 12
QUESTION = b"GetConnectionCredentials"
ERROR_NAME = "org.freedesktop.DBus.Error.Failed"


def dictionary(**values):
    """An a{sv} of numbers (u), bytes (ay) and texts (s), as the body of a message."""
    data = b""
    for key, value in values.items():
        data = raw_bus.padded(data, 8) + raw_bus.string(key)
        if isinstance(value, int):
            data = raw_bus.padded(data + b"\1u\0", 4) + struct.pack("<I", value)
        elif isinstance(value, bytes):
            data = raw_bus.padded(data + b"\2ay\0", 4) + struct.pack("<I", len(value)) + value
        else:
            data = raw_bus.padded(data + b"\1s\0", 4) + raw_bus.string(value)
    return struct.pack("<I", len(data)) + bytes(4) + data


class Answer:
    """What the relay says in place of the bus. `ready` holds it back."""

    def __init__(self, body=None, signature="a{sv}", error=None, drop=False, **values):
        self.body = dictionary(**values) if body is None else body
        self.signature = signature
        self.error = error
        self.drop = drop
        self.ready = threading.Event()
        self.asked = threading.Event()
        self.ready.set()

    def held(self):
        self.ready.clear()
        return self

    def message(self, serial, destination):
        fields = {raw_bus.REPLY_SERIAL: (b"u", serial), raw_bus.DESTINATION: (b"s", destination), 7: (b"s", "org.freedesktop.DBus")}
        if self.error:
            fields[raw_bus.ERROR_NAME] = (b"s", self.error)
            return raw_bus.message(raw_bus.ERROR, 0x7FFF0000 + serial, fields, "s", raw_bus.string("the script refuses"))
        return raw_bus.message(raw_bus.METHOD_RETURN, 0x7FFF0000 + serial, fields, self.signature, self.body)


class ScriptedBus:
    """Listens at `path` for the daemon. `answers` has what is said of clients, by their unique names."""

    def __init__(self, path, target):
        self.target = target
        self.answers = {}
        self.asked = []
        self.name = ""
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(4)
        self.ends = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                daemon, _ = self.listener.accept()
            except OSError:
                return
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(self.target)
            self.ends += [daemon, bus]
            threading.Thread(target=self.relay, args=(daemon, bus), daemon=True).start()

    def relay(self, daemon, bus):
        writing = threading.Lock()
        begun, sent, came = False, b"", b""
        try:
            while True:
                for end in select.select([daemon, bus], [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        raise OSError("the end")
                    if end is bus:
                        if not begun:
                            daemon.sendall(data)
                            continue
                        # Whole messages, so that an answer of the script never stands within one.
                        came += data
                        whole, came = self.split(came)
                        with writing:
                            daemon.sendall(b"".join(whole))
                        continue
                    sent += data
                    if not begun:
                        head, separator, sent = sent.partition(b"BEGIN\r\n")
                        # The relay passes no descriptors on, as the one of a process that dbus 1.16 adds.
                        bus.sendall(head.replace(b"NEGOTIATE_UNIX_FD", b"NONE") + separator)
                        begun = bool(separator)
                        if not begun:
                            continue
                    whole, sent = self.split(sent)
                    bus.sendall(b"".join(message for message in whole if not self.takes(message, daemon, writing)))
        except (OSError, ValueError):
            daemon.close()
            bus.close()

    @staticmethod
    def split(data):
        whole = []
        while len(data) >= 16:
            body, fields = struct.unpack_from("<I", data, LENGTH_AT)[0], struct.unpack_from("<I", data, FIELDS_AT)[0]
            size = 16 + (fields + 7) // 8 * 8 + body
            if len(data) < size:
                break
            whole.append(data[:size])
            data = data[size:]
        return whole, data

    def takes(self, message, daemon, writing):
        """Whether a message of the daemon is a question that the script answers."""
        if QUESTION not in message:
            return False
        client = message[-struct.unpack_from("<I", message, LENGTH_AT)[0]:][4:-1].decode()
        self.asked.append(client)
        answer = self.answers.get(client)
        if answer is None:
            return False
        answer.asked.set()
        serial = struct.unpack_from("<I", message, SERIAL_AT)[0]
        threading.Thread(target=self.answer, args=(answer, serial, daemon, writing), daemon=True).start()
        return True

    def answer(self, answer, serial, daemon, writing):
        answer.ready.wait()
        if answer.drop:
            return
        try:
            with writing:
                daemon.sendall(answer.message(serial, self.name))
        except OSError:
            pass

    def close(self):
        for answer in self.answers.values():
            answer.ready.set()
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def own(**values):
    """True words about the process of the test."""
    return Answer(**{"UnixUserID": os.geteuid(), "ProcessID": os.getpid(), **values})
