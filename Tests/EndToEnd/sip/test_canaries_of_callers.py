"""A number and a name in every field that the far side of a SIP call can fill: who may know who calls reads them, and nobody
else, in signals, the log, names of files or the list of processes."""

import dbus

from access.app import SandboxedApp
from sip.hostile import HostileTest
from sip.stranger import Leg, sound
from support.canaries import MARK, NAME, NUMBER, CanaryTest
from support.messages import uuid_of, variants
from support.system import CALL, IDENTITY, MANAGER, PROPERTIES, RECENTS, RECENTS1, ROOT
from support.waiting import wait_until

WHO = f"<sip:{NUMBER}@elsewhere.test>"
NAMED = f'"{NAME}" {WHO}'
HEADERS = (f"User-Agent: {NAME}/{NUMBER}", f"Subject: {NAME} {NUMBER}", f"Organization: {NAME}", f"P-Asserted-Identity: {NAMED}",
           f"Remote-Party-ID: {NAMED};party=calling", f"Diversion: {NAMED};reason={MARK}", f"History-Info: {NAMED};index=1",
           f"Referred-By: {NAMED}", f"Reply-To: {NAMED}", f"Alert-Info: <http://{MARK}.test/ring>", f"Call-Info: <http://{MARK}.test/>",
           f"Reason: SIP;cause=200;text={MARK}", f'Warning: 399 {MARK} "{NAME}"', f"X-{MARK}: {NAME}",
           f"Identity: {MARK}", f"Supported: {MARK}", f"Allow: {MARK}", f"Server: {NAME}", f"Accept-Language: {MARK}")
REASONS = (f'Reason: SIP;cause=200;text="{NAME} {NUMBER}"', f"Reason: Q.850;cause={NUMBER};text={MARK}", f"Reason: {MARK};cause=16")


def described(port=40000, version=1):
    """A description of sound with canaries wherever there is room for a text."""
    text = sound(port, version).replace("o=- ", f"o={MARK} ").replace("s=-", f"s={NAME} {NUMBER}").replace("0 101", "0 8 101 102")
    return text + (f"a=rtpmap:8 {MARK}/8000\r\na=rtpmap:102 {NAME}/8000\r\na=fmtp:101 {NUMBER}\r\na=mid:{MARK}\r\n"
                   f"a={MARK}:{NUMBER}\r\na=label:{NAME}\r\na=msid:{MARK} {MARK}\r\na=cname:{NUMBER}\r\n"
                   f"i={NAME}\r\nu=http://{MARK}.test/\r\ne={MARK}@elsewhere.test\r\np={NUMBER}\r\n")


