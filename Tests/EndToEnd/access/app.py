"""Sandboxed apps as Flatpak makes them: xdg-dbus-proxy speaks on the bus for the app, with .flatpak-info in its root
folder, and the app is in a sandbox of its own. Every byte that passes between both is recorded."""

import os
import select
import socket
import subprocess
import threading

import dbus.bus
import dbus.lowlevel

from support.messages import Output
from support.system import BUILD, NAME, REPOSITORY
from support.waiting import exited, wait_until

APP = "org.example.Phone"
PROGRAMS = ("bin", "etc", "lib", "lib64", "opt", "root", "sbin", "usr", "var")
"""The folders of the machine with programs and what they load, below the root folder; not every machine has each."""


def flatpak_info(app=APP, group="Application"):
    return f"[{group}]\nname={app}\nruntime=runtime/org.example.Platform/x86_64/1\n\n[Instance]\ninstance-id=4711\n"


def bwrap(info, *options, folders=(), file="--ro-bind-data"):
    """The beginning of a command line that runs the rest in a sandbox with the machine's programs and the build, and the
    descriptors that it needs. With `info` the root folder has the file .flatpak-info."""
    command = ["bwrap", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for name in PROGRAMS:
        if os.path.islink(f"/{name}"):
            command += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
        elif os.path.isdir(f"/{name}"):
            command += ["--ro-bind", f"/{name}", f"/{name}"]
    # bubblewrap 0.12 mounts on no link, as the build folder is.
    for folder in (REPOSITORY, os.path.realpath(BUILD)):
        command += ["--ro-bind", folder, folder]
    for folder in folders:
        command += ["--bind", folder, folder]
    descriptors = []
    if info is not None:
        reading, writing = os.pipe()
        os.write(writing, info.encode())
        os.close(writing)
        command += [file, str(reading), "/.flatpak-info"]
        descriptors.append(reading)
    return [*command, *options], descriptors


def start(command, descriptors, **options):
    try:
        return subprocess.Popen(command, pass_fds=descriptors, **options)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


class Tap:
    """A socket that passes what arrives on to another one, both ways, and keeps what the app receives."""

    def __init__(self, path, target):
        self.path = path
        self.target = target
        self.received = bytearray()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(16)
        self.sockets = [self.listener]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                app, _ = self.listener.accept()
            except OSError:
                return
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(self.target)
            self.sockets += [app, bus]
            threading.Thread(target=self.relay, args=(app, bus), daemon=True).start()

    def relay(self, app, bus):
        while True:
            try:
                for readable in select.select([app, bus], [], [])[0]:
                    data = readable.recv(65536)
                    if readable is bus:
                        self.received += data
                    if not data:
                        raise OSError("the end")
                    (app if readable is bus else bus).sendall(data)
            except (OSError, ValueError):
                app.close()
                bus.close()
                return

    def close(self):
        for end in self.sockets:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class SandboxedApp:
    """An app in a sandbox, on the bus of a system."""

    number = 0

    def __init__(self, system, info=flatpak_info(), names=(NAME,), owns=()):
        SandboxedApp.number += 1
        self.system = system
        self.folder = f"{system.folder.name}/app-{SandboxedApp.number}"
        os.mkdir(self.folder)
        self.connections = []
        command, descriptors = bwrap(info, folders=[system.folder.name])
        ready, done = os.pipe()
        command += ["xdg-dbus-proxy", f"--fd={done}", system.address, f"{self.folder}/proxy", "--filter",
                    *(f"--talk={name}" for name in names), *(f"--own={name}" for name in owns)]
        self.proxy = start(command, [*descriptors, done], env=system.environment)
        assert os.read(ready, 1), "xdg-dbus-proxy does not start"
        self.ready = ready
        self.tap = Tap(f"{self.folder}/bus", f"{self.folder}/proxy")

    @property
    def address(self):
        return f"unix:path={self.folder}/bus"

    @property
    def received(self):
        """Every byte that the app was sent."""
        return bytes(self.tap.received)

    def connect(self):
        """A connection of the app, in the process of the test."""
        connection = dbus.bus.BusConnection(self.address)
        connection.set_exit_on_disconnect(False)
        self.connections.append(connection)
        self.system.connections.append(connection)
        return connection

    def spawn(self, *command):
        """Starts a program in the app's own sandbox, which has no other way to the bus."""
        sandbox, descriptors = bwrap(flatpak_info(), "--unshare-all", "--setenv", "DBUS_SESSION_BUS_ADDRESS", self.address,
                                     folders=[self.folder])
        return start([*sandbox, *command], descriptors, env=self.system.environment, stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *command):
        """Runs a program there to its end."""
        process = self.spawn(*command)
        exited(process)
        with process.stdout, process.stderr:
            return Output(process.returncode, process.stdout.read(), process.stderr.read())

    def close(self):
        for connection in self.connections:
            connection.close()
            if connection in self.system.connections:
                self.system.connections.remove(connection)
        self.tap.close()
        os.close(self.ready)
        self.proxy.terminate()
        exited(self.proxy)


class Listener:
    """What one connection is told by signals of the daemon."""

    def __init__(self, connection):
        self.messages = []
        connection.add_match_string(f"type='signal',sender='{NAME}'")
        connection.add_message_filter(self.take)

    def take(self, _, message):
        self.messages.append(message)
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def wait(self, member, count=1):
        return wait_until(lambda: [message for message in self.messages if message.get_member() == member][count - 1:],
                          f"no signal {member}")
