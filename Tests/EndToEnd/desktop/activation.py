"""The base of the tests in which the bus starts the agent."""

import os
import signal
import stat
import tempfile

from desktop.case import DESKTOP, DesktopTest
from desktop.ringing import FREEDESKTOP
from support.system import BUILD
from support.waiting import wait_gone, wait_until


class ActivationTest(DesktopTest):
    agent_program = f"{BUILD}/callkit-desktop"
    """What the bus starts; "" = there is no service file."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-services-")
        self.addCleanup(folder.cleanup)
        self.services = folder.name
        self.starts = f"{folder.name}/starts"
        if self.agent_program:
            script = f"{folder.name}/agent"
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho $$ >> {self.starts}\nexec {self.agent_program}\n")
            os.chmod(script, stat.S_IRWXU)
            with open(f"{folder.name}/{DESKTOP}.service", "w", encoding="utf-8") as file:
                file.write(f"[D-BUS Service]\nName={DESKTOP}\nExec={script}\n")
        self.addCleanup(self.end_started)
        super().setUp()
        themes = f"{self.system.folder.name}/data/sounds"
        os.makedirs(themes)
        os.symlink(FREEDESKTOP, f"{themes}/freedesktop")

    def started(self):
        """The process numbers of the agents that the bus has started."""
        try:
            with open(self.starts, encoding="ascii") as file:
                return [int(line) for line in file.read().split()]
        except FileNotFoundError:
            return []

    def wait_started(self, count=1):
        """Waits until the bus has started so many, or more, and returns the process number of the last one."""
        wait_until(lambda: len(self.started()) >= count, lambda: f"started: {self.started()}", every=0.02)
        return self.started()[-1]

    def end_started(self):
        for pid in self.started():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def kill_started(self, pid):
        """Kills an agent that the bus has started."""
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid)
