"""Descriptions with several lines of sound, and with others between them (RFC 3264, section 6).

pjsip/pjproject #1069, baresip/baresip #641, jitsi/jitsi #140.
"""

import re

from sip.hostile import HostileTest
from sip.rtp import RtpPeer
from sip.stranger import Leg, sound
from sip.test_unanswered import DTLS
from support.waiting import wait_until

CRYPTO = "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:YO7vHSNGE5yyDrejBYaCBsm1PIHBa1VcKNS+0ciM\r\n"
UNKNOWN = "a=crypto:1 AES_256_CM_HMAC_SHA1_80 inline:YO7vHSNGE5yyDrejBYaCBsm1PIHBa1VcKNS+0ciM\r\n"
VIDEO = "m=video 40010 RTP/AVP 97\r\na=rtpmap:97 H264/90000\r\na=sendrecv\r\n"
TEXT = "m=text 40012 RTP/AVP 98\r\na=rtpmap:98 t140/1000\r\n"
REMOVED = "m=audio 0 RTP/AVP 8\r\n"
BEGIN = "v=0\r\no=- 1 {} IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"


def plain(port, codec=8, more=""):
    return f"m=audio {port} RTP/AVP {codec}\r\n{more}"


def secured(port, keys=CRYPTO, more=""):
    return f"m=audio {port} RTP/SAVP 8\r\n{keys}{more}"


def handshake(port):
    return f"m=audio {port} UDP/TLS/RTP/SAVP 8\r\na=rtcp-mux\r\n{DTLS}"


def offer(*lines, version=1, session=""):
    return BEGIN.format(version) + session + "".join(lines)


def lines_of(message):
    """The lines of media as (kind, whether it is accepted, profile)."""
    return [(kind, port != "0", profile) for kind, port, profile in re.findall(r"m=(\w+) (\d+) (\S+)", message.body)]


OFF, ON, AVP, SAVP, TLS = False, True, "RTP/AVP", "RTP/SAVP", "UDP/TLS/RTP/SAVP"
"""Users of accounts with encryption off, preferred and required."""
OFFERS = (
    ("alice", (secured(40000), plain(40002)), [("audio", OFF, SAVP), ("audio", ON, AVP)]),
    ("alice", (secured(40000, UNKNOWN), VIDEO, plain(40002)),
     [("audio", OFF, SAVP), ("video", OFF, AVP), ("audio", ON, AVP)]),
    ("alice", (plain(40000, 3), TEXT, plain(40002), plain(40004)),
     [("audio", OFF, AVP), ("text", OFF, AVP), ("audio", ON, AVP), ("audio", OFF, AVP)]),
    ("alice", (REMOVED, VIDEO, handshake(40000), plain(40002)),
     [("audio", OFF, AVP), ("video", OFF, AVP), ("audio", OFF, TLS), ("audio", ON, AVP)]),
    ("alice", (plain(40000, more="c=IN IP4 phone.example.org\r\n"), plain(40002)),
     [("audio", OFF, AVP), ("audio", ON, AVP)]),
    ("alice", (plain(40000, more="c=IN IP6 fe80::1\r\n"), plain(40002)), [("audio", OFF, AVP), ("audio", ON, AVP)]),
    ("alice", ("m=application 40000 UDP/BFCP *\r\n", "m=audio 40001 RTP/XYZ 8\r\n", plain(40002, more="a=mid:2\r\n")),
     [("application", OFF, "UDP/BFCP"), ("audio", OFF, "RTP/XYZ"), ("audio", ON, AVP)]),
    # GStreamer leaves out the two channels that Opus always has.
    ("alice", (plain(40000, 96, "a=rtpmap:96 OPUS/48000\r\n"),), [("audio", ON, AVP)]),
    ("dave", (plain(40000), secured(40002)), [("audio", OFF, AVP), ("audio", ON, SAVP)]),
    ("dave", (plain(40000), secured(40002, UNKNOWN)), [("audio", ON, AVP), ("audio", OFF, SAVP)]),
    ("dave", (secured(40002), plain(40000)), [("audio", ON, SAVP), ("audio", OFF, AVP)]),
    ("erin", (plain(40000), VIDEO, secured(40002)), [("audio", OFF, AVP), ("video", OFF, AVP), ("audio", ON, SAVP)]),
    ("erin", (plain(40000), secured(40002, UNKNOWN), handshake(40004)),
     [("audio", OFF, AVP), ("audio", OFF, SAVP), ("audio", ON, TLS)]),
)
REFUSED = (("alice", (secured(40000), handshake(40002))), ("erin", (plain(40000), secured(40002, UNKNOWN))),
           ("alice", (REMOVED, VIDEO)), ("alice", [VIDEO] * 20 + [plain(40000)]))


