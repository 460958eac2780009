"""What the demos with networks tell while they run: which calls change, and what the modem is asked for."""

import time

import dbus

from support.system import ROOT
from support.waiting import wait_until

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

    def wait_online(self, plugin):
        """Waits for a provider of the plugin, and returns it."""
        provider = wait_until(
            lambda: [path for path, values in self.system.objects.items()
                     if path.startswith(f"{ROOT}/providers/{plugin}") and values.get("Availability") == "online"],
            lambda: f"{plugin} is not online: {self.system.read_log()}", 40)[0]
        name = provider.rsplit("/", 1)[1].split("_", maxsplit=1)[0]
        self.tell(f"provider {name} is online: {self.system.shown(provider, 'LocalizedName')}")
        return provider

    def wait(self, call, state):
        wait_until(lambda: self.system.shown(call, "State") == state, f"the call is not {state}", 20)

    def wait_ringing(self, plugin="Cellular"):
        def found():
            return [path for path, values in self.system.objects.items()
                    if plugin in str(values.get("Provider")) and values.get("State") == "ringing"]
        return wait_until(found, f"no call of {plugin} rings", 20)[0]
