"""Ten million entries loaded through a plugin of the SDK, its worker and the link included; and what becomes of calls
meanwhile: the same things are asked of the daemon before and while it happens."""

import gc
import os
import re
import shutil
import signal
import subprocess
import threading
import time

import dbus

from tree import NAME, ROOT, Failure, Tree, kibibytes, until

CALL = "org.opencallkit.Call1"
PROVIDER = "org.opencallkit.Provider1"
EXTENSION = "org.opencallkit.DirectoryExtension1"
PROPERTIES = "org.freedesktop.DBus.Properties"
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


def child(pid, program):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        for number in map(int, file.read().split()):
            if os.path.basename(os.readlink(f"/proc/{number}/exe")) == program:
                return number
    raise Failure(f"no {program}")


class Load:
    """Has the plugin's entries loaded; true while that goes on."""

    def __init__(self, tree):
        self.bus = dbus.bus.BusConnection(tree.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.failure = None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            ask(self.bus, "Reload", interface=EXTENSION)
        except dbus.DBusException as failure:
            self.failure = failure

    def __bool__(self):
        return self.thread.is_alive()

    def wait(self):
        self.thread.join()
        self.bus.close()
        if self.failure:
            raise Failure(f"not loaded: {self.failure}")


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
        self.timed("property read", ROOT, "org.freedesktop.DBus.Properties", "Get", "ss", NAME, "DoNotDisturb")
        # Whether it is blocked, the process that loads knows.
        result = self.timed("call reported", f"{ROOT}/providers/{PHONE}", PROVIDER, "PerformCustomAction", "sa{sv}",
                            "simulate-incoming", {"handle": "phone-number:+12025550142"})
        path = f"{ROOT}/calls/{str(result['call-uuid']).lower().replace('-', '_')}"
        self.timed("call answered", path, CALL, "AnswerWith", "a{sv}", {})
        self.tree.call(path, CALL, "End")

    def percentiles(self):
        """Of each, the median and the 99th."""
        return {what: (sorted(times)[len(times) // 2], sorted(times)[len(times) * 99 // 100])
                for what, times in self.times.items()}


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


def bundle(build, folder, name):
    path = f"{folder}/plugins/{name}.callplugin"
    os.makedirs(path)
    shutil.copy(f"{build}/lib{name}.so", f"{path}/{name}.so")
    return path


def conduct(folder, words):
    """What the plugin will do when it is loaded the next time."""
    with open(f"{folder}/plugins/{PLUGIN}.callplugin/conduct", "w", encoding="ascii") as file:
        file.write(words)


def is_ready(tree):
    try:
        return ("blocked" in reported(tree.bus)
                and tree.get(f"{ROOT}/providers/{PHONE}", PROVIDER, "State") == "ready")
    except dbus.DBusException:
        return False


def report(tree, blocked=0, identified=0):
    found = reported(tree.bus)
    if found["error"] or (found["blocked"], found["identified"]) != (blocked, identified):
        raise Failure(f"not loaded: {dict(found)}")
    return float(found["duration-ms"]) / 1_000


def measure(table, build, folder, entries):
    bundle(build, folder, PHONE)
    os.chmod(f"{folder}/plugins", 0o755)
    bundle(build, folder, PLUGIN)
    conduct(folder, f"many {entries}")
    with Tree(folder) as tree:
        daemon = tree.service(NAME, f"{build}/callkitd", "--plugin-path", f"{folder}/plugins")
        until(lambda: is_ready(tree), "the plugins")
        store = child(daemon.pid, "callkit-store")
        time.sleep(1)
        idle = kibibytes(f"/proc/{store}/status", "VmRSS")
        start = time.monotonic()
        ask(tree.bus, "Set", "ssv", EXTENSION, "Status", "enabled")
        while reported(tree.bus)["loading"]:
            time.sleep(0.01)
        elapsed = time.monotonic() - start
        table.row(f"load of {entries:,} through the SDK, s", report(tree, entries), limit=3)
        table.row("  as the client that enabled it sees it, s", elapsed)
        peak = kibibytes(f"/proc/{store}/status", "VmHWM")
        table.row("  store's peak above idle, MiB", (peak - idle) / 1024, limit=64)
        measure_calls(table, tree, entries)
        processes = {"daemon": daemon.pid, "store": store}
        measure_stretches(table, tree, processes)
        conduct(folder, f"names {NAMES}")
        Load(tree).wait()
        table.row(f"load of {NAMES:,} names, s", report(tree, identified=NAMES))
        measure_stretches(table, tree, processes)


def measure_stretches(table, tree, processes):
    """What a load brings with it comes with each of them: the smallest of what was longest in each."""
    found = []
    for _ in range(LOADS):
        stretches = Stretches(tree.folder, processes)
        Load(tree).wait()
        found.append(stretches.longest())
    for name in processes:
        longest = min(each[name] for each in found)
        table.row(f"  longest stretch of the {name}'s loop, ms", longest, limit=STRETCH.get(name))


def measure_calls(table, tree, entries):
    """In turns, so that what else goes on strikes both."""
    before, meanwhile, durations = Calls(tree), Calls(tree), []
    gc.disable()
    for _ in range(LOADS):
        for _ in range(SAMPLES):
            before.once()
        load = Load(tree)
        while load:
            meanwhile.once()
        load.wait()
        durations.append(report(tree, entries))
    gc.enable()
    table.row("  while calls are answered, s", sorted(durations)[LOADS // 2])
    quiet = before.percentiles()
    for what, (median, late) in meanwhile.percentiles().items():
        table.row(f"  {what} before, p50, µs", quiet[what][0])
        table.row(f"  {what} before, p99, µs", quiet[what][1])
        table.row(f"  {what} meanwhile, p50, µs", median)
        table.row(f"  {what} meanwhile, p99, µs", late)
        table.row(f"  {what}: p99 rises to", late / quiet[what][1], limit=RISE)
