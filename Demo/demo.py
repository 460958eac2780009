#!/usr/bin/env python3
"""Shows one call held because another is answered, with a private bus, the daemon, two plugins and real calls.

Every line except the last, which is the result, is an event that came over the bus. Exits with 1 if the events differ
from the script, if two calls are active at once, or if the daemon ends.
Usage: demo.py BUILD_FOLDER PLUGIN_FOLDER
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.opencallkit.CallSystem1"
ROOT = "/org/opencallkit/CallSystem1"
CALL = "org.opencallkit.Call1"
PROVIDER = "org.opencallkit.Provider1"
PLUGIN = "org.opencallkit.Plugin1"
TIME_LIMIT = 120


class Story:
    """The events so far, and the condition that the script waits for."""

    def __init__(self, bus):
        self.bus = bus
        self.objects = {}
        self.over = {}
        self.chapter = False
        """True if an empty line precedes the next event."""
        self.began = time.monotonic()
        self.loop = GLib.MainLoop()
        self.steps = None
        self.condition = None
        self.failure = None
        bus.add_signal_receiver(self.added, "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", path=ROOT)
        bus.add_signal_receiver(self.changed, "PropertiesChanged", "org.freedesktop.DBus.Properties",
                                path_keyword="path")
        bus.add_signal_receiver(self.ended, "CallEnded", NAME)
        bus.add_signal_receiver(self.suggested, "ResumeSuggested", NAME)

    def tell(self, text):
        if self.chapter:
            print()
            self.chapter = False
        print(f"{time.monotonic() - self.began:6.2f} s  {text}", flush=True)

    def name(self, path):
        properties = self.objects.get(path, {})
        if "Direction" in properties:
            return f"{self.short(properties['Provider'])} call {path.rsplit('/', 1)[1][:8]}"
        return self.short(path)

    @staticmethod
    def short(path):
        return str(path).rsplit("/", 1)[1]

    def added(self, path, interfaces):
        for interface, properties in interfaces.items():
            if interface.startswith("org.opencallkit."):
                self.objects.setdefault(path, {}).update(properties)
        if CALL in interfaces:
            properties = interfaces[CALL]
            ring = f" ({properties['RingMode']})" if properties["RingMode"] else ""
            self.tell(f"{self.name(path)} is {properties['State']}{ring}")
        elif PROVIDER in interfaces:
            self.tell(f"provider {self.short(path)} is {interfaces[PROVIDER]['State']}")
        self.go_on()

    def changed(self, interface, properties, invalidated, path):
        if not interface.startswith("org.opencallkit.") or path not in self.objects:
            return
        self.objects[path].update(properties)
        if "State" in properties and interface == CALL:
            holder = self.objects[path].get("HeldBy")
            by = f" by the {holder}" if properties["State"] == "held" and holder else ""
            self.tell(f"{self.name(path)} is {properties['State']}{by}")
            active = self.active()
            if len(active) > 1:
                self.fail(f"{' and '.join(self.name(call) for call in active)} are active at once")
        elif "State" in properties and interface == PLUGIN:
            error = properties.get("Error")
            self.tell(f"plugin {self.short(path)} is {properties['State']}{': ' + error if error else ''}")
        self.go_on()

    def ended(self, call, reason, origin):
        self.over[str(call)] = str(reason)
        self.tell(f"{self.name(call)} has ended: {reason}, by {origin}")
        self.go_on()

    def suggested(self, call):
        self.tell(f"{self.name(call)} could be resumed")

    def go_on(self):
        """Runs the script until its next condition is false."""
        try:
            while not self.failure and (self.condition is None or self.condition()):
                self.condition = next(self.steps)
        except StopIteration:
            self.loop.quit()
        except dbus.DBusException as error:
            self.fail(f"{error.get_dbus_name()}: {error.get_dbus_message()}")

    def fail(self, text):
        self.failure = self.failure or text
        self.loop.quit()

    def ask(self, path, interface, method, *arguments):
        """Calls a method without waiting; its effects come as events."""
        proxy = self.bus.get_object(NAME, path, introspect=False)
        proxy.get_dbus_method(method, interface)(
            *arguments, reply_handler=lambda *_: self.go_on(),
            error_handler=lambda error: self.fail(f"{method}: {error.get_dbus_name()}: {error.get_dbus_message()}"))

    def active(self):
        return [path for path, properties in self.objects.items()
                if "Direction" in properties and properties.get("State") == "active"]

    def paths(self, provider, state):
        return [path for path, properties in self.objects.items()
                if properties.get("Provider") == f"{ROOT}/providers/{provider}" and properties.get("State") == state]

    def is_in(self, provider, state):
        return lambda: bool(self.paths(provider, state))

    def follow(self, daemon):
        """Returns when the script has ended or failed."""
        GLib.child_watch_add(daemon.pid, lambda _, status: self.fail(
            f"callkitd has ended with status {os.waitstatus_to_exitcode(status)}"))
        GLib.timeout_add_seconds(TIME_LIMIT, lambda: self.fail("the demo took too long"))
        self.loop.run()

    def run(self, script):
        """Starts the script with the existing objects."""
        if self.steps is not None:
            return None
        self.steps = script
        manager = dbus.Interface(self.bus.get_object(NAME, ROOT, introspect=False),
                                 "org.freedesktop.DBus.ObjectManager")
        try:
            objects = manager.GetManagedObjects()
        except dbus.DBusException as error:
            return self.fail(f"{error.get_dbus_name()}: {error.get_dbus_message()}")
        for path, interfaces in objects.items():
            for interface, properties in interfaces.items():
                if interface.startswith("org.opencallkit."):
                    self.objects.setdefault(path, {}).update(properties)
        return self.go_on()


def script(story):
    """One call is held because another is answered; then a plugin dies and is restarted."""
    hotline, monkey = f"{ROOT}/providers/Hotline", f"{ROOT}/providers/MonkeyCall"
    plugin = f"{ROOT}/plugins/MonkeyCall"

    def ready(provider):
        return story.objects.get(provider, {}).get("State") == "ready"

    yield lambda: ready(hotline) and ready(monkey)
    story.chapter = True  # a Hotline call
    options = dbus.Dictionary({"provider": dbus.ObjectPath(hotline)}, signature="sv")
    story.ask(ROOT, NAME, "StartCallWith", "tel:+15550100", options)
    yield story.is_in("Hotline", "active")

    story.chapter = True  # MonkeyCall rings, and is answered
    incoming = {"handle": "generic:bananas", "name": "Bananas"}
    story.ask(monkey, PROVIDER, "PerformCustomAction", "simulate-incoming", dbus.Dictionary(incoming, signature="sv"))
    yield story.is_in("MonkeyCall", "ringing")
    story.ask(story.paths("MonkeyCall", "ringing")[0], CALL, "AnswerWith", dbus.Dictionary({}, signature="sv"))
    yield lambda: story.paths("MonkeyCall", "active") and story.paths("Hotline", "held")

    story.chapter = True  # MonkeyCall hangs up here
    story.ask(story.paths("MonkeyCall", "active")[0], CALL, "End")
    yield lambda: "local-ended" in story.over.values() and story.paths("Hotline", "active")

    story.chapter = True  # MonkeyCall rings again, is answered, and is held for Hotline
    story.ask(monkey, PROVIDER, "PerformCustomAction", "simulate-incoming", dbus.Dictionary(incoming, signature="sv"))
    yield story.is_in("MonkeyCall", "ringing")
    story.ask(story.paths("MonkeyCall", "ringing")[0], CALL, "AnswerWith", dbus.Dictionary({}, signature="sv"))
    yield lambda: story.paths("MonkeyCall", "active") and story.paths("Hotline", "held")
    story.ask(story.paths("Hotline", "held")[0], CALL, "SetHeld", False)
    yield lambda: story.paths("MonkeyCall", "held") and story.paths("Hotline", "active")

    story.chapter = True  # MonkeyCall's process is killed with SIGSEGV
    os.kill(int(story.objects[plugin]["Pid"]), signal.SIGSEGV)
    yield lambda: "provider-crashed" in story.over.values() and story.objects[plugin]["State"] == "restarting"
    yield lambda: ready(monkey) and story.objects[plugin]["State"] == "ready" and story.paths("Hotline", "active")

    story.chapter = True  # Hotline hangs up
    last = story.paths("Hotline", "active")[0]
    story.ask(last, CALL, "End")
    yield lambda: story.over.get(last) == "local-ended"


def main(build, plugins):
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, XDG_DATA_HOME=f"{home}/data", XDG_RUNTIME_DIR=home,
                           XDG_DATA_DIRS=home)
        environment.pop("OPENCALLKIT_PLUGIN_PATH", None)
        broker = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"],
                                  env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        daemon = None
        try:
            address = broker.stdout.readline().strip()
            dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
            bus = dbus.bus.BusConnection(address)
            bus.set_exit_on_disconnect(False)
            story = Story(bus)
            environment["DBUS_SESSION_BUS_ADDRESS"] = address
            bus.watch_name_owner(NAME, lambda owner: story.run(script(story)) if owner else None)
            daemon = subprocess.Popen([f"{build}/callkitd", "--plugin-path", plugins], env=environment)
            story.follow(daemon)
            if story.failure:
                print(f"demo: failed: {story.failure}", file=sys.stderr)
                return 1
            print(f"\ndemo: done in {time.monotonic() - story.began:.1f} s")
            return 0
        finally:
            for process in (daemon, broker):
                if process:
                    process.terminate()
                    process.wait(5)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
