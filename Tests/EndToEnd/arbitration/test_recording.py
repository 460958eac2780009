"""A recording is a scenario with the same effects when it is replayed, and contains no identities."""

import fcntl
import os
import signal
import stat
import subprocess
import tempfile
import unittest

import dbus

from support.case import SystemTest
from support.provider import Provider
from support.scene import TwoProviders
from support.system import BUILD
from support.waiting import GIVE_UP, exited

SECRETS = ("Somebody Secret", "secret@example.org", "555-0199", "contact-of-secret", "3133731337", "busy with Secret")


def replay(path, *options):
    return subprocess.run([f"{BUILD}/callctl", "replay", *options, path], capture_output=True, text=True, check=False)


class Recorded(TwoProviders):
    """A recorded session."""
    deadlines, patience = {"answer": 1_500, "ring": 6_000}, {}
    identities = False

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="opencallkit-record-")
        self.addCleanup(self.home.cleanup)
        self.path = f"{self.home.name}/session.scenario"
        self.arguments = ("--record", self.path, *(["--record-identities"] if self.identities else []))
        super().setUp()

    def text(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def copy(self):
        """What is recorded so far, in a file of its own, and its text: calls that have ended are recorded once more when
        they are forgotten."""
        path, text = f"{self.home.name}/copy", self.text()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path, text

    def play_a_session(self):
        """Two providers, a hold, digits, a deadline, a rejection, an unanswered call, a crash."""
        a = self.outgoing(self.alpha, **{"contact-identifier": "contact-of-secret"})
        b = self.beta.incoming(handle=("email-address", "secret@example.org"), localized_caller_name="Somebody Secret")
        self.answer(b).result()
        self.assertState(a, "held")
        self.system.call(b, "org.opencallkit.Call1", "PlayDTMF", "s", "3133731337").result()
        self.end(b).result()
        self.wait_state(a, "active")
        c = self.beta.incoming(handle=("email-address", "secret@example.org"))
        self.reject(c, "busy with Secret").result()
        d = self.beta.incoming(handle=("generic", "555-0199"))
        self.beta.behaviour["answer"] = "wait"
        self.answer(d).wait()
        self.assertEnded(d, "timed-out", "deadline")
        late = self.beta.wait_action("answer", 2)
        late.fulfil()
        e = self.beta.incoming(handle=("email-address", "other@example.org"))
        self.assertEnded(e, "unanswered", "deadline")
        self.alpha.vanish()
        self.assertEnded(a, "provider-crashed", "provider")
        self.system.sync()


class Recordings(Recorded):
    def test_a_recording_leads_to_the_same_again(self):
        self.play_a_session()
        path, before = self.copy()
        self.assertTrue(before.startswith("# Recorded by callkitd"))
        self.assertIn("# deadlines: answer=1500 ring=6000\n", before)
        for word in ("\nelapse ", "\ntimer action/a", "\ntimer ring/", "late-completion", "provider-crashed", "\nlose app_Alpha"):
            self.assertIn(word, before)
        again = replay(path)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual(again.stdout + "\n", before)
        self.assertEqual(replay(path, "--quiet").stdout, "")
        with open(path, encoding="utf-8") as file:
            piped = subprocess.run([f"{BUILD}/callctl", "replay", "-"], stdin=file, capture_output=True, text=True,
                                   check=False)
        self.assertEqual((piped.returncode, piped.stdout), (0, again.stdout))
        # The shutdown is recorded too.
        self.system.daemon.send_signal(signal.SIGTERM)
        exited(self.system.daemon)
        self.assertTrue(self.text().endswith("stop\n\n"), self.text()[-200:])
        self.assertEqual(replay(self.path).returncode, 0)

    def tearDown(self):
        if self.system.daemon.poll() is None:
            super().tearDown()

    def test_nobody_is_named(self):
        self.play_a_session()
        text = self.text()
        for secret in SECRETS:
            self.assertNotIn(secret, text)
        self.assertIn('start ', text)
        self.assertIn("contact=contact-1", text)
        self.assertIn("handle=email-address:handle-2 name=name-1", text)
        self.assertEqual(text.count("handle=email-address:handle-2"), 2, "one value, one pseudonym")
        self.assertIn("reason=reason-1", text)
        self.assertIn("play-dtmf", text)
        self.assertIn(" 0000000000\n", text.replace(" by=", "\nby="))

    def test_emergency_numbers_stay(self):
        phone = dbus.Array(["phone-number"], signature="s")
        gamma = Provider(self.system, "Gamma", supported_handle_types=phone,
                         emergency_numbers=dbus.Array(["110"], signature="s"))
        gamma.incoming(handle=("phone-number", "555-0199"))
        self.start_call("tel:110").result()
        self.assertIn("phone-number:110", self.text())
        self.assertIn("phone-number:handle-1", self.text())
        self.assertEqual(replay(self.path, "--quiet").stderr, "")

    def test_the_file_is_the_users_own(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)

    def test_a_difference_is_found(self):
        self.play_a_session()
        changed = self.text().replace("call-ended", "call-bended", 1)
        line = changed[:changed.index("call-bended")].rindex("\n\n")
        path = f"{self.home.name}/changed"
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
        found = replay(path, "--quiet")
        self.assertEqual((found.returncode, found.stdout), (2, ""))
        number = changed[:line].count("\n") + 3
        self.assertIn(f"line {number}: after ", found.stderr)
        self.assertRegex(found.stderr, r"(?m)^- call-bended .*$")
        self.assertRegex(found.stderr, r"(?m)^\+ call-ended .*$")


class WithIdentities(Recorded):
    identities = True

    def test_all_is_told_if_asked_for(self):
        self.play_a_session()
        path, text = self.copy()
        for secret in SECRETS:
            self.assertIn(secret, text)
        self.assertEqual(replay(path).stdout + "\n", text)


class Files(unittest.TestCase):
    """The valid and invalid targets of a recording."""

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="opencallkit-record-")
        self.addCleanup(self.home.cleanup)
        self.path = f"{self.home.name}/it"

    def refused(self, path):
        """The error of a daemon that cannot record there. It exits before it looks for its bus."""
        ended = subprocess.run(
            [f"{BUILD}/callkitd", "--address", f"unix:path={self.home.name}/none", "--record", path],
            capture_output=True, text=True, check=False, timeout=GIVE_UP)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot record", ended.stderr)
        return ended.stderr

    def test_a_link_is_not_followed(self):
        os.symlink(f"{self.home.name}/elsewhere", self.path)
        self.assertIn("is a link", self.refused(self.path))
        self.assertFalse(os.path.exists(f"{self.home.name}/elsewhere"))

    def test_nothing_is_overwritten(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("mine\n")
        self.assertIn("is not empty", self.refused(self.path))
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine\n")

    def test_no_folder(self):
        self.assertIn("no such file", self.refused(f"{self.home.name}/no/where"))

    def test_files_that_are_no_scenarios(self):
        for text, line in (("", 1), ("hello\n", 1), ("# title\n", 2), ("# title\n# rules:\n# policy: mine\n", 3),
                           ("# title\n# rules:\n", 3), ("# title\n# rules:\n# deadlines: tea=4\n", 3),
                           ("# title\n# rules:\n\ndo-not-disturb yes\n----\n\nincoming\n", 7),
                           ("# title\n# rules:\n\nlose A\nlose B\nnonsense A\n", 6)):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)
            found = replay(self.path)
            self.assertEqual((found.returncode, found.stdout), (65, ""), text)
            self.assertIn(f"{self.path}: line {line}: ", found.stderr)
        self.assertEqual(replay(f"{self.home.name}/none").returncode, 66)


