"""Modems and SIM cards come, go and fail: the plugin Cellular with the real ModemManager."""

import time

import dbus

from cellular.at_modem import ACTIVE, HELD
from cellular.case import CellularTest
from support.system import PROVIDER
from support.waiting import wait_until

EMERGENCY = {"emergency-start": 30_000, "urgent": 30_000}
"""Deadlines of emergency calls. A second is too short for ModemManager on a busy machine: the call would go on to
another provider, or end what it shall hold.
"""


class Conditions(CellularTest):
    """What a modem can do is shown as the availability of its provider, with a sentence for people."""

    deadlines = EMERGENCY
    modem_values = None

    def show(self, availability, status, enable=False, **values):
        before = self.providers()
        self.modem, self.path = self.manager.plug(enable, **values)
        self.provider = self.new_provider(before, availability)
        self.assertEqual(self.system.shown(self.provider, "Status"), status)

    def assertOnlyEmergencies(self):
        self.start_call("+15550145", provider=dbus.ObjectPath(self.provider)).wait()
        self.assertEqual(self.modem.sent("D"), [])
        call = self.start_call("112").result()
        self.assertEqual(self.property(call, "Provider"), self.provider)
        self.assertTrue(self.property(call, "Emergency"))
        wait_until(lambda: self.modem.sent("D") == ["D112;"], lambda: self.modem.commands, every=0.05)
        return call

    def test_no_sim_card(self):
        self.show("emergency-only", "There is no SIM card", pin="")
        self.assertOnlyEmergencies()

    def test_locked_sim_card(self):
        self.show("emergency-only", "The SIM card asks for its PIN", pin="SIM PIN")
        self.assertOnlyEmergencies()

    def test_turned_off_and_on(self):
        self.show("offline", "The modem is not turned on")
        self.assertRefused(self.start_call("+15550145", provider=dbus.ObjectPath(self.provider)), "UnknownProvider")
        self.manager.enable(self.path)
        self.wait_available("online")
        self.assertEqual(self.system.shown(self.provider, "Status"), "")
        self.manager.enable(self.path, False)
        self.wait_available("offline")

    def test_no_network(self):
        self.show("emergency-only", "There is no mobile network", enable=True, registration=0)
        self.assertOnlyEmergencies()
        self.modem.register(1)
        self.wait_available("online")

    def test_denied(self):
        self.show("emergency-only", "The network refuses the SIM card", enable=True, registration=3)

    def test_two_modems(self):
        self.show("online", "", enable=True)
        first, provider = self.modem, self.provider
        self.show("online", "", enable=True, imei="359999999999994")
        second = self.modem
        self.assertNotEqual(self.provider, provider)
        call = self.ring("+15550123", first, provider)
        self.answer(call).result()
        self.wait_state(call, "active")
        other = self.ring("+15550124", second)
        self.answer(other).result()
        self.wait_state(other, "active")
        self.assertState(call, "held")
        self.assertEqual((first.states(), second.states()), ({1: HELD}, {1: ACTIVE}))

    def test_two_modems_that_cannot_be_told_apart(self):
        self.show("online", "", enable=True)
        first, provider = self.modem, self.provider
        self.show("online", "", enable=True)
        self.assertEqual(self.provider, f"{provider}_2")
        self.ring("+15550123", first, provider)
        self.ring("+15550124")

    def test_the_same_modem_has_the_same_name(self):
        self.show("online", "", enable=True)
        provider = self.provider
        self.manager.stop()
        wait_until(lambda: self.providers() == set(), "the provider is still there")
        self.start_service()
        self.show("online", "", enable=True)
        self.assertEqual(self.provider, provider)
        self.assertEqual(self.system.get(provider, PROVIDER, "HoldModel"), "swap")


class Emergencies(CellularTest):
    deadlines = EMERGENCY

    def test_during_a_call(self):
        call = self.take()
        emergency = self.start_call("112").result()
        self.assertEqual(self.property(emergency, "Provider"), self.provider)
        self.modem.answer()
        self.wait_state(emergency, "active")
        self.wait_modem(first=HELD, second=ACTIVE)
        self.assertState(call, "held")
        self.end(emergency).result()
        self.wait_state(call, "active")
        self.wait_modem(first=ACTIVE)

    def test_it_is_adopted(self):
        call = self.start_call("112").result()
        self.modem.answer()
        self.wait_state(call, "active")
        again = self.new_call(self.kill_worker, "active")
        self.assertTrue(self.property(again, "Emergency"))
        self.wait_modem(first=ACTIVE)
        self.end(again).result()
        self.wait_modem()

    def test_it_is_not_hung_up_when_the_plugin_ends(self):
        call = self.start_call("112").result()
        self.modem.answer()
        self.wait_state(call, "active")
        self.set_enabled(False)
        self.wait_told("CallEnded", call)
        wait_until(lambda: not self.providers(), "the provider is still there")
        self.assertEqual(self.modem.states(), {1: ACTIVE})


