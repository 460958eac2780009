"""The base of tests in which a stranger floods the daemon."""

import subprocess
import sys
import time

from support.case import TORTURE, SystemTest
from support.contract import END_TO_END
from support.messages import Pending
from support.provider import Provider
from support.system import BUILD, PAGES, PEER
from support.waiting import wait_until

SECONDS = 10 if TORTURE else 1

LATEST = 50
"""Milliseconds within which 99 of 100 answers of a release build must come, besides what the bus itself takes."""

LEFT = 4 << 10
"""KiB that may be left of a flood."""


def start_flooder(socket, kind, seconds, *arguments, **options):
    """Starts the program that floods the daemon: support/flooder.py."""
    return subprocess.Popen([sys.executable, "-m", "support.flooder", socket, kind, str(seconds), *arguments],
                            cwd=END_TO_END, stdout=subprocess.PIPE, **options)



def quantiles(times):
    """The median, and what 99 of 100 do not exceed, in ms."""
    times = sorted(time * 1_000 for time in times)
    return times[len(times) // 2], times[len(times) * 99 // 100]


class FloodTest(SystemTest):
    slowest = None
    """Milliseconds within which 99 of 100 answers of any build must come; None if they may wait for something else."""
    arguments = ("--no-store",)
    deadlines = {"linger": 1_000}

    def setUp(self):
        super().setUp()
        self.innocent = Provider(self.system)

    def answered_call(self):
        """How long it takes to answer a call of the innocent provider, which ends it then."""
        call = self.innocent.report_incoming().result()
        began = time.monotonic()
        self.answer(call).result()
        took = time.monotonic() - began
        self.innocent.remote_end(call).result()
        return took

    def passed_message(self):
        """How long the bus itself takes for a call of the innocent provider to us, and our answer."""
        began = time.monotonic()
        pong = Pending("Ping")
        self.innocent.connection.call_async(
            self.system.bus.get_unique_name(), "/", PEER, "Ping", "", (), pong.succeed, pong.fail)
        pong.result()
        return time.monotonic() - began

    def flood(self, kind, *arguments):
        for _ in range(20):
            self.answered_call()
        before, owner = self.system.memory(), self.system.owner
        flooder = start_flooder(self.system.socket, kind, SECONDS, *arguments, text=True)
        self.addCleanup(flooder.stdout.close)
        times, bus_times = [], []
        while flooder.poll() is None:
            times.append(self.answered_call())
            bus_times.append(self.passed_message())
        sent = int(flooder.stdout.read().split()[-1])
        self.assertGreater(sent, 0)
        self.assertEqual(self.system.owner, owner, "the daemon left the bus")
        self.assertEqual(self.innocent.told("TimedOut"), [])
        if TORTURE:
            wait_until(lambda: self.system.memory() - before <= LEFT * PAGES,
                       lambda: f"{self.system.memory() - before} KiB are left", every=0.5)
        (p50, p99), (_, bus) = quantiles(times), quantiles(bus_times)
        print(f"\n| {kind} | {sent} | {len(times)} | {p50:.1f} | {p99:.1f} | {bus:.1f} | {self.system.memory() - before} |",
              file=sys.stderr)
        if self.slowest is not None:
            self.assertLess(p99, self.slowest)
        if TORTURE and not BUILD.endswith("debug"):
            self.assertLess(p99, LATEST + bus)
