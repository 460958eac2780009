"""Runs callctl certify and reads what it prints."""

import json
import os
import subprocess

from support.system import BUILD

CALLCTL = os.path.join(BUILD, "callctl")

FLAWED = os.path.join(BUILD, "libFlawed.so")

QUICK = ("--calls", "200")
"""Enough calls to tell a leak of the fixture from noise."""

GENEROUS = ("--patience", "10000", "--connect", "10000", "--hello", "10000")
"""So much time that a slow or busy machine is no flaw of the plugin's. What answers costs none of it."""

BRIEF = 2000
"""Milliseconds for what is never answered; long enough for what is, on a slow machine too."""

#: Seconds; a certification of a plugin that leaves much unanswered takes some, on a busy machine many.
PATIENCE = 1_200


def certify(plugin, *arguments, flaw=None, **variables):
    """Exit code, standard output, standard error."""
    environment = dict(os.environ, **variables)
    environment.pop("OPENCALLKIT_FLAW", None)
    if flaw:
        environment["OPENCALLKIT_FLAW"] = flaw
    run = subprocess.run([CALLCTL, "certify", *GENEROUS, plugin, *arguments], env=environment, capture_output=True,
                         text=True, timeout=PATIENCE, check=False)
    return run.returncode, run.stdout, run.stderr


def points(output):
    return {point["name"]: point for point in json.loads(output)["points"]}
