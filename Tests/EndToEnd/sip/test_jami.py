"""Calls with Jami."""

import os
import unittest

from sip import peers
from sip.case import MICROPHONE
from sip.jami import Jami
from sip.marks import interops, proves
from support.case import TORTURE
from support.waiting import wait_until


@interops("Jami")
@unittest.skipUnless(TORTURE, "Jami 13.7 does not register each time it starts; `make torture` tries it")
@unittest.skipUnless(os.path.exists("/usr/libexec/jamid"), "the package jami-daemon is missing")
class JamiTest(peers.CallsWithPhone, peers.HoldsOfPhone, peers.TransfersOfPhone, peers.PhoneTest):
    refusal = ("SIP 486", "busy")

    # Before a call or a hold of its own Jami 13.7 asks the kernel for IPv6 addresses. Where the answer is short it misses
    # the end of it, and waits for ever.
    test_it_calls_and_ends = test_we_decline = test_it_gives_up = test_it_holds_and_resumes = test_we_pass_it_on = None

    def make_phone(self, *arguments, **options):
        return Jami(*arguments, system=self.system, cards=self.cards, card=self.card, **options)

    def assertTalking(self, phone):
        # Jami does not always play a tone that stays the same. What it says is listened to.
        self.wait_heard(phone.frequency, absent=[MICROPHONE])

    @proves("DTMF")
    def test_we_get_its_keys(self):
        # It tells nobody of those that it gets.
        call = self.call_out(self.phone, self.work)
        self.assertTalking(self.phone)
        self.phone.press("159#*0")
        wait_until(lambda: self.pressed() == "159#*0", lambda: f"we have {self.pressed()}", every=0.05)
        self.end_call(call)
