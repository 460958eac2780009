"""callctl certify in the sandbox: what a plugin asks for, what it is denied, and at which level it is confined."""

import os
import shutil
import subprocess
import tempfile
import unittest

from plugins.certification import certify, points
from support.system import BUILD

FEW = ("--only", "permissions", "--only", "sandbox", "--only", "custom-actions", "--patience", "30000")


def arguments(pid):
    """The arguments of a process; none if it has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except OSError:
        return []


class Permissions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-certify-")
        self.addCleanup(shutil.rmtree, self.folder)

    def bundle(self, text):
        bundle = f"{self.folder}/FoundationPlugin.callplugin"
        os.mkdir(bundle)
        shutil.copy(f"{BUILD}/libFoundationPlugin.so", f"{bundle}/FoundationPlugin.so")
        with open(f"{bundle}/Plugin.ini", "w", encoding="utf-8") as file:
            file.write(text)
        return bundle

    def examine(self, plugin, *options):
        code, output, errors = certify(plugin, "--json", *FEW, *options)
        told = {name: (point["result"], point["seen"]) for name, point in points(output).items()}
        return code, told, errors

    def test_what_it_asks_for(self):
        bundle = self.bundle("[Plugin]\nNeeds=network;\nMayUse=files:~/Music;\n[Reasons]\nnetwork=Downloads.\n")
        code, told, errors = self.examine(bundle)
        self.assertEqual((code, told["permissions"]),
                         (0, ("passed", "needs network; may use files:~/Music (without a reason)")), errors)
        self.assertIn("granted: network, files:~/Music", told["sandbox"][1])
        self.assertRegex(told["sandbox"][1], "^level (full|landlock|syscalls)")
        self.assertNotIn("AF_INET", told["sandbox"][1])

    def test_what_it_is_denied(self):
        bundle = self.bundle("[Plugin]\nMayUse=network;\n")
        code, told, errors = self.examine(bundle, "--deny", "network")
        self.assertEqual(code, 0, errors)
        self.assertIn("nothing granted", told["sandbox"][1])
        self.assertIn("socket AF_INET (network)", told["sandbox"][1])

    def test_what_a_bare_library_is_granted(self):
        code, told, errors = self.examine(f"{BUILD}/libFoundationPlugin.so", "--grant", "network")
        self.assertEqual((code, told["permissions"]), (0, ("not-applicable", "it asks for nothing")), errors)
        self.assertIn("granted: network", told["sandbox"][1])
        self.assertNotIn("AF_INET", told["sandbox"][1])

    def test_a_bus(self):
        """It is reached through a proxy, which ends with the examination."""
        bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"],
                               stdout=subprocess.PIPE, text=True)
        self.addCleanup(bus.stdout.close)
        self.addCleanup(bus.wait)
        self.addCleanup(bus.terminate)
        address = bus.stdout.readline().strip()
        bundle = self.bundle("[Plugin]\nNeeds=system-bus:org.example.Lamps;\n")
        code, output, errors = certify(bundle, "--json", *FEW, DBUS_SYSTEM_BUS_ADDRESS=address)
        seen = points(output)["sandbox"]["seen"]
        self.assertEqual(code, 0, errors)
        self.assertIn("granted: system-bus:org.example.Lamps", seen)
        self.assertNotIn(address, [argument for name in filter(str.isdigit, os.listdir("/proc"))
                                   for argument in arguments(name)], "its proxy has not ended")

    def test_a_bad_one_is_told_by_its_line(self):
        for text, words in (("[Plugin]\nNeeds=network;telepathy;\n", ("line 2", "telepathy")),
                            ("[Plugin]\nNeeds=session-bus:org.freedesktop.secrets;\n",
                             ("line 2", "granted to no plugin")),
                            ("[Plugin]\nNeed=network;\n", ("unknown entries", "line 2 has Need"))):
            with self.subTest(text):
                code, told, errors = self.examine(self.bundle(text))
                shutil.rmtree(f"{self.folder}/FoundationPlugin.callplugin")
                self.assertEqual((code, told["permissions"][0]), (3, "failed"))
                for word in words:
                    self.assertIn(word, told["permissions"][1])
                self.assertIn("permissions", errors)

    def test_outside_the_sandbox(self):
        code, told, errors = self.examine(f"{BUILD}/libSmallestPlugin.so", "--no-sandbox")
        self.assertEqual((code, told["sandbox"]), (0, ("not-applicable", "it is examined outside the sandbox")), errors)

    def test_nothing_is_left(self):
        def left():
            """The folders of examinations that are over; their names have the number of the process. One that ends at this
            moment has removed its folder before, though the folder was listed.
            """
            return [name for name in os.listdir("/tmp") if name.startswith("callctl-certify-")
                    and not os.path.exists(f"/proc/{name.split('-')[2]}") and os.path.exists(f"/tmp/{name}")]
        before = left()
        self.examine(f"{BUILD}/libSmallestPlugin.so")
        self.assertEqual([name for name in left() if name not in before], [])

    def test_wrong_usage(self):
        for option, text in (("--grant", "telepathy"), ("--deny", "files:/"), ("--grant", "system-bus:*")):
            code, _, errors = certify(f"{BUILD}/libSmallestPlugin.so", option, text)
            self.assertEqual(code, 64, errors)
            self.assertIn(text.split(":")[-1], errors)
