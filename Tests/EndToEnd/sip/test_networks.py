"""Calls from a network that reaches the server and a relay only."""

import os
import re
import unittest

from sip.marks import interop
from sip.media import MediaTest
from sip.namespace import Namespace
from sip.turn import Coturn
from support.waiting import wait_until


def forwards():
    with open("/proc/sys/net/ipv4/ip_forward", encoding="ascii") as file:
        return file.read().strip() != "0"


@unittest.skipIf(os.geteuid(), "only root can make networks")
@unittest.skipIf(forwards(), "this machine is a router: the two networks would reach each other")
class Relayed(MediaTest):
    """The daemon and the phone are in networks of their own, which reach the server and the relay, and not each other."""

    @classmethod
    def setUpClass(cls):
        cls.network, cls.far_network = Namespace().start(), Namespace().start()
        cls.addClassCleanup(cls.network.stop)
        cls.addClassCleanup(cls.far_network.stop)
        cls.hosts = (cls.network.outside, cls.far_network.outside)
        super().setUpClass()

    @classmethod
    def make_wrapper(cls):
        cls.turn = cls.keep(Coturn(f"{cls.folder}/turn", host=cls.network.outside).start())
        return cls.network.wrapper()

    def relayed(self):
        """How many packets the relay has passed on to peers and back, once it tells."""
        return [(int(received), int(sent)) for received, sent in
                re.findall(r"peer usage:.*?rp=(\d+).*?sp=(\d+)", self.turn.log())]

    @interop("coturn", "TURN")
    @interop("baresip", "TURN", "ICE")
    def test_the_relay_carries_the_sound_both_ways(self):
        for make in (self.call_out, self.call_in):
            with self.subTest(make.__name__):
                self.account_of(turn=self.turn.address, turn_user=self.turn.user, turn_secret=self.turn.password,
                                encryption="off")
                bob = self.baresip(nat="ice", network=self.far_network)
                call = make(bob)
                self.assertTalking(bob)
                self.end(call).result()
                bob.wait_event("CALL_CLOSED")
                bob.stop()
                self.doCleanups()
        wait_until(lambda: any(received > 10 and sent > 10 for received, sent in self.relayed()),
                   lambda: f"nothing was relayed: {self.turn.log()[-3000:]}", every=0.1)

    def test_without_the_relay_nothing_is_heard(self):
        """That the network of this test is as it should be."""
        self.account_of(encryption="off")
        bob = self.baresip(network=self.far_network)
        call = self.call_out(bob)
        with self.assertRaises(AssertionError):
            self.wait_heard(bob.frequency, seconds=3)
        self.end(call).result()


@unittest.skipIf(os.geteuid(), "only root can make networks")
class Moving(MediaTest):
    """The daemon's machine gets another address, as when it goes to another network."""

    @classmethod
    def setUpClass(cls):
        cls.network = Namespace().start()
        cls.addClassCleanup(cls.network.stop)
        cls.hosts = (cls.network.outside,)
        super().setUpClass()

    @classmethod
    def make_wrapper(cls):
        return cls.network.wrapper()

    def test_the_account_and_a_call_move_to_the_new_address(self):
        for transport in ("udp", "tls"):
            with self.subTest(transport):
                account = self.account_of(encryption="off", transport=transport)
                script = self.willing(880, host=self.network.outside)
                call = self.call_script(script)
                self.assertTalking(script)
                self.server.mark()
                before, after = self.network.move()
                requests = wait_until(
                    lambda: [request for request in self.server.seen("REGISTER") if f"@{after}" in request.contact],
                    lambda: f"it does not register from {after}: {self.server.seen()}", every=0.05)
                self.assertNotIn(f"@{before}", requests[-1].contact)
                self.wait_available(account, "online")
                self.assertTalking(script)
                self.assertState(call, "active")
                self.end(call).result()
                script.wait_done()
                self.doCleanups()