class Pipes(SystemTest):
    """Another process reads the recording while it is written."""

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="opencallkit-record-")
        self.addCleanup(self.home.cleanup)
        path = f"{self.home.name}/pipe"
        os.mkfifo(path)
        # Opened for reading and writing, so that it is open before the daemon writes.
        self.reader = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(lambda: self.reader is None or os.close(self.reader))
        fcntl.fcntl(self.reader, fcntl.F_SETPIPE_SZ, 4096)
        # The pipe has room for one block, and the store would cause another one.
        self.arguments = ("--record", path, "--no-store")
        super().setUp()

    def read(self):
        try:
            return os.read(self.reader, 65536).decode()
        except BlockingIOError:
            return ""

    def silence(self):
        self.system.call("/org/opencallkit/CallSystem1", "org.opencallkit.CallSystem1", "SilenceRinging").result()

    def test_blocks_come_one_by_one(self):
        self.assertEqual(self.read().splitlines()[0][:11], "# Recorded ")
        self.silence()
        self.assertEqual(self.read(), "silence\n----\n\n")
        self.silence()
        self.assertRegex(self.read(), r"\Aelapse \d+\nsilence\n----\n\n\Z")

    def test_the_daemon_outlives_its_reader(self):
        os.close(self.reader)
        self.reader = None
        self.silence()
        self.silence()
        self.system.wait_logged("the recording ends here")
        self.silence()
        self.assertEqual(self.system.read_log().count("the recording ends here"), 1)

    def test_the_daemon_does_not_wait_for_its_reader(self):
        for _ in range(500):
            self.silence()
            if "the recording ends here" in self.system.read_log():
                break
        self.assertEqual(self.system.read_log().count("the recording ends here"), 1)
