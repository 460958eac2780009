"""The agent asks the user for the permissions that plugins need, once, and grants what it has shown."""

import shutil

from desktop.notices import NotificationTest
from desktop.notification_servers import Dunst
from desktop.server_profiles import GNOME43, PLASMA6
from plugins.consent import AskingTest
from support.login_manager import screen_saver
from support.waiting import wait_until


class ConsentTests(NotificationTest, AskingTest):
    def test_allowing_a_plugin_starts_it(self):
        server = self.scripted()
        self.bundle(self.asks("audio;network;", reasons="network=Talks to <b>your</b> provider.\n"))
        shown = server.wait_title("Allow the plugin Smallest?")
        self.assertEqual(shown.body, "It needs\n• the network, it says: “Talks to <b>your</b> provider.”\n"
                         "• the microphone and the sound server")
        # The first one may have the focus: it is the one that changes nothing.
        self.assertEqual(shown.buttons, ["Not Now", "Allow"])
        server.press(shown, "allow")
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["network", "audio"])
        server.wait_shown(0)

    def test_not_now_is_asked_again_only_for_more(self):
        server = self.scripted(profile=PLASMA6)
        self.bundle(self.asks("network"))
        server.press(server.wait_title("Smallest"), "not-now")
        server.wait_shown(0)
        posts = len(server.posts)
        self.bundle(self.asks("network"), name="Other")
        server.dismiss(server.wait_title("Other"))
        self.assertEqual(len(server.posts), posts + 1)
        self.assertEqual(self.words("Smallest", "Granted"), [])
        self.bundle(self.asks("network;audio;"))
        self.assertIn("sound server", server.wait_title("Smallest").body)
        self.assertEqual(self.shows("Smallest", "State"), "needs-consent")

    def test_a_new_version_that_needs_more_is_asked_for_once(self):
        """The old one goes on until then."""
        server = self.scripted()
        self.bundle("[Plugin]\nVersion=1\nNeeds=network\n")
        server.press(server.wait_title("Allow the plugin Smallest?"), "allow")
        self.wait_ready("Smallest")
        server.wait_shown(0)
        pid = self.shows("Smallest", "Pid")
        def asked():
            return [each.title for each in server.posts if each.title.startswith("Allow")]
        call = self.start_call("generic:x").result()
        self.wait_state(call, "active")
        self.bundle("[Plugin]\nVersion=2\nNeeds=network;audio\n[Reasons]\naudio=Plays.\n")
        shown = server.wait_title("Allow version 2 of the plugin Smallest?")
        self.assertEqual(shown.body, "It also needs\n• the microphone and the sound server, it says: “Plays.”")
        server.press(shown, "not-now")
        wait_until(lambda: not any(each.title.startswith("Allow") for each in server.shown.values()), "it stays")
        count = len(asked())
        # One that needs no more is not asked about again.
        self.bundle("[Plugin]\nVersion=3\nNeeds=network;audio\n")
        wait_until(lambda: (self.told_of("Smallest", "UpgradeVersion"), self.told_of("Smallest", "Upgrade"))
                   == ("3", "needs-consent"), "it is not looked at")
        self.bundle("[Plugin]\nNeeds=network;audio;devices:camera\n")
        shown = server.wait_title("Allow the new version of the plugin Smallest?")
        self.assertEqual(len(asked()), count + 1)
        self.assertEqual((self.shows("Smallest", "Pid"), self.shows("Smallest", "State")), (pid, "ready"))
        server.press(shown, "allow")
        wait_until(lambda: self.told_of("Smallest", "Upgrade") == "waiting", "it is not allowed")
        self.end(call).result()
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid), "it does not take over")
        self.assertEqual(self.words("Smallest", "Granted"), ["network", "audio", "devices:camera"])

    def test_a_click_on_an_older_question_grants_nothing_new(self):
        server = self.scripted()
        self.bundle(self.asks("network"))
        old = server.wait_title("Smallest")
        self.bundle(self.asks("network;devices:camera;"))
        new = wait_until(lambda: next((each for each in server.shown.values() if "cameras" in each.body), None),
                         "it is not asked for more")
        server.press(old, "allow")
        # What is sent later is handled later.
        server.press(new, "not-now")
        server.wait_shown(0)
        self.system.sync()
        self.assertEqual(self.words("Smallest", "Granted"), [])

    def test_what_is_granted_or_revoked_elsewhere_is_not_asked_for(self):
        server = self.scripted()
        self.bundle(self.asks("network"))
        server.wait_title("Smallest")
        self.grant("Smallest", "network").result()
        server.wait_shown(0)
        self.wait_ready("Smallest")
        posts = len(server.posts)
        self.revoke("Smallest", "network").result()
        self.wait_for("Smallest", "needs-consent")
        self.bundle(self.asks("audio"), name="Other")
        server.wait_title("Other")
        self.assertEqual([each.title for each in server.posts[posts:]], ["Allow the plugin Other?"])

    def test_a_flood_of_plugins_is_four_notifications(self):
        server = self.scripted()
        for number in range(20):
            self.bundle(self.asks("network"), name=f"Plugin{number:02}")
        more = server.wait_title("17 other plugins need permissions")
        self.assertEqual(more.buttons, [])
        self.assertEqual(sorted(each.title for each in server.shown.values())[1:],
                         [f"Allow the plugin Plugin{number:02}?" for number in range(3)])
        server.press(server.wait_title("Plugin01"), "not-now")
        server.wait_title("Plugin03")
        server.wait_title("16 other plugins")

    def test_what_cannot_be_shown_whole_cannot_be_allowed(self):
        server = self.scripted()
        self.bundle(self.asks("".join(f"files:~/folder{number};" for number in range(7))))
        shown = server.wait_title("Smallest")
        self.assertEqual((shown.body, shown.buttons), ("It needs 7 permissions.", ["Not Now"]))
        self.bundle(self.asks("files:~/" + "long" * 40 + ";"), name="Other")
        shown = server.wait_title("Other")
        self.assertEqual((shown.body, shown.buttons), ("It needs a permission.", ["Not Now"]))

    def test_nothing_is_asked_while_the_screen_is_locked(self):
        saver = screen_saver(self, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", is_late=False)
        server = self.scripted()
        self.bundle(self.asks("network"))
        server.wait_title("Smallest")
        saver.set_active(True)
        server.wait_shown(0)
        saver.set_active(False)
        server.wait_title("Smallest")

    def test_a_question_that_went_without_its_buttons_is_asked_again(self):
        saver = screen_saver(self, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", is_late=False)
        server = self.scripted(profile=GNOME43)
        self.bundle(self.asks("network"))
        # From the tray, where there are no buttons.
        server.wait_title("Smallest")
        server.pass_time()
        server.dismiss(server.wait_title("Smallest"))
        self.system.sync()
        server.wait_shown(0)
        saver.set_active(True)
        saver.set_active(False)
        server.dismiss(server.wait_title("Smallest"))
        self.activate()
        server.use(server.bring("Smallest", "allow"), "allow")
        self.wait_ready("Smallest")

    def test_it_goes_with_the_plugin_and_with_the_daemon(self):
        server = self.scripted()
        path = self.bundle(self.asks("network"))
        server.wait_title("Smallest")
        shutil.rmtree(path)
        server.wait_shown(0)
        self.bundle(self.asks("network"))
        server.wait_title("Smallest")
        posts = len(server.posts)
        self.restart_daemon()
        wait_until(lambda: len(server.posts) > posts, "nobody asks again")
        self.assertEqual(server.wait_title("Smallest").title, "Allow the plugin Smallest?")
        self.assertEqual(len(server.posts), posts + 1)

    def test_a_real_server(self):
        dunst = Dunst(self).start()
        self.start_agent()
        self.bundle(self.asks("network"))
        dunst.wait_shown()
        dunst.press("Allow")
        self.wait_ready("Smallest")
