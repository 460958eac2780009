"""Servers, far sides and strangers that mean harm: whatever they send, no call gets stuck and the next one works."""

import re
import socket

from sip import torture as sip_torture
from sip.hostile import HostileTest
from sip.rtp import RtpPeer
from sip.stranger import Leg, sound
from support.waiting import GIVE_UP, wait_until

FLOOD = 2000
MOST_RINGING = 16
GROWTH = 512
"""What a flood may leave in the worker, in KiB."""
REQUESTS, REQUESTS_GROWTH = 10_000, 8192
"""How many requests that belong to no call are sent, and how much the worker may grow meanwhile, in KiB."""


class Torture(HostileTest):
    def send_all(self, send, transport, user):
        contact, host, port = self.server.contacts[user]
        for serial, name in enumerate(sip_torture.MESSAGES):
            send(sip_torture.aimed(name, contact, host, port, transport, serial))

    def end_what_rings(self):
        """Some of them are calls, which ring. What came before a call that works has been read."""
        self.assertWorks()
        for call in self.calls():
            self.reject(call).wait()

    def test_over_udp(self):
        before = self.worker()
        self.send_all(self.server.send, "u", "alice")
        self.end_what_rings()
        self.assertEqual(self.worker(), before, "another worker")

    def test_over_tcp(self):
        before = self.worker()
        channels = []

        def send(data):
            channel = socket.create_connection(self.server.contacts["work"][1:], GIVE_UP)
            channels.append(channel)
            channel.sendall(data)
            channel.shutdown(socket.SHUT_WR)
        self.send_all(send, "t", "work")
        for channel in channels:
            # The plugin has read it when the connection is closed by both.
            channel.settimeout(5)
            try:
                while channel.recv(65536):
                    pass
            except OSError:
                pass
            channel.close()
        self.end_what_rings()
        self.assertEqual(self.worker(), before, "another worker")

    def test_a_header_that_is_too_long(self):
        leg = Leg(self.server)
        leg.request("OPTIONS", "Subject: " + "x" * 60_000)
        leg.request("OPTIONS", *["Subject: x"] * 5_000)
        contact, host, port = self.server.contacts["work"]
        with socket.create_connection((host, port), GIVE_UP) as channel:
            try:
                channel.sendall(f"OPTIONS sip:{contact}@{host} SIP/2.0\r\nSubject: ".encode() + b"x" * 100_000)
                channel.sendall(b"\r\n\r\n")
            except OSError:
                pass
            channel.settimeout(5)
            try:
                self.assertNotIn(b" 200 ", channel.recv(65536))
            except OSError:
                pass
        Leg(self.server).ask("OPTIONS", 200)


