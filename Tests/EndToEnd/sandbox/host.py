"""The daemon's part for a worker in a sandbox, played by the test: the policy, the start, the report."""

import os
import socket
import subprocess

from sandbox.battery import ALONE, Report
from support.waiting import GIVE_UP


class Worker:
    """A worker that was given a policy: a list of lines, each a list of fields.

    `before_policy` is called while the worker waits for the policy.
    """

    def __init__(self, program, library, policy, *, environment=None, wrapper=(), before_policy=None, **options):
        self.link, their_link = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel, their_channel = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with their_link, their_channel, open(library, "rb") as file:
            numbers = [str(each.fileno()) for each in (their_link, file, their_channel)]
            self.process = subprocess.Popen(
                [*wrapper, program, *numbers, library], pass_fds=[int(number) for number in numbers],
                stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment or {},
                start_new_session=True, **options)
        if before_policy is not None:
            before_policy()
        self.channel.sendall("".join("\t".join(line) + "\n" for line in policy).encode())
        self.channel.shutdown(socket.SHUT_WR)
        self.channel.settimeout(GIVE_UP)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.link.close()
        self.channel.close()

    def wait_confined(self):
        """Waits until the worker says how it is confined."""
        self.channel.recv(1, socket.MSG_PEEK)

    def report(self):
        """All lines in which the worker says how it is confined, as lists of words; at the latest when it has ended."""
        text = b""
        while part := self.channel.recv(4096):
            text += part
        return [line.split(" ") for line in text.decode().splitlines()]

    def end(self):
        """Waits for the end, and returns the status and what was said on standard error."""
        _, said = self.process.communicate(timeout=GIVE_UP)
        return self.process.returncode, said.decode(errors="replace")


class Attack:
    """The battery in a sandbox, with another worker in the same one beside it.

    `terms` are lines of the policy beside those that every plugin has. Afterwards: `confined`, the worker's report; and
    `report`, what became of each attempt.
    """

    def __init__(self, targets, terms, *, level="syscalls", wrapper=()):
        self.targets, self.terms, self.level, self.wrapper = targets, terms, level, wrapper
        self.make_folder("other-worker", only="none", stay="1", daemon=str(os.getpid()))
        with self.worker("other-worker") as other:
            other.wait_confined()
            self.make_folder("state", other=str(other.process.pid))
            _, self.confined = self.attack("state")
            self.report = Report(targets, f"{targets.folder}/state")
            for number, name in enumerate(ALONE):
                self.make_folder(f"alone-{number}", only=name)
                status, _ = self.attack(f"alone-{number}")
                self.report.add(f"{targets.folder}/alone-{number}", name, status)
        self.report.count()

    @property
    def gaps(self):
        return {line[1] for line in self.confined if line[0] == "gap"}

    @property
    def reached_level(self):
        return next(line[1] for line in self.confined if line[0] == "level")

    def make_folder(self, name, **values):
        folder = f"{self.targets.folder}/{name}"
        os.makedirs(folder, exist_ok=True)
        self.targets.write(folder, **values)

    def policy(self, state):
        pulse = f"{self.targets.folder}/runtime/pulse"
        return [("demand", self.level), ("read", f"{self.targets.folder}/bundle"),
                ("read", f"{self.targets.folder}/worker"), ("write", state), ("environment", "HOME", state),
                ("environment", "GRANTED_FOLDER", "/run/opencallkit/pulse"),
                ("environment-at-landlock", "GRANTED_FOLDER", pulse), *self.terms]

    def worker(self, name):
        folder = self.targets.folder
        return Worker(f"{folder}/worker/callkit-worker", f"{folder}/bundle/Battery.so", self.policy(f"{folder}/{name}"),
                      wrapper=self.wrapper, **self.targets.identity)

    def attack(self, name):
        """Returns how the worker ended, and its report."""
        with self.worker(name) as worker:
            status, self.said = worker.end()
            return status, worker.report()
