"""Whoever is not the server: what it sends makes the plugin send less, and takes nothing from the server's calls."""

import socket
import threading
import time
import unittest

from sip.bystander import Bystander
from sip.certificates import DOMAIN
from sip.hostile import HostileTest
from sip.stranger import Leg, sound, write
from support.case import TORTURE
from support.waiting import PATIENCE, let_pass, wait_until

CREDIT, CREDIT_A_SECOND = 16384, 1024
"""Bytes that go to addresses nobody has shown to be at, beyond what came from there: at once, and in a second."""
MOST_STRANGE_CALLS = 4
RATE = 2000
"""Messages of a flood in a second."""


class Outsider(Bystander):
    """Sends SIP from the address of the server, and another port."""

    def start(self):
        self.serial = 0
        return super().start()

    def message(self, method, contact, user=None, via="", *, long=False, tag="", headers=(), body=""):
        """A request of this method: as short as it can be, unless it is `long`."""
        self.serial += 1
        name, host, port = contact
        names = ("Via", "From", "To", "Call-ID") if long else ("v", "f", "t", "i")
        values = (f"SIP/2.0/UDP 127.0.0.1:{self.port};branch=z9hG4bK{self.serial}{via}", f"<sip:x@y>;tag={self.serial}",
                  f"<sip:x@y>{tag}", f"{self.serial}@{self.port}")
        lines = [f"{key}: {value}" for key, value in zip(names, values)]
        return write(f"{method} sip:{user or name}@{host}:{port} SIP/2.0",
                     [*lines, f"CSeq: 1 {method}", f"Contact: <sip:x@127.0.0.1:{self.port}>", *headers], body)


class StrangersTest(HostileTest):
    def setUp(self):
        super().setUp()
        self.contact = self.server.contacts["alice"]
        self.outsider = self.far_side(Outsider())

    def send(self, *arguments, **options):
        data = self.outsider.message(arguments[0], self.contact, *arguments[1:], **options)
        self.outsider.send(data, self.contact[1:])
        return len(data)

    def codes(self):
        return {int(packet.split(b" ")[1]) for packet in self.outsider.packets if packet.startswith(b"SIP/2.0 ")}


class Amplifying(StrangersTest):
    KINDS = {
        "OPTIONS": (("OPTIONS",), {}),
        "a call for nobody": (("INVITE", "nobody"), {}),
        "a call without what it needs": (("INVITE",), {"headers": ("Require: moon",)}),
        "a call of another kind": (("INVITE",), {"headers": ("Content-Type: text/plain",), "body": "x"}),
        "a call with nonsense": (("INVITE",), {"body": "v=0\r\n"}),
        "MESSAGE": (("MESSAGE",), {}),
        "REGISTER": (("REGISTER",), {}),
        "SUBSCRIBE": (("SUBSCRIBE",), {"headers": ("Event: x",)}),
        "NOTIFY": (("NOTIFY",), {"headers": ("Event: refer",)}),
        "CANCEL": (("CANCEL",), {}),
        "BYE": (("BYE",), {"tag": ";tag=x"}),
        "UPDATE": (("UPDATE",), {"tag": ";tag=x"}),
    }

    def test_no_more_bytes_than_came(self):
        began, sent = time.monotonic(), 0
        for arguments, options in self.KINDS.values():
            for _ in range(150):
                sent += self.send(*arguments, **options)
            self.server.wait_read()
            let_pass(0.3)
        received = self.outsider.bytes
        allowed = sent + CREDIT + CREDIT_A_SECOND * (time.monotonic() - began + 1)
        self.assertGreater(received, 0)
        self.assertLessEqual(received, allowed)

    def test_no_more_bytes_within_what_is_answered(self):
        sent, count = 0, 0
        for _ in range(3):
            for kind in ("OPTIONS", "MESSAGE", "SUBSCRIBE"):
                for _ in range(50):
                    sent += self.send(kind)
                    count += 1
                    # Of many more at once the engine's socket would drop some.
                    wait_until(lambda: len(self.outsider.packets) >= count - 50,
                               lambda: f"{len(self.outsider.packets)} answers to {count} messages")
            let_pass(1.1)
        self.assertLess(self.outsider.bytes, sent * 1.1)

    def test_calls_that_are_never_acknowledged(self):
        began, sent = time.monotonic(), 0
        for number in range(40):
            sent += self.send("INVITE", body=sound(40000))
            if number % MOST_STRANGE_CALLS == MOST_STRANGE_CALLS - 1:
                let_pass(1)
                for call in self.calls():
                    self.reject(call).wait()
        let_pass(3)
        allowed = sent + CREDIT + CREDIT_A_SECOND * (time.monotonic() - began + 1)
        self.assertLessEqual(self.outsider.bytes, allowed)

    @unittest.skipUnless(TORTURE, "takes half a minute")
    def test_a_refusal_is_repeated_eleven_times_at_most(self):
        self.send("INVITE", body=sound(40000))
        call = self.wait_ringing()
        self.reject(call).result()
        let_pass(34)
        refusals = [packet for packet in self.outsider.packets if packet.startswith((b"SIP/2.0 4", b"SIP/2.0 6"))]
        self.assertIn(len(refusals), range(1, 12))

    def test_answers_go_to_nobody_else(self):
        other = self.far_side(Bystander())
        for kind in ("OPTIONS", "INVITE", "MESSAGE"):
            data = self.outsider.message(kind, self.contact, via=";maddr=127.0.0.9", body=sound(40000))
            data = data.replace(f":{self.outsider.port};branch".encode(), f":{other.port};branch".encode())
            self.outsider.send(data, self.contact[1:])
        self.send("OPTIONS", long=True)
        wait_until(lambda: self.outsider.packets, "no answer")
        self.assertEqual(other.packets, [])

    def test_an_answer_that_comes_again_and_again(self):
        leg, call = self.dial_out()
        for number in range(40):
            leg.respond(200, body=sound(40000))
            leg.respond(200, tag=f"branch{number}", body=sound(40002))
        self.wait_state(call, "active")
        self.server.wait_read()
        let_pass(1)
        acknowledged = self.server.requests("ACK", leg.call_id)
        self.assertLessEqual(len({message.tag("to") for message in acknowledged}), 9)
        self.assertLessEqual(len({message.tag("to") for message in self.server.requests("BYE", leg.call_id)}), 8)
        self.end(call).result()


