"""dnsmasq as the name server of the account's domain, and a daemon that asks it."""

import os
import random
import socket

from sip.certificates import DOMAIN
from sip.ports import RigProcess
from support.waiting import wait_until


class Dnsmasq(RigProcess):
    """A name server at port 53 of a loopback address of its own."""

    def __init__(self, folder, server):
        super().__init__("dnsmasq", folder)
        self.server = server
        self.address = f"127.{random.randint(1, 250)}.{random.randint(1, 250)}.{random.randint(2, 250)}"
        self.lines = []

    def offer(self, transport, port=None, host="server", priority=10):
        """Adds a SRV record, and its NAPTR record."""
        service, proto = {"udp": ("_sip", "_udp"), "tcp": ("_sip", "_tcp"), "tls": ("_sips", "_tcp")}[transport]
        word = {"udp": "SIP+D2U", "tcp": "SIP+D2T", "tls": "SIPS+D2T"}[transport]
        port = port or (self.server.tls_port if transport == "tls" else self.server.port)
        self.lines += [f"srv-host={service}.{proto}.{DOMAIN},{host}.{DOMAIN},{port},{priority},0",
                       f"naptr-record={DOMAIN},{priority},50,s,{word},,{service}.{proto}.{DOMAIN}"]
        return self

    def start(self):
        path = os.path.join(self.folder, "dnsmasq.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join([
                "no-resolv", "no-hosts", "no-daemon", "log-queries", "bind-interfaces", f"listen-address={self.address}",
                f"host-record=server.{DOMAIN},127.0.0.1", f"local=/{DOMAIN}/", *self.lines]) + "\n")
        self.spawn("dnsmasq", f"--conf-file={path}", f"--pid-file={self.folder}/dnsmasq.pid")
        wait_until(lambda: self.process.poll() is not None or self.listens(), "dnsmasq does not listen", every=0.02)
        return self

    def listens(self):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp:
            tcp.settimeout(1)
            return tcp.connect_ex((self.address, 53)) == 0

    def wrapper(self):
        """The beginning of a command that sees this name server in its resolv.conf."""
        path = os.path.join(self.folder, "resolv.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"nameserver {self.address}\noptions timeout:1 attempts:1\n")
        target = os.path.realpath("/etc/resolv.conf")
        return ("unshare", "--mount", "sh", "-c", f'mount --bind "{path}" "{target}" && exec "$@"', "sh")

    def queries(self):
        """What was asked, as words such as `query[SRV] _sip._udp.phones.test`."""
        return [line.split(": ", 1)[-1].rsplit(" from ", 1)[0] for line in self.log().splitlines() if "query[" in line]
