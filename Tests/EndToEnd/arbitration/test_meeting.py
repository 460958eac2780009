"""Where the rules meet: redundant and contrary requests, dialing calls in the way, errors, reports, emergencies."""

import time
import uuid

import dbus

from support.messages import ERROR, uuid_of, variants
from support.provider import Provider
from support.scene import TwoProviders
from support.system import CALL, ROOT, SYSTEM
from support.waiting import wait_until

UNKNOWN = dbus.ObjectPath(f"{ROOT}/calls/00000000_0000_4000_8000_000000000000")


class RedundantRequests(TwoProviders):
    def test_holding_a_held_call_is_not_performed(self):
        a = self.alpha.active()
        self.hold(a).result()
        self.hold(a).result()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-held+"])

    def test_resuming_an_active_call_is_not_performed(self):
        a = self.alpha.active()
        self.resume(a).result()
        self.assertUntouched(self.alpha)

    def test_a_request_that_equals_a_pending_one_joins_it(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-held"] = "wait"
        holds = [self.hold(a, connection=self.system.connect()) for _ in range(2)]
        action = self.alpha.wait_action("set-held")
        self.system.sync()
        action.fulfil()
        for hold in holds:
            hold.result()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-held+"])

    def test_a_contrary_request_waits_its_turn(self):
        a = self.alpha.active()
        self.alpha.behaviour["set-held"] = "wait"
        hold = self.hold(a)
        first = self.alpha.wait_action("set-held")
        resume = self.resume(a)
        self.system.sync()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-held+"])
        first.fulfil()
        hold.result()
        self.alpha.wait_action("set-held", 2).fulfil()
        resume.result()
        self.assertEqual(self.alpha.kinds(), ["set-held+", "set-held-"])
        self.assertState(a, "active")

    def test_a_second_end_joins_the_first(self):
        a = self.alpha.active()
        self.alpha.behaviour["end"] = "wait"
        ends = [self.end(a), self.end(a)]
        action = self.alpha.wait_action("end")
        self.system.sync()
        action.fulfil()
        for end in ends:
            end.result()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["end"])


class Dialing(TwoProviders):
    def setUp(self):
        super().setUp()
        self.alpha.connects = False
        self.dialing = self.outgoing(self.alpha)

    def test_an_answer_is_refused(self):
        b = self.beta.incoming()
        self.assertEqual(self.property(b, "AnswerOptions"), ["end-and-answer", "decline"])
        self.assertRefused(self.answer(b), "OutgoingCallInProgress", self.dialing)
        self.assertUntouched(self.alpha)
        self.assertState(b, "ringing")

    def test_end_and_accept_ends_it_first(self):
        b = self.beta.incoming()
        self.answer(b, conflict="end").result()
        self.assertEnded(self.dialing, "local-ended", "user")
        self.assertState(b, "active")

    def test_a_resume_is_refused(self):
        b = self.beta.incoming()
        self.answer(b, conflict="end").result()
        self.hold(b).result()
        dialing = self.outgoing(self.alpha)
        self.assertRefused(self.resume(b), "OutgoingCallInProgress", dialing)


