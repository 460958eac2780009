"""SIP calls one after another (OPENCALLKIT_SIP_CALLS of them), and many at once: memory, descriptors and threads stay as they
are."""

import os
import unittest

from sip_callers import Caller, address
from sip_system import SIPTest
from system import ROOT
from waiting import wait_until

CALLS = int(os.environ.get("OPENCALLKIT_SIP_CALLS", "40"))
WARM_UP = 20
KEPT = 512
"""KiB that the worker may have more after all calls: what its allocator has not given back."""
CROWD = 50
RINGING = 16
"""How many calls the daemon lets ring at once."""


class EnduranceTest(SIPTest):
    needs_sound = True
    arguments = ("--deadline", "linger=1")

    @classmethod
    def start_rig(cls):
        super().start_rig()
        test = cls.make()
        cls.alice = test.add_account("alice", encryption="off", trace=False)
        cls.work = test.add_account("work", transport="udp", encryption="off", trace=False)
        cls.worker = int(cls.system.shown(f"{ROOT}/plugins/SIP", "Pid"))

    def tearDown(self):
        super().tearDown()
        self.assertEqual(int(self.system.shown(f"{ROOT}/plugins/SIP", "Pid")), self.worker, "the worker has crashed")

    @staticmethod
    def anonymous(pid):
        """The memory of a process that is its own, in KiB."""
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))

    @staticmethod
    def holds(pid):
        """How many descriptors and threads a process has."""
        return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


class Endurance(EnduranceTest):
    def test_calls_one_after_another(self):
        bob = self.baresip()
        for number in range(WARM_UP):
            self.pass_call(bob, number)
        before = {pid: (self.anonymous(pid), self.holds(pid)) for pid in (self.worker, self.pid)}
        for number in range(CALLS):
            self.pass_call(bob, number)
            if number % 100 == 99:
                print(f"endurance: {number + 1} calls, {self.anonymous(self.worker) - before[self.worker][0]:+} KiB, "
                      f"{self.holds(self.worker)}", flush=True)
        for pid, (memory, held) in before.items():
            more = self.anonymous(pid) - memory
            print(f"endurance: {CALLS} SIP calls, {'worker' if pid == self.worker else 'daemon'} {more:+} KiB, "
                  f"descriptors and threads {held} and {self.holds(pid)}", flush=True)
            # The daemon keeps a few facts of each call for Explain.
            self.assertLess(more, KEPT + CALLS)
            wait_until(lambda pid=pid, held=held: self.holds(pid) <= (held[0] + 2, held[1]),
                       lambda pid=pid: f"{self.holds(pid)}", every=0.1)

    def pass_call(self, bob, number):
        """One that comes in or goes out, is answered, and ended by one side or the other."""
        bob.mark()
        # Over UDP the engine remembers each call for half a minute.
        call = self.call_in(bob) if number % 2 else self.call_out(bob)
        bob.wait_event("CALL_ESTABLISHED")
        if number % 4 < 2:
            self.end(call).result()
        else:
            bob.hang_up()
        wait_until(lambda: self.system.shown(call, "State") in ("ended", None), f"{call} does not end")
        bob.wait_event("CALL_CLOSED")


class Crowd(EnduranceTest):
    def test_fifty_calls_at_once(self):
        place, uri = address(self.server)
        caller = self.far_side(Caller(place))
        provider = self.provider(self.work)
        dialogs = [caller.invite(uri("work")) for _ in range(CROWD)]
        wait_until(lambda: all(180 in dialog.codes or dialog.is_over for dialog in dialogs),
                   lambda: f"lost: {[dialog.codes for dialog in dialogs if not dialog.codes]}", 30)
        ringing = [dialog for dialog in dialogs if not dialog.is_over]
        self.assertEqual(len(ringing), RINGING)
        self.assertEqual([dialog.final for dialog in dialogs if dialog.is_over], [486] * (CROWD - RINGING))
        self.assertEqual(len(self.calls(provider)), RINGING)
        for dialog in ringing:
            caller.cancel(dialog)
        self.assertEqual({caller.wait_final(dialog) for dialog in ringing}, {487})
        wait_until(lambda: not self.calls(provider), lambda: f"calls stay: {self.calls(provider)}")
        # Nothing is left of the crowd that would be in the way of a call of the other account.
        self.call_in(self.baresip())


if __name__ == "__main__":
    unittest.main()
