"""The agent's settings: what cannot be read is told and not replaced, and what cannot be written is refused."""

import json
import os

from desktop.case import DESKTOP, DESKTOP_NAME, DESKTOP_PATH, DesktopTest
from support.system import BUILD, PROPERTIES
from support.waiting import wait_until

CALLCTL = f"{BUILD}/callctl"


class Settings(DesktopTest):
    @property
    def path(self):
        return f"{self.system.folder.name}/config/opencallkit/desktop.conf"

    def volume(self):
        return self.system.get(DESKTOP_PATH, DESKTOP, "RingVolume", name=DESKTOP_NAME)

    def told(self):
        with open(f"{self.system.folder.name}/desktop.log", encoding="utf-8") as file:
            return file.read()

    def problems(self):
        return json.loads(self.system.run(CALLCTL, "doctor", "--json").text)["problems"]

    def assertRefusedWith(self, reason):
        before = self.volume()
        self.assertRefused(self.system.call(DESKTOP_PATH, PROPERTIES, "Set", "ssv", DESKTOP, "RingVolume", 0.25,
                                            name=DESKTOP_NAME), "StoreUnavailable")
        output = self.system.run(CALLCTL, "desktop", "volume", "25")
        self.assertEqual(output.status, 1)
        self.assertIn("StoreUnavailable", output.errors)
        self.assertIn(reason, " ".join(output.errors.split()))
        self.assertEqual(self.volume(), before)

    def test_a_file_that_cannot_be_read(self):
        os.makedirs(self.path)
        self.start_agent()
        reason = f"{self.path} cannot be read: open: not a regular file"
        wait_until(lambda: reason in self.told(), self.told, every=0.02)
        self.assertIn(f"the desktop agent: {reason}", self.problems())
        self.assertRefusedWith("not a regular file")
        self.assertTrue(os.path.isdir(self.path))
        os.rmdir(self.path)
        self.assertEqual(self.system.run(CALLCTL, "desktop", "volume", "25").status, 0)
        self.assertEqual(self.volume(), 0.25)
        wait_until(lambda: not any("desktop agent" in problem for problem in self.problems()), self.problems, every=0.05)

    def test_what_cannot_be_written_is_refused(self):
        self.start_agent()
        with open(f"{self.system.folder.name}/config", "wb"):
            pass
        self.assertRefusedWith("not a directory")
