"""The sound of SIP calls: codecs, encryption, ways through networks, and what is heard at both ends."""

import os
import re
import time
import unittest

from sip.case import MICROPHONE
from sip.marks import interop
from sip.media import MediaTest
from sip.scripts import CALLED, Called, description, expect_request
from sip.turn import Coturn
from support.tones import wait_sound
from support.waiting import wait_until


class Codecs(MediaTest):
    def talk(self, name, codec, phone, **settings):
        self.account_of(codecs=name, encryption="off", **settings)
        call = self.call_out(phone)
        self.assertTalking(phone)
        self.assertSound(call, codec, "none")
        return call

    def test_g711(self):
        for name in ("PCMU", "PCMA"):
            with self.subTest(name):
                bob = self.baresip(codecs=(name,))
                call = self.talk(name, name, bob)
                self.end(call).result()
                self.doCleanups()
                bob.stop()

    @interop("baresip", "G.722")
    def test_g722_with_baresip(self):
        self.talk("G722", "G722", self.baresip(codecs=("G722",)))

    @interop("linphone", "G.722")
    def test_g722_with_linphone(self):
        carol = self.linphone()
        self.talk("G722", "G722", carol)

    @interop("baresip", "Opus")
    def test_opus_with_baresip(self):
        self.talk("opus", "opus", self.baresip(codecs=("opus",)))

    @interop("linphone", "Opus")
    def test_opus_with_linphone(self):
        self.talk("opus", "opus", self.linphone())

    def test_what_is_offered_is_what_the_account_says(self):
        self.account_of(codecs="PCMA,opus", encryption="off")
        script = self.sipp(expect_request("INVITE", CALLED), Called.answer(488, "Not Acceptable Here"),
                           expect_request("ACK"))
        call = self.dial(script.user)
        self.assertEnding(call, "failed", "SIP 488", "incompatible")
        offer = script.received("INVITE")[0]
        self.assertEqual(re.findall(r"a=rtpmap:\d+ (\w+)", offer)[:2], ["PCMA", "opus"])
        self.assertNotIn("G722", offer)


class Encryption(MediaTest):
    @interop("baresip", "SDES", "TLS")
    def test_sdes_with_baresip(self):
        self.account_of(encryption="required")
        bob = self.baresip(encryption="srtp-mand", transport="tls")
        call = self.call_out(bob)
        self.assertTalking(bob)
        self.assertSound(call, "", "srtp-sdes")
        self.end(call).result()
        bob.wait_event("CALL_CLOSED")
        call = self.call_in(bob)
        self.assertTalking(bob)
        self.assertSound(call, "", "srtp-sdes")

    @interop("linphone", "SDES", "TLS")
    def test_sdes_with_linphone(self):
        self.account_of(encryption="required")
        carol = self.linphone(encryption="srtp", is_mandatory=True, transport="tls")
        call = self.call_in(carol)
        self.assertTalking(carol)
        self.assertSound(call, "", "srtp-sdes")
        self.hold(call).result()
        self.resume(call).result()
        self.assertTalking(carol)

    @interop("baresip", "DTLS")
    def test_dtls_with_baresip(self):
        self.account_of(encryption="dtls")
        bob = self.baresip(encryption="dtls_srtp")
        for make in (self.call_out, self.call_in):
            with self.subTest(make.__name__):
                call = make(bob)
                self.assertTalking(bob)
                self.assertSound(call, "", "srtp-dtls")
                self.end(call).result()
                bob.wait_event("CALL_CLOSED")

    @interop("linphone", "DTLS")
    def test_dtls_with_linphone(self):
        self.account_of(encryption="dtls")
        carol = self.linphone(encryption="dtls", is_mandatory=True)
        for make in (self.call_in, self.call_out):
            with self.subTest(make.__name__):
                call = make(carol)
                self.assertTalking(carol)
                self.assertSound(call, "", "srtp-dtls")
                carol.mark()
                self.end(call).result()
                carol.wait_state("Released")

    def test_preferred_takes_what_there_is(self):
        self.account_of(encryption="preferred")
        plain = self.baresip("bob")
        call = self.call_out(plain)
        self.assertTalking(plain)
        self.assertSound(call, "", "none")
        self.end(call).result()
        plain.wait_event("CALL_CLOSED")
        call = self.call_in(plain)
        self.assertSound(call, "", "none")
        self.end(call).result()
        secret = self.baresip("dave", encryption="srtp-mand", frequency=880)
        call = self.call_out(secret)
        self.assertTalking(secret)
        self.assertSound(call, "", "srtp-sdes")

    @interop("sipp", "SDES")
    def test_required_never_falls_back(self):
        self.account_of(encryption="required")
        script = self.sipp(expect_request("INVITE", CALLED), Called.answer(488, "Not Acceptable Here"),
                           expect_request("ACK"))
        call = self.dial(script.user)
        self.assertEnding(call, "failed", "SIP 488", "incompatible")
        offers = script.received("INVITE")
        self.assertEqual(len(offers), 1, "it has offered again")
        self.assertIn("RTP/SAVP", offers[0])
        plain = self.baresip("bob")
        plain.dial("alice")
        self.assertRegex(plain.wait_event("CALL_CLOSED"), "^488")
        self.assertEqual(self.calls(), [])

    def test_an_answer_without_the_encryption_that_is_required(self):
        self.account_of(encryption="required")
        rtp = self.rtp()
        script = self.sipp(expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)),
                           expect_request("ACK"), expect_request("BYE"), Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.assertEnding(call, "failed")
        script.wait_done()
        self.assertEqual(rtp.count(), 0, "sound was sent in clear")

    def test_the_keys_are_in_no_log(self):
        self.account_of(encryption="required")
        bob = self.baresip(encryption="srtp-mand")
        call = self.call_out(bob)
        self.end(call).result()
        log = self.system.read_log()
        self.assertNotRegex(log, r"inline:[A-Za-z0-9+/]{20}")
        self.assertNotIn(f"{bob.user}@", log)


