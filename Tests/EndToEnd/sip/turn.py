"""coturn: a STUN and TURN server."""

import socket
import struct

from sip.ports import RigProcess, free_port
from support.waiting import wait_until


class Coturn(RigProcess):
    """The server, for one user."""

    def __init__(self, folder, user="turner", password="turned", host="127.0.0.1"):
        super().__init__("turnserver", folder)
        self.user, self.password = user, password
        self.host = host
        self.port = free_port(host)

    @property
    def address(self):
        return f"{self.host}:{self.port}"

    def start(self):
        self.spawn("turnserver", "-n", f"--listening-ip={self.host}", f"--relay-ip={self.host}",
                   f"--listening-port={self.port}", "--lt-cred-mech", f"--user={self.user}:{self.password}",
                   "--realm=phones.test", "--allow-loopback-peers", "--no-cli", "--no-tls", "--no-dtls", "--verbose",
                   "--log-file=stdout", "--simple-log", f"--pidfile={self.folder}/turnserver.pid",
                   f"--userdb={self.folder}/users", "--relay-threads=1")
        wait_until(self.answers, lambda: f"coturn does not answer: {self.log()[-2000:]}", every=0.05)
        return self

    def answers(self):
        """Whether it answers a STUN binding request."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(0.2)
            udp.sendto(struct.pack("!HHI12s", 1, 0, 0x2112A442, b"opencallkit1"), (self.host, self.port))
            try:
                return udp.recv(1024)[:2] == b"\x01\x01"
            except OSError:
                return False

    def allocations(self):
        """How many relays were asked for with the right password."""
        return self.log().count("ALLOCATE processed, success")
