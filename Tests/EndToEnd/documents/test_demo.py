"""The demo tells what it does and prints the events of the bus, and fails if they differ from its script."""

import importlib.util
import os
import re
import subprocess
import tempfile
import time
import unittest

from support.system import BUILD, PLUGINS, REPOSITORY
from support.waiting import GIVE_UP

DEMO = os.path.join(REPOSITORY, "Demo", "demo.py")
TIMED = re.compile(r" +\d+\.\d\d s  ")
EVENT = re.compile(r" +\d+\.\d\d s  (plugin|provider|\w+ call) \S+ (is|has|could) .+")


def without_chance(text):
    """The text without times and identifiers, which differ from run to run."""
    return re.sub(r"call [0-9a-f]{8}", "call", re.sub(r"(?m)^ +\d+\.\d\d s", "", text))


class Demo(unittest.TestCase):
    def tell(self, build, *options):
        return subprocess.run(["/usr/bin/python3", DEMO, build, PLUGINS, *options], capture_output=True, text=True,
                              timeout=GIVE_UP, check=False)

    def test_the_story_happens_as_it_is_told(self):
        told = self.tell(BUILD)
        self.assertEqual((told.returncode, told.stderr), (0, ""), told.stdout)
        lines = told.stdout.splitlines()
        for line in lines:
            self.assertLessEqual(len(line), 80, line)
            if TIMED.match(line):
                self.assertRegex(line, EVENT)
        story = iter(re.sub(r"call [0-9a-f]{8}", "call", line) for line in lines)
        for part in ("1. You call", "Hotline call is active",
                     "2. MonkeyCall rings", "MonkeyCall call is ringing (waiting)",
                     "Hotline call is held by the arbiter", "MonkeyCall call is active",
                     "3. You end", "MonkeyCall call has ended: local-ended, by user", "Hotline call is active",
                     "4. MonkeyCall rings again", "MonkeyCall call is active",
                     "5. You return", "MonkeyCall call is held by the arbiter", "Hotline call is active",
                     "6. MonkeyCall's process is killed", "MonkeyCall call has ended: provider-crashed, by provider",
                     "plugin MonkeyCall is restarting: ended by signal 11", "plugin MonkeyCall is ready",
                     "7. You end", "Hotline call has ended: local-ended, by user",
                     "demo: done in ", "What was shown", "What to try next"):
            self.assertTrue(any(TIMED.sub("", line).startswith(part) for line in story),
                            f"not told in this order: {part}\n{told.stdout}")

    def test_what_to_try_next_exists(self):
        told = self.tell(BUILD).stdout
        commands = re.findall(r"(?m)^  (make|less) (\S+) ", told[told.index("What to try next"):])
        self.assertEqual([program for program, _ in commands], ["make", "less", "less"])
        with open(os.path.join(REPOSITORY, "Makefile"), encoding="utf-8") as file:
            targets = re.findall(r"(?m)^(\w+):", file.read())
        for program, what in commands:
            self.assertTrue(what in targets if program == "make" else os.path.exists(os.path.join(REPOSITORY, what)),
                            f"{program} {what}")

    def test_the_picture_in_the_readme_is_a_part_of_the_story(self):
        with open(os.path.join(REPOSITORY, "README.md"), encoding="utf-8") as file:
            picture, = re.findall(r"```text\n(1\. .*?)```", file.read(), re.DOTALL)
        self.assertGreater(len(picture.splitlines()), 15)
        self.assertIn(without_chance(picture), without_chance(self.tell(BUILD).stdout))

    def test_it_pauses_before_and_after_the_words(self):
        pauses, seconds = 15, 0.1  # two pauses for each of seven parts, and one at the end
        began = time.monotonic()
        told = self.tell(BUILD, "--pause", str(seconds))
        self.assertEqual(told.returncode, 0, told.stderr)
        # The time of the story is without the pauses.
        story = float(re.search(r"demo: done in (\d+\.\d) s", told.stdout)[1])
        self.assertGreaterEqual(time.monotonic() - began, story - 0.05 + pauses * seconds)

    def test_it_pauses_on_a_terminal_only(self):
        specification = importlib.util.spec_from_file_location("demo", DEMO)
        demo = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(demo)
        outside, inside = os.openpty()
        self.addCleanup(os.close, outside)
        with os.fdopen(inside, "w", encoding="utf-8") as terminal, tempfile.TemporaryFile() as file:
            self.assertGreaterEqual(demo.pause_for(terminal), 2)
            self.assertEqual(demo.pause_for(file), 0)

    def test_a_daemon_that_ends_is_no_story(self):
        with tempfile.TemporaryDirectory() as build:
            with open(f"{build}/callkitd", "w", encoding="ascii") as file:
                file.write("#!/bin/sh\necho 'no bus today' >&2\nexit 7\n")
            os.chmod(f"{build}/callkitd", 0o755)
            told = self.tell(build)
        self.assertEqual(told.returncode, 1)
        self.assertNotIn("1.", told.stdout)
        self.assertNotIn("demo: done", told.stdout)
        self.assertEqual(told.stderr.splitlines(), ["no bus today", "demo: failed: callkitd has ended with status 7"])
