"""Many calls go through one agent (OPENCALLKIT_CALLS): it keeps nothing of them, and then it sleeps."""

import os

from desktop.case import DESKTOP, DESKTOP_PATH
from desktop.kills import KillsTest
from desktop.notification_servers import ScriptedServer
from desktop.ringing import RingingTest
from support.memory import look
from support.provider import Provider
from support.system import BUILD
from support.waiting import let_pass, wait_until

CALLS = int(os.environ.get("OPENCALLKIT_CALLS", "100"))
WARM_UP = 50
"""After so many, whatever grows to its full size once has done so."""
BYTES = 256
"""What the agent may keep of each call, beside what its memory moves by in any case."""
SLACK = 128 << 10
OWN = 4 << 20
"""What the agent may have of its own, in bytes."""
PROPORTIONAL = 8 << 20
"""What a released agent may take of the machine's memory, in bytes, with its share of the libraries."""
SETTLE_SECONDS = 8
"""What was begun by the last call, such as giving memory back, is done after so long."""
IDLE_SECONDS = 10


class EnduranceTest(RingingTest):
    deadlines = {"linger": 1}
    wait_no_streams = KillsTest.wait_no_streams
    streams = KillsTest.streams

    def setUp(self):
        super().setUp()
        self.start_sound()
        self.notifications = ScriptedServer(self)
        self.alpha = Provider(self.system, "Alpha", "/alpha", ringtone_sound=self.tone)
        self.beta = Provider(self.system, "Beta", "/beta", ringtone_sound=self.tone)

    def start_agent(self, *arguments, **environment):
        # An agent without a system bus looks for one from time to time.
        return super().start_agent(*arguments, DBUS_SYSTEM_BUS_ADDRESS=self.system.address, **environment)

    def calls_in_a_row(self, count):
        """Calls that ring, wait, alert, are answered, rejected and ended; some are heard before they go on."""
        for number in range(count):
            call = self.alpha.incoming(localized_caller_name=f"Caller {number}")
            if number % 10 == 0:
                self.recording.wait_loud()
            if number % 2:
                self.reject(call).result()
                continue
            self.answer(call).result()
            other = self.beta.incoming()
            self.reject(other).result()
            self.end(call).result()
            self.system.events.clear()
        wait_until(lambda: not any("/calls/" in path for path in self.system.objects), "ended calls stay")
        self.wait_agent()

    def wait_agent(self):
        """Returns when the agent has taken in all that the daemon had sent."""
        self.system.sync()
        self.assertFalse(self.system.get(DESKTOP_PATH, DESKTOP, "Ringing", name=DESKTOP))
        self.notifications.wait_shown(0)
        self.wait_no_streams()

    def switches(self):
        """How often the agent has slept and woken."""
        with open(f"/proc/{self.agent.pid}/status", encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)

    def proportional(self):
        with open(f"/proc/{self.agent.pid}/smaps_rollup", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) << 10

    def test_calls_leave_nothing_and_the_agent_sleeps(self):
        self.calls_in_a_row(WARM_UP)
        before = look(self.agent.pid)
        self.calls_in_a_row(CALLS)
        after = look(self.agent.pid)
        share = self.proportional()
        print(f"agent: {CALLS} calls, from {before} to {after} bytes and descriptors, {share >> 10} KiB with its share")
        self.assertLessEqual(after[0], before[0] + SLACK + BYTES * CALLS)
        self.assertLessEqual(after[0], OWN)
        self.assertEqual(after[1], before[1])
        if "release" in os.path.realpath(BUILD):
            self.assertLessEqual(share, PROPORTIONAL)
        self.assertTrue(self.notifications.posts)
        self.assertSleeps()

    def assertSleeps(self):
        threads = os.listdir(f"/proc/{self.agent.pid}/task")
        self.assertEqual(len(threads), 1)
        let_pass(SETTLE_SECONDS)
        counts = [self.switches()]
        while len(counts) < 2 or (counts[-1] != counts[-2] and len(counts) < 6):
            let_pass(IDLE_SECONDS)
            counts.append(self.switches())
        self.assertEqual(counts[-1], counts[-2], f"the idle agent wakes up: {counts}")
