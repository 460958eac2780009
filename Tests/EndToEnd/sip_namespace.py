"""Networks of their own for processes: each reaches this machine, and no other such network."""

import os
import subprocess


class Namespace:
    """A network namespace, joined to this machine by a wire. Only root can make one."""

    count = 0

    def __init__(self):
        Namespace.count += 1
        first, second = os.getpid() % 200 + 20, Namespace.count
        self.name = f"opencallkit-{os.getpid()}-{second}"
        self.wire = f"ock{os.getpid()}-{second}"
        self.outside, self.inside = f"10.{first}.{second}.1", f"10.{first}.{second}.2"
        """The addresses at the two ends of the wire."""

    def start(self):
        self.ip("netns", "add", self.name)
        self.ip("link", "add", self.wire, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        self.ip("addr", "add", f"{self.outside}/24", "dev", self.wire)
        self.ip("link", "set", self.wire, "up")
        for words in (("addr", "add", f"{self.inside}/24", "dev", "eth0"), ("link", "set", "eth0", "up"),
                      ("link", "set", "lo", "up"), ("route", "add", "default", "via", self.outside)):
            self.ip("-n", self.name, *words)
        return self

    def move(self):
        """Gives the inside another address. Returns the old and the new one."""
        before, after = self.inside, self.outside.rpartition(".")[0] + f".{int(self.inside.rpartition('.')[2]) + 1}"
        self.ip("-n", self.name, "addr", "add", f"{after}/24", "dev", "eth0")
        self.ip("-n", self.name, "addr", "del", f"{before}/24", "dev", "eth0")
        self.ip("-n", self.name, "addr", "replace", f"{after}/24", "dev", "eth0")
        self.ip("-n", self.name, "route", "replace", "default", "via", self.outside)
        self.inside = after
        return before, after

    def wrapper(self):
        """The beginning of a command that runs inside."""
        return ("ip", "netns", "exec", self.name)

    def stop(self):
        self.ip("netns", "del", self.name)

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True, timeout=20)
