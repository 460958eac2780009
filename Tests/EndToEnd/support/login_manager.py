"""A system bus of the test's own, and a logind on it whose locks and sessions the test sees."""

import os
import subprocess

import dbus
import dbus.service

from support.waiting import wait_until

NAME = "org.freedesktop.login1"
PATH = "/org/freedesktop/login1"
MANAGER = "org.freedesktop.login1.Manager"
SESSION_PATH = "/org/freedesktop/login1/session/_32"
SESSION = "org.freedesktop.login1.Session"
PROPERTIES = "org.freedesktop.DBus.Properties"

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/><allow send_type="signal"/>
  </policy>
</busconfig>
"""


class SystemBus:
    """The bus at the address that the programs of the test have in their environment."""

    def __init__(self, test):
        self.test = test
        self.address = test.system.environment["DBUS_SYSTEM_BUS_ADDRESS"]
        self.path = self.address.removeprefix("unix:path=")
        self.process = None
        test.addCleanup(self.stop)

    def start(self):
        configuration = f"{self.test.system.folder.name}/system-bus.conf"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(address=self.address))
        self.process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.process.stdout.readline()
        return self

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None
            os.unlink(self.path)

    def connect(self):
        connection = dbus.bus.BusConnection(self.address)
        connection.set_exit_on_disconnect(False)
        return connection


class Lock:
    """A lock that a client holds for as long as it keeps the descriptor."""

    def __init__(self, what, who, why, mode, descriptor):
        self.what, self.who, self.why, self.mode = str(what), str(who), str(why), str(mode)
        self.descriptor = descriptor

    @property
    def is_held(self):
        """Whether any copy of the other end is open."""
        try:
            return os.read(self.descriptor, 1) != b""
        except BlockingIOError:
            return True

    def close(self):
        os.close(self.descriptor)


class Login(dbus.service.Object):
    """logind: its manager object."""

    def __init__(self, test, bus, allowed=("sleep:idle", "idle")):
        self.link = bus.connect()
        self.name = dbus.service.BusName(NAME, self.link, do_not_queue=True)
        super().__init__(self.link, PATH)
        self.allowed = allowed
        self.locks = []
        self.asked = []
        self.session = LoginSessionObject(self.link)
        test.addCleanup(self.leave)

    def leave(self):
        if self.link is not None:
            self.link.close()
            self.link = None
            for lock in self.locks:
                lock.close()

    @property
    def held(self):
        return [lock for lock in self.locks if lock.is_held]

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        self.asked.append(str(what))
        if what not in self.allowed:
            raise dbus.DBusException("Permission denied", name="org.freedesktop.DBus.Error.AccessDenied")
        reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.locks.append(Lock(what, who, why, mode, reading))
        given = dbus.types.UnixFd(writing)
        os.close(writing)
        return given

    @dbus.service.method(MANAGER, in_signature="s", out_signature="o")
    def GetSession(self, name):
        if name != "auto":
            raise dbus.DBusException("No such session", name="org.freedesktop.login1.NoSuchSession")
        return dbus.ObjectPath(SESSION_PATH)

    def wait_held(self, count):
        wait_until(lambda: len(self.held) == count, lambda: f"not {count} locks but {len(self.held)}", every=0.02)
        return self.held


class LoginSessionObject(dbus.service.Object):
    """The session of the user's display."""

    def __init__(self, connection):
        super().__init__(connection, SESSION_PATH)
        self.is_locked = False
        self.reads = 0

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        assert (interface, name) == (SESSION, "LockedHint")
        self.reads += 1
        return dbus.Boolean(self.is_locked)

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, values, invalidated):
        pass

    def set_locked(self, is_locked):
        self.is_locked = is_locked
        self.PropertiesChanged(SESSION, dbus.Dictionary({"LockedHint": is_locked}, signature="sv"), [])


def screen_saver(test, name, path, is_active=False, is_late=False):
    """A desktop's screen saver on the session bus, such as org.gnome.ScreenSaver. A late one answers when the test
    calls what is in `waiting`."""

    class ScreenSaver(dbus.service.Object):
        waiting = []

        @dbus.service.method(name, in_signature="", out_signature="b", async_callbacks=("reply", "_"))
        def GetActive(self, reply, _):
            if is_late:
                self.waiting.append(lambda: reply(self.is_active))
            else:
                reply(self.is_active)

        @dbus.service.signal(name, signature="b")
        def ActiveChanged(self, is_active):
            pass

        def set_active(self, is_active):
            self.is_active = is_active
            self.ActiveChanged(is_active)

        def leave(self):
            test.system.connections.remove(connection)
            connection.close()

    connection = test.system.connect()
    saver = ScreenSaver(connection, path)
    saver.is_active = is_active
    saver.bus_name = dbus.service.BusName(name, connection, do_not_queue=True)
    return saver
