"""Calls over a mobile network: the plugin Cellular with the real ModemManager and a modem that is simulated."""


import dbus

from cellular.at_modem import ACTIVE, ALERTING, HELD, NUMBERS, WAITING
from cellular.case import CellularTest
from support.system import IDENTITY
from support.waiting import wait_until


class OneCall(CellularTest):
    def test_incoming_answered_and_ended(self):
        call = self.ring("+15550123")
        self.assertEqual(self.number(call), ("phone-number", "+15550123"))
        self.answer(call).result()
        self.wait_state(call, "active")
        self.wait_modem(first=ACTIVE)
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")
        self.wait_modem()

    def test_withheld_number(self):
        call = self.ring("")
        self.assertEqual(self.number(call)[1], "")
        self.answer(call).result()
        self.wait_state(call, "active")

    def test_a_number_that_comes_after_the_ring(self):
        def ring_twice():
            self.modem.tells_numbers = False
            index = self.modem.ring("+15550123")
            self.modem.tells_numbers = True
            self.modem.after(0.05, lambda: self.modem.announce(index))

        def is_told_at_once():
            call = self.new_call(ring_twice, "ringing")
            wait_until(lambda: self.number(call) == ("phone-number", "+15550123"), "the number is not told", every=0.02)
            self.reject(call).result()
            self.wait_modem()
            return not [event for event in self.system.told("PropertiesChanged", IDENTITY) if event.path == call]
        # A busy machine may let the number come later than the plugin waits, but not each time.
        self.assertTrue(any(is_told_at_once() for _ in range(5)), "each is reported without its number")

    def test_a_number_that_comes_late(self):
        self.modem.tells_numbers = False
        call = self.ring("+15550123")
        self.assertEqual(self.number(call)[1], "")
        self.modem.tells_numbers = True
        self.modem.announce(1)
        wait_until(lambda: self.number(call) == ("phone-number", "+15550123"), "the number is not told", every=0.05)
        self.assertState(call, "ringing")

    def test_declined(self):
        call = self.ring()
        self.reject(call).result()
        self.wait_modem()
        self.assertState(call, "ended")

    def test_nobody_answers_an_incoming_call(self):
        call = self.ring()
        self.modem.hang_up(1)
        self.assertEnded(call, "unanswered", "remote")

    def test_the_far_side_ends_it(self):
        call = self.take()
        self.manager.wait_in_call()
        self.modem.hang_up(1)
        self.assertEnded(call, "remote-ended", "remote")

    def test_outgoing(self):
        call = self.start_call("+15550145", provider=dbus.ObjectPath(self.provider)).result()
        self.wait_state(call, "connecting")
        wait_until(lambda: self.system.shown(call, "Progress") == "alerting", "it does not ring at the far side")
        self.wait_modem(first=ALERTING)
        self.modem.answer()
        self.wait_state(call, "active")
        self.assertEqual(self.modem.sent("D"), ["D+15550145;"])
        self.end(call).result()
        self.wait_modem()

    def test_service_codes_are_no_calls(self):
        provider = dbus.ObjectPath(self.provider)
        for code in ("*100#", "*21*0701740605#", "#31#", "##002#", "tel:*%23" "06%23", "100#"):
            self.assertRefused(self.start_call(code, provider=provider), "InvalidArguments")
        for code in ("*21*0701740605", "#31#*21*0701740605"):
            self.assertRefused(self.start_call(code, provider=provider), "ActionFailed")
        self.assertEqual(self.modem.sent("D"), [])

    def test_the_own_number_is_hidden_or_shown(self):
        provider = dbus.ObjectPath(self.provider)
        for number, dialed in (("#31#+15550145", "D#31#+15550145;"), ("*31#+15550145", "D*31#+15550145;")):
            call = self.start_call(number, provider=provider).result()
            self.assertEqual(self.property(call, "Handle", IDENTITY)[1], "+15550145")
            self.assertEqual(self.modem.sent("D")[-1], dialed)
            self.end(call).result()
            self.wait_modem()

    def test_outgoing_that_is_ended_before_it_connects(self):
        call = self.start_call("+15550145", provider=dbus.ObjectPath(self.provider)).result()
        self.end(call).result()
        self.wait_modem()
        self.assertEnded(call, "local-ended", "user")

    def test_numbers_that_cannot_be_reached(self):
        for number in NUMBERS.values():
            pending = self.start_call(number, provider=dbus.ObjectPath(self.provider))
            self.assertRefused(pending, "ActionFailed")
            self.wait_modem()

    def test_a_number_is_no_command(self):
        # What the daemon takes for a number, and what is none, both stay out of the command.
        self.start_call("tel:+15550145;phone-context=x", provider=dbus.ObjectPath(self.provider)).wait()
        for command in self.modem.sent("D"):
            self.assertRegex(command, r"^D\+?[0-9*#]+;$")

    def test_tones(self):
        call = self.take()
        self.request([("play-dtmf", {"call": dbus.ObjectPath(call), "digits": "59#"})]).result()
        wait_until(lambda: self.modem.digits == "59#", lambda: f"tones {self.modem.digits}", every=0.05)

    def test_tones_after_a_pause(self):
        call = self.take()
        self.request([("play-dtmf", {"call": dbus.ObjectPath(call), "digits": "1,2;3", "tone": "soft-pause"})]).result()
        wait_until(lambda: self.modem.digits == "123", lambda: f"tones {self.modem.digits}", every=0.1)

    def test_hold_and_resume(self):
        call = self.take()
        self.hold(call).result()
        self.wait_modem(first=HELD)
        self.assertState(call, "held")
        self.resume(call).result()
        self.wait_modem(first=ACTIVE)
        self.assertState(call, "active")
        self.assertEqual(self.asked(), ["2", "2"])

    def test_mute_says_that_it_is_not_the_modem_s(self):
        call = self.take()
        pending = self.mute(call)
        self.assertRefused(pending, "ActionFailed")
        self.assertIn("mute the microphone", pending.error_text)


