"""Who may ring: screening and Do Not Disturb, as providers, screeners and watchers see them."""

import os
import signal
import uuid

import dbus

from provider import Provider
from screener import Screener
from store import StoreTest
from support import (FAVORITES, FAVORITES1, IDENTITY, PROPERTIES, ROOT, SYSTEM, SystemTest, exited, uuid_of, variants,
                     wait_until)

HANDLE = ("phone-number", "+15557770123")
CALLER = "Zacharias Quartermaine"
REASONS = {
    "blocked": "FilteredByBlockList",
    "do-not-disturb": "FilteredByDoNotDisturb",
    "restricted-sharing": "FilteredDuringRestrictedSharingMode",
    "sensitive-participants": "FilteredBySensitiveParticipants",
}


class Filtering(SystemTest):
    arguments = ("--no-store",)

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)

    def report(self, handle=HANDLE, **update):
        return self.provider.report_incoming(handle=handle, localized_caller_name=CALLER, **update)

    def set(self, name, value, connection=None):
        return self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, name, value, connection=connection)

    def set_rules(self, **rules):
        values = {key.replace("_", "-"): value for key, value in rules.items()}
        return self.set("DoNotDisturbRules", dbus.Dictionary(values, signature="sv", variant_level=1))

    def rules(self):
        return self.property(ROOT, "DoNotDisturbRules", SYSTEM)

    def assertFiltered(self, pending, name, reason, by, count=1):
        self.assertRefused(pending, name)
        told = wait_until(lambda: len(self.system.told("CallFiltered")) >= count and self.system.told("CallFiltered"),
                          "CallFiltered was not told")
        self.assertEqual(told[-1].arguments, [self.provider.path, reason, by])
        self.assertEqual(len(told), count)


class Screening(Filtering):
    def test_a_screener_hears_who_calls_before_anybody_else(self):
        screener = Screener(self.system)
        pending = self.report(has_video=True)
        question = screener.wait_asked()
        self.assertEqual(question.handle, HANDLE)
        self.assertEqual(question.details, {"provider": self.provider.path, "caller-name": CALLER, "favorite": False,
                                            "caller-name-source": "provider", "has-video": True})
        self.system.sync()
        self.assertEqual(self.system.told("InterfacesAdded", question.path), [])
        self.assertFalse(pending.done)
        question.answer("allow", "a friend")
        call = pending.result()
        self.assertEqual(uuid_of(call), question.call)
        wait_until(lambda: self.system.shown(call, "RingMode") == "audible", "it does not ring aloud")

    def test_each_reason_is_told_to_the_provider(self):
        screener = Screener(self.system)
        for number, (reason, name) in enumerate(REASONS.items(), 1):
            screener.verdict = ("reject", reason)
            self.assertFiltered(self.report(), name, reason, "screener", count=number)
        screener.verdict = ("reject", "it called too often")
        self.assertFiltered(self.report(), "FilteredByBlockList", "blocked", "screener", count=len(REASONS) + 1)
        self.assertEqual(self.system.told("InterfacesAdded"), self.system.told("InterfacesAdded", self.provider.path))

    def test_silence(self):
        Screener(self.system, ("silence", "nobody knows it"))
        call = self.report().result()
        wait_until(lambda: self.system.shown(call, "RingMode") == "silent", "it is not silent")
        self.answer(call).result()
        self.assertState(call, "active")

    def test_the_strictest_counts_and_all_are_asked_at_once(self):
        screeners = [Screener(self.system) for _ in range(3)]
        pending = self.report()
        questions = [screener.wait_asked() for screener in screeners]
        questions[0].answer("allow")
        questions[1].answer("reject", "restricted-sharing")
        self.assertFiltered(pending, REASONS["restricted-sharing"], "restricted-sharing", "screener")
        questions[2].answer("allow")
        self.system.sync(screeners[2].connection)
        self.assertEqual(self.system.told("Anomaly"), [])

    def test_nonsense_lets_the_call_through_and_is_noted(self):
        screener = Screener(self.system)
        for number, deed in enumerate(["answer_nonsense", "fail", "perhaps"], 1):
            pending = self.report()
            question = screener.wait_asked(number)
            if deed == "perhaps":
                question.answer("perhaps", CALLER)
            else:
                getattr(question, deed)()
            call = pending.result()
            wait_until(lambda: len(self.system.told("Anomaly", "bad-verdict", ROOT)) >= number, "it was not noted")
            self.assertEqual(len(self.system.told("Anomaly", "bad-verdict")), number)
            self.assertNotIn(CALLER, repr(self.system.told("Anomaly")))
            self.provider.remote_end(call).result()

    def test_one_that_leaves_is_not_waited_for(self):
        gone, polite, last = (Screener(self.system, path=f"/screener/{number}") for number in range(3))
        pending = self.report()
        for screener in (gone, polite, last):
            screener.wait_asked()
        gone.vanish()
        polite.unregister().result()
        self.assertFalse(pending.done)
        last.vanish()
        pending.result()
        self.assertRefused(polite.unregister(), "InvalidArguments")
        self.report().result()
        self.assertEqual(len(polite.questions), 1)

    def test_reports_meanwhile_have_their_turn(self):
        screener = Screener(self.system)
        pending = self.report()
        question = screener.wait_asked()
        update = self.provider.update(question.path, has_video=True)
        end = self.provider.remote_end(question.path)
        stranger = Provider(self.system, "Beta")
        self.assertRefused(stranger.remote_end(question.path), "UnknownCall")
        self.assertFalse(update.done or end.done)
        question.answer("allow")
        call = pending.result()
        update.result()
        end.result()
        self.assertEnded(call, "remote-ended", "remote")

    def test_a_provider_that_dies_leaves_nothing_behind(self):
        screener = Screener(self.system)
        self.report()
        question = screener.wait_asked()
        self.provider.vanish()
        wait_until(lambda: self.system.told("InterfacesRemoved", self.provider.path), "the provider is still there")
        question.answer("allow")
        self.system.sync(screener.connection)
        self.assertEqual(self.system.told("InterfacesAdded", question.path), [])

    def test_who_may_register(self):
        screener = Screener(self.system, name="Watchful")

        def register(path, signature="oa{sv}", **options):
            return self.system.call(ROOT, SYSTEM, "RegisterScreener", signature, path, variants(options),
                                    connection=screener.connection)
        self.assertRefused(register("/"), "InvalidArguments")
        self.assertRefused(register(screener.path), "InvalidArguments")
        self.assertRefused(register("/other", name=7), "InvalidArguments")
        for number in range(7):
            register(f"/screener/{number}").result()
        self.assertRefused(register("/one/too/many"), "LimitsExceeded")
        screener.unregister().result()
        register("/one/too/many").result()

    def test_an_emergency_is_not_screened(self):
        screener = Screener(self.system, ("reject", ""))
        self.set("DoNotDisturb", True).result()
        self.report(emergency=True).result()
        self.assertEqual(screener.questions, [])

    def test_no_signal_and_no_other_client_hears_who_was_filtered(self):
        Screener(self.system, ("reject", f"it is {CALLER}"))
        self.assertFiltered(self.report(), "FilteredByBlockList", "blocked", "screener")
        told = repr(self.system.events)
        for secret in (CALLER, HANDLE[1]):
            self.assertNotIn(secret, told)
            self.assertNotIn(secret, self.system.read_log())


