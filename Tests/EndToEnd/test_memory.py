"""Ten thousand calls one after another through one worker: all that is kept of one is a digest of its identifier."""

import os

from support import wait_until
from surface import SurfaceTest

CALLS = 10_000
WARM_UP = 2_000
"""After so many, whatever grows to its full size once has done so."""
BYTES = 10
"""What the daemon may keep of each call."""
MALLOC = 128 * 1024
"""What malloc keeps at the end of the heap before it gives it back."""


def look(pid):
    """What a process has of its own, in bytes, and how many descriptors it has open."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        kibibytes = next(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))
    return kibibytes * 1024, len(os.listdir(f"/proc/{pid}/fd"))


class Memory(SurfaceTest):
    arguments = ("--no-store",)
    deadlines = {"linger": 1}

    def calls_in_a_row(self, count, each=500):
        for _ in range(count // each):
            self.assertEqual(self.press("calls-in-a-row", count=each), {})
            self.system.events.clear()
        wait_until(lambda: not any("/calls/" in path for path in self.system.objects), "ended calls stay")

    def test_ten_thousand_calls_leave_nothing(self):
        worker = int(self.told_of("Surface", "Pid"))
        self.calls_in_a_row(WARM_UP)
        host_before, worker_before = look(self.pid), look(worker)
        self.calls_in_a_row(CALLS - WARM_UP)
        host, own = look(self.pid), look(worker)
        told = f"host {host_before} to {host}, worker {worker_before} to {own}"
        self.assertLess(host[0] - host_before[0], BYTES * (CALLS - WARM_UP) + MALLOC, told)
        self.assertLess(own[0] - worker_before[0], MALLOC, told)
        self.assertEqual((host[1], own[1]), (host_before[1], worker_before[1]), told)
        self.assertEqual(int(self.told_of("Surface", "Pid")), worker, "it is another worker")