class OverTCP(StrangersTest):
    def test_answers_stay_on_the_connection(self):
        other = self.far_side(Bystander())
        contact = self.server.contacts["work"]
        with socket.create_connection(contact[1:], timeout=PATIENCE) as link:
            for kind in ("OPTIONS", "INVITE", "MESSAGE"):
                data = self.outsider.message(kind, contact, "nobody", via=";maddr=127.0.0.9", long=True)
                data = data.replace(b"SIP/2.0/UDP", b"SIP/2.0/TCP")
                link.sendall(data.replace(f":{self.outsider.port}".encode(), f":{other.port}".encode()))
                self.assertRegex(link.recv(65536), rb"^SIP/2\.0 [24]")
        self.assertEqual((other.packets, self.outsider.packets), ([], []))


class AnotherPortOfTheServer(StrangersTest):
    def test_counts_as_a_stranger(self):
        wait_until(lambda: self.codes() or not self.send("INVITE", "alice", long=True, body=sound(40000)), "no answer",
                   every=0.5)
        self.assertEqual(self.codes(), {404})
        self.assertEqual(self.calls(), [])
        self.send("INVITE", long=True, headers=(f"P-Asserted-Identity: <sip:queen@{DOMAIN}>",), body=sound(40000))
        call = self.wait_ringing()
        self.assertNotIn("queen", str(self.identity(call, "Handle")))
        self.reject(call).result()

    def test_a_flood_leaves_room_for_the_server_s_calls(self):
        for kind, body in (("OPTIONS", ""), ("INVITE", sound(40000))):
            with self.subTest(kind):
                self.enough = threading.Event()
                thread = threading.Thread(target=self.flood, args=(kind, body))
                thread.start()
                try:
                    let_pass(1)
                    waits = [self.time_to_ring(f"{kind}{number}") for number in range(5)]
                finally:
                    self.enough.set()
                    thread.join()
                self.assertGreater(self.flooded, RATE / 4, "that was no flood")
                self.assertLess(sorted(waits)[2], 2 if not TORTURE else 0.5, waits)
                strange = [call for call in self.calls() if self.system.shown(call, "State") == "ringing"]
                self.assertLessEqual(len(strange), MOST_STRANGE_CALLS)
                for call in strange:
                    self.reject(call).wait()

    def flood(self, kind, body):
        begin, self.flooded = time.monotonic(), 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
            while not self.enough.wait(0.001):
                while self.flooded < (time.monotonic() - begin) * RATE:
                    data = self.outsider.message(kind, self.contact, long=True, body=body)
                    channel.sendto(data, self.contact[1:])
                    self.flooded += 1

    def time_to_ring(self, caller):
        """How long a call by the server takes until the plugin says 180, in seconds."""
        leg, began = Leg(self.server, caller=caller), time.monotonic()
        leg.request("INVITE", body=sound(40000))
        leg.wait(180, "INVITE", seconds=20)
        passed = time.monotonic() - began
        call = wait_until(lambda: [path for path in self.calls() if self.is_from(path, leg)], "it does not ring")[0]
        self.reject(call).result()
        return passed
