"""The decision table, rules 1 to 13, 20 to 23, between two providers on the bus."""

import dbus

from provider import Provider
from support import AUDIO, AUDIO_SESSION, CALL, ROOT, SYSTEM, SystemTest, last, uuid_of, variants, wait_until


class TwoProviders(SystemTest):
    """Alpha takes generic handles, Beta e-mail addresses; both do what they are asked unless told otherwise."""

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha")
        self.beta = Provider(
            self.system, "Beta", supported_handle_types=dbus.Array(["email-address"], signature="s"))

    def outgoing(self, provider, **options):
        """A new call that is connected if its provider connects by itself."""
        call = self.start_call("generic:somebody", provider=dbus.ObjectPath(provider.path), **options).result()
        self.wait_state(call, "active" if provider.connects else "started")
        provider.forget()
        return call

    def assertUntouched(self, provider):
        """The provider was asked for nothing since its record began."""
        provider.sync()
        self.assertEqual(provider.kinds(), [])

    def ring_while_active(self, **update):
        """A of Alpha active, B of Beta ringing."""
        a = self.alpha.active(**update)
        b = self.beta.incoming()
        self.beta.forget()
        return a, b

    def held_and_active(self):
        """A of Alpha held by the arbiter for B of Beta, which is active."""
        a, b = self.ring_while_active()
        self.answer(b).result()
        self.wait_state(b, "active")
        self.assertEqual((self.property(a, "State"), self.property(a, "HeldBy")), ("held", "arbiter"))
        self.alpha.forget()
        self.beta.forget()
        return a, b


