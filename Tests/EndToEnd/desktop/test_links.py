"""Links of telephony: the agent asks, and only the user's answer calls somebody."""

import os
import subprocess
import tempfile

import dbus

from desktop.case import DESKTOP, DESKTOP_PATH, DesktopTest
from desktop.notices import APPLICATION, PHONE, PHONE_PATH
from desktop.notification_servers import Dunst, ScriptedServer
from desktop.server_profiles import GNOME43, PLASMA6
from support.login_manager import screen_saver
from support.provider import Provider
from support.system import BUILD, PROVIDER, REPOSITORY
from support.waiting import wait_until

LINK = "tel:+1-201-555-0123;ext=12"
PHONES = {"supported_handle_types": dbus.Array(["phone-number"], signature="s")}


def fill(name, target):
    """Writes a file of dbus/ as the installation does."""
    with open(os.path.join(REPOSITORY, "dbus", f"{name}.in"), encoding="utf-8") as source:
        text = source.read().replace("@libexecdir@", BUILD).replace("@bindir@", BUILD)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


class LinkTest(DesktopTest):
    def begin(self, *arguments, providers=1, profile=PLASMA6):
        self.server = ScriptedServer(self, profile=profile)
        self.start_agent(*arguments)
        self.wait_name(PHONE)
        self.providers = [Provider(self.system, name, f"/{name.lower()}", **PHONES)
                          for name in ("Alpha", "Beta", "Gamma")[:providers]]

    def open(self, *links):
        return self.system.call(PHONE_PATH, APPLICATION, "Open", "asa{sv}", dbus.Array(links, signature="s"),
                                dbus.Dictionary({}, signature="sv"), name=PHONE)

    def call(self, shown):
        self.server.press(shown, next(key for key, label in shown.actions.items() if label.startswith("Call")))

    def calls(self):
        return {path: values for path, values in self.system.objects.items() if "/calls/" in path}

    def wait_call(self):
        return wait_until(lambda: next(iter(self.calls()), None), "no call")


