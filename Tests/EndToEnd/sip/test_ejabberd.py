"""Calls by way of ejabberd."""

import re
import unittest

import dbus

from sip.case import PASSWORDS, SIPTest
from sip.certificates import DOMAIN
from sip.ejabberd import Ejabberd
from sip.marks import interop
from sip.phones import Baresip


@unittest.skipUnless(Ejabberd.is_installed(), "the packages ejabberd and erlang-p1-sip are missing")
class EjabberdTest(SIPTest):
    needs_sound = True

    @classmethod
    def start_rig(cls):
        super().start_rig()
        cls.other = cls.keep(Ejabberd(f"{cls.folder}/ejabberd", PASSWORDS).start())
        test = cls.make()
        cls.alice = test.add_account("alice", transport="udp", server=cls.other, encryption="off")
        cls.work = test.add_account("work", transport="tcp", server=cls.other, encryption="off")
        # One for all tests: ejabberd keeps the address of a phone that was killed, and waits for its answer, too.
        cls.bob = cls.keep(Baresip(f"{cls.folder}/bob", "bob", cls.other, password=PASSWORDS["bob"]).start())

    def setUp(self):
        super().setUp()
        self.bob.mark()

    @interop("ejabberd", "register", "out", "in", "hold")
    def test_calls_of_accounts_that_are_registered(self):
        bob = self.bob
        for account, user in ((self.alice, "alice"), (self.work, "work")):
            with self.subTest(user):
                call = self.call_out(bob, account)
                self.assertTalking(bob)
                self.hold(call).result()
                self.resume(call).result()
                self.end(call).result()
                self.assertEnding(call, "local-ended")
                bob.wait_event("CALL_CLOSED")
                call = self.call_in(bob, account, user)
                self.assertTalking(bob)
                bob.hang_up()
                self.assertEnding(call, "remote-ended")

    @interop("ejabberd", "register")
    def test_the_way_to_it_is_kept_without_registering_again(self):
        # It promises to answer pings (RFC 5626), and refuses those of UDP at once.
        registered = "CSeq: [0-9]+ REGISTER"
        bob = self.bob
        before = len(re.findall(registered, self.system.read_log()))
        for _ in range(3):
            call = self.call_out(bob)
            self.assertTalking(bob)
            self.end(call).result()
            bob.wait_event("CALL_CLOSED")
        self.assertEqual(len(re.findall(registered, self.system.read_log())), before)

    @interop("ejabberd", "reasons")
    def test_each_side_declines(self):
        bob = self.bob
        call = self.dial("bob")
        bob.wait_incoming()
        bob.hang_up()
        self.assertEnding(call, "remote-ended", "SIP 486", "busy")
        bob.wait_event("CALL_CLOSED")
        bob.mark()
        bob.dial("work")
        call = self.wait_ringing(self.work)
        self.reject(call).result()
        self.assertEnding(call, "declined")
        self.assertRegex(bob.wait_event("CALL_CLOSED"), "^(486|603)")

    @interop("ejabberd", "reasons")
    def test_who_is_not_there(self):
        call = self.dial("nobody")
        self.assertEnding(call, "unanswered", "SIP 480", "")

    @interop("ejabberd", "session timer")
    def test_a_session_timer(self):
        carol = self.linphone(server=self.other, has_timer=True)
        carol.dial("alice")
        call = self.wait_ringing()
        self.answer(call).result()
        carol.wait_established()
        answer = re.search(r"(?s)SIP/2.0 200.{0,1500}?Session-Expires: *1800;refresher=ua[cs]", carol.diary()[carol.begin:])
        self.assertIsNotNone(answer, carol.diary()[-3000:])
        self.end(call).result()

    @interop("ejabberd", "transfer")
    def test_we_pass_it_on(self):
        dave = self.baresip("dave", server=self.other, is_automatic=True)
        call = self.call_out(self.bob)
        to = dbus.Struct(("generic", f"sip:dave@{DOMAIN}"), signature="ss")
        self.request([("transfer", {"call": dbus.ObjectPath(call), "to": to})]).result()
        self.assertEnding(call, "transferred")
        dave.wait_event("CALL_ESTABLISHED")
        self.bob.hang_up()
        dave.wait_event("CALL_CLOSED")

    @interop("ejabberd", "remote hold")
    def test_a_phone_that_holds(self):
        bob = self.bob
        call = self.call_in(bob)
        bob.hold()
        self.wait_shown(call, "RemoteHeld", True)
        bob.resume()
        self.wait_shown(call, "RemoteHeld", False)
        self.wait_heard(bob.frequency)
