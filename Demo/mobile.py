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

from support.messages import variants  # noqa: E402
from cellular.modems import ModemManager, ServiceBus, bundle  # noqa: E402
from story import Story  # noqa: E402
from support.system import CALL, ROOT, SYSTEM, System  # noqa: E402

def play(system, story):
    print("ModemManager finds a modem, and the plugin Cellular registers it as a provider.")
    services = ServiceBus(system)
    manager = ModemManager(services).start()
    try:
        modem, _ = manager.plug()
        story.modem, story.commands = modem, len(modem.commands)
        story.wait_online("Cellular")

        print("\n1. You call a number with Hotline.")
        options = variants({"provider": dbus.ObjectPath(f"{ROOT}/providers/Hotline")})
        hotline = system.call(ROOT, SYSTEM, "StartCallWith", "sa{sv}", "+15550100", options).result()
        story.wait(hotline, "active")

        print("\n2. Your mobile number is called, and you answer. The daemon holds the Hotline\n   call first.")
        modem.ring("+15550123")
        first = story.wait_ringing()
        system.call(first, CALL, "Answer").result()
        story.wait(first, "active")

        print("\n3. A second mobile call waits, and you answer. For the network, hold and\n   answer is one command.")
        modem.ring("+15550124")
        second = story.wait_ringing()
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
