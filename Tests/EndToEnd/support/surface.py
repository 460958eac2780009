"""The fixture Surface: a provider that uses the SDK, in a worker or in an app, driven by custom actions."""

import json
import subprocess
import uuid

import dbus

from plugins.case import PluginTest
from support.messages import variants
from support.system import BUILD, PROVIDER, ROOT


class SurfaceTest(PluginTest):
    """The same tests run in both places: a plugin's worker, and an app on the bus."""

    in_app = False
    app = None

    @property
    def path(self):
        """The provider."""
        return f"{ROOT}/providers/{'app_' if self.in_app else ''}Surface"

    def setUp(self):
        super().setUp()
        if self.in_app:
            self.app = subprocess.Popen([f"{BUILD}/SurfaceApp"], env=self.system.environment)
            self.addCleanup(self.end_app)
            self.system.wait_ready("app_Surface")
        else:
            self.place("Surface")
            self.wait_ready("Surface")

    def end_app(self):
        self.app.kill()
        self.app.wait()

    # The fixture

    def press_later(self, button, **values):
        return self.system.call(self.path, PROVIDER, "PerformCustomAction", "sa{sv}", button, variants(values))

    def press(self, button, **values):
        return self.press_later(button, **values).result()

    def behave(self, kind, how):
        self.press("behave", kind=kind, how=how)

    def heard(self, *beginnings):
        """Waits until the log has lines with these beginnings, in this order, and returns all lines."""
        pending = self.press_later("hear", beginnings=dbus.Array(beginnings, signature="s"))
        try:
            return [str(line) for line in pending.result()["lines"]]
        except AssertionError as error:
            raise AssertionError(f"not heard: {beginnings}, heard was {self.log()}") from error

    def log(self):
        return [str(line) for line in self.press("log")["lines"]]

    def forget(self):
        """Begins a new log."""
        self.press("forget")

    def surface_call(self, handle="generic:x", **options):
        """An active outgoing call of the fixture."""
        call = self.start_call(handle, provider=dbus.ObjectPath(self.path), **options).result()
        self.press("report", what="connected", call=self.id_of(call))
        self.wait_state(call, "active")
        return call

    def surface_incoming(self, **values):
        """A call of the fixture that rings."""
        result = self.press("incoming", **values)
        self.assertNotIn("error", result)
        call = f"{ROOT}/calls/{result['call'].replace('-', '_')}"
        self.wait_state(call, "ringing")
        return call

    def ask(self, *actions, button="request", **values):
        """Requests actions by the fixture's own controller, and returns its answer."""
        return self.press(button, transaction=transaction(*actions), **values)

    @staticmethod
    def id_of(call):
        return call.rsplit("/", 1)[1].replace("_", "-")


def action(kind, call, **values):
    """An action as the SDK encodes it."""
    return {"kind": kind, "action": {
        "uuid": str(uuid.uuid4()).upper(), "timeoutDate": 0, "isComplete": False, "callUUID": str(call).upper(), **values}}


def transaction(*actions):
    return json.dumps({"uuid": str(uuid.uuid4()).upper(), "actions": actions})
