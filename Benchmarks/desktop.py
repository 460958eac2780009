#!/usr/bin/python3
"""Measures the desktop agent: from a report of a call to its notification, what it takes, and how it sleeps."""

import argparse
import os
import statistics
import sys
import tempfile
import time

import dbus
import dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

from tree import NAME, ROOT, Failure, Tree, context_switches, kibibytes, until

CALL = "org.opencallkit.Call1"
PROVIDER = "org.opencallkit.Provider1"
DESKTOP = "org.opencallkit.Desktop1"
SERVER = "org.freedesktop.Notifications"
CALLS = 200
WARM_UP = 20
SETTLE_SECONDS = 8
"""Without a sound server, which this has not, the agent tries to reach one for six seconds after a call."""
IDLE_SECONDS = 10


class Observer:
    """A server of notifications on a connection of its own. Both times are taken where messages arrive."""

    def __init__(self, address):
        self.link = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
        self.link.set_exit_on_disconnect(False)
        self.link.add_match_string(f"type='signal',sender='{NAME}',member='InterfacesAdded'")
        self.link.add_message_filter(self.take)
        self.link.request_name(SERVER)
        self.announced = self.notified = None
        self.number = 0
        self.closed = 0

    def take(self, _, message):
        if message.get_member() == "InterfacesAdded" and "/calls/" in str(message.get_args_list()[0]):
            self.announced = time.perf_counter()
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        if message.get_type() != dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL or message.get_interface() != SERVER:
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        answer = dbus.lowlevel.MethodReturnMessage(message)
        member = message.get_member()
        if member == "Notify":
            self.notified = time.perf_counter()
            self.number += 1
            answer.append(dbus.UInt32(self.number))
        elif member == "GetCapabilities":
            answer.append(["actions", "body"], signature="as")
        elif member == "GetServerInformation":
            answer.append("Bench", "bench", "1.0", "1.2")
        elif member == "CloseNotification":
            self.closed += 1
        self.link.send_message(answer)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def wait(self, condition, what):
        deadline = time.monotonic() + 60
        timer = GLib.timeout_add(1_000, lambda: True)
        while not condition():
            if time.monotonic() > deadline:
                raise Failure(f"waited 60 s for {what}")
            GLib.MainContext.default().iteration(True)
        GLib.source_remove(timer)

    def call(self, path, interface, member, signature="", *arguments):
        """Calls the daemon, and takes what arrives meanwhile."""
        done = []
        self.link.call_async(NAME, path, interface, member, signature, arguments, lambda *values: done.append(values),
                             lambda error: done.append(error))
        self.wait(lambda: done, member)
        if isinstance(done[0], Exception):
            raise done[0]
        return done[0][0] if done[0] else None

    def time_call(self):
        """One call, from the request of its report: until it is announced, and until it is shown, in ms."""
        self.announced = self.notified = None
        closed = self.closed
        start = time.perf_counter()
        result = self.call(f"{ROOT}/providers/Hotline", PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-incoming",
                           dbus.Dictionary({"handle": "generic:bench"}, signature="sv"))
        self.wait(lambda: self.notified, "the notification")
        call = f"{ROOT}/calls/{str(result['call-uuid']).lower().replace('-', '_')}"
        self.call(call, CALL, "End")
        self.wait(lambda: self.closed > closed, "the notification to close")
        return (self.notified - start) * 1e3, (self.notified - self.announced) * 1e3


def row(what, value, percentile=""):
    print(f"{what:<44}{value:>9}{percentile:>9}", flush=True)


def measure(build, plugins):
    with tempfile.TemporaryDirectory() as folder, Tree(folder) as tree:
        tree.service(NAME, f"{build}/callkitd", "--plugin-path", plugins, "--deadline", "linger=1")
        until(lambda: tree.bus.name_has_owner(NAME), "the daemon")
        until(lambda: is_ready(tree), "the provider Hotline")
        observer = Observer(tree.environment["DBUS_SESSION_BUS_ADDRESS"])
        agent = tree.spawn(f"{build}/callkit-desktop")
        observer.wait(lambda: observer.link.name_has_owner(DESKTOP), "the agent")
        for _ in range(WARM_UP):
            observer.time_call()
        before = kibibytes(f"/proc/{agent.pid}/smaps_rollup", "Anonymous")
        times = [observer.time_call() for _ in range(CALLS)]
        row("", "median", "p99")
        for what, column in (("report of a call to its Notify, ms", 0), ("  from its announcement on, ms", 1)):
            values = sorted(time[column] for time in times)
            row(what, f"{statistics.median(values):.2f}", f"{values[len(values) * 99 // 100]:.2f}")
        after = kibibytes(f"/proc/{agent.pid}/smaps_rollup", "Anonymous")
        row(f"kept of each of {CALLS} calls, B", f"{(after - before) * 1024 / CALLS:.0f}")
        row("agent, anonymous memory, KiB", f"{after}")
        row("agent PSS, KiB", f"{kibibytes(f'/proc/{agent.pid}/smaps_rollup', 'Pss')}")
        time.sleep(SETTLE_SECONDS)
        switches = context_switches(agent.pid)
        time.sleep(IDLE_SECONDS)
        row(f"wake-ups, idle for {IDLE_SECONDS} s", f"{context_switches(agent.pid) - switches}")
        observer.link.close()


def is_ready(tree):
    try:
        return tree.get(f"{ROOT}/providers/Hotline", PROVIDER, "State") == "ready"
    except dbus.DBusException:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and callkit-desktop, release")
    parser.add_argument("plugins", metavar="PLUGIN_FOLDER", help="with the bundle of Hotline")
    options = parser.parse_args()
    measure(os.path.abspath(options.build), os.path.abspath(options.plugins))


if __name__ == "__main__":
    try:
        main()
    except (Failure, dbus.DBusException) as failure:
        sys.exit(f"bench: {failure}")
