"""The page of calls: what it shows, and what its buttons do."""

from phone.case import PhoneTest
from support.system import CALL, IDENTITY, PROPERTIES, PROVIDER, ROOT
from support.waiting import exited, wait_until


class IncomingTests(PhoneTest):
    def test_a_ringing_call_is_shown_and_answered_and_ended(self):
        self.wait_seen("Keypad", "tab")
        call = self.simulate_incoming("MonkeyCall", name="Ann")
        self.wait_seen("Ann", "label")
        self.wait_seen("Incoming call from Ann")
        self.wait_said("Call via MonkeyCall")
        self.assertIn("Decline", self.names("button"))
        self.press("Answer")
        self.wait_state(call, "active")
        self.wait_seen("In a call")
        self.wait_not_seen("Answer", "button")
        # A key that means no in other programs ends no call.
        self.display.xdotool("key", "Escape")
        self.press("Mute")
        wait_until(lambda: self.system.shown(call, "Muted"), "it is not muted")
        self.press("Unmute")
        wait_until(lambda: not self.system.shown(call, "Muted"), "it is muted")
        self.assertState(call, "active")
        self.press("Hang Up")
        self.assertEnded(call, "local-ended", "user")
        self.wait_not_seen("Hang Up", "button")

    def test_decline_and_silence(self):
        call = self.simulate_incoming("MonkeyCall", name="Ann")
        self.press("Silence")
        wait_until(lambda: self.system.shown(call, "RingMode") == "silent", "it is not silent")
        self.wait_not_seen("Silence", "button")
        self.press("Decline")
        self.assertEnded(call, "declined", "user")

    def test_each_button_says_before_what_it_does_to_the_other_call(self):
        first = self.simulate_incoming("Hotline", name="Bob")
        self.press("Answer")
        self.wait_state(first, "active")
        second = self.simulate_incoming("MonkeyCall", name="Ann")
        self.wait_seen("Hold & Answer", "button")
        self.wait_not_seen("Answer", "button")
        self.wait_seen("Bob is put on hold", "label")
        self.wait_seen("The call with Bob is ended", "label")
        self.press("Hold & Answer")
        self.wait_state(second, "active")
        self.wait_state(first, "held")
        self.wait_said("On hold, waits for Ann")
        self.press("Swap")
        self.wait_state(first, "active")
        self.wait_state(second, "held")
        self.press("Hang Up")
        wait_until(lambda: any(self.system.shown(call, "State") == "ended" for call in (first, second)), "none ended")

    def test_end_and_answer(self):
        first = self.simulate_incoming("Hotline", name="Bob")
        self.press("Answer")
        self.wait_state(first, "active")
        second = self.simulate_incoming("MonkeyCall", name="Ann")
        self.press("End & Answer")
        self.wait_state(second, "active")
        self.assertEnded(first, "local-ended", "user")


class OngoingTests(PhoneTest):
    def talk(self, plugin, name):
        call = self.simulate_incoming(plugin, name=name, handle=f"generic:{name}")
        self.press("Hold & Answer" if self.talking else "Answer")
        self.wait_state(call, "active")
        self.talking.append(call)
        return call

    def setUp(self):
        super().setUp()
        self.talking = []

    def test_keys_are_tones(self):
        call = self.talk("Hotline", "Bob")
        self.press("Keypad", "button")
        self.press("5")
        self.wait_seen("5", "label")
        # The keyboard types digits as well.
        self.display.xdotool("key", "Tab", "7")
        self.assertState(call, "active")
        told = self.system.call(call, CALL, "Explain").result()
        self.assertTrue(told)

    def test_merge_and_split(self):
        first = self.talk("Hotline", "Ann")
        second = self.talk("Hotline", "Bob")
        self.press("Merge")
        wait_until(lambda: self.system.shown(first, "Group") and
                   self.system.shown(first, "Group") == self.system.shown(second, "Group"), "there is no group")
        self.wait_said("In a conference with Ann")
        self.press("Split")
        wait_until(lambda: not self.system.shown(first, "Group"), "there still is a group")

    def test_a_refusal_is_a_sentence(self):
        call = self.talk("MonkeyCall", "Ann")
        self.fail_next("MonkeyCall", "set-held")
        self.press("Hold")
        self.wait_said("Hold: ")
        self.assertState(call, "active")

    def test_the_far_end_hangs_up_and_it_says_so(self):
        call = self.talk("MonkeyCall", "Ann")
        self.simulate_remote_end("MonkeyCall", call)
        self.wait_said("Ann has ended the call")

    def test_names_are_shown_as_they_are(self):
        name = "<b>Ann</b> & \u202egnirts " + "x" * 10_000
        call = self.simulate_incoming("MonkeyCall", name=name)
        shown = str(self.system.get_all(call, IDENTITY)["CallerName"])
        self.wait_seen(shown, "label")
        self.assertTrue(shown.startswith("<b>Ann</b> & gnirts"), shown)


class LifeTests(PhoneTest):
    def test_the_daemon_dies_and_returns(self):
        self.simulate_incoming("MonkeyCall", name="Ann")
        self.wait_seen("Ann", "label")
        self.system.daemon.kill()
        exited(self.system.daemon)
        self.wait_said("The call service is not running")
        self.wait_not_seen("Decline", "button")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        wait_until(lambda: self.system.call(f"{ROOT}/providers/MonkeyCall", PROPERTIES, "GetAll", "s", PROVIDER)
                   .wait().error is None, "MonkeyCall does not return", every=0.1)
        call = self.simulate_incoming("MonkeyCall", name="Bob")
        self.press("Answer")
        self.wait_state(call, "active")

    def test_a_closed_window_stays_with_its_call_and_leaves_after_it(self):
        call = self.simulate_incoming("MonkeyCall", name="Ann")
        self.press("Answer")
        self.wait_state(call, "active")
        self.press("Close")
        self.wait_not_seen("Ann", "label")
        self.assertState(call, "active")
        self.assertIsNone(self.phone.poll())
        # A second start shows the window of the first.
        second = self.spawn_phone()
        self.assertEqual(exited(second), 0)
        self.wait_seen("Ann", "label")
        self.press("Close")
        self.end(call).result()
        self.assertEqual(exited(self.phone), 0)

    def test_a_closed_window_without_a_call_ends_it(self):
        self.press("Close")
        self.assertEqual(exited(self.phone), 0)

    def test_the_agent_lends_its_name(self):
        self.press("Close")
        self.assertEqual(exited(self.phone), 0)
        agent = self.start_agent()
        owner = wait_until(lambda: self.owner(), "the agent does not own the name", every=0.05)
        phone = self.spawn_phone()
        wait_until(lambda: self.owner() not in ("", owner), "the phone does not take the name", every=0.05)
        self.press("Close")
        self.assertEqual(exited(phone), 0)
        wait_until(lambda: self.owner() == owner, "the agent does not get its name back", every=0.05)
        self.assertIsNone(agent.poll())
