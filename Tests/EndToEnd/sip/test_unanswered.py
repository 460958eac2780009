"""Sound, and what looks for its way, goes to nobody who has not asked for it: not before the answer, and not for long.
"""

import re
import struct
import unittest

from sip.bystander import Bystander
from sip.hostile import HostileTest
from sip.rtp import RtpPeer
from sip.stranger import Leg, sound
from support.case import TORTURE
from support.waiting import let_pass, wait_until

MOST, MOST_EARLY = 250, 100
"""How many packets of one call go to where nobody says anything: at most, and before the far side has answered."""
MOST_CALLS = 16
"""How many calls the daemon lets a plugin have at once."""
PACKET = struct.pack("!BBHII", 0x80, 0, 1, 160, 7) + b"\xff" * 160
"""Sound."""
ICE = "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"
DTLS = ("a=setup:passive\r\na=fingerprint:sha-256 " + ":".join(["9F"] * 32) + "\r\n")


def candidates(port, count=8):
    return ICE + "".join(f"a=candidate:{number} {number % 2 + 1} UDP {2113929471 - number} 127.0.0.{number // 2 + 1} "
                         f"{port + number % 2} typ host\r\n" for number in range(count))


def secured(description):
    return description.replace("RTP/AVP", "UDP/TLS/RTP/SAVPF") + DTLS


def port_of(message):
    """Where the sound is in a description of ours."""
    return "127.0.0.1", int(re.search(r"m=audio (\d+)", message.body)[1])


class UnansweredTest(HostileTest):
    @classmethod
    def start_rig(cls):
        super().start_rig()
        test = cls.make()
        test.add_account("dave", transport="udp", encryption="preferred", stun="127.0.0.1:9", trace=False)

    def bystander(self):
        return self.far_side(Bystander())

    def answer_leg(self, leg, call):
        pending = self.answer(call)
        answered = leg.wait(200, "INVITE")
        leg.request("ACK")
        pending.result()
        return answered

    def change(self, leg, body):
        """A re-INVITE, which the plugin takes."""
        leg.ask("INVITE", 200, body=body)
        leg.request("ACK")


class BeforeTheAnswer(UnansweredTest):
    def test_a_call_that_rings_sends_nothing(self):
        for name, user, body in (("plain", "alice", sound), ("ICE", "dave", lambda port: sound(port) + candidates(port)),
                                 ("DTLS", "dave", lambda port: secured(sound(port)))):
            with self.subTest(name):
                nobody = self.bystander()
                leg, call = self.ring(body=body(nobody.port), user=user)
                let_pass(1.5)
                self.assertEqual(nobody.packets, [], "something is sent before the answer")
                self.reject(call).result()

    def test_nor_do_as_many_as_can_ring_beside_one_that_is_active(self):
        nobody, far = self.bystander(), self.far_side(RtpPeer())
        _, active = self.talk(far.port)
        for number in range(MOST_CALLS - 1):
            Leg(self.server, caller=f"many{number}").request("INVITE", body=sound(nobody.port))
        ringing = wait_until(lambda: len(calls := self.calls()) == MOST_CALLS and calls, "they do not ring")
        count = far.count()
        wait_until(lambda: far.count() > count + 8000, "the sound has stopped", every=0.05)
        self.assertEqual(nobody.packets, [])
        for call in ringing:
            if call != active:
                self.reject(call).wait()
        self.end(active).result()

    def test_early_media_of_a_call_out(self):
        nobody = self.bystander()
        leg, call = self.dial_out()
        leg.respond(183, body=sound(nobody.port))
        wait_until(lambda: nobody.packets, "nothing opens a way for early media")
        self.assertLessEqual(nobody.wait_quiet(), MOST_EARLY)
        leg.respond(200, body=sound(nobody.port))
        self.wait_state(call, "active")
        self.assertLessEqual(nobody.wait_quiet(), MOST)
        self.end(call).result()

    def test_a_call_out_that_hides_who_calls(self):
        """RFC 3323, 4.1; RFC 3325, 9.3."""
        leg, call = self.dial_out("phone-number:#31#070-1740605")
        invite = leg.invitation
        self.assertIn("sip:0701740605@", invite.start)
        self.assertEqual(invite.header("privacy"), "id")
        self.assertTrue(invite.header("from").startswith('"Anonymous" <sip:anonymous@anonymous.invalid>;tag='))
        self.assertNotIn("alice", invite.header("contact"))
        self.end(call).result()

    def test_a_call_out_that_shows_who_calls(self):
        leg, call = self.dial_out("phone-number:*31#070-1740605")
        self.assertIn("sip:0701740605@", leg.invitation.start)
        self.assertEqual(leg.invitation.header("privacy"), "")
        self.assertIn("sip:alice@", leg.invitation.header("from"))
        self.end(call).result()

    def test_early_media_that_is_heard_gets_sound_back(self):
        far = self.far_side(RtpPeer())
        leg, call = self.dial_out()
        leg.respond(183, body=sound(far.port))
        wait_until(lambda: len(far.packets) > 2 * MOST_EARLY, "the sound has stopped", every=0.05)
        self.end(call).result()