class QuestionTests(LinkTest):
    def test_a_link_is_a_question_and_the_answer_calls(self):
        self.begin()
        self.open(LINK).result()
        shown = self.server.wait_shown(title=f"Call {LINK}?")
        # The first one may have the focus.
        self.assertEqual(shown.buttons, ["Cancel", "Call"])
        self.assertIn("via Alpha", shown.body)
        self.assertTrue(shown.body.endswith("\nIt calls +12015550123."), shown.body)
        self.assertEqual(self.calls(), {})
        self.call(shown)
        call = self.wait_call()
        self.server.wait_shown(0, title="Call tel:")
        identity = self.system.get_all(call, "org.opencallkit.CallIdentity1")
        self.assertIn("12015550123", str(identity["Handle"][1]).replace("-", ""))

    def test_cancel_and_dismissal_call_nobody(self):
        self.begin()
        for end in ("cancel", "dismissal", "a click on it and then cancel"):
            self.open(LINK).result()
            shown = self.server.wait_shown(title="Call tel:")
            if end == "dismissal":
                self.server.dismiss(shown)
            else:
                if end != "cancel":
                    self.server.press(shown, "default")
                    shown = self.server.wait_one(lambda shown: shown.urgency == 2, "that stands out")
                self.server.press(shown, "cancel")
            self.server.wait_shown(0)
            self.wait_waiting(0)
        self.assertEqual(self.calls(), {})

    def wait_waiting(self, count):
        def waiting():
            parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
            return next(part["text"] for part in parts if part["name"] == "links")
        wait_until(lambda: waiting().endswith(f": {count}"), waiting, every=0.02)

    def test_a_question_that_nobody_answers_goes(self):
        self.begin("--deadline", "question=1000")
        self.open(LINK).result()
        shown = self.server.wait_shown(title="Call tel:")
        self.server.wait_shown(0)
        self.wait_waiting(0)
        self.assertEqual(self.server.closed, [shown.number])
        # An answer that comes too late calls nobody, and the link may be opened again.
        self.call(shown)
        self.open(LINK).result()
        again = self.server.wait_shown(title="Call tel:")
        self.assertEqual(self.calls(), {})
        self.call(again)
        self.wait_call()

    def test_deadlines_that_cannot_be(self):
        for text in ("question", "question=", "question=0", "question=-1", "question=99999999999", "lunch=1", "=1"):
            with self.subTest(text=text):
                refused = self.system.run(f"{BUILD}/callkit-desktop", "--deadline", text)
                self.assertEqual(refused.status, 64)
                self.assertIn("is not a valid deadline", refused.errors)

    def test_each_provider_that_can_has_a_button(self):
        self.begin(providers=2)
        self.open(LINK).result()
        shown = self.server.wait_shown(title="Call tel:")
        self.assertEqual(shown.buttons, ["Cancel", "Call with Alpha", "Call with Beta"])
        key = next(key for key, label in shown.actions.items() if "Beta" in label)
        self.server.press(shown, key)
        call = self.wait_call()
        self.assertEqual(self.system.get(self.system.shown(call, "Provider"), PROVIDER, "LocalizedName"), "Beta")

    def test_cancel_is_drawn_where_three_buttons_are(self):
        self.begin(providers=3, profile=GNOME43)
        self.open(LINK).result()
        shown = self.server.wait_shown(title="Call tel:")
        self.assertEqual(shown.buttons, ["Cancel", "Call with Alpha", "Call with Beta"])

    def test_a_close_without_buttons_answers_nothing(self):
        self.begin(profile=GNOME43)
        self.open(LINK).result()
        self.server.wait_shown(title="Call tel:")
        self.server.pass_time()
        self.server.dismiss(self.server.wait_shown(title="Call tel:"))
        self.open(LINK).result()
        self.server.wait_shown(title="Call tel:")
        self.wait_waiting(1)
        self.server.pass_time()
        # With its buttons it is an answer.
        self.server.dismiss(self.server.bring("Call tel:", "cancel"))
        self.wait_waiting(0)
        self.assertEqual(self.calls(), {})

    def test_what_cannot_be_called_is_told(self):
        self.begin(providers=0)
        self.open("sip:alice@example.org").result()
        shown = self.server.wait_title("failed")
        self.assertIn("sip:alice@example.org", shown.title)
        self.assertEqual(self.calls(), {})

    def test_a_refusal_is_told(self):
        self.begin()
        self.open(LINK).result()
        shown = self.server.wait_shown(title="Call tel:")
        self.providers[0].connection.close()
        self.system.connections.remove(self.providers[0].connection)
        wait_until(lambda: not any("/providers/" in path for path in self.system.objects), "the provider stays")
        self.call(shown)
        self.server.wait_title("Calling failed")
        self.assertEqual(self.calls(), {})

    def test_three_questions_at_a_time_and_none_twice(self):
        self.begin()
        for _ in range(2):
            for number in "123":
                self.open(f"tel:+120155501{number}").result()
                self.server.wait_title(f"+120155501{number}?")
        self.server.wait_shown(3, title="Call tel:")
        refused = self.open("tel:+1201555019").wait()
        self.assertEqual(refused.error_name, "org.freedesktop.DBus.Error.LimitsExceeded")
        refused = self.open(*(f"tel:{number}" for number in range(4))).wait()
        self.assertEqual(refused.error_name, "org.freedesktop.DBus.Error.LimitsExceeded")
        self.server.wait_shown(3)
        self.server.dismiss(self.server.wait_title("+1201555011?"))
        self.wait_waiting(2)
        self.open("tel:+1201555019").result()
        self.server.wait_title("+1201555019?")

    def test_hostile_links_show_no_lies(self):
        self.begin()
        for link in ("tel:+1201\u202e321", "tel:+1\n2", "tel:" + "1" * 300, "", "-x", "javascript:alert(1)", "tel:",
                     "tel:<b>1</b>"):
            with self.subTest(link=link):
                self.open(link).result()
                shown = self.server.wait_shown()
                self.assertTrue(shown.title.startswith("Call"), shown)
                self.assertLess(len(shown.title), 300)
                for unsafe in "\u202e\n":
                    self.assertNotIn(unsafe, shown.title)
                # Whatever is asked is dismissed: it calls nobody.
                self.server.dismiss(shown)
                self.wait_waiting(0)
        self.assertEqual(self.open("tel:" + "1" * 2_000).wait().error_name,
                         "org.freedesktop.DBus.Error.LimitsExceeded")
        self.assertEqual(self.calls(), {})

    def test_a_locked_screen_shows_no_number_and_calls_nobody(self):
        saver = screen_saver(self, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", is_active=True)
        self.begin()
        self.wait_locked()
        self.open(LINK).result()
        shown = self.server.wait_shown(title="Call?")
        self.assertNotIn("201", shown.body)
        self.assertEqual(shown.buttons, ["Cancel"])
        saver.set_active(False)
        shown = self.server.wait_shown(title=LINK)
        self.assertEqual(shown.buttons, ["Cancel", "Call"])

    def wait_locked(self):
        def text():
            return str(self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP))
        wait_until(lambda: "screen is locked" in text() or "system bus" in text(), text, every=0.02)

    def test_a_question_about_an_emergency_number_says_so(self):
        self.server = ScriptedServer(self)
        self.start_agent()
        self.wait_name(PHONE)
        provider = Provider(self.system, emergency_numbers=dbus.Array(["112"], signature="s"), **PHONES)
        self.mark(provider)
        self.open("tel:112").result()
        shown = self.server.wait_shown(title="Emergency call to tel:112?")
        self.assertEqual(shown.buttons, ["Cancel", "Call"])
        self.assertEqual(self.calls(), {})

    def test_what_else_applications_are_asked(self):
        self.begin()
        empty = dbus.Dictionary({}, signature="sv")
        refused = self.system.call(PHONE_PATH, APPLICATION, "ActivateAction", "sava{sv}", "call",
                                   dbus.Array([], signature="v"), empty, name=PHONE).wait()
        self.assertEqual(refused.error_name, "org.freedesktop.DBus.Error.InvalidArgs")


