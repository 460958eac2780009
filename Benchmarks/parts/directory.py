"""Call directories: the compiled file against SQLite on the same numbers, and ten million entries loaded through a
plugin of the SDK, its worker and the link included, while the daemon is asked for other things."""

import re
import subprocess

from parts import loading
from rows import THEIRS

ENTRIES = 10_000_000
TURNS = 9
SECONDS, SHARES = {"write": "s", "open": "ms"}, {"write": 0.5, "look-up": 0.125, "label": 0.25}
"""The units of the measures that are not in ns, and what they may take of SQLite's time: for a label, of a look-up."""
OPENING = "The file is mapped, not read."
BYTES = 2.6
"""The most bytes of an entry."""


def measure(part):
    lines = subprocess.run([f"{part.build}/directory-bench", part.folder, str(ENTRIES), str(part.times(TURNS))],
                           check=True, capture_output=True, text=True).stdout
    inserting = 0
    for name, *numbers in (line.split("\t") for line in lines.splitlines()):
        theirs, *ours = map(float, numbers)
        kind = re.match("[a-z-]+", name)[0]
        if kind == "entry":
            part.row(name, ours, "B", BYTES if theirs else 12)
        elif kind in SHARES:
            part.compared(name, ours, [theirs] * len(ours), f"SQLite ({name})", SECONDS.get(kind, "ns"), SHARES[kind])
        else:
            part.row(name, ours, SECONDS.get(kind, "ns"), reason=OPENING if kind == "open" else THEIRS)
        inserting = inserting or theirs
    loading.measure(part, ENTRIES, inserting)
