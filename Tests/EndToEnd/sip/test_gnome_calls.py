"""Calls with GNOME Calls."""

import shutil
import unittest

from sip import peers
from sip.gnome_calls import GnomeCalls
from sip.case import LINPHONE as FREQUENCY
from sip.case import MICROPHONE, PASSWORDS
from sip.marks import interops, proves
from sip.media import MediaTest
from support.case import TORTURE


@interops("GNOME Calls")
@unittest.skipUnless(TORTURE, "GNOME Calls 44 takes seconds for each call; `make torture` tries it")
@unittest.skipUnless(all(map(shutil.which, ("gnome-calls", "Xvfb", "secret-tool"))),
                     "one of the packages gnome-calls, xvfb, libsecret-tools is missing")
class GnomeCallsTest(peers.CallsWithPhone, MediaTest, peers.PhoneTest):
    def make_phone(self, *arguments, **options):
        return GnomeCalls(*arguments, cards=self.cards, card=self.card, **options)

    def assertTalking(self, phone):
        # GNOME Calls 44 does not always play what comes to it. What it says is listened to.
        self.wait_heard(phone.frequency, absent=[MICROPHONE])

    @proves("reasons")
    def test_it_declines(self):
        # It says that nobody is there.
        call = self.dial(self.phone.user)
        self.phone.wait_incoming()
        self.phone.decline()
        self.assertEnding(call, "unanswered", "SIP 480", "")

    @proves("hold")
    def test_we_hold_and_resume(self):
        call = self.call_out(self.phone)
        self.assertTalking(self.phone)
        self.hold(call).result()
        self.assertState(call, "held")
        self.wait_heard(absent=[self.phone.frequency])
        self.resume(call).result()
        self.assertTalking(self.phone)
        self.end_call(call)

    @proves("TLS", "SDES")
    def test_encrypted_sound_over_tls(self):
        phone = self.far_side(self.make_phone(self.new_folder("dave"), "dave", self.server, password=PASSWORDS["dave"],
                                              frequency=FREQUENCY, transport="tls"))
        account = self.add_account("erin", encryption="required")
        call = self.call_out(phone, account)
        self.assertTalking(phone)
        self.assertSound(call, "pcma", "srtp-sdes")
        phone.hang_up()
        self.assertEnding(call, "remote-ended")
        self.remove_account(account)
