"""The daemon's end of a worker's link, played by the test."""

import os
import socket
import subprocess

from gi.repository import Gio, GLib

from support.system import BUILD, ROOT
from support.waiting import GIVE_UP

WORKER_HOST = "org.opencallkit.WorkerHost1"
ACCOUNTS_DELEGATE = "org.opencallkit.AccountsDelegate1"
LONGEST = 128 << 10


class ScriptedHost:
    """Starts a worker with a plugin, and answers what it asks. The messages arrive only while `receive` runs."""

    def __init__(self, library, environment, user=None, level="full", worker=f"{BUILD}/callkit-worker"):
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.link.settimeout(GIVE_UP)
        self.serial = 0
        channel, its_channel = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs, channel, its_channel, open(library, "rb") as file:
            numbers = [each.fileno() for each in (theirs, file, its_channel)]
            self.process = subprocess.Popen(
                [worker, *map(str, numbers), library], env=environment, user=user, pass_fds=numbers,
                stderr=subprocess.DEVNULL)
            channel.settimeout(GIVE_UP)
            channel.sendall(self.policy(library, level))
            channel.shutdown(socket.SHUT_WR)
            its_channel.close()
            report = b""
            while part := channel.recv(4096):
                report += part
        self.level = dict(line.split(None, 1) for line in report.decode().splitlines() if line != "guard").get("level")

    @staticmethod
    def policy(library, level):
        """That of a plugin that may use nothing: its own folder, the worker's, and that of the Swift runtime."""
        headers = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
        folders = [BUILD, os.path.dirname(library)]
        for line in headers.splitlines():
            if "RUNPATH" in line:
                folders += [folder for folder in line.split("[")[1].split("]")[0].split(":") if folder.startswith("/")]
        return "".join(f"{line}\n" for line in (f"demand\t{level}", *(f"read\t{folder}" for folder in folders))).encode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()
        self.process.kill()
        self.process.wait()

    @property
    def worker(self):
        """The worker's pid; with a guard, it is the first child of that."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return int((file.read().split() or [self.process.pid])[0])

    def send(self, message):
        self.serial += 1
        message.set_serial(self.serial)
        self.link.send(bytes(message.to_blob(Gio.DBusCapabilityFlags.NONE)))
        return self.serial

    def receive(self):
        """The next message. Requests are answered as the daemon does."""
        message = Gio.DBusMessage.new_from_blob(self.link.recv(LONGEST), Gio.DBusCapabilityFlags.NONE)
        if message.get_message_type() == Gio.DBusMessageType.METHOD_CALL:
            reply = message.new_method_reply()
            match message.get_member():
                case "Hello":
                    host = {"protocol": GLib.Variant("u", 1), "plugin-id": GLib.Variant("s", "MonkeyCall")}
                    reply.set_body(GLib.Variant("(a{sv})", (host,)))
                case "RegisterProvider":
                    reply.set_body(GLib.Variant("(o)", (f"{ROOT}/providers/MonkeyCall",)))
            self.send(reply)
        return message

    def wait_for(self, member):
        """The first call of this member."""
        while True:
            message = self.receive()
            if message.get_member() == member:
                return message

    def call(self, interface, member, arguments):
        message = Gio.DBusMessage.new_method_call(None, ROOT, interface, member)
        message.set_body(arguments)
        serial = self.send(message)
        while True:
            message = self.receive()
            if message.get_reply_serial() == serial:
                return message

    def set_accounts(self, *accounts):
        """Hands over accounts: of each its id, its settings and its secrets."""
        entries = [(account, 1, settings, secrets) for account, settings, secrets in accounts]
        return self.call(ACCOUNTS_DELEGATE, "SetAccounts", GLib.Variant("(a(sua{sv}a{say}))", (entries,)))
