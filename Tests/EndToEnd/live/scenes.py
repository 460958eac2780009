"""What happens to people who are called, played on each desktop with the buttons that are on its screen."""

import os
import signal

from live.case import scene
from support.waiting import wait_gone, wait_until

ALICE, BOB = "Incoming call from Alice", "Incoming call from Bob"


class Scenes:
    """The scenes. A subclass says by `rig` on which desktop."""

    @property
    def silencing(self):
        return [self.desktop.silence] if self.desktop.silence else []

    @scene("shown")
    def test_a_call_rings_and_goes(self):
        call = self.ring()
        self.desktop.wait_offer(ALICE, "Answer", "Decline", *self.silencing)
        if self.desktop.tells_bodies:
            self.desktop.wait_text("Alpha Tel")
        self.picture("incoming")
        self.alpha.remote_end(call, "unanswered").result()
        self.desktop.wait_no_text(ALICE)

    @scene("shown")
    def test_two_calls_ring(self):
        beta = self.provider_named("Beta", "/beta")
        first, second = self.ring(), self.ring("Bob", beta)
        self.desktop.wait_text("Alice")
        self.desktop.wait_text("Bob")
        self.assertFalse(any("Another call is active" in text for text in self.desktop.texts()))
        self.alpha.remote_end(first, "unanswered").result()
        self.desktop.press(BOB, "Answer")
        self.wait_state(second, "active")

    @scene("shown")
    def test_a_locked_screen_names_nobody_and_after_it_the_call_is_answered(self):
        if not self.desktop.locks:
            self.skipTest("no screen that locks is in these tests")
        call = self.ring()
        self.desktop.wait_offer(ALICE, "Answer", "Decline")
        self.desktop.lock()
        self.desktop.wait_no_text("Alice")
        self.picture("locked")
        self.desktop.unlock()
        self.desktop.press(ALICE, "Answer")
        self.wait_state(call, "active")

    @scene("shown")
    def test_a_missed_call_waits_and_is_called_back(self):
        self.wait_store()
        call = self.ring()
        self.desktop.wait_text(ALICE)
        self.alpha.remote_end(call, "unanswered").result()
        self.desktop.press("Missed call", "Call Back")
        self.alpha.wait_action("start")

    @scene("shown")
    def test_of_several_missed_calls_each_is_called_back(self):
        self.wait_store()
        for name, number in (("Alice", "+46701740605"), ("Bob", "+46701740606")):
            call = self.ring(name, number=number)
            self.desktop.wait_text(f"Incoming call from {name}")
            self.alpha.remote_end(call, "unanswered").result()
        self.desktop.press("2 missed calls", "Call Alice")
        self.alpha.wait_action("start")

    @scene("answered")
    def test_answer(self):
        call = self.ring()
        self.desktop.press(ALICE, "Answer")
        self.wait_state(call, "active")
        self.desktop.wait_no_text(ALICE)

    @scene("answered")
    def test_decline(self):
        call = self.ring()
        self.desktop.press(ALICE, "Decline")
        self.assertEnded(call, "declined", "user")
        self.desktop.wait_no_text(ALICE)

    @scene("answered")
    def test_a_second_call_holds_the_first(self):
        first = self.talk()
        second = self.ring("Bob", self.provider_named("Beta", "/beta"))
        self.desktop.wait_offer(BOB, "Hold & Answer", "End & Answer", "Decline")
        self.desktop.press(BOB, "Hold & Answer")
        self.wait_state(second, "active")
        self.assertState(first, "held")

    @scene("answered")
    def test_the_other_call_ends_while_one_waits(self):
        first = self.talk()
        second = self.ring("Bob", self.provider_named("Beta", "/beta"))
        self.desktop.wait_offer(BOB, "Hold & Answer")
        self.alpha.remote_end(first).result()
        self.desktop.press(BOB, "Answer")
        self.wait_state(second, "active")

    @scene("answered")
    def test_a_killed_agent_comes_back_while_it_rings(self):
        call = self.ring()
        self.desktop.wait_offer(ALICE, "Answer")
        pid = self.agent_pid()
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid)
        wait_until(lambda: self.system.bus.name_has_owner("org.opencallkit.Desktop1") and self.agent_pid() != pid,
                   "no agent comes back", every=0.1)
        self.desktop.press(ALICE, "Answer")
        self.wait_state(call, "active")
        self.desktop.wait_no_text(ALICE)

    @scene("answered")
    def test_a_killed_server_comes_back_while_it_rings(self):
        call = self.ring()
        self.desktop.wait_offer(ALICE, "Answer")
        self.desktop.kill_server()
        self.desktop.start_server()
        self.desktop.press(ALICE, "Answer")
        self.wait_state(call, "active")

    @scene("silenced")
    def test_silence_leaves_the_buttons(self):
        call = self.ring()
        self.desktop.wait_offer(ALICE, "Answer")
        if self.desktop.silence:
            self.desktop.press(ALICE, self.desktop.silence)
        else:
            self.desktop.click_body(ALICE)
        self.wait_ring_mode(call, "silent")
        self.desktop.press(ALICE, "Answer")
        self.wait_state(call, "active")

    @scene("silenced")
    def test_closing_silences_and_the_call_stays_within_reach(self):
        call = self.ring()
        self.desktop.wait_offer(ALICE, "Answer")
        self.desktop.close(ALICE)
        self.wait_ring_mode(call, "silent")
        self.desktop.press(ALICE, "Answer")
        self.wait_state(call, "active")

    @scene("quiet")
    def test_do_not_disturb_is_followed(self):
        self.switch_quiet(True)
        self.wait_quiet(self.desktop.quiet)
        self.alpha.report_incoming(localized_caller_name="Alice").wait()
        self.wait_told("CallFiltered")
        self.assertFalse(any("Alice" in text for text in self.desktop.texts()))
        self.switch_quiet(False)
        self.wait_quiet()
        call = self.ring("Bob")
        self.desktop.press(BOB, "Answer")
        self.wait_state(call, "active")

    def switch_quiet(self, is_quiet):
        """Where nobody tells, it is read with the next call."""
        self.desktop.set_quiet(is_quiet)
        if not self.desktop.tells_quiet:
            self.alpha.report_incoming(localized_caller_name="Carol").wait()

    @scene("ended")
    def test_a_call_that_goes_on_is_muted_and_hung_up(self):
        call = self.ring()
        self.desktop.press(ALICE, "Answer")
        self.wait_state(call, "active")
        self.desktop.wait_offer("Call with Alice", "Hang Up", "Mute", "Hold")
        self.picture("ongoing")
        self.desktop.press("Call with Alice", "Mute")
        wait_until(lambda: self.system.shown(call, "Muted"), "it is not muted")
        self.desktop.press("Call with Alice", "Hang Up")
        self.assertEnded(call, "local-ended", "user")

    @scene("ended")
    def test_a_call_that_goes_on_does_not_hide_the_next(self):
        self.talk()
        self.desktop.wait_offer("Call with Alice", "Hang Up")
        self.desktop.close_list()
        second = self.ring("Bob", self.provider_named("Beta", "/beta"))
        self.desktop.press(BOB, "End & Answer")
        self.wait_state(second, "active")

    @scene("ended")
    def test_the_far_side_ends(self):
        call = self.talk()
        self.desktop.wait_offer("Call with Alice", "Hang Up")
        self.alpha.remote_end(call).result()
        self.desktop.wait_text("ended")

    @scene("shown")
    def test_a_plugin_asks_for_permissions(self):
        self.bundle(self.asks("network"))
        question = self.desktop.wait_offer("Allow the plugin Smallest?", "Not Now", "Allow")
        places = {each.name: each.box for each in question.all() if each.is_button}
        if places["Allow"]:
            self.assertLess(places["Not Now"], places["Allow"], "the safe answer does not come first")
        self.desktop.press("Allow the plugin Smallest?", "Allow")
        self.wait_for("Smallest", "ready")
