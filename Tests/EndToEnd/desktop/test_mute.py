"""A ringtone that nobody would hear is told as such: muted in the mixer, or by the volume."""

import subprocess

from desktop.case import DESKTOP, DESKTOP_PATH
from desktop.ringing import RingingTest
from support.provider import Provider
from support.sound_servers import PipeWire
from support.system import PROPERTIES
from support.waiting import GIVE_UP, wait_until


class MuteTests(RingingTest):
    def part(self):
        parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
        return next((bool(part["ready"]), str(part["text"])) for part in parts if part["name"] == "ringing")

    def streams(self):
        text = self.server.pactl("list", "short", "sink-inputs")
        return [line.split()[0] for line in text.splitlines()]

    def mute_alerts(self, muted):
        """Mutes what is remembered of the role, as mixers do with what plays."""
        call = Provider(self.system, "Bell", f"/bell{muted}", ringtone_sound=self.tone).incoming()
        [stream] = wait_until(self.streams, "it does not ring", every=0.05)
        self.server.pactl("set-sink-input-mute", stream, "1" if muted else "0")
        self.reject(call).result()
        wait_until(lambda: not self.streams(), "it goes on", every=0.05)

    def test_system_sounds(self):
        recording = self.start_sound()
        self.assertTrue(self.part()[0])
        self.mute_alerts(True)
        wait_until(lambda: not self.part()[0], lambda: f"{self.part()}", every=0.05)
        self.assertEqual(self.part(), (False, "no ringtone is heard: System Sounds are muted in the mixer"))
        # It is so.
        call = Provider(self.system, ringtone_sound=self.tone).incoming()
        wait_until(self.streams, "it does not ring", every=0.05)
        recording.wait_seconds(0.5)
        self.assertFalse(recording.is_loud(0.4))
        self.reject(call).result()
        self.mute_alerts(False)
        wait_until(lambda: self.part()[0], lambda: f"{self.part()}", every=0.05)

    def test_the_output(self):
        self.start_sound()
        self.server.pactl("set-sink-mute", "speaker", "1")
        ready, text = self.part()
        self.assertEqual((ready, "is muted" in text), (False, True), text)
        self.server.pactl("set-sink-mute", "speaker", "0")
        self.assertTrue(self.part()[0])
        self.server.pactl("set-sink-volume", "speaker", "0")
        self.assertFalse(self.part()[0])

    def test_the_volume_of_ringing(self):
        self.start_sound()

        def set_volume(volume):
            self.system.call(DESKTOP_PATH, PROPERTIES, "Set", "ssv", DESKTOP, "RingVolume", volume, name=DESKTOP).result()
        set_volume(0.0)
        self.assertEqual(self.part(), (False, "no ringtone is heard: ring-volume = 0 in desktop.conf"))
        set_volume(0.5)
        self.assertTrue(self.part()[0])


class PipeWireMuteTests(MuteTests):
    server_class = PipeWire

    def test_system_sounds_without_a_ring_before(self):
        # Where pipewire-pulse keeps what mixers write of System Sounds.
        self.start_sound()
        for muted in (True, False):
            self.run_metadata("restore.stream.Output/Audio.media.role:Notification",
                              f'{{ "mute": {str(muted).lower()}, "volumes": [ 1.0 ], "channels": [ "MONO" ] }}')
            wait_until(lambda: self.part()[0] != muted, lambda: f"{self.part()}", every=0.05)

    def run_metadata(self, key, value):
        subprocess.run(["pw-metadata", "-n", "route-settings", "0", key, value, "Spa:String:JSON"],
                       env=self.system.environment, check=True, capture_output=True, timeout=GIVE_UP)
