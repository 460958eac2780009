"""Two sessions of one user, each with a bus and a daemon of its own."""

import os
import signal

import dbus

from support.provider import Provider
from support.store import StoreTest
from support.messages import uuid_of, variants
from support.system import BUILD, RECENTS, RECENTS1, System
from support.waiting import wait_until


class Session(System):
    def __init__(self, data):
        super().__init__()
        self.data = data

    def start_bus(self):
        self.environment["XDG_DATA_HOME"] = self.data
        super().start_bus()


class Sessions(StoreTest):
    """dunst-project/dunst #495 and #247, neutrinolabs/xrdp #998."""

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha")
        self.favorites()
        self.reject(self.alpha.incoming()).result()
        self.other = Session(self.system.environment["XDG_DATA_HOME"])
        self.addCleanup(self.other.stop)
        self.other.start()

    def missed(self, count):
        """Calls that nobody answers in the other session."""
        beta = Provider(self.other, "Beta")
        calls = []
        for _ in range(count):
            call = beta.incoming()
            beta.remote_end(call, "unanswered").result()
            calls.append(uuid_of(call))
        left = f"{self.folder}/sessions"
        wait_until(lambda: os.path.isdir(left) and os.listdir(left), "nothing is kept aside")
        return calls

    def end_other(self, number):
        self.other.daemon.send_signal(number)
        self.other.daemon.wait()

    def assertHas(self, calls, system):
        def rows():
            answer = system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(50)).wait()
            return {str(row["call"]) for row in answer.value or []}
        wait_until(lambda: set(calls) <= rows(), lambda: f"{rows()} lacks some of {calls}")
        wait_until(lambda: not os.listdir(f"{self.folder}/sessions"), "something is kept aside still")

    def test_what_was_missed_in_a_session_that_ends_first_is_kept(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                calls = self.missed(5)
                degraded = self.other.get(RECENTS, RECENTS1, "Degraded")
                self.assertIn(f"{self.folder}/sessions", str(degraded))
                output = self.other.run(f"{BUILD}/callctl", "recents")
                self.assertEqual(output.status, 1)
                self.assertIn("another session of this user has the recents", output.errors.replace("\n", " "))
                self.end_other(number)
                self.assertHas(calls, self.system)
                if number == signal.SIGTERM:
                    self.other.start_daemon()

    def test_the_session_that_stays_takes_the_recents_over(self):
        calls = self.missed(2)
        before = self.calls()
        self.system.daemon.send_signal(signal.SIGTERM)
        self.system.daemon.wait()
        self.assertHas(calls + before, self.other)
        self.end_other(signal.SIGTERM)
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.assertHas(calls + before, self.system)
