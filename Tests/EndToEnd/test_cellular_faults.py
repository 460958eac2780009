"""Networks that act by themselves, and modems that lie and dawdle: the plugin Cellular with the real ModemManager."""

import random
import unittest

from at_modem import ACTIVE, HELD, WAITING
from cellular import CellularTest
from waiting import let_pass, wait_until

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
    def test_lists_that_cannot_be(self):
        for name, answer in LISTS.items():
            with self.subTest(name):
                first, second = self.two()
                sent = len(self.asked())
                self.modem.lists = [answer] * 3
                wait_until(lambda: not self.modem.lists, "the list was not read")
                # Whatever was believed, five seconds later both agree again, and nothing was asked for.
                expected = {"active": ACTIVE, "held": HELD}
                wait_until(lambda: sorted(expected[str(self.system.shown(call, "State"))]
                                          for call in self.calls(self.provider)) == sorted(
                                              self.modem.states().values()),
                           lambda: f"{self.modem.states()} {[self.system.shown(c, 'State') for c in (first, second)]}",
                           5)
                self.assertEqual(self.asked()[sent:], [])
                for call in self.calls(self.provider):
                    self.end(call).result()
                self.wait_modem()

    def test_answers_that_come_late(self):
        first, second = self.two()
        self.modem.late = {"+CHLD=": 1.5}
        self.resume(first).result()
        self.assertEqual((self.property(first, "State"), self.property(second, "State")), ("active", "held"))
        self.assertEqual(self.asked(), ["2", "2"])

    def test_answers_that_come_twice(self):
        self.modem.twice = {"+CHLD=", "A", "+CLCC"}
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
        # The modem did it without a word. What it did is known once its list is read again.
        self.modem.silent = set()
        self.assertEqual(self.asked(), ["2"])
        self.end(call).result()
        self.wait_modem()

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
    """A hundred random holds, resumes and ends of mobile calls beside one of Hotline."""

    def test_nothing_is_exchanged_that_nobody_asked_for(self):
        seed = random.randrange(1 << 32)
        choose = random.Random(seed)
        with self.subTest(seed=seed):
            self.take("+15550123")
            self.hotline()
            for step in range(100):
                self.act(choose, step)
                self.agree()
            self.assertOneHasTheLine()
            self.assertEqual([event.arguments for event in self.system.told("Anomaly")], [])

    def act(self, choose, step):
        calls = self.calls()
        mobile = self.calls(self.provider)
        kinds = ["hold", "resume"] * 4 + ["end"]
        if len(mobile) < 2:
            kinds += ["ring"] * 4
        if len(calls) == len(mobile):
            kinds += ["hotline"] * 2
        kind = choose.choice(kinds if calls else ["ring", "hotline"])
        before = len(self.asked())
        if kind == "ring":
            call = self.ring(f"+1555{step:04}")
            self.answer(call).wait()
            if self.system.shown(call, "State") == "ringing":
                self.reject(call).result()
        elif kind == "hotline":
            self.start_call("+15550199").wait() if False else self.hotline_or_none()
        else:
            call = choose.choice(calls)
            {"hold": self.hold, "resume": self.resume, "end": self.end}[kind](call).wait()
        # One request is one service, and one more for a call that comes back when another has ended.
        self.assertLessEqual(len(self.asked()) - before, 3 if kind in ("ring", "end") else 1, f"{kind}: {self.asked()}")

    def hotline_or_none(self):
        import dbus
        from cellular import HOTLINE
        self.start_call("+15550199", provider=dbus.ObjectPath(HOTLINE)).wait()

    def agree(self):
        """The daemon and the modem agree on which calls there are, and which of them is heard."""
        words = {"active": ACTIVE, "held": HELD}
        wait_until(lambda: sorted(str(words.get(str(self.system.shown(call, "State"))))
                                  for call in self.calls(self.provider)) == sorted(map(str, self.modem.states().values())),
                   lambda: f"{self.modem.states()}, {[self.system.shown(c, 'State') for c in self.calls()]}, {self.asked()}",
                   every=0.05)


if __name__ == "__main__":
    unittest.main()
