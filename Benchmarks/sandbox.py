#!/usr/bin/python3
"""Measures what the sandbox of a plugin costs: time from enabled to ready, and memory, beside the same plugin outside.

Both plugins run in one daemon and start in turns, so that the state of the machine is the same for both; what counts is
the median of the differences.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile

import dbus

from bench import PLUGIN, Section, await_provider, row
from tree import NAME, ROOT, Failure, Tree, compile_programs, kibibytes

INSIDE, OUTSIDE = "MonkeyCall", "MonkeyFree"
ROUNDS = 50
#: What the sandbox may add.
LATER_MS = 3
MORE_KIB = 64


def memory(tree, plugin):
    """The memory of a plugin's worker that is no file's, in KiB. Pages of a library that was just copied count as dirty."""
    pid = int(tree.get(f"{ROOT}/plugins/{plugin}", PLUGIN, "Pid"))
    return kibibytes(f"/proc/{pid}/smaps_rollup", "Anonymous")


def measure(section, rounds):
    tree = section.tree
    times, sizes = {INSIDE: [], OUTSIDE: []}, {INSIDE: [], OUTSIDE: []}
    for turn in range(rounds):
        for plugin in (INSIDE, OUTSIDE) if turn % 2 else (OUTSIDE, INSIDE):
            ready = tree.measure("moments", "ready", 1, f"{ROOT}/plugins/{plugin}")[0]
            times[plugin].append(ready / 1e6)
            await_provider(tree, plugin)
            sizes[plugin].append(memory(tree, plugin))
    section.value("enabled to ready, outside, ms", statistics.median(times[OUTSIDE]))
    section.value("  in the sandbox", statistics.median(times[INSIDE]))
    section.value("  the sandbox adds", added(times), LATER_MS, 2)
    section.value("worker, private memory, KiB", statistics.median(sizes[OUTSIDE]), None, 0)
    section.value("  the sandbox adds", added(sizes), MORE_KIB, 0)


def added(values):
    return statistics.median(inside - outside for inside, outside in zip(values[INSIDE], values[OUTSIDE]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is broken")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each plugin starts; default: {ROUNDS}")
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and callkit-worker, release")
    parser.add_argument("plugins", metavar="PLUGIN_FOLDER", help="with the bundle of MonkeyCall")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        compile_programs(folder)
        plugins = f"{folder}/plugins"
        os.mkdir(plugins)
        for name in (INSIDE, OUTSIDE):
            shutil.copytree(f"{options.plugins}/{INSIDE}.callplugin", f"{plugins}/{name}.callplugin")
        os.rename(f"{plugins}/{OUTSIDE}.callplugin/{INSIDE}.so", f"{plugins}/{OUTSIDE}.callplugin/{OUTSIDE}.so")
        print(f"\nfree; medians of {options.rounds} starts")
        row("", "ours", limit="limit")
        with Tree(folder) as tree:
            section = Section(tree)
            section.limited = True
            tree.service(NAME, f"{build}/callkitd", "--plugin-path", plugins, "--no-sandbox", OUTSIDE)
            for plugin in (INSIDE, OUTSIDE):
                await_provider(tree, plugin)
            row(f"level: {tree.get(f'{ROOT}/plugins/{INSIDE}', PLUGIN, 'Sandbox')}", "")
            measure(section, options.rounds)
    if section.broken:
        print(f"\nover the limit: {', '.join(section.broken)}")
    return 1 if options.check and section.broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, dbus.DBusException) as failure:
        sys.exit(f"bench: {failure}")
