"""The base of the tests: a system of its own for each, what clients ask of it, and what is asserted."""

import os
import signal
import unittest

import dbus

from support.messages import ERROR, uuid_of, variants
from support.system import CALL, FAVORITES, FAVORITES1, PROPERTIES, PROVIDER, ROOT, SYSTEM, System
from support.waiting import exited, wait_until

TORTURE = os.environ.get("OPENCALLKIT_TORTURE") == "1"
"""True if what is done over and over is done as often as it should be once in a while, and not at every change."""

PATIENT = dict.fromkeys(("look-up", "screen", "hello", "custom-action"), 60_000)
"""Deadlines in ms that only end what hangs. A slow machine may well need more than the standard ones, and what expires
changes the outcome of a test that is not about it.
"""


def words_of(deadlines):
    """The options of callkitd that set them."""
    return [word for kind, value in deadlines.items() for word in ("--deadline", f"{kind}={value}")]


class SystemTest(unittest.TestCase):
    """A test with a system of its own. After each test the daemon must be alive and sound, and exit on request."""

    arguments = ()
    """Options for callkitd."""
    deadlines = {}
    """Deadlines in ms, by kind."""
    calls_per_second = 10_000
    """How many calls a program may begin in a second; None for as many as outside tests, which are often more patient."""
    patience = PATIENT
    with_plugins = False
    services = None
    wrapper = ()
    """A command that becomes callkitd, which are its last words."""
    policy = ""

    def setUp(self):
        options = words_of({**self.patience, **self.deadlines})
        if self.calls_per_second is not None:
            options += ["--new-calls-per-second", str(self.calls_per_second)]
        self.system = System(*self.arguments, *options, with_plugins=self.with_plugins, services=self.services,
                             wrapper=self.wrapper, policy=self.policy)
        self.addCleanup(self.system.stop)
        self.system.start()
        self.pid = self.system.daemon.pid

    def tearDown(self):
        self.assertIsNone(self.system.daemon.poll(), "the daemon has ended")
        self.assertEqual(self.system.daemon.pid, self.pid)
        self.assertNotIn("invariant broken", self.system.read_log())
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0, "exit status after SIGTERM")
        self.assertEqual(self.system.replay(), "")
        self.assertEqual(self.system.undocumented, [], "errors that are not in dbus/*.xml")
        self.assertNotIn("invariant broken", self.system.read_log())

    def traces(self):
        """What a failure of the test shows, by the end of a file's name."""
        return {"log": self.system.log, "scenario": self.system.recording} if hasattr(self, "system") else {}

    # Requests of clients

    def start_call(self, handle, connection=None, **options):
        return self.system.call(ROOT, SYSTEM, "StartCallWith", "sa{sv}", handle, variants(options), connection=connection)

    def request(self, actions, connection=None, member="RequestTransaction", **options):
        entries = dbus.Array([(kind, variants(values)) for kind, values in actions], signature="(sa{sv})")
        return self.system.call(ROOT, SYSTEM, member, "a(sa{sv})a{sv}", entries, variants(options),
                                connection=connection)

    def simulate(self, actions, **options):
        return self.request(actions, member="SimulateTransaction", **options)

    def answer(self, call, connection=None, **options):
        return self.system.call(call, CALL, "AnswerWith", "a{sv}", variants(options), connection=connection)

    def end(self, call):
        return self.system.call(call, CALL, "End")

    def reject(self, call, reason=""):
        return self.system.call(call, CALL, "Reject", "s", reason)

    def hold(self, call, connection=None):
        return self.system.call(call, CALL, "SetHeld", "b", True, connection=connection)

    def resume(self, call, connection=None):
        return self.system.call(call, CALL, "SetHeld", "b", False, connection=connection)

    def mute(self, call, muted=True):
        return self.system.call(call, CALL, "SetMuted", "b", muted)

    def group(self, call, other):
        return self.system.call(call, CALL, "GroupWith", "o", other)

    def mark(self, *providers):
        """The user trusts these providers with emergency calls."""
        self.mark_ids(*(provider.path.rsplit("/", 1)[1] for provider in providers)).result()

    def mark_ids(self, *ids):
        return self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "EmergencyProviders",
                                dbus.Array(ids, signature="s"))

    # Assertions

    def wait_store(self):
        """Waits until the store can look up callers."""
        wait_until(lambda: self.system.call(FAVORITES, FAVORITES1, "List").wait().error is None, "there is no store")

    def property(self, call, name, interface=CALL):
        return self.system.get(call, interface, name)

    def assertState(self, call, state, message=None):
        self.assertEqual(self.property(call, "State"), state, message)

    def assertEnded(self, call, reason, origin):
        wait_until(lambda: self.system.told("CallEnded", call), lambda: f"{call} has not ended")
        told = self.system.told("CallEnded", call)
        self.assertEqual([event.arguments for event in told], [[call, reason, origin]])
        values = self.system.get_all(call, CALL)
        self.assertEqual((values["State"], values["EndReason"], values["EndedBy"]), ("ended", reason, origin))

    def assertRefused(self, pending, name, *naming):
        """Asserts that the call is refused with this error, and that the message names these calls."""
        pending.wait()
        self.assertEqual(pending.error_name, name if "." in name else ERROR + name, pending.error_text)
        for call in naming:
            self.assertIn(uuid_of(call), pending.error_text)

    def wait_state(self, call, state):
        wait_until(lambda: self.system.shown(call, "State") == state,
                   lambda: f"{call} is {self.system.shown(call, 'State')}, expected {state}")

    def wait_told(self, member, *arguments):
        return wait_until(lambda: self.system.told(member, *arguments), lambda: f"no signal {member}{arguments}")

    # Plugins

    def simulate_incoming(self, plugin, **values):
        """Simulates an incoming call of a plugin, and returns the call once it rings."""
        provider = f"{ROOT}/providers/{plugin}"
        before = set(self.system.objects)
        values = {"handle": "generic:bananas", "name": "Bananas", **values}
        pending = self.system.call(provider, PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-incoming",
                                   variants(values))

        def ringing():
            return [path for path, shown in self.system.objects.items()
                    if path not in before and shown.get("Provider") == provider and shown.get("State") == "ringing"]
        pending.result()
        return wait_until(ringing, f"{plugin} does not ring")[0]
