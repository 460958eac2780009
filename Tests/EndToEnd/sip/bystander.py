"""Two UDP ports, one above the other, that say only what the test lets them say, and keep all that comes.

They are those of all local addresses, so that a description can name many.
"""

import socket

from sip.ports import free_port
from sip.watched_sockets import WatchedSockets
from support.waiting import let_pass, wait_until


class Bystander(WatchedSockets):
    def __init__(self):
        super().__init__()
        self.port = free_port()
        self.packets = []
        """What has come to either port."""

    def start(self):
        for port in (self.port, self.port + 1):
            channel = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            channel.bind(("0.0.0.0", port))
            self.watch(channel, lambda own=channel: self.take(own))
        return self

    def take(self, channel):
        try:
            while True:
                self.packets.append(channel.recv(65536))
        except OSError:
            return True

    def send(self, data, place, is_upper=False):
        self.sockets[is_upper].sendto(data, place)

    @property
    def bytes(self):
        return sum(map(len, self.packets))

    def wait_quiet(self, seconds=1.5):
        """Waits until nothing comes any more, and returns how many packets have come."""
        def has_stopped():
            before = len(self.packets)
            let_pass(seconds)
            return len(self.packets) == before
        wait_until(has_stopped, lambda: f"it does not stop: {len(self.packets)} packets")
        return len(self.packets)
