"""The base of the tests of what is heard: a real sound server, and a ringtone."""

import math
import os
import struct
import wave

from desktop.case import DESKTOP, DESKTOP_PATH, DesktopTest
from support.sound_servers import PulseAudio
from support.waiting import wait_until

FREEDESKTOP = "/usr/share/sounds/freedesktop"


def write_tone(path, frequency, seconds=1.0, amplitude=0.5):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(44_100)
        file.writeframes(b"".join(
            struct.pack("<h", round(32_767 * amplitude * math.sin(2 * math.pi * frequency * index / 44_100)))
            for index in range(int(44_100 * seconds))))


class RingingTest(DesktopTest):
    server_class = PulseAudio

    def setUp(self):
        super().setUp()
        themes = f"{self.system.folder.name}/data/sounds"
        os.makedirs(themes)
        os.symlink(FREEDESKTOP, f"{themes}/freedesktop")
        self.tone = f"{self.system.folder.name}/tone.wav"
        write_tone(self.tone, 600)

    def start_sound(self):
        self.server = self.server_class(self).start()
        self.start_agent()
        self.wait_ready_part("ringing")
        self.recording = self.server.record()
        return self.recording

    def wait_ready_part(self, name):
        def ready():
            parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
            return any(part["name"] == name and part["ready"] for part in parts)
        wait_until(ready, f"{name} is not ready", every=0.05)

    def desktop(self, member, signature="", *arguments):
        return self.system.call(DESKTOP_PATH, DESKTOP, member, signature, *arguments, name=DESKTOP)

    def assertHears(self, frequency, start, end, others):
        strengths = {each: self.recording.strength(each, start, end) for each in (frequency, *others)}
        self.assertGreater(strengths[frequency], 4 * max(strengths[each] for each in others), strengths)
