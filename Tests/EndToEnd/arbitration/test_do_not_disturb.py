"""Do Not Disturb, while the store answers, hangs or is missing, and across restarts."""

import os
import signal

import dbus

from support.filters import CALLER, HANDLE, Filtering, WithStore
from support.provider import Provider
from support.screener import Screener
from support.system import IDENTITY, ROOT, SYSTEM
from support.waiting import exited, wait_until


def periods(*entries):
    """The schedule of these periods: from, until, days."""
    return dbus.Array([{"from": start, "until": end, "days": dbus.Array(days, signature="s")}
                       for start, end, days in entries], signature="a{sv}")


class DoNotDisturb(Filtering):
    def test_filtered_calls_are_told_without_who(self):
        self.set("DoNotDisturb", True).result()
        self.assertFiltered(self.report(), "FilteredByDoNotDisturb", "do-not-disturb", "do-not-disturb")
        told = repr(self.system.events)
        self.assertNotIn(HANDLE[1], told)
        self.assertNotIn(CALLER, told)

    def test_a_caller_who_calls_again_gets_through(self):
        self.set("DoNotDisturb", True).result()
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")
        self.assertRefused(self.report(handle=("phone-number", "1")), "FilteredByDoNotDisturb")
        call = self.report().result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), CALLER)
        self.set_rules(allow_repeated=False).result()
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")

    def test_a_provider_that_is_excepted(self):
        self.set("DoNotDisturb", True).result()
        other = Provider(self.system, "Beta")
        self.set_rules(providers_allowed=dbus.Array([other.path.rsplit("/", 1)[1]], signature="s")).result()
        other.report_incoming().result()
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")

    def test_do_not_disturb_comes_before_screeners(self):
        screener = Screener(self.system, ("reject", ""))
        self.set("DoNotDisturb", True).result()
        self.assertFiltered(self.report(), "FilteredByDoNotDisturb", "do-not-disturb", "do-not-disturb")
        self.assertEqual(screener.questions, [])
        self.assertFiltered(self.report(), "FilteredByBlockList", "blocked", "screener", count=2)

    def test_the_schedule_is_in_force_at_once(self):
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))
        always = periods(("00:00", "00:00", []))
        self.set_rules(schedule=always).result()
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        wait_until(lambda: self.system.shown(ROOT, "DoNotDisturb"), "it was not announced")
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")
        self.set("DoNotDisturb", False).result()
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.report().result()
        self.set_rules(schedule=always).result()
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.set_rules(schedule=periods()).result()
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))

    def test_nonsense_is_refused_and_changes_nothing(self):
        before = self.rules()
        days = dbus.Array(["fri"], signature="s")
        for rules in ({"manual": "yes"}, {"schedule": "always"}, {"allow-favorites": dbus.UInt32(1)},
                      {"schedule": periods(("25:00", "07:00", days))},
                      {"schedule": periods(("7", "08:00", days))},
                      {"schedule": periods(("07:00", "08:00", ["someday"]))},
                      {"schedule": periods(*[("07:00", "08:00", days)] * 17)},
                      {"providers-allowed": dbus.Array(["no provider"], signature="s")},
                      {"providers-allowed": dbus.Array(["P"] * 65, signature="s")}):
            with self.subTest(rules=rules):
                self.assertRefused(self.set_rules(**rules, allow_repeated=False), "InvalidArguments")
                self.assertEqual(self.rules(), before)
        self.set_rules(nonsense=7).result()
        self.assertEqual(self.rules(), before)


class StoreSilentOrDead(WithStore):
    """While the store does not answer, no call is filtered, and calls ring silently."""

    deadlines = {"look-up": 2_000}

    def assertRingsSilently(self, number):
        call = self.ring(number).result()
        wait_until(lambda: self.system.shown(call, "RingMode"), "it does not ring")
        self.assertEqual(self.system.shown(call, "RingMode"), "silent")
        self.provider.remote_end(call).result()
        return call

    def test_while_the_store_is_stopped(self):
        self.set("DoNotDisturb", True).result()
        store = self.store()
        os.kill(store, signal.SIGSTOP)
        try:
            calls = [self.assertRingsSilently(number) for number in ("+46701740635", "+46701740636")]
        finally:
            os.kill(store, signal.SIGCONT)
        self.assertEqual(self.system.told("CallFiltered"), [])
        for call in calls:
            self.wait_row(call, missed=True, filtered="", reason="remote-ended")
        self.assertRefused(self.ring("+46701740636"), "FilteredByDoNotDisturb")

    def test_while_the_store_is_killed_again_and_again(self):
        self.set("DoNotDisturb", True).result()
        for _ in range(5):
            os.kill(self.store(), signal.SIGKILL)
            call = self.ring("+46701740635").result()
            wait_until(lambda: self.system.shown(call, "RingMode"), "it does not ring")
            self.provider.remote_end(call).result()
        self.assertEqual(self.system.told("CallFiltered"), [])


class StoreNeverThere(Filtering):
    arguments = ("--store", "/bin/false")

    def test_a_call_neither_disturbs_nor_is_turned_away(self):
        self.set("DoNotDisturb", True).result()
        call = self.report().result()
        wait_until(lambda: self.system.shown(call, "RingMode") == "silent", "it is not silent")
        self.answer(call).result()
        self.assertState(call, "active")


class AcrossRestarts(Filtering):
    def restart(self):
        self.system.daemon.terminate()
        exited(self.system.daemon)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.provider = Provider(self.system)

    @property
    def path(self):
        return f"{self.system.folder.name}/config/opencallkit/do-not-disturb"

    def test_what_was_set_is_in_force_again(self):
        days = dbus.Array(["sat", "sun"], signature="s")
        self.set_rules(manual=True, allow_favorites=False, providers_allowed=dbus.Array(["app_Beta"], signature="s"),
                       schedule=periods(("22:30", "07:00", days))).result()
        before = self.rules()
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.restart()
        self.assertEqual(self.rules(), before)
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")

    def test_a_file_that_is_not_understood_is_noted_and_the_rest_counts(self):
        for content, is_on in (
                (b"", False), (b"do-not-disturb on=maybe\n", False), (b"\xff\xfe\x00", False), (b"quiet\n", False),
                (b"do-not-disturb on=yes", False),
                (b"do-not-disturb on=yes\n" + b"quiet from=22:00 until=07:00 days=mon\n" * 17, True),
                (b"do-not-disturb on=yes\nquiet from=\xe2\x80\xae until=07:00 days=\n", True)):
            with self.subTest(content=content):
                self.set_rules(manual=True).result()
                with open(self.path, "wb") as file:
                    file.write(content)
                self.system.events.clear()
                self.restart()
                self.wait_told("Anomaly", "bad-settings", ROOT)
                self.assertEqual(self.property(ROOT, "DoNotDisturb", SYSTEM), is_on)
                self.assertTrue(self.rules()["allow-favorites"])

    def test_what_cannot_be_kept_is_refused(self):
        with open(f"{self.system.folder.name}/config", "wb"):
            pass
        for pending in (self.set_rules(manual=True), self.set("DoNotDisturb", True)):
            self.assertRefused(pending, "StoreUnavailable")
            self.assertIn(f"{self.system.folder.name}/config", pending.error_text)
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.assertFalse(self.rules()["manual"])
        self.report().result()
