"""The desktop agent: from a report of a call to its notification, what it takes, and how it sleeps."""

import time

import dbus
import dbus.lowlevel

from rigs import Arrivals, Pending, wait_until
from rows import TAIL, late
from tree import CALL, HURRY, NAME, PROVIDER, ROOT, Tree, anonymous, call_path, kibibytes, wake_ups

DESKTOP = "org.opencallkit.Desktop1"
SERVER = "org.freedesktop.Notifications"
CALLS = 200
WARM_UP = 20
SETTLE_SECONDS = 12
"""Without a sound server, which this has not, the agent tries to reach one for six seconds after a call; and after ten,
the daemon tells how many notes of so many calls it has dropped."""
IDLE_SECONDS = 10


class Observer:
    """A server of notifications on a connection of its own. Both times are taken where messages arrive."""

    def __init__(self, address):
        self.link = dbus.bus.BusConnection(address)
        self.link.set_exit_on_disconnect(False)
        self.link.add_match_string(f"type='signal',sender='{NAME}',member='InterfacesAdded'")
        self.link.add_message_filter(self.take)
        self.arrivals = Arrivals(self.link)
        self.link.request_name(SERVER)
        self.notified = None
        self.number = self.closed = 0

    def take(self, _, message):
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

    def call(self, path, interface, member, signature="", *arguments):
        """Calls the daemon, and takes what arrives meanwhile."""
        pending = Pending(member)
        self.link.call_async(NAME, path, interface, member, signature, arguments, pending.succeed, pending.fail)
        return pending.result()

    def time_call(self):
        """One call: from the request of its report, and from its announcement, until it is shown; and a Ping of the
        daemon after it, in ms."""
        self.notified = None
        closed = self.closed
        start = time.perf_counter()
        result = self.call(f"{ROOT}/providers/Hotline", PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-incoming",
                           dbus.Dictionary({"handle": "generic:bench"}, signature="sv"))
        wait_until(lambda: self.notified, "the notification")
        self.call(call_path(result), CALL, "End")
        wait_until(lambda: self.closed > closed, "the notification to close")
        ping = time.perf_counter()
        self.call(ROOT, "org.freedesktop.DBus.Peer", "Ping")
        return ((self.notified - start) * 1e3, (self.notified - self.arrivals["InterfacesAdded"]) * 1e3,
                (time.perf_counter() - ping) * 1e3)


def measure(part):
    with Tree(part.folder) as tree:
        tree.service(NAME, f"{part.build}/callkitd", "--plugin-path", part.plugins, "--deadline", "linger=1", *HURRY)
        tree.await_provider("Hotline")
        observer = Observer(tree.environment["DBUS_SESSION_BUS_ADDRESS"])
        # An agent without a system bus looks for one from time to time.
        tree.environment["DBUS_SYSTEM_BUS_ADDRESS"] = tree.environment["DBUS_SESSION_BUS_ADDRESS"]
        agent = tree.spawn(f"{part.build}/callkit-desktop")
        wait_until(lambda: observer.link.name_has_owner(DESKTOP), "the agent")
        for _ in range(WARM_UP):
            observer.time_call()
        before = anonymous(agent.pid)
        shown, added, pings = zip(*(observer.time_call() for _ in range(CALLS)))
        part.compared("report of a call to its Notify", list(shown), pings, "a Ping of the daemon", "ms", 20)
        part.row("  from its announcement on", list(added), "ms", reason="It is a part of that.")
        part.row("  p99", late(shown), "ms", reason=TAIL)
        part.row("kept of a call", (anonymous(agent.pid) - before) / CALLS, "B", 512)
        part.row("agent, memory of its own", anonymous(agent.pid) / 2**20, "MiB", 3)
        part.row("agent, PSS", kibibytes(agent.pid, "smaps_rollup", "Pss") / 1024, "MiB", 8, 6)
        part.row(f"wake-ups, idle for {IDLE_SECONDS} s", wake_ups(agent.pid, SETTLE_SECONDS, IDLE_SECONDS), "", 0)
        observer.link.close()