class Floods(HostileTest):
    def flood(self, count):
        """Calls so many times, and returns how many calls rang at once at most."""
        most = 0
        for start in range(0, count, 20):
            for number in range(start, start + 20):
                Leg(self.server, caller=f"flood{number}").request("INVITE", body=sound(40000))
            self.server.wait_read()
            ringing = [call for call in self.calls() if self.system.shown(call, "State") == "ringing"]
            most = max(most, len(ringing))
        wait_until(lambda: any(message.code == 486 for message in self.server.messages), "none is refused")
        codes = {message.code for message in self.server.messages if message.code}
        self.assertLessEqual(codes, {100, 180, 200, 486, 603})
        self.server.mark()
        return most

    def reject_all(self, but=None):
        for call in self.calls():
            if call != but:
                self.reject(call).wait()

    def test_calls_by_the_thousand_and_one_that_is_never_acknowledged(self):
        # What the first calls of a process take stays.
        self.flood(100)
        self.reject_all()
        silent, unacknowledged = self.ring()
        self.answer(unacknowledged)
        silent.wait(200, "INVITE")
        before = self.resident()
        most = self.flood(FLOOD)
        self.assertIn(most, range(1, MOST_RINGING + 1))
        self.reject_all(but=unacknowledged)
        self.assertEnding(unacknowledged, "timed-out")
        wait_until(lambda: self.resident() < before + GROWTH, lambda: f"{before} KiB became {self.resident()}",
                   every=0.2)

    def test_requests_by_the_ten_thousand(self):
        before = self.resident()
        for method in ("OPTIONS", "MESSAGE"):
            for _ in range(REQUESTS // 50):
                for _ in range(50):
                    Leg(self.server).request(method)
                self.server.wait_read()
                self.server.mark()
        self.assertLess(self.resident() - before, REQUESTS_GROWTH)

    def test_changes_by_the_hundred(self):
        leg, call = self.talk()
        numbers = [leg.request("INVITE", body=sound(40000, version=number)) for number in range(2, 102)]

        def codes():
            answers = [message for message in self.server.responses(leg.call_id, "INVITE") if message.code >= 200]
            for message in answers:
                if message.code == 200:
                    leg.request("ACK", sequence=int(message.sequence))
            return {int(message.sequence): message.code for message in answers}
        wait_until(lambda: set(numbers) <= set(codes()), lambda: f"{codes()}")
        self.assertLessEqual(set(codes().values()), {200, 500, 491})
        self.assertState(call, "active")
        leg.ask("BYE", 200)

    def test_transfers_by_the_dozen(self):
        leg, call = self.talk()
        numbers = [leg.request("REFER", f"Refer-To: <sip:to{number}@elsewhere.test>") for number in range(50)]
        wait_until(lambda: {int(message.sequence) for message in self.server.responses(leg.call_id, "REFER")}
                   >= set(numbers), "not all answered")
        codes = [message.code for message in self.server.responses(leg.call_id, "REFER")]
        self.assertEqual(codes.count(202), 1, codes)
        self.assertLessEqual(set(codes), {202, 491, 500, 603})
        self.assertState(call, "active")
        self.end(call).result()

    def test_ringing_for_ever(self):
        leg, call = self.dial_out()
        for number in range(1000):
            leg.respond(180, tag=f"branch{number}")
        # Some packets are lost in such a flood: an answer is repeated until it is acknowledged.
        wait_until(lambda: self.server.requests("ACK", leg.call_id) or leg.respond(200, body=sound(40000)),
                   "no ACK", every=0.1)
        self.wait_state(call, "active")
        self.end(call).result()


class Forgeries(HostileTest):
    def test_requests_with_a_wrong_tag(self):
        leg, call = self.talk()
        for method, body in (("BYE", ""), ("INVITE", sound(40002)), ("REFER", ""), ("INFO", "")):
            with self.subTest(method):
                leg.ask(method, 481, "Refer-To: <sip:eve@elsewhere.test>", body=body, to_tag="forged")
                leg.ask(method, 481, "Refer-To: <sip:eve@elsewhere.test>", body=body, tag="forged")
        leg.ask("CANCEL", 481, sequence=1, to_tag="")
        self.assertState(call, "active")
        self.assertEqual(self.server.requests("BYE"), [])
        leg.ask("BYE", 200)

    def test_cancelling_the_call_of_another(self):
        leg, call = self.ring()
        Leg(self.server).ask("CANCEL", 481, sequence=1)
        leg.ask("CANCEL", 481, sequence=1)
        self.assertState(call, "ringing")
        self.reject(call).result()

    def test_sound_of_strangers(self):
        far, stranger = self.far_side(RtpPeer()), self.far_side(RtpPeer())
        leg, call = self.talk(far.port)
        port = int(re.search(r"m=audio (\d+)", self.answered.body)[1])
        far.target = ("127.0.0.1", port)
        wait_until(lambda: far.count() > 5, "no sound comes", every=0.02)
        stranger.target = ("127.0.0.1", port)
        count = far.count()
        wait_until(lambda: far.count() > count + 25, "the sound has stopped", every=0.02)
        self.assertEqual(stranger.count(), 0, "the stranger hears")
        self.assertState(call, "active")
        leg.ask("BYE", 200)

    def test_a_call_for_nobody(self):
        leg = Leg(self.server)
        user, self.server.contacts["alice"] = self.server.contacts["alice"], ("100", *self.server.contacts["alice"][1:])
        try:
            leg.ask("INVITE", 404, body=sound(40000))
        finally:
            self.server.contacts["alice"] = user

    def test_lines_that_become_headers(self):
        """A bare carriage return in a tag or name starts no header of ours."""
        leg = Leg(self.server)
        leg.ours = "<sip:eve@elsewhere.test>;x=1\r\rEvil: yes"
        leg.request("INVITE", body=sound(40000))
        wait_until(lambda: self.server.responses(leg.call_id), "no answer")
        for call in self.calls():
            pending = self.answer(call)
            leg.wait(200, "INVITE")
            leg.request("ACK")
            pending.result()
            self.end(call).result()
            bye = self.server.wait_request("BYE", leg.call_id)
