"""A long result goes through the pager of the user, on a terminal only."""

import os
import subprocess
import unittest

from support.terminal import CALLCTL

MARKING = "sed s/^/page:/"


def shown(*words, pager, piped=False):
    """The lines that a command shows on a terminal, or in a pipe."""
    environment = {**os.environ, "TERM": "xterm", "PAGER": pager, "COLUMNS": "80"}
    if piped:
        return subprocess.run([CALLCTL, *words], env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    ours, its = os.openpty()
    process = subprocess.Popen([CALLCTL, *words], env=environment, stdin=its, stdout=its, stderr=its)
    os.close(its)
    text = b""
    try:
        while part := os.read(ours, 65_536):
            text += part
    except OSError:  # how a terminal reports the end
        pass
    os.close(ours)
    assert process.wait() == 0
    return text.decode().replace("\r", "").splitlines()


class Paging(unittest.TestCase):
    def test_what_is_long(self):
        lines = shown("certify", "--list", pager=MARKING)
        self.assertGreater(len(lines), 24)
        self.assertEqual([line for line in lines if not line.startswith("page:")], [])

    def test_what_is_not_wanted(self):
        for pager in ("cat", "", "no-such-pager-here"):
            lines = shown("certify", "--list", pager=pager)
            self.assertGreater(len(lines), 24, pager)
            self.assertEqual([line for line in lines if line.startswith("page:")], [], pager)

    def test_a_pipe_and_json(self):
        self.assertNotIn("page:", "".join(shown("certify", "--list", pager=MARKING, piped=True)))
        self.assertNotIn("page:", "".join(shown("certify", "--list", "--json", pager=MARKING)))