class Starting(TwoProviders):
    def test_rule_1_the_active_call_is_held_before_the_new_one_starts(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-held"] = "wait"
        start = self.start_call("mailto:somebody@example.org")
        hold = self.alpha.wait_action("set-held")
        self.assertEqual((hold.uuid, hold.args["on-hold"]), (uuid_of(a), True))
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
        self.alpha.report("ReportOutgoingCallStartedConnecting", "st", uuid_of(a), 0).result()
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
        self.assertEqual((hold.uuid, hold.args["on-hold"]), (uuid_of(a), True))
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
        self.assertEqual(self.alpha.actions()[0].args["transaction"], self.beta.actions()[0].args["transaction"])

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


class Ending(TwoProviders):
    def test_rule_10_a_local_end_resumes_the_arbiters_call_across_providers(self):
        a, b = self.held_and_active()
        self.end(b).result()
        self.wait_state(a, "active")
        self.assertEqual((self.property(a, "HeldBy"), self.alpha.kinds()), ("", ["set-held-"]))
        self.assertEnded(b, "local-ended", "user")

    def test_rule_10_what_the_user_held_stays_held(self):
        a = self.alpha.active()
        self.hold(a).result()
        self.assertEqual(self.property(a, "HeldBy"), "user")
        b = self.beta.active()
        self.alpha.forget()
        self.end(b).result()
        self.assertEnded(b, "local-ended", "user")
        self.assertUntouched(self.alpha)
        self.assertState(a, "held")

    def test_rule_10_not_while_another_call_rings(self):
        a, b = self.held_and_active()
        c = self.alpha.incoming()
        self.end(b).result()
        self.assertEnded(b, "local-ended", "user")
        self.assertUntouched(self.alpha)
        self.assertState(a, "held")
        self.assertState(c, "ringing")

    def test_rule_10_the_most_recently_held_call_comes_back(self):
        a, b = self.held_and_active()
        gamma = Provider(self.system, "Gamma")
        c = gamma.incoming()
        self.answer(c).result()
        self.end(c).result()
        self.wait_state(b, "active")
        self.assertState(a, "held")
        self.end(b).result()
        self.wait_state(a, "active")

    def test_rule_11_a_remote_end_suggests_and_does_not_resume(self):
        a, b = self.held_and_active()
        self.beta.remote_end(b).result()
        self.assertEnded(b, "remote-ended", "remote")
        self.wait_told("ResumeSuggested", a)
        self.assertUntouched(self.alpha)
        self.assertEqual((self.property(a, "State"), self.property(a, "HeldBy")), ("held", "arbiter"))
        self.resume(a).result()
        self.assertState(a, "active")

    def test_rule_11_a_dead_provider_suggests_and_does_not_resume(self):
        a, b = self.held_and_active()
        self.beta.vanish()
        self.assertEnded(b, "provider-crashed", "provider")
        self.wait_told("ResumeSuggested", a)
        self.assertUntouched(self.alpha)
        self.assertState(a, "held")

    def test_end_of_a_ringing_call_declines_it(self):
        a = self.alpha.incoming()
        self.end(a).result()
        self.assertEqual(self.alpha.kinds(), ["end"])
        self.assertEnded(a, "declined", "user")

    def test_reject_hands_its_reason_to_the_provider(self):
        a = self.alpha.incoming()
        self.reject(a, "busy").result()
        self.assertEqual(self.alpha.wait_action("end").args["reason"], "busy")
        self.assertEnded(a, "declined", "user")

    def test_reject_does_not_cut_off_an_active_call(self):
        a = self.alpha.active()
        self.assertRefused(self.reject(a, "busy"), "InvalidAction", a)
        self.assertUntouched(self.alpha)

    def test_end_calls_by_state(self):
        a, b = self.held_and_active()
        c = self.alpha.incoming()
        self.system.call(ROOT, SYSTEM, "EndCalls", "as", dbus.Array(["active", "ringing"], signature="s")).result()
        self.assertEnded(b, "local-ended", "user")
        self.assertEnded(c, "declined", "user")
        self.assertNotEqual(self.property(a, "State"), "ended")

    def test_end_calls_without_a_match_succeeds(self):
        self.system.call(ROOT, SYSTEM, "EndCalls", "as", dbus.Array(["active"], signature="s")).result()


class Swapping(TwoProviders):
    def test_rule_12_a_resume_holds_the_active_call_first(self):
        a, b = self.held_and_active()
        self.beta.behaviour["set-held"] = "wait"
        resume = self.resume(a)
        hold = self.beta.wait_action("set-held")
        self.assertEqual(hold.args["on-hold"], True)
        self.assertUntouched(self.alpha)
        hold.fulfil()
        resume.result()
        self.assertEqual([self.property(call, "State") for call in (a, b)], ["active", "held"])
        self.assertEqual((self.property(a, "HeldBy"), self.alpha.kinds()), ("", ["set-held-"]))

    def test_rule_12_a_refused_hold_changes_nothing(self):
        a, b = self.held_and_active()
        self.beta.behaviour["set-held"] = "fail"
        self.assertRefused(self.resume(a), "ActionFailed", b)
        self.assertUntouched(self.alpha)
        self.assertEqual([self.property(call, "State") for call in (a, b)], ["held", "active"])

    def test_rule_12_an_unholdable_call_refuses_the_resume(self):
        a, b = self.held_and_active()
        self.beta.update(b, supports_holding=False).result()
        self.assertRefused(self.resume(a), "CannotHoldActiveCall", b)
        self.assertUntouched(self.alpha)
        self.assertUntouched(self.beta)

    def test_rule_13_a_hold_by_the_network_is_a_fact(self):
        a = self.alpha.active()
        self.alpha.update(a, on_hold=True).result()
        self.wait_state(a, "held")
        self.assertEqual(self.property(a, "HeldBy"), "provider")
        self.alpha.wait_told("AudioSessionDeactivated")
        self.assertEqual(self.alpha.kinds(), [])

    def test_rule_13_a_resume_by_the_network_is_a_request_that_swaps(self):
        a, b = self.held_and_active()
        self.alpha.update(a, on_hold=False).result()
        self.wait_state(a, "active")
        self.wait_state(b, "held")
        self.assertEqual(self.beta.kinds(), ["set-held+"])
        self.assertEqual(self.alpha.kinds(), ["set-held-"])

    def test_rule_13_a_refused_resume_is_taken_back(self):
        a, b = self.held_and_active()
        self.beta.behaviour["set-held"] = "fail"
        self.alpha.update(a, on_hold=False).result()
        back = self.alpha.wait_action("set-held")
        self.assertEqual((back.uuid, back.args["on-hold"]), (uuid_of(a), True))
        self.assertEqual([self.property(call, "State") for call in (a, b)], ["held", "active"])

    def test_rule_13_a_provider_asking_over_the_bus_counts_as_provider(self):
        a = self.alpha.active()
        self.hold(a, connection=self.alpha.connection).result()
        self.assertEqual((self.property(a, "State"), self.property(a, "HeldBy")), ("held", "provider"))


class OneGrant(TwoProviders):
    deadlines = {"audio-release": 400}

    def holder(self):
        values = self.system.get_all(AUDIO, AUDIO_SESSION)
        return values["Active"], values["Call"], values["Provider"]

    def test_rule_20_the_old_holder_releases_before_the_new_one_gets_it(self):
        self.assertEqual(self.holder(), (False, "/", "/"))
        a = self.alpha.incoming()
        self.answer(a).result()
        details = self.alpha.wait_told("AudioSessionActivated").arguments[0]
        self.assertEqual(details["call-uuid"], uuid_of(a))
        self.assertEqual(self.holder(), (True, a, self.alpha.path))
        b = self.beta.incoming()
        self.alpha.behaviour["audio"] = "wait"
        self.answer(b).result()
        release = self.alpha.wait_told("AudioSessionDeactivated")
        self.beta.sync()
        self.assertEqual(self.beta.told("AudioSessionActivated"), [])
        self.assertEqual(self.holder(), (False, "/", "/"))
        release.reply()
        self.assertEqual(self.beta.wait_told("AudioSessionActivated").arguments[0]["call-uuid"], uuid_of(b))
        self.assertEqual(self.holder(), (True, b, self.beta.path))

    def test_rule_20_a_slow_release_has_its_deadline(self):
        self.alpha.active()
        self.alpha.behaviour["audio"] = "wait"
        b = self.beta.incoming()
        self.answer(b).result()
        self.beta.wait_told("AudioSessionActivated")
        self.assertEqual(self.holder(), (True, b, self.beta.path))

    def test_audio_is_granted_after_the_answer_is_fulfilled(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "wait"
        answer = self.answer(a)
        action = self.alpha.wait_action("answer")
        self.alpha.sync()
        self.assertEqual(self.alpha.told("AudioSessionActivated"), [])
        action.fulfil()
        answer.result()
        self.alpha.wait_told("AudioSessionActivated")

    def test_audio_stays_without_messages_inside_one_provider(self):
        self.alpha.active()
        b = self.alpha.incoming()
        self.alpha.forget()
        self.answer(b).result()
        self.alpha.sync()
        self.assertEqual([message.member for message in self.alpha.messages], ["Perform", "Perform"])
        self.assertEqual(self.holder(), (True, b, self.alpha.path))

    def test_audio_is_released_at_the_last_calls_end(self):
        a = self.alpha.active()
        self.end(a).result()
        self.alpha.wait_told("AudioSessionDeactivated")
        self.assertEqual(self.holder(), (False, "/", "/"))


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

    def test_rule_23_actions_are_performed_in_order(self):
        a = self.alpha.active()
        actions = [("set-muted", {"call": dbus.ObjectPath(a), "muted": True}),
                   ("play-dtmf", {"call": dbus.ObjectPath(a), "digits": "1#"}),
                   ("end", {"call": dbus.ObjectPath(a)})]
        transaction, calls = self.request(actions).result()
        self.assertEqual(self.alpha.kinds(), ["set-muted", "play-dtmf", "end"])
        self.assertEqual(calls, [a, a, a])
        self.assertEqual({action.args["transaction"] for action in self.alpha.actions()}, {transaction})
        self.assertEqual(self.alpha.actions("play-dtmf")[0].args["tone"], "single-tone")

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

    def test_simulation_names_the_call_that_a_start_would_make(self):
        identity = "6f9619ff-8b86-d011-b42d-00c04fc964ff"
        start = {"handle": dbus.Struct(("email-address", "x@example.org"), signature="ss")}
        plan = self.simulate([("start", start)]).result()
        self.assertEqual([(row["kind"], row["call"], row["provider"]) for row in plan], [("start", "/", self.beta.path)])
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
        self.assertLess(action.args["deadline"], began + 4_500_000)
        self.assertGreater(action.args["deadline"], began + 3_500_000)
        self.assertEqual(sorted(action.args), ["call-uuid", "deadline", "transaction"])
        self.assertEqual(last(a).replace("_", "-"), self.property(a, "Id"))

    def test_start_carries_the_handle_video_and_contact(self):
        start = self.start_call("mailto:x@example.org", video=True, contact="card-7")
        start.result()
        args = self.beta.actions("start")[0].args
        self.assertEqual(tuple(args["handle"]), ("email-address", "x@example.org"))
        self.assertEqual((args["video"], args["contact-identifier"]), (True, "card-7"))
        self.assertEqual(self.property(start.value, "Direction"), "outgoing")
        self.assertTrue(self.system.get(start.value, CALL, "Video"))

    def test_every_call_of_a_provider_on_the_bus_names_it(self):
        call = self.alpha.active()
        wait_until(lambda: self.system.shown(ROOT, "ActiveCall") == call, "ActiveCall was not announced")
        self.assertEqual(self.property(call, "Provider"), self.alpha.path)
