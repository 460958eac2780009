"""Calls on the lock screen of a phone: the unmodified Phosh shows them, and its buttons answer and end them."""

import os

import dbus

from desktop.case import DesktopTest
from desktop.phosh import Phosh
from support.listener import Listener
from support.provider import Provider
from support.system import MANAGER

NUMBER = "+46701740605"
CALLS = "org.gnome.Calls"


class PhoshTests(DesktopTest):
    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, supported_handle_types=dbus.Array(["generic", "phone-number"]))
        self.phosh = Phosh(self).start()

    def settings(self, text):
        folder = os.path.join(self.system.environment["XDG_CONFIG_HOME"], "opencallkit")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "desktop.conf"), "w", encoding="utf-8") as file:
            file.write(text)

    def alice(self):
        return self.alpha.incoming(localized_caller_name="Alice", handle=("phone-number", NUMBER))

    def test_a_locked_phone_answers_and_hangs_up_and_does_not_say_who_calls(self):
        self.start_agent()
        call = self.alice()
        self.phosh.wait_text("Incoming call")
        self.phosh.wait_row(2)
        self.assertIn("Incoming phone call", self.phosh.texts())
        self.assertNothingTold()
        self.phosh.press(1, count=2)
        self.wait_state(call, "active")
        self.phosh.wait_text("Call")
        self.phosh.wait_row(1)
        self.assertNothingTold()
        self.phosh.press(0, count=1)
        self.assertEnded(call, "local-ended", "user")
        self.phosh.wait_text("Slide up to unlock")

    def test_the_name_is_shown_if_the_user_wants_it_and_the_call_is_declined(self):
        self.settings("show-names-when-locked = yes\n")
        self.start_agent()
        call = self.alice()
        self.phosh.wait_text("Alice")
        self.phosh.wait_row(2)
        self.assertIn(NUMBER, self.phosh.texts())
        self.phosh.wait_still()
        self.save("incoming-phosh.png")
        self.phosh.press(0, count=2)
        self.assertEnded(call, "declined", "user")
        self.phosh.wait_text("Slide up to unlock")

    def test_no_ghost_rings_when_the_caller_gives_up_or_the_agent_dies(self):
        self.start_agent()
        call = self.alice()
        self.phosh.wait_row(2)
        self.alpha.remote_end(call).result()
        self.phosh.wait_text("Slide up to unlock")
        self.alice()
        self.phosh.wait_row(2)
        self.agent.kill()
        self.phosh.wait_text("Slide up to unlock")
        self.start_agent()
        self.phosh.wait_row(2)

    def test_the_dial_pad_sends_tones(self):
        self.start_agent()
        call = self.alice()
        self.phosh.press(1, count=2)
        self.wait_state(call, "active")
        self.phosh.press_named("Dial Pad")
        self.phosh.press_named("5")
        self.assertEqual(self.alpha.wait_action("play-dtmf").details["digits"], "5")

    def test_a_waiting_call_holds_the_first_which_is_shown_again_after_it(self):
        self.settings("show-names-when-locked = yes\n")
        self.start_agent()
        first = self.alice()
        self.phosh.press(1, count=2)
        self.wait_state(first, "active")
        beta = Provider(self.system, "Beta", "/beta")
        second = beta.incoming(localized_caller_name="Bob")
        self.phosh.wait_text("Bob")
        self.phosh.press(1, count=2)
        self.wait_state(second, "active")
        self.assertState(first, "held")
        beta.remote_end(second).result()
        self.phosh.wait_text("Alice")
        self.phosh.press(0, count=1)
        self.assertEnded(first, "local-ended", "user")

    def test_the_names_come_and_go_with_it_and_nobody_else_hears_of_calls(self):
        listener = Listener(self.system)
        self.settings("show-names-when-locked = yes\n")
        self.start_agent()
        self.wait_name(CALLS)
        call = self.alice()
        self.phosh.wait_text("Alice")
        self.answer(call).result()
        self.phosh.wait_row(1)
        self.assertRefused(self.system.call("/org/gnome/Calls", MANAGER, "GetManagedObjects", name=CALLS),
                           "org.freedesktop.DBus.Error.AccessDenied")
        self.phosh.end()
        self.wait_name(CALLS, owned=False)
        self.system.sync(listener.link)
        self.assertEqual([event for event in listener.events if event.path.startswith("/org/gnome/Calls")], [])
        self.assertNotIn("Alice", listener.text())

    def assertNothingTold(self):
        told = [text for text in self.phosh.texts() if "Alice" in text or NUMBER in text]
        self.assertEqual(told, [], "the lock screen says who calls")

    def save(self, name):
        folder = os.environ.get("OPENCALLKIT_ARTEFACTS")
        if folder:
            self.phosh.display.save(os.path.join(folder, name))
