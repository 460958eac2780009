"""The base of the tests in which the store's disk fails."""

import contextlib
import os
import sqlite3

from support.scene import TwoProviders
from support.store import StoreTest


class FailureTest(StoreTest, TwoProviders):
    def setUp(self):
        super().setUp()
        self.favorites()
        self.known = []

    def a_call(self):
        """A call that works, whatever the disk does."""
        call = self.alpha.incoming()
        self.answer(call).result()
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")
        self.known.append(call)
        return call

    def delete(self):
        """Deletes the file, and all recents with it."""
        for name in os.listdir(self.folder):
            if name.startswith("recents.sqlite"):
                os.unlink(f"{self.folder}/{name}")
        self.known = []

    def assertKept(self):
        """Asserts that all calls so far are in the file, once each, and that the file is sound."""
        for call in self.known:
            self.wait_row(call, open=False, reason="local-ended")
        self.wait_degraded()
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(database.execute("SELECT count(*) FROM recent").fetchall(), [(len(self.known),)])
