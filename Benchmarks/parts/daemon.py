"""The daemon against C floors on one private bus: pinned to one CPU, and then free."""

import subprocess

from rows import ABSOLUTE, TAIL, THEIRS, early, in_turns, late, ratios
from tree import (CALL, HURRY, NAME, OBJECTS, PROPERTIES, ROOT, Failure, Tree, anonymous, kibibytes, until,
                  wake_ups)

PLUGINS = ("Hotline", "MonkeyCall")
#: An input of the core may take so many per cent of an echo in C, by the number of calls: the limit, and the target.
CORE = {2: (12, 4), 64: (70, 20)}
KEPT_CALLS = 10_000
KEPT_WARMUP = 2_000
TURNS = 11
ANSWERS = 30
MOMENTS = 10
SETTLE_SECONDS = 3
IDLE_SECONDS = 10
ECHO = "0123456789abcdef"
FREE = "Where the processes run is the scheduler's choice: the row of the pinned ones has the limit."


def floor_call(service, interface, method, *texts):
    return ("call", 400, 50, service, "/floor", interface, method, *texts)


def floor_echo(service="bench.Echo"):
    return floor_call(service, "bench.Floor1", "Echo", ECHO)


def our_get(path, interface, name):
    return ("call", 400, 50, NAME, path, PROPERTIES, "Get", interface, name)


def client(tree, arguments):
    """Measures the round trips of one call, in ns."""
    return lambda: early(tree.measure("client", *arguments)[0])


def measure_core(part, tree):
    """The state machine by itself, and an echo in C, in turns."""
    def core():
        run = subprocess.run([*tree.prefix, f"{part.build}/core-bench"], check=True, capture_output=True, text=True)
        return {int(calls): float(time) for calls, time in map(str.split, run.stdout.splitlines())}
    found, echoes, again = in_turns(part.times(TURNS), core, client(tree, floor_echo()),
                                    client(tree, floor_echo("bench.Again")))
    part.row("echo in C", [time / 1e3 for time in echoes], "µs", reason=THEIRS)
    part.row("  to itself", ratios(again, echoes), "×", 1.1)
    for calls, (limit, target) in CORE.items():
        times = [turn[calls] for turn in found]
        part.row(f"core, {calls} calls, an input", [time / 1e3 for time in times], "µs", reason=ABSOLUTE)
        part.row(f"  to an echo in C, {calls} calls", [100 * ratio for ratio in ratios(times, echoes)], "%",
                 limit, target)


def two_calls(tree):
    """An active call of one plugin, and one of the other, held for it."""
    calls = []
    for provider in PLUGINS:
        calls.append(tree.incoming(provider))
        tree.call(calls[-1], CALL, "AnswerWith", "a{sv}", {})
    until(lambda: [tree.get(call, CALL, "State") for call in calls] == ["held", "active"], "one call held, one active")
    return calls


def measure_objects(part, tree):
    """With two calls: reading one property, and everything."""
    calls = two_calls(tree)
    saved = f"{tree.folder}/objects"
    (size,), = tree.measure("client", "save", saved, NAME, ROOT, OBJECTS, "GetManagedObjects")
    tree.service("bench.Objects", f"{tree.folder}/floor", "bench.Objects", saved)
    get, version, echo, theirs = in_turns(
        part.times(TURNS), client(tree, our_get(calls[0], CALL, "State")), client(tree, our_get(ROOT, NAME, "Version")),
        client(tree, floor_echo()), client(tree, floor_call("bench.Echo", PROPERTIES, "Get", CALL, "State")))
    part.row("Get State of a call, to an echo in C", ratios(get, echo), "×", 1.4, 1.15)
    part.row("Get Version of the root, to an echo in C", ratios(version, echo), "×", 1.4, 1.15)
    part.row("Get State, to Get in C", ratios(get, theirs), "×", 1.3)
    ours, copied, rebuilt = in_turns(
        part.times(TURNS), client(tree, ("call", 400, 50, NAME, ROOT, OBJECTS, "GetManagedObjects")),
        *(client(tree, floor_call("bench.Objects", "bench.Floor1", method)) for method in ("Copied", "Rebuilt")))
    part.row("GetManagedObjects, reply", size, "B", reason="It grows with the contract.")
    part.row("  to a copy of the reply in C", ratios(ours, copied), "×", 2.6, 1.2)
    part.row("  to C that marshals the same", ratios(ours, rebuilt), "×", 1.7)
    for call in calls:
        tree.call(call, CALL, "End")
    tree.await_no_calls()


