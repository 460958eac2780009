"""The app of a real Flatpak, with the tools of Flatpak itself."""

import tempfile

from access.flatpak import APP, Flatpak
from support.case import SystemTest
from support.messages import strings
from support.provider import Provider
from support.system import CALL, IDENTITY, NAME, PROPERTIES, ROOT

NUMBER = "+15557770123"


class RealFlatpak(SystemTest):
    arguments = ("--log-level", "info")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-flatpak-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.flatpak = Flatpak(f"{folder.name}/home")

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system, supported_handle_types=strings("phone-number"))
        self.call = self.provider.incoming(handle=("phone-number", NUMBER))

    def app(self, *command, options=()):
        begin, environment = self.flatpak.command(self.system, *options)
        return self.system.run(*begin, *command, **environment)

    def send(self, member, *arguments, options=()):
        return self.app("dbus-send", "--session", "--print-reply", f"--dest={NAME}", self.call, member, *arguments,
                        options=options)

    def read(self, interface, name, options=()):
        return self.send(f"{PROPERTIES}.Get", f"string:{interface}", f"string:{name}", options=options)

    def change(self, member, *tiers):
        self.system.call(f"{ROOT}/access", "org.opencallkit.Access1", member, "sas", APP, strings(*tiers)).result()

    def assertDenied(self, output, deed, tier):
        self.assertEqual(output.status, 1, output.errors)
        self.assertIn(f"Error org.opencallkit.Error.AccessDenied: {APP} is not allowed to {deed}; to allow it: "
                      f"callctl access grant {APP} {tier}", output.errors)
        self.assertNotIn(NUMBER, output.errors + output.text)

    def test_grants(self):
        seen = self.read(CALL, "State")
        self.assertIn('"ringing"', seen.text, seen.errors)
        self.assertDenied(self.read(IDENTITY, "Handle"), "read CallIdentity1.Handle", "identity")
        self.assertDenied(self.send(f"{CALL}.End"), "call Call1.End", "control")
        listed = self.app("dbus-send", "--session", "--print-reply", f"--dest={NAME}", ROOT,
                          "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
        self.assertIn(self.call, listed.text)
        self.assertNotIn(NUMBER, listed.text)
        self.change("Grant", "identity")
        self.assertIn(NUMBER, self.read(IDENTITY, "Handle").text)
        self.assertDenied(self.send(f"{CALL}.End"), "call Call1.End", "control")
        self.change("Revoke", "identity")
        self.assertDenied(self.read(IDENTITY, "Handle"), "read CallIdentity1.Handle", "identity")
        self.change("Grant", "control")
        ended = self.send(f"{CALL}.End")
        self.assertEqual(ended.status, 0, ended.errors)
        self.assertEnded(self.call, "declined", "user")
        self.assertIn(f"{APP} (program xdg-dbus-proxy, pid ", self.system.read_log())

    def test_an_app_with_the_whole_bus(self):
        whole = ["--socket=session-bus"]
        self.assertIn('"ringing"', self.read(CALL, "State", whole).text)
        self.assertDenied(self.read(IDENTITY, "Handle", whole), "read CallIdentity1.Handle", "identity")
        self.assertIn(f"{APP} (program dbus-send, pid ", self.system.read_log())
