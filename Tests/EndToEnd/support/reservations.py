"""Numbers that tests which run side by side must not share, such as ports: each is reserved before it is used."""

import fcntl
import functools
import os
import tempfile

SPACE = 100_000
"""How many numbers there are of each kind."""
KINDS = ("port", "network", "user")

reserved = set()
"""What this process has reserved."""


@functools.cache
def reservations():
    """A file that all tests of this user have open: who has locked the byte of a number has reserved the number."""
    return open(os.path.join(tempfile.gettempdir(), f"opencallkit-ports-{os.getuid()}"), "ab")


def reserve(kind, number):
    """Whether this process is the first to reserve a number. It keeps the number until it ends, so that neither another
    part of its own nor another test gets it in the meantime.
    """
    if (kind, number) in reserved:
        return False
    try:
        fcntl.lockf(reservations(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, KINDS.index(kind) * SPACE + number)
    except BlockingIOError:
        return False
    reserved.add((kind, number))
    return True
