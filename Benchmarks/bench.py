#!/usr/bin/python3
"""Measures the daemon against C floors on one private bus, pinned to one CPU and then free.

Absolute times move by a factor of 2 between machines and moments; the ratios within one run are what counts, and only
the pinned ones have limits. What is compared runs in turns, and a ratio is the median of the ratios of all turns.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import dbus

from tree import NAME, ROOT, Failure, Tree, compile_programs, context_switches, kibibytes, until

CALL = "org.opencallkit.Call1"
PROVIDER = "org.opencallkit.Provider1"
PLUGIN = "org.opencallkit.Plugin1"
PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
PLUGINS = ("Hotline", "MonkeyCall")

#: An input of the core may take so many per cent of an echo in C, by the number of calls.
CORE = {2: 4, 64: 20}
KEPT_CALLS = 10_000
KEPT_WARMUP = 2_000
TURNS = 11
ANSWERS = 30
MOMENTS = 10
SETTLE_SECONDS = 3
IDLE_SECONDS = 10
ECHO = "0123456789abcdef"


def row(what, ours, ours_p99="", floor="", floor_p99="", ratio="", limit="", verdict=""):
    numbers = f"{ours:>9}{ours_p99:>8}{floor:>8}{floor_p99:>8}{ratio:>6}{limit:>6}"
    print(f"{what:<31}{numbers} {verdict}".rstrip(), flush=True)


class Section:
    """One part of the table. Limits count only if the tree is pinned."""

    def __init__(self, tree):
        self.tree = tree
        self.limited = bool(tree.prefix)
        self.broken = []

    def verdict(self, what, value, limit):
        if limit is None or not self.limited:
            return ""
        if value <= limit:
            return "ok"
        self.broken.append(what)
        return "OVER"

    def value(self, what, value, limit=None, digits=1):
        row(what, f"{value:.{digits}f}", limit=f"{limit}" if limit is not None and self.limited else "",
            verdict=self.verdict(what, value, limit))

    def in_turns(self, rows):
        """Measures all rows, TURNS times over, and returns what client measured.

        A row: what, ours and floor (arguments of client), limit.
        """
        samples = [([], []) for _ in rows]
        for turn in range(TURNS):
            for (_, ours, floor, _), (mine, theirs) in zip(rows, samples):
                pair = [(ours, mine), (floor, theirs)]
                for arguments, into in pair if turn % 2 else reversed(pair):
                    into.append(self.tree.measure("client", *arguments))
        for (what, _, _, limit), (mine, theirs) in zip(rows, samples):
            self.compare(what, mine, theirs, limit)
        return samples

    def compare(self, what, mine, theirs, limit):
        """Prints a row of what client measured, turn by turn: pairs of median and 99th percentile in ns."""
        ratio = statistics.median(ours[0] / floor[0] for ours, floor in zip(mine, theirs))
        times = [f"{statistics.median(run[column] for run in side) / 1000:.1f}"
                 for side in (mine, theirs) for column in (0, 1)]
        row(what, *times, f"{ratio:.2f}", f"{limit}" if limit and self.limited else "",
            self.verdict(what, ratio, limit))


def floor_call(service, interface, method, *texts, rounds=400, warmup=50):
    return ("call", rounds, warmup, service, "/floor", interface, method, *texts)


def floor_echo(service="bench.Echo"):
    return floor_call(service, "bench.Floor1", "Echo", ECHO)


def floor_get():
    return floor_call("bench.Echo", PROPERTIES, "Get", CALL, "State")


def our_get(path, interface, name):
    return ("call", 400, 50, NAME, path, PROPERTIES, "Get", interface, name)


def measure_core(section, build, echo):
    """The state machine by itself, in per cent of an echo, which takes so many ns."""
    result = subprocess.run([*section.tree.prefix, f"{build}/core-bench"], check=True, capture_output=True, text=True)
    times = {int(line.split()[0]): float(line.split()[2]) for line in result.stdout.splitlines()}
    for calls, limit in CORE.items():
        section.value(f"core, {calls} calls, ns an input", times[calls], None, 0)
        section.value("  per cent of an echo in C", 100 * times[calls] / echo, limit)


def start_floors(tree):
    for name in ("bench.Echo", "bench.Again"):
        tree.service(name, f"{tree.folder}/floor", name)


def await_provider(tree, provider):
    def ready():
        try:
            return tree.get(f"{ROOT}/providers/{provider}", PROVIDER, "State") == "ready"
        except dbus.DBusException:
            return False
    until(ready, f"provider {provider} to be ready")


def incoming(tree, provider):
    """The path of a new ringing call."""
    result = tree.call(f"{ROOT}/providers/{provider}", PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-incoming",
                       {"handle": "generic:bench"})
    return f"{ROOT}/calls/{str(result['call-uuid']).lower().replace('-', '_')}"


def two_calls(tree):
    """An active call of one plugin, and one of the other, held for it."""
    calls = []
    for provider in PLUGINS:
        calls.append(incoming(tree, provider))
        tree.call(calls[-1], CALL, "AnswerWith", "a{sv}", {})
    until(lambda: [tree.get(call, CALL, "State") for call in calls] == ["held", "active"], "one call held, one active")
    return calls


def measure_objects(tree, section):
    """With two calls: reading one property, and everything."""
    calls = two_calls(tree)
    saved = f"{tree.folder}/objects"
    size, = tree.measure("client", "save", saved, NAME, ROOT, OBJECTS, "GetManagedObjects")
    tree.service("bench.Objects", f"{tree.folder}/floor", "bench.Objects", saved)

    def theirs(method):
        return floor_call("bench.Objects", "bench.Floor1", method)

    ours = ("call", 400, 50, NAME, ROOT, OBJECTS, "GetManagedObjects")
    section.in_turns([
        ("Get State of a call", our_get(calls[0], CALL, "State"), floor_echo(), 1.15),
        ("Get Version of the root", our_get(ROOT, NAME, "Version"), floor_echo(), 1.15),
        ("Get State, against Get in C", our_get(calls[0], CALL, "State"), floor_get(), None),
        (f"GetManagedObjects, {size} bytes", ours, theirs("Copied"), 1.2),
        ("  against the same, marshalled", ours, theirs("Rebuilt"), None),
    ])
    for call in calls:
        tree.call(call, CALL, "End")
    until(lambda: not any(str(path).startswith(f"{ROOT}/calls/")
                          for path in tree.call(ROOT, OBJECTS, "GetManagedObjects")), "the calls to go")


def measure_answer(tree, section):
    for what, mode in [("Answer through a plugin", "answer"), ("  until all signals are sent", "told")]:
        runs = [tree.measure("client", mode, ANSWERS, 5, f"{ROOT}/providers/MonkeyCall", "bench.Echo", "Answer")
                for _ in range(TURNS)]
        section.compare(what, [run[:2] for run in runs], [run[2:] for run in runs], 1.6)


def measure_kept(folder, section, build, plugins):
    """What the daemon and the worker keep of calls that come and go, one after another."""
    def anonymous(pid):
        return kibibytes(f"/proc/{pid}/smaps_rollup", "Anonymous") * 1024

    def calls(count):
        for _ in range(count):
            tree.call(incoming(tree, "MonkeyCall"), CALL, "End")
        until(lambda: not any(str(path).startswith(f"{ROOT}/calls/")
                              for path in tree.call(ROOT, OBJECTS, "GetManagedObjects")), "the calls to go")

    with Tree(folder, section.tree.cpu) as tree:
        daemon = tree.service(NAME, f"{build}/callkitd", "--plugin-path", plugins, "--deadline", "linger=1")
        await_provider(tree, "MonkeyCall")
        pids = daemon.pid, int(tree.get(f"{ROOT}/plugins/MonkeyCall", PLUGIN, "Pid"))
        calls(KEPT_WARMUP)
        before = [anonymous(pid) for pid in pids]
        calls(KEPT_CALLS)
        for who, pid, early in zip(("daemon", "worker"), pids, before):
            section.value(f"kept of each of {KEPT_CALLS:,} calls, {who}, B", (anonymous(pid) - early) / KEPT_CALLS, 64)


def measure_daemon(section, build, plugins):
    tree = section.tree
    command = [f"{build}/callkitd", "--plugin-path", plugins]
    start_floors(tree)
    (_, echoes), = section.in_turns([("echo in C, against itself", floor_echo("bench.Again"), floor_echo(), None)])
    measure_core(section, build, statistics.median(median for median, _ in echoes))
    section.value("start to owned name, ms",
                  tree.measure("moments", "start", MOMENTS, NAME, *command)[0] / 1e6, 15)
    daemon = tree.service(NAME, *command)
    for plugin in PLUGINS:
        await_provider(tree, plugin)
    time.sleep(SETTLE_SECONDS)
    before = context_switches(daemon.pid)
    time.sleep(IDLE_SECONDS)
    section.value(f"wake-ups, idle for {IDLE_SECONDS} s", context_switches(daemon.pid) - before, 0, 0)
    pid = int(tree.get(f"{ROOT}/plugins/MonkeyCall", PLUGIN, "Pid"))
    section.value("worker PSS, KiB", kibibytes(f"/proc/{pid}/smaps_rollup", "Pss"), 3072, 0)
    section.value("daemon RSS, MB", kibibytes(f"/proc/{daemon.pid}/status", "VmRSS") * 1024 / 1e6, 24)
    ready = tree.measure("moments", "ready", MOMENTS, f"{ROOT}/plugins/MonkeyCall")[0]
    section.value("worker, enabled to ready, ms", ready / 1e6, 12)
    await_provider(tree, "MonkeyCall")
    measure_objects(tree, section)
    measure_answer(tree, section)
    section.value("daemon RSS after all that, MB", kibibytes(f"/proc/{daemon.pid}/status", "VmRSS") * 1024 / 1e6, 24)
    if daemon.poll() is not None:
        raise Failure(f"callkitd exited with {daemon.returncode}:\n{tree.told()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is broken")
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and callkit-worker, release")
    parser.add_argument("plugins", metavar="PLUGIN_FOLDER", help="with the bundles of both plugins")
    options = parser.parse_args()
    build, plugins = os.path.abspath(options.build), os.path.abspath(options.plugins)
    broken = []
    with tempfile.TemporaryDirectory() as folder:
        compile_programs(folder)
        cpu = min(os.sched_getaffinity(0))
        for title, where in ((f"pinned to CPU {cpu}", cpu), ("free", None)):
            print(f"\n{title}; medians and 99th percentiles, µs unless said otherwise")
            row("", "ours", "p99", "floor", "p99", "ratio", "limit")
            with Tree(folder, where) as tree:
                section = Section(tree)
                measure_daemon(section, build, plugins)
            if section.limited:
                measure_kept(folder, section, build, plugins)
            broken += section.broken
    if broken:
        print(f"\nover the limit: {', '.join(broken)}")
    return 1 if options.check and broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, dbus.DBusException) as failure:
        sys.exit(f"bench: {failure}")
