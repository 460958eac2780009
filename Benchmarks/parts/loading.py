"""Ten million entries loaded through a plugin of the SDK, its worker and the link included; and what becomes of calls
meanwhile: the same things are asked of the daemon before and while it happens."""

import concurrent.futures
import contextlib
import gc
import re
import signal
import subprocess
import time

import dbus

from rows import ABSOLUTE, late
from tree import CALL, HURRY, NAME, PROPERTIES, PROVIDER, REPOSITORY, ROOT, Failure, Tree, call_path, kibibytes

EXTENSION = "org.opencallkit.DirectoryExtension1"
PLUGIN = "TutorialDirectory"
PATH = f"{ROOT}/plugins/{PLUGIN}"
PHONE = "MonkeyCall"
#: As often is a list loaded while calls are answered; and so many are answered before each.
LOADS = 5
#: Entries with a label.
NAMES = 1_000_000
SAMPLES = 500
#: A 99th percentile may rise by this factor meanwhile.
RISE = 1.5
#: So many milliseconds at a stretch may the daemon's loop be busy. The store's, for which a call waits only when it is
#: looked up, is told beside it; what it costs calls is in their percentiles.
STRETCH = {"daemon": 2}


def ask(bus, member, signature="", *arguments, interface=PROPERTIES):
    return bus.call_blocking(NAME, PATH, interface, member, signature, arguments, timeout=300)


def reported(bus):
    return ask(bus, "Get", "ss", EXTENSION, "Report")


@contextlib.contextmanager
def load(tree):
    """Has the plugin's entries loaded meanwhile, and waits until they are."""
    bus = dbus.bus.BusConnection(tree.environment["DBUS_SESSION_BUS_ADDRESS"])
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        loading = thread.submit(ask, bus, "Reload", interface=EXTENSION)
        yield loading
        loading.result()
    bus.close()


class Calls:
    """What is asked of the daemon, and the times that it took, in µs."""

    def __init__(self, tree):
        self.tree = tree
        self.times = {"property read": [], "call reported": [], "call answered": []}

    def timed(self, what, *call):
        start = time.perf_counter()
        result = self.tree.call(*call)
        self.times[what].append((time.perf_counter() - start) * 1e6)
        return result

    def once(self):
        self.timed("property read", ROOT, PROPERTIES, "Get", "ss", NAME, "DoNotDisturb")
        # Whether it is blocked, the process that loads knows.
        result = self.timed("call reported", f"{ROOT}/providers/{PHONE}", PROVIDER, "PerformCustomAction", "sa{sv}",
                            "simulate-incoming", {"handle": "phone-number:+12025550142"})
        path = call_path(result)
        self.timed("call answered", path, CALL, "AnswerWith", "a{sv}", {})
        self.tree.call(path, CALL, "End")


class Stretches:
    """How long the loops of processes are at work between one wait and the next, seen by strace, which adds to it."""

    CALL = re.compile(r"^([0-9.]+) epoll_p?wait.* <([0-9.]+)>$")

    def __init__(self, folder, processes):
        self.logs = {name: f"{folder}/{name}.strace" for name in processes}
        self.tracers = [subprocess.Popen(
            ["strace", "-p", str(pid), "-e", "trace=epoll_wait,epoll_pwait", "-ttt", "-T", "-o", self.logs[name]],
            stderr=subprocess.PIPE, text=True) for name, pid in processes.items()]
        for tracer in self.tracers:
            if "attached" not in tracer.stderr.readline():
                raise Failure("strace cannot look at the daemon")

    def longest(self):
        """Of each process, in ms."""
        for tracer in self.tracers:
            tracer.send_signal(signal.SIGINT)
            tracer.communicate()
        return {name: self.stretch(log) for name, log in self.logs.items()}

    @classmethod
    def stretch(cls, log):
        with open(log, encoding="ascii") as file:
            waits = [(float(found[1]), float(found[2])) for found in map(cls.CALL.match, file) if found]
        if len(waits) < 2:
            raise Failure("a loop did not turn")
        return max((after - start - length) * 1e3 for (start, length), (after, _) in zip(waits, waits[1:]))


def conduct(folder, words):
    """What the plugin will do when it is loaded the next time."""
    with open(f"{folder}/plugins/{PLUGIN}.callplugin/conduct", "w", encoding="ascii") as file:
        file.write(words)


def report(tree, blocked=0, identified=0):
    found = reported(tree.bus)
    if found["error"] or (found["blocked"], found["identified"]) != (blocked, identified):
        raise Failure(f"not loaded: {dict(found)}")
    return float(found["duration-ms"]) / 1_000


def measure(part, entries, inserting):
    """`inserting` is how long SQLite takes for as many, in seconds."""
    subprocess.run(["sh", "Plugins/bundle.sh", part.build, f"{part.folder}/plugins", PHONE, PLUGIN], check=True,
                   cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    conduct(part.folder, f"many {entries}")
    with Tree(part.folder) as tree:
        daemon = tree.service(NAME, f"{part.build}/callkitd", "--plugin-path", f"{part.folder}/plugins", *HURRY)
        tree.await_provider(PHONE)
        tree.await_property(PATH, EXTENSION, "Report", lambda found: "blocked" in found)
        store = tree.child(daemon.pid, "callkit-store")
        time.sleep(1)
        idle = kibibytes(store, "status", "VmRSS")
        start = time.monotonic()
        ask(tree.bus, "Set", "ssv", EXTENSION, "Status", "enabled")
        while reported(tree.bus)["loading"]:
            time.sleep(0.01)
        elapsed = time.monotonic() - start
        part.compared(f"load of {entries:,} through the SDK", [report(tree, entries)], [inserting],
                      "their insertion into SQLite", "s", 1)
        part.row("  as the client that enabled it sees it", elapsed, "s", reason=ABSOLUTE)
        part.row("  store's peak above idle", (kibibytes(store, "status", "VmHWM") - idle) / 1024, "MiB", 64)
        measure_calls(part, tree, entries)
        processes = {"daemon": daemon.pid, "store": store}
        measure_stretches(part, tree, processes, "numbers")
        conduct(part.folder, f"names {NAMES}")
        with load(tree):
            pass
        part.row(f"load of {NAMES:,} names", report(tree, identified=NAMES), "s", reason=ABSOLUTE)
        measure_stretches(part, tree, processes, "names")


def measure_stretches(part, tree, processes, what):
    """What a load brings with it comes with each of them: the smallest of what was longest in each."""
    found = []
    for _ in range(LOADS):
        stretches = Stretches(tree.folder, processes)
        with load(tree):
            pass
        found.append(stretches.longest())
    for name in processes:
        limit = STRETCH.get(name)
        part.row(f"  the {name}'s loop at a stretch, {what}", min(each[name] for each in found), "ms", limit,
                 reason="" if limit else "No call waits for it that is not looked up.")


def measure_calls(part, tree, entries):
    """In turns, so that what else goes on strikes both."""
    turns, durations = [], []
    gc.disable()
    for _ in range(LOADS):
        before, meanwhile = Calls(tree), Calls(tree)
        for _ in range(SAMPLES):
            before.once()
        with load(tree) as loading:
            while not loading.done():
                meanwhile.once()
        durations.append(report(tree, entries))
        turns.append((before.times, meanwhile.times))
    gc.enable()
    part.row("  while calls are answered", durations, "s", reason="Calls come first.")
    for what in turns[0][0]:
        part.row(f"  p99 of a {what}, to that before",
                 [late(meanwhile[what]) / late(before[what]) for before, meanwhile in turns], "×", RISE)
