"""Networks that act by themselves, and modems that lie and dawdle: the plugin Cellular with the real ModemManager."""

import os
import random

import dbus

from cellular.at_modem import ACTIVE, HELD, WAITING
from cellular.case import HOTLINE, CellularTest
from support.case import TORTURE
from support.waiting import let_pass, wait_until

STEPS = 100 if TORTURE else 40

LISTS = {
    "both active": ['+CLCC: 1,1,0,0,0,"+15550123",145', '+CLCC: 2,1,0,0,0,"+15550124",145'],
    "both held": ['+CLCC: 1,1,1,0,0,"+15550123",145', '+CLCC: 2,1,1,0,0,"+15550124",145'],
    "twice the same call": ['+CLCC: 1,1,1,0,0,"+15550123",145', '+CLCC: 1,1,0,0,0,"+15550123",145',
                            '+CLCC: 2,1,0,0,0,"+15550124",145'],
    "no such states": ['+CLCC: 1,7,9,0,0,"+15550123",145', '+CLCC: 2,1,77,0,0,"+15550124",145'],
    "numbers that are none": [f'+CLCC: {index},1,{state},0,0,"{"9" * 300}",145' for index, state in ((1, 1), (2, 0))],
    "not a list": ["+CLCC: x", "+CLCC: ,,,,", '+CLCC: 1,1,1,0,0,"', "%s%n\x01"],
}
"""Answers of AT+CLCC beside a held call 1 and an active call 2."""


class Networks(CellularTest):
    """What the network does by itself is reported, and not answered with a command."""

    def test_it_exchanges_the_calls(self):
        first, second = self.two()
        self.wait_listed()
        for _ in range(3):
            self.modem.exchange()
            self.wait_state(first, "active")
            self.assertState(second, "held")
            self.modem.exchange()
            self.wait_state(second, "active")
            self.assertState(first, "held")
        self.assertEqual(self.asked(), ["2"])
        self.assertEqual(self.system.told("Anomaly"), [])

    def test_it_resumes_a_call_beside_one_of_another_provider(self):
        mobile = self.take()
        other = self.hotline()
        self.wait_modem(first=HELD)
        self.modem.exchange()
        # Hotline's call gives way: the mobile one is heard already.
        self.wait_state(mobile, "active")
        self.assertState(other, "held")
        self.assertEqual(self.asked(), ["2"])

    def test_many_calls_at_once(self):
        first = self.take()
        for number in range(5):
            self.modem.ring(f"+1555020{number}")
        wait_until(lambda: len(self.calls(self.provider)) == 6, lambda: self.calls(self.provider))
        for index in range(2, 7):
            self.modem.hang_up(index)
        wait_until(lambda: self.calls(self.provider) == [first], lambda: self.calls(self.provider))
        self.assertState(first, "active")
        self.assertEqual(self.asked(), [])


