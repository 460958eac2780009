"""Scripts/build.sh keeps the compiler's output in a file, and shows what failed."""

import os
import subprocess
import tempfile
import unittest

from support.system import REPOSITORY
from support.waiting import GIVE_UP

SCRIPT = os.path.join(REPOSITORY, "Scripts", "build.sh")


class BuildScript(unittest.TestCase):
    def build(self, compiler):
        """Runs the script in an empty folder with a compiler that is this shell script."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        swift = os.path.join(folder.name, "swift")
        with open(swift, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{compiler}\n")
        os.chmod(swift, 0o755)
        self.log = os.path.join(folder.name, "logs", "build.log")
        return subprocess.run(["sh", SCRIPT, self.log, "-c", "release"], env={**os.environ, "SWIFT": swift},
                              cwd=folder.name, capture_output=True, text=True, timeout=GIVE_UP, check=False)

    def logged(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_a_build_prints_one_line(self):
        done = self.build('echo "$@"; seq 850; echo warning >&2')
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn(self.log, done.stdout)
        self.assertEqual(self.logged(), ["build -c release", *map(str, range(1, 851)), "warning"])

    def test_a_failed_build_shows_its_errors_and_its_last_lines(self):
        done = self.build('echo "A.swift:1:2: error: no such module"; seq 850; exit 3')
        self.assertEqual(done.returncode, 3)
        lines = done.stderr.splitlines()
        self.assertEqual(lines[0], "A.swift:1:2: error: no such module")
        self.assertIn("failed with 3", lines[1])
        self.assertEqual(lines[2:], [str(number) for number in range(821, 851)])
