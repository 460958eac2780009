"""The store's disk fails in every way: calls continue, Degraded says why, and no row is lost that could be kept."""

import contextlib
import os
import resource
import shutil
import signal
import sqlite3
import subprocess

import dbus

from disks.failures import FailureTest
from support.case import TORTURE
from support.messages import variants

SYSTEM_CALLS = ("openat", "mkdir", "flock", "fcntl", "pread64", "pwrite64", "fdatasync", "fsync", "ftruncate",
                "newfstatat", "fstat", "mmap", "unlink", "lseek", "fchmod", "fchown", "close")
"""The system calls of the store on its files."""

ERRORS = ("ENOSPC", "EIO", "EROFS")

"""True if each call fails with each error (`make torture`), false if with one of them."""


class Disk(FailureTest):
    def test_locked_by_another_process(self):
        self.wait_row(self.a_call(), open=False)
        with contextlib.closing(sqlite3.connect(self.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.a_call()
            self.wait_degraded("locked by another process")
            self.a_call()
            self.assertEqual(len(self.rows()), 1, "what is there can be read")
            other.execute("ROLLBACK")
        self.assertKept()

    def test_no_room_to_write(self):
        self.wait_row(self.a_call(), open=False)
        store = self.store()
        resource.prlimit(store, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        self.a_call()
        self.wait_degraded("failed")
        self.assertRefused(self.add("1234", "Short"), "StoreUnavailable")
        self.a_call()
        resource.prlimit(store, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.assertKept()
        self.assertEqual(self.store(), store, "the store has ended")
        self.add("1234", "Short").result()

    def test_deleted_while_running(self):
        self.wait_row(self.a_call(), open=False)
        self.delete()
        self.a_call()
        self.assertKept()
        shutil.rmtree(self.folder)
        self.known = []
        self.a_call()
        self.assertKept()
        self.assertEqual(os.stat(self.folder).st_mode & 0o777, 0o700)

    def test_something_is_in_the_way_of_the_folder(self):
        os.kill(self.store(), signal.SIGSTOP)
        shutil.rmtree(self.folder)
        with open(self.folder, "w", encoding="ascii") as file:
            file.write("in the way")
        os.kill(self.store_pid(), signal.SIGKILL)
        self.a_call()
        self.wait_degraded("opencallkit")
        os.unlink(self.folder)
        self.assertKept()

    def test_corrupt_at_the_start(self):
        self.wait_row(self.a_call(), open=False)
        self.corrupt(0, b"this is not a database, is it? " * 8)
        self.wait_degraded("set aside")
        self.assertSetAside()

    def test_corrupt_inside(self):
        for _ in range(3):
            self.wait_row(self.a_call(), open=False)
        self.corrupt(4096, os.urandom(4096) * 16)
        self.a_call()
        self.wait_degraded("set aside")
        self.assertSetAside()

    def corrupt(self, offset, data):
        """Overwrites bytes of the file while no store has it open."""
        store = self.store()
        # A new store waits until the file is ready.
        os.kill(store, signal.SIGSTOP)
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(self.file, "r+b") as file:
            file.seek(offset)
            file.write(data)
        os.kill(store, signal.SIGKILL)
        self.known = []

    def assertSetAside(self):
        aside = [name for name in os.listdir(self.folder) if ".corrupt-" in name]
        self.assertTrue(aside)
        self.wait_row(self.a_call(), open=False)
        self.assertIn(aside[0].removesuffix("-wal").removesuffix("-shm"), self.degraded(), "it is said until a restart")
        self.recents("Clear").result()
        self.assertEqual(self.degraded(), "", "the copy is gone")


class EverySystemCall(FailureTest):
    """Each system call on the store's files fails in turn, with each of these errors, for as long as strace lets it."""

    def setUp(self):
        super().setUp()
        self.wait_row(self.a_call(), open=False)
        self.pid_of_store = self.store()
        paths = [f"{self.folder}{name}" for name in (
            "", "/recents.sqlite", "/recents.sqlite-wal", "/recents.sqlite-shm", "/store.lock")]
        self.paths = [word for path in paths for word in ("-P", path)]

    def test_fails_in_turn(self):
        for number, call in enumerate(SYSTEM_CALLS):
            for error in ERRORS if TORTURE else ERRORS[number % len(ERRORS)::len(ERRORS)]:
                with self.subTest(call=call, error=error), self.failing(f"{call}:error={error}"):
                    self.a_call()
                    # Every request gets an answer.
                    self.recents("List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(50)).wait()
                    self.add("1234", "Short").wait()
                    self.a_call()
                self.assertKept()
                self.assertEqual(self.store(), self.pid_of_store, f"the store did not outlive {call} {error}")

    def test_fails_while_the_file_is_opened(self):
        for call in ("openat", "flock", "fcntl", "pread64", "newfstatat", "mmap"):
            with self.subTest(call=call):
                with self.failing(f"{call}:error=EIO"):
                    self.delete()
                    self.a_call()
                    self.recents("List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(50)).wait()
                self.assertKept()
                self.assertEqual(self.store(), self.pid_of_store, f"the store did not outlive {call}")

    @contextlib.contextmanager
    def failing(self, injection):
        with subprocess.Popen(["strace", "-f", "-p", str(self.pid_of_store), "-o", "/dev/null", *self.paths,
                               "-e", f"inject={injection}"], stderr=subprocess.PIPE) as tracer:
            self.assertIn(b"attached", tracer.stderr.readline())
            try:
                yield
            finally:
                tracer.send_signal(signal.SIGINT)
                tracer.stderr.read()
