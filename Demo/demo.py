#!/usr/bin/env python3
"""Shows one call held because another is answered, with a private bus, the daemon, two plugins and real calls.

Every line that begins with a time is an event that came over the bus; the other lines say what is done, what was shown,
and what to try next. Before and after it says what is done, the demo waits --pause seconds: by default 3 on a terminal,
and otherwise 0. Exits with 1 if the events differ from the script, if two calls are active at once, or if the daemon
ends.
"""

import argparse
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
"""Seconds that the demo may take, beside its pauses."""
READING = 3
"""Seconds for reading a part of the story on a terminal."""

BEGINNING = """\
callkitd and three plugins start, on a bus of their own. Lines with a time are
events that came over this bus; you are the client."""

ENDING = """
demo: done in {seconds:.1f} s

What was shown
  Hotline and MonkeyCall know nothing of each other. The daemon let only one
  call be active at a time, and held the other before, not after. It resumed
  what it had held itself. A plugin that crashed lost its own call and no other.

What to try next
  make try                    the same on your session bus, by your own commands
  less docs/arbitration.md    the rules: who is held or ended, and when
  less docs/README.md         all documents
"""


class Story:
    """The events so far, and the condition that the script waits for."""

    def __init__(self, bus, pause):
        self.bus = bus
        self.pause = pause
        self.objects = {}
        self.over = {}
        self.paused = 0
        """The seconds of all pauses so far."""
        self.began = time.monotonic()
        self.loop = GLib.MainLoop()
        self.known = False
        """True after the existing objects have been read."""
        self.steps = None
        self.condition = None
        self.failure = None
        bus.add_signal_receiver(self.added, "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", path=ROOT)
        bus.add_signal_receiver(self.changed, "PropertiesChanged", "org.freedesktop.DBus.Properties",
                                path_keyword="path")
        bus.add_signal_receiver(self.ended, "CallEnded", NAME)
        bus.add_signal_receiver(self.suggested, "ResumeSuggested", NAME)

    def tell(self, text):
        print(f"{self.seconds():6.2f} s  {text}", flush=True)

    def seconds(self):
        """The seconds since the beginning, without the pauses."""
        return time.monotonic() - self.began - self.paused

    def chapter(self, text):
        """Says what is done next, with time to read what happened before and what is said."""
        yield self.rested()
        print(f"\n{text}", flush=True)
        yield self.rested()

    def rested(self):
        """A condition that holds when a pause is over."""
        if not self.pause:
            return lambda: True
        over = []

        def end():
            self.paused += self.pause
            over.append(True)
            self.go_on()

        GLib.timeout_add(int(self.pause * 1000), end)
        return lambda: bool(over)

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
            while self.steps and not self.failure and (self.condition is None or self.condition()):
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
        GLib.timeout_add_seconds(TIME_LIMIT + int(20 * self.pause), lambda: self.fail("the demo took too long"))
        self.loop.run()

    def run(self, script):
        """Starts the script with the existing objects."""
        if self.known:
            return None
        self.known = True
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
        return GLib.idle_add(self.start, script)  # after the signals that came before the reply

    def start(self, script):
        self.steps = script
        self.go_on()


def script(story):
    """One call is held because another is answered; then a plugin dies and is restarted."""
    hotline, monkey = f"{ROOT}/providers/Hotline", f"{ROOT}/providers/MonkeyCall"
    plugin, lists = f"{ROOT}/plugins/MonkeyCall", f"{ROOT}/plugins/ListDirectory"
    incoming = dbus.Dictionary({"handle": "generic:bananas", "name": "Bananas"}, signature="sv")

    def ready(path):
        return story.objects.get(path, {}).get("State") == "ready"

    yield lambda: ready(hotline) and ready(monkey) and ready(lists)

    yield from story.chapter("1. You call a number with Hotline.")
    options = dbus.Dictionary({"provider": dbus.ObjectPath(hotline)}, signature="sv")
    story.ask(ROOT, NAME, "StartCallWith", "tel:+15550100", options)
    yield story.is_in("Hotline", "active")

    yield from story.chapter("2. MonkeyCall rings, and you answer. The daemon holds the Hotline call first.")
    story.ask(monkey, PROVIDER, "PerformCustomAction", "simulate-incoming", incoming)
    yield story.is_in("MonkeyCall", "ringing")
    story.ask(story.paths("MonkeyCall", "ringing")[0], CALL, "Answer")
    yield lambda: story.paths("MonkeyCall", "active") and story.paths("Hotline", "held")

    yield from story.chapter("3. You end the MonkeyCall call. The daemon resumes the call that it held.")
    story.ask(story.paths("MonkeyCall", "active")[0], CALL, "End")
    yield lambda: "local-ended" in story.over.values() and story.paths("Hotline", "active")

    yield from story.chapter("4. MonkeyCall rings again, and you answer again.")
    story.ask(monkey, PROVIDER, "PerformCustomAction", "simulate-incoming", incoming)
    yield story.is_in("MonkeyCall", "ringing")
    story.ask(story.paths("MonkeyCall", "ringing")[0], CALL, "Answer")
    yield lambda: story.paths("MonkeyCall", "active") and story.paths("Hotline", "held")

    yield from story.chapter("5. You return to the Hotline call. Now the MonkeyCall call is held.")
    story.ask(story.paths("Hotline", "held")[0], CALL, "SetHeld", False)
    yield lambda: story.paths("MonkeyCall", "held") and story.paths("Hotline", "active")

    yield from story.chapter("6. MonkeyCall's process is killed. Its call ends, the Hotline call goes on,\n"
                             "   and the plugin is started again.")
    os.kill(int(story.objects[plugin]["Pid"]), signal.SIGSEGV)
    yield lambda: "provider-crashed" in story.over.values() and story.objects[plugin]["State"] == "restarting"
    yield lambda: ready(monkey) and story.objects[plugin]["State"] == "ready" and story.paths("Hotline", "active")

    yield from story.chapter("7. You end the Hotline call.")
    last = story.paths("Hotline", "active")[0]
    story.ask(last, CALL, "End")
    yield lambda: story.over.get(last) == "local-ended"
    yield story.rested()


def pause_for(stream):
    """The seconds to pause if the story is printed to this stream."""
    return READING if stream.isatty() else 0


def main(build, plugins, pause):
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
            story = Story(bus, pause)
            environment["DBUS_SESSION_BUS_ADDRESS"] = address
            bus.watch_name_owner(NAME, lambda owner: story.run(script(story)) if owner else None)
            print(BEGINNING, flush=True)
            with open(f"{home}/log", "w+", encoding="utf-8") as log:
                daemon = subprocess.Popen([f"{build}/callkitd", "--plugin-path", plugins], env=environment, stderr=log)
                story.follow(daemon)
                if story.failure:
                    log.seek(0)
                    print(f"{log.read()}demo: failed: {story.failure}", file=sys.stderr)
                    return 1
            print(ENDING.format(seconds=story.seconds()), end="")
            return 0
        except KeyboardInterrupt:
            return 130
        finally:
            for process in (daemon, broker):
                if process:
                    process.terminate()
                    process.wait(5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD_FOLDER")
    parser.add_argument("plugins", metavar="PLUGIN_FOLDER")
    parser.add_argument("--pause", metavar="SECONDS", type=float, default=pause_for(sys.stdout))
    options = parser.parse_args()
    sys.exit(main(os.path.abspath(options.build), os.path.abspath(options.plugins), options.pause))
