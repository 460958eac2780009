"""Keys that the far side presses and sends as INFO, in all the forms that phones and servers use.

siphon-project/siphon-sip PR #347, eigger/hass-sip PR #24.
"""

import re

from sip.hostile import HostileTest
from sip.parts import OPTIONAL, part, several
from sip.stranger import Leg, sound
from support.waiting import wait_until

RELAY = "application/dtmf-relay"
SIGNALS = (
    *((RELAY, f"Signal={number}\r\nDuration=160\r\n", sign) for number, sign in enumerate("0123456789*#ABCD")),
    *((RELAY, f"Signal= {sign}\r\nDuration=250\r\n", sign) for sign in "19*#AD"),
)
FORMS = (
    *(("application/dtmf", f"{sign}", sign) for sign in "05*#B"),
    (RELAY, "Signal=a\nDuration=160\n", "A"), (RELAY, "signal = d", "D"), (RELAY, "Duration=160\r\nSIGNAL=11", "#"),
    (RELAY, "Signal=7", "7"), (RELAY, "Signal=3;Duration=160", "3"), (RELAY, "8", "8"),
    ("application/DTMF-Relay;charset=x", "Signal=10", "*"), ("Application/DTMF ; charset=utf-8", "10", "*"),
    ("application/dtmf", " c \r\n", "C"), ("application/dtmf", "Signal=2", "2"),
    ("application/vnd.nortelnetworks.digits", "p=Digit-Collection\r\ny=Digits\r\nd=11\r\n", "#"),
    ("audio/telephone-event", "d=6\r\n", "6"),
)
REFUSED = (
    *((400, RELAY, f"Signal={signal}\r\nDuration=160\r\n") for signal in (
        "", "16", "!", "1 0", "010", "12a", "e", "55", "100", "-1", "%23", "star", "\u0665")),
    (400, RELAY, "Duration=160\r\n"), (400, RELAY, "\r\n"), (400, RELAY, "Signals=5"),
    (400, "application/dtmf", "55"), (400, "application/dtmf", "5\r\n6"),
    (415, "text/plain", "5"), (415, "application/hook-flash", "Signal=5"),
    (415, f"{RELAY}\r\nContent-Encoding: gzip", "5"),
)


class KeysTest(HostileTest):
    """A test of an account that logs its messages. The daemon takes no more lines at once than one of these has."""

    @classmethod
    def start_rig(cls):
        super().start_rig()
        cls.make().add_account("dave", transport="udp", encryption="off", trace=True)

    def heard(self):
        return "".join(re.findall("The far side has pressed (.)", self.system.read_log()[self.log_begin:]))

    def press(self, *messages):
        """Sends INFOs in a call: the code, the type, the body, and the key that they are. More than twenty in a second
        would be refused.
        """
        for begin in range(0, len(messages), 15):
            self.press_in_a_call(messages[begin:begin + 15])

    def press_in_a_call(self, messages):
        begin = self.heard()
        leg, call = self.ring(user="dave")
        pending = self.answer(call)
        leg.wait(200, "INVITE")
        leg.request("ACK")
        pending.result()
        expected = begin
        for code, kind, body, key in messages:
            with self.subTest(f"{kind}: {body!r}"):
                answer = leg.ask("INFO", code, *([f"Content-Type: {kind}"] if kind else []), body=body)
                self.assertEqual(RELAY in answer.header("accept"), code == 415)
                expected += key
                wait_until(lambda wanted=expected: self.heard() == wanted,
                           lambda wanted=expected: f"{self.heard()}, expected {wanted}", every=0.01)
        leg.ask("BYE", 200)


class Signals(KeysTest):
    def test_signs_and_numbers_of_events(self):
        self.press(*((200, *message) for message in SIGNALS))
        self.assertNotIn("Signal=", self.system.read_log())


class Forms(KeysTest):
    def test_other_forms(self):
        self.press(*((200, *message) for message in FORMS))


class Refusals(KeysTest):
    def test_what_is_no_key_is_refused_and_never_another_one(self):
        self.press(*((*message, "") for message in REFUSED), (200, RELAY, "Signal=0", "0"))


class Others(KeysTest):
    def test_in_parts_and_without_a_body(self):
        header, body = several(OPTIONAL, part("Signal=9", f"Content-Type: {RELAY}"))
        # Without a body it only asks whether the call is there.
        self.press((200, header.partition(": ")[2], body, "9"), (200, "", "", ""),
                   (469, "text/plain\r\nInfo-Package: moon", "x", ""),
                   (200, f"{RELAY}\r\nInfo-Package: moon", "Signal=0", "0"))

    def test_outside_of_calls_nothing_is_pressed(self):
        leg = Leg(self.server, "dave")
        leg.request("INFO", f"Content-Type: {RELAY}", body="Signal=5", to_tag="x")
        leg.wait(481, "INFO")
        leg, call = self.ring(body=sound(40000), user="dave")
        leg.remote_tag = leg.wait(180, "INVITE").tag("to")
        leg.ask("INFO", 200, f"Content-Type: {RELAY}", body="Signal=5")
        self.reject(call).result()
        self.assertEqual(self.heard(), "")
