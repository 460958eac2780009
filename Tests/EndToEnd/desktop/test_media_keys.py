"""Media keys and a headset's button answer and hang up, and no program does so by the way."""

import dbus
import dbus.service

from desktop.case import DESKTOP, DESKTOP_PATH, DesktopTest
from support.provider import Provider
from support.system import PROPERTIES
from support.waiting import wait_until

PLAYER = "org.mpris.MediaPlayer2.opencallkit"
PLAYER_PATH = "/org/mpris/MediaPlayer2"
PLAYER1 = "org.mpris.MediaPlayer2.Player"
HANDLER = "org.gnome.SettingsDaemon.MediaKeys"
CALLER = "Zacharias Quartermaine"


class MediaKeysTest(DesktopTest):
    arguments_of_agent = ("--deadline", "key=1")

    def setUp(self):
        super().setUp()
        self.start_agent(*self.arguments_of_agent)
        self.alpha = Provider(self.system)

    def ring(self, provider=None):
        call = (provider or self.alpha).incoming(localized_caller_name=CALLER)
        self.wait_name(PLAYER)
        self.wait_title("Incoming call")
        return call

    def key(self, member, connection=None):
        """What a desktop does when a key is pressed."""
        return self.system.call(PLAYER_PATH, PLAYER1, member, name=PLAYER, connection=connection)

    def wait_title(self, title):
        def shown():
            values = self.system.get(PLAYER_PATH, PLAYER1, "Metadata", name=PLAYER)
            return str(values.get("xesam:title", ""))
        wait_until(lambda: shown() == title, lambda: f"it says {shown()}", every=0.02)

    def handler(self, name=HANDLER):
        """A connection of the program that handles the desktop's keys."""
        connection = self.system.connect()
        connection.request_name(name)
        return connection

    def part(self, name):
        parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
        return next(str(part["text"]) for part in parts if part["name"] == name)


class PlayerTests(MediaKeysTest):
    def test_it_is_there_while_a_call_rings_or_goes_on(self):
        self.assertFalse(self.system.bus.name_has_owner(PLAYER))
        call = self.ring()
        self.assertEqual(self.system.get(PLAYER_PATH, PLAYER1, "PlaybackStatus", name=PLAYER), "Playing")
        self.assertEqual(self.part("media-keys"), "answer the call")
        self.answer(call).result()
        self.wait_title("Call")
        self.assertEqual(self.part("media-keys"), "hang up")
        self.hold(call).result()
        self.wait_name(PLAYER, owned=False)
        self.resume(call).result()
        self.wait_name(PLAYER)
        self.end(call).result()
        self.wait_name(PLAYER, owned=False)
        self.assertEqual(self.part("media-keys"), "go to players")

    def test_it_is_there_while_the_far_side_is_called(self):
        call = self.start_call("generic:far").result()
        self.wait_name(PLAYER)
        self.wait_title("Call")
        self.key("PlayPause").result()
        self.assertEnded(call, "local-ended", "user")

    def test_a_silenced_call_leaves_the_keys_to_the_music(self):
        self.ring()
        self.system.call("/org/opencallkit/CallSystem1", "org.opencallkit.CallSystem1", "SilenceRinging").result()
        self.wait_name(PLAYER, owned=False)

    def test_it_names_nobody(self):
        told = []
        self.system.bus.add_signal_receiver(lambda *values: told.append(values), None, PROPERTIES, path=PLAYER_PATH)
        call = self.ring()
        self.answer(call).result()
        self.wait_title("Call")
        for interface in ("org.mpris.MediaPlayer2", PLAYER1):
            told.append(self.system.call(PLAYER_PATH, PROPERTIES, "GetAll", "s", interface, name=PLAYER).result())
        self.assertIn("Incoming call", repr(told))
        self.assertIn("Phone", repr(told))
        for word in CALLER.split():
            self.assertNotIn(word, repr(told))

    def test_it_tells_again_that_it_plays_when_another_player_stops(self):
        self.ring()
        told = []
        self.system.bus.add_signal_receiver(
            lambda _, values, __: told.append(values.get("PlaybackStatus")), "PropertiesChanged", PROPERTIES,
            path=PLAYER_PATH, bus_name=PLAYER)
        other = dbus.lowlevel.SignalMessage(PLAYER_PATH, PROPERTIES, "PropertiesChanged")
        other.append(PLAYER1, dbus.Dictionary({"PlaybackStatus": "Paused"}, signature="sv"), dbus.Array([], signature="s"),
                     signature="sa{sv}as")
        self.system.connect().send_message(other)
        wait_until(lambda: told, "it does not tell again")
        self.assertEqual(told, ["Playing"])

    def test_the_agent_does_not_pause_the_call(self):
        call = self.ring()
        self.answer(call).result()
        self.wait_state(call, "active")
        wait_until(lambda: "players paused: 0" in self.part("audio"), lambda: self.part("audio"), every=0.02)


