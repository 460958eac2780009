"""Who may ring: what the store and an emergency call have to do with it."""

import os
import signal
import uuid

import dbus

from support.filters import CALLER, HANDLE, WithStore
from support.provider import Provider
from support.screener import Screener
from support.system import IDENTITY, ROOT
from support.waiting import wait_until


class KnownCallers(WithStore):
    def test_a_favorite_has_a_name_before_anybody_is_told(self):
        call = self.ring("+46701740635").result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Monkey")
        self.assertEqual(self.property(call, "CallerNameSource", IDENTITY), "favorite")
        self.assertEqual(self.system.told("PropertiesChanged", IDENTITY), [])
        named = self.ring("0701740635", localized_caller_name=CALLER).result()
        self.assertEqual(self.property(named, "CallerName", IDENTITY), CALLER)
        self.assertEqual(self.property(named, "CallerNameSource", IDENTITY), "provider")
        self.provider.update(call, localized_caller_name=CALLER).result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), CALLER)

    def test_do_not_disturb_lets_a_favorite_through(self):
        self.set("DoNotDisturb", True).result()
        self.ring("+46 70 174 06 35").result()
        self.assertRefused(self.ring("+46701740636"), "FilteredByDoNotDisturb")
        self.assertRefused(self.provider.report_incoming(handle=None), "FilteredByDoNotDisturb")
        self.set_rules(allow_favorites=False).result()
        self.assertRefused(self.ring("+46701740635"), "FilteredByDoNotDisturb")

    def test_a_repeated_caller_is_known_however_the_number_is_written(self):
        self.set("DoNotDisturb", True).result()
        self.assertRefused(self.ring("08-123 456 78"), "FilteredByDoNotDisturb")
        self.ring("+46812345678").result()

    def test_a_screener_hears_what_is_known(self):
        screener = Screener(self.system, ("allow", ""))
        self.ring("070-1740635").result()
        details = screener.wait_asked().details
        self.assertEqual((details["favorite"], details["caller-name"], details["caller-name-source"]),
                         (True, "Monkey", "favorite"))
        self.assertEqual(tuple(details["normalized"]), ("phone-number", "+46701740635"))

    def test_calls_ring_while_the_store_comes_back(self):
        os.kill(self.store(), signal.SIGKILL)
        for _ in range(8):
            call = self.ring("+46701740635").result()
            self.provider.remote_end(call).result()
        self.favorite("1", "One")
        call = self.ring("+46701740635").result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Monkey")


class Order(WithStore):
    """Allow list, block lists, Do Not Disturb, screeners."""

    def rule(self, member, rule):
        self.system.call(f"{ROOT}/directory", "org.opencallkit.Rules1", member, "s", rule).result()

    def test_each_filter_has_its_turn(self):
        screener = Screener(self.system, ("reject", "restricted-sharing"))
        self.rule("Block", "+46701740635")
        self.set("DoNotDisturb", True).result()
        self.assertFiltered(self.ring("070-174 06 35"), "FilteredByBlockList", "blocked", "user")
        self.assertEqual(screener.questions, [])
        self.rule("Allow", "+46701740635")
        call = self.ring("0701740635").result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Monkey")
        self.provider.remote_end(call).result()
        self.rule("Disallow", "+46701740635")
        self.mark(self.provider)
        emergency = self.ring("0701740635", emergency=True).result()
        self.provider.remote_end(emergency).result()
        row = self.wait_row(emergency, open=False)
        self.assertEqual((row["name"], row["name-source"], row.get("filtered", "")), ("Monkey", "favorite", ""))
        self.assertFiltered(self.ring("0701740635"), "FilteredByBlockList", "blocked", "user", count=2)
        self.rule("Unblock", "+46701740635")
        self.set_rules(allow_favorites=False).result()
        self.assertFiltered(self.ring("0701740635"), "FilteredByDoNotDisturb", "do-not-disturb", "do-not-disturb",
                            count=3)
        self.set_rules(allow_favorites=True).result()
        self.assertFiltered(self.ring("0701740635"), "FilteredDuringRestrictedSharingMode", "restricted-sharing",
                            "screener", count=4)
        screener.unregister().result()
        self.ring("0701740635").result()
        self.assertEqual(len(screener.questions), 1)
        self.assertNotIn("0635", repr(self.system.told("CallFiltered")))


