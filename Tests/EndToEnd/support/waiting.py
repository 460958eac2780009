"""Waiting without sleeping: the GLib loop runs until a condition is true, or a deadline has passed."""

import math
import os

from gi.repository import GLib

PATIENCE = 60
"""Seconds until a wait fails. No wait should take that long, even on a slow or loaded machine."""

GIVE_UP = 600
"""Seconds until a program that should end by itself, or a reply that nothing else limits, is given up. These are seconds
of a clock, which goes on while the machine stands still, so there are many of them.
"""


class Late(AssertionError):
    """The condition did not become true in time."""


def wait_until(condition, what="the condition", seconds=PATIENCE, every=None):
    """Runs the loop until `condition` returns a true value, and returns that. It is called after each event and, for
    conditions without an event such as a line in a log, `every` so many seconds.

    Only seconds in which the loop could run count: while the machine stands still, at most one of them passes.
    """
    step, passed = min(1.0, seconds), []
    steps = max(1, math.ceil(seconds))
    sources = [GLib.timeout_add(int(step * 1000), lambda: passed.append(step) or True)]
    if every is not None:
        sources.append(GLib.timeout_add(int(every * 1000), lambda: True))
    try:
        while True:
            value = condition()
            if value:
                return value
            if len(passed) >= steps:
                raise Late(f"after {seconds} s: {what() if callable(what) else what}")
            GLib.MainContext.default().iteration(True)
    finally:
        for source in sources:
            GLib.source_remove(source)


def let_pass(seconds):
    """Lets time pass, for tests of time itself."""
    passed = []
    GLib.timeout_add(int(seconds * 1000), lambda: passed.append(True))
    wait_until(lambda: passed, "time stands still", seconds + PATIENCE)


def wait_gone(pid, what="", seconds=PATIENCE):
    """Waits until a process has ended, whether or not it is a child of the test."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = []
    source = GLib.unix_fd_add_full(
        GLib.PRIORITY_DEFAULT, descriptor, GLib.IOCondition.IN, lambda *_: ended.append(True) or True)
    try:
        wait_until(lambda: ended, f"process {pid} {what} has not ended", seconds)
    finally:
        GLib.source_remove(source)
        os.close(descriptor)


def exited(process, seconds=PATIENCE):
    """Waits until a child process has ended and returns its exit status."""
    if process.poll() is None:
        wait_gone(process.pid, process.args[0], seconds)
    return process.wait()
