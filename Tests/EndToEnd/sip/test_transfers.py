"""Calls that are passed on, by us and by the far side."""

import re

import dbus

from sip.calls import CallTest
from sip.certificates import DOMAIN
from sip.marks import interop
from sip.scripts import CALLED, Called, description, expect_request, expect_response, pause
from support.waiting import wait_until


def handle(user):
    return dbus.Struct(("generic", f"sip:{user}@{DOMAIN}"), signature="ss")


class Transfers(CallTest):
    needs_sound = True  # for linphone

    def transfer(self, call, user):
        return self.request([("transfer", {"call": dbus.ObjectPath(call), "to": handle(user)})])

    def answer_transfer(self, call, user):
        """Accepts that the call goes on with this user; with None, declines."""
        to = handle(user) if user else dbus.Struct(("", ""), signature="ss")
        return self.request([("answer-transfer", {"call": dbus.ObjectPath(call), "to": to})])

    @interop("baresip", "transfer")
    @interop("Kamailio", "transfer")
    def test_blind_to_another_phone(self):
        bob, dave = self.baresip("bob"), self.baresip("dave", is_automatic=True)
        call = self.call_out(bob)
        self.transfer(call, "dave").result()
        self.assertEnding(call, "transferred")
        dave.wait_event("CALL_ESTABLISHED")
        self.assertIn("bob", dave.told("CALL_ESTABLISHED")[0][1])

    def test_blind_to_nobody_leaves_the_call(self):
        bob = self.baresip("bob")
        call = self.call_out(bob)
        self.assertRefused(self.transfer(call, "nobody"), "ActionFailed")
        self.assertIn(self.system.shown(call, "State"), ("active", "held"))

    @interop("linphone", "transfer")
    def test_blind_of_linphone(self):
        dave = self.baresip("dave", is_automatic=True)
        carol = self.linphone()
        call = self.call_in(carol)
        self.transfer(call, "dave").result()
        self.assertEnding(call, "transferred")
        dave.wait_event("CALL_ESTABLISHED")

    @interop("sipp", "transfer")
    def test_attended_names_the_other_call(self):
        rtp = self.rtp()
        notify = Called.request("NOTIFY", 2, "Event: refer", "Subscription-State: terminated;reason=noresource",
                                "Content-Type: message/sipfrag;version=2.0")
        notify = notify.replace("Content-Length: 0\n\n", "Content-Length: [len]\n\nSIP/2.0 200 OK\n")
        first = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            expect_request("INVITE"), Called.answer(200, "OK", description(rtp.port, "recvonly", 2), first=False),
            expect_request("ACK"), expect_request("REFER"), Called.answer(202, "Accepted", first=False), notify,
            expect_response(200), expect_request("BYE"), Called.answer(200, "OK", first=False))
        bob = self.baresip("bob")
        one = self.dial(first.user)
        self.wait_state(one, "active")
        other = self.call_out(bob)
        self.wait_state(one, "held")
        self.request([("transfer-to", {"call": dbus.ObjectPath(one), "other": dbus.ObjectPath(other)})]).result()
        self.assertEnding(one, "transferred")
        refer = first.received("REFER")[0]
        self.assertRegex(refer, r"(?i)Refer-To:.*bob.*Replaces=")
        self.assertRegex(refer, "(?i)Referred-By:.*alice")

    def ask(self, target):
        """A call whose far side asks to be replaced by this user. Returns the call and the script."""
        rtp = self.rtp()
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            pause(0.2), Called.request("REFER", 1, f"Refer-To: <sip:{target}@{DOMAIN}>",
                                       f"Referred-By: <sip:carol@{DOMAIN}>"),
            expect_response(202), *self.notifications())
        call = self.dial(script.user)
        self.wait_state(call, "active")
        wait_until(lambda: "answer-transfer" in (self.system.shown(call, "Can") or []), "no transfer is asked for")
        self.assertEqual(str(self.identity(call, "TransferRequest")[1]), f"sip:{target}@{DOMAIN}")
        return call, script

    @staticmethod
    def notifications():
        """Takes NOTIFYs until the BYE."""
        return ('<label id="1"/>', '<recv request="NOTIFY" optional="true" next="2"/>', '<recv request="BYE" next="3"/>',
                '<label id="2"/>', Called.answer(200, "OK", first=False).replace("<send>", '<send next="1">'),
                '<label id="3"/>', Called.answer(200, "OK", first=False))

    @interop("sipp", "transfer")
    def test_the_far_side_asks_and_the_user_accepts(self):
        bob = self.baresip("bob")
        call, script = self.ask("bob")
        pending = self.answer_transfer(call, "bob")
        bob.wait_incoming()
        bob.accept()
        pending.result()
        script.wait_done()
        self.assertState(call, "active")
        self.assertEqual(str(self.identity(call, "Handle")[1]), f"sip:bob@{DOMAIN}")
        self.assertTrue(any("SIP/2.0 200" in text for text in script.received("NOTIFY")))
        bob.hang_up()
        self.assertEnding(call, "remote-ended")

    def test_the_far_side_asks_and_the_user_refuses(self):
        call, script = self.ask("bob")
        self.answer_transfer(call, None).result()
        self.assertState(call, "active")
        wait_until(lambda: any(re.search("SIP/2.0 [46]", text) for text in script.received("NOTIFY")),
                   "it is not told", every=0.05)
        self.end(call).result()

    def test_the_new_far_side_does_not_answer(self):
        call, script = self.ask("busy")
        self.assertRefused(self.answer_transfer(call, "busy"), "ActionFailed")
        self.assertState(call, "active")
        wait_until(lambda: any("SIP/2.0 486" in text for text in script.received("NOTIFY")), "it is not told",
                   every=0.05)


class Timers(CallTest):
    needs_sound = True  # for linphone

    @interop("linphone", "session timer")
    @interop("Kamailio", "session timer")
    def test_linphone_agrees_on_a_session_timer(self):
        carol = self.linphone(has_timer=True)
        carol.dial("alice")
        call = self.wait_ringing()
        self.answer(call).result()
        carol.wait_established()
        answer = re.search(r"(?s)SIP/2.0 200.{0,1500}?Session-Expires: *(\d+);refresher=(\w+)",
                           carol.diary()[carol.begin:])
        self.assertIsNotNone(answer, carol.diary()[-3000:])
        self.assertEqual((answer[1], answer[2] in ("uac", "uas")), ("1800", True))
        self.end(call).result()

    @interop("sipp", "session timer")
    def test_a_session_timer_is_offered_and_refreshed(self):
        rtp = self.rtp()
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(422, "Session Interval Too Small", "", "Min-SE: 91"),
            expect_request("ACK"), expect_request("INVITE", CALLED),
            Called.answer(200, "OK", description(rtp.port), "Session-Expires: 1800;refresher=uac", "Require: timer"),
            expect_request("ACK"), expect_request("BYE"), Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_state(call, "active")
        offers = script.received("INVITE")
        self.assertRegex(offers[0], "(?i)Session-Expires: *1800")
        self.assertRegex(offers[0], "(?i)Supported:.*timer")
        self.assertRegex(offers[1], "(?i)Min-SE: *91")
        self.end(call).result()
        script.wait_done()