class Errors(TwoProviders):
    def test_a_hold_before_it_is_connected(self):
        a = self.alpha.incoming()
        self.assertRefused(self.hold(a), "InvalidAction", a)

    def test_a_hold_without_the_capability(self):
        a = self.alpha.active(supports_holding=False)
        self.assertRefused(self.hold(a), "NotSupported", a)

    def test_a_hold_that_is_not_possible_now(self):
        a = self.alpha.active(can_hold_now=False)
        self.assertRefused(self.hold(a), "InvalidAction", a)

    def test_tones_on_a_call_that_takes_none(self):
        a = self.alpha.active(supports_dtmf=False)
        self.assertRefused(self.system.call(a, CALL, "PlayDTMF", "s", "1"), "NotSupported", a)

    def test_tones_on_a_held_call(self):
        a = self.alpha.active()
        self.hold(a).result()
        self.assertRefused(self.system.call(a, CALL, "PlayDTMF", "s", "1"), "InvalidAction", a)

    def test_an_outgoing_call_is_not_answered(self):
        a = self.outgoing(self.alpha)
        self.assertRefused(self.answer(a), "InvalidAction", a)

    def test_nobody_takes_the_handle(self):
        self.assertRefused(self.start_call("tel:+15550100"), "UnknownProvider")

    def test_no_such_provider(self):
        path = dbus.ObjectPath(f"{ROOT}/providers/nobody")
        self.assertRefused(self.start_call("generic:x", provider=path), "UnknownProvider")

    def test_a_path_that_never_was(self):
        self.assertRefused(self.end(UNKNOWN), "org.freedesktop.DBus.Error.UnknownObject")
        self.assertRefused(self.request([("end", {"call": UNKNOWN})]), "UnknownCall")
        a = self.alpha.active()
        self.assertRefused(self.group(a, UNKNOWN), "UnknownCall")

    def test_an_ended_call_and_what_is_left_of_it(self):
        a = self.alpha.active()
        path = dbus.ObjectPath(a)
        self.end(a).result()
        self.assertRefused(self.end(a), "AlreadyEnded", a)
        self.assertRefused(self.answer(a), "AlreadyEnded", a)
        self.assertRefused(self.request([("end", {"call": path})]), "AlreadyEnded", a)
        self.assertGreater(self.property(a, "EndedAt"), 0)
        self.assertTrue(self.system.call(a, CALL, "Explain").result())
        wait_until(lambda: a not in self.system.objects, "the object stays for more than 5 s", 8)
        self.assertRefused(self.request([("end", {"call": path})]), "UnknownCall")
        self.assertRefused(self.end(a), "UnknownCall")
        again = self.alpha.report_incoming(uuid_of(a))
        self.assertRefused(again, "CallUUIDAlreadyExists")

    def test_a_uuid_is_never_used_twice_by_whomever(self):
        identity = str(uuid.uuid4())
        call = self.start_call("generic:x", uuid=identity).result()
        self.assertEqual(self.property(call, "Id"), identity)
        for again in (identity, identity.upper()):
            self.assertRefused(self.beta.report_incoming(again), "CallUUIDAlreadyExists")
            self.assertRefused(self.start_call("mailto:x@example.org", uuid=again), "CallUUIDAlreadyExists")

    def test_explain_tells_the_causes_without_the_caller(self):
        a, b = self.ring_while_active(localized_caller_name="Somebody Secret")
        self.answer(b).result()
        causes = self.system.call(a, CALL, "Explain").result()
        self.assertIn(6, [cause.get("rule") for cause in causes])
        self.assertNotIn("Somebody", str(causes))


