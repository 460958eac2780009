"""Screening, as providers, screeners and watchers see it."""

from support.filters import CALLER, HANDLE, Filtering
from support.messages import uuid_of, variants
from support.provider import Provider
from support.screener import Screener
from support.system import ROOT, SYSTEM
from support.waiting import wait_until

REASONS = {
    "blocked": "FilteredByBlockList",
    "do-not-disturb": "FilteredByDoNotDisturb",
    "restricted-sharing": "FilteredDuringRestrictedSharingMode",
    "sensitive-participants": "FilteredBySensitiveParticipants",
}


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
        for number, deed in enumerate(["answer_nonsense", "fail", "hand_on", "perhaps"], 1):
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
        for path in ("/second", "/third", "/fourth"):
            register(path).result()
        self.assertRefused(register("/one/too/many"), "LimitsExceeded")
        screener.unregister().result()
        register("/one/too/many").result()

    def test_an_emergency_is_not_screened(self):
        screener = Screener(self.system, ("reject", ""))
        self.set("DoNotDisturb", True).result()
        self.mark(self.provider)
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
    deadlines = {"screen": 2_000}

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
