"""The phone rings: what is heard at a real sound server, as a recording."""

import os
import subprocess

import dbus

from desktop.case import DESKTOP, DESKTOP_PATH
from desktop.ringing import RingingTest, write_tone
from support.provider import Provider
from support.sound_servers import PipeWire, PulseAudio
from support.waiting import GIVE_UP, wait_until

SLOW = 4
"""How many times slower than asked for a busy machine may be."""


class RingsTests(RingingTest):
    def test_a_call_rings_with_the_tone_of_its_provider_and_stops_when_it_is_answered(self):
        recording = self.start_sound()
        provider = Provider(self.system, ringtone_sound=self.tone)
        self.assertFalse(recording.is_loud(recording.now))
        # A busy machine may delay any of them, but not all.
        rings = [self.ring(provider) for _ in range(3)]
        heard, silent = (min(times) for times in zip(*rings))
        print(f"\n{self.server.name}: heard {heard:.3f} s after the report, silent {silent:.3f} s after Answer", flush=True)
        self.assertLess(heard, 0.15 * SLOW)
        self.assertLess(silent, 0.06 * SLOW)

    def ring(self, provider):
        """A call that rings, is answered and ends. Returns after how many seconds it was heard, and was not any more."""
        recording, reported = self.recording, self.recording.now
        call = provider.incoming()
        began = recording.wait_loud("it does not ring", start=reported)
        recording.wait_seconds(1.0)
        self.assertHears(600, began, began + 0.8, (440, 523, 697, 880))
        answered = recording.now
        self.answer(call).result()
        recording.wait_seconds(0.5)
        ended = recording.last_loud(answered) or answered
        self.end(call).result()
        recording.wait_silent()
        return began - reported, ended - answered

    def test_it_rings_round_and_round_and_becomes_louder(self):
        recording = self.start_sound()
        provider = Provider(self.system, ringtone_sound=self.tone)
        provider.incoming()
        began = wait_until(recording.first_loud, "it does not ring", every=0.01)
        recording.wait_seconds(2.6)
        levels = recording.envelope(began, began + 2.6)
        # A gap makes a step shorter, not louder.
        steps = [max(levels[begin:end]) for begin, end in ((5, 25), (100, 140), (220, 260))]
        self.assertLess(1.5 * steps[0], steps[1], "not louder after a second")
        self.assertLess(1.2 * steps[1], steps[2], "not louder after two")
        # A busy machine makes gaps anywhere. One of the ringer would be between any two rounds, each of a second.
        wait_until(lambda: self.between_rounds(began) > 100, "a gap between any two rounds", every=0.2)

    def between_rounds(self, began):
        """How loud it is, at its most, between two of the rounds that were heard."""
        levels = self.recording.envelope(began, self.recording.now)
        return max(min(levels[index - 10:index + 10]) for index in range(100, len(levels) - 10, 100))

    def test_a_call_that_is_answered_at_once_leaves_no_stream(self):
        self.start_sound()
        provider = Provider(self.system, ringtone_sound=self.tone)
        for _ in range(20):
            call = provider.report_incoming().result()
            self.answer(call).result()
            self.end(call).result()
        wait_until(lambda: not self.server.pactl("list", "short", "sink-inputs"), "a stream is left", every=0.1)


class RingsOnPipeWireTests(RingsTests):
    server_class = PipeWire


