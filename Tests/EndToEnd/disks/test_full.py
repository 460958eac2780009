"""Disks that are really full or read-only, and more calls than may wait for a disk."""

import contextlib
import os
import signal
import sqlite3
import subprocess

from access.app import SandboxedApp
from disks.failures import FailureTest
from support.memory import look
from support.messages import uuid_of
from support.provider import Provider
from support.waiting import wait_until

WAITING = 1_024
"""The number of ended calls that may wait, as in dbus/org.opencallkit.Recents1.xml."""
IN_FLIGHT = 32
"""The number of them that were sent to the store; these are never dropped."""
LOST = 100
PATIENCE = 120
"""Seconds until the file must have been tried again: the pauses grow to half a minute."""


class DiskTest(FailureTest):
    def written(self, reason):
        """The UUIDs of the calls in the file that ended for this reason, in the order of their rows."""
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            return [row[0] for row in database.execute(
                "SELECT call FROM recent WHERE NOT open AND reason = ? ORDER BY id", (reason,))]

    def assertSound(self):
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])


class Mounted(DiskTest):
    def mount(self, *arguments):
        """Mounts over the folder of the store, for this test."""
        mounted = subprocess.run(["mount", *arguments, self.folder], capture_output=True, text=True, check=False)
        if mounted.returncode:
            self.skipTest(f"mount is not permitted: {mounted.stderr.strip()}")
        self.addCleanup(self.unmount)

    def unmount(self):
        subprocess.run(["umount", "--lazy", self.folder], capture_output=True, check=False)

    def test_a_full_disk(self):
        store = self.store()
        self.mount("-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs")
        # The sandbox of a store has the folder that was there when it began.
        os.kill(store, signal.SIGKILL)
        wait_until(lambda: self.store() != store, "the store stays away", every=0.05)
        self.known = []
        for _ in range(3):
            self.wait_row(self.a_call(), open=False)
        filler = f"{self.folder}/filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        self.assertEqual(os.statvfs(self.folder).f_bavail, 0)
        # There may still be room within the file.
        for _ in range(200):
            self.a_call()
            if "full" in self.degraded():
                break
        self.wait_degraded("full")
        self.assertRefused(self.add("1234", "Short"), "StoreUnavailable")
        for _ in range(100):
            self.a_call()
        self.assertEqual(self.lines("recents.sqlite"), 1, "the log has one line of a full disk")
        os.unlink(filler)
        self.assertAllKept()
        self.assertEqual(self.lines("recents.sqlite"), 2, "and one when it can be written again")
        self.add("1234", "Short").result()

    def lines(self, text):
        return sum(text in line for line in self.system.read_log().splitlines())

    def test_a_read_only_disk(self):
        self.wait_row(self.a_call(), open=False)
        store = self.store()
        os.kill(store, signal.SIGSTOP)
        self.mount("--bind", self.folder)
        self.mount("-o", "remount,bind,ro")
        os.kill(store, signal.SIGKILL)
        self.a_call()
        self.wait_degraded("ead-only file system")
        self.assertRefused(self.add("1234", "Short"), "StoreUnavailable")
        self.a_call()
        self.unmount()
        self.assertAllKept()
        self.add("1234", "Short").result()

    def assertAllKept(self):
        """As assertKept, and in the order of the calls."""
        known = [uuid_of(call) for call in self.known]
        wait_until(lambda: self.written("local-ended") == known,
                   lambda: f"{self.written('local-ended')}, not {known}", PATIENCE)
        self.wait_degraded()
        self.assertSound()


class Overflow(DiskTest):
    def test_of_too_many_the_oldest_are_lost(self):
        before = look(self.pid)[0]
        with contextlib.closing(sqlite3.connect(self.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            calls = [self.a_quick_call() for _ in range(WAITING + LOST)]
            self.wait_degraded("locked by another process", f"{LOST} calls could not be kept")
            self.assertLess(look(self.pid)[0] - before, 4 << 20, "what waits is small")
            other.execute("ROLLBACK")
        kept = calls[:IN_FLIGHT] + calls[IN_FLIGHT + LOST:]
        wait_until(lambda: self.written("unanswered") == kept,
                   lambda: f"{len(self.written('unanswered'))} rows of {len(kept)}", PATIENCE)
        wait_until(lambda: self.degraded() == f"{LOST} calls could not be kept", self.degraded)
        call = self.a_call()
        self.assertEqual(self.wait_row(call, open=False)["reason"], "local-ended")
        self.assertSound()

    def test_nobody_pushes_out_the_calls_of_others(self):
        app = SandboxedApp(self.system)
        self.addCleanup(app.close)
        flood = Provider(self.system, "Flood", connection=app.connect())
        with contextlib.closing(sqlite3.connect(self.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            missed = [self.a_quick_call() for _ in range(50)]
            for _ in range(WAITING + LOST):
                self.a_quick_call(flood)
            self.wait_degraded("locked by another process", f"{LOST + 50} calls could not be kept")
            other.execute("ROLLBACK")
        wait_until(lambda: len(self.written("unanswered")) == WAITING, "rows are missing", PATIENCE)
        self.assertEqual(self.written("unanswered")[:50], missed)
        self.assertSound()

    def a_quick_call(self, provider=None):
        """Reports a call, ends it, and returns its UUID."""
        provider = provider or self.alpha
        call = provider.report_incoming().result()
        provider.remote_end(call, "unanswered").result()
        return uuid_of(call)