def measure_answer(part, tree):
    for mode, what, limit in (("answer", "Answer through a plugin", 2.2), ("told", "  and all signals sent", 2.3)):
        runs = [tree.measure("client", mode, ANSWERS, 5, f"{ROOT}/providers/MonkeyCall", "bench.Echo", "Answer")
                for _ in range(part.times(TURNS))]
        part.row(f"{what}, to C", [early(ours) / early(theirs) for ours, theirs in runs], "×", limit, 1.6)
        part.row(f"{what}, p99", late([time / 1e3 for ours, _ in runs for time in ours]), "µs", reason=TAIL)


def measure_starts(part, tree, command):
    """The daemon and a service in C, in turns."""
    ours, floor = in_turns(part.times(MOMENTS), lambda: tree.moment("start", NAME, *command), tree.start_floor)
    part.compared("start to owned name", ours, floor, "that of a service in C", "ms", 8)


def measure_worker(part, tree):
    """A plugin that starts, and a service in C, in turns; and what its worker has of the machine's memory."""
    sizes = []

    def start():
        time = tree.moment("ready", f"{ROOT}/plugins/MonkeyCall")
        tree.await_provider("MonkeyCall")
        sizes.append(kibibytes(tree.pid("MonkeyCall"), "smaps_rollup", "Pss") / 1024)
        return time
    ours, floor = in_turns(part.times(MOMENTS), start, tree.start_floor)
    part.compared("worker, enabled to ready", ours, floor, "the start of a service in C", "ms", 6)
    part.row("worker, PSS", sizes, "MiB", 12, 3)


def measure_kept(part):
    """What the daemon and the worker keep of calls that come and go, one after another."""
    def calls(count):
        for _ in range(count):
            tree.call(tree.incoming("MonkeyCall"), CALL, "End")
        tree.await_no_calls()

    with Tree(f"{part.folder}/kept", pinned=True) as tree:
        daemon = tree.service(NAME, f"{part.build}/callkitd", "--plugin-path", part.plugins, "--deadline", "linger=1", *HURRY)
        tree.await_provider("MonkeyCall")
        pids = {"daemon": daemon.pid, "worker": tree.pid("MonkeyCall")}
        calls(KEPT_WARMUP)
        before = {who: anonymous(pid) for who, pid in pids.items()}
        calls(KEPT_CALLS)
        for who, pid in pids.items():
            part.row(f"kept of a call, {who}", (anonymous(pid) - before[who]) / KEPT_CALLS, "B", 64)


def measure_daemon(part, tree, pinned):
    command = [f"{part.build}/callkitd", "--plugin-path", part.plugins, *HURRY]
    for name in ("bench.Echo", "bench.Again"):
        tree.service(name, f"{tree.folder}/floor", name)
    if pinned:
        measure_core(part, tree)
        measure_starts(part, tree, command)
    daemon = tree.service(NAME, *command)
    for plugin in PLUGINS:
        tree.await_provider(plugin)
    if pinned:
        part.row(f"wake-ups, idle for {IDLE_SECONDS} s", wake_ups(daemon.pid, SETTLE_SECONDS, IDLE_SECONDS), "", 0)
        measure_worker(part, tree)
        part.row("daemon, PSS", kibibytes(daemon.pid, "smaps_rollup", "Pss") / 1024, "MiB", 12.7, 7.6)
    measure_objects(part, tree)
    measure_answer(part, tree)
    if pinned:
        part.row("daemon, RSS after all that", kibibytes(daemon.pid, "status", "VmRSS") / 1024, "MiB", 24)
    if daemon.poll() is not None:
        raise Failure(f"callkitd exited with {daemon.returncode}:\n{tree.told()}")


def measure(part):
    for part.name, pinned in (("daemon, pinned to one CPU", True), ("daemon, free", False)):
        part.unlimited = "" if pinned else FREE
        with Tree(f"{part.folder}/{pinned}", pinned) as tree:
            measure_daemon(part, tree, pinned)
        if pinned:
            measure_kept(part)