class Remembered(WithStore):
    """What is kept of calls that were filtered or screened."""

    def test_a_call_filtered_by_do_not_disturb_is_missed_not_lost(self):
        self.set("DoNotDisturb", True).result()
        call = str(uuid.uuid4())
        self.assertRefused(self.report(call_id=call), "FilteredByDoNotDisturb")
        row = self.wait_row(f"/{call}", filtered="do-not-disturb", filtered_by="do-not-disturb", missed=True)
        self.assertEqual((tuple(row["handle"]), row["name"], row["reason"]), (HANDLE, CALLER, "filtered"))
        self.assertRefused(self.provider.report_incoming(call), "CallUUIDAlreadyExists")

    def test_verdicts_are_kept_with_who_gave_them(self):
        screener = Screener(self.system, ("reject", "it called too often"), name="Watchful")
        rejected, silenced = str(uuid.uuid4()), str(uuid.uuid4())
        self.assertRefused(self.report(call_id=rejected), "FilteredByBlockList")
        row = self.wait_row(f"/{rejected}", filtered="blocked", filtered_by="Watchful", missed=False)
        self.assertEqual((row["screening"], row["screening-reason"]), ("reject", "it called too often"))
        screener.verdict = ("silence", "nobody knows it")
        call = self.report(call_id=silenced).result()
        screener.vanish()
        self.provider.remote_end(call).result()
        row = self.wait_row(call, filtered_by="Watchful", missed=True, reason="remote-ended")
        self.assertEqual((row["screening"], row["screening-reason"], row["filtered"]), ("silence", "nobody knows it", ""))
        screener = Screener(self.system, ("allow", "a friend\u202e" + "d" * 1_000_000), name="Watchful")
        call = self.report().result()
        self.provider.remote_end(call).result()
        row = self.wait_row(call, filtered_by="Watchful", missed=True)
        self.assertEqual(row["screening"], "allow")
        self.assertRegex(row["screening-reason"], "^a friendd{100,120}$")


class UnknownInTime(WithStore):
    deadlines = {"look-up": 200}

    def test_a_call_rings_though_the_store_says_nothing(self):
        store = self.store()
        os.kill(store, signal.SIGSTOP)
        try:
            call = self.ring("+46701740635").result()
            self.assertEqual(self.property(call, "CallerName", IDENTITY), "")
            self.assertState(call, "ringing")
        finally:
            os.kill(store, signal.SIGCONT)


class DuringAnEmergency(WithStore):
    def setUp(self):
        super().setUp()
        self.mark(Provider(
            self.system, "Operator", supported_handle_types=dbus.Array(["phone-number"], signature="s"),
            emergency_numbers=["112"]))
        self.emergency = self.start_call("tel:112").result()
        self.wait_state(self.emergency, "active")

    def test_who_calls_is_missed_and_told_of(self):
        self.assertFiltered(self.ring("0701740635"), "EmergencyInProgress", "emergency", "emergency")
        rows = wait_until(lambda: self.rows(missed=True), "no row")
        self.assertEqual([(str(rows[0][key])) for key in ("filtered", "filtered-by", "reason", "name", "name-source")],
                         ["emergency", "emergency", "filtered", "Monkey", "favorite"])
        self.assertFalse(rows[0]["read"])
        told = repr(self.system.events)
        self.assertNotIn("0701740635", told)
        self.assertNotIn("Monkey", told)

    def test_one_that_was_being_screened_is_missed(self):
        self.end(self.emergency).result()
        screener = Screener(self.system)
        pending = self.ring("+46701740636")
        question = screener.wait_asked()
        self.wait_state(self.start_call("tel:112").result(), "active")
        question.answer("allow")
        self.assertRefused(pending, "EmergencyInProgress")
        rows = wait_until(lambda: self.rows(missed=True), "no row")
        self.assertEqual(str(rows[0]["filtered"]), "emergency")
