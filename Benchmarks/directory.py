#!/usr/bin/python3
"""Measures call directories: the compiled file against SQLite on the same numbers, and ten million entries loaded through
a plugin of the SDK, its worker and the link included, while the daemon is asked for other things."""

import argparse
import os
import subprocess
import sys
import tempfile

import dbus

import loading
from tree import Failure

ENTRIES = 10_000_000

BYTES = 2.6
"""The most bytes of an entry."""
TIMES_FASTER = {"lookup-nanoseconds": 8, "label-nanoseconds": 4}
"""How many times faster than SQLite finds a number, by the beginning of a measure's name."""


class Table:
    def __init__(self):
        self.broken = []
        print(f"{f'{ENTRIES:,} numbers':<44}{'ours':>10}{'SQLite':>10}{'limit':>8}")

    def row(self, what, ours, theirs=None, limit=None):
        verdict = ""
        if limit is not None:
            verdict = "ok" if ours <= limit else "OVER"
            if ours > limit:
                self.broken.append(what)
        theirs = f"{theirs:.2f}" if theirs else ""
        print(f"{what:<44}{ours:>10.2f}{theirs:>10}{'' if limit is None else limit:>8} {verdict}".rstrip(), flush=True)


def measure_file(table, program, folder):
    lines = subprocess.run([program, folder, str(ENTRIES)], check=True, capture_output=True, text=True).stdout
    for name, *numbers in map(str.split, lines.splitlines()):
        ours, theirs = map(float, numbers)
        limit = BYTES if name.startswith("bytes-per-entry") else None
        for what, times in TIMES_FASTER.items():
            if name.startswith(what):
                found = theirs or found
                limit = round(found / times, 2)
        table.row(name.replace("-", " "), ours, theirs, limit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is broken")
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and its like, release")
    parser.add_argument("program", metavar="DIRECTORY_BENCH", help="a release build")
    options = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory(prefix="opencallkit-bench-") as folder:
        os.chmod(folder, 0o755)
        measure_file(table, os.path.abspath(options.program), folder)
        loading.measure(table, os.path.abspath(options.build), folder, ENTRIES)
    if table.broken:
        print(f"over the limit: {', '.join(table.broken)}")
    return 1 if options.check and table.broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, dbus.DBusException, subprocess.CalledProcessError) as failure:
        sys.exit(f"bench: {failure}")
