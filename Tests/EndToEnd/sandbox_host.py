"""The daemon's part for a worker in a sandbox, played by the test: the policy, the start, the report."""

import os
import socket
import subprocess

PATIENCE = 20
"""Seconds until a worker is given up."""


class Worker:
    """A worker that was given a policy: a list of lines, each a list of fields."""

    def __init__(self, program, library, policy, *, environment=None, wrapper=(), **options):
        self.link, their_link = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel, their_channel = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with their_link, their_channel, open(library, "rb") as file:
            numbers = [str(each.fileno()) for each in (their_link, file, their_channel)]
            self.process = subprocess.Popen(
                [*wrapper, program, *numbers, library], pass_fds=[int(number) for number in numbers],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment or {},
                start_new_session=True, **options)
        self.channel.sendall("".join("\t".join(line) + "\n" for line in policy).encode())
        self.channel.shutdown(socket.SHUT_WR)
        self.channel.settimeout(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.link.close()
        self.channel.close()

    def report(self):
        """The lines in which the worker says how it is confined, as lists of words."""
        text = b""
        while part := self.channel.recv(4096):
            text += part
        return [line.split("\t") for line in text.decode().splitlines()]

    def end(self):
        """Waits for the end, and returns the status and what was said on standard error."""
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said.decode(errors="replace")
