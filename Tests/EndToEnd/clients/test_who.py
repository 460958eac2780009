"""The programs of the article "The first hour with the bus", in C, Python and C++: compiled as they say, and run."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile

from gi.repository import GLib

from support.case import SystemTest
from support.provider import Provider
from support.system import REPOSITORY
from support.waiting import exited, wait_until

EXAMPLES = os.path.join(REPOSITORY, "Examples")


class Program:
    def __init__(self, test, *command):
        self.text = ""
        self.process = subprocess.Popen(command, env=test.system.environment, stdout=subprocess.PIPE)
        self.source = GLib.io_add_watch(self.process.stdout.fileno(), GLib.PRIORITY_DEFAULT,
                                        GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        test.addCleanup(self.close)

    def read(self, _, condition):
        chunk = self.process.stdout.raw.read(65536) if condition & GLib.IOCondition.IN else b""
        self.text += chunk.decode()
        return bool(chunk)

    def close(self):
        GLib.source_remove(self.source)
        self.process.terminate()
        exited(self.process)
        self.process.stdout.close()

    def wait_said(self, line):
        wait_until(lambda: line in self.text.splitlines(), lambda: f"it did not say {line!r}: {self.text}")


class Who(SystemTest):
    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)

    def compile(self, name):
        """Compiles a program with the commands in the comment at its top."""
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-who-")
        self.addCleanup(folder.cleanup)
        shutil.copy(os.path.join(EXAMPLES, name), folder.name)
        with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
            commands = re.findall(r"(?m)^(?: \*|//) ((?:gcc|moc|g\+\+) .*)$", file.read())
        self.assertTrue(commands)
        for command in commands:
            done = subprocess.run(["sh", "-c", command.replace("-o who ", "-Wall -Werror -o who ")], cwd=folder.name,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""), shlex.quote(command))
        return os.path.join(folder.name, "who")

    def follow(self, *command):
        there = self.provider.incoming(localized_caller_name="Ada", handle=("generic", "ada"))
        program = Program(self, *command)
        program.wait_said("Ada <ada>")
        self.provider.update(there, localized_caller_name="Eve").result()
        program.wait_said("Eve <ada>")
        self.provider.remote_end(there).result()
        program.wait_said("over: remote-ended, by remote")
        self.provider.incoming(localized_caller_name="Bob", handle=("generic", "bob"))
        program.wait_said("Bob <bob>")

    def test_in_c(self):
        self.follow(self.compile("who.c"))

    def test_in_python(self):
        self.follow("/usr/bin/python3", os.path.join(EXAMPLES, "who.py"))

    def test_with_qt(self):
        self.follow(self.compile("who.cpp"))
