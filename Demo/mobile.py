#!/usr/bin/env python3
"""Shows a call of Hotline held because a mobile call is answered. ModemManager is the real one, on a bus of its own; the
modem is simulated, and prints the commands that it gets.

Exits with 1 if anything differs from the story.
"""

import os
import sys
import tempfile
import time

import dbus

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(REPOSITORY, "Tests", "EndToEnd"))

from messages import variants  # noqa: E402
from modems import ModemManager, ServiceBus, bundle  # noqa: E402
from system import CALL, ROOT, SYSTEM, System  # noqa: E402
from waiting import wait_until  # noqa: E402

QUIET = {"+CLCC", "+CCLK?", "+CSQ"}
"""Commands with which ModemManager only looks how things are."""


class Story:
    def __init__(self, system):
        self.system = system
        self.began = time.monotonic()
        self.shown = {}
        self.commands = 0
        self.modem = None
        system.bus.add_message_filter(self.look)

    def tell(self, text):
        print(f"{time.monotonic() - self.began:6.2f} s  {text}", flush=True)

    def look(self, *_):
        """Tells which calls have changed, and what the modem was asked for."""
        for path, values in list(self.system.objects.items()):
            state = values.get("State")
            if "Direction" in values and self.shown.get(path) != state:
                self.shown[path] = state
                provider = str(values["Provider"]).rsplit("/", 1)[1].split("_", maxsplit=1)[0]
                held = f" by the {values['HeldBy']}" if state == "held" and values.get("HeldBy") else ""
                self.tell(f"{provider} call {path.rsplit('/', 1)[1][:8]} is {state}{held}")
        if self.modem is not None:
            for command in self.modem.commands[self.commands:]:
                if command not in QUIET:
                    self.tell(f"            the modem gets AT{command}")
            self.commands = len(self.modem.commands)
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def wait(self, call, state):
        wait_until(lambda: self.system.shown(call, "State") == state, f"the call is not {state}", 20)

    def call_in(self, *states):
        def found():
            return [path for path, values in self.system.objects.items()
                    if "Cellular" in str(values.get("Provider")) and values.get("State") in states]
        return wait_until(found, f"no mobile call is {states}", 20)[0]


def play(system, story):
    print("ModemManager finds a modem, and the plugin Cellular registers it as a provider.")
    services = ServiceBus(system)
    manager = ModemManager(services).start()
    try:
        modem, _ = manager.plug()
        story.modem, story.commands = modem, len(modem.commands)
        mobile = wait_until(
            lambda: [path for path, values in system.objects.items()
                     if path.startswith(f"{ROOT}/providers/Cellular") and values.get("Availability") == "online"],
            "the modem is not online", 20)[0]
        story.tell(f"provider {mobile.rsplit('/', 1)[1]} is online: {system.shown(mobile, 'LocalizedName')}")

        print("\n1. You call a number with Hotline.")
        options = variants({"provider": dbus.ObjectPath(f"{ROOT}/providers/Hotline")})
        hotline = system.call(ROOT, SYSTEM, "StartCallWith", "sa{sv}", "+15550100", options).result()
        story.wait(hotline, "active")

        print("\n2. Your mobile number is called, and you answer. The daemon holds the Hotline call first.")
        modem.ring("+15550123")
        first = story.call_in("ringing")
        system.call(first, CALL, "Answer").result()
        story.wait(first, "active")

        print("\n3. A second mobile call waits, and you answer. For the network, hold and answer is one command.")
        modem.ring("+15550124")
        second = story.call_in("ringing")
        system.call(second, CALL, "Answer").result()
        story.wait(second, "active")

        print("\n4. You go back to the first. The network exchanges the two.")
        system.call(first, CALL, "SetHeld", "b", False).result()
        story.wait(first, "active")

        print("\n5. You join them.")
        system.call(first, CALL, "GroupWith", "o", second).result()
        story.wait(second, "active")

        print("\n6. You end both. The daemon resumes the Hotline call.")
        for call in (first, second):
            system.call(call, CALL, "End").result()
        story.wait(hotline, "active")
        services_asked = [command for command in modem.commands if command.startswith("+CHLD=")]
        if services_asked[:3] != ["+CHLD=2", "+CHLD=2", "+CHLD=3"]:
            sys.exit(f"demo: the modem was asked for {services_asked}")
    finally:
        manager.stop()
        services.stop()


def main():
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="opencallkit-demo-") as folder:
        system = System("--plugin-path", bundle(folder), with_plugins=True)
        with system:
            play(system, Story(system))
    print(f"\ndemo: done in {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