class EncryptionTest(HostileTest):
    """Alice encrypts nothing, dave if the far side can, erin always."""

    @classmethod
    def start_rig(cls):
        super().start_rig()
        test = cls.make()
        test.add_account("dave", transport="udp", encryption="preferred", trace=False)
        test.add_account("erin", transport="udp", encryption="required", trace=False)


class Lines(EncryptionTest):
    def take(self, user="alice", body=""):
        """A call that is answered. Returns it and our answer."""
        leg, call = self.ring(user=user, body=body)
        pending = self.answer(call)
        answered = leg.wait(200, "INVITE")
        leg.request("ACK")
        pending.result()
        return leg, call, answered

    def test_each_line_is_answered_in_its_place(self):
        for session in ("", "a=group:BUNDLE 0 1 2\r\n"):
            for user, lines, expected in OFFERS:
                with self.subTest(f"{user}: {lines}"):
                    leg, _, answered = self.take(user, offer(*lines, session=session))
                    self.assertEqual(lines_of(answered), expected)
                    leg.ask("BYE", 200)

    def test_nothing_in_common(self):
        for user, lines in REFUSED:
            with self.subTest(f"{user}: {lines}"):
                Leg(self.server, user).ask("INVITE", 488, body=offer(*lines))

    def test_sound_goes_to_the_line_that_is_accepted(self):
        refused, accepted = self.far_side(RtpPeer()), self.far_side(RtpPeer())
        leg, _, _ = self.take(body=offer(secured(refused.port), VIDEO, plain(accepted.port, 0)))
        wait_until(lambda: accepted.count() > 8000, "no sound comes", every=0.02)
        # And to another one in a change, which has one line more.
        answer = leg.ask("INVITE", 200, body=offer(
            secured(refused.port), VIDEO, REMOVED, plain(refused.port, 0), version=2))
        leg.request("ACK")
        self.assertEqual([is_accepted for _, is_accepted, _ in lines_of(answer)], [OFF, OFF, OFF, ON])
        count = refused.count()
        wait_until(lambda: refused.count() > count, "no sound comes", every=0.02)
        leg.ask("BYE", 200)

    def test_lines_keep_their_places_in_our_changes(self):
        leg, call, _ = self.take(body=offer(secured(40000), VIDEO, plain(40002)))
        pending = self.hold(call)
        invite = self.server.wait_request("INVITE", leg.call_id)
        self.assertEqual(lines_of(invite), [("audio", OFF, SAVP), ("video", OFF, AVP), ("audio", ON, AVP)])
        self.assertIn("a=sendonly", invite.body)
        Leg(self.server, invite=invite).respond(200, body=offer(
            "m=audio 0 RTP/SAVP 8\r\n", "m=video 0 RTP/AVP 97\r\n", plain(40002, more="a=recvonly\r\n"), version=2))
        pending.result()
        self.wait_state(call, "held")
        self.end(call).result()

    def test_answers_with_several_lines(self):
        far = self.far_side(RtpPeer())
        for lines in ((plain(far.port, 0), VIDEO), (plain(far.port, 0), plain(9, 0)), (secured(9), plain(far.port, 0)),
                      ("m=video 0 RTP/AVP 97\r\n", plain(far.port, 0))):
            with self.subTest(lines):
                self.server.mark()
                leg, call = self.dial_out()
                leg.respond(200, body=offer(*lines))
                self.wait_state(call, "active")
                count = far.count()
                wait_until(lambda count=count: far.count() > count, "no sound comes", every=0.02)
                self.end(call).result()


class Late(EncryptionTest):
    """INVITEs without an offer: ours is in the 200."""

    def offered(self, user):
        leg, call = self.ring(user=user, body="")
        pending = self.answer(call)
        return leg, call, pending, leg.wait(200, "INVITE")

    def test_who_does_not_encrypt_can_take_it(self):
        for user, answers in (("alice", {sound(40000): "none"}),
                              ("dave", {sound(40000): "none", offer(plain(40000, more=CRYPTO)): "srtp-sdes"}),
                              ("erin", {offer(secured(40000)): "srtp-sdes"})):
            for body, encryption in answers.items():
                with self.subTest(f"{user} {encryption}"):
                    leg, call, pending, answered = self.offered(user)
                    self.assertEqual(lines_of(answered), [("audio", ON, SAVP if user == "erin" else AVP)])
                    self.assertEqual("a=crypto" in answered.body, user != "alice")
                    leg.request("ACK", body=body)
                    pending.result()
                    self.wait_shown(call, "Encryption", encryption)
                    leg.ask("BYE", 200)

    def test_what_is_required_is_required(self):
        for lines in ((plain(40000),), ("m=audio 0 RTP/SAVP 8\r\n", plain(40000))):
            leg, call, _, _ = self.offered("erin")
            leg.request("ACK", body=offer(*lines))
            self.server.wait_request("BYE", leg.call_id)
            self.assertEnding(call, "failed", detail="incompatible")