class Liars(CellularTest):
    def hear(self, answer):
        """Gives this answer to AT+CLCC once, beside two calls. Nothing must be asked of the network for it, the daemon must
        have the calls that ModemManager has, and all of them can be ended."""
        first, second = self.two()
        sent = len(self.asked())
        self.modem.lists = [answer]
        wait_until(lambda: not self.modem.lists, "the list was not read", every=0.05)
        let_pass(3)
        states = [str(self.system.shown(call, "State")) for call in self.calls(self.provider)]
        self.assertLessEqual(states.count("active"), 1)
        self.assertLessEqual(set(states), {"active", "held"})
        self.assertEqual(len(states), len(self.manager.call_states(self.path)))
        self.assertEqual(self.asked()[sent:], [])
        for call in self.calls(self.provider):
            self.end(call).result()
        wait_until(lambda: self.manager.call_states(self.path) == [], "a call is left", every=0.1)
        wait_until(lambda: self.calls(self.provider) == [], lambda: self.calls(self.provider))
        self.assertEqual(self.system.shown(self.plugin, "State"), "ready")

    def test_both_active(self):
        self.hear(LISTS["both active"])

    def test_both_held(self):
        self.hear(LISTS["both held"])

    def test_twice_the_same_call(self):
        self.hear(LISTS["twice the same call"])

    def test_no_such_states(self):
        self.hear(LISTS["no such states"])

    def test_numbers_that_are_none(self):
        self.hear(LISTS["numbers that are none"])

    def test_not_a_list(self):
        self.hear(LISTS["not a list"])

    def test_answers_that_come_late(self):
        first, second = self.two()
        self.modem.late = {"+CHLD=": 1.5}
        self.resume(first).result()
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("active", "held"))
        self.assertEqual(self.asked(), ["2", "2"])

    def test_answers_that_come_twice(self):
        self.modem.twice = {"+CHLD="}
        first, second = self.two()
        for _ in range(3):
            self.resume(first).result()
            self.resume(second).result()
        self.wait_modem(first=HELD, second=ACTIVE)
        self.assertEqual(self.asked(), ["2"] * 7)

    def test_answers_that_do_not_come(self):
        call = self.take()
        self.modem.silent = {"+CHLD="}
        pending = self.hold(call)
        pending.wait()
        self.assertEqual(self.asked(), ["2"])
        # The call can be ended, although the modem is silent. ModemManager learns of it when the modem speaks again.
        self.end(call).wait()
        self.wait_told("CallEnded", call)
        self.assertEqual(self.calls(self.provider), [])
        self.modem.silent = set()
        wait_until(lambda: self.manager.call_states(self.path) == [], "the call goes on", every=0.2)

    def test_services_that_are_refused(self):
        first = self.take()
        self.modem.refuses = {"+CHLD=2"}
        self.assertRefused(self.hold(first), "ActionFailed")
        self.assertState(first, "active")
        second = self.ring("+15550124")
        self.assertRefused(self.answer(second), "ActionFailed")
        self.assertState(first, "active")
        self.wait_modem(first=ACTIVE, second=WAITING)


class Storm(CellularTest):
    """Random holds, resumes and ends of mobile calls beside one of Hotline."""

    def test_nothing_is_exchanged_that_nobody_asked_for(self):
        seed = int(os.environ.get("OPENCALLKIT_SEED") or 1)
        choose = random.Random(seed)
        with self.subTest(seed=seed):
            self.take("+15550123")
            self.hotline()
            for step in range(STEPS):
                self.act(choose, step)
            self.assertOneHasTheLine()
            self.assertEqual([event.arguments for event in self.system.told("Anomaly")], [])

    def act(self, choose, step):
        """Does one thing, and counts the services that the network was asked for."""
        calls = self.calls()
        mobile = self.calls(self.provider)
        kinds = ["hold", "resume"] * 4 + ["end"]
        if len(mobile) < 2:
            kinds += ["ring"] * 4
        if len(calls) == len(mobile):
            kinds += ["hotline"] * 2
        kind = choose.choice(kinds if calls else ["ring", "hotline"])
        sent, states = len(self.asked()), self.modem.states()
        if kind == "ring":
            call = self.ring(f"+1555{step:04}")
            self.answer(call).wait()
            if self.system.shown(call, "State") == "ringing":
                self.reject(call).result()
        elif kind == "hotline":
            self.start_call("+15550199", provider=dbus.ObjectPath(HOTLINE)).wait()
        else:
            call = choose.choice(calls)
            {"hold": self.hold, "resume": self.resume, "end": self.end}[kind](call).wait()
        self.agree()
        count = len(self.asked()) - sent
        if kind in ("ring", "end"):
            # A call that is ended, and another that comes back.
            self.assertLessEqual(count, 2, f"{kind}: {self.asked()[sent:]}")
        else:
            # What has changed was asked for once, and what has not was not asked for.
            self.assertEqual(count, int(self.modem.states() != states), f"{kind}: {states}, {self.asked()[sent:]}")

    def agree(self):
        """The daemon and the modem agree on which calls there are, and which of them is heard."""
        words = {"active": ACTIVE, "held": HELD}
        # A call that resumes because another has ended is shown as resuming from then on.
        self.system.sync()
        wait_until(lambda: sorted(str(words.get(str(self.system.shown(call, "State"))))
                                  for call in self.calls(self.provider)) == sorted(map(str, self.modem.states().values())),
                   lambda: f"{self.modem.states()}, {[self.system.shown(c, 'State') for c in self.calls()]}, {self.asked()}",
                   every=0.05)
