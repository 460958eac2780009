"""Networks of their own for processes: each reaches this machine, and no other such network."""

import os
import random
import subprocess

from support.reservations import reserve
from support.waiting import GIVE_UP

NETWORKS = range(200 * 250)
"""Those of the addresses from 10.20.1.0 to 10.219.250.255, in networks of 256 addresses."""


def free_network():
    """The beginning of the addresses of a network that no other test has, such as "10.20.1"."""
    number = next(number for number in random.sample(NETWORKS, len(NETWORKS)) if reserve("network", number))
    return f"10.{number // 250 + 20}.{number % 250 + 1}"


class Namespace:
    """A network namespace, joined to this machine by a wire. Only root can make one."""

    count = 0

    def __init__(self):
        Namespace.count += 1
        self.name = f"opencallkit-{os.getpid()}-{Namespace.count}"
        self.wire = f"ock{os.getpid()}-{Namespace.count}"
        network = free_network()
        self.outside, self.inside = f"{network}.1", f"{network}.2"
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
        subprocess.run(["ip", *words], check=True, capture_output=True, timeout=GIVE_UP)
