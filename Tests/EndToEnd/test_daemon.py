"""The daemon as a process: its options, its end, a second one, and a bus that goes away."""

import os
import re
import signal
import socket
import subprocess

import dbus

from provider import Provider
from messages import variants
from support import SystemTest
from system import (BUILD, CALL, NAME, PLUGIN, PLUGINS, PROPERTIES, PROVIDER, RECENTS, RECENTS1, REPOSITORY, ROOT,
                    SYSTEM)
from waiting import GIVE_UP, exited, let_pass, wait_gone, wait_until

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


def leave(system):
    """Ends the daemon."""
    system.daemon.terminate()
    assert exited(system.daemon) == 0
    wait_until(lambda: not system.owner, "its name stays")


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


class ServiceManager(SystemTest):
    """A socket of the test's own in the place of systemd's."""

    def setUp(self):
        super().setUp()
        leave(self.system)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self.addCleanup(self.manager.close)
        self.manager.settimeout(GIVE_UP)

    def starts_at(self, address, shown):
        self.manager.bind(address)
        self.system.environment["NOTIFY_SOCKET"] = shown
        self.system.daemon = subprocess.Popen([DAEMON, "--plugin-path", PLUGINS], env=self.system.environment)
        self.pid = self.system.daemon.pid
        self.assertEqual(self.manager.recv(100), b"READY=1")
        self.assertTrue(self.system.bus.name_has_owner(NAME))
        self.system.wait_ready("Hotline")
        worker = self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Pid")
        with open(f"/proc/{worker}/environ", "rb") as file:
            self.assertNotIn(b"NOTIFY_SOCKET", file.read())
        self.system.daemon.terminate()
        self.assertEqual(self.manager.recv(100), b"STOPPING=1")

    def tearDown(self):
        self.assertEqual(exited(self.system.daemon), 0)

    def test_a_file(self):
        path = f"{self.system.folder.name}/notify"
        self.starts_at(path, path)

    def test_an_abstract_name(self):
        name = os.path.basename(self.system.folder.name)
        self.starts_at(f"\0{name}", f"@{name}")


class ConfigurationFile(SystemTest):
    def setUp(self):
        super().setUp()
        self.write("config", "")

    def write(self, folder, text):
        path = f"{self.system.folder.name}/{folder}/opencallkit/callkitd.conf"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def restart(self, *arguments):
        leave(self.system)
        self.system.arguments = list(arguments)
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def seen(self):
        deadlines = self.property(ROOT, "Deadlines", SYSTEM)
        return self.property(ROOT, "Policy", SYSTEM), deadlines["answer"], deadlines["end"]

    def test_its_options_count_and_the_command_line_wins(self):
        self.write("config", "# what we like\r\n\r\n  policy = ios\r\ndeadline=answer=1234\ndeadline = end=4321\n")
        self.restart()
        self.assertEqual(self.seen(), ("ios", 1234, 4321))
        self.restart("--policy", "android", "--deadline=end=2222")
        self.assertEqual(self.seen(), ("android", 1234, 2222))

    def test_the_users_file_comes_before_the_systems(self):
        os.remove(self.write("config", ""))
        self.write("system-config", "policy = ios\n")
        self.system.environment["XDG_CONFIG_DIRS"] = f"/nowhere:{self.system.folder.name}/system-config"
        self.restart()
        self.assertEqual(self.property(ROOT, "Policy", SYSTEM), "ios")
        self.write("config", "policy = android\n")
        self.restart()
        self.assertEqual(self.property(ROOT, "Policy", SYSTEM), "android")

    def test_a_switch(self):
        self.write("config", "no-store = yes\n")
        self.restart()
        rows = self.system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), 0, 10).wait()
        self.assertEqual(rows.error.get_dbus_name(), "org.opencallkit.Error.StoreUnavailable")
        self.write("config", "no-store = no\n")
        self.restart()
        self.wait_store()

    def test_what_is_wrong_is_named_with_file_and_line(self):
        for text, line, words in (
                ("policy = ios\npolcy = ios\n", 2, ("polcy", "policy")),
                ("\n\npolicy = nonsense\n", 3, ("nonsense", "desktop")),
                ("deadline = answer\n", 1, ("answer=ms",)),
                ("deadline = answr=100\n", 1, ("answr=100", "kind=ms", "answer, end")),
                ("deadline = answer=0\n", 1, ("answer=0", "at least 1 ms")),
                ("policy = ios\n# again\npolicy = ios\n", 3, ("policy is set in line 1 already",)),
                ("deadline = end=1\ndeadline = end=2\n", 2, ("deadline end is set in line 1 already",)),
                ("no-store = no\nno-store = yes\n", 2, ("no-store is set in line 1 already",)),
                ("log-level\n", 1, ("log-level", "key = value")),
                ("log-level =\n", 1, ("key = value",)),
                ("no-store = maybe\n", 1, ("maybe", "yes or no")),
                ("help = yes\n", 1, ("help",)),
                ("bus-timeout = 0\n", 1, ("0", "milliseconds")),
                ("[callkitd]\n", 1, ("[callkitd]",))):
            with self.subTest(text=text):
                path = self.write("config", text)
                output = self.system.run(DAEMON)
                self.assertEqual(output.status, 64)
                self.assertIn(f"{path}:{line}: ", output.errors)
                for word in words:
                    self.assertIn(word, output.errors)

    def test_a_file_that_cannot_be_read_is_named(self):
        path = self.write("config", "")
        os.remove(path)
        os.mkdir(path)
        output = self.system.run(DAEMON)
        self.assertEqual(output.status, 64)
        self.assertIn(path, output.errors)

    def test_help_needs_no_valid_file(self):
        self.write("config", "nonsense\n")
        output = self.system.run(DAEMON, "--help")
        self.assertEqual(output.status, 0)
        self.assertIn("callkitd.conf", output.text)


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


