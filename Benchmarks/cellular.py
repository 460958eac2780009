#!/usr/bin/python3
"""Measures the plugin Cellular on the real ModemManager: what it adds to a ring and to a hold."""

import argparse
import os
import statistics
import sys
import tempfile
import time

import dbus
import dbus.lowlevel

CALLS = 60
WARM_UP = 5
HOLDS = 30


class Bench:
    def __init__(self, system, services, manager):
        self.system, self.services, self.manager = system, services, manager
        self.added = self.announced = self.states = None
        services.bus.add_match_string("type='signal',member='CallAdded'")
        services.bus.add_match_string("type='signal',interface='org.freedesktop.ModemManager1.Call',member='StateChanged'")
        services.bus.add_message_filter(self.take_service)
        system.bus.add_message_filter(self.take)

    def take_service(self, _, message):
        if message.get_member() == "CallAdded":
            self.added = time.perf_counter()
        elif message.get_member() == "StateChanged":
            self.states = time.perf_counter()
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def take(self, _, message):
        if message.get_member() == "InterfacesAdded" and "/calls/" in str(message.get_args_list()[0]):
            self.announced = time.perf_counter()
            self.call = str(message.get_args_list()[0])
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def wait_state(self, state):
        wait_until(lambda: self.system.shown(self.call, "State") == state, lambda: f"{self.call} is not {state}")
        return time.perf_counter()

    def ring(self, modem, number):
        """One call: from ModemManager's signal until it is announced, in ms."""
        self.added = self.announced = None
        modem.ring(number)
        wait_until(lambda: self.added and self.announced, "the call does not ring")
        return (self.announced - self.added) * 1e3

    def end(self):
        self.system.call(self.call, CALL, "End").result()
        self.wait_state("ended")

    def hold(self, is_held):
        """From the request until the call is held or resumed, in ms."""
        start = time.perf_counter()
        self.system.call(self.call, CALL, "SetHeld", "b", is_held).result()
        return (self.wait_state("held" if is_held else "active") - start) * 1e3

    def floor(self, path):
        """The same by ModemManager alone, in ms."""
        self.states = None
        start = time.perf_counter()
        self.manager.voice(path, "HoldAndAccept").result()
        wait_until(lambda: self.states, "nothing changes")
        return (self.states - start) * 1e3


def row(what, values=None, text=""):
    if values:
        values = sorted(values)
        text = f"{statistics.median(values):>9.2f}{values[len(values) * 99 // 100]:>9.2f}"
    print(f"{what:<44}{text}", flush=True)


def anonymous(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))


def measure(folder):
    system = System("--plugin-path", bundle(folder), "--deadline", "linger=1")
    with system:
        services = ServiceBus(system)
        manager = ModemManager(services).start()
        try:
            modem, path = manager.plug()
            provider = wait_until(lambda: [path for path, values in system.objects.items()
                                           if values.get("Availability") == "online"], "no provider")[0]
            bench = Bench(system, services, manager)
            worker = system.shown(f"{ROOT}/plugins/Cellular", "Pid")
            row("", text=f"{'median':>9}{'p99':>9}")
            times = []
            for number in range(WARM_UP + CALLS):
                times.append(bench.ring(modem, f"+4670{number:06}"))
                bench.end()
                if number == WARM_UP:
                    before = anonymous(worker)
            row("ModemManager's ring to `ringing`, ms", times[WARM_UP:])
            row(f"kept of each of {CALLS} calls, B", text=f"{(anonymous(worker) - before) * 1024 / CALLS:>9.0f}")
            bench.ring(modem, "+46700000001")
            system.call(bench.call, CALL, "Answer").result()
            bench.wait_state("active")
            row("hold or resume, ms", [bench.hold(number % 2 == 0) for number in range(HOLDS)])
            row("  by ModemManager alone", [bench.floor(path) for _ in range(HOLDS)])
            bench.end()
            assert provider
        finally:
            manager.stop()
            services.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and libCellular.so, release")
    os.environ["OPENCALLKIT_BUILD"] = os.path.abspath(parser.parse_args().build)
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "EndToEnd"))
    from cellular.modems import ModemManager, ServiceBus, bundle
    from support.system import CALL, ROOT, System
    from support.waiting import wait_until
    with tempfile.TemporaryDirectory() as temporary:
        measure(temporary)