class KeyTests(MediaKeysTest):
    def test_one_button_answers_and_hangs_up(self):
        call = self.ring()
        self.key("PlayPause").result()
        self.wait_state(call, "active")
        self.wait_title("Call")
        self.key("PlayPause").result()
        self.assertEnded(call, "local-ended", "user")

    def test_a_second_call_is_answered_and_the_first_one_held(self):
        first = self.ring()
        self.key("PlayPause").result()
        self.wait_state(first, "active")
        self.wait_title("Call")
        second = self.ring(Provider(self.system, "Beta", "/beta"))
        self.key("PlayPause").result()
        self.wait_state(second, "active")
        self.wait_state(first, "held")
        self.wait_title("Call")
        # What is on hold is not ended: it goes on.
        self.key("PlayPause").result()
        self.assertEnded(second, "local-ended", "user")
        self.wait_state(first, "active")

    def test_play_answers_and_ends_nothing(self):
        call = self.ring()
        self.key("Play").result()
        self.wait_state(call, "active")
        self.wait_title("Call")
        for member in ("Play", "Next", "Previous"):
            self.key(member).result()
        self.system.sync()
        self.assertState(call, "active")

    def test_programs_that_pause_players_neither_answer_nor_hang_up(self):
        call = self.ring()
        for member in ("Pause", "Stop"):
            self.key(member).result()
        self.system.sync()
        self.assertState(call, "ringing")
        self.answer(call).result()
        self.wait_title("Call")
        for member in ("Pause", "Stop"):
            self.key(member).result()
        self.system.sync()
        self.assertState(call, "active")

    def test_a_headset_that_believes_that_something_plays(self):
        """Its button is Pause, which the program that handles keys passes on."""
        for name in (HANDLER, "org.cinnamon.SettingsDaemon.KeybindingHandler", "org.kde.plasmashell"):
            with self.subTest(name=name):
                keys = self.handler(name)
                call = self.ring()
                self.key("Pause", keys).result()
                self.wait_state(call, "active")
                self.wait_title("Call")
                self.key("Pause", keys).result()
                self.assertEnded(call, "local-ended", "user")
                self.wait_name(PLAYER, owned=False)

    def test_stop_declines_and_hangs_up(self):
        keys = self.handler()
        call = self.ring()
        self.key("Stop", keys).result()
        self.assertEnded(call, "declined", "user")
        self.wait_name(PLAYER, owned=False)
        call = self.ring()
        self.answer(call).result()
        self.wait_title("Call")
        self.key("Stop", keys).result()
        self.assertEnded(call, "local-ended", "user")


class HastyTests(MediaKeysTest):
    arguments_of_agent = ("--deadline", "key=600000")

    def test_a_key_that_was_meant_for_something_else_does_nothing(self):
        call = self.ring()
        self.key("PlayPause").result()
        self.system.sync()
        self.assertState(call, "ringing")
        self.answer(call).result()
        self.wait_title("Call")
        self.key("PlayPause").result()
        self.system.sync()
        self.assertState(call, "active")


def daemon_of_settings(service):
    """A program that sends media keys to whom has asked for them last, as that of MATE and of Cinnamon."""
    interface = f"{service}.MediaKeys"

    class SettingsDaemon(dbus.service.Object):
        def __init__(self, connection):
            self.asked = []
            super().__init__(connection, f"/{service.replace('.', '/')}/MediaKeys")
            self.name = dbus.service.BusName(service, connection)

        @dbus.service.method(interface, in_signature="su")
        def GrabMediaPlayerKeys(self, application, _):
            self.asked.append(("grab", str(application)))

        @dbus.service.method(interface, in_signature="s")
        def ReleaseMediaPlayerKeys(self, application):
            self.asked.append(("release", str(application)))

        @dbus.service.signal(interface, signature="ss")
        def MediaPlayerKeyPressed(self, application, key):
            pass
    return SettingsDaemon


class GrabbedKeysTests(MediaKeysTest):
    def test_keys_that_go_to_whom_has_asked_for_them_last(self):
        for service in ("org.mate.SettingsDaemon", "org.gnome.SettingsDaemon"):
            with self.subTest(service=service):
                daemon = daemon_of_settings(service)(self.system.connect())
                call = self.ring()
                wait_until(lambda: daemon.asked, "the keys are not asked for")
                [(_, application)] = daemon.asked
                daemon.MediaPlayerKeyPressed("totem", "Play")
                daemon.MediaPlayerKeyPressed(application, "Next")
                daemon.MediaPlayerKeyPressed(application, "Play")
                self.wait_state(call, "active")
                self.wait_title("Call")
                daemon.MediaPlayerKeyPressed(application, "Stop")
                self.wait_state(call, "ended")
                wait_until(lambda: daemon.asked[-1] == ("release", application), lambda: daemon.asked)
                self.wait_name(PLAYER, owned=False)