class TwoCalls(CellularTest):
    def tearDown(self):
        self.assertOneHasTheLine()
        super().tearDown()

    def test_a_waiting_call_is_answered(self):
        first, second = self.two()
        self.wait_modem(first=HELD, second=ACTIVE)
        self.assertState(first, "held")
        self.assertEqual(self.asked(), ["2"])
        self.assertEqual(self.number(second), ("phone-number", "+15550124"))

    def test_a_waiting_call_is_declined(self):
        first = self.take()
        second = self.ring("+15550124")
        self.reject(second).result()
        self.wait_modem(first=ACTIVE)
        self.assertState(first, "active")

    def test_a_waiting_call_gives_up(self):
        first = self.take()
        second = self.ring("+15550124")
        self.modem.hang_up(2)
        self.assertEnded(second, "unanswered", "remote")
        self.assertState(first, "active")

    def test_end_and_answer(self):
        first = self.take()
        second = self.ring("+15550124")
        self.answer(second, conflict="end").result()
        self.wait_modem(second=ACTIVE)
        self.assertEnded(first, "local-ended", "user")
        self.assertState(second, "active")
        self.assertEqual(self.asked(), ["1"])

    def test_exchange(self):
        first, second = self.two()
        self.resume(first).result()
        self.wait_modem(first=ACTIVE, second=HELD)
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("active", "held"))
        self.hold(first).result()
        self.wait_modem(first=HELD, second=ACTIVE)
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("held", "active"))
        self.assertEqual(self.asked(), ["2", "2", "2"])

    def test_one_is_dialed_beside_another(self):
        first = self.take()
        second = self.dial()
        self.wait_modem(first=HELD, second=ACTIVE)
        self.assertState(first, "held")
        self.end(second).result()
        self.wait_state(first, "active")
        self.wait_modem(first=ACTIVE)
        self.assertEqual(self.asked(), ["2", "12", "2"])

    def test_the_active_one_ends(self):
        first, second = self.two()
        self.end(second).result()
        self.wait_state(first, "active")
        self.wait_modem(first=ACTIVE)

    def test_the_held_one_ends(self):
        first, second = self.two()
        self.end(first).result()
        self.wait_modem(second=ACTIVE)
        self.assertState(second, "active")
        self.assertEqual(self.asked(), ["2", "11"])

    def test_a_hold_beside_a_waiting_call_is_refused(self):
        first = self.take()
        second = self.ring("+15550124")
        self.assertRefused(self.hold(first), "ActionFailed")
        self.assertState(first, "active")
        self.assertState(second, "ringing")
        self.wait_modem(first=ACTIVE, second=WAITING)
        self.assertEqual(self.asked(), [])

    def test_a_conference(self):
        first, second = self.two()
        self.group(first, second).result()
        self.wait_modem(first=ACTIVE, second=ACTIVE)
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("active", "active"))
        self.assertEqual(self.asked(), ["2", "3"])
        # It is held and resumed as a whole.
        self.hold(first).result()
        self.wait_modem(first=HELD, second=HELD)
        self.resume(second).result()
        self.wait_modem(first=ACTIVE, second=ACTIVE)
        self.assertEqual(self.asked(), ["2", "3", "2", "2"])
        # One leaves, once ModemManager knows which call is which.
        self.wait_listed()
        self.system.call(first, "org.opencallkit.Call1", "Ungroup").result()
        self.wait_modem(first=ACTIVE, second=HELD)
        self.wait_state(second, "held")
        self.assertState(first, "active")
        self.assertEqual(self.asked(), ["2", "3", "2", "2", "21"])

    def test_one_of_a_conference_ends(self):
        first, second = self.two()
        self.group(first, second).result()
        self.end(first).result()
        self.wait_modem(second=ACTIVE)
        self.assertState(second, "active")

    def test_beside_a_call_of_another_provider(self):
        other = self.hotline()
        mobile = self.take()
        self.assertState(other, "held")
        self.resume(other).result()
        self.assertState(mobile, "held")
        self.wait_modem(first=HELD)
        self.end(other).result()
        self.wait_state(mobile, "active")
        self.wait_modem(first=ACTIVE)
        self.assertEqual(self.asked(), ["2", "2"])

    def test_a_third_call_waits_beside_two(self):
        first, second = self.two()
        third = self.ring("+15550125")
        self.assertRefused(self.answer(third), "MaximumCallGroupsReached")
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("held", "active"))
        self.answer(third, conflict="end").result()
        self.wait_modem(first=HELD, third=ACTIVE)
        self.assertEqual(self.asked(), ["2", "1"])
