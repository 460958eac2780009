"""Reports and answers in every order that apps produce, with the real daemon, in a plugin and in an app. Each has
CallKit's outcome or an error, and never traps."""

import time
import uuid

import dbus

from support.messages import ERROR
from support.surface import SurfaceTest, action
from support.system import IDENTITY, ROOT
from support.waiting import wait_until

REQUEST = "com.apple.CallKit.error.requesttransaction"


class Orders:
    def start(self):
        return self.start_call("generic:x", provider=dbus.ObjectPath(self.path)).result()

    def alive(self):
        """Asserts that the fixture's process is still the same, and that its provider works."""
        call = self.start()
        self.press("report", what="connected", call=self.id_of(call))
        self.wait_state(call, "active")
        self.end(call).result()

    def test_connecting_and_connected_in_the_tick_of_the_fulfilment(self):
        self.behave("start", "connect at once")
        call = self.start()
        self.wait_state(call, "active")
        self.assertEqual(self.system.states(call), ["starting", "started", "connecting", "active"])
        self.assertEqual(self.system.told("Anomaly"), [])

    def test_connected_before_the_fulfilment(self):
        self.behave("start", "connect first")
        call = self.start()
        self.wait_state(call, "active")
        self.assertEqual(self.system.told("CallEnded"), [])
        self.end(call).result()
        self.alive()

    def test_reports_before_the_completion_handler_has_run(self):
        identity = str(uuid.uuid4())
        told = self.press("incoming", call=identity, handle="ada", name="Ada",
                          **{"and": dbus.Array(["updated", "ended"], signature="s")})
        self.assertEqual(told["call"], identity)
        call = f"{ROOT}/calls/{identity.replace('-', '_')}"
        self.assertEnded(call, "remote-ended", "remote")
        self.assertEqual(self.property(call, "CallerName", "org.opencallkit.CallIdentity1"), "Ada")
        self.alive()

    def test_fulfilled_on_another_thread(self):
        for kind in ("start", "set-held", "end"):
            self.behave(kind, "elsewhere")
        call = self.surface_call()
        self.hold(call).result()
        self.assertState(call, "held")
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")

    def test_answered_twice(self):
        for kind in ("start", "set-held", "end"):
            self.behave(kind, "twice")
        call = self.surface_call()
        self.hold(call).result()
        self.assertState(call, "held")
        self.end(call).result()
        self.assertEqual(self.system.told("Anomaly"), [], "the SDK keeps it to itself")
        self.alive()

    def test_fulfilled_after_the_time_out(self):
        call = self.surface_call()
        self.behave("set-held", "keep")
        told = self.ask(action("set-held", self.id_of(call), isOnHold=True), button="perform", timeout=0.2)
        self.assertEqual(told["name"], f"{ERROR}ActionTimedOut")
        self.heard("timed-out CXSetHeldCallAction complete=true")
        self.press("answer-kept")
        self.wait_told("Anomaly", "late-completion")
        self.assertState(call, "active")
        self.end(call).result()
        self.alive()

    def test_an_action_kept_past_its_call(self):
        call = self.surface_call()
        self.behave("set-held", "keep")
        hold = self.hold(call)
        self.heard("set-held true")
        self.press("report", what="ended", call=self.id_of(call))
        hold.wait()
        self.assertNotEqual(hold.error_name, "")
        self.press("answer-kept")
        self.assertEnded(call, "remote-ended", "remote")
        self.alive()

    def test_an_action_kept_past_its_provider(self):
        call = self.surface_call()
        self.behave("set-held", "keep")
        hold = self.hold(call)
        self.heard("set-held true")
        self.press("invalidate")
        self.assertEnded(call, "failed", "provider")
        hold.wait()
        self.assertNotEqual(hold.error_name, "")

    def test_a_provider_let_go_without_invalidation(self):
        self.press("second", how="make")
        self.heard("second begin")
        wait_until(lambda: self.others(), "the second provider is not there")
        self.press("second", how="ring")
        self.heard("second rings")
        ringing = wait_until(lambda: [path for path, shown in self.system.objects.items()
                                      if shown.get("State") == "ringing"], "nothing rings")
        self.press("second", how="drop")
        wait_until(lambda: not self.others(), "the second provider stays")
        self.assertEqual(len(ringing), 1)
        self.assertEnded(ringing[0], "failed", "provider")
        self.alive()

    def test_delegates_are_called_where_they_want_and_referred_to_weakly(self):
        self.press("second", how="make")
        self.heard("second begin on main")
        other, = wait_until(self.others, "the second provider is not there")
        self.press("second", how="ring")
        self.heard("second rings on main")
        self.end(self.start_call("generic:x", provider=dbus.ObjectPath(other)).result()).wait()
        self.assertIn("second start on main", self.log())
        self.heard("second puts again on main")
        self.assertEqual([line.removeprefix("second ") for line in self.log() if "puts" in line or "refused" in line],
                         ["puts on main", "is refused on main", "puts again on main"], "what is told on the way in between")
        self.press("second", how="forget the delegate")
        self.forget()
        self.assertRefused(self.start_call("generic:y", provider=dbus.ObjectPath(other)), "ActionFailed")
        self.assertNotIn("second start on main", self.log())
        self.assertEqual([line for line in self.log() if line.endswith("elsewhere")], [])

    def test_without_a_delegate_completions_have_a_queue_of_their_own(self):
        self.press("second", how="make alone")
        self.press("second", how="ring")
        self.assertIn("second rings", self.heard("second rings"))

    def test_what_is_not_declared_is_as_in_callkit(self):
        self.assertEqual(self.system.get_all(self.path, "org.opencallkit.Provider1")["LocalizedName"], "Surface")
        self.press("second", how="make")
        self.heard("second begin")
        other, = wait_until(self.others, "the second provider is not there")
        shown = self.system.get_all(other, "org.opencallkit.Provider1")
        self.assertEqual(shown["LocalizedName"], "SurfaceApp" if self.in_app else "Surface", "whose provider it is")
        self.assertEqual((shown["MaximumCallGroups"], shown["MaximumCallsPerCallGroup"], shown["IncludesCallsInRecents"]),
                         (2, 5, True))
        self.assertEqual((shown["SupportsVideo"], shown["SupportsAudioTranslation"], list(shown["SupportedHandleTypes"]),
                          shown["RingtoneSound"], shown["Icon"]), (False, False, [], "", ""))

    def test_an_invalidated_provider_is_reset(self):
        self.press("second", how="make")
        self.heard("second begin")
        self.press("second", how="invalidate")
        self.heard("second reset")
        wait_until(lambda: not self.others(), "the second provider stays")
        self.press("second", how="ring")
        self.heard("second rings")
        self.alive()

    def others(self):
        return [path for path in self.system.objects if path.startswith(f"{ROOT}/providers/") and path != self.path]

    def test_reports_about_an_unknown_call(self):
        for what in ("connecting", "connected", "updated", "ended"):
            told = self.press("report", what=what, call=str(uuid.uuid4()))
            self.assertEqual((told["error"], told["code"], told["name"]), (REQUEST, 4, f"{ERROR}UnknownCall"))
            self.press("report-plainly", what=what, call=str(uuid.uuid4()))
        self.alive()

    def test_reports_about_a_call_that_has_ended(self):
        call = self.surface_call()
        self.end(call).result()
        for what in ("connected", "updated", "ended"):
            told = self.press("report", what=what, call=self.id_of(call))
            self.assertEqual((told["code"], told["name"]), (4, f"{ERROR}AlreadyEnded"))
        self.assertEnded(call, "local-ended", "user")

    def test_reports_say_when_and_why(self):
        for reason, word in enumerate(
                ["failed", "remote-ended", "unanswered", "answered-elsewhere", "declined-elsewhere"], 1):
            call = self.surface_incoming(handle="ada")
            self.press("report-plainly", what="ended", call=self.id_of(call), reason=reason, at=time.time() + 3600)
            wait_until(lambda: self.system.told("CallEnded", call), "it does not end")
            self.assertEqual(self.property(call, "EndReason"), word)
            self.assertLess(self.property(call, "EndedAt") / 1e6, time.time() + 60, "it is clamped")
        call = self.surface_incoming(handle="ada")
        self.press("report-plainly", what="ended", call=self.id_of(call), at=1.0)
        wait_until(lambda: self.system.told("CallEnded", call), "it does not end")
        self.assertEqual(self.property(call, "EndedAt"), self.property(call, "StartedAt"), "as early as it can be")

    def test_an_end_has_details(self):
        call = self.start()
        self.press("report-plainly", what="updated", call=self.id_of(call), video=True)
        self.press("report-plainly", what="ended", call=self.id_of(call), reason=1, detail="busy", code="W 17")
        self.wait_state(call, "ended")
        self.assertEqual([self.property(call, name) for name in ("EndReason", "EndDetail", "EndCode", "Video")],
                         ["failed", "busy", "W 17", True])

    def test_an_update_changes_what_it_says_and_nothing_else(self):
        call = self.surface_call()
        identity = self.id_of(call)
        self.press("report", what="updated", call=identity, dtmf=False)
        self.assertNotIn("dtmf", self.property(call, "Can"))
        self.assertIn("hold", self.property(call, "Can"))
        self.press("report", what="updated", call=identity, holding=False)
        self.assertNotIn("hold", self.property(call, "Can"))
        self.assertNotIn("dtmf", self.property(call, "Can"))
        self.press("report", what="updated", call=identity, video=True, dtmf=True)
        self.assertTrue(self.property(call, "Video"))
        self.assertIn("dtmf", self.property(call, "Can"))
        other = self.surface_incoming(handle="bob", grouping=False, ungrouping=False)
        self.assertRefused(self.answer(other), "CannotHoldActiveCall")
        self.answer(other, conflict="end").result()
        self.assertState(call, "ended")

    def test_an_update_reported_plainly(self):
        call = self.surface_incoming(handle="ada", name="Ada")
        self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), ("generic", "ada"))
        self.press("report-plainly", what="updated", call=self.id_of(call), handle="bob", name="Bob", video=True)
        self.press("report", what="updated", call=self.id_of(call))
        self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), ("generic", "bob"))
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Bob")
        self.assertTrue(self.property(call, "Video"))

    def test_what_supports_no_group_is_not_grouped(self):
        one, other = self.surface_call("generic:one"), self.surface_call("generic:other")
        self.assertIn("group", self.property(other, "Can"))
        self.press("report", what="updated", call=self.id_of(other), grouping=False)
        self.assertNotIn("group", self.property(other, "Can"))
        self.assertRefused(self.group(other, one), "NotSupported", other)
        self.press("report", what="updated", call=self.id_of(other), grouping=True)
        self.group(other, one).result()
        self.assertIn("ungroup", self.property(other, "Can"))
        self.press("report", what="updated", call=self.id_of(other), ungrouping=False)
        self.assertNotIn("ungroup", self.property(other, "Can"))
        ungroup = self.system.call(other, "org.opencallkit.Call1", "Ungroup")
        self.assertRefused(ungroup, "NotSupported", other)

    def test_events_do_what_they_say(self):
        call = self.start()
        identity = self.id_of(call)
        for what, state in (("connecting", "connecting"), ("connected", "active")):
            self.assertEqual(self.press("report", what=what, call=identity), {})
            self.assertState(call, state)
        self.assertEqual(self.press("report", what="updated", call=identity, video=True), {})
        self.assertTrue(self.property(call, "Video"))
        self.assertEqual(self.press("report", what="ended", call=identity, reason=3, at=1.0), {})
        self.assertEqual((self.property(call, "EndReason"), self.property(call, "EndedAt")),
                         ("unanswered", self.property(call, "ConnectedAt")))

    def test_an_outgoing_call_reported_plainly(self):
        call = self.start()
        for what, state in (("connecting", "connecting"), ("connected", "active")):
            self.press("report-plainly", what=what, call=self.id_of(call), at=1.0)
            self.wait_state(call, state)
        self.assertEqual(self.property(call, "ConnectedAt"), self.property(call, "StartedAt"), "as early as it can be")


class OrdersInPlugin(Orders, SurfaceTest):
    pass


class OrdersInApp(Orders, SurfaceTest):
    in_app = True
