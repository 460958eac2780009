"""Calls whose sound passes through rtpengine."""

import re
import shutil
import unittest

from sip.marks import interop
from sip.media import MediaTest
from sip.rtpengine import Rtpengine
from support.system import CALL
from support.waiting import wait_until


@unittest.skipUnless(shutil.which("rtpengine"), "the package rtpengine-daemon is missing")
class RtpengineTest(MediaTest):
    @classmethod
    def start_server(cls, certificate, **options):
        cls.relay = cls.keep(Rtpengine(f"{cls.folder}/rtpengine").start())
        return super().start_server(certificate, relay=cls.relay, **options)

    def relayed(self):
        """How many packets it has taken in each direction of the calls that are over."""
        return [int(count) for count in re.findall(r"Port .*?(\d+) p, ", self.relay.log())]

    @interop("rtpengine", "out", "in", "hold", "DTMF")
    def test_the_sound_of_calls_passes_through_it(self):
        self.account_of(encryption="off")
        bob = self.baresip()
        for make in (self.call_out, self.call_in):
            with self.subTest(make.__name__):
                call = make(bob)
                self.assertTalking(bob)
                bob.mark()
                self.system.call(call, CALL, "PlayDTMF", "s", "159#*0").result()
                wait_until(lambda: bob.digits() == "159#*0", lambda: f"baresip has {bob.digits()}", every=0.05)
                self.hold(call).result()
                self.wait_heard(absent=[bob.frequency])
                self.resume(call).result()
                self.wait_heard(bob.frequency)
                self.end(call).result()
                bob.wait_event("CALL_CLOSED")
        wait_until(lambda: sum(count > 10 for count in self.relayed()) >= 2, lambda: self.relay.log()[-3000:], every=0.1)

    @interop("rtpengine", "SDES")
    def test_sound_that_is_encrypted(self):
        self.account_of(encryption="required")
        bob = self.baresip(encryption="srtp-mand")
        for make in (self.call_out, self.call_in):
            with self.subTest(make.__name__):
                call = make(bob)
                self.assertTalking(bob)
                self.assertSound(call, "", "srtp-sdes")
                self.end(call).result()
                bob.wait_event("CALL_CLOSED")

    @interop("rtpengine", "Opus", "G.722")
    def test_codecs(self):
        self.account_of(encryption="off")
        for codec, name in (("opus", "opus"), ("G722", "g722")):
            with self.subTest(codec):
                bob = self.baresip(codecs=(codec,))
                call = self.call_out(bob)
                self.assertTalking(bob)
                self.assertSound(call, name, "none")
                self.end(call).result()
                bob.wait_event("CALL_CLOSED")
                bob.stop()

    @interop("rtpengine", "DTLS")
    def test_keys_that_are_agreed_on_the_way_of_the_sound(self):
        self.account_of(encryption="dtls")
        bob = self.baresip(encryption="dtls_srtp")
        call = self.call_out(bob)
        self.assertTalking(bob)
        self.assertSound(call, "", "srtp-dtls")
        self.end(call).result()
        bob.wait_event("CALL_CLOSED")

    @interop("rtpengine", "remote hold")
    def test_a_phone_that_holds(self):
        self.account_of(encryption="off")
        bob = self.baresip()
        call = self.call_in(bob)
        bob.hold()
        self.wait_shown(call, "RemoteHeld", True)
        bob.resume()
        self.wait_shown(call, "RemoteHeld", False)
        self.wait_heard(bob.frequency)
