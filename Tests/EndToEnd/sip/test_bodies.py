"""Bodies of messages: in several parts, of several types, encoded, and missing where one is expected.

sems-server/sems #129, SIPp/sipp PR #862, BelledonneCommunications/linphone-sdk #65, freeswitch/sofia-sip #121.
"""

import base64
import quopri

import dbus

from sip.certificates import DOMAIN
from sip.hostile import HostileTest
from sip.parts import LOCATION, OPTIONAL, described, nested, part, several, unknown
from sip.rtp import RtpPeer
from sip.stranger import Leg, sound
from sip.test_unanswered import port_of
from support.waiting import wait_until

SDP = "Content-Type: application/sdp"
ODD = "'()+_,-./:=? x"
REQUIRED = unknown("Content-Disposition: signal;handling=required", kind="application/isup", body="isup")


def forms(port):
    """Bodies in which the sound at this port is found, by name."""
    text = sound(port)
    return {
        "a location behind": several(described(port), OPTIONAL),
        "a location before": several(OPTIONAL, described(port)),
        "the last one that is understood": several(
            unknown(), described(port), unknown(kind="text/x"), kind="alternative"),
        "related": several(described(port), unknown("Content-ID: <l>"), kind="related"),
        "related, with another root": several(
            unknown("Content-ID: <l>"), described(port, "Content-ID: <d>"), kind="related", more=';start="<d>"'),
        "referred to": several(described(port), unknown("Content-ID: <l>")),
        "by reference": several(described(port), unknown("Content-ID: <l>", "Content-Disposition: by-reference")),
        "another kind of parts": several(described(port), OPTIONAL, kind="x-other"),
        "in capitals": several(part(text, "CONTENT-TYPE: Application/SDP;charset=utf-8",
                                    "content-disposition: Session; HANDLING=Required"), OPTIONAL, kind="MIXED"),
        "parts in parts": nested(described(port), OPTIONAL, depth=3),
        "an optional branch": several(
            part(several(REQUIRED, boundary="b2")[1], several(boundary="b2")[0],
                 "Content-Disposition: render;handling=optional"), described(port)),
        "an odd boundary": several(described(port), OPTIONAL, boundary=ODD, quoted=f'"{ODD}"'),
        "a boundary behind others": (
            'Content-Type: multipart/mixed; xboundary=x; a="; boundary=y";\r\n Boundary = "b1"',
            several(described(port))[1]),
        "a boundary that goes on": several(
            part("--b1x\r\n--b1--x\r\n" + LOCATION, "Content-Type: x/y", "Content-ID: <l>"), described(port)),
        "spaces behind the boundary": (several()[0], several(described(port))[1].replace("--b1\r\n", "--b1 \t\r\n")),
        "ends of lines as in Unix": several(described(port), OPTIONAL, end="\n"),
        "text around": several(described(port), preamble="Nothing to see.\r\n--b2\r\n", epilogue="--b1\r\nNor here."),
        "folded headers": several(part(text, "Content-Type:", "\tapplication/sdp;", " charset=utf-8"), OPTIONAL),
        "no last boundary": (several()[0], several(described(port), OPTIONAL)[1].rpartition("\r\n--b1--")[0]),
        "base64": several(part(base64.encodebytes(text.encode()).decode(), SDP, "Content-Transfer-Encoding: BASE64")),
        "quoted-printable": several(part(
            quopri.encodestring(text.encode()).decode(), SDP, "Content-Transfer-Encoding: quoted-printable")),
        "8bit": several(part(text, SDP, "Content-Transfer-Encoding: 8bit")),
        "one part": ("Content-Type: application/SDP;charset=utf-8", text),
        "a short header": ("c: application/sdp", text),
        "one part, encoded": ("Content-Type: application/sdp\r\nContent-Transfer-Encoding: base64",
                              base64.b64encode(text.encode()).decode()),
    }


