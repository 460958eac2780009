"""Calls with Twinkle."""

import shutil
import unittest

from sip import peers
from sip.marks import interops
from sip.twinkle import Twinkle


@interops("Twinkle")
@unittest.skipUnless(shutil.which("twinkle-console"), "the package twinkle-console is missing")
class TwinkleTest(peers.CallsWithPhone, peers.HoldsOfPhone, peers.KeysOfPhone, peers.TransfersOfPhone,
                  peers.PhoneTest):
    refusal = ("SIP 486", "busy")

    def make_phone(self, *arguments, **options):
        return Twinkle(*arguments, cards=self.cards, card=self.card, **options)

    def after_keys(self, call):
        # Half a second after its last key Twinkle 1.10 sends no more sound and takes no more commands.
        self.end(call).result()
