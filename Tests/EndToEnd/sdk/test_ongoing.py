"""Calls that are connected already when their provider reports them, and networks that only exchange calls, with the
SDK and the real daemon."""

import time

import dbus

from support.messages import ERROR
from support.provider import Provider
from support.surface import SurfaceTest, action
from support.system import CALL, IDENTITY, ROOT
from support.waiting import wait_until

INCOMING = "com.apple.CallKit.error.incomingcall"


class Ongoing:
    def setUp(self):
        super().setUp()
        self.stranger = Provider(self.system, "Stranger")

    def ongoing(self, ends=False, **values):
        """An ongoing call of the fixture, once it is reported; one that is ended at once may be over by then."""
        told = self.press("incoming", **{"as": "ongoing", **values})
        self.assertNotIn("error", told)
        self.assertTrue(told["seen"] or ends, "its own observer does not know it yet")
        return f"{ROOT}/calls/{told['call'].replace('-', '_')}"

    def refused(self, **values):
        told = self.press("incoming", **{"as": "ongoing", **values})
        self.assertEqual(told["error"], INCOMING)
        return int(told["code"]), str(told["name"]).removeprefix(ERROR)

    def holds(self):
        return [line for line in self.log() if line.split()[0] in ("set-held", "end")]

    def test_on_a_free_line_it_is_active(self):
        since = time.time() - 60
        call = self.ongoing(handle="ada", outgoing=True, at=since)
        self.wait_state(call, "active")
        shown = self.system.get_all(call, CALL)
        self.assertEqual((shown["Direction"], shown["HeldBy"], shown["Provider"]), ("outgoing", "", self.path))
        self.assertLess(abs(shown["ConnectedAt"] - since * 1e6), 5, "µs")
        self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), ("generic", "ada"))
        self.heard("activated true")
        self.assertEqual(self.holds(), [])
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")

    def test_without_a_date_it_is_connected_now(self):
        before = time.time()
        call = self.ongoing(handle="ada")
        self.wait_state(call, "active")
        self.assertEqual(self.property(call, "Direction"), "incoming")
        self.assertTrue(before * 1e6 <= self.property(call, "ConnectedAt") <= time.time() * 1e6)

    def test_while_another_provider_s_call_is_active_it_is_held(self):
        theirs = self.stranger.active()
        call = self.ongoing(handle="ada", held=False)
        self.wait_state(call, "held")
        self.assertEqual(self.property(call, "HeldBy"), "arbiter")
        self.assertState(theirs, "active")
        self.assertEqual((self.holds(), self.stranger.kinds()), (["set-held true"], []))
        self.assertNotIn("activated true", self.log())
        self.end(theirs).result()
        self.wait_state(call, "active")
        self.heard("set-held true", "set-held false", "activated true")

    def test_the_hold_may_be_answered_later(self):
        theirs = self.stranger.active()
        self.behave("set-held", "keep")
        call = self.ongoing(handle="ada")
        self.heard("set-held true")
        self.assertState(call, "holding")
        self.press("answer-kept")
        self.wait_state(call, "held")
        self.assertState(theirs, "active")

    def test_if_it_refuses_the_hold_it_is_ended(self):
        theirs = self.stranger.active()
        self.behave("set-held", "fail")
        call = self.ongoing(handle="ada", ends=True)
        self.assertEnded(call, "displaced", "arbiter")
        self.heard("set-held true", "end")
        self.assertState(theirs, "active")

    def test_if_it_cannot_be_held_it_is_ended(self):
        theirs = self.stranger.active()
        call = self.ongoing(handle="ada", holding=False, ends=True)
        self.assertEnded(call, "displaced", "arbiter")
        self.assertEqual(self.holds(), ["end -"])
        self.assertState(theirs, "active")

    def test_one_that_its_network_holds_stays_on_hold(self):
        call = self.ongoing(handle="ada", held=True)
        self.wait_state(call, "held")
        self.assertEqual((self.property(call, "HeldBy"), self.holds()), ("provider", []))
        self.resume(call).result()
        self.assertState(call, "active")
        self.assertEqual(self.holds(), ["set-held false"])

    def test_its_call_is_one_like_others(self):
        call = self.ongoing(handle="ada")
        self.assertEqual(self.ask(action("set-muted", self.id_of(call), isMuted=True), button="perform"), {})
        self.press("report", what="updated", call=self.id_of(call), name="Ada")
        wait_until(lambda: self.property(call, "CallerName", IDENTITY) == "Ada", "the name does not change")
        self.press("report", what="ended", call=self.id_of(call))
        self.assertEnded(call, "remote-ended", "remote")

    def test_refusals_have_their_codes(self):
        call = self.ongoing(handle="ada")
        self.assertEqual(self.refused(call=self.id_of(call), handle="ada"), (2, "CallUUIDAlreadyExists"))
        for wrong in ("a" * 257, "a\u2400da"):
            self.assertEqual(self.refused(handle=wrong), (0, "InvalidArguments"))
        self.end(call).result()
        self.assertEqual(self.refused(call=self.id_of(call), handle="ada"), (2, "CallUUIDAlreadyExists"))
        services = Provider(self.system, "Services", delegate="/services", supported_handle_types=["phone-number"],
                            emergency_numbers=["112"])
        self.mark(services)
        emergency = self.start_call("tel:112", provider=dbus.ObjectPath(services.path)).result()
        self.wait_state(emergency, "active")
        held = self.ongoing(handle="ada")
        self.wait_state(held, "held")


