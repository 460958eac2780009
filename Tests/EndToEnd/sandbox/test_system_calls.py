"""The filter of system calls, decided without a kernel: Tests/Fixtures/Filter. For this machine's architecture, and for
64-bit ARM by its compiler and an emulator.
"""

import os
import platform
import subprocess
import tempfile
import unittest

from support.contract import REPOSITORY
from support.waiting import GIVE_UP

SANDBOX = os.path.join(REPOSITORY, "Sources/Ground/CSandbox")
WORKER = os.path.join(REPOSITORY, "Sources/Host/callkit-worker")
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]


def sources(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".c")]


class SystemCallsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = os.path.join(folder.name, "program")

    def compile(self, compiler, *arguments):
        subprocess.run([compiler, *WARNINGS, f"-I{SANDBOX}", f"-I{SANDBOX}/include", "-o", self.program, *arguments],
                       check=True, timeout=GIVE_UP)

    def verdicts(self, compiler, *emulator):
        others = [name for name in sources(SANDBOX) if os.path.basename(name) in ("checks.c", "denials.c")]
        self.compile(compiler, "-static", os.path.join(REPOSITORY, "Tests/Fixtures/Filter/verdicts.c"), *others)
        run = subprocess.run([*emulator, self.program], capture_output=True, text=True, timeout=GIVE_UP, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn(" verdicts, 0 wrong\n", run.stdout)

    def test_this_machine(self):
        self.verdicts("gcc")

    @unittest.skipIf(platform.machine() == "aarch64", "test_this_machine has tested it")
    def test_arm(self):
        self.verdicts("aarch64-linux-gnu-gcc", "qemu-aarch64")
        self.compile("aarch64-linux-gnu-gcc", "-O2", *sources(SANDBOX), *sources(WORKER))
