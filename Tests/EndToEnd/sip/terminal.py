"""Phones that are told what to do on their terminal."""

import os
import pty
import re

from gi.repository import GLib

from sip.phones import Phone
from support.waiting import PATIENCE, wait_until


class TerminalPhone(Phone):
    """A phone whose commands are lines on its terminal. What it tells there or in a log of its own is waited for."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.output = ""
        """What it has written to its terminal."""
        self.begin = 0
        self.terminal = self.watch = None

    def spawn_on_terminal(self, *command, environment):
        self.terminal, inner = pty.openpty()
        self.spawn(*command, stdin=inner, output=inner, environment={"TERM": "dumb", "HOME": self.folder, **environment})
        os.close(inner)
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.terminal, GLib.IOCondition.IN, self.read)

    def read(self, *_):
        try:
            self.output += os.read(self.terminal, 65536).decode(errors="replace")
        except OSError:
            self.watch = None
            return False
        return True

    def command(self, text):
        self.mark()
        os.write(self.terminal, f"{text}\n".encode())

    def mark(self):
        """From here on only what is new counts."""
        self.begin = len(self.diary())

    def diary(self):
        """Where it tells what happens."""
        return self.output

    def wait_logged(self, pattern, seconds=PATIENCE):
        """Waits until it has told this since the last command or mark."""
        return wait_until(lambda: re.search(pattern, self.diary()[self.begin:]),
                          lambda: f"{self.name} has not told {pattern}: {self.output[-1000:]}\n{self.trace()}",
                          seconds, every=0.03)

    def trace(self):
        """More about what it did, for those who look for a fault."""
        return ""

    def stop(self, seconds=5):
        if self.terminal is not None:
            if self.watch:
                GLib.source_remove(self.watch)
            os.close(self.terminal)
            self.terminal = None
        super().stop(0)
