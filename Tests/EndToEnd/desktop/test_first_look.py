"""Who asks the agent first, and so makes the bus start it, learns what who asks second does."""

import json
import time

from desktop.activation import ActivationTest
from desktop.case import DESKTOP
from desktop.notification_servers import ScriptedServer
from support.login_manager import Login, SystemBus
from support.sound_servers import PulseAudio
from support.system import BUILD

CALLCTL = f"{BUILD}/callctl"


class FirstLookTests(ActivationTest):
    def parts(self):
        output = self.system.run(CALLCTL, "desktop", "--json")
        self.assertEqual(output.status, 0, output.errors)
        return {part["name"]: (part["ready"], part["text"]) for part in json.loads(output.text)["parts"]}

    def assertSame(self):
        first = self.parts()
        self.assertEqual(len(self.started()), 1)
        self.assertEqual(first, self.parts())
        return first

    def test_with_all_that_a_desktop_has(self):
        ScriptedServer(self)
        PulseAudio(self).start()
        bus = SystemBus(self).start()
        Login(self, bus)
        parts = self.assertSame()
        for name in ("notifications", "ringing", "audio", "routes", "login", "links"):
            self.assertTrue(parts[name][0], parts)

    def test_with_nothing(self):
        parts = self.assertSame()
        for name in ("notifications", "ringing", "routes", "login"):
            self.assertFalse(parts[name][0], parts)
        self.assertEqual(parts["login"], (False, "no system bus"))
        self.assertTrue(parts["audio"][0], parts)

    def test_a_server_that_never_answers_delays_it_by_two_seconds_at_most(self):
        ScriptedServer(self, behaviour="never")
        began = time.monotonic()
        self.assertSame()
        self.assertLess(time.monotonic() - began, 10)

    def test_the_first_request_finds_the_sound_server(self):
        PulseAudio(self).start()
        self.assertFalse(self.system.bus.name_has_owner(DESKTOP))
        self.assertEqual(self.system.run(CALLCTL, "desktop", "test-ring").status, 0)
        self.assertEqual(self.system.run(CALLCTL, "desktop", "stop").status, 0)

    def test_the_first_look_at_the_routes(self):
        PulseAudio(self).start()
        first = self.system.run(CALLCTL, "audio", "--json").text
        self.assertIn("speaker", first)
        self.assertEqual(first, self.system.run(CALLCTL, "audio", "--json").text)