class ActivationTests(LinkTest):
    """What a click on the phone's icon shows, while there is no window."""

    def activate(self):
        self.system.call(PHONE_PATH, APPLICATION, "Activate", "a{sv}", dbus.Dictionary({}, signature="sv"),
                         name=PHONE).result()

    def test_without_a_call_it_tells_how_to_call(self):
        self.begin()
        self.activate()
        shown = self.server.wait_shown(title="No call")
        self.assertIn("callctl start", shown.body)
        self.server.dismiss(shown)
        self.activate()
        self.server.wait_shown(title="No call")
        self.providers[0].incoming()
        self.server.wait_shown(0, title="No call")

    def test_a_call_that_was_dismissed_is_shown_again(self):
        self.begin()
        call = self.providers[0].incoming()
        self.server.dismiss(self.server.wait_shown())
        self.activate()
        self.server.press(self.server.wait_shown(), "answer")
        self.wait_state(call, "active")

    def test_a_menu_that_knows_no_d_bus(self):
        self.begin()
        clicked = self.system.run(f"{BUILD}/callkit-desktop", "--open", "--")
        self.assertEqual((clicked.status, clicked.errors), (0, ""))
        self.server.wait_shown(title="No call")
        self.assertEqual(self.system.run(f"{BUILD}/callkit-desktop", LINK).status, 64)

    def test_the_desktop_file_is_valid(self):
        path = f"{self.system.folder.name}/org.opencallkit.Phone.desktop"
        fill("org.opencallkit.Phone.desktop", path)
        checked = self.system.run("desktop-file-validate", path)
        self.assertEqual((checked.status, checked.text, checked.errors), (0, "", ""))


class DesktopFileTests(LinkTest):
    """The bus starts the agent for a link, as after an installation."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-services-")
        self.addCleanup(folder.cleanup)
        self.services = folder.name
        for name in (PHONE, DESKTOP):
            fill(f"{name}.service", f"{self.services}/{name}.service")
        super().setUp()
        data = self.system.environment["XDG_DATA_HOME"]
        fill("org.opencallkit.Phone.desktop", f"{data}/applications/org.opencallkit.Phone.desktop")
        subprocess.run(["update-desktop-database", f"{data}/applications"], check=True, env=self.system.environment)
        self.addCleanup(self.end_agent)
        self.provider = Provider(self.system, **PHONES)

    def end_agent(self):
        try:
            pid = self.system.bus.call_blocking("org.freedesktop.DBus", "/", "org.freedesktop.DBus",
                                                "GetConnectionUnixProcessID", "s", (DESKTOP,))
            os.kill(pid, 15)
        except dbus.DBusException:
            pass

    def test_gio_opens_a_link_and_a_click_at_a_real_server_calls(self):
        dunst = Dunst(self).start()
        opened = self.system.run("gio", "open", LINK)
        self.assertEqual((opened.status, opened.errors), (0, ""))
        dunst.wait_shown()
        folder = os.environ.get("OPENCALLKIT_ARTEFACTS")
        if folder:
            dunst.display.save(f"{folder}/link-dunst.png")
        self.assertEqual(self.calls(), {})
        # The menu has the title of the notification behind each label.
        dunst.press("#Call ")
        call = self.wait_call()
        # The call goes on.
        dunst.wait_shown(1)
        self.end(call).result()
        dunst.wait_shown(0)

    def test_the_program_hands_a_link_over_and_ends(self):
        self.server = ScriptedServer(self)
        for number in "12":
            opened = self.system.run(f"{BUILD}/callkit-desktop", "--open", "--", f"tel:+120155501{number}")
            self.assertEqual((opened.status, opened.errors), (0, ""))
            self.server.wait_title(f"+120155501{number}?")
        self.server.wait_shown(2)
