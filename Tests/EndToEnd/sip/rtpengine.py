"""rtpengine, which relays the sound of all calls of a server, without its kernel module."""

from sip.ports import SOUND_PORTS, RigProcess, free_port
from support.waiting import wait_until


class Rtpengine(RigProcess):
    """The relay. Kamailio tells it of each call."""

    def __init__(self, folder):
        super().__init__("rtpengine", folder)
        self.port = free_port()

    def start(self):
        self.spawn("rtpengine", "--config-file=none", "--foreground", "--log-stderr", "--log-level=6", "--table=-1",
                   "--delete-delay=0", "--interface=127.0.0.1", f"--listen-ng=127.0.0.1:{self.port}",
                   f"--port-min={SOUND_PORTS[0]}", f"--port-max={SOUND_PORTS[-1]}", f"--pidfile={self.folder}/pid")
        wait_until(lambda: "Startup complete" in self.log(), lambda: f"rtpengine does not start: {self.log()}",
                   every=0.05)
        return self
