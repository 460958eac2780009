"""A test on a desktop that people have: the daemon, the agent that the bus starts, and the desktop, on buses of its own."""

import os
import subprocess
import tempfile
import unittest

import dbus

from desktop.case import DESKTOP_NAME, DesktopTest
from plugins.consent import AskingTest
from support.provider import Provider
from support.system import BUILD, REPOSITORY, ROOT, SYSTEM
from support.waiting import wait_until

DRIVER = "org.freedesktop.DBus"


def scene(column):
    """A scene, whose outcome stands in this column of the table in docs/desktop.md."""
    def marked(function):
        function.column = column
        return function
    return marked


class LiveTest(AskingTest, DesktopTest):
    rig = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        missing = cls.rig.missing()
        if missing:
            raise unittest.SkipTest(f"{cls.rig.name} needs {', '.join(missing)}")
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-prefix-")
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = folder.name
        subprocess.run(["sh", "Scripts/install.sh", BUILD, "", cls.prefix], cwd=REPOSITORY, check=True,
                       stdout=subprocess.DEVNULL)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-services-")
        self.addCleanup(folder.cleanup)
        self.services = folder.name
        installed = f"{self.prefix}/share/dbus-1/services/{DESKTOP_NAME}.service"
        for path in (installed, *self.rig.allowed_services()):
            os.symlink(path, os.path.join(folder.name, os.path.basename(path)))
        super().setUp()
        self.alpha = self.provider_named("Alpha Tel", "/alpha")
        self.desktop = self.rig(self).start()
        self.ask_bus("StartServiceByName", "su", DESKTOP_NAME, 0)
        self.wait_name(DESKTOP_NAME)

    def ask_bus(self, member, signature, *arguments):
        return self.system.call("/org/freedesktop/DBus", DRIVER, member, signature, *arguments, name=DRIVER).result()

    def agent_pid(self):
        return int(self.ask_bus("GetConnectionUnixProcessID", "s", DESKTOP_NAME))

    def provider_named(self, name, delegate):
        return Provider(self.system, name, delegate,
                        supported_handle_types=dbus.Array(["generic", "phone-number"], signature="s"))

    def ring(self, name="Alice", provider=None, number="+46701740605"):
        return (provider or self.alpha).incoming(localized_caller_name=name, handle=("phone-number", number))

    def talk(self, name="Alice", number="+46701740605"):
        """A call that was answered, elsewhere."""
        return self.alpha.active(localized_caller_name=name, handle=("phone-number", number))

    def wait_ring_mode(self, call, mode):
        wait_until(lambda: self.system.shown(call, "RingMode") == mode,
                   lambda: f"the call rings {self.system.shown(call, 'RingMode')}, not {mode}")

    def wait_quiet(self, *sources):
        wait_until(lambda: [str(source) for source in self.system.get(ROOT, SYSTEM, "QuietSources")] == list(sources),
                   lambda: f"quiet by {self.system.get(ROOT, SYSTEM, 'QuietSources')}, not {sources}", 30, every=0.1)

    def picture(self, name):
        folder = os.environ.get("OPENCALLKIT_ARTEFACTS")
        if folder:
            os.makedirs(folder, exist_ok=True)
            kind = self.rig.name.lower().replace(" ", "-")
            self.desktop.save(os.path.join(folder, f"{name}-{kind}-{self.desktop.version}.png"))
