"""The plugin Cellular on the real ModemManager: what it adds to a ring and to a hold."""

import contextlib
import time

from rigs import Arrivals, ModemManager, ServiceBus, System, bundle, wait_until
from rows import ABSOLUTE, TAIL, late
from tree import CALL, ROOT, anonymous

CALLS = 60
WARM_UP = 5
HOLDS = 30


class Bench:
    def __init__(self, system, services, manager):
        self.system, self.manager = system, manager
        services.bus.add_match_string("type='signal',member='CallAdded'")
        services.bus.add_match_string(
            "type='signal',interface='org.freedesktop.ModemManager1.Call',member='StateChanged'")
        self.arrivals = Arrivals(system.bus, services.bus)

    def wait_state(self, state):
        wait_until(lambda: self.system.shown(self.arrivals.call, "State") == state, f"the call is not {state}")
        return time.perf_counter()

    def ring(self, modem, number):
        """One call: from ModemManager's signal until it is announced, in ms."""
        self.arrivals.clear()
        modem.ring(number)
        self.arrivals.wait("CallAdded", "InterfacesAdded")
        return (self.arrivals["InterfacesAdded"] - self.arrivals["CallAdded"]) * 1e3

    def end(self):
        self.system.call(self.arrivals.call, CALL, "End").result()
        self.wait_state("ended")

    def hold(self, is_held):
        """From the request until the call is held or resumed, in ms."""
        start = time.perf_counter()
        self.system.call(self.arrivals.call, CALL, "SetHeld", "b", is_held).result()
        return (self.wait_state("held" if is_held else "active") - start) * 1e3

    def floor(self, path):
        """The same by ModemManager alone, in ms."""
        self.arrivals.clear()
        start = time.perf_counter()
        self.manager.voice(path, "HoldAndAccept").result()
        self.arrivals.wait("StateChanged")
        return (self.arrivals["StateChanged"] - start) * 1e3


def measure(part):
    with System("--plugin-path", bundle(part.folder), "--deadline", "linger=1") as system:
        with contextlib.ExitStack() as stack:
            services = ServiceBus(system)
            stack.callback(services.stop)
            manager = ModemManager(services).start()
            stack.callback(manager.stop)
            measure_calls(part, system, services, manager)


def measure_calls(part, system, services, manager):
    modem, path = manager.plug()
    wait_until(lambda: any(values.get("Availability") == "online" for values in system.objects.values()), "no provider")
    bench = Bench(system, services, manager)
    worker = int(system.shown(f"{ROOT}/plugins/Cellular", "Pid"))
    times = []
    for number in range(WARM_UP + CALLS):
        if number == WARM_UP:
            before = anonymous(worker)
        times.append(bench.ring(modem, f"+4670{number:06}"))
        bench.end()
    part.row("ModemManager's ring to `ringing`", times[WARM_UP:], "ms", reason=ABSOLUTE)
    part.row("  p99", late(times[WARM_UP:]), "ms", reason=TAIL)
    part.row("kept of a call", (anonymous(worker) - before) / CALLS, "B", 1024)
    bench.ring(modem, "+46700000001")
    system.call(bench.arrivals.call, CALL, "Answer").result()
    bench.wait_state("active")
    held = [bench.hold(number % 2 == 0) for number in range(HOLDS)]
    alone = [bench.floor(path) for _ in range(HOLDS)]
    part.compared("hold or resume", held, alone, "ModemManager alone", "ms", 2)
    bench.end()
