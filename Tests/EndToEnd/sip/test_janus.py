"""Calls with Janus."""

import unittest

from sip import peers
from sip.janus import Janus
from sip.marks import interops, proves
from sip.media import MediaTest
from support.case import TORTURE
from support.waiting import wait_until


@interops("Janus")
@unittest.skipUnless(TORTURE, "Janus takes an address of this machine beside the loopback; `make torture` tries it")
@unittest.skipUnless(Janus.is_installed(), "the package janus, or one of GStreamer for its peer, is missing")
class JanusTest(peers.CallsWithPhone, peers.HoldsOfPhone, peers.TransfersOfPhone, MediaTest, peers.PhoneTest):
    refusal = ("SIP 486", "busy")

    # It tells its client whom to call instead, and leaves the rest to it.
    test_we_pass_it_on = None

    def make_phone(self, *arguments, **options):
        return Janus(*arguments, **options)

    @proves("SDES")
    def test_sound_that_is_encrypted(self):
        account = self.add_account("erin", encryption="required")
        self.phone.encryption = "sdes_mandatory"
        self.try_sound(account, "pcma", "srtp-sdes")
        self.remove_account(account)

    @proves("Opus")
    def test_opus(self):
        self.phone.codec = "opus"
        self.try_sound(self.alice, "opus", "none")

    def try_sound(self, account, codec, encryption):
        call = self.call_out(self.phone, account)
        self.assertTalking(self.phone)
        self.assertSound(call, codec, encryption)
        self.end_call(call)

    @proves("DTMF")
    def test_we_get_its_keys(self):
        # Ours go through it as packets of sound, to its peer.
        call = self.call_out(self.phone, self.work)
        self.assertTalking(self.phone)
        self.phone.press("159#*0")
        wait_until(lambda: self.pressed() == "159#*0", lambda: f"we have {self.pressed()}", every=0.05)
        self.end_call(call)
