"""A far side's sound, in Python: sends a tone as PCMU, loses and delays packets, and keeps what it gets."""

import collections
import heapq
import itertools
import random
import socket
import struct
import threading
import time

from sip import mu_law
from support import tones

FRAME = 160
"""Samples in 20 ms."""


class RtpPeer:
    """Sends to whom it has heard last; to `target` before it hears anybody. Its port is `port`."""

    def __init__(self, frequency=880, loss=0.0, jitter=0.0, host="127.0.0.1", seed=1):
        self.frequency, self.loss, self.jitter = frequency, loss, jitter
        """`loss` is a share of packets; `jitter` the largest delay in seconds."""
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((host, 0))
        self.socket.settimeout(0.005)
        self.port = self.socket.getsockname()[1]
        self.target = None
        self.events = collections.deque()
        self.event_type = 101
        """The payload type of keys."""
        self.packets = []
        """The packets that came, as (payload type, sequence number, payload, marker)."""
        self.random = random.Random(seed)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        samples = tones.tone(self.frequency, 8, 8000)  # a whole number of periods, so that it has no clicks
        self.sound = mu_law.encode(samples)
        self.thread.start()
        return self

    def run(self):
        begin, sent, queue, order = time.monotonic(), 0, [], itertools.count()
        while not self.ended.is_set():
            self.take()
            now = time.monotonic()
            while begin + sent * 0.02 <= now:
                if self.random.random() >= self.loss:
                    due = begin + sent * 0.02 + self.random.random() * self.jitter
                    heapq.heappush(queue, (due, next(order), self.packet(sent)))
                sent += 1
            while queue and queue[0][0] <= now:
                packet = heapq.heappop(queue)[2]
                if self.target:
                    self.send(packet)

    def packet(self, number):
        """The packet of this place in time: sound, or a part of a key that is pressed."""
        if self.events:
            step, payload = self.events.popleft()
            start, kind = number - step, self.event_type | (0x80 if step == 0 else 0)
        else:
            place = number * FRAME % len(self.sound)
            start, kind, payload = number, 0, self.sound[place:place + FRAME]
        head = struct.pack("!BBHII", 0x80, kind, number & 0xFFFF, start * FRAME & 0xFFFFFFFF, 0x0BADCAFE)
        return head + payload

    def send(self, packet):
        try:
            self.socket.sendto(packet, self.target)
        except OSError:
            pass

    def press(self, keys):
        """Sends touch tones (RFC 4733) in place of the tone, 160 ms each."""
        for key in keys:
            code = "0123456789*#ABCD".index(key)
            for step in range(8):
                ends = 0x80 if step >= 5 else 0
                self.events.append((step, struct.pack("!BBH", code, ends | 10, min(step + 1, 6) * FRAME)))

    def take(self):
        try:
            data, sender = self.socket.recvfrom(2048)
        except TimeoutError:
            return
        except OSError:
            return
        self.target = sender
        if len(data) >= 12 and data[0] >> 6 == 2:
            _, kind, sequence = struct.unpack_from("!BBH", data)
            self.packets.append((kind & 0x7F, sequence, data[12:], bool(kind & 0x80)))

    def samples(self, seconds=0.4):
        """The last sound that came as PCMU."""
        payloads = [payload for kind, _, payload, _ in self.packets if kind == 0][-int(seconds * 50):]
        return mu_law.decode(b"".join(payloads))

    # As GrowingSound

    rate = 8000

    @property
    def path(self):
        return f"port {self.port}"

    def heard(self):
        return self

    def seconds(self):
        return self.count() / self.rate

    def count(self):
        """How many samples have come."""
        return FRAME * len([1 for kind, *_ in self.packets if kind == 0])

    def last(self, seconds):
        return self.samples(seconds)

    def strength(self, frequency, seconds=0.4):
        return tones.strength(self.samples(seconds), frequency, 8000)

    def keys(self):
        """The keys that were pressed, by their first packets."""
        return "".join("0123456789*#ABCD"[payload[0]] for kind, _, payload, marker in list(self.packets)
                       if kind >= 96 and marker and len(payload) == 4 and payload[0] < 16)

    def stop(self):
        self.ended.set()
        if self.thread.is_alive():
            self.thread.join()
        self.socket.close()
