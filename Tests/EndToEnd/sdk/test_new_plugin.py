"""`callctl plugin new`: the package that it writes. test-packages builds, certifies and calls one."""

import os
import re
import subprocess
import tempfile
import unittest

from support.system import REPOSITORY
from support.terminal import CALLCTL, REFUSED, UNKNOWN, USAGE


class NewPlugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-new-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def new(self, *words, status=0, sdk=REPOSITORY):
        done = subprocess.run([CALLCTL, "plugin", "new", *words, "--sdk", sdk], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def files(self):
        """What was written, by the path in the package."""
        found = {}
        for folder, _, names in os.walk(f"{self.folder}/Walkie"):
            for name in names:
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    found[os.path.relpath(f"{folder}/{name}", f"{self.folder}/Walkie")] = file.read()
        return found

    def test_the_package(self):
        told = self.new("Walkie")
        files = self.files()
        self.assertEqual(set(files), {
            ".github/workflows/ci.yml", ".gitignore", "Makefile", "Package.swift", "README.md", "Resources/Plugin.ini",
            "Sources/Walkie/Walkie.swift", "Tests/WalkieTests/WalkieTests.swift", "plugin.map"})
        for path, text in files.items():
            self.assertNotRegex(text, "[Tt]emplate", path)
        self.assertIn(f'path: "{REPOSITORY}"', files["Package.swift"])
        self.assertFalse(os.stat(f"{self.folder}/Walkie/Makefile").st_mode & 0o400 == 0)
        # Each step that is told is a target, and names the next one.
        steps = re.findall(r"^  make (\w+)$", told, re.M)
        self.assertEqual(steps, ["build", "test", "bundle", "certify", "install", "call"])
        for step, following in zip(steps, steps[1:]):
            self.assertRegex(files["Makefile"], rf"(?m)^{step}:\n(\t.*\n)+\t@echo \"next: make {following}\"\n")
        known = subprocess.run(["swift", "package", "describe"], cwd=f"{self.folder}/Walkie", capture_output=True, text=True,
                               check=True).stdout
        self.assertIn("Name: WalkieTests", known)

    def test_what_is_refused(self):
        self.assertIn("expected letters and digits with a capital letter first", self.new("walkie-talkie", status=USAGE))
        self.assertIn("no SDK in /nowhere", self.new("Walkie", status=UNKNOWN, sdk="/nowhere"))
        self.assertIn("is no SDK of OpenCallKit", self.new("Walkie", status=UNKNOWN, sdk="/usr"))
        self.assertIn("the SDK has a module CallWire", self.new("CallWire", status=REFUSED))
        self.assertEqual(os.listdir(self.folder), [])
        self.new("Walkie")
        self.assertIn("Walkie exists already", self.new("Walkie", status=REFUSED))
