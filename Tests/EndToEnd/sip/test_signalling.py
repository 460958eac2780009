"""What carriers, exchanges and old phones say beside the sound: transfers, reasons, questions, and messages that cross."""

import dbus

from sip.certificates import DOMAIN
from sip.hostile import HostileTest
from sip.stranger import Leg, sound
from support.waiting import wait_until

NUMBER = "+15550100123"


class Transfers(HostileTest):
    def answer_transfer(self, call, kind, value):
        to = dbus.Struct((kind, value), signature="ss")
        return self.request([("answer-transfer", {"call": dbus.ObjectPath(call), "to": to})])

    # jambonz-feature-server #473
    def test_to_numbers_of_every_form(self):
        for target in ("<tel:+1-555-010-0123>", f"<tel:{NUMBER};ext=12>", "<tel:0123;phone-context=+1555010>",
                       f'"Office" <tel:{NUMBER}>'):
            with self.subTest(target):
                leg, call = self.talk()
                self.server.mark()
                leg.ask("REFER", 202, f"Refer-To: {target}")
                wait_until(lambda: "answer-transfer" in (self.system.shown(call, "Can") or []), "no transfer is asked for")
                self.assertEqual(tuple(self.identity(call, "TransferRequest")), ("phone-number", NUMBER))
                pending = self.answer_transfer(call, "phone-number", NUMBER)
                invite = self.server.wait_request("INVITE")
                self.assertEqual(invite.target, f"sip:{NUMBER}@{DOMAIN};user=phone")
                new = Leg(self.server, invite=invite)
                new.respond(200, body=sound(40002))
                pending.result()
                self.server.wait_request("BYE", leg.call_id)
                self.end(call).result()
                self.server.wait_request("BYE", new.call_id)

    def test_a_call_that_its_far_side_has_left_makes_room_for_another(self):
        leg, call = self.talk()
        leg.ask("REFER", 202, f"Refer-To: <sip:bob@{DOMAIN}>")
        wait_until(lambda: "answer-transfer" in (self.system.shown(call, "Can") or []), "no transfer is asked for")
        leg.ask("BYE", 200)
        for held, state in ((True, "held"), (False, "active")):
            self.request([("set-held", {"call": dbus.ObjectPath(call), "on-hold": held})]).result()
            self.wait_state(call, state)
        self.answer_transfer(call, "", "").result()
        self.assertEnding(call, "remote-ended")

    def test_what_is_not_understood_is_refused(self):
        leg, call = self.talk()
        self.server.mark()
        for target, code in (("<tel:+1-555-GET-0123>", 400), ("<tel:0123;phone-context=elsewhere.test>", 400),
                             ("<mailto:bob@elsewhere.test>", 416), ("<sip:bob@elsewhere.test;method=BYE>", 400),
                             ("<tel:+1>, <tel:+2>", 400)):
            with self.subTest(target):
                leg.ask("REFER", code, f"Refer-To: {target}")
        leg.ask("REFER", 400)
        self.assertEqual(self.identity(call, "TransferRequest")[1], "")
        self.assertEqual(self.server.requests("INVITE") + self.server.requests("NOTIFY"), [])
        leg.ask("BYE", 200)


class Pickup(HostileTest):
    def pick_up(self, leg, tag, *more):
        """An INVITE by somebody who takes the place of whom our call rings at."""
        picker = Leg(self.server, caller="dave")
        replaces = ";".join([leg.call_id, f"to-tag={leg.remote_tag}", f"from-tag={tag}", *more])
        picker.request("INVITE", f"Replaces: {replaces}", "Require: replaces", body=sound(40002))
        return picker

    # linphone-sdk #127, pjproject #1587, pocket-dial #229
    def test_a_call_that_rings_elsewhere(self):
        for more in (("early-only",), ()):
            with self.subTest(more):
                self.server.mark()
                leg, call = self.dial_out()
                leg.respond(180, tag="first")
                leg.respond(180, tag="second")
                self.wait_shown(call, "Progress", "alerting")
                self.pick_up(leg, "third", *more).wait(481, "INVITE")
                picker = self.pick_up(leg, "first", *more)
                picker.wait(200, "INVITE")
                picker.request("ACK")
                self.server.wait_request("CANCEL", leg.call_id)
                leg.respond(487)
                self.wait_state(call, "active")
                self.assertEqual(self.calls(), [call])
                self.assertIn("dave", self.identity(call, "Handle")[1])
                picker.ask("BYE", 200)
                self.assertEnding(call, "remote-ended")

    def test_a_call_that_is_answered_meanwhile(self):
        leg, call = self.dial_out()
        leg.respond(180, tag="first")
        self.wait_shown(call, "Progress", "alerting")
        picker = self.pick_up(leg, "first", "early-only")
        picker.wait(200, "INVITE")
        picker.request("ACK")
        self.wait_state(call, "active")
        # The one who was picked up for was quicker, and does not talk alone.
        leg.respond(200, tag="first", body=sound(40000))
        self.server.wait_request("ACK", leg.call_id)
        self.server.wait_request("BYE", leg.call_id)
        self.assertState(call, "active")
        picker.ask("BYE", 200)
        self.assertEnding(call, "remote-ended")

    def test_what_is_not_ours_to_give(self):
        leg, call = self.ring()
        leg.wait(180, "INVITE")
        # An early dialog of somebody else's call.
        picker = self.pick_up(leg, leg.tag, "early-only")
        picker.wait(481, "INVITE")
        self.assertState(call, "ringing")
        self.reject(call).result()
        header = f"Replaces: {leg.call_id};to-tag=1;from-tag=2"
        Leg(self.server).ask("INVITE", 400, header, header, body=sound(40002))
        talking, call = self.talk()
        self.pick_up(talking, talking.tag, "early-only").wait(486, "INVITE")
        self.assertState(call, "active")
        talking.ask("BYE", 200)


