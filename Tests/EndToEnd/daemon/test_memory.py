"""Thousands of calls one after another through one worker: of each only its identifier is kept, and its row."""

import dbus

from support.case import TORTURE
from support.memory import look
from support.messages import variants
from support.store import children, program
from support.surface import SurfaceTest
from support.system import RECENTS, RECENTS1
from support.waiting import wait_until

CALLS = 10_000 if TORTURE else 2_000
STRETCH = CALLS // 4
"""The memory is looked at after so many calls; the first stretch is for what grows to its full size once."""
BYTES = 64
"""What daemon and worker may keep of each call. What they keep, they keep in every stretch: the least growth counts. A
page more in one of them is the allocator's, which also is why all of them together may be four times as much."""
STORE = 8 << 20
"""What SQLite may keep of the file, and what waits to be written."""


class Memory(SurfaceTest):
    # The worker's folders are not measured meanwhile: they would be open now and then.
    arguments = ("--worker-ping-period", "3600000")
    # Something is always under way here, and may take as long as the machine stands still.
    deadlines = {"linger": 1, "answer": 60_000, "end": 60_000}

    def calls_in_a_row(self, count, each=10):
        for _ in range(count // each):
            self.assertEqual(self.press("calls-in-a-row", count=each), {})
            self.system.events.clear()
        wait_until(lambda: not any("/calls/" in path for path in self.system.objects), "ended calls stay")

    def test_calls_leave_nothing(self):
        worker = int(self.told_of("Surface", "Pid"))
        store = next(pid for pid in children(self.pid) if program(pid) == "callkit-store")
        pids = (self.pid, worker, store)
        looks = []
        for stretch in range(1, CALLS // STRETCH + 2):
            self.calls_in_a_row(STRETCH)
            self.wait_rows(stretch * STRETCH)
            looks.append([look(pid) for pid in pids])
        told = f"host, worker, store: {looks}"
        grown = [[late[0] - early[0] for early, late in zip(one, next_one)] for one, next_one in zip(looks, looks[1:])]
        host, worker_grown, kept = zip(*grown)
        print(f"memory: {sum(host) / CALLS:.1f} bytes a call in the daemon, {sum(worker_grown) / CALLS:.1f} in the "
              f"worker, {sum(kept) >> 10} KiB in the store")
        for own in (host, worker_grown):
            self.assertLessEqual(min(own), BYTES * STRETCH, told)
            self.assertLessEqual(sum(own), 4 * BYTES * CALLS, told)
        self.assertLessEqual(sum(kept), STORE, told)
        self.assertEqual([late[1] for late in looks[-1]], [early[1] for early in looks[0]], told)
        self.assertEqual(int(self.told_of("Surface", "Pid")), worker, "it is another worker")

    def wait_rows(self, count):
        """Every call is a row that has ended, and none waits to be one."""
        def newest():
            rows = self.system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(1))
            return [(int(row["id"]), bool(row["open"])) for row in rows.result()]
        wait_until(lambda: newest() == [(count, False)], lambda: f"the newest is {newest()}, not {count}")
