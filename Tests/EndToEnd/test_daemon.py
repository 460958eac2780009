"""The daemon as a process: its options, its end, a second one, and a bus that goes away."""

import json
import os
import re
import signal
import subprocess
import tempfile

import dbus

from provider import Provider
from messages import variants
from support import SystemTest
from system import BUILD, CALL, NAME, PLUGIN, PROPERTIES, PROVIDER, REPOSITORY, ROOT, SYSTEM
from waiting import exited, let_pass, wait_gone, wait_until

DAEMON = f"{BUILD}/callkitd"


class Options(SystemTest):
    def test_help(self):
        output = self.system.run(DAEMON, "--help")
        self.assertEqual(output.status, 0)
        for word in ("--plugin-path", "--log-level", "--deadline", "--version", "Exit status", "3"):
            self.assertIn(word, output.text)

    def test_version(self):
        output = self.system.run(DAEMON, "--version")
        self.assertEqual(output.status, 0)
        self.assertRegex(output.text, r"\d+\.\d+\.\d+")
        self.assertEqual(output.text.split()[-1], self.property(ROOT, "Version", SYSTEM))

    def test_wrong_usage(self):
        for words in (("--nonsense",), ("--log-level", "loud"), ("--deadline", "answer"), ("--deadline", "answer=0"),
                      ("--deadline", "nonsense=5"), ("more",)):
            output = self.system.run(DAEMON, *words)
            self.assertEqual((words, output.status), (words, 64))
            self.assertTrue(output.errors)

    def test_a_second_daemon_leaves_with_status_3_and_says_why(self):
        output = self.system.run(DAEMON)
        self.assertEqual(output.status, 3)
        self.assertIn(NAME, output.errors)
        self.assertRegex(output.errors, "another|already|owns")
        self.system.sync()

    def test_no_bus_to_serve_on(self):
        output = self.system.run(DAEMON, DBUS_SESSION_BUS_ADDRESS="")
        self.assertEqual(output.status, 1)
        self.assertIn("DBUS_SESSION_BUS_ADDRESS", output.errors)


class LateBus(SystemTest):
    def test_the_log_says_that_there_is_no_bus_and_it_serves_once_there_is_one(self):
        self.leave()
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

    def leave(self):
        self.system.daemon.terminate()
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "its name stays")


class Deadlines(SystemTest):
    deadlines = {"answer": 1234, "ring": 30_000}

    def test_the_deadlines_are_published(self):
        self.assertEqual(dict(self.property(ROOT, "Deadlines", SYSTEM)), {
            "start": 5000, "answer": 1234, "end": 5000, "set-held": 5000, "set-muted": 2000, "set-group": 5000,
            "play-dtmf": 5000, "set-translating": 5000, "connect": 60000, "ring": 30000, "audio-release": 5000, "hello": 5000,
            "urgent": 1000, "linger": 5000, "look-up": 300, "store-start": 1000, "screen": 1000, "custom-action": 10000,
            "transfer": 30000, "transfer-to": 30000, "repeated-caller": 180000, "load": 120000})


class Root(SystemTest):
    def test_what_the_root_says(self):
        values = self.system.get_all(ROOT, SYSTEM)
        self.assertEqual((values["ActiveCall"], values["DoNotDisturb"], values["Policy"]), ("/", False, "desktop"))
        self.assertEqual(list(values["Deadlines"].values()).count(5000), 10)

    def test_ping_and_machine_id(self):
        self.system.sync()
        machine = self.system.call(ROOT, "org.freedesktop.DBus.Peer", "GetMachineId").result()
        self.assertTrue(re.fullmatch("[0-9a-f]{32}", machine), machine)


