"""Changes without end: few are told, the last one is, and who goes on is stopped."""

import time

from support.case import SystemTest
from support.provider import Provider
from support.system import CALL
from support.waiting import let_pass, wait_until


class Storms(SystemTest):
    arguments = ("--no-store",)

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)

    def codecs(self, call):
        """The values of Codec that were told, in order."""
        return [str(event.arguments[1]["Codec"]) for event in self.system.told("PropertiesChanged", CALL)
                if event.path == call and "Codec" in event.arguments[1]]

    def test_at_most_twenty_changes_a_second_are_told_and_the_last_one_is(self):
        call = self.provider.active()
        began = time.monotonic()
        for pending in [self.provider.update(call, codec=f"c{number}") for number in range(300)]:
            pending.result()
        wait_until(lambda: self.system.shown(call, "Codec") == "c299", "the last change was not told")
        self.assertLessEqual(len(self.codecs(call)), 10 + 10 * (time.monotonic() - began) + 1)
        self.assertEqual(self.property(call, "Codec"), "c299")
        let_pass(1)
        count = len(self.codecs(call))
        self.provider.update(call, codec="calm").result()
        self.system.sync()
        self.assertEqual(self.codecs(call)[count:], ["calm"])

    def test_a_new_state_does_not_wait_and_brings_what_was_held_back(self):
        call = self.provider.active()
        for number in range(100):
            self.provider.update(call, codec=f"c{number}")
        self.hold(call).result()
        self.system.sync()
        self.assertEqual((self.system.shown(call, "State"), self.system.shown(call, "Codec")), ("held", "c99"))
        self.provider.update(call, codec="late")
        self.end(call).result()
        self.system.sync()
        self.assertEqual(self.system.shown(call, "State"), "ended")

    def test_an_app_that_goes_on_is_refused_for_a_while(self):
        call = self.provider.active()
        reports = []
        # Many at a time: one after the other, they might not be too many on a slow machine.
        while len(reports) < 4_000 and not any(report.error for report in reports[-50:]):
            reports += [update.wait() for update in [self.provider.update(call, codec=f"c{number}") for number in range(50)]]
        refused = [report for report in reports if report.error is not None]
        self.assertTrue(refused)
        self.assertRefused(refused[0], "LimitsExceeded")
        self.assertIsNone(reports[999].error)
        self.assertEqual(len(self.system.told("Anomaly", "update-storm")), 1)
        wait_until(lambda: self.provider.update(call, codec="after").wait().error is None, "it stays refused", every=0.05)
        self.assertState(call, "active")
