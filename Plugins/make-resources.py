#!/usr/bin/env python3
"""Generates the sample plugins' ringtones and icons. The output is committed; run this only to change it."""

import math
import pathlib
import struct
import wave
import zlib

HERE = pathlib.Path(__file__).resolve().parent


def write_wav(path, rate, width, samples):
    """Writes mono samples between -1 and 1, as 8-bit or 16-bit PCM."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(width)
        file.setframerate(rate)
        if width == 1:
            file.writeframes(bytes(128 + round(127 * s) for s in samples))
        else:
            file.writeframes(b"".join(struct.pack("<h", round(32767 * s)) for s in samples))


def melody(rate, notes, seconds_per_note):
    """A plucked tone for each frequency; 0 is a rest."""
    for frequency in notes:
        for index in range(int(rate * seconds_per_note)):
            time = index / rate
            swell = min(1.0, time / 0.005) * math.exp(-5 * time)
            tone = math.sin(2 * math.pi * frequency * time) + 0.3 * math.sin(4 * math.pi * frequency * time)
            yield 0.6 * swell * tone


def bell(rate, bursts, seconds_per_burst, pause):
    """The ring of a desk telephone: two frequencies that alternate 20 times a second."""
    for _ in range(bursts):
        for index in range(int(rate * seconds_per_burst)):
            time = index / rate
            frequency = 800 if int(time * 40) % 2 else 640
            edge = min(1.0, time / 0.01, (seconds_per_burst - time) / 0.01)
            yield 0.5 * edge * math.sin(2 * math.pi * frequency * time)
        for _ in range(int(rate * pause)):
            yield 0.0


def write_png(path, size, covers):
    """Writes a template image: black, with an alpha channel of 4 x 4 samples for each pixel."""
    rows = bytearray()
    for y in range(size):
        rows.append(0)
        for x in range(size):
            hits = sum(
                covers((x + (i + 0.5) / 4) / size, (y + (j + 0.5) / 4) / size) for i in range(4) for j in range(4)
            )
            rows += bytes((0, round(255 * hits / 16)))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 4, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")
    )


def receiver(x, y):
    """A telephone receiver, lying on its back: an arc with an ear piece at either end."""
    radius = math.hypot(x - 0.5, y - 0.1)
    arc = 0.5 <= radius <= 0.66 and y > 0.45 and 0.14 < x < 0.86
    left = math.hypot(x - 0.2, y - 0.5) < 0.13
    right = math.hypot(x - 0.8, y - 0.5) < 0.13
    return arc or left or right


def handset_with_waves(x, y):
    """A mobile telephone, ringing: a rounded body with two arcs at its side."""
    dx, dy = max(0.0, abs(x - 0.36) - 0.12), max(0.0, abs(y - 0.5) - 0.32)
    body = math.hypot(dx, dy) < 0.07
    screen = abs(x - 0.36) < 0.12 and -0.27 < y - 0.5 < 0.2
    radius = math.hypot(x - 0.5, y - 0.5)
    waves = (0.18 < radius < 0.23 or 0.31 < radius < 0.36) and x > 0.58 and abs(y - 0.5) < x - 0.5
    return (body and not screen) or waves


def main():
    monkey, hotline = HERE / "MonkeyCall" / "Resources", HERE / "Hotline" / "Resources"
    for folder in (monkey, hotline):
        folder.mkdir(exist_ok=True)
    scale = [523.25, 659.25, 783.99, 1046.5, 783.99, 659.25, 587.33, 698.46, 880.0, 698.46, 523.25, 0]
    write_wav(monkey / "musicloop01.wav", 11025, 1, melody(11025, scale, 0.3))
    write_wav(hotline / "Ringtone.wav", 8000, 2, bell(8000, 2, 0.6, 0.9))
    write_png(monkey / "telephone_receiver.png", 80, receiver)
    write_png(hotline / "IconMask.png", 80, handset_with_waves)


if __name__ == "__main__":
    main()
