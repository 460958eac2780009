"""The daemon as a process: its options, its end, and a second one."""

import os
import re
import signal
import socket
import subprocess

from daemon.program import DAEMON, leave
from support.case import SystemTest
from support.provider import Provider
from support.system import BUILD, NAME, PLUGIN, PLUGINS, REPOSITORY, ROOT, SYSTEM
from support.waiting import GIVE_UP, exited, let_pass, wait_gone, wait_until


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


class Deadlines(SystemTest):
    deadlines, patience = {"answer": 1234, "ring": 30_000}, {}

    def test_the_deadlines_are_published(self):
        self.assertEqual(dict(self.property(ROOT, "Deadlines", SYSTEM)), {
            "start": 5000, "answer": 1234, "end": 5000, "set-held": 5000, "set-muted": 2000, "set-group": 5000,
            "play-dtmf": 5000, "set-translating": 5000, "connect": 60000, "ring": 30000, "audio-release": 5000,
            "audio-prepare": 300, "hello": 5000, "emergency-start": 1000, "urgent": 1000, "linger": 5000,
            "look-up": 300, "store-start": 1000, "screen": 1000, "custom-action": 10000, "service-code": 90000, "transfer": 30000,
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

    def test_a_plugin_is_installed_as_it_says(self):
        leave(self.system)
        self.system.daemon = self.start()
        self.pid = self.system.daemon.pid
        self.system.wait_ready("Hotline", "MonkeyCall")
        exports = re.findall(r"(?m)^ +(export .*)$", self.text())
        library = os.path.join(BUILD, "libSmallestPlugin.so")
        for command, words in ((f"callctl plugins install {library}", "installed"),
                               ("callctl plugins remove SmallestPlugin", "removed")):
            done = self.system.run("sh", "-c", "\n".join([*exports, command]))
            self.assertEqual((done.status, done.text), (0, f"{words} SmallestPlugin\n"), done.errors)
        os.killpg(self.pid, signal.SIGINT)
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "its name stays")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_a_daemon_that_runs_already_is_named(self):
        self.assertEqual(exited(self.start()), 3)
        self.assertIn("end it first", self.text())
