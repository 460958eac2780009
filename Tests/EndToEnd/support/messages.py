"""Method calls under way, signals, and values on the bus."""

import re
import struct

import dbus

from support.waiting import PATIENCE, wait_until

ERROR = "org.opencallkit.Error."


def png(size=0):
    """A PNG picture, as far as its outline goes; of so many bytes, if that is enough for it."""
    begin = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBBI", 13, b"IHDR", 16, 16, 8, 4, 0, 0, 0, 0)
    end = struct.pack(">I4sI", 0, b"IEND", 0xAE426082)
    data = b"x" * max(0, size - len(begin) - len(end) - 12)
    return begin + struct.pack(">I4s", len(data), b"IDAT") + data + bytes(4) + end


def strings(*words):
    return dbus.Array(words, signature="s")


def without_uuids(text):
    """A text without the identifiers of calls, which may have any digits."""
    return re.sub(r"[0-9a-fA-F]{8}([-_][0-9a-fA-F]{4}){3}[-_][0-9a-fA-F]{12}", "an identifier", text)


class Pending:
    """A method call under way."""

    def __init__(self, what, documented=None, undocumented=None):
        self.what = what
        self.documented = documented
        self.undocumented = undocumented
        self.done = False
        self.value = None
        self.error = None

    def succeed(self, *values):
        self.done = True
        self.value = None if not values else values[0] if len(values) == 1 else values

    def fail(self, error):
        self.done = True
        self.error = error
        name = error.get_dbus_name() or ""
        if name.startswith(ERROR) and self.documented is not None and name[len(ERROR):] not in self.documented:
            self.undocumented.append(f"{self.what}: {name}: {error.get_dbus_message()}")

    def wait(self, seconds=PATIENCE):
        wait_until(lambda: self.done, f"no reply to {self.what}", seconds)
        return self

    def result(self, seconds=PATIENCE):
        self.wait(seconds)
        if self.error is not None:
            raise AssertionError(f"{self.what}: {self.error.get_dbus_name()}: {self.error.get_dbus_message()}")
        return self.value

    @property
    def error_name(self):
        return self.error.get_dbus_name() if self.error is not None else ""

    @property
    def error_text(self):
        return self.error.get_dbus_message() or "" if self.error is not None else ""


class Event:
    """One signal of the daemon."""

    def __init__(self, message):
        self.member = message.get_member()
        self.path = message.get_path()
        self.interface = message.get_interface()
        self.arguments = message.get_args_list()

    def __repr__(self):
        return f"{self.member}{tuple(self.arguments)} at {self.path}"


class Output:
    """How a command ended."""

    def __init__(self, status, text, errors):
        self.status = status
        self.text = text
        self.errors = errors


def variants(values):
    """A dictionary as a{sv}."""
    return dbus.Dictionary(values, signature="sv")


def last(path):
    return str(path).rsplit("/", 1)[1]


def uuid_of(call):
    return last(call).replace("_", "-")
