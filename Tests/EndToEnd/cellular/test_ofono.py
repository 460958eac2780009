"""Calls over a mobile network: the plugin Cellular with the real ofonod and a modem that is simulated."""


import dbus

from cellular.at_modem import ACTIVE, ALERTING, HELD, NUMBERS, WAITING
from cellular.case import CellularTest
from cellular.modems import Ofono
from support.system import CALL
from support.waiting import wait_until


class OfonoTest(CellularTest):
    def start_service(self):
        self.manager = Ofono(self.services_bus).start()
        self.addCleanup(lambda: self.manager.stop())


class Calls(OfonoTest):
    def test_incoming(self):
        call = self.ring("+15550123")
        self.assertEqual(self.number(call), ("phone-number", "+15550123"))
        self.answer(call).result()
        self.wait_state(call, "active")
        self.wait_modem(first=ACTIVE)
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")
        self.wait_modem()

    def test_withheld_number(self):
        self.assertEqual(self.number(self.ring(""))[1], "")

    def test_nobody_answers(self):
        call = self.ring()
        # oFono asks for the list of calls while one rings, and stops managing calls if the answer is NO CARRIER.
        self.modem.hang_up(1, silently=True)
        self.assertEnded(call, "unanswered", "remote")

    def test_outgoing(self):
        call = self.start_call("+15550145", provider=dbus.ObjectPath(self.provider)).result()
        wait_until(lambda: self.system.shown(call, "Progress") == "alerting", "it does not ring at the far side")
        self.wait_modem(first=ALERTING)
        self.modem.answer()
        self.wait_state(call, "active")
        self.modem.hang_up(1)
        self.assertEnded(call, "remote-ended", "remote")

    def test_outgoing_that_is_ended_before_it_connects(self):
        call = self.start_call("+15550145", provider=dbus.ObjectPath(self.provider)).result()
        self.end(call).result()
        self.wait_modem()
        self.assertEnded(call, "local-ended", "user")

    def test_the_own_number_is_hidden_or_shown(self):
        """3GPP TS 27.007, 6.2: D with I and i."""
        for number, sign in (("#31#+15550145", "I"), ("*31#+15550145", "i")):
            call = self.start_call(number, provider=dbus.ObjectPath(self.provider)).result()
            self.assertEqual(self.modem.sent("D")[-1], f"D+15550145{sign};")
            self.end(call).result()
            self.wait_modem()

    def test_a_number_that_cannot_be_reached(self):
        self.assertRefused(self.start_call(NUMBERS["busy"], provider=dbus.ObjectPath(self.provider)), "ActionFailed")

    def test_tones_and_mute(self):
        call = self.take()
        self.request([("play-dtmf", {"call": dbus.ObjectPath(call), "digits": "59#"})]).result()
        wait_until(lambda: self.modem.digits == "59#", lambda: f"tones {self.modem.digits}", every=0.05)
        self.mute(call).result()
        wait_until(lambda: self.modem.sent("+CMUT=1"), "it is not muted", every=0.05)

    def test_hold_and_resume(self):
        call = self.take()
        self.hold(call).result()
        self.wait_modem(first=HELD)
        self.resume(call).result()
        self.wait_modem(first=ACTIVE)
        self.assertEqual(self.asked(), ["2", "2"])

    def test_a_waiting_call_is_answered_and_exchanged(self):
        first, second = self.two()
        self.wait_modem(first=HELD, second=ACTIVE)
        self.resume(first).result()
        self.wait_modem(first=ACTIVE, second=HELD)
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("active", "held"))
        self.assertEqual(self.asked(), ["2", "2"])

    def test_end_and_answer(self):
        first = self.take()
        second = self.ring("+15550124")
        self.answer(second, conflict="end").result()
        self.wait_modem(second=ACTIVE)
        self.assertEnded(first, "local-ended", "user")
        self.assertEqual(self.asked(), ["1"])

    def test_a_hold_beside_a_waiting_call_is_refused(self):
        first = self.take()
        self.ring("+15550124")
        self.assertRefused(self.hold(first), "ActionFailed")
        self.wait_modem(first=ACTIVE, second=WAITING)
        self.assertEqual(self.asked(), [])

    def test_a_conference(self):
        first, second = self.two()
        self.group(first, second).result()
        self.wait_modem(first=ACTIVE, second=ACTIVE)
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("active", "active"))
        self.system.call(first, CALL, "Ungroup").result()
        self.wait_modem(first=ACTIVE, second=HELD)
        self.wait_state(second, "held")
        self.assertEqual(self.asked(), ["2", "3", "21"])

    def test_beside_a_call_of_another_provider(self):
        other = self.hotline()
        mobile = self.take()
        self.assertState(other, "held")
        self.resume(other).result()
        self.wait_modem(first=HELD)
        self.end(other).result()
        self.wait_state(mobile, "active")
        self.assertEqual(self.asked(), ["2", "2"])
        self.assertOneHasTheLine()


class Starts(OfonoTest):
    modem_values = {"late": {"+CREG=?": 1}}

    def test_it_is_online_once_the_network_is_known(self):
        self.assertTrue(self.modem.sent("+CREG?"), "it is online before anybody asked for the network")


class Modems(OfonoTest):
    def test_airplane_mode(self):
        self.manager.set("Online", False)
        self.wait_available("offline")
        self.assertEqual(self.system.shown(self.provider, "Status"), "The modem is off, as in airplane mode")
        self.manager.set("Online", True)
        self.wait_available("online")
        self.modem.register(0)
        self.wait_available("offline")
        self.assertEqual(self.system.shown(self.provider, "Status"), "There is no mobile network")

    def test_unplugged_in_a_call(self):
        call = self.take()
        self.modem.unplug()
        self.assertEnded(call, "failed", "provider")
        self.wait_available("offline")

    def test_ofonod_is_killed_in_a_call(self):
        call = self.take()
        self.manager.kill()
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: not self.providers(), "the provider is still there")
        self.manager.run()
        wait_until(lambda: self.providers() == {self.provider}, "it has another name")

    def test_the_worker_is_killed_in_a_call(self):
        call = self.take()
        again = self.new_call(self.kill_worker, "active")
        self.assertEnded(call, "provider-crashed", "provider")
        self.assertEqual(self.number(again), ("phone-number", "+15550123"))
        self.end(again).result()
        self.wait_modem()

    def test_the_network_exchanges_the_calls(self):
        first, second = self.two()
        self.modem.exchange()
        self.wait_state(first, "active")
        self.wait_state(second, "held")
        self.assertEqual(self.asked(), ["2"])