class ScreeningTooLate(Filtering):
    deadlines = {"screen": 200}

    def test_the_call_rings_and_the_verdict_means_nothing(self):
        quick = Screener(self.system, ("silence", ""))
        slow = Screener(self.system)
        call = self.report().result()
        self.assertEqual(len(quick.questions), 1)
        self.wait_told("Anomaly", "slow-screener", ROOT)
        slow.wait_asked().answer("reject")
        self.system.sync(slow.connection)
        self.assertState(call, "ringing")
        self.assertEqual(self.property(call, "RingMode"), "silent")
        self.assertEqual(self.system.told("CallFiltered"), [])


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
        always = dbus.Array([("00:00", "00:00", dbus.Array([], signature="s"))], signature="(ssas)")
        self.set_rules(schedule=always).result()
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        wait_until(lambda: self.system.shown(ROOT, "DoNotDisturb"), "it was not announced")
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")
        self.set("DoNotDisturb", False).result()
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.report().result()
        self.set_rules(schedule=always).result()
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.set_rules(schedule=dbus.Array([], signature="(ssas)")).result()
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))

    def test_nonsense_is_refused_and_changes_nothing(self):
        before = self.rules()
        days = dbus.Array(["fri"], signature="s")
        for rules in ({"manual": "yes"}, {"schedule": "always"}, {"allow-favorites": dbus.UInt32(1)},
                      {"schedule": dbus.Array([("25:00", "07:00", days)], signature="(ssas)")},
                      {"schedule": dbus.Array([("7", "08:00", days)], signature="(ssas)")},
                      {"schedule": dbus.Array([("07:00", "08:00", ["someday"])], signature="(ssas)")},
                      {"schedule": dbus.Array([("07:00", "08:00", days)] * 17, signature="(ssas)")},
                      {"providers-allowed": dbus.Array(["no provider"], signature="s")},
                      {"providers-allowed": dbus.Array(["P"] * 65, signature="s")}):
            with self.subTest(rules=rules):
                self.assertRefused(self.set_rules(**rules, allow_repeated=False), "InvalidArguments")
                self.assertEqual(self.rules(), before)
        self.set_rules(nonsense=7).result()
        self.assertEqual(self.rules(), before)


