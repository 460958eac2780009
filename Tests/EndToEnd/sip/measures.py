"""Measures of a call's sound: when its packets come, holes in a tone, how long sound takes, and how clean a tone is."""

import array
import math
import os
import socket
import statistics
import struct
import subprocess
import threading
import time

from sip import mu_law
from sip.rtp import RtpPeer
from sip.sound import RATE
from support import tones
from support.waiting import let_pass

SO_TIMESTAMPNS = 35
CLICK = 0.05
"""How long a click is, in seconds."""
BETWEEN_CLICKS = 0.4
LOUD = 3_000
"""A sample that is larger belongs to a click."""


class RtpMeter(RtpPeer):
    """A far side that notes when the kernel got each packet. If it `echoes`, it says what it hears, and else a tone."""

    def __init__(self, *arguments, echoes=False, **options):
        super().__init__(*arguments, **options)
        self.echoes = echoes
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.arrivals = []
        """When each sound packet came, its sequence number and its payload."""

    def send(self, packet):
        if not self.echoes:
            super().send(packet)

    def take(self):
        try:
            data, ancillary, _, sender = self.socket.recvmsg(2048, 128)
        except OSError:
            return
        if self.target is None:
            self.target = sender
        if len(data) < 12 or data[0] >> 6 != 2 or data[1] & 0x7F != 0:
            return
        seconds, nanoseconds = struct.unpack("ll", ancillary[0][2][:16])
        self.arrivals.append((seconds + nanoseconds / 1e9, struct.unpack_from("!H", data, 2)[0], data[12:]))
        if self.echoes:
            super().send(data[:8] + struct.pack("!I", 0x0BADCAFE) + data[12:])

    def packet_gaps(self, first=0):
        """How many packets are missing, and by how many ms more than 20 the next one came later at most."""
        arrivals = self.arrivals[first:]
        steps = [(after[1] - before[1]) & 0xFFFF for before, after in zip(arrivals, arrivals[1:])]
        waits = [(after[0] - before[0]) * 1e3 - 20 for before, after in zip(arrivals, arrivals[1:])]
        return sum(step - 1 for step in steps), max(waits)

    def said(self, first=0):
        """What it has heard since its first so many packets, at 8 kHz."""
        return mu_law.decode(b"".join(payload for _, _, payload in self.arrivals[first:])).tobytes()


def longest_hole(sound, rate):
    """The longest time, in ms, in which a tone is at less than half of its strength. `sound` is bytes of samples."""
    samples, window = array.array("h", sound), rate // 100
    levels = [tones.loudness(samples[place:place + window]) for place in range(0, len(samples) - window + 1, window)]
    least = statistics.median(levels) / 2
    longest = run = 0
    for level in levels:
        run = run + 1 if level < least else 0
        longest = max(longest, run)
    return longest * 10


def signal_to_noise(samples, frequency, rate):
    """How much stronger a tone is than all else, in dB: the mean over pieces of 0.1 s, so that its phase may change."""
    count = rate // 10
    step = 2 * math.pi * frequency / rate
    waves = [(math.cos(step * index), math.sin(step * index)) for index in range(count)]
    tone = rest = 0.0
    for place in range(0, len(samples) - count + 1, count):
        piece = samples[place:place + count]
        real = sum(value * wave[0] for value, wave in zip(piece, waves))
        imaginary = sum(value * wave[1] for value, wave in zip(piece, waves))
        power = 2 * (real * real + imaginary * imaginary) / count
        tone += power
        rest += max(0.0, sum(value * value for value in piece) - power)
    return 10 * math.log10(tone / max(rest, 1e-9)) if tone > 0 else -math.inf


class TimedRecording:
    """Records a monitor of the sound server, and notes when each piece came."""

    def __init__(self, cards, source):
        self.pieces = []
        self.process = subprocess.Popen(
            ["parec", "-s", cards.address, "-d", source, "--format=s16le", f"--rate={RATE}", "--channels=1", "--raw",
             "--latency-msec=5"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while data := os.read(self.process.stdout.fileno(), 65536):
            self.pieces.append((time.time(), data))

    def clicks(self):
        """When each click began. What the server had at the start comes at once and tells nothing."""
        found = []
        for end, data in self.pieces[5:]:
            samples = array.array("h", data[:len(data) // 2 * 2])
            for index, value in enumerate(samples):
                if abs(value) > LOUD:
                    when = end - (len(samples) - index) / RATE
                    if not found or when - found[-1] > BETWEEN_CLICKS / 2:
                        found.append(when)
                    break
        return found

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()


def packet_clicks(meter):
    """When each click was in a packet."""
    found = []
    for when, _, payload in meter.arrivals:
        is_new = not found or when - found[-1] > BETWEEN_CLICKS / 2
        if is_new and max(map(abs, mu_law.decode(payload)), default=0) > LOUD:
            found.append(when)
    return found


def delays(begins, ends):
    """From each beginning until the first end after it, in ms."""
    found = []
    for begin in begins:
        after = [end - begin for end in ends if 0 < end - begin < BETWEEN_CLICKS]
        if after:
            found.append(after[0] * 1e3)
    return found


def make_silent(cards, name):
    """Ends the tone that a microphone hears."""
    for line in cards.pactl("list", "short", "modules").splitlines():
        if "module-sine\t" in line and f"sink={name}-feed" in line:
            cards.pactl("unload-module", line.split("\t")[0])


def click_delays(cards, meter, name="plugin", count=8):
    """Clicks at the microphone, while the far side echoes: from the microphone to the far side, and from there to the
    speaker, in ms for each."""
    make_silent(cards, name)
    mouth, ear = TimedRecording(cards, f"{name}-feed.monitor"), TimedRecording(cards, f"{name}.monitor")
    silence = bytes(int((BETWEEN_CLICKS - CLICK) * RATE) * 2)
    click = tones.tone(900, CLICK, RATE, amplitude=0.45)
    feed = subprocess.Popen(["pacat", "-s", cards.address, "-d", f"{name}-feed", "--format=s16le", f"--rate={RATE}",
                             "--channels=1", "--raw", "--latency-msec=20"], stdin=subprocess.PIPE)
    writer = threading.Thread(target=write, args=(feed, (silence + click.tobytes()) * count + silence), daemon=True)
    writer.start()
    try:
        let_pass((count + 1) * BETWEEN_CLICKS + 0.5)
    finally:
        for process in (feed, mouth, ear):
            process.kill() if process is feed else process.stop()
        feed.wait()
        writer.join()
    said, sent, heard = mouth.clicks(), packet_clicks(meter), ear.clicks()
    return delays(said, sent), delays(sent, heard)


def write(process, data):
    try:
        process.stdin.write(data)
        process.stdin.close()
    except OSError:
        pass


def processor_time(pid):
    """How long the threads of a process have run, in seconds. Those that have ended do not count."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9
