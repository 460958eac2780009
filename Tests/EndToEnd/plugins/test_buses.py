"""Services of the buses that a plugin has been let to, and that it reaches no other."""

import os
import signal
import socket
import subprocess

import dbus
import dbus.bus
import dbus.service

from plugins.consent import AskingTest
from support.store import children, program
from support.waiting import GIVE_UP, wait_gone, wait_until

GRANTED, OTHER = "org.example.Granted", "org.example.Other"
FLAGS = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], check=True, capture_output=True,
                       text=True).stdout.split()


class Buses(AskingTest):
    deadlines = {"hello": 60_000}

    def setUp(self):
        super().setUp()
        connection = self.system.connect()
        # libdbus answers pings by itself.
        self.names = [dbus.service.BusName(name, connection) for name in (GRANTED, OTHER)]

    def user_of(self, bus, *services):
        names = ",".join(f'"{name}"' for name in services)
        return self.compiled("BusUser/bususer.c", f"-DBUS=DBUS_BUS_{bus}", f"-DSERVICES={names}", *FLAGS)

    def proxies(self):
        """The process ids of the daemon's proxies."""
        return [pid for pid in children(self.pid) if program(pid) == "xdg-dbus-proxy"]

    def said(self, text):
        return self.system.read_log().count(f"bus-user: {text}")

    def test_it_talks_to_the_service_that_was_granted_and_to_no_other(self):
        library = self.user_of("SESSION", GRANTED, OTHER, "org.opencallkit.CallSystem1", "org.freedesktop.DBus")
        self.bundle(self.asks(may_use=f"session-bus:{GRANTED}"), "User", library=library)
        self.system.wait_logged(f"{GRANTED}: org.freedesktop.DBus.Error.")
        self.assertEqual(self.proxies(), [])
        self.grant("User", f"session-bus:{GRANTED}").result()
        self.system.wait_logged(f"{GRANTED}: answered")
        for name in (OTHER, "org.opencallkit.CallSystem1"):
            self.system.wait_logged(f"{name}: org.freedesktop.DBus.Error.ServiceUnknown")
            self.assertEqual(self.said(f"{name}: answered"), 0)
        self.assertEqual(len(self.proxies()), 1)
        self.revoke("User", f"session-bus:{GRANTED}").result()
        wait_until(lambda: not self.proxies(), "the proxy stays", every=0.05)

    def connect_through(self, proxy):
        """A connection to the bus by the socket of this proxy; nothing if the proxy makes none."""
        with open(f"/proc/{proxy}/cmdline", encoding="utf-8") as file:
            path = file.read().split("\0")[3]
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(GIVE_UP)
        connection.connect(path)
        try:
            connection.sendall(f"\0AUTH EXTERNAL {str(os.getuid()).encode().hex()}\r\n".encode())
            if connection.recv(64).startswith(b"OK"):
                return connection
        except ConnectionError:
            pass
        connection.close()
        return None

    def test_a_plugin_has_few_connections(self):
        """The bus takes only so many of a user, and the others are for the user's programs."""
        self.bundle(self.asks(may_use=f"session-bus:{GRANTED}"), "User", library=self.user_of("SESSION", GRANTED))
        self.wait_for("User", "starting")
        self.grant("User", f"session-bus:{GRANTED}").result()
        self.system.wait_logged(f"{GRANTED}: answered")
        proxy, = self.proxies()
        made = []
        while len(made) < 100 and (connection := self.connect_through(proxy)):
            made.append(connection)
        self.assertGreater(len(made), 10)
        self.assertLess(len(made), 32)
        for connection in made:
            connection.close()
        again = wait_until(lambda: self.connect_through(proxy), "the proxy makes no connection any more", every=0.05)
        again.close()
        self.assertEqual(self.proxies(), [proxy])

    def test_a_proxy_that_dies_is_replaced(self):
        self.bundle(self.asks(f"session-bus:{GRANTED}"), "User", library=self.user_of("SESSION", GRANTED))
        self.wait_for("User", "needs-consent")
        self.assertEqual(self.proxies(), [])
        self.grant("User", f"session-bus:{GRANTED}").result()
        self.system.wait_logged(f"{GRANTED}: answered")
        pid = self.told_of("User", "Pid")
        for times in (2, 3):
            os.kill(self.proxies()[0], signal.SIGKILL)
            wait_until(lambda times=times: self.said(f"{GRANTED}: answered") == times, "it does not come back", every=0.05)
        self.assertEqual(self.told_of("User", "Pid"), pid)

    def test_the_proxies_end_with_the_daemon(self):
        self.bundle(self.asks(may_use=f"session-bus:{GRANTED}"), "User", library=self.user_of("SESSION", GRANTED))
        self.wait_for("User", "starting")
        self.grant("User", f"session-bus:{GRANTED}").result()
        self.system.wait_logged(f"{GRANTED}: answered")
        proxy, = self.proxies()
        self.system.daemon.kill()
        self.system.daemon.wait()
        wait_gone(proxy)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_a_plugin_that_is_disabled_has_no_proxy(self):
        self.bundle(self.asks(may_use=f"session-bus:{GRANTED}"), "User", library=self.user_of("SESSION", GRANTED))
        self.wait_for("User", "starting")
        self.grant("User", f"session-bus:{GRANTED}").result()
        self.system.wait_logged(f"{GRANTED}: answered")
        proxy, = self.proxies()
        self.set_enabled("User", False)
        wait_gone(proxy)
        self.set_enabled("User", True)
        wait_until(lambda: self.said(f"{GRANTED}: answered") == 2, "it does not come back", every=0.05)

    def test_the_system_bus(self):
        configuration = os.path.join(self.system.folder.name, "system.conf")
        socket = os.path.join(self.system.folder.name, "system-bus")
        with open(os.path.join(self.system.folder.name, "bus.conf"), encoding="utf-8") as file:
            text = file.read()
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(text.replace(self.system.socket, socket))
        broker = subprocess.Popen(["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile",
                                   "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(broker.wait)
        self.addCleanup(broker.kill)
        self.addCleanup(broker.stdout.close)
        broker.stdout.readline()
        connection = dbus.bus.BusConnection(f"unix:path={socket}")
        self.addCleanup(connection.close)
        names = [dbus.service.BusName(name, connection) for name in (GRANTED, OTHER)]
        self.bundle(self.asks(may_use=f"system-bus:{GRANTED}"), "User", library=self.user_of("SYSTEM", GRANTED, OTHER))
        self.wait_for("User", "starting")
        self.grant("User", f"system-bus:{GRANTED}").result()
        self.system.wait_logged(f"{GRANTED}: answered")
        self.system.wait_logged(f"{OTHER}: org.freedesktop.DBus.Error.ServiceUnknown")
        # They are owned until here.
        del names


class WithoutProxy(AskingTest):
    """A machine without xdg-dbus-proxy."""

    wrapper = ("unshare", "--mount", "--propagation", "private", "sh", "-c",
               'mount --bind /dev/null /usr/bin/xdg-dbus-proxy && exec "$0" "$@"')

    def setUp(self):
        if os.geteuid():
            self.skipTest("takes root to hide a program")
        super().setUp()

    def test_the_error_names_the_package(self):
        self.bundle(self.asks(f"session-bus:{GRANTED}"))
        self.wait_for("Smallest", "needs-consent")
        self.grant("Smallest", f"session-bus:{GRANTED}").result()
        self.wait_for("Smallest", "quarantined")
        self.assertIn("install the package xdg-dbus-proxy", self.told_of("Smallest", "Error"))

    def test_what_it_may_use_is_done_without(self):
        self.bundle(self.asks(may_use=f"session-bus:{GRANTED}"), folder=self.folder)
        self.wait_ready("Smallest")
        self.system.wait_logged(f"runs without session-bus:{GRANTED}: xdg-dbus-proxy is missing")