class Exchange:
    """A provider that declares that its network only exchanges the active call with the held one."""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.system.shown(self.path, "HoldModel"), "per-call")
        self.press("configure", **{"hold-model": "swap"})
        wait_until(lambda: self.system.shown(self.path, "HoldModel") == "swap", "the hold model stays")
        self.held, self.active = self.surface_call("generic:one"), self.surface_call("generic:other")
        self.forget()

    def report(self, call, on_hold):
        self.assertEqual(self.press("report", what="updated", call=self.id_of(call), **{"on-hold": on_hold}), {})

    def holds(self):
        return [line for line in self.log() if line.startswith("set-held")]

    def assertExchanged(self):
        self.wait_state(self.held, "active")
        self.wait_state(self.active, "held")

    def test_its_reports_are_facts(self):
        self.report(self.held, False)
        self.report(self.active, True)
        self.assertExchanged()
        self.assertEqual(self.property(self.active, "HeldBy"), "provider")
        self.assertEqual((self.holds(), self.system.told("Anomaly")), ([], []))

    def test_with_the_other_hold_model_the_same_report_is_a_request(self):
        self.end(self.held).result()
        self.press("configure", **{"hold-model": "per-call"})
        wait_until(lambda: self.system.shown(self.path, "HoldModel") == "per-call", "the hold model stays")
        self.end(self.active).result()
        self.held, self.active = self.surface_call("generic:one"), self.surface_call("generic:other")
        self.forget()
        self.report(self.held, False)
        self.assertExchanged()
        self.assertEqual(self.holds(), ["set-held true", "set-held false"])

    def test_holding_the_active_call_is_an_exchange_in_one_transaction(self):
        self.press("execute", executes=True)
        self.hold(self.active).result()
        self.assertExchanged()
        self.heard("execute CXSetHeldCallAction CXSetHeldCallAction")

    def test_the_exchange_may_be_reported_before_the_answers(self):
        self.behave("set-held", "keep")
        hold = self.hold(self.active)
        self.heard("set-held true")
        self.report(self.held, False)
        self.report(self.active, True)
        hold.result()
        self.press("answer-kept")
        self.assertExchanged()
        self.assertEqual(self.holds(), ["set-held true"])

    def test_another_provider_s_call_cannot_have_one_of_the_two_heard(self):
        theirs = Provider(self.system, "Stranger").incoming()
        self.assertRefused(self.answer(theirs), "CannotHoldActiveCall", self.active)
        self.assertEqual(self.holds(), [])


class OngoingInPlugin(Ongoing, SurfaceTest):
    pass


class OngoingInApp(Ongoing, SurfaceTest):
    in_app = True


class ExchangeInPlugin(Exchange, SurfaceTest):
    pass


class ExchangeInApp(Exchange, SurfaceTest):
    in_app = True