class Ways(MediaTest):
    @classmethod
    def start_rig(cls):
        super().start_rig()
        cls.turn = cls.keep(Coturn(f"{cls.folder}/turn").start())

    @interop("baresip", "ICE")
    @interop("coturn", "ICE")
    def test_ice_with_baresip(self):
        self.account_of(stun=self.turn.address, encryption="off")
        bob = self.baresip(nat="ice")
        for number, make in enumerate((self.call_out, self.call_in), 1):
            with self.subTest(make.__name__):
                call = make(bob)
                # Sound may come before all ways have been tried.
                wait_until(lambda number=number: bob.log().count("connectivity check is complete") >= number,
                           lambda: f"no connectivity check: {bob.log()[-2000:]}", every=0.05)
                self.assertTalking(bob)
                self.end(call).result()
                bob.wait_event("CALL_CLOSED")
        self.assertEqual(bob.log().count("connectivity check is complete"), 2)

    @interop("linphone", "ICE")
    def test_ice_with_linphone(self):
        self.account_of(stun=self.turn.address, encryption="off")
        carol = self.linphone(stun=self.turn.address)
        for make in (self.call_in, self.call_out):
            with self.subTest(make.__name__):
                carol.mark()
                call = make(carol)
                self.assertTalking(carol)
                self.end(call).result()
                carol.wait_state("Released")
        self.assertIn("ICE", carol.diary())

    def test_ice_with_a_phone_that_has_none(self):
        self.account_of(stun=self.turn.address, encryption="off")
        bob = self.baresip()
        call = self.call_out(bob)
        self.assertTalking(bob)
        self.end(call).result()

    def test_a_relay_is_asked_for(self):
        before = self.turn.allocations()
        self.account_of(turn=self.turn.address, turn_user=self.turn.user, turn_secret=self.turn.password, encryption="off")
        bob = self.baresip(nat="ice")
        call = self.call_out(bob)
        self.assertTalking(bob)
        wait_until(lambda: self.turn.allocations() > before, lambda: self.turn.log()[-2000:], every=0.05)
        self.end(call).result()

    def test_a_turn_server_that_does_not_answer_delays_a_call_by_two_seconds_at_most(self):
        self.account_of(turn="127.0.0.1:9", turn_user="a", turn_secret="b", encryption="off")
        plain_account = self.add_account("work", transport="tls", encryption="off")
        self.addCleanup(self.remove_account, plain_account)
        bob = self.baresip()

        def call_takes(account):
            began = time.monotonic()
            self.end(self.call_out(bob, account)).result()
            bob.wait_event("CALL_CLOSED")
            return time.monotonic() - began
        # All to the same phone: what the machine takes for a call is no delay by the server. A busy machine may
        # delay any of them, but not all.
        plain = call_takes(plain_account)
        delays = []
        while not delays or delays[-1] >= 4 and len(delays) < 3:
            delays.append(call_takes(self.alice) - plain)
        self.assertLess(min(delays), 4, delays)
        call = self.call_out(bob)
        self.assertTalking(bob)
        self.end(call).result()


