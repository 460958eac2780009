"""Keys that answer, decline, silence and hang up: from the desktop's portal, or from its own settings."""

import json
import os

import dbus

from desktop.case import DESKTOP, DESKTOP_PATH, DesktopTest, dconf_service
from desktop.portal import PORTAL_PATH, SHORTCUTS, Portal
from support.provider import Provider
from support.system import BUILD
from support.waiting import wait_until

CALLCTL = f"{BUILD}/callctl"
KEYS = "org.gnome.settings-daemon.plugins.media-keys"
KEYS_PATH = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/"


class KeysTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system)

    def keys(self, *options, **environment):
        return self.system.run(CALLCTL, "desktop", "keys", *options, **environment)

    def press(self, key):
        return self.system.run(CALLCTL, "desktop", "press", key)

    def part(self, name="shortcuts"):
        parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
        return next(part for part in parts if part["name"] == name)

    def wait_known(self, what):
        """Waits until the agent knows what a key would do, as people do before they press one."""
        wait_until(lambda: self.part("media-keys")["text"] == what, lambda: self.part("media-keys"), every=0.02)

    def ring(self):
        call = self.alpha.incoming()
        self.wait_known("answer the call")
        return call

    def settings(self):
        try:
            with open(f"{self.system.folder.name}/config/opencallkit/desktop.conf", encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""


class PortalTests(KeysTest):
    def setUp(self):
        super().setUp()
        self.portal = Portal(self)

    def bind(self):
        self.start_agent()
        bound = self.keys()
        self.assertEqual((bound.status, bound.errors), (0, ""))
        return bound

    def test_nothing_is_asked_until_the_user_wants_keys(self):
        self.start_agent()
        call = self.ring()
        self.answer(call).result()
        self.assertEqual(self.part()["text"], "no keys; callctl desktop keys binds some")
        self.assertEqual(self.portal.asked, [])

    def test_the_keys_are_bound_and_act(self):
        bound = self.bind()
        self.assertEqual(bound.text, "Answer the call: Logo+Shift+A\nDecline the call: Logo+Shift+D\n"
                                     "Silence the ringing: Logo+Shift+M\nHang up: Logo+Shift+X\n")
        self.assertEqual(self.portal.asked, ["Register", "CreateSession", "BindShortcuts"])
        self.assertEqual(self.portal.application, "org.opencallkit.Phone")
        self.assertEqual(self.portal.shortcuts["answer"],
                         {"description": "Answer the call", "preferred_trigger": "LOGO+SHIFT+a"})
        self.assertIn("answer: Logo+Shift+A", self.part()["text"])
        self.assertIn("global-shortcuts = yes", self.settings())
        # Keys without a call do nothing.
        for key in ("answer", "decline", "silence", "hang-up", "lunch"):
            self.portal.press(key)
        call = self.ring()
        self.portal.press("silence")
        wait_until(lambda: self.system.shown(call, "RingMode") == "silent", "it rings aloud")
        self.portal.press("answer")
        self.wait_state(call, "active")
        self.wait_known("hang up")
        self.portal.press("hang-up")
        self.wait_state(call, "ended")
        call = self.ring()
        self.portal.press("decline")
        self.wait_state(call, "ended")
        self.assertEqual(self.property(call, "EndReason"), "declined")

    def test_the_next_agent_binds_them_by_itself(self):
        self.bind()
        self.agent.terminate()
        self.agent.wait()
        self.wait_name(DESKTOP, owned=False)
        self.start_agent()
        self.portal.wait_bound(2)
        wait_until(lambda: self.part()["ready"], self.part, every=0.02)
        call = self.ring()
        self.portal.press("answer")
        self.wait_state(call, "active")

    def test_a_portal_that_comes_back(self):
        self.bind()
        self.portal.leave()
        wait_until(lambda: "no keys" in self.part()["text"], self.part, every=0.02)
        self.portal = Portal(self)
        self.portal.wait_bound()
        wait_until(lambda: "answer" in self.part()["text"], self.part, every=0.02)
        call = self.ring()
        self.portal.press("answer")
        self.wait_state(call, "active")

    def test_a_portal_that_comes_after_the_agent(self):
        self.bind()
        self.agent.terminate()
        self.agent.wait()
        self.portal.leave()
        self.start_agent()
        wait_until(lambda: "no portal" in self.part()["text"], self.part, every=0.02)
        self.portal = Portal(self)
        self.portal.wait_bound(1)
        wait_until(lambda: self.part()["ready"], self.part, every=0.02)

    def test_a_user_who_refuses_is_not_asked_again(self):
        self.portal.answer = 1
        self.start_agent()
        refused = self.keys()
        self.assertEqual((refused.status, refused.errors), (1, "callctl: Failed: you have refused it\n"))
        wait_until(lambda: self.portal.asked[-1] == "Close", lambda: self.portal.asked)
        self.assertNotIn("global-shortcuts = yes", self.settings())
        self.agent.terminate()
        self.agent.wait()
        self.wait_name(DESKTOP, owned=False)
        self.start_agent()
        self.assertEqual(self.part()["text"], "no keys; callctl desktop keys binds some")
        self.assertEqual(self.portal.asked.count("BindShortcuts"), 1)

    def test_a_question_that_nobody_answers(self):
        self.portal.answer = None
        self.start_agent("--deadline", "question=300")
        refused = self.keys()
        self.assertEqual((refused.status, refused.errors),
                         (1, "callctl: Failed: nobody has answered the desktop's question\n"))

    def test_a_portal_that_does_not_take_names(self):
        self.portal.has_registry = False
        self.assertIn("Answer the call", self.bind().text)

    def test_keys_of_other_sessions_and_of_others_mean_nothing(self):
        self.bind()
        call = self.ring()
        self.portal.press("answer", f"{PORTAL_PATH}/session/1_1/other")
        forged = dbus.lowlevel.SignalMessage(PORTAL_PATH, SHORTCUTS, "Activated")
        forged.append(dbus.ObjectPath(self.portal.session), "answer", dbus.UInt64(1), dbus.Dictionary({}, signature="sv"),
                      signature="osta{sv}")
        self.system.connect().send_message(forged)
        # Later than both.
        self.portal.press("silence")
        wait_until(lambda: self.system.shown(call, "RingMode") == "silent", "it rings aloud")
        self.assertState(call, "ringing")

    def test_keys_that_the_user_changes_in_the_desktops_settings(self):
        self.bind()
        self.portal.change("answer", "Press F9")
        wait_until(lambda: self.part()["text"] == "answer: Press F9", self.part, every=0.02)

    def test_the_desktops_own_settings_need_no_portal(self):
        self.start_agent()
        refused = self.keys("--apply", XDG_CURRENT_DESKTOP="KDE")
        self.assertEqual((refused.status, refused.errors),
                         (1, "callctl: Plasma has no command for keys; see callctl desktop keys\n"))
        self.assertEqual(self.portal.asked, [])

    def test_keys_are_given_up(self):
        self.bind()
        off = self.keys("--off")
        self.assertEqual((off.status, off.text), (0, "the agent binds no keys\n"))
        wait_until(lambda: self.portal.session is None, "the session stays")
        self.assertIn("global-shortcuts = no", self.settings())
        self.assertEqual(self.part()["text"], "no keys; callctl desktop keys binds some")


class OwnSettingsTests(KeysTest):
    """Desktops without such a portal."""

    def setUp(self):
        super().setUp()
        self.start_agent()

    def test_desktops_that_keep_keys_in_files(self):
        for desktop, line in [
                ("sway", f"bindsym Mod4+Shift+a exec {CALLCTL} desktop press answer"),
                ("Hyprland", f"bind = SUPER SHIFT, D, exec, {CALLCTL} desktop press decline"),
                ("labwc:wlroots", f'<keybind key="W-S-x"><action name="Execute" command="{CALLCTL} desktop press hang-up"/>'),
                ("LXQt", f"{CALLCTL} desktop press silence"), ("KDE", f"{CALLCTL} desktop press answer"),
                ("", f"{CALLCTL} desktop press answer")]:
            with self.subTest(desktop=desktop):
                printed = self.keys(XDG_CURRENT_DESKTOP=desktop)
                self.assertEqual((printed.status, printed.errors), (0, ""))
                self.assertIn(line.replace(BUILD, os.path.realpath(BUILD)), printed.text)
                self.assertEqual(len(printed.text.splitlines()), 5)
        refused = self.keys("--apply", XDG_CURRENT_DESKTOP="sway")
        self.assertEqual(refused.status, 1)
        self.assertIn("sway has no command for keys", refused.errors)

    def test_gnome(self):
        environment = {"XDG_DATA_DIRS": "/usr/local/share:/usr/share", "GSETTINGS_BACKEND": "dconf"}
        self.spawn(dconf_service(), **environment)
        self.wait_name("ca.desrt.dconf")
        environment["XDG_CURRENT_DESKTOP"] = "Budgie:GNOME"

        def setting(*words):
            return self.system.run("gsettings", *words, **environment).text.strip()
        setting("set", KEYS, "custom-keybindings", f"['{KEYS_PATH}custom0/']")
        printed = self.keys(**environment)
        self.assertEqual((printed.status, printed.errors), (0, ""))
        self.assertTrue(printed.text.startswith("Budgie: in a terminal:\n"), printed.text)
        self.assertEqual(setting("get", KEYS, "custom-keybindings"), f"['{KEYS_PATH}custom0/']")
        done = self.keys("--apply", **environment)
        self.assertEqual((done.status, done.errors, done.text), (0, "", "Budgie: done\n"))
        listed = setting("get", KEYS, "custom-keybindings")
        self.assertIn("custom0/', ", listed)
        self.assertEqual(listed.count("opencallkit-"), 4)
        place = f"{KEYS}.custom-keybinding:{KEYS_PATH}opencallkit-hang-up/"
        self.assertEqual(setting("get", place, "binding"), "'<Shift><Super>x'")
        self.assertEqual(setting("get", place, "name"), "'Hang up'")
        command = setting("get", place, "command").strip("'")
        # A key of the user's own stays, and nothing is done twice.
        setting("set", place, "binding", "F9")
        again = self.keys("--apply", **environment)
        self.assertIn("the keys are there", again.text)
        self.assertEqual(setting("get", place, "binding"), "'F9'")
        self.assertEqual(setting("get", KEYS, "custom-keybindings"), listed)
        # What the key runs.
        call = self.alpha.incoming()
        self.answer(call).result()
        self.assertEqual(self.system.run(*command.split()).status, 0)
        self.assertEnded(call, "local-ended", "user")

    def test_xfce(self):
        self.spawn(f"/usr/lib/{os.uname().machine}-linux-gnu/xfce4/xfconf/xfconfd")
        self.wait_name("org.xfce.Xfconf")
        for _ in range(2):
            done = self.keys("--apply", "--json", XDG_CURRENT_DESKTOP="XFCE")
            self.assertEqual((done.status, done.errors), (0, ""))
            self.assertTrue(json.loads(done.text)["applied"])
        command = self.system.run("xfconf-query", "-c", "xfce4-keyboard-shortcuts", "-p",
                                  "/commands/custom/<Shift><Super>a").text.strip()
        call = self.alpha.incoming()
        self.assertEqual(self.system.run(*command.split()).status, 0)
        self.assertState(call, "active")

    def test_settings_that_are_not_there(self):
        failed = self.keys(XDG_CURRENT_DESKTOP="GNOME", XDG_DATA_DIRS="/nonexistent")
        self.assertEqual(failed.status, 1)
        self.assertIn("gsettings get", failed.errors)


class PressTests(KeysTest):
    def test_of_two_calls_that_ring_the_first_one_is_meant(self):
        first = self.alpha.incoming()
        second = Provider(self.system, "Beta", "/beta").incoming()
        self.assertEqual(self.press("silence").status, 0)
        wait_until(lambda: self.system.shown(second, "RingMode") == "silent", "it rings aloud")
        self.assertEqual(self.press("decline").status, 0)
        self.assertEnded(first, "declined", "user")
        self.assertEqual(self.press("answer").status, 0)
        self.assertState(second, "active")
        self.assertEqual(self.press("hang-up").status, 0)
        self.assertEnded(second, "local-ended", "user")

    def test_what_is_on_hold_is_not_hung_up(self):
        call = self.alpha.incoming()
        self.answer(call).result()
        self.hold(call).result()
        self.assertEqual(self.press("hang-up").status, 66)
        self.assertState(call, "held")

    def test_keys_without_a_call(self):
        for key, words in (("answer", "no call that rings"), ("hang-up", "no call to hang up")):
            refused = self.press(key)
            self.assertEqual((refused.status, refused.errors), (66, f"callctl: {words}\n"))
        self.assertEqual(self.press("lunch").status, 64)
