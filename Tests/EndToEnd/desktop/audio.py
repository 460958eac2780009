"""The base of the tests of other sounds during calls: players, and what is heard of them."""

from desktop.ringing import RingingTest, write_tone
from support.provider import Provider
from support.waiting import wait_until

AUDIO_SESSION = "org.opencallkit.AudioSession1"

AUDIO = "/org/opencallkit/CallSystem1/audio"

MPRIS = "org.mpris.MediaPlayer2.Player"

MPRIS_PATH = "/org/mpris/MediaPlayer2"

TONE = 600


class AudioTest(RingingTest):
    deadlines = {"audio-prepare": 10_000}

    def setUp(self):
        super().setUp()
        self.music = f"{self.system.folder.name}/music.wav"
        write_tone(self.music, TONE, seconds=2, amplitude=0.5)
        # Calls ring without a sound here: what is heard is the music.
        silence = f"{self.system.folder.name}/silence.wav"
        write_tone(silence, TONE, amplitude=0)
        self.alpha = Provider(self.system, ringtone_sound=silence)

    def start_all(self):
        self.start_sound()
        self.wait_registered()

    def wait_registered(self):
        wait_until(lambda: self.system.get(AUDIO, AUDIO_SESSION, "Agent") == "callkit-desktop", "no audio agent", every=0.02)

    def start_player(self, *options):
        player = self.spawn("mpv", "--no-config", "--no-video", "--ao=pulse", "--loop=inf", "--no-terminal",
                            *options, self.music)
        self.recording.wait_loud("the player is not heard")
        return player

    def start_mpris_player(self):
        player = self.start_player("--script=/usr/lib/mpv-mpris/mpris.so")
        self.wait_name("org.mpris.MediaPlayer2.mpv")
        wait_until(lambda: self.player_status() == "Playing", "it does not play", every=0.05)
        return player

    def start_plain_player(self):
        return self.start_player("--load-scripts=no")

    def player_status(self):
        return self.system.get(MPRIS_PATH, MPRIS, "PlaybackStatus", name="org.mpris.MediaPlayer2.mpv")

    def player_call(self, member):
        self.system.call(MPRIS_PATH, MPRIS, member, name="org.mpris.MediaPlayer2.mpv").result()

    def level(self, seconds=0.3):
        """The amplitude of the music in what is recorded from now on."""
        start = self.recording.now
        self.recording.wait_seconds(seconds)
        return self.recording.strength(TONE, start, start + seconds)

    def steady_level(self):
        """The amplitude of the music once two measurements agree: a gap in the recording makes one of them smaller."""
        levels = [self.level()]

        def is_steady():
            levels.append(self.level())
            return abs(levels[-1] - levels[-2]) <= levels[-1] / 50
        wait_until(is_steady, lambda: f"the music is not steady: {levels}", every=0.02)
        return levels[-1]

    def wait_level(self, wanted, what):
        """Waits until the music is as loud as that, within a tenth."""
        wait_until(lambda: abs(self.level(0.2) - wanted) <= wanted / 10, lambda: f"{what}: {self.level()}, not {wanted}",
                   every=0.02)

    def volumes(self):
        """The volumes of all streams, in percent."""
        text = self.server.pactl("list", "sink-inputs")
        return [int(line.split("/")[1].strip(" %")) for line in text.splitlines() if line.strip().startswith("Volume:")]

    def call_active(self):
        call = self.alpha.incoming()
        self.answer(call).result()
        self.wait_state(call, "active")
        wait_until(lambda: self.system.get(AUDIO, AUDIO_SESSION, "Phase") == "active", "no audio", every=0.02)
        return call
