"""Transactions as such: several actions, simulation, mute, deadlines; rules 21 and 23."""

import time

import dbus

from support.messages import last
from support.scene import TwoProviders
from support.system import CALL, PROPERTIES, ROOT, SYSTEM
from support.waiting import wait_until


class Requests(TwoProviders):
    def test_rule_21_mute_survives_hold(self):
        a = self.alpha.active()
        self.mute(a).result()
        self.assertTrue(self.property(a, "Muted"))
        self.hold(a).result()
        self.assertTrue(self.property(a, "Muted"))
        self.resume(a).result()
        self.assertTrue(self.property(a, "Muted"))
        self.mute(a, False).result()
        self.assertFalse(self.property(a, "Muted"))

    def test_rule_21_a_mute_that_is_so_already_is_not_performed(self):
        a = self.alpha.active()
        self.mute(a).result()
        self.mute(a).result()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-muted"])

    def test_a_call_that_is_ended_before_it_starts(self):
        self.alpha.behaviour["start"] = "wait"
        start = self.start_call("generic:x", provider=dbus.ObjectPath(self.alpha.path))
        call = ROOT + "/calls/" + self.alpha.wait_action("start").uuid.replace("-", "_")
        self.alpha.behaviour["end"] = "fulfil"
        self.end(call).result()
        self.assertRefused(start, "AlreadyEnded", call)

    def test_a_held_call_stays_on_hold_while_it_ends(self):
        a = self.alpha.active()
        self.hold(a).result()
        self.alpha.behaviour["end"] = "wait"
        self.end(a)
        self.wait_state(a, "ending")
        self.assertEqual(self.property(a, "HeldBy"), "user")
        self.alpha.wait_action("end").fulfil()
        self.wait_state(a, "ended")
        self.assertEqual(self.property(a, "HeldBy"), "")

    def test_rule_23_actions_are_performed_in_order(self):
        a = self.alpha.active()
        actions = [("set-muted", {"call": dbus.ObjectPath(a), "muted": True}),
                   ("play-dtmf", {"call": dbus.ObjectPath(a), "digits": "1#"}),
                   ("end", {"call": dbus.ObjectPath(a)})]
        transaction, calls = self.request(actions).result()
        self.assertEqual(self.alpha.kinds(), ["set-muted", "play-dtmf", "end"])
        self.assertEqual(calls, [a, a, a])
        self.assertEqual({action.transaction for action in self.alpha.actions()}, {transaction})
        self.assertEqual(self.alpha.actions("play-dtmf")[0].details["tone"], "single-tone")

    def test_rule_23_the_first_failure_stops_the_rest(self):
        a = self.alpha.active()
        self.alpha.behaviour["play-dtmf"] = "fail"
        actions = [("set-muted", {"call": dbus.ObjectPath(a), "muted": True}),
                   ("play-dtmf", {"call": dbus.ObjectPath(a), "digits": "1"}),
                   ("end", {"call": dbus.ObjectPath(a)})]
        self.assertRefused(self.request(actions), "ActionFailed", a)
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-muted", "play-dtmf"])
        self.assertState(a, "active")

    def test_end_and_start_across_providers_in_one_transaction(self):
        a = self.alpha.active(supports_holding=False)
        actions = [("end", {"call": dbus.ObjectPath(a)}),
                   ("start", {"handle": dbus.Struct(("email-address", "x@example.org"), signature="ss")})]
        _, calls = self.request(actions).result()
        self.assertEnded(a, "local-ended", "user")
        self.assertEqual(self.property(calls[1], "Provider"), self.beta.path)

    def test_accepted_returns_before_the_action_is_fulfilled(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "wait"
        self.request([("answer", {"call": dbus.ObjectPath(a)})], reply="accepted").result()
        action = self.alpha.wait_action("answer")
        self.assertState(a, "answering")
        action.fulfil()
        self.wait_state(a, "active")

    def test_an_empty_transaction_is_refused(self):
        self.assertRefused(self.request([]), "EmptyTransaction")

    def test_a_wrong_action_anywhere_refuses_the_whole(self):
        a = self.alpha.active()
        unknown = dbus.ObjectPath(f"{ROOT}/calls/00000000_0000_4000_8000_000000000000")
        actions = [("set-muted", {"call": dbus.ObjectPath(a), "muted": True}), ("end", {"call": unknown})]
        self.assertRefused(self.request(actions), "UnknownCall")
        self.assertUntouched(self.alpha)

    def test_simulation_tells_the_actions_in_order_and_does_nothing(self):
        a, b = self.ring_while_active()
        plan = self.simulate([("answer", {"call": dbus.ObjectPath(b)})]).result()
        self.assertEqual([(row["kind"], row["call"], row["provider"]) for row in plan],
                         [("set-held", a, self.alpha.path), ("answer", b, self.beta.path)])
        self.assertEqual((plan[0]["rule"], plan[0]["args"]["on-hold"]), (6, True))
        self.assertEqual([(row.get("releases-audio"), row.get("grants-audio")) for row in plan],
                         [(self.alpha.path, None), (None, self.beta.path)])
        self.assertUntouched(self.alpha)
        self.assertUntouched(self.beta)
        self.assertState(b, "ringing")

    def test_simulation_refuses_as_the_request_would(self):
        a, b = self.ring_while_active(supports_holding=False)
        answer = [("answer", {"call": dbus.ObjectPath(b)})]
        self.assertRefused(self.simulate(answer), "CannotHoldActiveCall", a)
        plan = self.simulate(answer, conflict="end").result()
        self.assertEqual([row["kind"] for row in plan], ["end", "answer"])
        self.assertEqual(plan[0]["rule"], 7)

    def test_an_error_names_the_action_of_the_list(self):
        a = self.alpha.active()
        hold, wrong = ("set-held", {"call": dbus.ObjectPath(a), "on-hold": True}), ("set-held", {"call": dbus.ObjectPath(a)})
        gone = ("end", {"call": dbus.ObjectPath(f"{ROOT}/calls/{'0' * 8}_0000_4000_8000_{'0' * 12}")})
        for ask in (self.request, self.simulate):
            for actions, error, text in (
                    ([hold, wrong], "InvalidArguments", "action 2 of 2 (set-held): on-hold: expected type b"),
                    ([hold, ("jump", {})], "InvalidArguments", "action 2 of 2: kind is \"jump\""),
                    ([wrong], "InvalidArguments", "action 1 of 1 (set-held): "),
                    ([hold, hold, gone], "UnknownCall", "action 3 of 3 (end): no call")):
                refused = ask(actions)
                self.assertRefused(refused, error)
                self.assertTrue(refused.error_text.startswith(text), refused.error_text)
        self.assertUntouched(self.alpha)
        self.assertNotIn("action 1", self.start_call("tel:").wait().error_text)

    def test_a_provider_is_named_by_its_path_or_its_id(self):
        for name in (dbus.ObjectPath(self.beta.path), self.beta.path, "app_Beta"):
            call = self.start_call("mailto:x@example.org", provider=name).result()
            self.assertEqual(self.property(call, "Provider"), self.beta.path)
            self.end(call).result()
        self.assertRefused(self.start_call("mailto:x@example.org", provider="app Beta"), "UnknownProvider")
        choice = dbus.Dictionary({"email-address": self.beta.path}, signature="ss", variant_level=1)
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DefaultProviders", choice).result()
        self.assertEqual(dict(self.system.get(ROOT, SYSTEM, "DefaultProviders")), {"email-address": "app_Beta"})

    def test_simulation_names_the_call_that_a_start_would_make(self):
        identity = "6f9619ff-8b86-d011-b42d-00c04fc964ff"
        start = {"handle": dbus.Struct(("email-address", "x@example.org"), signature="ss")}
        plan = self.simulate([("start", start)]).result()
        self.assertEqual([(row["kind"], row["call"], row["provider"]) for row in plan],
                         [("start", "/", self.beta.path)])
        self.assertEqual(tuple(plan[0]["args"]["handle"]), ("email-address", "x@example.org"))
        self.assertEqual(sorted(plan[0]["args"]), ["contact-identifier", "handle", "video"])
        plan = self.simulate([("start", {**start, "uuid": identity})]).result()
        self.assertEqual(plan[0]["call"], f"{ROOT}/calls/{identity.replace('-', '_')}")
        self.assertUntouched(self.beta)
        self.request([("start", {**start, "uuid": identity})]).result()

    def test_the_deadline_travels_with_the_action(self):
        a = self.alpha.incoming()
        self.answer(a, timeout=dbus.UInt32(4000)).result()
        action = self.alpha.actions("answer")[0]
        began = self.property(a, "StartedAt")
        self.assertGreaterEqual(action.deadline, began + 4_000_000)
        self.assertLessEqual(action.deadline, time.time() * 1e6 + 4_000_000)
        self.assertEqual(dict(action.details), {})
        self.assertEqual(last(a).replace("_", "-"), self.property(a, "Id"))

    def test_start_carries_the_handle_video_and_contact(self):
        start = self.start_call("mailto:x@example.org", video=True, **{"contact-identifier": "card-7"})
        start.result()
        details = self.beta.actions("start")[0].details
        self.assertEqual(tuple(details["handle"]), ("email-address", "x@example.org"))
        self.assertEqual((details["video"], details["contact-identifier"]), (True, "card-7"))
        self.assertEqual(self.property(start.value, "Direction"), "outgoing")
        self.assertTrue(self.system.get(start.value, CALL, "Video"))

    def test_every_call_of_a_provider_on_the_bus_names_it(self):
        call = self.alpha.active()
        wait_until(lambda: self.system.shown(ROOT, "ActiveCall") == call, "ActiveCall was not announced")
        self.assertEqual(self.property(call, "Provider"), self.alpha.path)