class WithStore(Filtering, StoreTest):
    """With the store, which knows favourites and how numbers are written."""

    arguments = ("--region", "SE")
    deadlines = {"look-up": 2_000}

    def setUp(self):
        super().setUp()
        self.favorite("070-174 06 35", "Monkey")

    def favorite(self, number, name):
        """Adds one, once the store is there."""
        def added():
            pending = self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss",
                                       dbus.Struct(("phone-number", number)), name, "").wait()
            return pending.error is None
        wait_until(added, "the store is not there")

    def ring(self, number, **update):
        return self.provider.report_incoming(handle=("phone-number", number), **update)


class KnownCallers(WithStore):
    def test_a_favourite_has_a_name_before_anybody_is_told(self):
        call = self.ring("+46701740635").result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Monkey")
        self.assertEqual(self.property(call, "CallerNameSource", IDENTITY), "contacts")
        self.assertEqual(self.system.told("PropertiesChanged", IDENTITY), [])
        named = self.ring("0701740635", localized_caller_name=CALLER).result()
        self.assertEqual(self.property(named, "CallerName", IDENTITY), CALLER)
        self.assertEqual(self.property(named, "CallerNameSource", IDENTITY), "provider")
        self.provider.update(call, localized_caller_name=CALLER).result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), CALLER)

    def test_do_not_disturb_lets_a_favourite_through(self):
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
                         (True, "Monkey", "contacts"))
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
        self.system.call(f"{ROOT}/directory", "org.opencallkit.Directory1", member, "s", rule).result()

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
        emergency = self.ring("0701740635", emergency=True).result()
        self.provider.remote_end(emergency).result()
        row = self.wait_row(emergency, open=False)
        self.assertEqual((row["name"], row["name-source"], row.get("filtered", "")), ("Monkey", "contacts", ""))
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
        self.assertIn("it called too often", row["screening"])
        screener.verdict = ("silence", "nobody knows it")
        call = self.report(call_id=silenced).result()
        screener.vanish()
        self.provider.remote_end(call).result()
        row = self.wait_row(call, filtered_by="Watchful", missed=True, reason="remote-ended")
        self.assertIn("silence", row["screening"])
        self.assertIn("nobody knows it", row["screening"])
        self.assertEqual(row.get("filtered", ""), "")
        screener = Screener(self.system, ("allow", "a friend\u202e" + "d" * 1_000_000), name="Watchful")
        call = self.report().result()
        self.provider.remote_end(call).result()
        row = self.wait_row(call, filtered_by="Watchful", missed=True)
        self.assertTrue(row["screening"].startswith("allow"), row["screening"])
        self.assertRegex(row["screening"], "a friendd{100,120}$")


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


class StoreSilentOrDead(WithStore):
    """Whoever cannot be asked turns nobody away, and nobody is disturbed."""

    deadlines = {"look-up": 300}

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


class DuringAnEmergency(WithStore):
    def setUp(self):
        super().setUp()
        Provider(self.system, "Operator", supported_handle_types=dbus.Array(["phone-number"], signature="s"))
        self.emergency = self.start_call("tel:112").result()
        self.wait_state(self.emergency, "active")

    def test_who_calls_is_missed_and_told_of(self):
        self.assertFiltered(self.ring("0701740635"), "EmergencyInProgress", "emergency", "emergency")
        rows = wait_until(lambda: self.rows(missed=True), "no row")
        self.assertEqual([(str(rows[0][key])) for key in ("filtered", "filtered-by", "reason", "name", "name-source")],
                         ["emergency", "emergency", "filtered", "Monkey", "contacts"])
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
        self.set_rules(manual=True, allow_favorites=False, providers_allowed=dbus.Array(["Beta"], signature="s"),
                       schedule=dbus.Array([("22:30", "07:00", days)], signature="(ssas)")).result()
        before = self.rules()
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.restart()
        self.assertEqual(self.rules(), before)
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")

    def test_a_file_that_is_not_understood_is_noted(self):
        for content in (b"", b"do-not-disturb on=maybe\n", b"\xff\xfe\x00", b"quiet\n", b"do-not-disturb on=yes",
                        b"do-not-disturb on=yes\n" + b"quiet from=22:00 until=07:00 days=mon\n" * 17,
                        b"do-not-disturb on=yes\nquiet from=\xe2\x80\xae until=07:00 days=\n"):
            with self.subTest(content=content):
                self.set_rules(manual=True).result()
                with open(self.path, "wb") as file:
                    file.write(content)
                self.system.events.clear()
                self.restart()
                self.wait_told("Anomaly", "bad-settings", ROOT)
                self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))
                self.assertTrue(self.rules()["allow-favorites"])

    def test_no_place_to_keep_it_is_no_obstacle(self):
        with open(f"{self.system.folder.name}/config", "wb"):
            pass
        self.set_rules(manual=True).result()
        self.assertRefused(self.report(), "FilteredByDoNotDisturb")
        self.assertIn("do not disturb is forgotten", self.system.read_log())