class Deadlines(SystemTest):
    deadlines, patience = {"answer": 1234, "ring": 30_000}, {}

    def test_the_deadlines_are_published(self):
        self.assertEqual(dict(self.property(ROOT, "Deadlines", SYSTEM)), {
            "start": 5000, "answer": 1234, "end": 5000, "set-held": 5000, "set-muted": 2000, "set-group": 5000,
            "play-dtmf": 5000, "set-translating": 5000, "connect": 60000, "ring": 30000, "audio-release": 5000,
            "audio-prepare": 300, "hello": 5000, "emergency-start": 1000, "urgent": 1000, "linger": 5000,
            "look-up": 300, "store-start": 1000, "screen": 1000, "custom-action": 10000, "transfer": 30000,
            "transfer-to": 30000, "answer-transfer": 30000, "repeated-caller": 180000, "load": 120000})


class Root(SystemTest):
    def test_what_the_root_says(self):
        values = self.system.get_all(ROOT, SYSTEM)
        self.assertEqual((values["ActiveCall"], values["DoNotDisturb"], values["Policy"]), ("/", False, "desktop"))
        self.assertEqual(list(values["Deadlines"].values()).count(5000), 9)

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


class Idle(SystemTest):
    with_plugins = True

    def test_it_does_not_wake_up(self):
        """Without a request all threads sleep: no voluntary context switch within two seconds."""
        self.answer(self.simulate_incoming("MonkeyCall")).result()
        counts = [self.switches()]
        while len(counts) < 2 or (counts[-1] != counts[-2] and len(counts) < 6):
            let_pass(2)
            counts.append(self.switches())
        self.assertEqual(counts[-1], counts[-2], f"the daemon never rests: {counts}")

    def switches(self):
        return subprocess.run(f"grep -h ^voluntary_ctxt /proc/{self.system.daemon.pid}/task/*/status", shell=True,
                              capture_output=True, text=True, check=False).stdout.split()[1::2]


class Try(SystemTest):
    """`make try`, on a bus without a daemon, in a process group of its own as in a terminal."""

    def start(self):
        self.output = open(f"{self.system.folder.name}/try", "w+", encoding="utf-8")
        self.addCleanup(self.output.close)
        return subprocess.Popen(["sh", "Scripts/try.sh", BUILD, PLUGINS], cwd=REPOSITORY, env=self.system.environment,
                                stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)

    def text(self):
        self.output.seek(0)
        return self.output.read()

    def test_it_runs_until_ctrl_c(self):
        leave(self.system)
        self.system.daemon = self.start()
        self.pid = self.system.daemon.pid
        self.system.wait_ready("Hotline", "MonkeyCall")
        os.killpg(self.pid, signal.SIGINT)
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "its name stays")
        text = self.text()
        for words in ("another terminal", "callctl answer", "Ctrl-C", "try: ended"):
            self.assertIn(words, text)
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_a_daemon_that_runs_already_is_named(self):
        self.assertEqual(exited(self.start()), 3)
        self.assertIn("end it first", self.text())
