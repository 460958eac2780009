"""The demos of networks: what each must tell."""

import os
import re
import subprocess
import unittest

from support.contract import REPOSITORY
from support.waiting import GIVE_UP

TIMED = re.compile(r" +\d+\.\d\d s  ")


class DemoTest(unittest.TestCase):
    def assertTold(self, demo, *parts):
        """Asserts that the demo tells these parts in this order, in lines that fit a terminal."""
        told = subprocess.run(["/usr/bin/python3", os.path.join(REPOSITORY, "Demo", demo)], capture_output=True, text=True,
                              timeout=GIVE_UP, check=False)
        self.assertEqual((told.returncode, told.stderr), (0, ""), told.stdout)
        lines = told.stdout.splitlines()
        self.assertEqual([line for line in lines if len(line) > 80], [])
        story = iter(TIMED.sub("", re.sub(r"call [0-9a-f]{8}", "call", line)).strip() for line in lines)
        for part in parts:
            self.assertTrue(any(line.startswith(part) for line in story), f"not told in this order: {part}\n{told.stdout}")
