"""Real sound servers without hardware, what they play as a recording, and what can be heard in it."""

import array
import math
import os
import subprocess
import tempfile

from support import tones
from support.waiting import GIVE_UP, wait_until

RATE = 44_100
STEP = 0.01
"""The length of a step of an envelope, in seconds."""


class SoundServer:
    """A sound server on the test's session, with the null sink `speaker` and the source `mic`."""

    def __init__(self, test):
        self.test = test
        self.process = None

    def pactl(self, *arguments):
        return subprocess.run(["pactl", *arguments], env=self.test.system.environment, capture_output=True, text=True,
                              check=True, timeout=GIVE_UP).stdout

    def wait_done(self, *arguments):
        """Asks the server until it does so: while it starts, it drops connections."""
        def is_done():
            return subprocess.run(["pactl", *arguments], env=self.test.system.environment, capture_output=True,
                                  check=False, timeout=GIVE_UP).returncode == 0
        wait_until(is_done, f"the sound server does not {' '.join(arguments)}", every=0.05)

    def record(self):
        return Recording(self.test)


class PulseAudio(SoundServer):
    name = "PulseAudio"

    def start(self):
        folder = self.test.system.folder.name
        os.makedirs(f"{folder}/pulse", mode=0o700, exist_ok=True)
        configuration = f"{folder}/test.pa"
        with open(configuration, "w", encoding="utf-8") as file:
            # Without norewinds, a null sink renders two seconds at a time, and recordings are cut at random.
            file.write(f"""load-module module-native-protocol-unix auth-anonymous=1 socket={folder}/pulse/native
load-module module-device-restore
load-module module-stream-restore restore_device=false
load-module module-null-sink sink_name=speaker rate={RATE} norewinds=1
load-module module-null-sink sink_name=feed rate={RATE} norewinds=1
load-module module-virtual-source source_name=mic master=feed.monitor
set-default-sink speaker
set-default-source mic
""")
        self.process = self.test.spawn("pulseaudio", "-n", "-F", configuration, "--daemonize=no",
                                       "--exit-idle-time=-1", "--use-pid-file=no", "--disallow-exit=no")
        self.wait_done("info")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()
        socket = f"{self.test.system.folder.name}/pulse/native"
        if os.path.exists(socket):
            os.unlink(socket)


class PipeWire(SoundServer):
    name = "PipeWire"

    def start(self):
        self.processes = [self.test.spawn("pipewire")]
        socket = f"{self.test.system.folder.name}/pipewire-0"
        wait_until(lambda: os.path.exists(socket), "PipeWire does not start", every=0.02)
        self.processes.append(self.test.spawn("wireplumber"))
        self.process = self.test.spawn("pipewire-pulse")
        self.processes.append(self.process)
        self.wait_done("info")
        self.pactl("load-module", "module-null-sink", "sink_name=speaker", "media.class=Audio/Sink")
        self.wait_done("set-default-sink", "speaker")
        return self

    def kill(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


class Recording:
    """What is heard at the null sink, from the first sample until `stop`."""

    def __init__(self, test):
        self.file = tempfile.NamedTemporaryFile(dir=test.system.folder.name, suffix=".raw")
        self.process = subprocess.Popen(
            ["parec", "--latency-msec=20", "--process-time-msec=5", "-d", "speaker.monitor", "--format=s16le",
             f"--rate={RATE}", "--channels=1", "--raw"],
            env=test.system.environment, stdin=subprocess.DEVNULL, stdout=self.file)
        test.addCleanup(self.end)
        self.wait_seconds(0.1)

    def size(self):
        return os.path.getsize(self.file.name)

    @property
    def now(self):
        """The present place in the recording, in seconds."""
        return self.size() / 2 / RATE

    def wait_seconds(self, seconds):
        """Waits until so much more was recorded."""
        end = self.size() + int(seconds * RATE) * 2
        wait_until(lambda: self.size() >= end, "nothing is recorded", every=0.01)

    def samples(self, start=0.0, end=None):
        first = int(start * RATE)
        with open(self.file.name, "rb") as file:
            file.seek(first * 2)
            data = file.read() if end is None else file.read((int(end * RATE) - first) * 2)
        return array.array("h", data[:len(data) // 2 * 2])

    def envelope(self, start=0.0, end=None):
        """The loudness of each step, from 0 to 32,768."""
        values, size = self.samples(start, end), int(RATE * STEP)
        return [math.sqrt(sum(value * value for value in values[index:index + size]) / size)
                for index in range(0, len(values) - size, size)]

    def is_loud(self, seconds=0.1, threshold=100):
        """Whether something was heard in the last so many seconds."""
        return max(self.envelope(max(0.0, self.now - seconds)) or [0]) > threshold

    def wait_loud(self, what="nothing is heard", threshold=100, start=None):
        """Waits until it is loud, and returns when it became so, in seconds of the recording. Nothing that was loud since
        `start`, or in the last tenth of a second, is missed, however short it was.
        """
        place = [max(0.0, self.now - 0.1) if start is None else start]

        def found():
            end = self.now
            began = self.first_loud(place[0], threshold)
            if began is None:
                place[0] = max(place[0], end - 2 * STEP)
            return None if began is None else [began]
        return wait_until(found, what, every=0.01)[0]

    def wait_silent(self, what="it is still heard", threshold=30):
        wait_until(lambda: not self.is_loud(threshold=threshold), what, every=0.01)

    def first_loud(self, start=0.0, threshold=100):
        """When it became loud after `start`, in seconds of the recording; None if it did not."""
        start = max(0.0, start)
        for index, level in enumerate(self.envelope(start)):
            if level > threshold:
                return start + index * STEP
        return None

    def last_loud(self, start=0.0, threshold=100):
        """When it was loud for the last time."""
        loud = [index for index, level in enumerate(self.envelope(start)) if level > threshold]
        return start + (loud[-1] + 1) * STEP if loud else None

    def strength(self, frequency, start, end):
        """The amplitude of one frequency."""
        return tones.strength(self.samples(start, end), frequency, RATE)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.file.close()
