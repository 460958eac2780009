"""A folder that cannot be read is not an empty one: what is known stays, and the folder is read again."""

import os
import resource

from plugins.case import UNPRIVILEGED, PluginTest
from support.system import PLUGIN
from support.waiting import wait_until


class Scans(PluginTest):
    wrapper = UNPRIVILEGED

    def setUp(self):
        super().setUp()
        self.place("Smallest")
        self.wait_ready("Smallest")
        self.call = self.talk("Smallest")
        self.addCleanup(os.chmod, self.folder, 0o700)

    def assertStays(self):
        self.system.sync()
        self.assertState(self.call, "active")
        self.assertEqual(self.told_of("Smallest", "State"), "ready")

    def said(self, text):
        return self.system.read_log().count(text)

    def test_a_folder_that_may_not_be_listed(self):
        os.chmod(self.folder, 0o300)
        self.place("Later", self.library())
        self.system.wait_logged(f"plugin folder {self.folder} could not be read: opendir: permission denied")
        self.assertStays()
        os.chmod(self.folder, 0o700)
        self.wait_for("Later", "ready")
        self.assertStays()
        self.assertEqual(self.said("could not be read"), 1)

    def test_a_file_that_may_not_be_read(self):
        path = f"{self.folder}/Smallest.so"
        os.chmod(path, 0)
        self.place("Later", self.library())
        self.wait_for("Later", "ready")
        self.assertStays()
        os.unlink(path)
        self.assertEnded(self.call, "failed", "provider")

    def test_no_descriptors(self):
        limits = self.leave_descriptors(0)
        try:
            self.place("Later", self.library())
            self.system.wait_logged(f"plugin folder {self.folder} could not be read: opendir: too many open files")
            self.assertStays()
        finally:
            resource.prlimit(self.pid, resource.RLIMIT_NOFILE, limits)
        self.wait_for("Later", "ready")
        self.assertStays()

    def test_descriptors_for_a_scan_and_not_for_a_worker(self):
        """What is new waits; it is not given up."""
        limits = self.leave_descriptors(2)
        try:
            self.place("Later", self.library())
            wait_until(lambda: self.told_of("Later", "State") == "restarting",
                       lambda: f"it is {self.told_of('Later', 'State')}: {self.told_of('Later', 'Error')}")
            self.assertIn("too many open files", self.property(self.plugin("Later"), "Error", PLUGIN))
            self.assertStays()
        finally:
            resource.prlimit(self.pid, resource.RLIMIT_NOFILE, limits)
        self.wait_for("Later", "ready")
        self.assertStays()

    def leave_descriptors(self, count):
        """Lets the daemon open so many files more, and returns the limits before. What it has open for a moment, while it
        measures a plugin's folders, does not count."""
        wait_until(self.rests, "the daemon works on", every=0.01)
        limits = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        used = {int(name) for name in os.listdir(f"/proc/{self.pid}/fd")}
        free = [number for number in range(len(used) + count + 1) if number not in used]
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (free[count], limits[1]))
        return limits

    def rests(self):
        """Whether all threads of the daemon sleep."""
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{thread}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] != "S":
                    return False
        return True
