"""Transfers against the real daemon: from the bus, from an app's controller and from a plugin's own."""

import json
import uuid

import dbus

from support.messages import ERROR
from support.provider import Provider
from support.surface import SurfaceTest, action, transaction
from support.system import BUILD
from support.waiting import wait_until

REQUEST = "com.apple.CallKit.error.requesttransaction"
CAROL = {"type": 1, "value": "carol"}


class Transfer:
    def blind(self, call):
        return action("transfer", self.id_of(call), handle=CAROL)

    def attended(self, call, other):
        return action("transfer", self.id_of(call), otherCallUUID=self.id_of(other).upper())

    def on_bus(self, call, **options):
        to = dbus.Struct(("generic", "carol"), signature="ss")
        return self.request([("transfer", {"call": dbus.ObjectPath(call), "to": to})], **options)

    def attended_on_bus(self, call, other):
        values = {"call": dbus.ObjectPath(call), "other": dbus.ObjectPath(other)}
        return self.request([("transfer-to", values)])

    def own(self, *actions):
        self.assertEqual(self.ask(*actions, button="perform"), {})

    def from_an_app(self, *actions):
        told = self.system.run(f"{BUILD}/SurfaceApp", "ask", transaction(*actions))
        self.assertEqual(told.text.split(), ["sees", "0"], told.errors)

    def refused(self, *actions):
        told = self.ask(*actions, button="perform")
        self.assertEqual(told["error"], REQUEST)
        return int(told["code"]), str(told["name"]).removeprefix(ERROR)

    def asked(self):
        """What the delegate was asked for since the calls were made."""
        return [line for line in self.log() if line.split()[0] in ("transfer", "end", "set-held")]

    def two_calls(self):
        """One on hold and one active."""
        one, other = self.surface_call("generic:one"), self.surface_call("generic:other")
        self.forget()
        return one, other

    def test_a_blind_one_arrives_alike_and_ends_the_call(self):
        for ask in (lambda call: self.own(self.blind(call)), lambda call: self.from_an_app(self.blind(call)),
                    lambda call: self.on_bus(call).result()):
            call = self.surface_call()
            self.assertIn("transfer", self.property(call, "Can"))
            self.forget()
            ask(call)
            self.assertEnded(call, "transferred", "user")
            self.heard("transfer generic:carol -", "deactivated false")
            self.assertEqual(self.asked(), ["transfer generic:carol -"], "nothing is asked of a call that has gone")

    def test_an_attended_one_arrives_alike_and_ends_both(self):
        for ask in (lambda *calls: self.own(self.attended(*calls)),
                    lambda *calls: self.from_an_app(self.attended(*calls)),
                    lambda *calls: self.attended_on_bus(*calls).result()):
            held, active = self.two_calls()
            ask(active, held)
            for call in (held, active):
                self.assertEnded(call, "transferred", "user")
            self.assertEqual(self.asked(), [f"transfer - {self.id_of(held)}"])

    def test_actions_made_by_their_initialisers(self):
        call = self.surface_call()
        self.assertEqual(self.ask(self.blind(call), **{"as": "made"}), {})
        self.heard("transfer generic:carol -")
        held, active = self.two_calls()
        self.assertEqual(self.ask(self.attended(active, held), **{"as": "made"}), {})
        self.heard(f"transfer - {self.id_of(held)}")
        self.assertEnded(active, "transferred", "user")

    def test_an_encoded_one_is_the_same_again(self):
        text = transaction(action("transfer", uuid.uuid4(), handle=CAROL),
                           action("transfer", uuid.uuid4(), otherCallUUID=str(uuid.uuid4()).upper()))
        self.assertEqual(json.loads(self.press("encode", transaction=text)["transaction"]), json.loads(text))

    def test_a_held_call_is_transferred_and_the_other_goes_on(self):
        held, active = self.two_calls()
        self.own(self.blind(held))
        self.assertEnded(held, "transferred", "user")
        self.assertState(active, "active")

    def test_after_one_the_call_that_was_held_for_it_comes_back(self):
        stranger = Provider(self.system, "Stranger")
        first = stranger.active()
        call = self.surface_call()
        self.wait_state(first, "held")
        self.own(self.blind(call))
        self.wait_state(first, "active")
        self.assertEqual(stranger.kinds(), ["set-held+", "set-held-"])

    def test_a_refusal_says_why_and_the_call_goes_on(self):
        held, active = self.two_calls()
        for wanted in (self.blind(active), self.attended(active, held)):
            self.behave("transfer", "fail because nobody picks up")
            told = self.ask(wanted, button="perform")
            self.assertEqual((told["error"], told["code"], told["name"]), (REQUEST, 0, f"{ERROR}ActionFailed"))
            self.assertIn("nobody picks up", told["text"])
            self.behave("transfer", "fail unentitled")
            self.assertEqual(self.refused(wanted), (0, "ActionFailed"))
        self.assertRefused(self.on_bus(active), "ActionFailed")
        self.assertState(active, "active")
        self.assertState(held, "held")
        self.assertEqual([line for line in self.asked() if not line.startswith("transfer")], [])
        self.behave("transfer", "fulfill")
        self.own(self.attended(active, held))
        self.assertEnded(held, "transferred", "user")

    def test_one_that_is_not_answered_times_out(self):
        call = self.surface_call()
        self.behave("transfer", "keep")
        self.assertRefused(self.on_bus(call, timeout=dbus.UInt32(300)), "ActionTimedOut")
        self.heard("transfer generic:carol -", "timed-out CXTransferCallAction complete=true")
        self.assertState(call, "active")
        self.assertEqual(self.press("answer-kept")["complete"], [True])
        self.wait_told("Anomaly", "late-completion")
        self.assertState(call, "active")

    def test_whoever_executes_gets_it_in_its_transaction(self):
        held, active = self.two_calls()
        self.press("execute", executes=True)
        self.own(action("set-held", self.id_of(active), isOnHold=True), self.blind(held))
        self.heard("execute CXSetHeldCallAction CXTransferCallAction")
        self.assertEnded(held, "transferred", "user")
        self.assertState(active, "held")

    def test_who_does_not_declare_it_is_not_asked(self):
        call = self.surface_call()
        self.forget()
        self.press("configure", transfer=False)
        wait_until(lambda: "transfer" not in self.property(call, "Can"), "it can still be transferred")
        self.assertEqual(self.refused(self.blind(call)), (6, "NotSupported"))
        self.assertRefused(self.on_bus(call), "NotSupported")
        self.assertEqual(self.asked(), [])

    def test_what_cannot_be_transferred_is_refused(self):
        ringing = self.surface_incoming(handle="ada")
        self.assertEqual(self.refused(self.blind(ringing)), (6, "InvalidAction"))
        self.end(ringing).result()
        self.assertEqual(self.refused(self.blind(ringing)), (4, "AlreadyEnded"))
        stranger = Provider(self.system, "Stranger", supports_transfer=True).active()
        call = self.surface_call()
        self.forget()
        self.assertEqual(self.refused(self.attended(call, stranger)), (6, "NotSameProvider"))
        self.assertEqual(self.refused(self.attended(call, call)), (6, "InvalidAction"))
        self.assertEqual(self.refused(action("transfer", self.id_of(call), otherCallUUID=str(uuid.uuid4()).upper())),
                         (4, "UnknownCall"))
        self.assertEqual(self.refused(action("transfer", self.id_of(call))), (6, "InvalidArguments"))
        self.assertEqual(self.asked(), [])
        self.assertState(call, "active")


class InPlugin(Transfer, SurfaceTest):
    pass


class InApp(Transfer, SurfaceTest):
    in_app = True
