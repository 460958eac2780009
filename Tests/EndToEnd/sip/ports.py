"""Ports that are free, and processes of the rigs that always end."""

import os
import random
import signal
import socket
import subprocess

from support.reservations import reserve, reserved
from support.waiting import Late, exited

PORTS = range(10_000, 16_000, 2)
SOUND_PORTS = range(16_000, 32_000)
"""Those that phones take by themselves, for sound: a phone that finds one taken takes another one.

Both are outside of the range in which the system chooses ports for connections, which could take one before a server
does.
"""


def is_free(host, port):
    """Whether a port can be bound, for UDP and for TCP."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as udp, socket.socket(family, socket.SOCK_STREAM) as tcp:
        try:
            udp.bind((host, port))
            tcp.bind((host, port))
            return True
        except OSError:
            return False


def free_port(host="127.0.0.1"):
    """An even port that is free for UDP and TCP, as the next one is: phones take that for TLS or RTCP. Nobody else gets
    it while this process lives.
    """
    for port in random.sample(PORTS, len(PORTS)):
        if reserve("port", port) and is_free(host, port) and is_free(host, port + 1):
            return port
    raise AssertionError(f"no port is free from {PORTS[0]} to {PORTS[-1]}; {len(reserved)} are reserved here")


class RigProcess:
    """A process with a log, in a group of its own that ends with it."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        self.process = None
        os.makedirs(folder, exist_ok=True)
        self.log_path = os.path.join(folder, f"{name}.log")

    def spawn(self, *command, environment=None, stdin=subprocess.DEVNULL, output=None,
              cwd=None):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                command, env={**os.environ, **(environment or {})}, stdin=stdin,
                stdout=output if output is not None else log, stderr=output if output is not None else log,
                cwd=cwd or self.folder, start_new_session=True)
        return self.process

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def stop(self, seconds=5):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.terminate()
            try:
                exited(self.process, seconds)
            except Late:
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
        self.process = None