class Grant(MediaTest):
    def setUp(self):
        super().setUp()
        self.account_of(encryption="off")

    def streams(self):
        """How many streams of ours the sound server has."""
        text = self.cards.pactl("list", "short", "source-outputs") + self.cards.pactl("list", "short", "sink-inputs")
        return len([line for line in text.splitlines() if "module-sine" not in line and "protocol-native" in line])

    def test_the_microphone_is_open_only_in_a_call(self):
        self.cards.heard("plugin")
        before = len(self.cards.recordings)
        wait_until(lambda: self.streams() == before, "streams of another call stay", every=0.05)
        bob = self.baresip()
        bob.dial("alice")
        call = self.wait_ringing()
        self.assertEqual(self.streams(), before, "open while it rings")
        self.answer(call).result()
        self.assertTalking(bob)
        self.assertEqual(self.streams(), before + 2)
        self.hold(call).result()
        wait_until(lambda: self.streams() == before, "open while it is held", every=0.05)
        self.resume(call).result()
        wait_until(lambda: self.streams() == before + 2, "not open again", every=0.05)
        self.end(call).result()
        wait_until(lambda: self.streams() == before, "open after the call", every=0.05)

    def test_its_streams_are_a_telephone_s(self):
        bob = self.baresip()
        self.call_out(bob)
        self.assertTalking(bob)
        self.assertIn('media.role = "phone"', self.cards.pactl("list", "sink-inputs"))

    def test_a_sound_server_that_starts_again(self):
        bob = self.baresip()
        call = self.call_out(bob)
        self.assertTalking(bob)
        self.cards.stop(seconds=0)
        self.cards.start()
        self.assertTalking(bob)
        self.end(call).result()

    def test_lost_and_late_packets(self):
        script = self.willing(880, loss=0.1, jitter=0.04)
        call = self.call_script(script)
        wait_sound(script.heard, [MICROPHONE])
        self.wait_heard(880, absent=[MICROPHONE])
        self.wait_quality(call, lambda loss, _: 30 < loss < 300)

    @interop("linphone", "in")
    def test_the_quality_of_a_good_call(self):
        carol = self.linphone()
        call = self.call_in(carol)
        self.assertTalking(carol)
        self.wait_quality(call, lambda loss, jitter: loss < 30 and jitter < 50)

    def wait_quality(self, call, expected):
        """Waits until the loss and the jitter that are told are such. A busy machine adds to them for a while."""
        def is_such():
            told = self.system.shown(call, "Quality")
            return told and expected(int(told["loss"]), int(told["jitter"]))
        wait_until(is_such, lambda: f"the quality is {self.system.shown(call, 'Quality')}")


@unittest.skipIf(not os.path.exists("/proc/net/if_inet6"), "no IPv6 here")
class Version6(MediaTest):
    hosts = ("::1",)

    @interop("baresip", "IPv6")
    def test_a_call_over_ipv6(self):
        self.account_of(encryption="preferred")
        bob = self.baresip(host="::1")
        call = self.call_out(bob)
        self.assertTalking(bob)
        self.end(call).result()
        bob.wait_event("CALL_CLOSED")
        self.call_in(bob)
        self.assertTalking(bob)

    @interop("linphone", "IPv6")
    def test_linphone_over_ipv6(self):
        self.account_of(encryption="off")
        carol = self.linphone(host="::1")
        call = self.call_in(carol)
        self.assertTalking(carol)
        self.end(call).result()

    @interop("sipp", "IPv6")
    def test_a_script_over_ipv6(self):
        self.account_of(encryption="off")
        rtp = self.rtp(host="::1")
        script = self.sipp(expect_request("INVITE", CALLED),
                           Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
                           expect_request("BYE"), Called.answer(200, "OK", first=False), host="::1")
        call = self.dial(script.user)
        self.wait_state(call, "active")
        wait_sound(rtp.heard, [MICROPHONE])
        self.end(call).result()
        script.wait_done()