REFUSED = {
    "what must be understood": (415, several(described(9), REQUIRED)),
    "what says nothing of itself": (415, several(described(9), unknown())),
    "only that": (415, several(REQUIRED)),
    "none of them": (415, several(unknown(), unknown(kind="text/x"), kind="alternative")),
    "another type": (415, ("Content-Type: text/plain", "hello")),
    "an unknown encoding": (415, several(described(9, "Content-Transfer-Encoding: x-uuencode"))),
    "a compressed part": (415, several(described(9, "Content-Encoding: gzip"))),
    "a compressed body": (415, ("Content-Type: application/sdp\r\nContent-Encoding: gzip", "\x1f")),
    "a compressed body, in short": (415, ("c: application/sdp\r\ne: gzip", "\x1f")),
    "for another session": (415, several(described(9, "Content-Disposition: early-session"))),
    "no boundary": (400, ("Content-Type: multipart/mixed", several(described(9))[1])),
    "another boundary": (400, ("Content-Type: multipart/mixed;boundary=b2", several(described(9))[1])),
    "broken base64": (400, several(part("dj0w*", SDP, "Content-Transfer-Encoding: base64"))),
    "too deep": (400, nested(described(9), depth=6)),
    "too many": (400, several(*[OPTIONAL] * 40, described(9))),
    "nonsense in a part": (488, several(part("v=0\r\nnonsense", SDP))),
}


class BodiesTest(HostileTest):
    def setUp(self):
        super().setUp()
        self.far = self.far_side(RtpPeer())

    def assertHeard(self):
        """Asserts that sound comes to the far side."""
        count = self.far.count()
        wait_until(lambda: self.far.count() > count, "no sound comes", every=0.02)

    def change(self, leg, *headers, body="", code=200, method="INVITE"):
        answer = leg.ask(method, code, *headers, body=body)
        if method == "INVITE":
            leg.request("ACK")
        return answer


class Offers(BodiesTest):
    def test_an_offer_is_found_in_every_form(self):
        for name, (header, body) in forms(self.far.port).items():
            with self.subTest(name):
                leg, call = self.ring(header, "MIME-Version: 1.0", body=body)
                pending = self.answer(call)
                answered = leg.wait(200, "INVITE")
                self.assertIn("m=audio", answered.body)
                self.far.target = port_of(answered)
                leg.request("ACK")
                pending.result()
                self.assertHeard()
                leg.ask("BYE", 200)

    def test_what_cannot_be_understood_is_refused(self):
        for name, (code, (header, body)) in REFUSED.items():
            with self.subTest(name):
                leg = Leg(self.server)
                answer = leg.ask("INVITE", code, header, body=body)
                if code == 415:
                    self.assertIn("application/sdp", answer.header("accept"))
                    self.assertIn("multipart/mixed", answer.header("accept"))
        self.assertEqual(self.calls(), [])

    def test_what_need_not_be_understood_is_no_offer(self):
        leg, call = self.ring("Content-Type: text/plain", "Content-Disposition: render;handling=optional", body="hello")
        pending = self.answer(call)
        self.assertIn("m=audio", leg.wait(200, "INVITE").body)
        leg.request("ACK", body=sound(self.far.port))
        pending.result()
        self.assertHeard()
        leg.ask("BYE", 200)

    def test_what_follows_the_announced_length_is_no_part_of_the_message(self):
        leg = Leg(self.server)
        body = sound(self.far.port)
        leg.request("INVITE", body=body)
        call = leg.insist(lambda: self.find_ringing(leg), "nothing rings", 20)[-1]
        self.reject(call).result()
        leg = Leg(self.server)
        leg.request("INVITE")
        leg.sent += body.encode()
        call = leg.insist(lambda: self.find_ringing(leg), "nothing rings", 20)[-1]
        self.answer(call)
        # It is an offer of ours.
        self.assertIn("telephone-event/48000", leg.wait(200, "INVITE").body)
        leg.request("ACK", body=body)
        self.wait_state(call, "active")
        leg.ask("BYE", 200)


