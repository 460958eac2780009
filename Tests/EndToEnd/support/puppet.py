"""A plugin whose link is in the test's hands: it says over the link what the test wants, in no order of the SDK."""

import ctypes
import os
import socket

from gi.repository import Gio, GLib

from support.store import children
from support.system import PLUGIN, REPOSITORY, ROOT, SYSTEM
from support.waiting import GIVE_UP, wait_until

SOURCE = os.path.join(REPOSITORY, "Tests", "Fixtures", "Puppet", "puppet.c")
WORKER_HOST = "org.opencallkit.WorkerHost1"


class Answer:
    """What the daemon answered: values, or an error."""

    def __init__(self, message):
        self.error_name = message.get_error_name() or ""
        values = message.get_body().unpack() if message.get_body() is not None else ()
        self.error_text = values[0] if self.error_name and values else ""
        self.values = () if self.error_name else values


PIDFD_GETFD = 438
"""The number of the system call."""
LINK = 3
"""The link's descriptor in the worker."""


def taken(pid, descriptor):
    """A descriptor of another process: of a worker, which gives nothing away itself."""
    process = os.pidfd_open(pid)
    try:
        copy = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, process, descriptor, 0)
    finally:
        os.close(process)
    if copy < 0:
        raise OSError(ctypes.get_errno(), f"descriptor {descriptor} of {pid} cannot be taken")
    return copy


class Puppet:
    """The link of the plugin `name`, from the moment at which its worker has loaded it."""

    def __init__(self, test, name="Puppet", *options, is_there=False):
        self.name = name
        self.serial = 0
        self.received = []
        if not is_there:
            test.compile(name, SOURCE, *options)
        library = f"{test.folder}/{name}.so"
        wait_until(lambda: test.told_of(name, "State"), f"{name} is not found")
        pid = wait_until(lambda: self.worker(test.property(test.plugin(name), "Pid", PLUGIN), library),
                         lambda: f"{name} is not loaded: {test.told_of(name, 'Error')}", every=0.02)
        self.socket = socket.socket(fileno=taken(pid, LINK))
        self.socket.setblocking(True)
        self.socket.settimeout(GIVE_UP)
        test.addCleanup(self.socket.close)

    @staticmethod
    def worker(pid, library):
        """The process that has loaded the library: this one, or the first child of a guard."""
        try:
            for each in (int(pid), *children(pid)[:1]):
                with open(f"/proc/{each}/maps", encoding="utf-8", errors="replace") as file:
                    if library in file.read():
                        return each
        except OSError:
            pass
        return None

    def call(self, path, interface, member, signature="", *arguments):
        """Calls a method and returns its answer. What arrives before it is kept in `received`."""
        message = Gio.DBusMessage.new_method_call(None, path, interface, member)
        if signature:
            message.set_body(GLib.Variant(f"({signature})", arguments))
        self.serial += 1
        message.set_serial(self.serial)
        self.socket.send(message.to_blob(Gio.DBusCapabilityFlags.NONE))
        while True:
            answer = Gio.DBusMessage.new_from_blob(self.socket.recv(1 << 17), Gio.DBusCapabilityFlags.NONE)
            is_answer = answer.get_message_type() in (Gio.DBusMessageType.METHOD_RETURN, Gio.DBusMessageType.ERROR)
            if is_answer and answer.get_reply_serial() == self.serial:
                return Answer(answer)
            self.received.append(answer)

    def introduce(self, **configuration):
        """Says hello and registers a provider, as the SDK does. Returns the provider's path."""
        hello = self.call(ROOT, WORKER_HOST, "Hello", "uss", 1, "6.3", "puppet")
        assert not hello.error_name, hello.error_text
        return self.register("/puppet", **configuration)

    def register(self, delegate, **configuration):
        """Registers a provider and returns its path."""
        values = {"localized-name": GLib.Variant("s", self.name),
                  "supported-handle-types": GLib.Variant("as", ["generic"]), **configuration}
        registered = self.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", delegate, values)
        assert not registered.error_name, registered.error_text
        return registered.values[0]
