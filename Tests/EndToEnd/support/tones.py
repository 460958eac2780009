"""Tones: how strong a frequency is in sound, and the sound of a frequency. Samples are 16 bits, one channel."""

import array
import math
import os
import struct
import time
import wave

from support.waiting import PATIENCE, wait_until

LOUD = 1_000
"""What is stronger is heard."""
QUIET = 150
"""What is weaker is not heard."""


def tone(frequency, seconds, rate, amplitude=0.3):
    """The samples of a tone. An amplitude of 1 is as loud as possible."""
    return array.array("h", (int(amplitude * 32767 * math.sin(2 * math.pi * frequency * index / rate))
                             for index in range(int(seconds * rate))))


def write_wave(path, samples, rate):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


def strength(samples, frequency, rate):
    """The amplitude of one frequency, from 0 to 32,767, by Goertzel's algorithm."""
    coefficient = 2 * math.cos(2 * math.pi * frequency / rate)
    before = last = 0.0
    for value in samples:
        before, last = last, value + coefficient * last - before
    power = before * before + last * last - coefficient * before * last
    return 2 * math.sqrt(max(0.0, power)) / max(1, len(samples))


def loudness(samples):
    """The root of the mean of the squares, from 0 to 32,767."""
    return math.sqrt(sum(value * value for value in samples) / max(1, len(samples)))


class GrowingSound:
    """Samples in a file that grows, after a header of `header` bytes."""

    def __init__(self, path, rate, channels=1, header=0):
        self.path, self.rate, self.channels, self.header = path, rate, channels, header

    @classmethod
    def of_wave(cls, path):
        """A WAVE file. Its header may not yet say how long it is."""
        with open(path, "rb") as file:
            head = file.read(44)
        if len(head) < 44:
            raise EOFError(path)
        channels, rate = struct.unpack_from("<HI", head, 22)
        return cls(path, rate, channels, 44)

    def count(self):
        """How many samples there are."""
        return max(0, os.path.getsize(self.path) - self.header) // 2 // self.channels

    def seconds(self):
        return self.count() / self.rate

    def last(self, seconds):
        """The samples of the last so many seconds."""
        return self.since(max(0, self.count() - int(seconds * self.rate)))

    def since(self, first, count=None):
        with open(self.path, "rb") as file:
            file.seek(self.header + first * 2 * self.channels)
            data = file.read() if count is None else file.read(count * 2 * self.channels)
        size = 2 * self.channels
        samples = array.array("h", data[:len(data) // size * size])
        return samples[::self.channels]


def wait_sound(get_sound, present=(), absent=(), seconds=PATIENCE, window=0.4, may_stop=False):
    """Waits until the last `window` seconds of the sound have the frequencies `present` and not those `absent`.

    `get_sound` returns a `GrowingSound`. What is in the sound must have been recorded after the call of this.
    `may_stop`: no sound at all is right too."""
    sound = get_sound()
    begin, began = sound.count(), time.monotonic()
    found = {}

    def fits():
        if sound.count() < begin + window * sound.rate:
            return may_stop and time.monotonic() > began + 3 * window and sound.count() == begin
        samples = sound.last(window)
        found.update({frequency: round(strength(samples, frequency, sound.rate)) for frequency in (*present, *absent)})
        return all(found[frequency] > LOUD for frequency in present) \
            and all(found[frequency] < QUIET for frequency in absent)
    wait_until(fits, lambda: f"{sound.path} has {found} after {sound.seconds():.1f} s; "
                             f"expected {present} and not {absent}", seconds, every=0.1)
    return found