class Callers(CanaryTest, HostileTest):
    def setUp(self):
        super().setUp()
        self.app = SandboxedApp(self.system)
        self.addCleanup(self.app.close)
        self.client = self.app.connect()

    def look(self):
        """An app without any permission reads all that there is for it."""
        self.system.call(ROOT, MANAGER, "GetManagedObjects", connection=self.client).result()
        self.assertUnread(self.app.received.decode(errors="replace"), "what an app reads")

    def assertKnown(self, call, *values):
        """Asserts that who may know reads this, so that the far side's words have arrived."""
        shown = str(dict(self.system.get_all(call, IDENTITY)))
        for value in values:
            self.assertIn(value, shown)

    def leg(self, name=NAME):
        leg = Leg(self.server)
        leg.ours, leg.call_id, leg.tag = f'"{name}" {WHO}', f"{leg.call_id}-{NUMBER}@{MARK}.test", f"{leg.tag}{MARK}"
        return leg

    def is_from(self, call, leg):
        """Each leg of this test is a call of its own, one after the other, from the same caller."""
        return super().is_from(call, leg) or NAME in leg.ours and NUMBER in str(self.identity(call, "Handle"))

    def ring_from(self, leg, *headers):
        leg.request("INVITE", *headers, body=described())
        return leg.insist(lambda: self.find_ringing(leg), lambda: f"nothing rings: {self.server.messages}", 20)[-1]

    def talk_to(self, leg, *headers):
        call = self.ring_from(leg, *headers)
        pending = self.answer(call)
        leg.wait(200, "INVITE")
        leg.request("ACK", *headers)
        pending.result()
        self.wait_state(call, "active")
        return call

    def wait_ended(self, call):
        wait_until(lambda: self.system.shown(call, "State") in ("ended", None), f"{call} does not end")

    def test_a_call_that_is_answered(self):
        with self.watched():
            leg = self.leg()
            call = self.talk_to(leg, *HEADERS)
            self.assertKnown(call, NUMBER, NAME)
            self.look()
            for method in ("MESSAGE", "INFO", "OPTIONS", "SUBSCRIBE", "NOTIFY", "UPDATE", "PUBLISH", MARK):
                leg.request(method, *HEADERS, f"Event: {MARK}", f"Content-Type: text/{MARK}", body=f"{NAME} {NUMBER}\r\n")
                leg.wait_answered()
            again = leg.request("INVITE", *HEADERS, body=described(40002, 2))
            leg.wait(200, "INVITE", again)
            leg.request("ACK", sequence=again)
            self.look()
            leg.ask("BYE", 200, *HEADERS, *REASONS[:1])
            self.wait_ended(call)
            self.look()
        self.assertIn("CallEnded", self.signals)

    def test_a_transfer(self):
        with self.watched():
            leg = self.leg()
            call = self.talk_to(leg)
            for target in (f'"{NAME}" <sip:{NUMBER}@{MARK}.test?Subject={MARK}>', f"<tel:{NUMBER}>", f"{MARK}:{NAME}"):
                number = leg.request("REFER", f"Refer-To: {target}", *HEADERS)
                leg.insist(lambda number=number: [answer for answer in self.server.responses(leg.call_id, "REFER")
                                                  if int(answer.sequence) == number], "no answer to REFER", 20)
            self.look()
            self.end(call).result()
            self.wait_ended(call)

    def test_calls_that_end_before_they_are_answered(self):
        with self.watched():
            for reason in REASONS:
                leg = self.leg()
                call = self.ring_from(leg, *HEADERS, *REASONS[1:])
                self.look()
                leg.request("CANCEL", reason, *HEADERS[1:3], sequence=leg.sequence, branch=leg.branch, to_tag="")
                self.wait_ended(call)
            leg = self.leg()
            call = self.ring_from(leg, *HEADERS)
            self.reject(call).result()
            self.look()

    def test_reasons_of_an_end(self):
        with self.watched():
            for reason in REASONS[1:]:
                leg = self.leg()
                call = self.talk_to(leg)
                leg.ask("BYE", 200, reason)
                self.wait_ended(call)
                self.assertUnread(str(dict(self.system.get_all(call, CALL))), "what is said of the call")
            self.look()

    def test_answers_to_our_calls(self):
        codes = ((486, f"{NAME} {NUMBER}"), (603, MARK), (399, NAME), (699, NUMBER), (302, NAME))
        with self.watched():
            for code, phrase in codes:
                with self.subTest(code):
                    call = self.dial("bob")
                    self.server.wait_request("INVITE")
                    leg = Leg(self.server, invite=self.server.requests("INVITE")[-1])
                    leg.tag += MARK
                    self.say(leg, 183, phrase, body=described())
                    self.say(leg, code, phrase, f'Contact: "{NAME}" <tel:{NUMBER}>;x={MARK}')
                    self.wait_ended(call)
                    self.server.mark()
            call = self.dial("bob")
            invite = self.server.wait_request("INVITE")
            leg = Leg(self.server, invite=invite)
            self.say(leg, 200, NAME, f"Contact: <sip:bob@127.0.0.1:{self.server.port}>", body=described())
            self.server.wait_request("ACK", leg.call_id)
            self.wait_state(call, "active")
            self.look()
            leg.sequence = 100
            leg.ask("BYE", 200, *HEADERS, *REASONS)
            self.wait_ended(call)

    def say(self, leg, code, phrase, *headers, body=""):
        """Answers our INVITE with a phrase of the far side's own."""
        def reply(data):
            first, _, rest = data.partition(b"\r\n")
            original(b" ".join([*first.split(b" ")[:2], phrase.encode()]) + b"\r\n" + rest)
        original = leg.invitation.reply
        leg.invitation.reply = reply
        try:
            self.server.answer(leg.invitation, code, *HEADERS, *REASONS, *headers, tag=leg.tag, body=body)
        finally:
            leg.invitation.reply = original

    def test_strangers_without_a_call(self):
        with self.watched():
            for method in ("OPTIONS", "MESSAGE", "SUBSCRIBE", "NOTIFY", "REFER", "BYE", "UPDATE", "PUBLISH", MARK):
                leg = self.leg()
                leg.request(method, *HEADERS, f"Event: {MARK}", f"Content-Type: text/{MARK}", body=f"{NAME} {NUMBER}\r\n")
                leg.wait_answered()
            for body in (f"v=0\r\n{NAME}\r\n", described(0), described().replace("RTP/AVP 0 8", f"RTP/{MARK} 0"), f"v={NAME}\r\n",
                         described().replace("IN IP4 127.0.0.1", f"IN IP4 {MARK}"), described().replace("m=audio", f"m={MARK}")):
                leg = self.leg()
                leg.request("INVITE", *HEADERS, body=body)
                leg.wait_answered()
            self.server.send(f"{NAME} {NUMBER}\r\n\r\n".encode())
            self.server.send(f"INVITE {NUMBER} {NAME}\r\nVia: {MARK}\r\nFrom: {NAMED}\r\n\r\n".encode())
            self.server.send(f"SIP/2.0 200 {NAME}\r\nVia: SIP/2.0/UDP {MARK}\r\nCall-ID: {MARK}\r\nCSeq: 1 INVITE\r\n\r\n".encode())
            self.server.wait_read()
            for call in self.calls():
                self.reject(call).wait()
            self.look()

    def test_who_called_is_in_recents_for_those_who_may_know(self):
        with self.watched():
            leg = self.leg()
            call = self.ring_from(leg, *HEADERS)
            leg.request("CANCEL", sequence=leg.sequence, branch=leg.branch, to_tag="")
            self.wait_ended(call)
            listed = []

            def is_listed():
                listed[:] = self.system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), dbus.UInt32(0),
                                             dbus.UInt32(20)).wait().value or []
                return any(row["call"] == uuid_of(call) for row in listed)
            wait_until(is_listed, "it is not in Recents", every=0.02)
            self.assertIn(NUMBER, str(listed))
            self.system.call(call, PROPERTIES, "GetAll", "s", IDENTITY, connection=self.client).wait()
            self.look()
