"""The daemon as a program that tests start and end themselves."""

from support.system import BUILD
from support.waiting import exited, wait_until

DAEMON = f"{BUILD}/callkitd"


def leave(system):
    """Ends the daemon."""
    system.daemon.terminate()
    assert exited(system.daemon) == 0
    wait_until(lambda: not system.owner, "its name stays")
