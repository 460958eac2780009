"""Floods: while a stranger sends as fast as the bus takes it, everybody else's calls go on.

OPENCALLKIT_TORTURE=1 floods ten seconds each and measures; `make torture` does it with a release build. Otherwise each
flood lasts one second, and only what must never happen is looked at.
"""

import os
import subprocess
import sys
import time

from messages import Pending
from provider import Provider
from support import SystemTest
from system import BUILD, PAGES, PEER, ROOT
from waiting import wait_until

TORTURE = os.environ.get("OPENCALLKIT_TORTURE") == "1"
SECONDS = 10 if TORTURE else 1
LATEST = 50
"""Milliseconds within which 99 of 100 answers of a release build must come, besides what the bus itself takes."""
LEFT = 4 << 10
"""KiB that may be left of a flood."""
FLOODER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flooder.py")


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
        flooder = subprocess.Popen([sys.executable, FLOODER, self.system.socket, kind, str(SECONDS), *arguments],
                                   stdout=subprocess.PIPE, text=True)
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


class Flooding(FloodTest):
    def test_mutes_of_a_strangers_silent_call(self):
        self.flood("mutes", self.silent().active())

    def test_answers_of_a_strangers_silent_calls(self):
        silent = self.silent()
        silent.behaviour["answer"] = "wait"
        self.flood("answers", silent.incoming())

    def silent(self):
        """A stranger's provider, which never answers."""
        provider = Provider(self.system, "Silent")
        provider.behaviour["set-muted"] = "wait"
        return provider


def flooding(kind):
    return lambda self: self.flood(kind)


for KIND in ("get-all", "start", "simulate", "set", "errors", "objects", "objects-unread", "large", "nested", "descriptors"):
    setattr(Flooding, f"test_{KIND.replace('-', '_')}", flooding(KIND))
