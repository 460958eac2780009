"""The desktop agent beside the daemon, with real parts of desktops around it."""

import os
import subprocess

from support.case import SystemTest
from support.system import BUILD
from support.waiting import GIVE_UP, wait_until

DESKTOP_NAME = "org.opencallkit.Desktop1"
DESKTOP_PATH = "/org/opencallkit/Desktop1"
DESKTOP = "org.opencallkit.Desktop1"
ROUTES = "org.opencallkit.AudioRoutes1"
SHORTCUTS = "org.opencallkit.Shortcuts1"


def dconf_service():
    """The program that keeps the settings of GNOME."""
    places = ["/usr/libexec/dconf-service", f"/usr/lib/{os.uname().machine}-linux-gnu/dconf/dconf-service",
              "/usr/lib/dconf/dconf-service"]
    return next(place for place in places if os.path.exists(place))


class DesktopTest(SystemTest):
    """A test with the daemon and, once it calls `start_agent`, the agent."""

    agent = None

    def spawn(self, *command, **environment):
        """Starts a program of the desktop in the test's session, and ends it with the test."""
        return self.spawn_passing(*command, **environment)

    def spawn_passing(self, *command, descriptors=(), **environment):
        """The same, with open descriptors."""
        process = subprocess.Popen(command, env={**self.system.environment, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=self.desktop_log(), stderr=subprocess.STDOUT, pass_fds=descriptors)
        self.addCleanup(self.end_process, process)
        return process

    def desktop_log(self):
        if not hasattr(self, "_desktop_log"):
            self._desktop_log = open(os.path.join(self.system.folder.name, "desktop.log"), "wb")
            self.addCleanup(self._desktop_log.close)
        return self._desktop_log

    def end_process(self, process):
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(GIVE_UP)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start_agent(self, *arguments, **environment):
        # Nothing is posted anew only because a machine is slow.
        patience = ("--deadline", "banner=600000")
        self.agent = self.spawn(os.path.join(BUILD, "callkit-desktop"), *patience, *arguments, **environment)
        self.wait_name(DESKTOP_NAME)
        return self.agent

    def wait_name(self, name, owned=True):
        """Waits until a name on the bus has an owner, or has none."""
        wait_until(lambda: self.system.bus.name_has_owner(name) == owned,
                   f"{name} has {'no' if owned else 'an'} owner", every=0.02)
