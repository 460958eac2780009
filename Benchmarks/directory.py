#!/usr/bin/python3
"""Measures call directories: the compiled file against SQLite on the same numbers, and ten million entries loaded through
a plugin of the SDK, its worker and the link included, while the daemon is asked for other things."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import dbus

from tree import NAME, ROOT, Failure, Tree, kibibytes, until

DIRECTORY = "org.opencallkit.Directory1"
PATH = f"{ROOT}/directory"
PLUGIN = "TutorialDirectory"
ENTRIES = 10_000_000
SAMPLES = 2_000

# By the beginning of a measure's name.
LIMITS = {"bytes-per-entry": 2.6, "lookup-nanoseconds": 150, "label-nanoseconds": 300}


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
    for line in lines.splitlines():
        name, ours, theirs = line.split()
        limit = next((limit for what, limit in LIMITS.items() if name.startswith(what)), None)
        table.row(name.replace("-", " "), float(ours), float(theirs), limit)


def child(pid, program):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        for number in map(int, file.read().split()):
            if os.path.basename(os.readlink(f"/proc/{number}/exe")) == program:
                return number
    raise Failure(f"no {program}")


def ask(tree, member, signature="", *arguments):
    return tree.bus.call_blocking(NAME, PATH, DIRECTORY, member, signature, arguments, timeout=300)


def reachable(tree):
    try:
        return any(str(report["id"]) == PLUGIN for report in ask(tree, "Extensions"))
    except dbus.DBusException:
        return False


def is_loading(tree):
    report = ask(tree, "Report", "s", PLUGIN)
    return report["loading"] or "error" not in report


def percentile(tree, count=None, while_=lambda: True):
    """The 99th percentile of reading a property of the daemon, in µs."""
    times = []
    while (len(times) < count) if count else while_():
        start = time.perf_counter()
        tree.get(ROOT, "org.opencallkit.CallSystem1", "DoNotDisturb")
        times.append((time.perf_counter() - start) * 1e6)
    times.sort()
    return times[len(times) * 99 // 100]


def measure_load(table, build, folder):
    bundle = f"{folder}/plugins/{PLUGIN}.callplugin"
    os.makedirs(bundle)
    os.chmod(f"{folder}/plugins", 0o755)
    shutil.copy(f"{build}/lib{PLUGIN}.so", f"{bundle}/{PLUGIN}.so")
    with open(f"{bundle}/conduct", "w", encoding="ascii") as file:
        file.write(f"many {ENTRIES}")
    with Tree(folder) as tree:
        daemon = tree.service(NAME, f"{build}/callkitd", "--plugin-path", f"{folder}/plugins")
        until(lambda: reachable(tree), "the extension")
        store = child(daemon.pid, "callkit-store")
        time.sleep(1)
        idle = kibibytes(f"/proc/{store}/status", "VmRSS")
        quiet = percentile(tree, SAMPLES)
        start = time.monotonic()
        ask(tree, "SetEnabled", "sb", PLUGIN, True)
        busy = percentile(tree, while_=lambda: is_loading(tree))
        elapsed = time.monotonic() - start
        report = ask(tree, "Report", "s", PLUGIN)
        if report["error"] or report["blocked"] != ENTRIES:
            raise Failure(f"not loaded: {dict(report)}")
        peak = kibibytes(f"/proc/{store}/status", "VmHWM")
        table.row(f"load of {ENTRIES:,} through the SDK, s", float(report["duration-ms"]) / 1_000, limit=3)
        table.row("  as whoever switched it on sees it, s", elapsed)
        table.row("  store's peak above idle, MiB", (peak - idle) / 1024, limit=64)
        table.row("  daemon's p99 meanwhile, µs", busy)
        table.row("  against before", busy / quiet, limit=1.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is broken")
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and its like, release")
    parser.add_argument("program", metavar="DIRECTORY_BENCH", help="of Tests/DirectoryPackage, release")
    options = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory(prefix="opencallkit-bench-") as folder:
        os.chmod(folder, 0o755)
        measure_file(table, os.path.abspath(options.program), folder)
        measure_load(table, os.path.abspath(options.build), folder)
    if table.broken:
        print(f"over the limit: {', '.join(table.broken)}")
    return 1 if options.check and table.broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, dbus.DBusException, subprocess.CalledProcessError) as failure:
        sys.exit(f"bench: {failure}")
