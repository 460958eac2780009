"""Who comes next when a call ends, and who swaps with whom: rules 10 to 13; and the one grant of audio: rule 20."""

import dbus

from support.messages import uuid_of
from support.provider import Provider
from support.scene import TwoProviders
from support.system import AUDIO, AUDIO_SESSION, ROOT, SYSTEM


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
        self.assertEqual(self.alpha.wait_action("end").details["reason"], "busy")
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
        self.assertEqual(hold.details["on-hold"], True)
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
        self.assertEqual((back.uuid, back.details["on-hold"]), (uuid_of(a), True))
        self.assertEqual([self.property(call, "State") for call in (a, b)], ["held", "active"])

    def test_rule_13_a_provider_asking_over_the_bus_counts_as_provider(self):
        a = self.alpha.active()
        self.hold(a, connection=self.alpha.connection).result()
        self.assertEqual((self.property(a, "State"), self.property(a, "HeldBy")), ("held", "provider"))


class Grants(TwoProviders):
    def holder(self):
        values = self.system.get_all(AUDIO, AUDIO_SESSION)
        return values["Active"], values["Call"], values["Provider"]


class SlowRelease(Grants):
    deadlines = {"audio-release": 400}

    def test_rule_20_a_slow_release_has_its_deadline(self):
        self.alpha.active()
        self.alpha.behaviour["audio"] = "wait"
        b = self.beta.incoming()
        self.answer(b).result()
        self.beta.wait_told("AudioSessionActivated")
        self.assertEqual(self.holder(), (True, b, self.beta.path))


class OneGrant(Grants):
    deadlines = {"audio-release": 3_600_000}

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


class SilentInLine(TwoProviders):
    """A provider that does not answer makes the others wait once."""

    deadlines = {"answer": 6_000}

    def test_ten_answers_cost_one_deadline(self):
        self.alpha.behaviour = {"answer": "wait"}
        calls = [self.alpha.incoming() for _ in range(8)]
        call = self.beta.incoming()
        waiting = [self.answer(one) for one in calls + calls[1:3]]
        # Before two deadlines have passed. Seconds in which the machine stands still do not count.
        self.answer(call).result(seconds=11)
        for pending in waiting:
            self.assertRefused(pending, "ActionTimedOut")
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["answer", "end"])
        for one in calls[1:]:
            self.assertState(one, "ringing")

    def test_a_user_passes_an_app(self):
        self.beta.behaviour = {"answer": "wait"}
        first = self.answer(self.beta.incoming())
        self.beta.wait_action("answer")
        later, mine = self.beta.incoming(), self.alpha.incoming()
        theirs = self.answer(later, connection=self.beta.connection)
        self.system.sync(self.beta.connection)
        ours = self.answer(mine)
        self.system.sync()
        self.beta.actions("answer")[0].fulfil()
        first.result()
        ours.result()
        self.beta.wait_action("answer", 2).fulfil()
        theirs.result()
        self.assertEqual(self.beta.kinds()[:3], ["answer", "set-held+", "answer"])
