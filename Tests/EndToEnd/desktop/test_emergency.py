"""The desktop agent tells beforehand that nobody reaches the emergency services."""

import json
import pathlib

import dbus

from desktop.case import DESKTOP, DESKTOP_PATH
from desktop.notification_servers import ScriptedServer
from desktop.test_links import PHONE, PHONES, LinkTest
from support.messages import variants
from support.provider import Provider
from support.system import BUILD
from support.waiting import wait_until

NOTICE = "No emergency calls here"
NUMBERS = {"emergency-numbers": dbus.Array(["112"], signature="s")}


class Emergency(LinkTest):
    def begin(self, milliseconds):
        self.server = ScriptedServer(self)
        self.provider = Provider(self.system, **PHONES)
        self.start_agent("--deadline", f"emergency={milliseconds}")
        self.wait_name(PHONE)

    def part(self):
        """Whether the agent's part for emergency calls is ready, and what it says."""
        parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
        part, = [part for part in parts if part["name"] == "emergency calls"]
        return bool(part["ready"]), str(part["text"])

    def told(self):
        file = pathlib.Path(self.system.folder.name, "config/opencallkit/desktop.conf")
        return file.exists() and "told-of-emergencies = yes" in file.read_text(encoding="utf-8")

    def test_it_is_told_once(self):
        self.begin(1)
        shown = self.server.wait_shown(title=NOTICE)
        self.assertEqual((shown.hints["urgency"], shown.actions), (0, {}))
        wait_until(self.told, "the settings do not remember it")
        self.agent.terminate()
        self.agent.wait()
        self.start_agent("--deadline", "emergency=1")
        self.wait_name(PHONE)
        # A notification about a link that the agent shows later.
        self.open("tel:112").result()
        self.server.wait_shown(title="Calling tel:112 failed")
        self.assertEqual([post.title for post in self.server.posts].count(NOTICE), 1)
        self.assertEqual(self.part(), (False, "no provider reaches the emergency services"))

    def test_it_is_not_told_while_somebody_reaches_them(self):
        self.begin(600_000)
        self.provider.report("UpdateConfiguration", "a{sv}", variants(NUMBERS)).result()
        self.assertEqual(self.part()[0], False)
        self.mark(self.provider)
        wait_until(lambda: self.part()[0], self.part)
        self.assertTrue(self.part()[1].startswith("112 with "), self.part())
        listed = json.loads(self.system.run(f"{BUILD}/callctl", "desktop", "--json").text)
        self.assertIn(self.part()[1], json.dumps(listed))

    def test_a_link_to_an_emergency_number_says_what_to_do(self):
        self.begin(600_000)
        self.open("tel:112").result()
        shown = self.server.wait_shown(title="Calling tel:112 failed")
        self.assertEqual(
            shown.body, "No provider here reaches the emergency services. Call them with another phone.")
        self.assertEqual(self.calls(), {})


del LinkTest