class AfterTheAnswer(UnansweredTest):
    def test_a_far_side_that_says_nothing(self):
        nobody = self.bystander()
        leg, call = self.ring(body=sound(nobody.port))
        place = port_of(self.answer_leg(leg, call))
        self.assertGreater(nobody.wait_quiet(), MOST_EARLY, "routers and servers that wait for sound get little")
        self.assertLessEqual(len(nobody.packets), MOST)
        count = len(nobody.packets)
        nobody.send(PACKET, place)
        wait_until(lambda: len(nobody.packets) > count + MOST, "it was heard, and gets no sound", every=0.05)
        leg.ask("BYE", 200)

    def test_a_far_side_that_sends_reports_only(self):
        nobody = self.bystander()
        leg, call = self.ring(body=sound(nobody.port, more="a=recvonly\r\n"))
        host, port = port_of(self.answer_leg(leg, call))
        wait_until(lambda: nobody.packets, "no sound")
        nobody.send(struct.pack("!BBHI", 0x80, 201, 1, 7), (host, port + 1), is_upper=True)
        wait_until(lambda: len(nobody.packets) > 2 * MOST, "the sound has stopped", every=0.05)
        leg.ask("BYE", 200)

    def test_changes_that_name_others(self):
        far, others = self.bystander(), [self.bystander() for _ in range(3)]
        leg, _ = self.talk(far.port)
        far.send(PACKET, port_of(self.answered))
        wait_until(lambda: far.packets, "no sound")
        for number, other in enumerate(others, 2):
            self.change(leg, sound(other.port, version=number))
            other.wait_quiet()
        self.assertGreater(len(others[0].packets), 0)
        self.assertLessEqual(sum(len(other.packets) for other in others), MOST)
        count = len(far.packets)
        self.change(leg, sound(far.port, version=9))
        wait_until(lambda: len(far.packets) > count + MOST, "the sound does not come back", every=0.05)
        leg.ask("BYE", 200)

    @unittest.skipUnless(TORTURE, "takes half a minute")
    def test_reports_go_to_nobody_else(self):
        far, nobody = self.far_side(RtpPeer()), self.bystander()
        leg, call = self.ring(body=sound(far.port, more=f"a=rtcp:{nobody.port + 1}\r\n"))
        far.target = port_of(self.answer_leg(leg, call))
        wait_until(lambda: far.count() > 0, "no sound")
        let_pass(30)
        self.assertLessEqual(len(nobody.packets), 3)
        leg.ask("BYE", 200)

    def test_a_call_in_place_of_another_gets_no_more(self):
        nobody = self.bystander()
        leg, call = self.ring(body=sound(nobody.port))
        self.answer_leg(leg, call)
        self.assertLessEqual(nobody.wait_quiet(), MOST)
        count = len(nobody.packets)
        other = Leg(self.server, caller="other")
        other.ask("INVITE", 200, f"Replaces: {leg.call_id};to-tag={leg.remote_tag};from-tag={leg.tag}",
                  body=sound(nobody.port))
        other.request("ACK")
        let_pass(1)
        self.assertLessEqual(len(nobody.packets), max(MOST, count))
        other.ask("BYE", 200)

    def test_ways_that_lead_nowhere(self):
        """ICE looks for a way, and DTLS begins, so often and no more."""
        for name, body in (("ICE", lambda port: sound(port) + candidates(port, 30)),
                           ("DTLS", lambda port: secured(sound(port)))):
            with self.subTest(name):
                nobody = self.bystander()
                leg, call = self.ring(body=body(nobody.port), user="dave")
                self.answer_leg(leg, call)
                wait_until(lambda: nobody.packets, "nothing looks for a way")
                self.assertLessEqual(nobody.wait_quiet(5), MOST)
                self.end(call).wait()

    def test_who_does_not_know_the_password_is_not_answered(self):
        nobody, stranger = self.bystander(), self.bystander()
        leg, call = self.ring(body=sound(nobody.port) + candidates(nobody.port), user="dave")
        place = port_of(self.answer_leg(leg, call))
        request = struct.pack("!HHI", 1, 0, 0x2112A442) + b"twelve bytes"
        for _ in range(20):
            stranger.send(request, place)
            stranger.send(request, self.server.contacts["dave"][1:])
        let_pass(0.5)
        self.assertEqual(stranger.packets, [])
        self.end(call).wait()