class ToneTests(RingingTest):
    def test_a_second_call_is_heard_as_a_waiting_tone(self):
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        alpha.active()
        self.assertFalse(self.system.get(DESKTOP_PATH, DESKTOP, "Ringing", name=DESKTOP))
        recording.wait_seconds(0.2)
        recording.wait_silent()
        beta = Provider(self.system, "Beta", "/beta", ringtone_sound=self.tone)
        start = recording.now
        call = beta.incoming()
        self.assertEqual(self.property(call, "RingMode"), "waiting")
        began = recording.wait_loud("no waiting tone", start=start)
        recording.wait_seconds(0.7)
        self.assertHears(440, began, began + 0.6, (600, 425))
        self.reject(call).result()
        recording.wait_silent()

    def test_ringback_busy_and_failed(self):
        recording = self.start_sound()
        alpha = Provider(self.system)
        alpha.connects = False
        call = self.start_call("generic:far").result()
        alpha.update(call, progress="alerting").result()
        recording.wait_loud("no ringback")
        began = recording.first_loud()
        recording.wait_seconds(0.7)
        self.assertHears(425, began, began + 0.6, (440, 600))
        self.system.call(alpha.path, "org.opencallkit.ProviderHost1", "ReportCallEnded", "stsa{sv}",
                         self.uuid(call), 0, "unanswered", {"end-detail": "busy"}, connection=alpha.connection).result()
        place = recording.now
        recording.wait_seconds(2.2)
        levels = recording.envelope(place + 0.1, place + 2.1)
        loud = sum(level > 100 for level in levels) / len(levels)
        self.assertTrue(0.3 < loud < 0.7, f"half of a busy tone is heard, not {loud}")
        recording.wait_silent("the busy tone does not end")

    def uuid(self, call):
        return call.rsplit("/", 1)[1].replace("_", "-")

    def test_ringback_ends_when_the_far_side_answers(self):
        recording = self.start_sound()
        alpha = Provider(self.system)
        alpha.connects = False
        call = self.start_call("generic:far").result()
        alpha.update(call, progress="alerting").result()
        recording.wait_loud("no ringback")
        alpha.report("ReportOutgoingCallConnected", "sta{sv}", self.uuid(call), 0, {}).result()
        self.wait_state(call, "active")
        recording.wait_silent("ringback goes on")

    def test_a_silent_call_is_not_heard(self):
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        call = alpha.incoming()
        recording.wait_loud("it does not ring")
        self.system.call("/org/opencallkit/CallSystem1", "org.opencallkit.CallSystem1", "SilenceRinging").result()
        recording.wait_silent("it goes on ringing")
        self.assertState(call, "ringing")

    def test_the_keys_have_tones(self):
        recording = self.start_sound()
        self.desktop("PlayKey", "s", "5").result()
        began = recording.wait_loud("no tone", start=0.0)
        recording.wait_seconds(0.2)
        self.assertHears(770, began + 0.01, began + 0.13, (697, 852, 941))
        self.assertHears(1336, began + 0.01, began + 0.13, (1209, 1477))
        self.assertEqual(self.desktop("PlayKey", "s", "Q").wait().error_name, "org.freedesktop.DBus.Error.InvalidArgs")


