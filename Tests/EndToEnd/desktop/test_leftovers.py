"""An agent that was killed leaves its notifications at the server: the next agent closes them, and no others."""

import os

import dbus

from desktop.case import DesktopTest
from desktop.notification_servers import NAME, PATH, Dunst, ScriptedServer, Xfce, noted_notifications
from desktop.server_profiles import PLASMA6
from support.provider import Provider
from support.waiting import wait_until


class LeftoversTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha")

    @property
    def journal(self):
        return f"{self.system.folder.name}/opencallkit/notifications"

    def ring(self):
        return self.alpha.incoming(localized_caller_name="Alice")

    def kill_agent(self, count=1):
        """Kills the agent once it has noted what it has shown."""
        wait_until(lambda: len(noted_notifications(self.system)) == count, "it is not noted", every=0.01)
        self.agent.kill()
        self.agent.wait()


class ScriptedTests(LeftoversTest):
    def test_the_next_agent_closes_what_was_left_and_shows_what_still_rings(self):
        server = ScriptedServer(self, profile=PLASMA6)
        self.start_agent()
        gone, staying = self.ring(), self.ring()
        server.wait_shown(2, title="Alice")
        left = sorted(server.shown)
        self.kill_agent(2)
        self.end(gone).result()
        self.assertEqual(os.stat(self.journal).st_mode & 0o77, 0)
        self.start_agent()
        wait_until(lambda: sorted(server.closed) == left, lambda: f"closed {server.closed}, not {left}")
        shown = server.wait_shown(1, title="Alice")
        self.assertNotIn(shown.number, left)
        self.end(staying).result()
        server.wait_shown(0, title="Alice")
        self.agent.terminate()
        self.agent.wait()
        self.assertFalse(os.path.exists(self.journal))

    def test_ids_of_a_server_that_was_replaced_are_left_alone(self):
        server = ScriptedServer(self, profile=PLASMA6)
        self.start_agent()
        call = self.ring()
        number = server.wait_shown(title="Alice").number
        self.kill_agent()
        server.leave()
        other = ScriptedServer(self, profile=PLASMA6)
        other.number = number - 1
        foreign = self.notify("A letter has come")
        self.assertEqual(foreign, number)
        self.start_agent()
        other.wait_shown(title="Alice")
        self.assertEqual(other.closed, [])
        self.assertIn(number, other.shown)
        self.end(call).result()
        other.wait_shown(0, title="Alice")
        self.assertIn(number, other.shown)

    def test_a_journal_that_makes_no_sense_closes_nothing(self):
        server = ScriptedServer(self, profile=PLASMA6)
        bus = self.system.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId",
                               name="org.freedesktop.DBus").result()
        mine = f"{bus} {server.link.get_unique_name()}"
        self.notify("A letter has come")
        os.makedirs(os.path.dirname(self.journal), exist_ok=True)
        for text in ("", "server =\nids = 1", f"server = {mine}", f"server = {mine}\nids = -1 x 0 99999999999 1.5",
                     "server = 0123456789abcdef0123456789abcdef :1.1\nids = 1", f"ids = 1\nserver = {mine}x",
                     f"server = {mine}\nids = 1 " + "2 " * 40_000, "\0\xff\n"):
            with self.subTest(text=text[:80]):
                with open(self.journal, "w", encoding="latin-1") as file:
                    file.write(text)
                self.start_agent()
                call = self.ring()
                server.wait_shown(1, title="Alice")
                self.assertEqual(len(server.shown), 2)
                server.closed.clear()
                self.end(call).result()
                server.wait_shown(1)
                self.agent.terminate()
                self.agent.wait()

    def test_a_journal_that_cannot_be_written_hides_nothing(self):
        server = ScriptedServer(self, profile=PLASMA6)
        os.makedirs(self.journal)
        self.start_agent()
        call = self.ring()
        server.wait_shown(title="Alice")
        self.end(call).result()
        server.wait_shown(0, title="Alice")

    def notify(self, title):
        """Shows a notification of another program."""
        return int(self.system.call(
            PATH, NAME, "Notify", "susssasa{sv}i", "Other", dbus.UInt32(0), "", title, "", [], {}, -1,
            name=NAME).result())


class RealServerTests(LeftoversTest):
    def test_dunst(self):
        server = Dunst(self).start()
        self.start_agent()
        call = self.ring()
        server.wait_shown(1)
        self.kill_agent()
        self.end(call).result()
        self.assertEqual(server.count(), 1, "the server closes by itself what was left")
        self.start_agent()
        server.wait_shown(0)

    def test_xfce(self):
        server = Xfce(self).start()
        self.start_agent()
        call = self.ring()
        server.wait_drawn()
        self.kill_agent()
        self.end(call).result()
        self.assertTrue(server.display.is_drawn(), "the server closes by itself what was left")
        self.start_agent()
        server.wait_blank()
