"""A PulseAudio with a microphone that hears a tone, and a speaker that is recorded, for each phone that needs them."""

import os
import subprocess

from sip.ports import RigProcess
from support import tones
from support.waiting import GIVE_UP, wait_until

RATE = 48_000


class SoundCards(RigProcess):
    """For each name and frequency: the sink `NAME`, which is recorded, and the source `NAME-mic`, on which there is the
    tone."""

    def __init__(self, folder, **frequencies):
        super().__init__("pulseaudio", folder)
        self.frequencies = frequencies
        self.recordings = {}

    @property
    def address(self):
        return f"unix:{self.folder}/native"

    def start(self):
        lines = [f"load-module module-native-protocol-unix auth-anonymous=1 socket={self.folder}/native"]
        for name, frequency in self.frequencies.items():
            # Without norewinds, a null sink renders two seconds at a time.
            lines += [f"load-module module-null-sink sink_name={name} rate={RATE} channels=1 norewinds=1 "
                      f"sink_properties=device.description={name}",
                      f"load-module module-null-sink sink_name={name}-feed rate={RATE} channels=1 norewinds=1",
                      f"load-module module-virtual-source source_name={name}-mic master={name}-feed.monitor "
                      f"source_properties=device.description={name}-mic",
                      f"load-module module-sine sink={name}-feed frequency={frequency}"]
        first = next(iter(self.frequencies))
        lines += [f"set-default-sink {first}", f"set-default-source {first}-mic"]
        path = os.path.join(self.folder, "sound.pa")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        self.spawn("pulseaudio", "-n", "-F", path, "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                   environment={"HOME": self.folder, "XDG_RUNTIME_DIR": self.folder})
        wait_until(self.answers, lambda: f"PulseAudio does not answer: {self.log()[-2000:]}", every=0.05)
        return self

    def environment(self, name):
        """For a process that uses these cards."""
        return {"PULSE_SERVER": self.address, "PULSE_SINK": name, "PULSE_SOURCE": f"{name}-mic"}

    def answers(self):
        return subprocess.run(["pactl", "-s", self.address, "info"], capture_output=True, check=False,
                              timeout=GIVE_UP).returncode == 0

    def pactl(self, *arguments):
        return subprocess.run(["pactl", "-s", self.address, *arguments], capture_output=True, text=True, check=True,
                              timeout=GIVE_UP).stdout

    def heard(self, name):
        """What the sink plays from the first call of this on."""
        if name not in self.recordings:
            path = os.path.join(self.folder, f"{name}.raw")
            with open(path, "wb") as file:
                process = subprocess.Popen(
                    ["parec", "-s", self.address, "--latency-msec=20", "-d", f"{name}.monitor", "--format=s16le",
                     f"--rate={RATE}", "--channels=1", "--raw"], stdin=subprocess.DEVNULL, stdout=file,
                    stderr=subprocess.DEVNULL)
            self.recordings[name] = (process, tones.GrowingSound(path, RATE))
            wait_until(lambda: self.recordings[name][1].count() > 0, "nothing is recorded", every=0.02)
        return self.recordings[name][1]

    def stop(self, seconds=5):
        for process, _ in self.recordings.values():
            process.kill()
            process.wait()
        self.recordings = {}
        super().stop(seconds)