class RingtoneTests(RingingTest):
    def test_the_users_choice_goes_first_and_is_kept(self):
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        chosen = f"{self.system.folder.name}/chosen.wav"
        write_tone(chosen, 900)
        name = alpha.path.rsplit("/", 1)[1]
        self.system.call(DESKTOP_PATH, "org.freedesktop.DBus.Properties", "Set", "ssv", DESKTOP, "Ringtones",
                         dbus.Dictionary({name: chosen}, signature="ss"), name=DESKTOP).result()
        alpha.incoming()
        recording.wait_loud()
        began = recording.first_loud()
        recording.wait_seconds(0.5)
        self.assertHears(900, began, began + 0.4, (600,))
        with open(f"{self.system.folder.name}/config/opencallkit/desktop.conf", encoding="utf-8") as file:
            self.assertIn(f"ringtone {name} = {chosen}\n", file.read())

    def assertRingsAsTheTheme(self, path, complaint):
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=path)
        for _ in range(2):
            call = alpha.incoming()
            began = recording.wait_loud("it does not ring")
            recording.wait_seconds(0.5)
            self.assertLess(recording.strength(600, began, began + 0.4), 100)
            self.reject(call).result()
            recording.wait_silent()
        with open(f"{self.system.folder.name}/desktop.log", encoding="utf-8") as file:
            self.assertEqual(file.read().count(complaint), 1)

    def test_a_file_that_is_no_sound(self):
        path = f"{self.system.folder.name}/broken.wav"
        with open(path, "wb") as file:
            file.write(b"RIFF" + bytes(range(256)) * 10)
        self.assertRingsAsTheTheme(path, "is not a valid sound file")

    def test_a_file_that_is_missing(self):
        self.assertRingsAsTheTheme(f"{self.system.folder.name}/missing.wav", "cannot be read")

    def test_a_file_that_is_too_large(self):
        path = f"{self.system.folder.name}/large.wav"
        with open(path, "wb") as file:
            file.truncate((16 << 20) + 1)
        self.assertRingsAsTheTheme(path, "is larger than 16 MiB")

    def test_formats(self):
        recording = self.start_sound()
        for suffix, options in (("ogg", ["-c:a", "libvorbis"]), ("flac", []), ("mp3", [])):
            path = f"{self.system.folder.name}/tone.{suffix}"
            self.convert(self.tone, path)
            alpha = Provider(self.system, f"A{suffix}", f"/{suffix}", ringtone_sound=path)
            call = alpha.incoming()
            began = recording.wait_loud(f"{suffix} does not ring")
            recording.wait_seconds(0.5)
            self.assertHears(600, began, began + 0.4, (440, 880))
            self.reject(call).result()
            recording.wait_silent()

    def convert(self, source, target):
        subprocess.run(["sox", source, target], check=True, capture_output=True, timeout=GIVE_UP)

    def test_a_damaged_file_is_told_of_once(self):
        """libmpg123 complains of each damaged part, each time that it is played."""
        recording = self.start_sound()
        path = f"{self.system.folder.name}/damaged.mp3"
        self.convert(self.tone, path)
        with open(path, "r+b") as file:
            for place in range(1_000, os.path.getsize(path) - 100, 300):
                file.seek(place)
                file.write(b"\xff" * 24)
        alpha = Provider(self.system, ringtone_sound=path)
        for _ in range(2):
            call = alpha.incoming()
            recording.wait_loud("it does not ring")
            recording.wait_seconds(3)
            self.reject(call).result()
            recording.wait_silent()
        with open(f"{self.system.folder.name}/desktop.log", encoding="utf-8") as file:
            lines = [line for line in file if "mpg123" in line or "Note:" in line or "damaged" in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("the ringtone of app_Alpha is damaged", lines[0])
        self.assertIn("is damaged; the rest of it is played", lines[0])

    def test_a_test_ring(self):
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        self.desktop("TestRing", "s", alpha.path.rsplit("/", 1)[1]).result()
        recording.wait_loud("no test")
        self.assertTrue(self.system.get(DESKTOP_PATH, DESKTOP, "Ringing", name=DESKTOP))
        self.desktop("StopRinging").result()
        recording.wait_silent()
        alpha.incoming()
        self.assertIn("a call goes on", self.desktop("TestRing", "s", "").wait().error_text)


class ComingAndGoingTests(RingingTest):
    def test_the_sound_server_comes_while_a_call_rings_and_returns_after_it_was_killed(self):
        self.start_agent()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        alpha.incoming()
        self.server = PulseAudio(self).start()
        recording = self.server.record()
        recording.wait_loud("it does not ring on the server that came")
        self.server.kill()
        self.server.start()
        recording = self.server.record()
        recording.wait_loud("it does not ring on the server that returned")

    def test_the_daemon_is_killed_while_a_call_rings(self):
        recording = self.start_sound()
        alpha = Provider(self.system, ringtone_sound=self.tone)
        alpha.incoming()
        recording.wait_loud()
        self.system.daemon.kill()
        recording.wait_silent("it goes on ringing without a daemon")
        self.system.daemon.wait()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