class Questions(HostileTest):
    def test_whether_we_are_there(self):
        leg, _ = self.talk()
        leg.ask("INFO", 200)
        leg.ask("INFO", 200, "Content-Type: application/dtmf-relay")
        answer = leg.ask("INFO", 469, "Info-Package: moon")
        self.assertIn(("recv-info", ""), answer.headers)
        answer = leg.ask("INFO", 415, "Content-Type: text/plain", body="x")
        self.assertIn("application/dtmf-relay", answer.header("accept"))
        for asker in (leg, Leg(self.server)):
            answer = asker.ask("OPTIONS", 200)
            for name in ("allow", "accept", "supported", "contact"):
                self.assertTrue(answer.header(name), name)
        leg.ask("BYE", 200)
        for method in ("INFO", "UPDATE", "BYE", "PRACK"):
            Leg(self.server).ask(method, 481)


class Crossing(HostileTest):
    # JsSIP #597
    def test_a_cancel_after_our_answer(self):
        leg, call = self.ring()
        pending = self.answer(call)
        leg.wait(200, "INVITE")
        leg.request("CANCEL", branch=leg.branch, sequence=leg.sequence, to_tag="")
        leg.wait(200, "CANCEL")
        self.assertNotEqual(self.system.shown(call, "State"), "ended")
        leg.ask("BYE", 200)
        self.assertEnding(call, "unanswered")
        pending.wait()
        self.assertEqual(self.calls(), [])

    # livekit/sip #756
    def test_an_answer_after_our_cancel(self):
        leg, call = self.dial_out()
        leg.respond(180)
        self.wait_shown(call, "Progress", "alerting")
        self.end(call).result()
        self.server.wait_request("CANCEL", leg.call_id)
        leg.respond(200, body=sound(40000))
        self.server.wait_request("ACK", leg.call_id)
        self.server.wait_request("BYE", leg.call_id)
        self.assertEnding(call, "local-ended", origin="user")


class Reasons(HostileTest):
    ELSEWHERE = ("Q.850;cause=16;text=\"a, b;cause=1\", SIP ; cause = 200 ; text=\"Call completed elsewhere\"",)

    def test_of_those_who_call(self):
        for headers, reason, code in (
                (("Reason: " + self.ELSEWHERE[0],), "answered-elsewhere", "SIP 200"),
                (("Reason: X;cause=1", "reason: sip;cause=\"603\""), "declined-elsewhere", "SIP 603"),
                (("Reason: Q.850;text=\"SIP;cause=200\";cause=31",), "unanswered", "Q.850 31"), ((), "unanswered", "")):
            for method in ("CANCEL", "BYE"):
                with self.subTest(method, headers=headers):
                    leg, call = self.ring()
                    leg.wait(180, "INVITE")
                    if method == "CANCEL":
                        leg.request("CANCEL", *headers, branch=leg.branch, sequence=leg.sequence, to_tag="")
                    else:
                        leg.request("BYE", *headers)
                    self.assertEnding(call, reason, code)

    def test_of_those_who_are_called(self):
        for code, header, reason, detail in (
                (480, "Q.850;cause=17;text=\"User busy\"", "remote-ended", "busy"),
                (503, "SIP;cause=503, Q.850;cause=21", "failed", "network"),
                (500, "X;cause=9, Q.850;cause=1", "failed", "not-found"), (486, "Q.850;cause=1", "remote-ended", "busy")):
            with self.subTest(header):
                self.server.mark()
                leg, call = self.dial_out()
                leg.respond(code, f"Reason: {header}")
                self.assertEnding(call, reason, f"SIP {code}", detail)
        leg, call = self.talk()
        leg.ask("BYE", 200, "Reason: X;cause=1, Q.850;cause=16;text=\"Normal, clearing\"")
        self.assertEnding(call, "remote-ended", "Q.850 16")
