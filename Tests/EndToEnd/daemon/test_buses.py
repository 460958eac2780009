"""The daemon and its bus: one that comes late, and one that goes away."""

import os
import signal
import subprocess

import dbus

from daemon.program import DAEMON, leave
from support.case import SystemTest
from support.messages import variants
from support.provider import Provider
from support.system import CALL, NAME, PLUGIN, PLUGINS, PROPERTIES, PROVIDER, ROOT
from support.waiting import exited, wait_until


class LateBus(SystemTest):
    def test_the_log_says_that_there_is_no_bus_and_it_serves_once_there_is_one(self):
        leave(self.system)
        os.rename(self.system.socket, f"{self.system.socket}.away")
        log = f"{self.system.folder.name}/log"
        with open(log, "ab") as file:
            self.system.daemon = subprocess.Popen([DAEMON], env=self.system.environment, stderr=file)
        self.pid = self.system.daemon.pid
        self.system.wait_logged("no bus to serve on yet")
        self.assertIsNone(self.system.daemon.poll())
        os.rename(f"{self.system.socket}.away", self.system.socket)
        wait_until(lambda: self.system.owner, "it does not serve")
        self.system.sync()


class NoBus(SystemTest):
    """A daemon does not outlive its bus, but the calls of its plugins."""

    def start(self, *arguments):
        leave(self.system)
        self.system.arguments = ["--bus-timeout", "300", "--plugin-path", PLUGINS, *arguments]
        self.system.with_plugins = True
        self.system.start_daemon()

    def kill_bus(self):
        self.system.broker.kill()
        self.system.broker.wait()

    def tearDown(self):
        self.assertEqual(exited(self.system.daemon), 1)
        self.assertIn("no bus", self.system.read_log())
        self.assertNotIn("invariant broken", self.system.read_log())

    def test_there_has_never_been_one(self):
        leave(self.system)
        self.kill_bus()
        os.unlink(self.system.socket)
        with open(f"{self.system.folder.name}/log", "ab") as file:
            self.system.daemon = subprocess.Popen([DAEMON, "--bus-timeout", "300"], env=self.system.environment,
                                                  stderr=file)

    def test_it_is_gone_for_good(self):
        self.start()
        self.kill_bus()

    def test_a_plugins_call_lives_on(self):
        self.start()
        call = self.start_call("tel:+15550100", provider=dbus.ObjectPath(f"{ROOT}/providers/Hotline")).result()
        self.wait_state(call, "active")
        worker = int(self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Pid"))
        self.kill_bus()
        self.system.wait_logged("waiting for the last call")
        self.assertIsNone(self.system.daemon.poll())
        os.kill(worker, signal.SIGKILL)

    def test_another_daemon_was_faster_when_the_bus_came_back(self):
        self.start()
        self.system.daemon.send_signal(signal.SIGSTOP)
        first = self.system.daemon
        self.system.restart_bus_only()
        self.system.arguments = ["--no-store"]
        self.system.with_plugins = False
        self.system.start_daemon()
        first.send_signal(signal.SIGCONT)
        self.assertEqual(exited(first), 1)
        self.system.wait_logged("waiting for it to leave")
        self.kill_bus()


class BusGone(SystemTest):
    with_plugins = True

    def test_it_comes_back_as_the_same_process_and_plugins_calls_live_on(self):
        call = self.start_call("tel:+15550100", provider=dbus.ObjectPath(f"{ROOT}/providers/Hotline")).result()
        self.wait_state(call, "active")
        connected = self.property(call, "ConnectedAt")
        worker = self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Pid")
        self.system.restart_bus()
        self.assertIsNone(self.system.daemon.poll())
        owner = self.system.bus.call_blocking(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            "s", (NAME,))
        self.assertEqual(owner, self.pid)
        self.assertEqual((self.property(call, "State"), self.property(call, "ConnectedAt")), ("active", connected))
        self.assertEqual(self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Pid"), worker)
        other = self.simulate_incoming("MonkeyCall")
        self.answer(other).result()
        self.assertEqual((self.property(call, "State"), self.property(other, "State")), ("held", "active"))
        self.end(other).result()
        self.wait_state(call, "active")

    def test_providers_on_the_bus_are_gone_with_it(self):
        provider = Provider(self.system)
        call = provider.active()
        self.system.restart_bus()
        self.assertNotIn(provider.path, self.system.managed())
        values = self.system.call(call, PROPERTIES, "GetAll", "s", CALL).wait()
        if values.error is None:
            self.assertEqual((values.value["State"], values.value["EndReason"]), ("ended", "provider-crashed"))
        again = Provider(self.system)
        again.active()

    def test_twice(self):
        for _ in range(2):
            self.system.restart_bus()
        self.system.call(f"{ROOT}/providers/MonkeyCall", PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-incoming",
                         variants({"handle": "generic:x"})).result()

    def test_a_daemon_that_was_faster_when_the_bus_came_back_leaves_again(self):
        call = self.start_call("tel:+15550100", provider=dbus.ObjectPath(f"{ROOT}/providers/Hotline")).result()
        self.wait_state(call, "active")
        first = self.system.daemon
        first.send_signal(signal.SIGSTOP)
        self.system.restart_bus_only()
        self.system.arguments, self.system.with_plugins = ["--no-store"], False
        self.system.start_daemon()
        other, self.system.daemon = self.system.daemon, first
        first.send_signal(signal.SIGCONT)
        self.system.wait_logged("waiting for it to leave")
        others_name = self.system.owner
        other.terminate()
        self.assertEqual(exited(other), 0)
        wait_until(lambda: self.system.owner not in ("", others_name), "the first daemon does not get its name")
        self.assertEqual(self.property(call, "State"), "active")

    def test_sigterm_without_a_bus(self):
        self.system.broker.kill()
        self.system.broker.wait()
        wait_until(lambda: "went away" in self.system.read_log() or self.system.daemon.poll() is not None,
                   "the loss is not logged", every=0.05)