class Losses(CellularTest):
    """What is lost is noticed, and what is not lost is kept."""

    def test_unplugged_in_a_call(self):
        call = self.take()
        self.modem.unplug()
        began = time.monotonic()
        self.wait_told("CallEnded", call)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEnded(call, "failed", "provider")
        self.assertEqual(self.property(call, "EndDetail"), "network")
        self.wait_available("offline")
        self.assertEqual(self.system.shown(self.provider, "Status"), "The modem does not answer")

    def test_unplugged_and_a_command_fails(self):
        call = self.take()
        self.modem.unplug()
        began = time.monotonic()
        self.assertRefused(self.hold(call), "ActionFailed")
        self.wait_told("CallEnded", call)
        self.assertLess(time.monotonic() - began, 10)
        # Nothing is stuck behind it.
        self.hotline()

    def test_modem_manager_is_killed_in_a_call(self):
        call = self.take()
        self.manager.kill()
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: not self.providers(), "the provider is still there")
        self.hotline()

    def test_modem_manager_removes_its_modems_and_ends(self):
        call = self.take()
        self.manager.process.terminate()
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: not self.providers(), "the provider is still there")

    def test_the_system_bus_is_killed_in_a_call(self):
        call = self.take()
        self.services_bus.restart()
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: not self.providers(), "the provider is still there")
        self.manager.stop()
        self.start_service()
        self.modem, self.path, provider = self.plug()
        self.assertEqual(provider, self.provider)
        self.take()

    def test_the_worker_is_killed_in_a_call(self):
        call = self.take()
        again = self.new_call(self.kill_worker, "active")
        self.assertEnded(call, "provider-crashed", "provider")
        self.assertEqual(self.number(again), ("phone-number", "+15550123"))
        self.assertEqual(self.property(again, "Direction"), "incoming")
        self.assertEqual(self.asked(), [])
        self.hold(again).result()
        self.wait_modem(first=HELD)

    def test_the_worker_is_killed_with_two_calls(self):
        self.two()
        again = self.new_call(self.kill_worker, "active")
        wait_until(lambda: len(self.calls(self.provider)) == 2, "the held call is lost")
        held = next(call for call in self.calls(self.provider) if call != again)
        self.assertState(held, "held")
        self.assertEqual(self.number(again), ("phone-number", "+15550124"))
        self.wait_modem(first=HELD, second=ACTIVE)
        self.resume(held).result()
        self.wait_modem(first=ACTIVE, second=HELD)
        self.assertEqual(self.asked(), ["2", "2"])

    def test_the_worker_is_killed_in_a_conference(self):
        first, second = self.two()
        self.group(first, second).result()
        self.kill_worker()
        wait_until(lambda: [self.system.shown(call, "State") for call in self.calls(self.provider)] == ["active"] * 2,
                   lambda: [self.system.shown(call, "State") for call in self.calls(self.provider)])
        one, other = self.calls(self.provider)
        wait_until(lambda: self.system.shown(one, "Group") == self.system.shown(other, "Group") != "", "no group")
        self.wait_modem(first=ACTIVE, second=ACTIVE)
        self.assertEqual(self.asked(), ["2", "3"])

    def test_the_worker_is_killed_while_it_rings(self):
        self.ring()
        again = self.new_call(self.kill_worker, "ringing")
        self.answer(again).result()
        self.wait_modem(first=ACTIVE)

    def test_a_call_that_is_found_beside_another_provider_s_is_held(self):
        self.take()
        hotline = []

        def kill_and_dial():
            self.kill_worker()
            hotline.append(self.hotline())
        found = self.new_call(kill_and_dial, "held")
        other, = hotline
        self.wait_modem(first=HELD)
        self.assertState(other, "active")
        self.end(other).result()
        self.wait_state(found, "active")
        self.wait_modem(first=ACTIVE)
