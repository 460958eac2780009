"""Far sides, registrars and TLS servers that answer wrongly."""


from sip.case import SIPTest
from sip.certificates import DOMAIN
from sip.hostile import HostileTest
from sip.stranger import Leg, sound
from support.waiting import wait_until


class Answers(HostileTest):
    def test_two_phones_that_answer(self):
        leg, call = self.dial_out()
        leg.respond(200, tag="first", body=sound(40000))
        leg.respond(200, tag="second", body=sound(40002))
        self.wait_state(call, "active")
        bye = self.server.wait_request("BYE", leg.call_id)
        self.assertEqual(bye.tag("to"), "second")
        acknowledged = {message.tag("to") for message in self.server.requests("ACK", leg.call_id)}
        self.assertEqual(acknowledged, {"first", "second"})
        self.assertState(call, "active")
        self.end(call).result()
        self.server.wait_request("BYE", leg.call_id, 2)

    def test_answers_without_a_way_to_talk(self):
        for name, body in (("no description", ""), ("port 0", sound(0)), ("nonsense", "v=0\r\nnonsense"),
                           ("no codec", sound(40000).replace("RTP/AVP 0 101", "RTP/AVP 99"))):
            with self.subTest(name):
                self.server.mark()
                leg, call = self.dial_out()
                leg.respond(200, body=body)
                self.server.wait_request("ACK", leg.call_id)
                self.server.wait_request("BYE", leg.call_id)
                self.assertEnding(call, "failed", detail="incompatible")

    def test_offers_without_a_way_to_talk(self):
        for body in (sound(0), "v=0\r\nnonsense", sound(40000).replace("RTP/AVP 0 101", "RTP/AVP 99")):
            Leg(self.server).ask("INVITE", 488, body=body)
        self.assertEqual(self.calls(), [])

    def test_codes_and_redirections_without_end(self):
        leg, call = self.dial_out()
        for round_number in range(10):
            leg.respond(302, f"Contact: <sip:again{round_number}@{DOMAIN}>")
            known = len(self.server.requests("INVITE"))
            wait_until(lambda known=known: len(self.server.requests("INVITE")) > known or not self.calls(),
                       "nothing follows")
            if not self.calls():
                break
            leg = Leg(self.server, invite=self.server.requests("INVITE")[-1])
        wait_until(lambda: not self.calls(), "it goes round and round")
        self.assertLessEqual(len(self.server.requests("INVITE")), 5)
        self.assertEnding(call, "failed")


    def test_a_redirection_to_a_number(self):
        for contact, target in (("<tel:+1-555-010(0123)>;q=0.7", f"sip:+15550100123@{DOMAIN};user=phone"),
                                ("<tel:+15550100123;ext=7>", None), ("<tel:0123;phone-context=+1555>", None),
                                ("<tel:+1555010012345678>", None), ("<tel:+>", None)):
            with self.subTest(contact):
                self.server.mark()
                leg, call = self.dial_out()
                known = len(self.server.requests("INVITE"))
                leg.respond(302, f"Contact: {contact}")
                if target is None:
                    self.assertEnding(call, "failed")
                    self.assertEqual(len(self.server.requests("INVITE")), known)
                    continue
                wait_until(lambda known=known: len(self.server.requests("INVITE")) > known, "nothing follows")
                invite = self.server.requests("INVITE")[-1]
                self.assertEqual(invite.target, target)
                Leg(self.server, invite=invite).respond(486)
                self.assertEnding(call, "remote-ended", detail="busy")


class Registrars(HostileTest):
    def registrar(self, user, *answer):
        self.server.registrars[user] = lambda message: self.server.answer(message, *answer)
        self.server.registers.clear()

    def sent(self, user):
        return [message for message in self.server.registers if f"<sip:{user}@" in message.header("to")]

    def test_challenges_without_end(self):
        for number, stale in enumerate(("", ", stale=true")):
            self.server.registrars["carol"] = lambda message, stale=stale: self.server.answer(
                message, 401, f'WWW-Authenticate: Digest realm="{DOMAIN}", nonce="n{next(self.server.serial)}"{stale}')
            self.server.registers.clear()
            account = self.add_account("carol", transport="udp", wait="unauthorized", label=f"carol {number}")
            self.assertEqual(self.standing(account)[:2], ("failed", "bad-credentials"))
            self.assertLessEqual(len(self.sent("carol")), 3)
            self.remove_account(account)

    def test_redirections_without_end(self):
        self.registrar("dave", 302, f"Contact: <{self.server.uri()}>")
        account = self.add_account("dave", transport="udp", wait="offline")
        self.assertEqual(self.standing(account)[0], "failed")
        self.assertLessEqual(len(self.sent("dave")), 2)
        self.remove_account(account)

    def test_answers_that_make_no_sense(self):
        for answer in ((200, "Contact: *", "Expires: 99999999999999"), (200, "Contact: <<<>>>", "Expires: -1"),
                       (423, "Min-Expires: 4294967295"), (699,), (503, "Retry-After: 0")):
            with self.subTest(answer):
                self.registrar("erin", *answer)
                account = self.add_account("erin", transport="udp", wait=None)
                wait_until(lambda: self.sent("erin"), "no REGISTER")
                wait_until(lambda account=account: self.standing(account)[0] in ("ready", "failed"),
                           lambda account=account: self.standing(account), every=0.02)
                self.assertLessEqual(len(self.sent("erin")), 3)
                self.remove_account(account)


class Connections(SIPTest):
    """A real server over TLS that goes away in the middle of a call."""

    def test_a_connection_that_breaks_and_a_certificate_that_expires(self):
        server = self.start_server(self.certificates.good())
        self.server = server
        self.alice = self.add_account("alice", encryption="off", server=server)
        bob = self.baresip(server=server)
        call = self.call_out(bob)
        good, server.certificate = server.certificate, self.certificates.expired()
        server.restart()
        wait_until(lambda: self.standing(self.alice)[:2] == ("failed", "certificate"),
                   lambda: self.standing(self.alice), every=0.05)
        self.assertState(call, "active")
        server.certificate = good
        server.restart()
        self.wait_available(self.alice, "online")
        self.assertState(call, "active")
        self.end(call).result()
        self.assertEnding(call, "local-ended", origin="user")
        bob.wait_event("CALL_CLOSED")
        self.remove_account(self.alice, server)
