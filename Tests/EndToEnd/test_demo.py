"""The demo prints the events of the bus, and fails if they differ from its script."""

import os
import re
import subprocess
import tempfile
import unittest

from system import BUILD, PLUGINS, REPOSITORY

DEMO = os.path.join(REPOSITORY, "Demo", "demo.py")
EVENT = re.compile(r" +\d+\.\d\d s  (plugin|provider|\w+ call) \S+ (is|has|could) .+")


class Demo(unittest.TestCase):
    def tell(self, build):
        return subprocess.run(["/usr/bin/python3", DEMO, build, PLUGINS], capture_output=True, text=True, timeout=600,
                              check=False)

    def test_every_line_is_an_event_and_the_story_happens(self):
        told = self.tell(BUILD)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        *lines, verdict = [line for line in told.stdout.splitlines() if line]
        for line in lines:
            self.assertRegex(line, EVENT)
        self.assertRegex(verdict, r"^demo: done in \d+\.\d s$")
        story = iter(re.sub(r"call [0-9a-f]{8}", "call", line) for line in lines)
        for part in ("Hotline call is active", "MonkeyCall call is ringing (waiting)",
                     "Hotline call is held by the arbiter", "MonkeyCall call is active",
                     "MonkeyCall call has ended: local-ended, by user", "Hotline call is active",
                     "MonkeyCall call has ended: provider-crashed, by provider",
                     "plugin MonkeyCall is restarting: ended by signal 11", "plugin MonkeyCall is ready",
                     "Hotline call has ended: local-ended, by user"):
            self.assertTrue(any(line.endswith(f" s  {part}") for line in story), f"not told in this order: {part}")

    def test_a_daemon_that_ends_is_no_story(self):
        with tempfile.TemporaryDirectory() as build:
            with open(f"{build}/callkitd", "w", encoding="ascii") as file:
                file.write("#!/bin/sh\nexit 7\n")
            os.chmod(f"{build}/callkitd", 0o755)
            told = self.tell(build)
        self.assertEqual((told.returncode, told.stdout), (1, ""))
        self.assertIn("callkitd has ended with status 7", told.stderr)
