"""Ringing beside what else makes itself felt: feedbackd on phones, and desktops that are quiet."""

import json

import dbus

from desktop.ringing import RingingTest
from support.messages import variants
from support.provider import Provider
from support.system import PROPERTIES, ROOT, SYSTEM
from support.waiting import wait_until

FEEDBACK = "org.sigxcpu.Feedback"


class FeedbackTests(RingingTest):
    def test_feedbackd_is_asked_to_vibrate_and_plays_no_second_tone(self):
        recording = self.start_sound()
        self.spawn("/usr/libexec/feedbackd", GSETTINGS_BACKEND="memory", XDG_DATA_DIRS="/usr/share",
                   G_MESSAGES_DEBUG="all")
        self.wait_name(FEEDBACK)
        # Whoever owns the name now, the agent hears of it before it answers this.
        self.wait_ready_part("ringing")
        alpha = Provider(self.system, ringtone_sound=self.tone)
        call = alpha.incoming()
        self.wait_logged("Event 'phone-incoming-call' for 'org.opencallkit.Phone'")
        recording.wait_loud("it does not ring")
        began = recording.first_loud()
        recording.wait_seconds(1.0)
        # The theme's tone, which feedbackd would play, is a chord of these.
        self.assertHears(600, began, began + 0.9, (440, 523, 659, 784, 880))
        self.reject(call).result()
        recording.wait_silent()
        wait_until(lambda: self.streams() == [], lambda: f"still there: {self.streams()}", every=0.05)

    def wait_logged(self, text):
        def logged():
            with open(f"{self.system.folder.name}/desktop.log", encoding="utf-8", errors="replace") as file:
                return text in file.read()
        wait_until(logged, f"{text} is not logged", every=0.05)

    def streams(self):
        """The role and the event of what plays."""
        found = json.loads(self.server.pactl("-f", "json", "list", "sink-inputs"))
        return [(each["properties"]["media.role"], each["properties"]["event.id"]) for each in found]


class RoleTests(RingingTest):
    streams = FeedbackTests.streams

    def test_a_ring_is_an_alert(self):
        recording = self.start_sound()
        Provider(self.system, ringtone_sound=self.tone).incoming()
        recording.wait_loud()
        self.assertEqual(self.streams(), [("event", "phone-incoming-call")])

    def test_a_call_that_may_disturb_is_heard_on_a_quiet_desktop(self):
        # Desktops mute alerts while they are quiet, but not telephones.
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        rules = variants({"providers-allowed": dbus.Array([alpha.path.rsplit("/", 1)[1]], signature="s")})
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturbRules",
                         dbus.Dictionary(rules, signature="sv")).result()
        self.system.call(ROOT, SYSTEM, "SetQuiet", "sb", "org.example.desktop", True).result()
        alpha.incoming()
        recording.wait_loud("it does not ring")
        self.assertEqual(self.streams(), [("phone", "phone-incoming-call")])

    def test_two_calls_ring_as_one(self):
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        beta = Provider(self.system, "Beta", "/beta", ringtone_sound=self.tone)
        first = alpha.incoming()
        recording.wait_loud()
        second = beta.incoming()
        self.assertEqual({self.property(first, "RingMode"), self.property(second, "RingMode")}, {"audible", "waiting"})
        recording.wait_seconds(0.3)
        self.assertEqual(len(self.streams()), 1)
        self.reject(first).result()
        self.reject(second).result()
        recording.wait_silent()
