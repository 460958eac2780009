"""Ports that are free, and processes of the rigs that always end."""

import os
import signal
import socket
import subprocess

from waiting import Late, exited


def free_port(host="127.0.0.1", both=True):
    """A port that is free for UDP and, if `both`, for TCP."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    while True:
        with socket.socket(family, socket.SOCK_DGRAM) as udp, socket.socket(family, socket.SOCK_STREAM) as tcp:
            udp.bind((host, 0))
            port = udp.getsockname()[1]
            try:
                if both:
                    tcp.bind((host, port))
            except OSError:
                continue
            return port


def free_pair(host="127.0.0.1"):
    """An even port, which is free with the next one: for RTP and RTCP."""
    while True:
        port = free_port(host, both=False) & ~1
        try:
            for number in (port, port + 1):
                with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as udp:
                    udp.bind((host, number))
            return port
        except OSError:
            continue


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
