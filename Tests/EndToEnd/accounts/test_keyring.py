"""Secrets of accounts in a real keyring: locked, unlocked, away and back, and never seen."""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from accounts.case import AccountsTest
from support.store import children, program
from support.waiting import wait_gone, wait_until

CANARY = f"canary-{os.urandom(8).hex()}-secret".encode()
"""Another one each time: the same test may run elsewhere on this machine, and leave it in files."""


class Keyring(AccountsTest):
    def setUp(self):
        super().setUp()
        self.start_keyring()

    def restart(self, number=signal.SIGTERM):
        self.system.daemon.send_signal(number)
        self.system.daemon.wait()
        self.system.forget_connections()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_secrets_are_in_the_keyring_and_outlive_the_daemon(self):
        account = self.ready_account()
        self.assertEqual(self.account(account, "SecretStorage"), "keyring")
        self.restart()
        self.wait_account(account, "ready")
        found = self.system.run("secret-tool", "search", "--all", "service", "org.opencallkit")
        self.assertIn(str(self.account(account, "Id")), found.text + found.errors)
        self.account_call(account, "Remove").result()
        wait_until(lambda: "pin" not in self.search(), "the secret is still there", every=0.1)

    def search(self):
        found = self.system.run("secret-tool", "search", "--all", "service", "org.opencallkit")
        return found.text + found.errors

    def test_a_locked_keyring_and_one_that_is_unlocked_later(self):
        account = self.ready_account()
        self.stop_keyring()
        self.start_keyring(unlocked=False)
        self.restart()
        self.wait_account(account, "locked")
        self.assertEqual(self.account(account, "Provider"), "/")
        self.stop_keyring()
        self.start_keyring()
        self.wait_account(account, "ready")

    def test_a_keyring_that_comes_later(self):
        account = self.ready_account()
        self.stop_keyring()
        self.restart()
        self.wait_account(account, "needs-secret")
        self.start_keyring()
        self.wait_account(account, "ready")

    def test_a_keeper_that_is_killed_is_started_again(self):
        account = self.ready_account()
        memory = self.add(zoo="Memory")
        self.set_secret(memory, b"5678", storage="memory").result()
        self.enable(memory)
        self.wait_account(memory, "ready")
        keeper = next(pid for pid in children(self.pid) if program(pid) == "callkit-secrets")
        os.kill(keeper, signal.SIGKILL)
        self.wait_account(memory, "needs-secret")
        self.assertEqual(self.standing(account)[0], "ready")
        self.account_call(account, "Retry").result()
        self.wait_account(account, "ready")
        self.set_secret(memory, b"5678").result()
        self.wait_account(memory, "ready")

    def test_a_secret_moves_with_the_others(self):
        account = self.ready_account()
        self.set_secret(account, b"9999", storage="file").result()
        self.assertEqual(self.account(account, "SecretStorage"), "file")
        self.assertNotIn("pin", self.search())
        self.wait_account(account, "ready")

    def test_nobody_sees_a_secret(self):
        begin = time.time()
        monitor = subprocess.Popen(["dbus-monitor", "--address", self.system.address], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(monitor.stdout.close)
        monitor.stdout.readline()
        account = self.add(zoo="Skansen")
        self.set_secret(account, CANARY).result()
        self.enable(account)
        self.wait_account(account, "ready")
        self.update(account, zoo="Other").result()
        self.wait_account(account, "ready")
        plugin = int(self.system.shown("/org/opencallkit/CallSystem1/plugins/MonkeyCall", "Pid"))
        since = len(self.system.events)
        os.kill(plugin, signal.SIGSEGV)
        self.wait_told(account, "connecting", since)
        self.wait_account(account, "ready")
        self.restart(signal.SIGKILL)
        self.wait_account(account, "ready")
        self.set_secret(account, CANARY, storage="file").result()
        self.set_secret(account, CANARY, storage="keyring").result()
        monitor.terminate()
        seen = monitor.stdout.read()
        monitor.wait()
        self.assertIn(b"SetSecret", seen)
        self.assertNotIn(CANARY, seen)
        self.assertEqual([path for path, text in self.secret_files().items() if CANARY in text], [])
        self.assertEqual([path for path in self.new_files(begin) if self.has_canary(path)], [])
        for process in self.processes():
            # What has ended in the meantime, such as a reader of contacts, has left nothing to look at.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                with open(f"/proc/{process}/limits", encoding="ascii") as limits:
                    self.assertRegex(limits.read(), r"Max core file size +0 +0 ", f"{process} leaves a core file")
                for name in ("cmdline", "environ"):
                    with open(f"/proc/{process}/{name}", "rb") as file:
                        self.assertNotIn(CANARY, file.read(), f"{name} of {process}")

    @staticmethod
    def new_files(begin):
        """The files that anybody has changed since then where programs leave what they share, or leave behind."""
        for top in ("/dev/shm", "/tmp", "/var/tmp", "/var/crash"):
            for folder, folders, names in os.walk(top):
                changed = {}
                for name in folders + names:
                    # What has gone is another program's.
                    with contextlib.suppress(FileNotFoundError):
                        status = os.stat(f"{folder}/{name}", follow_symlinks=False)
                        if status.st_mtime >= begin:
                            changed[name] = status.st_mode
                folders[:] = [name for name in folders if name in changed and os.access(f"{folder}/{name}", os.R_OK)]
                yield from (f"{folder}/{name}" for name in names if stat.S_ISREG(changed.get(name, 0)))

    @staticmethod
    def has_canary(path):
        """Whether the secret is in a file, of which other tests have some that are larger than the memory, but empty."""
        try:
            with open(path, "rb") as file:
                place, data = 0, CANARY + b"."
                while len(data) > len(CANARY):
                    place = os.lseek(file.fileno(), place, os.SEEK_DATA)
                    data = os.pread(file.fileno(), 1 << 20, place)
                    if CANARY in data:
                        return True
                    place += len(data) - len(CANARY)
        except OSError:
            # It is another test's, and gone, or nothing follows.
            pass
        return False

    def processes(self):
        """The daemon, and all that it has started."""
        found, new = [], [self.pid]
        while new:
            pid = new.pop()
            found.append(pid)
            new += children(pid)
        return found


class LoudKeyring(Keyring):
    """The same with everything that can be said."""

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="opencallkit-")
        self.addCleanup(shutil.rmtree, folder)
        self.recording = f"{folder}/recording.scenario"
        self.arguments = ("--log-level", "trace", "--log-identities", "--record-identities", "--record", self.recording)
        super().setUp()

    def restart(self, number=signal.SIGTERM):
        # Each daemon begins a recording of its own.
        os.rename(self.recording, f"{self.recording}.{self.pid}")
        super().restart(number)

    def tearDown(self):
        super().tearDown()
        folder = os.path.dirname(self.recording)
        for name in os.listdir(folder):
            self.assertFalse(self.has_canary(f"{folder}/{name}"), name)
            self.assertGreater(os.path.getsize(f"{folder}/{name}"), 0)


