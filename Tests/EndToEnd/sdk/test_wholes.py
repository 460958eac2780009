"""Transactions of several actions that a delegate gets as a whole, in a plugin and in an app."""

import dbus

from support.messages import ERROR
from support.provider import Provider
from support.surface import SurfaceTest, action, transaction
from support.waiting import wait_until


class Wholes:
    def executing(self, executes=True):
        self.press("execute", executes=executes)
        self.forget()

    def asked(self):
        return {key: [str(kinds) for kinds in value] if key == "kinds" else value
                for key, value in self.press("asked").items()}

    def mute(self, call):
        return action("set-muted", self.id_of(call), isMuted=True)

    def hold(self, call):
        return action("set-held", self.id_of(call), isOnHold=True)

    def tone(self, call):
        return action("play-dtmf", self.id_of(call), digits="1", type=1)

    def end_of(self, call):
        return action("end", self.id_of(call))

    def test_its_own_controller_and_the_bus_ask_alike(self):
        for ask in (lambda call: self.ask(self.mute(call), self.tone(call), self.end_of(call), button="perform"),
                    lambda call: self.request([
                        ("set-muted", {"call": dbus.ObjectPath(call), "muted": True}),
                        ("play-dtmf", {"call": dbus.ObjectPath(call), "digits": "1"}),
                        ("end", {"call": dbus.ObjectPath(call)})]).result()):
            call = self.surface_call()
            self.executing()
            ask(call)
            asked = self.asked()
            self.assertEqual(asked["kinds"], ["CXSetMutedCallAction CXPlayDTMFCallAction CXEndCallAction"])
            self.assertEqual((asked["complete"], asked["performed"], asked["pending"]), ([True], [0], [False]))
            self.assertEqual(self.log(), ["execute CXSetMutedCallAction CXPlayDTMFCallAction CXEndCallAction",
                                          "deactivated false"])
            self.assertEnded(call, "local-ended", "user")
            self.executing(False)

    def test_one_who_does_not_execute_gets_the_same_objects_one_by_one(self):
        call = self.surface_call()
        self.executing(False)
        self.assertEqual(self.ask(self.mute(call), self.tone(call), self.hold(call), button="perform"), {})
        asked = self.asked()
        self.assertEqual(asked["kinds"], ["CXSetMutedCallAction CXPlayDTMFCallAction CXSetHeldCallAction"])
        self.assertEqual((asked["complete"], asked["performed"]), ([True], [3]))
        self.assertEqual(self.log()[:3], ["set-muted true", "play-dtmf 1 singleTone", "set-held true"])
        self.assertState(call, "held")

    def test_what_makes_room_is_part_of_it(self):
        active, ringing = self.surface_call(), self.surface_incoming(handle="ada")
        self.executing()
        self.answer(ringing).result()
        self.assertEqual(self.asked()["kinds"], ["CXSetHeldCallAction CXAnswerCallAction"])
        self.assertState(active, "held")
        self.assertState(ringing, "active")

    def test_a_group_is_held_as_a_whole(self):
        one, other = self.surface_call("generic:one"), self.surface_call("generic:other")
        self.group(other, one).result()
        self.executing()
        self.assertEqual(self.ask(self.hold(one), button="perform"), {})
        self.assertEqual(self.asked()["kinds"], ["CXSetHeldCallAction CXSetHeldCallAction"])
        self.assertState(one, "held")
        self.assertState(other, "held")

    def test_a_start_makes_room_and_is_one(self):
        active = self.surface_call("generic:one")
        self.executing()
        other = self.surface_call("generic:other")
        self.assertEqual(self.asked()["kinds"], ["CXSetHeldCallAction CXStartCallAction"])
        self.assertState(active, "held")
        self.assertState(other, "active")

    def test_what_others_do_is_not_in_it(self):
        stranger = Provider(self.system, "Stranger").active()
        ringing = self.surface_incoming(handle="ada")
        self.executing()
        told = self.ask(self.end_of(stranger), action("answer", self.id_of(ringing)), self.mute(ringing),
                        button="perform")
        if not self.in_app:
            # A plugin's request concerns its own calls.
            self.assertEqual(told["name"], f"{ERROR}AccessDenied")
            return self.assertState(stranger, "active")
        self.assertEqual(told, {})
        self.assertEqual(self.asked()["kinds"], ["CXAnswerCallAction CXSetMutedCallAction"])
        self.assertState(ringing, "active")

    def test_what_is_said_early_is_kept_for_its_turn(self):
        call = self.surface_call()
        self.executing()
        self.behave("set-muted", "keep")
        pending = self.press_later("perform", transaction=transaction(self.mute(call), self.tone(call)))
        self.heard("execute CXSetMutedCallAction CXPlayDTMFCallAction")
        shown = self.press("pending", call=self.id_of(call))
        self.assertEqual((shown["sizes"], shown["all"], shown["complete"]), ([2], 1, False), "the tones are complete")
        self.assertEqual(self.asked()["pending"], [True], "it is the very transaction")
        self.assertFalse(self.property(call, "Muted"))
        self.press("answer-kept")
        self.assertEqual(pending.result(), {})
        self.assertTrue(self.property(call, "Muted"))
        self.assertEqual(self.press("pending", call=self.id_of(call))["transactions"], [])

    def test_pending_actions_are_there_before_their_turn(self):
        call = self.surface_call()
        self.executing(False)
        self.behave("set-muted", "keep")
        pending = self.press_later("perform", transaction=transaction(self.mute(call), self.end_of(call)))
        self.heard("set-muted true")
        shown = self.press("pending", call=self.id_of(call))
        self.assertEqual((shown["sizes"], shown["all"], shown["ends"]), ([2], 2, 1))
        self.press("answer-kept")
        self.assertEqual(pending.result(), {})
        self.heard("set-muted true", "end -")

    def test_a_failure_in_the_middle_fails_the_rest(self):
        call = self.surface_call()
        self.executing()
        self.behave("play-dtmf", "fail")
        told = self.ask(self.mute(call), self.tone(call), self.hold(call), self.end_of(call), button="perform")
        self.assertEqual(told["name"], f"{ERROR}ActionFailed")
        self.heard("execute CXSetMutedCallAction CXPlayDTMFCallAction CXSetHeldCallAction CXEndCallAction",
                   "timed-out CXSetHeldCallAction complete=true", "timed-out CXEndCallAction complete=true")
        self.assertEqual(self.asked()["complete"], [True])
        self.assertEqual(self.press("pending", call=self.id_of(call))["transactions"], [])
        self.assertState(call, "active")
        self.assertTrue(self.property(call, "Muted"))

    def test_one_who_does_not_execute_never_hears_of_the_rest(self):
        call = self.surface_call()
        self.executing(False)
        self.behave("play-dtmf", "fail")
        told = self.ask(self.mute(call), self.tone(call), self.end_of(call), button="perform")
        self.assertEqual(told["name"], f"{ERROR}ActionFailed")
        wait_until(lambda: self.asked()["complete"] == [True], "the rest stays open")
        self.assertEqual(self.log(), ["set-muted true", "play-dtmf 1 singleTone"])
        self.assertEqual(self.press("pending", call=self.id_of(call))["transactions"], [])

    def test_a_time_out_fails_the_rest(self):
        call = self.surface_call()
        self.executing()
        self.behave("set-held", "keep")
        told = self.ask(self.hold(call), self.end_of(call), button="perform", timeout=0.3)
        self.assertEqual(told["name"], f"{ERROR}ActionTimedOut")
        self.heard("timed-out CXSetHeldCallAction complete=true", "timed-out CXEndCallAction complete=true")
        self.assertState(call, "active")

    def test_what_is_so_already_is_left_out(self):
        call = self.surface_call()
        self.executing()
        self.behave("play-dtmf", "keep")
        pending = self.press_later("perform", transaction=transaction(self.tone(call), self.mute(call)))
        self.heard("execute CXPlayDTMFCallAction CXSetMutedCallAction")
        self.request([("set-muted", {"call": dbus.ObjectPath(call), "muted": True})]).result()
        self.press("answer-kept")
        self.assertEqual(pending.result(), {})
        wait_until(lambda: self.asked()["complete"] == [True, True], "the rest stays open")
        self.assertEqual([line for line in self.log() if line.startswith("timed-out")], [])

    def test_what_restores_a_call_is_a_transaction_of_its_own(self):
        active, ringing = self.surface_call(), self.surface_incoming(handle="ada")
        self.executing()
        self.behave("answer", "fail")
        self.assertEqual(self.answer(ringing).wait().error_name, f"{ERROR}ActionFailed")
        self.wait_state(active, "active")
        asked = self.asked()
        self.assertEqual(asked["kinds"], ["CXSetHeldCallAction CXAnswerCallAction", "CXSetHeldCallAction"])
        self.assertEqual(asked["names"], 2)


class WholesInPlugin(Wholes, SurfaceTest):
    pass


class WholesInApp(Wholes, SurfaceTest):
    in_app = True
