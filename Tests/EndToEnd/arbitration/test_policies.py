"""Policies: chosen at the start, shown on the bus, and each of their rows tested over the bus."""

from support.case import SystemTest
from support.scene import TwoProviders
from support.system import BUILD, ROOT, SYSTEM


class Ios(TwoProviders):
    arguments = ("--policy", "ios")

    def test_return_after_a_remote_end(self):
        a, b = self.held_and_active()
        self.beta.remote_end(b).result()
        self.wait_state(a, "active")
        self.assertEnded(b, "remote-ended", "remote")

    def test_unholdable_ends_for_a_plain_answer(self):
        a, b = self.ring_while_active(supports_holding=False)
        self.assertEqual(list(self.property(b, "AnswerOptions")), ["end-and-answer", "decline"])
        self.answer(b).result()
        self.assertEnded(a, "displaced", "policy")

    def test_one_held_call(self):
        a, b = self.held_and_active()
        c = self.alpha.incoming()
        self.assertRefused(self.answer(c), "CannotHoldActiveCall", a)
        self.answer(c, conflict="end").result()
        self.assertEnded(b, "local-ended", "user")
        self.assertState(a, "held")

    def test_the_name_is_on_the_bus(self):
        self.assertEqual(self.property(ROOT, "Policy", SYSTEM), "ios")


class Android(TwoProviders):
    arguments = ("--policy", "android")

    def test_return_is_suggested_after_a_remote_end(self):
        a, b = self.held_and_active()
        self.beta.remote_end(b).result()
        self.wait_told("ResumeSuggested", a)
        self.assertState(a, "held")

    def test_the_held_call_ends_for_a_third(self):
        a, b = self.held_and_active()
        c = self.alpha.incoming()
        self.answer(c).result()
        self.assertEnded(a, "displaced", "policy")
        self.assertState(b, "held")

    def test_second_ringing_is_refused(self):
        a = self.alpha.incoming()
        self.assertRefused(self.beta.report_incoming(), "LimitsExceeded", a)
        self.assertEqual(self.property(ROOT, "Policy", SYSTEM), "android")


class Unknown(SystemTest):
    def test_an_unknown_policy_is_wrong_usage(self):
        output = self.system.run(f"{BUILD}/callkitd", "--policy", "windows")
        self.assertEqual(output.status, 64)
        for word in ("windows", "desktop", "ios", "android"):
            self.assertIn(word, output.errors)
