"""What notifications say while the screen is locked: nothing of who calls, unless the user allows it."""

import os

import dbus

from desktop.notices import NotificationTest
from desktop.server_profiles import PLASMA6
from support.login_manager import screen_saver
from support.waiting import wait_until


class LockedTests(NotificationTest):
    profile = PLASMA6

    def setUp(self):
        super().setUp()
        self.watch(is_late=False)

    def watch(self, **options):
        """The screen saver that the agent will find."""
        self.saver = screen_saver(self, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", **options)

    def lock(self, is_locked=True):
        self.saver.set_active(is_locked)

    def configure(self, text):
        folder = os.path.join(self.system.environment["XDG_CONFIG_HOME"], "opencallkit")
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(f"{folder}/new", f"{folder}/desktop.conf")

    def ring(self, name, number):
        image = f"{self.system.folder.name}/{name}.png"
        with open(image, "wb"):
            pass
        return self.alpha.incoming(localized_caller_name=name, handle=("phone-number", number), image=image,
                                   diverted_by=dbus.Struct(("phone-number", "+46701749999"), signature="ss"))

    def assertSecret(self, posts, *secrets):
        for shown in posts:
            text = f"{shown} {shown.icon} {shown.hints}"
            for secret in secrets:
                self.assertNotIn(secret, text)

    def test_a_shown_call_loses_its_name_when_the_screen_is_locked_and_gets_it_back(self):
        server = self.scripted()
        first = self.ring("Alice", "+46701740605")
        shown = server.wait_title("Alice")
        self.assertIn("Forwarded by +46701749999", shown.body)
        before = len(server.posts)
        self.lock()
        locked = server.wait_named("Incoming call")
        self.assertEqual((locked.number, locked.body), (shown.number, "Call via Alpha Tel"))
        self.assertEqual(locked.actions, shown.actions)
        self.ring("Bob", "+46701740606")
        wait_until(lambda: [shown.title for shown in server.shown.values()] == ["Incoming call"] * 2, "they are not two")
        self.assertSecret(server.posts[before:], "Alice", "Bob", "+4670174")
        server.press(locked, "answer")
        self.wait_state(first, "active")
        self.lock(False)
        self.assertEqual(server.wait_title("from Bob").hints["image-path"], f"{self.system.folder.name}/Bob.png")
        server.wait_named("Call with Alice")
        server.wait_shown(2)

    def test_a_screen_that_was_locked_before_the_agent_started(self):
        self.saver.is_active = True
        self.ring("Alice", "+46701740605")
        server = self.scripted()
        server.wait_named("Incoming call")
        self.assertSecret(server.posts, "Alice", "+4670174")

    def test_names_are_not_shown_before_the_lock_is_known(self):
        self.saver.leave()
        self.watch(is_late=True)
        self.ring("Alice", "+46701740605")
        server = self.scripted()
        server.wait_named("Incoming call")
        self.assertSecret(server.posts, "Alice", "+4670174")
        wait_until(lambda: self.saver.waiting, "the screen saver is not asked").pop()()
        server.wait_title("Alice")

    def test_a_screen_saver_that_does_not_answer_locks_nothing(self):
        self.saver.leave()
        self.watch(is_late=True)
        server = self.scripted()
        self.ring("Alice", "+46701740605")
        # It has 5 s.
        server.wait_title("Alice")

    def test_the_user_may_show_names_on_the_locked_screen(self):
        self.configure("show-names-when-locked = yes\n")
        server = self.scripted()
        self.ring("Alice", "+46701740605")
        server.wait_title("Alice")
        self.lock()
        self.ring("Bob", "+46701740606")
        server.wait_title("Bob")
        self.configure("show-names-when-locked = no\n")
        wait_until(lambda: [shown.title for shown in server.shown.values()] == ["Incoming call"] * 2, "names are shown")
        self.configure("show-names-when-locked = yes\n")
        server.wait_title("from Alice")
        server.wait_title("from Bob")

    def test_missed_calls(self):
        self.wait_store()
        server = self.scripted()
        call = self.ring("Alice", "+46701740605")
        server.wait_title("Alice")
        self.lock()
        server.wait_named("Incoming call")
        before = len(server.posts)
        self.alpha.remote_end(call, "unanswered").result()
        shown = server.wait_named("Missed call")
        self.assertEqual(shown.buttons, ["Mark as Read"])
        self.assertSecret(server.posts[before:], "Alice", "+4670174")
        self.lock(False)
        opened = server.wait_title("Missed call from Alice")
        self.assertEqual((opened.number, "Call Back" in opened.buttons), (shown.number, True))
        server.dismiss(opened)
        # Locked and unlocked again, the dismissed one stays away.
        before = len(server.posts)
        self.lock()
        for number in ("+46701740606", "+46701740607"):
            call = self.ring("Bob", number)
            server.wait_named("Incoming call")
            self.alpha.remote_end(call, "unanswered").result()
        server.wait_named("2 missed calls")
        self.lock(False)
        server.wait_one(lambda shown: "Bob" in shown.body, "of both")
        self.assertNotIn("Alice", str(server.posts[before:]))

    def test_a_suggested_resume(self):
        server = self.scripted()
        first = self.resumable("Alice")
        server.wait_title("Alice is on hold")
        self.lock()
        shown = server.wait_named("A call is on hold")
        self.assertSecret([shown], "Alice", "Bob")
        server.press(shown, "resume")
        self.wait_state(first, "active")
        server.wait_named("A call goes on")
