"""Players pause and other sounds are lowered during calls: real players, real sound servers, what is heard as a recording."""

import os
import signal
import time

import dbus
import dbus.service

from desktop.audio import AUDIO, AUDIO_SESSION, MPRIS, MPRIS_PATH, AudioTest
from support.sound_servers import PipeWire
from support.waiting import wait_until

PROPERTIES = "org.freedesktop.DBus.Properties"
LOWERED = 0.2


class GivingWayTests(AudioTest):
    def test_a_player_with_mpris_is_paused_and_goes_on(self):
        self.start_all()
        self.start_mpris_player()
        call = self.call_active()
        wait_until(lambda: self.player_status() == "Paused", "it does not pause", every=0.05)
        self.recording.wait_silent()
        self.assertEqual(self.volumes(), [100], "lowered, although it is paused")
        self.end(call).result()
        self.recording.wait_loud("it does not go on")
        wait_until(lambda: self.player_status() == "Playing", "it does not play", every=0.05)

    def test_a_player_without_mpris_is_lowered_and_restored(self):
        self.start_all()
        self.start_plain_player()
        full = self.steady_level()
        call = self.call_active()
        self.wait_level(full * LOWERED, "not lowered")
        self.end(call).result()
        self.wait_level(full, "not restored")
        wait_until(lambda: set(self.volumes()) == {100}, lambda: f"volumes: {self.volumes()}", every=0.05)

    def test_an_agent_that_is_killed_while_something_is_lowered(self):
        self.start_all()
        self.start_plain_player()
        full = self.steady_level()
        call = self.call_active()
        self.wait_level(full * LOWERED, "not lowered")
        self.agent.kill()
        self.agent.wait()
        self.wait_name("org.opencallkit.Desktop1", owned=False)
        self.end(call).result()
        self.start_agent()
        self.wait_level(full, "not restored by the next agent")
        wait_until(lambda: set(self.volumes()) == {100}, lambda: f"volumes: {self.volumes()}", every=0.05)

    def test_a_stream_that_ends_in_the_call_is_remembered_with_its_own_volume(self):
        self.start_all()
        player = self.start_plain_player()
        full = self.steady_level()
        call = self.call_active()
        self.wait_level(full * LOWERED, "not lowered")
        player.kill()
        player.wait()
        self.recording.wait_silent()
        self.end(call).result()
        wait_until(lambda: not os.path.exists(f"{self.system.folder.name}/opencallkit/ducked"), "the journal stays",
                   every=0.05)
        self.start_plain_player()
        self.wait_level(full, "the next stream begins lowered")

    def test_a_stream_that_appears_in_the_call_is_lowered_too(self):
        self.start_all()
        call = self.call_active()
        self.spawn("mpv", "--no-config", "--no-video", "--ao=pulse", "--loop=inf", "--no-terminal",
                   "--load-scripts=no", self.music)
        wait_until(lambda: any(volume < 100 for volume in self.volumes()), "not lowered", every=0.1)
        self.end(call).result()
        wait_until(lambda: self.volumes() == [100], "not restored", every=0.1)


class GivingWayOnPipeWireTests(GivingWayTests):
    server_class = PipeWire


class UserTests(AudioTest):
    def test_a_volume_that_the_user_changes_in_the_call_stays(self):
        self.start_all()
        self.start_plain_player()
        call = self.call_active()
        wait_until(lambda: any(volume < 100 for volume in self.volumes()), "not lowered", every=0.05)
        index = self.server.pactl("list", "short", "sink-inputs").split()[0]
        self.server.pactl("set-sink-input-volume", index, "80%")
        self.end(call).result()
        wait_until(lambda: not os.path.exists(f"{self.system.folder.name}/opencallkit/ducked"), "the journal stays",
                   every=0.05)
        self.assertEqual(self.volumes(), [80])

    def test_a_player_that_the_user_lets_play_and_pauses_again_stays_paused(self):
        self.start_all()
        self.start_mpris_player()
        told = []

        def tell(_, values, __):
            if "PlaybackStatus" in values:
                told.append(str(values["PlaybackStatus"]))
        self.system.bus.add_signal_receiver(tell, "PropertiesChanged", PROPERTIES, "org.mpris.MediaPlayer2.mpv", MPRIS_PATH)
        call = self.call_active()
        wait_until(lambda: "Paused" in told, "it does not tell that it pauses")
        self.player_call("Play")
        wait_until(lambda: told[-1] == "Playing", "it does not tell that it plays")
        self.player_call("Pause")
        wait_until(lambda: self.player_status() == "Paused", "it does not pause", every=0.05)
        self.end(call).result()
        start = self.recording.now
        self.recording.wait_seconds(1.5)
        self.assertIsNone(self.recording.first_loud(start))
        self.assertEqual(self.player_status(), "Paused")

    def test_two_calls_in_a_row_leave_it_quiet_between_them(self):
        self.start_all()
        self.start_mpris_player()
        call = self.call_active()
        seconds = []
        # It is quiet for half a second. A busy machine may be too slow for the next call.
        while not seconds or seconds[-1] > 0.4:
            self.assertLess(len(seconds), 20, seconds)
            self.recording.wait_silent()
            start, began = self.recording.now, time.monotonic()
            self.end(call).result()
            call = self.call_active()
            seconds.append(time.monotonic() - began)
            self.recording.wait_seconds(1)
        self.assertIsNone(self.recording.first_loud(start), "music between two calls")
        self.end(call).result()
        self.recording.wait_loud("it does not go on")