class Answers(BodiesTest):
    def test_in_early_media_and_in_the_answer(self):
        header, body = several(OPTIONAL, described(self.far.port))
        for answer in ((header, body), ("Subject: none", "")):
            leg, call = self.dial_out()
            leg.respond(183, header, body=body)
            self.assertHeard()
            leg.respond(200, answer[0], body=answer[1])
            self.wait_state(call, "active")
            self.assertHeard()
            self.end(call).result()
            self.server.mark()

    def test_what_must_be_understood_cannot_be_refused_in_an_answer(self):
        leg, call = self.dial_out()
        header, body = several(REQUIRED, described(self.far.port))
        leg.respond(200, header, body=body)
        self.wait_state(call, "active")
        self.assertHeard()
        self.end(call).result()

    def test_in_the_acknowledgement(self):
        header, body = several(OPTIONAL, described(self.far.port))
        leg, call = self.ring(body="")
        pending = self.answer(call)
        self.assertIn("m=audio", leg.wait(200, "INVITE").body)
        leg.request("ACK", header, body=body)
        pending.result()
        self.assertHeard()
        self.assertIn("m=audio", leg.ask("INVITE", 200).body)
        leg.request("ACK", header, body=body)
        self.assertHeard()
        self.assertState(call, "active")
        leg.ask("BYE", 200)

    def test_an_acknowledgement_without_the_answer_ends_the_call(self):
        for name, headers, body in (("nothing", (), ""), ("nonsense", (), "v=0\r\n"), ("other", several(OPTIONAL)[:1],
                                                                                    several(OPTIONAL)[1])):
            for is_later in (False, True):
                with self.subTest(name, is_later=is_later):
                    if is_later:
                        leg, call = self.talk(self.far.port)
                        leg.ask("INVITE", 200)
                    else:
                        leg, call = self.ring(body="")
                        self.answer(call)
                        leg.wait(200, "INVITE")
                    leg.request("ACK", *headers, body=body)
                    bye = self.server.wait_request("BYE", leg.call_id)
                    self.assertIn("488", bye.header("reason"))
                    self.assertEnding(call, "failed", detail="incompatible")


class Changes(BodiesTest):
    def test_hold_in_several_parts(self):
        leg, call = self.talk(self.far.port)
        for version, method in ((2, "INVITE"), (4, "UPDATE")):
            for step, direction, is_held in ((0, "sendonly", True), (1, "sendrecv", False)):
                header, body = several(
                    described(self.far.port, version=version + step, more=f"a={direction}\r\n"), OPTIONAL)
                answer = self.change(leg, header, body=body, method=method)
                self.assertIn("a=recvonly" if is_held else "a=sendrecv", answer.body)
                self.wait_shown(call, "RemoteHeld", is_held)
        self.assertHeard()
        leg.ask("BYE", 200)

    def test_a_change_that_cannot_be_understood_changes_nothing(self):
        for method in ("INVITE", "UPDATE"):
            leg, call = self.talk(self.far.port)
            for code, (header, body) in REFUSED.values():
                self.change(leg, header, body=body, code=code, method=method)
            self.assertHeard()
            self.assertState(call, "active")
            leg.ask("BYE", 200)

    def test_how_a_transfer_goes(self):
        fragment = part("SIP/2.0 200 OK\r\n", "Content-Type: Message/SIPFrag;version=2.0")
        plain = "message/sipfrag;version=2.0", "SIP/2.0 200 OK\r\n"
        for header, body in (several(OPTIONAL, fragment), several(unknown(), fragment, kind="alternative"),
                             (f"Content-Type: {plain[0]}", plain[1])):
            leg, call = self.talk(self.far.port)
            to = dbus.Struct(("generic", f"sip:dave@{DOMAIN}"), signature="ss")
            pending = self.request([("transfer", {"call": dbus.ObjectPath(call), "to": to})])
            refer = self.server.wait_request("REFER", leg.call_id)
            self.server.answer(refer, 202)
            leg.ask("NOTIFY", 415, "Event: refer", "Subscription-State: active", "Content-Type: text/plain", body="x")
            leg.ask("NOTIFY", 200, "Event: refer", "Subscription-State: terminated", header, body=body)
            pending.result()
            self.assertEnding(call, "transferred")