class HungKeeper(AccountsTest):
    """callkit-secrets runs, but does nothing any more."""

    def setUp(self):
        super().setUp()
        self.start_keyring()

    def keeper(self):
        return wait_until(
            lambda: next((pid for pid in children(self.pid) if program(pid) == "callkit-secrets"), 0),
            "callkit-secrets does not run", every=0.05)

    def hang(self):
        keeper = self.keeper()
        handle = os.pidfd_open(keeper)
        self.addCleanup(self.end, handle)
        signal.pidfd_send_signal(handle, signal.SIGSTOP)
        return keeper

    @staticmethod
    def end(handle):
        """A process that is stopped outlives the daemon."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)

    def assertStartedAgain(self, hung):
        wait_gone(hung, "the process that hangs")
        self.assertNotEqual(self.keeper(), hung)
        self.assertIn("callkit-secrets hung: a ping was not answered in 5000 ms", self.system.read_log())

    def test_it_is_started_again_after_a_look_up(self):
        account = self.ready_account()
        hung = self.hang()
        self.account_call(account, "Retry").result()
        self.assertStartedAgain(hung)
        self.wait_account(account, "ready")

    def test_a_question_that_may_take_minutes_does_not_hide_it(self):
        account = self.ready_account()
        hung = self.hang()
        pending = self.set_secret(account, b"new")
        self.assertStartedAgain(hung)
        self.assertRefused(pending, "StoreUnavailable")
        self.set_secret(account, b"newer").result()
        self.wait_account(account, "ready")
