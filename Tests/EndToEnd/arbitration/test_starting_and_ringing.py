"""Starting and ringing: rules 1 to 9 and 22, between two providers on the bus."""

import dbus

from support.messages import uuid_of, variants
from support.provider import Provider
from support.scene import TwoProviders
from support.system import ROOT, SYSTEM


class Starting(TwoProviders):
    def test_rule_1_the_active_call_is_held_before_the_new_one_starts(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-held"] = "wait"
        start = self.start_call("mailto:somebody@example.org")
        hold = self.alpha.wait_action("set-held")
        self.assertEqual((hold.uuid, hold.details["on-hold"]), (uuid_of(a), True))
        self.assertUntouched(self.beta)
        self.assertState(a, "holding")
        self.assertFalse(start.done)
        hold.fulfil()
        b = start.result()
        self.assertEqual(self.property(b, "Provider"), self.beta.path)
        self.assertEqual((self.property(a, "State"), self.property(a, "HeldBy")), ("held", "arbiter"))
        self.wait_state(b, "active")
        self.assertEqual(self.system.states(b)[:2], ["starting", "started"])

    def test_rule_2_a_call_that_cannot_be_held_refuses_the_start(self):
        a = self.alpha.active(supports_holding=False)
        self.assertRefused(self.start_call("mailto:somebody@example.org"), "CannotHoldActiveCall", a)
        self.assertUntouched(self.alpha)
        self.assertUntouched(self.beta)
        self.assertState(a, "active")

    def test_rule_2_a_call_that_cannot_be_held_now_refuses_the_start(self):
        a = self.alpha.active()
        self.alpha.update(a, can_hold_now=False).result()
        self.assertRefused(self.start_call("mailto:somebody@example.org"), "CannotHoldActiveCall", a)
        self.assertUntouched(self.alpha)

    def test_rule_2_conflict_end_ends_the_active_call_first(self):
        a = self.alpha.active(supports_holding=False)
        self.alpha.behaviour["end"] = "wait"
        start = self.start_call("mailto:somebody@example.org", conflict="end")
        end = self.alpha.wait_action("end")
        self.assertUntouched(self.beta)
        end.fulfil()
        b = start.result()
        self.assertEnded(a, "local-ended", "user")
        self.wait_state(b, "active")

    def test_rule_2_conflict_fail_never_touches_the_active_call(self):
        a = self.alpha.active()
        self.assertRefused(self.start_call("mailto:somebody@example.org", conflict="fail"), "CannotHoldActiveCall", a)
        self.assertUntouched(self.alpha)
        self.assertUntouched(self.beta)
        self.assertState(a, "active")

    def test_rule_3_no_second_dialing_call(self):
        self.alpha.connects = False
        a = self.outgoing(self.alpha)
        self.assertRefused(self.start_call("mailto:somebody@example.org"), "OutgoingCallInProgress", a)
        self.assertRefused(
            self.start_call("mailto:somebody@example.org", conflict="end"), "OutgoingCallInProgress", a)
        self.assertUntouched(self.alpha)
        self.assertUntouched(self.beta)
        self.assertState(a, "started")

    def test_rule_3_not_while_the_first_is_connecting_either(self):
        self.alpha.connects = False
        a = self.outgoing(self.alpha)
        self.alpha.report("ReportOutgoingCallStartedConnecting", "sta{sv}", uuid_of(a), 0, variants({})).result()
        self.wait_state(a, "connecting")
        self.assertRefused(self.start_call("mailto:somebody@example.org"), "OutgoingCallInProgress", a)

    def test_rule_4_a_provider_at_its_limit_refuses_a_start_naming_its_calls(self):
        self.alpha.report("UpdateConfiguration", "a{sv}",
                          variants({"maximum-call-groups": dbus.UInt32(2)})).result()
        a = self.outgoing(self.alpha)
        b = self.outgoing(self.alpha)
        self.assertRefused(self.start_call("generic:third"), "MaximumCallGroupsReached", a, b)
        self.assertUntouched(self.alpha)
        self.assertState(b, "active")

    def test_rule_4_limits_are_per_provider(self):
        self.alpha.report("UpdateConfiguration", "a{sv}",
                          variants({"maximum-call-groups": dbus.UInt32(1)})).result()
        a = self.outgoing(self.alpha)
        b = self.outgoing(self.beta)
        self.assertState(a, "held")
        self.assertState(b, "active")

    def test_rule_4_a_limit_of_zero_refuses_all(self):
        none = Provider(self.system, "None", maximum_call_groups=dbus.UInt32(0))
        start = self.start_call("generic:somebody", provider=dbus.ObjectPath(none.path))
        self.assertRefused(start, "MaximumCallGroupsReached")
        self.assertUntouched(none)
        self.assertRefused(none.report_incoming(), "MaximumCallGroupsReached")

    def test_rule_4_a_ringing_call_over_the_limit_rings_but_cannot_be_answered(self):
        self.alpha.report("UpdateConfiguration", "a{sv}",
                          variants({"maximum-call-groups": dbus.UInt32(1)})).result()
        a = self.alpha.active()
        b = self.alpha.incoming()
        self.alpha.forget()
        self.assertRefused(self.answer(b), "MaximumCallGroupsReached", a)
        self.assertUntouched(self.alpha)
        self.assertState(b, "ringing")
        self.answer(b, conflict="end").result()
        self.assertEnded(a, "local-ended", "user")
        self.assertState(b, "active")


class Ringing(TwoProviders):
    def test_a_call_alone_rings_aloud(self):
        a = self.alpha.incoming()
        self.assertEqual(self.property(a, "RingMode"), "audible")
        self.assertEqual(self.property(a, "AnswerOptions"), ["answer", "decline"])

    def test_rule_5_a_second_call_waits_and_leaves_the_active_one_alone(self):
        a, b = self.ring_while_active()
        self.assertEqual(self.property(b, "RingMode"), "waiting")
        self.assertEqual(self.property(b, "AnswerOptions"), ["hold-and-answer", "end-and-answer", "decline"])
        self.assertUntouched(self.alpha)
        self.assertState(a, "active")
        self.assertEqual(self.property(ROOT, "ActiveCall", SYSTEM), a)

    def test_rule_5_the_options_follow_what_the_active_call_can(self):
        a, b = self.ring_while_active(supports_holding=False)
        self.assertEqual(self.property(b, "AnswerOptions"), ["end-and-answer", "decline"])
        self.alpha.update(a, supports_holding=True).result()
        self.assertEqual(self.property(b, "AnswerOptions"), ["hold-and-answer", "end-and-answer", "decline"])

    def test_rule_6_the_active_call_is_held_before_the_other_is_answered(self):
        a, b = self.ring_while_active()
        self.alpha.behaviour["set-held"] = "wait"
        answer = self.answer(b)
        hold = self.alpha.wait_action("set-held")
        self.assertEqual((hold.uuid, hold.details["on-hold"]), (uuid_of(a), True))
        self.assertUntouched(self.beta)
        self.assertEqual(self.property(b, "ConnectedAt"), 0)
        hold.fulfil()
        answer.result()
        self.assertEqual(self.beta.kinds(), ["answer"])
        self.assertEqual((self.property(a, "State"), self.property(a, "HeldBy")), ("held", "arbiter"))
        self.assertState(b, "active")
        self.assertEqual(self.property(ROOT, "ActiveCall", SYSTEM), b)

    def test_rule_6_a_refused_hold_changes_nothing(self):
        a, b = self.ring_while_active()
        self.alpha.behaviour["set-held"] = "fail"
        self.assertRefused(self.answer(b), "ActionFailed", a)
        self.assertUntouched(self.beta)
        self.assertState(a, "active")
        self.assertState(b, "ringing")

    def test_rule_7_a_call_that_cannot_be_held_refuses_the_answer(self):
        a, b = self.ring_while_active(supports_holding=False)
        self.assertRefused(self.answer(b), "CannotHoldActiveCall", a)
        self.assertUntouched(self.alpha)
        self.assertUntouched(self.beta)
        self.assertState(b, "ringing")

    def test_rule_7_end_and_accept(self):
        a, b = self.ring_while_active(supports_holding=False)
        self.alpha.behaviour["end"] = "wait"
        answer = self.answer(b, conflict="end")
        end = self.alpha.wait_action("end")
        self.assertUntouched(self.beta)
        end.fulfil()
        answer.result()
        self.assertEnded(a, "local-ended", "user")
        self.assertState(b, "active")
        self.assertEqual((self.alpha.kinds(), self.beta.kinds()), (["end"], ["answer"]))
        self.assertEqual(self.alpha.actions()[0].transaction, self.beta.actions()[0].transaction)

    def test_rule_7_conflict_fail_never_touches_a_holdable_call(self):
        a, b = self.ring_while_active()
        self.assertRefused(self.answer(b, conflict="fail"), "CannotHoldActiveCall", a)
        self.assertUntouched(self.alpha)

    def test_rule_8_both_others_stay_held(self):
        a, b = self.held_and_active()
        gamma = Provider(self.system, "Gamma")
        c = gamma.incoming()
        self.answer(c).result()
        self.assertEqual([self.property(call, "State") for call in (a, b, c)], ["held", "held", "active"])
        self.assertUntouched(self.alpha)
        self.beta.sync()
        self.assertEqual(self.beta.kinds(), ["set-held+"])

    def test_rule_9_one_of_two_ringing_calls_is_audible(self):
        a = self.alpha.incoming()
        b = self.beta.incoming()
        modes = [self.property(call, "RingMode") for call in (a, b)]
        self.assertEqual(modes, ["audible", "waiting"])
        self.answer(a).result()
        self.assertState(b, "ringing")
        self.assertEqual(self.property(b, "RingMode"), "waiting")

    def test_rule_9_the_other_becomes_audible_when_the_first_is_declined(self):
        a = self.alpha.incoming()
        b = self.beta.incoming()
        self.end(a).result()
        self.assertEnded(a, "declined", "user")
        self.assertEqual(self.property(b, "RingMode"), "audible")

    def test_silence_ringing_stops_the_ringer_and_keeps_the_calls(self):
        a = self.alpha.incoming()
        self.system.call(ROOT, SYSTEM, "SilenceRinging").result()
        self.assertEqual(self.property(a, "RingMode"), "silent")
        self.assertState(a, "ringing")
        self.answer(a).result()
        self.assertEqual(self.property(a, "RingMode"), "")

    def test_rule_22_two_clients_answer_and_both_are_told_success(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "wait"
        clients = [self.system.connect(), self.system.connect()]
        answers = [self.answer(a, connection=client) for client in clients]
        action = self.alpha.wait_action("answer")
        for client in clients:
            self.system.sync(client)
        self.assertEqual([answer.done for answer in answers], [False, False])
        action.fulfil()
        for answer in answers:
            answer.result()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["answer"])
        self.answer(a).result()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["answer"])

    def test_rule_22_both_are_told_the_failure(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "wait"
        answers = [self.answer(a, connection=self.system.connect()) for _ in range(2)]
        action = self.alpha.wait_action("answer")
        self.system.sync()
        action.fail()
        for answer in answers:
            self.assertRefused(answer, "ActionFailed")
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["answer"])
