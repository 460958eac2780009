"""The base of the tests of the plugin Cellular: a modem, the service that drives it, and Hotline beside it."""

import os
import signal
import tempfile

import dbus
import dbus.lowlevel

from cellular.at_modem import ACTIVE
from cellular.modems import ModemManager, ServiceBus, bundle
from support.case import SystemTest
from support.system import IDENTITY, PLUGIN, PROPERTIES, ROOT
from support.waiting import wait_until

HOTLINE = f"{ROOT}/providers/Hotline"


class CellularTest(SystemTest):
    """A test with one modem, unless `modem_values` is None. Its provider is `self.provider`."""

    with_plugins = True
    modem_values = {}
    enabled = True
    modem = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-cellular-")
        self.addCleanup(folder.cleanup)
        self.arguments = ("--plugin-path", bundle(folder.name), *self.arguments)
        super().setUp()
        self.both = []
        self.system.bus.add_message_filter(self.look)
        self.services_bus = ServiceBus(self.system)
        self.addCleanup(self.services_bus.stop)
        self.start_service()
        if self.modem_values is not None:
            self.modem, self.path, self.provider = self.plug(self.enabled, **self.modem_values)

    def look(self, *_):
        """Looks, at each message, whether a call of Hotline and one of the modem are active at once."""
        shown = self.system.objects
        hotline = [path for path, values in shown.items()
                   if values.get("Provider") == HOTLINE and values.get("State") == "active"]
        if hotline and self.modem is not None and self.modem.in_state(ACTIVE):
            self.both.append((hotline, self.modem.states()))
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def start_service(self):
        self.manager = ModemManager(self.services_bus).start()
        self.addCleanup(lambda: self.manager.stop())

    def plug(self, enable=True, **values):
        """Plugs in a modem. Returns it, its path, and the path of its provider, which is there already."""
        before = self.providers()
        modem, path = self.manager.plug(enable, **values)
        return modem, path, self.new_provider(before, "online" if enable else None)

    def providers(self):
        """The providers of the plugin that are registered."""
        return {path for path, values in self.system.objects.items()
                if path.startswith(f"{ROOT}/providers/Cellular") and values.get("State") == "ready"}

    def new_provider(self, before, availability=None):
        provider = wait_until(lambda: self.providers() - before, lambda: f"no provider: {self.system.read_log()}").pop()
        if availability:
            self.wait_available(availability, provider)
        return provider

    def wait_available(self, availability, provider=None):
        provider = provider or self.provider
        wait_until(lambda: self.system.shown(provider, "Availability") == availability,
                   lambda: f"{provider} is {self.system.shown(provider, 'Availability')}: "
                           f"{self.system.shown(provider, 'Status')}")

    def wait_listed(self):
        """Before it has read the list twice, ModemManager 1.20.4 does not know which call is which."""
        wait_until(lambda: len(self.modem.sent("+CLCC")) > 1, "the list was not read", every=0.05)

    # The plugin

    plugin = f"{ROOT}/plugins/Cellular"

    def kill_worker(self):
        """Kills the worker, which starts again."""
        os.kill(self.system.shown(self.plugin, "Pid"), signal.SIGKILL)

    def set_enabled(self, on):
        self.system.call(self.plugin, PROPERTIES, "Set", "ssv", PLUGIN, "Enabled", on).result()

    # Calls

    def calls(self, provider=None):
        """The calls that have not ended, the oldest first."""
        return [path for path, values in self.system.objects.items()
                if "Direction" in values and values.get("State") != "ended"
                and (provider is None or values.get("Provider") == provider)]

    def new_call(self, act, *states, provider=None):
        """Does something, and returns the new call of the provider once it is in one of these states."""
        before = set(self.system.objects)
        act()

        def found():
            return [path for path in self.calls(provider or self.provider)
                    if path not in before and self.system.shown(path, "State") in states]
        return wait_until(found, lambda: f"no call in {states}: {self.system.read_log()}")[0]

    def ring(self, number="+15550123", modem=None, provider=None):
        return self.new_call(lambda: (modem or self.modem).ring(number), "ringing", provider=provider)

    def take(self, number="+15550123"):
        """A call that came in and was answered."""
        call = self.ring(number)
        self.answer(call).result()
        self.wait_state(call, "active")
        return call

    def dial(self, number="+15550145", **options):
        """A call that was dialed and answered."""
        call = self.start_call(number, provider=dbus.ObjectPath(self.provider), **options).result()
        self.modem.answer()
        self.wait_state(call, "active")
        return call

    def two(self):
        """A held call and an active one."""
        held = self.take("+15550123")
        return held, self.take("+15550124")

    def hotline(self, handle="+15550199"):
        """An active call of Hotline."""
        call = self.start_call(handle, provider=dbus.ObjectPath(HOTLINE)).result()
        self.wait_state(call, "active")
        return call

    def number(self, call):
        return tuple(self.property(call, "Handle", IDENTITY))

    def wait_modem(self, **states):
        """Waits until the modem has these calls: `first=ACTIVE` is call 1."""
        names = dict(zip(("first", "second", "third", "fourth", "fifth"), range(1, 6)))
        expected = {names[name]: state for name, state in states.items()}
        wait_until(lambda: self.modem.states() == expected,
                   lambda: f"the modem has {self.modem.states()}, expected {expected}, {self.modem.commands[-20:]}",
                   every=0.05)

    def asked(self):
        """The supplementary services that the modem was asked for."""
        return [command.removeprefix("+CHLD=") for command in self.modem.sent("+CHLD=")]

    def assertOneHasTheLine(self):
        """The modem had no active call when Hotline's became active. That no two calls of the daemon have the line is an
        invariant, which is checked after each step of each test."""
        self.assertEqual(self.both, [], "calls had the line at once")
