"""Other programs that use the modem, and starts that take long: the plugin Cellular with the real ModemManager."""

import os
import subprocess
import sys
import unittest

import dbus

from cellular.at_modem import HELD
from cellular.case import CellularTest
from cellular.modems import MM
from support.system import BUILD, REPOSITORY
from support.waiting import GIVE_UP, wait_until


class Others(CellularTest):
    """What another client of ModemManager does is reported, and not answered with a command."""

    def theirs(self, index):
        """The object of a call, by the number of the modem's call."""
        return f"/org/freedesktop/ModemManager1/Call/{index - 1}"

    def ask(self, index, member):
        return self.services_bus.call(MM, self.theirs(index), f"{MM}.Call", member).result()

    def test_they_answer(self):
        call = self.ring()
        self.ask(1, "Accept")
        self.wait_state(call, "active")
        self.assertEqual(self.modem.sent("A"), ["A"])
        self.end(call).result()
        self.wait_modem()

    def test_they_answer_beside_a_call_of_hotline(self):
        other = self.hotline()
        call = self.ring()
        self.ask(1, "Accept")
        self.wait_state(call, "active")
        self.assertState(other, "held")

    def test_they_hang_up(self):
        call = self.take()
        self.ask(1, "Hangup")
        self.assertEnded(call, "remote-ended", "remote")

    def test_they_exchange(self):
        first, second = self.two()
        self.manager.voice(self.path, "HoldAndAccept").result()
        self.wait_state(first, "active")
        self.wait_state(second, "held")
        self.assertEqual(self.asked(), ["2", "2"])

    def test_they_join(self):
        first, second = self.two()
        wait_until(lambda: len(self.modem.sent("+CLCC")) > 1, "the list was not read", every=0.05)
        self.ask(1, "JoinMultiparty")
        wait_until(lambda: {self.system.shown(call, "State") for call in (first, second)} == {"active"},
                   lambda: [self.system.shown(call, "State") for call in (first, second)])
        self.assertNotEqual(self.property(first, "Group"), "")
        self.assertEqual(self.property(first, "Group"), self.property(second, "Group"))
        self.assertEqual(self.asked(), ["2", "3"])

    def dial(self):
        """They start a call, which is answered."""
        number = dbus.Dictionary({"number": "+15550145"}, signature="sv")
        call = self.manager.voice(self.path, "CreateCall", "a{sv}", number).result()
        self.services_bus.call(MM, call, f"{MM}.Call", "Start").result()
        self.modem.answer()

    def test_they_dial(self):
        found = self.new_call(self.dial, "active")
        self.assertEqual(self.property(found, "Direction"), "outgoing")
        self.end(found).result()
        self.wait_modem()

    def test_they_dial_beside_a_call_of_hotline(self):
        other = self.hotline()
        # It is held: the line belongs to the call that is there.
        found = self.new_call(self.dial, "held")
        self.wait_modem(first=HELD)
        self.assertState(other, "active")
        self.end(found).result()
        self.wait_modem()


class Starts(CellularTest):
    deadlines = {"start": 4_000}

    def test_one_that_takes_too_long_is_hung_up(self):
        self.modem.late = {"D": 6}
        pending = self.start_call("+15550145", provider=dbus.ObjectPath(self.provider))
        self.assertRefused(pending, "ActionTimedOut")
        wait_until(lambda: self.modem.sent("D") and not self.modem.calls, "the call goes on", every=0.1)
        self.modem.late = {}
        self.dial("+15550146")
        # One command has ended the first call. Another one would have ended the second.
        ends = [word for word in self.modem.commands if word.startswith(("+CHUP", "+CHLD=1"))]
        self.assertEqual(len(ends), 1, ends)

    def test_one_that_is_ended_while_it_is_dialed(self):
        self.modem.late = {"D": 1}
        before = set(self.system.objects)
        pending = self.start_call("+15550145", provider=dbus.ObjectPath(self.provider))
        call = wait_until(lambda: [path for path in self.calls(self.provider) if path not in before], "no call")[0]
        self.end(call).result()
        pending.wait()
        wait_until(lambda: self.modem.sent("D") and not self.modem.calls, "the call goes on", every=0.1)
        wait_until(lambda: self.calls(self.provider) == [], lambda: self.calls(self.provider))

    def test_one_after_another(self):
        for number in range(10):
            call = self.start_call(f"+1555020{number}", provider=dbus.ObjectPath(self.provider)).result()
            self.end(call).result()
            self.wait_modem()


class Demo(unittest.TestCase):
    def test_it_shows_what_it_says(self):
        demo = subprocess.run([sys.executable, f"{REPOSITORY}/Demo/mobile.py"], capture_output=True, text=True,
                              timeout=GIVE_UP, check=False, env={**os.environ, "OPENCALLKIT_BUILD": BUILD})
        self.assertEqual(demo.returncode, 0, demo.stdout + demo.stderr)
        self.assertIn("Hotline call", demo.stdout)
        self.assertIn("the modem gets AT+CHLD=3", demo.stdout)