class HungPlayer(dbus.service.Object):
    """A player that says that it plays, and never answers Pause."""

    def __init__(self, connection, number):
        self.name = dbus.service.BusName(f"org.mpris.MediaPlayer2.hung{number}", connection)
        super().__init__(connection, MPRIS_PATH)
        self.asked = 0

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        return dbus.Dictionary({"PlaybackStatus": "Playing", "CanPause": True}, signature="sv")

    @dbus.service.method(MPRIS, async_callbacks=("reply", "error"))
    def Pause(self, reply, error):
        self.asked += 1


class HungPlayerTests(AudioTest):
    def test_a_player_that_never_answers_delays_the_audio_by_200_ms_only(self):
        self.start_all()
        waited = []
        # A busy machine may delay any of the calls, but not all.
        while not waited or waited[-1] > 0.3 and len(waited) < 5:
            player = HungPlayer(self.system.connect(), len(waited))
            began = time.monotonic()
            call = self.call_active()
            waited.append(time.monotonic() - began)
            self.assertEqual(player.asked, 1)
            self.end(call).result()
        self.assertLess(min(waited), 0.3, waited)
        self.assertGreater(min(waited), 0.15, waited)
        self.assertEqual([event.arguments[0] for event in self.system.told("Anomaly")], [])


class HangingTests(AudioTest):
    deadlines = {"audio-prepare": 2_000}

    def test_an_agent_that_hangs_delays_no_answer(self):
        self.start_all()
        os.kill(self.agent.pid, signal.SIGSTOP)
        try:
            call = self.alpha.incoming()
            began = time.monotonic()
            answer = self.answer(call)
            wait_until(lambda: answer.done or self.system.shown(AUDIO, "Phase") == "active", "no answer and no audio")
            self.assertTrue(answer.done, "it is answered after the audio is granted")
            answered = time.monotonic() - began
            self.assertNotEqual(self.system.shown(AUDIO, "Phase"), "active")
            wait_until(lambda: self.system.shown(AUDIO, "Phase") == "active", "no audio")
            granted = time.monotonic() - began
        finally:
            os.kill(self.agent.pid, signal.SIGCONT)
        answer.result()
        phases = [str(event.arguments[1]["Phase"]) for event in self.system.told("PropertiesChanged", AUDIO_SESSION)
                  if "Phase" in event.arguments[1]]
        self.assertEqual(phases, ["waiting", "preparing", "active"])
        print(f"\na hanging agent: answered after {answered * 1000:.1f} ms, audio after {granted * 1000:.0f} ms", flush=True)
        self.assertGreater(granted, 1.9)
        self.wait_told("Anomaly", "slow-audio-agent")

    def test_an_agent_that_comes_when_another_one_leaves(self):
        from support.audio_agent import AudioAgent
        other = AudioAgent(self.system, name="other", prompt=True)
        self.start_sound()
        self.assertEqual(self.system.get(AUDIO, AUDIO_SESSION, "Agent"), "other")
        other.vanish()
        self.wait_registered()

    def test_strangers_prepare_nothing(self):
        self.start_all()
        pending = self.system.call("/org/opencallkit/Desktop1/audio_agent", "org.opencallkit.AudioAgent1", "Prepare",
                                   "oa{sv}", "/x", {}, name="org.opencallkit.Desktop1").wait()
        self.assertEqual(pending.error_name, "org.freedesktop.DBus.Error.AccessDenied")
