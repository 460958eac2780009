"""What tests of callctl's commands for people share: running commands, and watching."""

import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import termios

from gi.repository import GLib

from support.store import StoreTest
from support.system import BUILD
from support.waiting import exited, wait_until

CALLCTL = f"{BUILD}/callctl"
DONE, REFUSED, USAGE, UNKNOWN = 0, 1, 64, 66


class Commands:
    """Commands do not write to a terminal; times are in the time zone of Stockholm."""

    def callctl(self, *words, status=DONE, **environment):
        output = self.system.run(CALLCTL, *words, TZ="Europe/Stockholm", **environment)
        self.assertEqual(output.status, status, f"callctl {words}: {output.text}{output.errors}")
        if status == DONE:
            self.assertEqual(output.errors, "", words)
        return output

    def says(self, *words, status=DONE):
        return self.callctl(*words, status=status).text

    def data(self, *words):
        return json.loads(self.says(*words, "--json"))

    def on_a_terminal(self, *words, stdout=subprocess.DEVNULL, width=80):
        """What a command shows on a terminal: its stderr and, if `stdout` is None, its stdout."""
        ours, its = os.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        environment = {**self.system.environment, "TERM": "xterm"}
        process = subprocess.Popen([CALLCTL, *words], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=its if stdout is None else stdout, stderr=its)
        os.close(its)
        shown = []

        def read(descriptor, _):
            try:
                shown.append(os.read(descriptor, 65_536))
            except OSError:  # how a terminal reports the end
                shown.append(b"")
            return bool(shown[-1])
        GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, ours, GLib.IOCondition.IN | GLib.IOCondition.HUP, read)
        wait_until(lambda: shown and not shown[-1], f"callctl {words} does not end")
        os.close(ours)
        exited(process)
        return b"".join(shown).decode()

    def lines_on_a_terminal(self, *words, width=80):
        """The lines of a command's output and errors on a terminal, without colours."""
        shown = self.on_a_terminal(*words, stdout=None, width=width)
        return re.sub(r"\x1b\[\d*m", "", shown).replace("\r", "").splitlines()


class People(Commands, StoreTest):
    arguments = ("--region", "SE")

    def setUp(self):
        super().setUp()
        self.favorites()


class Watching:
    """A running callctl watch."""

    def __init__(self, test):
        self.process = subprocess.Popen([CALLCTL, "watch"], env=test.system.environment, stdout=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = ""
        self.source = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.process.stdout.fileno(),
                                            GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        test.addCleanup(self.stop)
        self.wait("callkitd is there")

    def read(self, *_):
        data = self.process.stdout.read()
        self.text += (data or b"").decode()
        if not data:
            self.source = None
        return bool(data)

    def lines(self, *words):
        """The lines so far that have all these words."""
        return [line for line in self.text.splitlines() if all(word in line for word in words)]

    def wait(self, *words):
        wait_until(lambda: self.lines(*words), lambda: f"no line with {words}: {self.text}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            exited(self.process)
        if self.source is not None:
            GLib.source_remove(self.source)
        self.process.stdout.close()
