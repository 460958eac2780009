"""Mobile calls one after another (OPENCALLKIT_MOBILE_CALLS of them): memory and descriptors stay as they are."""

import os

from cellular.case import CellularTest
from support.waiting import wait_until

CALLS = int(os.environ.get("OPENCALLKIT_MOBILE_CALLS", "20"))
WARM_UP = 12
KEPT = 256
"""KiB that the worker may have more after all calls: what its allocator has not given back."""


class Endurance(CellularTest):
    arguments = ("--deadline", "linger=1")

    def test_calls_one_after_another(self):
        for number in range(WARM_UP):
            self.pass_call(number)
        worker = int(self.system.shown(self.plugin, "Pid"))
        before = {pid: (self.anonymous(pid), self.descriptors(pid)) for pid in (worker, self.pid)}
        for number in range(CALLS):
            self.pass_call(number)
        self.assertEqual(self.manager.call_states(self.path), [])
        for pid, (memory, descriptors) in before.items():
            more = self.anonymous(pid) - memory
            print(f"endurance: {CALLS} mobile calls, {'worker' if pid == worker else 'daemon'} {more:+} KiB", flush=True)
            # The daemon keeps a few facts of each call for Explain.
            self.assertLess(more, KEPT + CALLS)
            self.assertLessEqual(self.descriptors(pid), descriptors + 2)
        self.assertEqual(int(self.system.shown(self.plugin, "Pid")), worker, "the worker has crashed")

    def pass_call(self, number):
        """One that comes in or goes out, is answered, and ended by one side or the other."""
        call = self.take(f"+4670{number:06}") if number % 2 else self.dial(f"+4671{number:06}")
        # ModemManager misses the end of an incoming call in the moment in which it is answered.
        if number % 4:
            self.end(call).result()
        else:
            self.modem.hang_up(next(iter(self.modem.states())))
        wait_until(lambda: self.system.shown(call, "State") in ("ended", None), f"{call} does not end")
        wait_until(lambda: not self.modem.states(), "the modem has a call left", every=0.01)

    @staticmethod
    def anonymous(pid):
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))

    @staticmethod
    def descriptors(pid):
        return len(os.listdir(f"/proc/{pid}/fd"))
