"""Providers that refuse, do not answer or die: rules 6, 16, 17 and 18."""

import dbus

from support.scene import TwoProviders
from support.waiting import wait_until


class Refusals(TwoProviders):
    def test_rule_16_a_refused_answer_resumes_the_held_call(self):
        a, b = self.ring_while_active()
        self.beta.behaviour["answer"] = "fail"
        self.assertRefused(self.answer(b), "ActionFailed", b)
        self.assertEnded(b, "failed", "provider")
        self.wait_state(a, "active")
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-held+", "set-held-"])

    def test_rule_16_a_refused_start_resumes_the_held_call(self):
        a = self.alpha.active()
        self.beta.behaviour["start"] = "fail"
        self.assertRefused(self.start_call("mailto:somebody@example.org"), "ActionFailed")
        self.wait_state(a, "active")
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-held+", "set-held-"])

    def test_rule_16_the_death_of_the_answering_provider_resumes_the_held_call(self):
        a, b = self.ring_while_active()
        self.beta.behaviour["answer"] = "wait"
        answer = self.answer(b)
        self.beta.wait_action("answer")
        self.beta.vanish()
        self.assertRefused(answer, "ProviderCrashed")
        self.assertEnded(b, "provider-crashed", "provider")
        self.wait_state(a, "active")

    def test_rule_16_not_if_the_user_acted_since(self):
        a, b = self.ring_while_active()
        self.beta.behaviour["answer"] = "wait"
        answer = self.answer(b)
        action = self.beta.wait_action("answer")
        self.assertState(a, "held")
        self.hold(a)
        self.system.sync()
        action.fail()
        self.assertRefused(answer, "ActionFailed", b)
        self.assertEnded(b, "failed", "provider")
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-held+"])
        self.assertState(a, "held")

    def test_a_refused_end_ends_the_call_all_the_same(self):
        a = self.alpha.active()
        self.alpha.behaviour["end"] = "fail"
        self.assertRefused(self.end(a), "ActionFailed", a)
        self.assertEnded(a, "local-ended", "user")

    def test_a_refused_mute_leaves_the_call_as_it_was(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-muted"] = "fail"
        self.assertRefused(self.mute(a), "ActionFailed", a)
        self.assertFalse(self.property(a, "Muted"))
        self.assertState(a, "active")

    def test_conflict_end_goes_on_after_a_refused_end(self):
        a, b = self.ring_while_active()
        self.alpha.behaviour["end"] = "fail"
        self.answer(b, conflict="end").result()
        self.assertEnded(a, "local-ended", "user")
        self.assertState(b, "active")

    def test_a_swap_whose_resume_is_refused_is_undone(self):
        a, b = self.held_and_active()
        self.alpha.behaviour["set-held"] = "fail"
        self.assertRefused(self.resume(a), "ActionFailed", a)
        self.wait_state(b, "active")
        self.assertState(a, "held")
        self.beta.sync()
        self.assertEqual(self.beta.kinds(), ["set-held+", "set-held-"])


class Silence(TwoProviders):
    # Enough time for the providers that answer.
    deadlines = dict.fromkeys(("start", "answer", "end", "set-held", "set-muted", "play-dtmf"), 2_000)

    def test_rule_6_a_silent_hold_loses_its_call_and_the_answer_goes_on(self):
        a, b = self.ring_while_active()
        self.alpha.behaviour["set-held"] = "silent"
        self.answer(b).result()
        self.assertEnded(a, "timed-out", "deadline")
        self.assertState(b, "active")
        self.alpha.wait_told("TimedOut")

    def test_a_silent_hold_for_a_start_loses_its_call_too(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-held"] = "silent"
        b = self.start_call("mailto:somebody@example.org").result()
        self.assertEnded(a, "timed-out", "deadline")
        self.wait_state(b, "active")

    def test_a_silent_hold_for_a_swap_loses_its_call_too(self):
        a, b = self.held_and_active()
        self.beta.behaviour["set-held"] = "silent"
        self.resume(a).result()
        self.assertEnded(b, "timed-out", "deadline")
        self.assertState(a, "active")

    def test_rule_17_an_ignored_answer_fails_once_and_ends_the_call(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "silent"
        self.assertRefused(self.answer(a), "ActionTimedOut", a)
        action = self.alpha.actions("answer")[0]
        self.assertEnded(a, "timed-out", "deadline")
        self.assertEqual(self.alpha.wait_told("TimedOut").arguments, [action.id])
        self.alpha.sync()
        self.assertEqual(len(self.alpha.told("TimedOut")), 1)

    def test_rule_17_a_late_fulfil_is_ignored_and_noted(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "silent"
        self.assertRefused(self.answer(a), "ActionTimedOut")
        self.alpha.actions("answer")[0].fulfil()
        anomaly = self.wait_told("Anomaly", "late-completion")[0]
        self.assertIn(anomaly.arguments[1], (a, self.alpha.path))
        self.assertState(a, "ended")

    def test_rule_17_an_ignored_start_ends_the_call_and_resumes_the_held_one(self):
        a = self.alpha.active()
        self.beta.behaviour["start"] = "silent"
        self.assertRefused(self.start_call("mailto:somebody@example.org"), "ActionTimedOut")
        self.wait_state(a, "active")
        ended = wait_until(lambda: self.system.told("CallEnded"), "the started call has not ended")
        self.assertEqual(ended[0].arguments[1:], ["timed-out", "deadline"])

    def test_rule_17_an_ignored_end_ends_the_call(self):
        a = self.alpha.active()
        self.alpha.behaviour["end"] = "silent"
        self.assertRefused(self.end(a), "ActionTimedOut", a)
        self.wait_state(a, "ended")

    def test_rule_17_an_ignored_mute_leaves_the_call(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-muted"] = "silent"
        self.assertRefused(self.mute(a), "ActionTimedOut", a)
        self.assertState(a, "active")
        self.assertFalse(self.property(a, "Muted"))

    def test_rule_17_a_user_hold_that_is_ignored_leaves_the_call_active(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-held"] = "silent"
        self.assertRefused(self.hold(a), "ActionTimedOut", a)
        self.assertState(a, "active")

    def test_a_swap_whose_resume_is_ignored_is_undone(self):
        a, b = self.held_and_active()
        self.alpha.behaviour["set-held"] = "silent"
        self.assertRefused(self.resume(a), "ActionTimedOut", a)
        self.wait_state(b, "active")
        self.assertState(a, "held")


class OwnTimeouts(TwoProviders):
    """The deadlines alone would take far too long here."""

    deadlines = {"answer": 3_600_000}

    def test_a_shorter_timeout_of_the_caller_counts(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "silent"
        request = self.request([("answer", {"call": dbus.ObjectPath(a)})], timeout=dbus.UInt32(300))
        self.assertRefused(request, "ActionTimedOut", a)
        self.assertEnded(a, "timed-out", "deadline")

    def test_the_users_new_start_counts_as_acting_since(self):
        a, b = self.ring_while_active()
        self.beta.behaviour["answer"] = "wait"
        answer = self.answer(b)
        action = self.beta.wait_action("answer")
        start = self.start_call("generic:somebody")
        self.system.sync()
        action.fail()
        self.assertRefused(answer, "ActionFailed", b)
        c = start.result()
        self.wait_state(c, "active")
        self.assertState(a, "held")
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-held+", "start"])


class LongTimeouts(TwoProviders):
    deadlines = {"answer": 300}

    def test_a_longer_timeout_of_the_caller_does_not(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "silent"
        request = self.request([("answer", {"call": dbus.ObjectPath(a)})], timeout=dbus.UInt32(3_600_000))
        self.assertRefused(request, "ActionTimedOut", a)


class Limits(TwoProviders):
    deadlines = {"ring": 400, "connect": 400}

    def test_nobody_answers(self):
        a = self.alpha.report_incoming().result()
        self.assertEnded(a, "unanswered", "deadline")
        self.assertEqual(self.system.states(a), ["ringing", "ended"])

    def test_the_far_side_does_not_answer(self):
        self.alpha.connects = False
        a = self.start_call("generic:somebody").result()
        self.assertEnded(a, "unanswered", "deadline")


class Deaths(TwoProviders):
    def test_rule_18_its_calls_end_and_all_else_goes_on(self):
        a, b = self.held_and_active()
        c = self.beta.incoming()
        self.beta.vanish()
        self.assertEnded(b, "provider-crashed", "provider")
        self.assertEnded(c, "provider-crashed", "provider")
        self.assertUntouched(self.alpha)
        self.assertState(a, "held")
        wait_until(lambda: self.beta.path not in self.system.objects, "the provider's object stays")
        self.resume(a).result()

    def test_rule_18_its_pending_actions_fail(self):
        a = self.alpha.active()
        self.alpha.behaviour.update({"set-muted": "wait", "play-dtmf": "wait"})
        mute = self.mute(a)
        self.alpha.wait_action("set-muted")
        self.alpha.vanish()
        self.assertRefused(mute, "ProviderCrashed")
        self.assertEnded(a, "provider-crashed", "provider")

    def test_a_call_in_the_way_that_dies_is_in_the_way_no_more(self):
        a, b = self.ring_while_active()
        self.alpha.behaviour["set-held"] = "wait"
        answer = self.answer(b)
        self.alpha.wait_action("set-held")
        self.alpha.vanish()
        answer.result()
        self.assertEnded(a, "provider-crashed", "provider")
        self.assertState(b, "active")

    def test_a_call_in_the_way_that_ends_is_in_the_way_no_more(self):
        a, b = self.ring_while_active()
        self.alpha.behaviour["set-held"] = "wait"
        answer = self.answer(b)
        self.alpha.wait_action("set-held")
        self.alpha.remote_end(a).result()
        answer.result()
        self.assertEnded(a, "remote-ended", "remote")
        self.assertState(b, "active")

    def test_invalidate_ends_its_calls_as_failed(self):
        a = self.alpha.active()
        self.alpha.report("Invalidate").result()
        self.assertEnded(a, "failed", "provider")
        self.alpha.wait_told("Reset")
        wait_until(lambda: self.alpha.path not in self.system.objects, "the provider's object stays")