class Reports(TwoProviders):
    def test_an_unknown_uuid(self):
        self.assertRefused(self.alpha.remote_end(UNKNOWN), "UnknownCall")
        self.assertRefused(self.alpha.update(UNKNOWN, has_video=True), "UnknownCall")

    def test_no_uuid(self):
        for text in ("", "x", "0" * 36, "12345678-1234-1234-1234-12345678901g", "12345678123412341234123456789012"):
            self.assertRefused(self.alpha.report_incoming(text or "nothing"), "InvalidArguments")

    def test_somebody_elses_call(self):
        a = self.alpha.active()
        self.assertRefused(self.beta.remote_end(a), "UnknownCall")
        self.assertState(a, "active")

    def test_a_report_on_somebody_elses_object(self):
        a = self.alpha.active()
        report = self.system.call(self.alpha.path, "org.opencallkit.ProviderHost1", "ReportCallEnded",
                                  "stsa{sv}", uuid_of(a), 0, "remote-ended", variants({}), connection=self.beta.connection)
        self.assertRefused(report, "AccessDenied")
        self.assertState(a, "active")

    def test_after_the_end(self):
        a = self.alpha.active()
        self.alpha.remote_end(a).result()
        self.assertRefused(self.alpha.remote_end(a), "AlreadyEnded")
        self.assertRefused(self.alpha.update(a, has_video=True), "AlreadyEnded")
        self.assertEnded(a, "remote-ended", "remote")

    def test_impossible_for_that_call(self):
        a = self.alpha.active()
        for member in ("ReportOutgoingCallConnected", "ReportOutgoingCallStartedConnecting"):
            self.assertRefused(self.alpha.report(member, "sta{sv}", uuid_of(a), 0, variants({})), "InvalidAction")
        b = self.alpha.incoming()
        self.assertRefused(self.alpha.update(b, on_hold=True), "InvalidAction")

    def test_a_reason_of_the_hosts(self):
        a = self.alpha.active()
        for reason in ("local-ended", "provider-crashed", "timed-out", "displaced", "declined", "nonsense", ""):
            self.assertRefused(self.alpha.remote_end(a, reason), "InvalidArguments")
        self.assertState(a, "active")

    def test_every_reason_of_a_provider(self):
        for reason in ("failed", "remote-ended", "unanswered", "answered-elsewhere", "declined-elsewhere"):
            a = self.alpha.incoming()
            self.alpha.remote_end(a, reason).result()
            self.assertEnded(a, reason, "provider" if reason == "failed" else "remote")

    def test_a_repeat_changes_nothing(self):
        a = self.outgoing(self.alpha)
        connected = self.property(a, "ConnectedAt")
        before = len(self.system.events)
        self.alpha.report("ReportOutgoingCallConnected", "sta{sv}", uuid_of(a), 0, variants({})).result()
        self.alpha.update(a, has_video=False).result()
        self.system.sync()
        self.assertEqual(self.property(a, "ConnectedAt"), connected)
        self.assertEqual(self.system.told_since(before), [])

    def test_connected_before_the_start_is_fulfilled(self):
        self.alpha.behaviour["start"] = "wait"
        start = self.start_call("generic:x")
        action = self.alpha.wait_action("start")
        self.alpha.report("ReportOutgoingCallStartedConnecting", "sta{sv}", action.uuid, 0, variants({})).result()
        self.alpha.report("ReportOutgoingCallConnected", "sta{sv}", action.uuid, 0, variants({})).result()
        action.fulfil()
        self.wait_state(start.result(), "active")

    def test_times_are_clamped(self):
        a = self.alpha.incoming()
        began = self.property(a, "StartedAt")
        self.assertGreater(began, 1_600_000_000_000_000)
        self.alpha.behaviour["answer"] = "wait"
        answer = self.answer(a)
        self.alpha.wait_action("answer").fulfil(date=dbus.UInt64(2**63))
        answer.result()
        connected = self.property(a, "ConnectedAt")
        self.assertGreaterEqual(connected, began)
        self.assertLess(connected, time.time() * 1e6 + 1_000_000)
        self.alpha.remote_end(a, at=5).result()
        self.assertEqual(self.property(a, "EndedAt"), connected)

    def test_an_undeclared_handle_type_is_accepted_and_noted(self):
        call = self.beta.incoming(handle=("generic", "bananas"))
        anomaly = self.wait_told("Anomaly", "undeclared-handle-type")[0]
        self.assertIn(anomaly.arguments[1], (call, self.beta.path))
        self.assertNotIn("bananas", str(anomaly.arguments[2]))

    def test_remote_hold_changes_nothing_here(self):
        a = self.alpha.active()
        self.alpha.update(a, remote_held=True).result()
        self.assertTrue(self.property(a, "RemoteHeld"))
        self.assertState(a, "active")

    def test_do_not_disturb_refuses_new_calls(self):
        self.wait_store()
        a = self.alpha.incoming()
        self.system.call(ROOT, "org.freedesktop.DBus.Properties", "Set", "ssv", SYSTEM, "DoNotDisturb",
                         dbus.Boolean(True)).result()
        self.assertRefused(self.alpha.report_incoming(), "FilteredByDoNotDisturb")
        self.assertState(a, "ringing")
        self.mark(self.alpha)
        self.alpha.report_incoming(emergency=True).result()
        wait_until(lambda: self.system.shown(ROOT, "DoNotDisturb"), "DoNotDisturb was not announced")

    def test_a_provider_says_what_it_is(self):
        values = self.system.get_all(self.alpha.path, "org.opencallkit.Provider1")
        self.assertEqual((values["LocalizedName"], values["Plugin"], values["State"]), ("Alpha", "/", "ready"))
        self.assertEqual((values["MaximumCallGroups"], values["MaximumCallsPerCallGroup"]), (2, 5))
        self.assertEqual((values["IncludesCallsInRecents"], values["SupportsVideo"]), (True, False))
        self.alpha.report("UpdateConfiguration", "a{sv}", variants({"localized-name": "Omega"})).result()
        wait_until(lambda: self.system.shown(self.alpha.path, "LocalizedName") == "Omega", "the name did not change")

    def test_one_connection_may_be_several_providers(self):
        second = Provider(self.system, "Second", delegate="/second", connection=self.alpha.connection)
        self.assertNotEqual(second.path, self.alpha.path)
        a = second.active()
        self.assertUntouched(self.alpha)
        self.assertEqual(self.property(a, "Provider"), second.path)
        again = self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/", variants({}),
                                 connection=self.alpha.connection)
        self.assertRefused(again, "InvalidArguments")


class Emergency(TwoProviders):
    def setUp(self):
        super().setUp()
        self.phone = Provider(
            self.system, "Phone", supported_handle_types=dbus.Array(["phone-number"], signature="s"),
            emergency_numbers=["112", "911"])
        self.mark(self.phone)

    def test_rule_19_it_holds_the_active_call_and_ends_what_rings(self):
        a, b = self.ring_while_active()
        c = self.start_call("tel:112").result()
        self.wait_state(c, "active")
        self.assertState(a, "held")
        self.assertEnded(b, "displaced", "arbiter")

    def test_rule_19_it_ends_what_cannot_be_held(self):
        a = self.alpha.active(supports_holding=False)
        c = self.start_call("tel:911").result()
        self.wait_state(c, "active")
        self.assertEnded(a, "displaced", "arbiter")

    def test_rule_19_it_is_not_displaced_or_held(self):
        c = self.start_call("tel:112").result()
        self.wait_state(c, "active")
        self.assertRefused(self.start_call("generic:x"), "EmergencyInProgress", c)
        self.assertRefused(self.hold(c), "NotSupported", c)
        incoming = self.alpha.report_incoming()
        self.assertRefused(incoming, "EmergencyInProgress")
        self.assertEqual(incoming.error_name, f"{ERROR}EmergencyInProgress")
