"""The daemon is killed at random moments of random calls, over and over (OPENCALLKIT_KILLS times): what was acknowledged stays.

A row is acknowledged once a client has been told of it. After each kill a new daemon must own the name about as soon as
after an orderly end, the file must be sound, and every acknowledged row must be there once, as it was told or as what became
of it.
"""

import contextlib
import os
import random
import signal
import sqlite3
import statistics
import time

import dbus
from gi.repository import GLib

from support.messages import variants
from support.provider import Provider
from support.store import StoreTest
from support.system import NAME, RECENTS, RECENTS1
from support.waiting import wait_gone, wait_until

KILLS = int(os.environ.get("OPENCALLKIT_KILLS", "25"))
SEED = int(os.environ.get("OPENCALLKIT_SEED") or 1)
ORDERLY = 5
"""So many starts after an orderly end are timed, between those after kills: a machine may be busy for a while."""
LIMIT = 3
"""A start after a kill may take so many times as long, in the median."""


class Kills(StoreTest):
    def setUp(self):
        self.random = random.Random(SEED)
        self.acknowledged = {}
        super().setUp()

    def test_no_acknowledged_row_is_lost_or_doubled(self):
        print(f"kills: {KILLS} of them, seed {SEED}", flush=True)
        orderly_times, kill_times = [], []
        for number in range(KILLS):
            self.number = number
            if number % max(1, KILLS // ORDERLY) == 0:
                self.end_daemon(signal.SIGTERM)
                orderly_times.append(self.start_again())
            self.make_calls()
            kill_times.append(self.kill())
            self.check()
        orderly, back = statistics.median(orderly_times), statistics.median(kill_times)
        print(f"kills: {KILLS}, {len(self.acknowledged)} rows acknowledged, back after {back * 1000:.0f} ms, "
              f"after an orderly end {orderly * 1000:.0f} ms")
        self.assertLess(back, LIMIT * orderly, "the daemon is slow to come back")
        self.assertGreater(len(self.acknowledged), KILLS // 2)

    def make_calls(self):
        """Calls begin, are answered, and end, without waiting for one another, until the moment of the kill has come."""
        system = self.system
        provider = Provider(system, "Alpha")
        self.moment = False
        GLib.timeout_add(self.random.randint(20, 250), self.stop_calls)
        calls = []

        def step():
            if self.moment:
                return False
            choice = self.random.random()
            if choice < 0.5 or not calls:
                pending = provider.report_incoming(handle=("generic", f"caller-{self.random.randint(0, 9)}"))
                calls.append(pending)
            elif calls[0].done and calls[0].error is None:
                call = calls.pop(0).value
                if choice < 0.75:
                    self.answer(call)
                    self.end(call)
                else:
                    self.reject(call)
            self.ask_for_rows()
            return True
        GLib.timeout_add(self.random.randint(1, 12), step)
        wait_until(lambda: self.moment, "time stands still")

    def stop_calls(self):
        self.moment = True
        return False

    def ask_for_rows(self):
        """What a client is told of rows is acknowledged from then on."""
        def told(rows):
            for row in rows:
                self.acknowledged[str(row["call"])] = dict(row)
        self.system.bus.call_async(
            NAME, RECENTS, RECENTS1, "List", "a{sv}uu",
            (variants({}), dbus.UInt32(0), dbus.UInt32(20)), told, lambda error: None, 5)

    def kill(self):
        """Kills the daemon and starts it again. Returns how many seconds the start took."""
        store = self.store_pid()
        self.end_daemon(signal.SIGKILL)
        if store is not None and self.random.random() < 0.3:
            # A power cut takes both.
            with contextlib.suppress(ProcessLookupError):
                os.kill(store, signal.SIGKILL)
        seconds = self.start_again()
        if store is not None:
            wait_gone(store, "callkit-store")
        return seconds

    def end_daemon(self, number):
        self.system.daemon.send_signal(number)
        self.system.daemon.wait()

    def start_again(self):
        system = self.system
        system.forget_connections()
        wait_until(lambda: not system.owner, "the name is still owned")
        begin = time.monotonic()
        system.start_daemon()
        self.pid = system.daemon.pid
        return time.monotonic() - begin

    def check(self):
        """The rows are those that were told, no call goes on, and the file is sound."""
        self.favorites()
        wait_until(self.nothing_is_open, "calls go on that nobody has")
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            database.row_factory = sqlite3.Row
            rows = {row["call"]: row for row in database.execute(
                "SELECT recent.*, party.handle FROM recent JOIN party ON party.id = recent.party")}
            count = database.execute("SELECT count(*), count(DISTINCT call) FROM recent").fetchone()
            self.assertEqual(count[0], count[1], "a row is there twice")
        for call, told in self.acknowledged.items():
            self.assertIn(call, rows, "an acknowledged row is lost")
            row = rows[call]
            self.assertEqual((row["id"], row["handle"], row["started"]), (told["id"], told["handle"][1], told["started"]))
            if told["open"]:
                self.assertNotEqual(row["reason"], "")
            else:
                self.assertEqual((row["reason"], row["ended"], row["duration"]),
                                 (told["reason"], told["ended"], told["duration-ms"]))

    def nothing_is_open(self):
        pending = self.recents("List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(100)).wait()
        return pending.error is None and not any(row["open"] for row in pending.value)