class Leaving(SystemTest):
    """tearDown checks the exit status. No test waits until a deadline, which would take far too long."""

    with_plugins = True
    deadlines = {"end": 3_600_000, "audio-release": 3_600_000}

    def leave(self, number=signal.SIGTERM):
        self.workers = [int(self.system.get(f"{ROOT}/plugins/{name}", PLUGIN, "Pid"))
                        for name in ("Hotline", "MonkeyCall")]
        self.system.daemon.send_signal(number)

    def tearDown(self):
        self.assertEqual(exited(self.system.daemon), 0)
        self.assertNotIn("invariant broken", self.system.read_log())
        for worker in self.workers:
            wait_gone(worker, "a worker")

    def test_live_calls_are_ended_at_their_providers(self):
        provider = Provider(self.system)
        held = provider.active()
        plugins = self.simulate_incoming("MonkeyCall")
        self.answer(plugins).result()
        ringing = provider.incoming()
        provider.forget()
        self.leave()
        provider.wait_action("end", 2)
        for call in (held, plugins, ringing):
            self.wait_told("CallEnded", call)
        exited(self.system.daemon)
        self.assertEqual(provider.kinds(), ["end", "end"])
        self.assertEqual(self.system.told("CallEnded", held)[0].arguments[1:], ["local-ended", "system"])

    def test_sigint_too(self):
        self.leave(signal.SIGINT)

    def test_a_provider_that_does_not_answer_does_not_keep_it(self):
        provider = Provider(self.system)
        provider.active()
        provider.behaviour["end"] = "silent"
        self.leave()
        provider.wait_action("end")

    def test_a_worker_that_is_stopped_does_not_keep_it(self):
        os.kill(int(self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Pid")), signal.SIGSTOP)
        self.leave()

    def test_the_name_is_given_up(self):
        self.leave()
        wait_until(lambda: not self.system.owner, "the name is still owned")


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
        press = self.system.call(f"{ROOT}/providers/MonkeyCall", PROVIDER, "PerformCustomAction", "sa{sv}",
                                 "simulate-incoming", variants({"handle": "generic:x"}))
        press.result()

    def test_sigterm_without_a_bus(self):
        self.system.broker.kill()
        self.system.broker.wait()
        wait_until(lambda: "went away" in self.system.read_log() or self.system.daemon.poll() is not None,
                   "the loss is not logged", every=0.05)


class Idle(SystemTest):
    with_plugins = True

    def test_it_does_not_wake_up(self):
        """Without a request the thread sleeps: no voluntary context switch within two seconds."""
        self.answer(self.simulate_incoming("MonkeyCall")).result()
        counts = [self.switches()]
        while len(counts) < 2 or (counts[-1] != counts[-2] and len(counts) < 6):
            let_pass(2)
            counts.append(self.switches())
        self.assertEqual(counts[-1], counts[-2], f"the daemon never rests: {counts}")

    def switches(self):
        with open(f"/proc/{self.system.daemon.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt"))


class Installed(SystemTest):
    """The files that `make install` puts below a prefix, started by the first request on the bus."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-installed-")
        self.addCleanup(folder.cleanup)
        self.prefix = folder.name
        subprocess.run(["sh", "Scripts/install.sh", BUILD, "", self.prefix], cwd=REPOSITORY, check=True,
                       stdout=subprocess.DEVNULL)
        self.services = f"{self.prefix}/share/dbus-1/services"
        super().setUp()
        self.leave()

    def leave(self):
        self.system.daemon.terminate()
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "its name stays")

    def tearDown(self):
        os.kill(self.activated(), signal.SIGTERM)
        wait_until(lambda: not self.system.owner, "its name stays")

    def activated(self):
        return int(self.system.bus.call_blocking(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            "s", (NAME,)))

    def test_the_first_request_starts_it_and_its_plugins(self):
        output = self.system.run("busctl", "--user", "call", NAME, ROOT, SYSTEM, "StartCall", "s",
                                 "tel:+15550100")
        self.assertEqual(output.status, 0, output.errors)
        pid = self.activated()
        self.assertEqual(os.readlink(f"/proc/{pid}/exe"), f"{self.prefix}/bin/callkitd")
        self.assertEqual(self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Path"),
                         f"{self.prefix}/lib/opencallkit/plugins/Hotline.callplugin")
        worker = self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Pid")
        self.assertEqual(os.readlink(f"/proc/{worker}/exe"), f"{self.prefix}/libexec/opencallkit/callkit-worker")
        listed = self.system.run(f"{self.prefix}/bin/callctl", "list", "--json")
        self.assertEqual([call["Object"] for call in json.loads(listed.text)], [output.text.split('"')[1]])
