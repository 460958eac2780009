"""Answers count only from whom was asked: a stranger who guesses serials is not believed."""

import contextlib
import os
import signal
import struct

import dbus.lowlevel

from support.case import SystemTest
from support.filters import Filtering
from support.messages import variants
from support.provider import Provider
from support.raw_bus import RawConnection, answer, method_call, padded, string
from support.screener import Screener
from support.system import CALL, PEER, ROOT, SYSTEM
from support.waiting import wait_until

DRIVER = "org.freedesktop.DBus"


EMPTY = bytes(8)
"""An empty a{sv}."""
FORGED = 2_000_004_711
"""The number of a process that cannot be, so that no other number in a text has its digits."""


class Forger:
    """A stranger on the bus who answers questions that were put to others."""

    def __init__(self, system):
        self.system = system
        self.raw = RawConnection(system.socket)
        self.sent = 0

    def serial(self):
        """The serial of the daemon's latest message to the forger; what it asks next is near."""
        self.sync()
        return struct.unpack_from("<I", self.raw.data, 8)[0]

    def answer(self, serials, signature="", body=b"", error=None, to=None):
        """Answers all these serials. They have reached the bus when this returns."""
        data = b""
        for serial in serials:
            self.sent += 1
            data += answer(self.sent + 1, to or self.system.owner, serial, signature, body, error)
        self.raw.send(data)

    def sync(self):
        """Returns when the daemon has handled all that was forged."""
        self.sent += 1
        self.raw.data = b""
        self.raw.send(method_call(self.sent + 1, self.system.owner, ROOT, PEER, "Ping"))
        wait_until(lambda: self.raw.data, "no answer to the forger's Ping")


class Forgeries(SystemTest):
    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.forger = Forger(self.system)
        self.addCleanup(self.forger.raw.close)

    @contextlib.contextmanager
    def stopped(self):
        """The daemon stands still, so that what is sent meanwhile arrives in that order."""
        self.system.daemon.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.system.daemon.send_signal(signal.SIGCONT)

    def assertNoted(self):
        forged = wait_until(lambda: self.system.told("Anomaly", "forged-reply"), "no forgery was noted")
        self.assertEqual(len(forged), 1)
        self.assertIn(self.forger.raw.name, forged[0].arguments[2])

    def test_an_action_is_done_when_its_provider_says_so(self):
        self.provider.behaviour["answer"] = "wait"
        call = self.provider.incoming()
        first = self.forger.serial()
        answer = self.answer(call)
        action = self.provider.wait_action("answer")
        self.forger.answer(range(first + 1, first + 500), "a{sv}", EMPTY)
        self.forger.answer(range(first + 1, first + 500), error="org.opencallkit.Error.ActionFailed")
        self.forger.sync()
        self.assertState(call, "answering")
        self.assertFalse(answer.done)
        action.fulfil()
        answer.result()
        self.assertState(call, "active")
        self.assertNoted()

    def test_an_action_is_not_failed_by_a_stranger_in_the_name_of_the_bus(self):
        self.provider.behaviour["answer"] = "wait"
        call = self.provider.incoming()
        first = self.forger.serial()
        answer = self.answer(call)
        action = self.provider.wait_action("answer")
        for name in ("NoReply", "NameHasNoOwner", "ServiceUnknown", "Disconnected"):
            self.forger.answer(range(first + 1, first + 100), error=f"{DRIVER}.Error.{name}")
        self.forger.sync()
        action.fulfil()
        answer.result()
        self.assertState(call, "active")
        self.assertNoted()

    def test_a_provider_stays_whatever_strangers_say_of_its_name(self):
        late = self.system.connect()
        first = self.forger.serial()
        with self.stopped():
            registered = self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/late",
                                          variants({"localized-name": "Late"}), connection=late)
            late.flush()
            self.forger.answer(range(first + 1, first + 100), error=f"{DRIVER}.Error.NameHasNoOwner")
        path = registered.result()
        self.forger.sync()
        self.system.sync()
        self.assertIn(path, self.system.managed())

    def test_an_explanation_names_the_process_that_asked(self):
        call = self.provider.active()
        client = self.system.connect()
        first = self.forger.serial()
        with self.stopped():
            muted = self.system.call(call, CALL, "SetMuted", "b", True, connection=client)
            client.flush()
            self.forger.answer(range(first + 1, first + 100), "u", struct.pack("<I", FORGED))
        muted.result()
        self.forger.sync()
        texts = str(self.system.call(call, CALL, "Explain").result())
        self.assertIn(f"pid {os.getpid()}", texts)
        self.assertNotIn(str(FORGED), texts)

    def test_nobody_is_believed_about_the_name_at_the_start(self):
        self.system.daemon.terminate()
        self.system.daemon.wait()
        beginners = []

        def note(_, message):
            if message.get_member() == "NameOwnerChanged":
                name, before, _ = message.get_args_list()
                if name.startswith(":") and not before:
                    # The questions at the start: AddMatch, RequestName, GetNameOwner.
                    self.forger.answer(range(1, 26), "u", struct.pack("<I", 3), to=name)
                    self.forger.answer(range(1, 26), error=f"{DRIVER}.Error.AccessDenied", to=name)
                    beginners.append(name)
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

        watcher = self.system.connect()
        watcher.add_message_filter(note)
        watcher.add_match_string(f"type='signal',sender='{DRIVER}',member='NameOwnerChanged'")
        for _ in range(20):
            self.system.owner = ""
            self.system.start_daemon()
            wait_until(lambda: self.system.owner in beginners, "the forger was late")
            self.system.daemon.terminate()
            self.assertEqual(self.system.daemon.wait(), 0)
        self.assertGreaterEqual(self.forger.sent, 1_000)
        self.system.owner = ""
        self.system.start_daemon()
        self.pid = self.system.daemon.pid


class ForgedVerdicts(Filtering):
    def test_a_verdict_is_the_screeners(self):
        forger = Forger(self.system)
        self.addCleanup(forger.raw.close)
        screener = Screener(self.system)
        first = forger.serial()
        report = self.report()
        question = screener.wait_asked()
        forger.answer(range(first + 1, first + 100), "sa{sv}", padded(padded(string("reject"), 4) + bytes(4), 8))
        forger.sync()
        self.assertFalse(report.done)
        question.answer("allow")
        self.assertState(report.result(), "ringing")
        self.assertTrue(self.system.told("Anomaly", "forged-reply"))
