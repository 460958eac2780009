"""Far sides that do exactly what a test wants: sipp, with scenarios that are made of small steps."""

import os
import re

from sip.certificates import DOMAIN
from sip.ports import RigProcess, free_port
from support.waiting import GIVE_UP, PATIENCE, exited, wait_until

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE scenario SYSTEM "sipp.dtd">
<scenario name="{name}">
{steps}
</scenario>
"""


def unused_variables(steps):
    """What lets sipp accept variables that the script sets and does not read."""
    unused = [number for number in sorted(set(re.findall(r'assign_to="(\d+)"', steps))) if f"[${number}]" not in steps]
    return f'\n<Reference variables="{",".join(unused)}"/>' if unused else ""


def message(lines, body="", retransmitted=False):
    """A step that sends a message."""
    text = "\n".join([*lines, *(["Content-Type: application/sdp"] if body else []),
                      "Content-Length: [len]" if body else "Content-Length: 0", "", body])
    words = ' retrans="500"' if retransmitted else ""
    return f"<send{words}><![CDATA[\n{text}\n]]></send>"


def description(port, direction="sendrecv", version=1, codecs="0 101", more="", host="[media_ip]"):
    """A session description whose sound is at `port`."""
    kind = "[media_ip_type]"
    return "\n".join(line for line in (
        "v=0", f"o=sipp 1 {version} IN IP{kind} {host}", "s=-", f"c=IN IP{kind} {host}", "t=0 0",
        f"m=audio {port} RTP/AVP {codecs}", "a=rtpmap:0 PCMU/8000", "a=rtpmap:101 telephone-event/8000", more,
        f"a={direction}") if line) + "\n"


def receive(words, optional, action):
    words += ' optional="true"' if optional else ""
    return f"<recv {words}><action>{action}</action></recv>" if action else f"<recv {words}/>"


def expect_request(method, action="", optional=False):
    return receive(f'request="{method}"', optional, action)


def expect_response(code, optional=False, action="", routes=False):
    return receive(f'response="{code}"' + (' rrs="true"' if routes else ""), optional, action)


def pause(seconds):
    return f'<pause milliseconds="{int(seconds * 1000)}"/>'


def remember(header, number):
    """An action that keeps a header."""
    return f'<ereg regexp=".*" search_in="hdr" header="{header}:" assign_to="{number}"/>'


ROUTE = '<ereg regexp=".*" search_in="hdr" header="Record-Route:" assign_to="7"/>'
CALLED = remember("From", 9) + '<ereg regexp="sip:[^&gt;]*" search_in="hdr" header="Contact:" assign_to="8"/>' + ROUTE


class Called:
    """Steps of the side that is called."""

    @staticmethod
    def answer(code, words, body="", *headers, first=True):
        """Answers the last request. `first`: in the INVITE that makes the call."""
        tag = ";tag=[pid]T[call_number]" if first and code != 100 else ""
        return message([f"SIP/2.0 {code} {words}", "[last_Via:]", "[last_Record-Route:]", "[last_From:]", f"[last_To:]{tag}",
                        "[last_Call-ID:]", "[last_CSeq:]", "Contact: <sip:[local_ip]:[local_port];transport=[transport]>",
                        *headers], body, retransmitted=code >= 200 and bool(body))

    @staticmethod
    def request(method, number, *headers, body=""):
        """Sends a request in the call."""
        return message([f"{method} [$8] SIP/2.0", "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
                        f"From: <sip:{DOMAIN}>;tag=[pid]T[call_number]", "To:[$9]", "[last_Call-ID:]",
                        f"CSeq: {number} {method}", "Route:[$7]", "Max-Forwards: 70",
                        "Contact: <sip:[local_ip]:[local_port];transport=[transport]>", *headers], body,
                       retransmitted=method != "ACK")


def willing(port):
    """Steps of a side that answers and takes every further offer, until it is hung up on. Its sound is at `port`."""
    body = description(port).replace("a=sendrecv\n", "")
    return (expect_request("INVITE", CALLED), Called.answer(200, "OK", body), expect_request("ACK"),
            '<label id="1"/>', '<recv request="INVITE" optional="true" next="2"/>', '<recv request="BYE" next="3"/>',
            '<label id="2"/>', Called.answer(200, "OK", body, first=False), '<recv request="ACK" next="1"/>',
            '<label id="3"/>', Called.answer(200, "OK", first=False))


INVITE_VIA = "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=z9hG4bKi[call_number]x[pid]"
"""That of an INVITE, its CANCEL, and the ACK of a refusal."""


class Calling:
    """Steps of the side that calls `user` through the server."""

    @staticmethod
    def invite(user, body, *headers, caller='"Carol" <sip:carol@elsewhere.test>', body_kind=None):
        return message([f"INVITE sip:{user}@{DOMAIN} SIP/2.0", INVITE_VIA,
                        f"From: {caller};tag=[pid]T[call_number]", f"To: <sip:{user}@{DOMAIN}>", "Call-ID: [call_id]",
                        "CSeq: 1 INVITE", "Contact: <sip:carol@[local_ip]:[local_port];transport=[transport]>",
                        "Max-Forwards: 70", *headers], body, retransmitted=True)

    @staticmethod
    def cancel(user, *headers, caller='"Carol" <sip:carol@elsewhere.test>'):
        return message([f"CANCEL sip:{user}@{DOMAIN} SIP/2.0", INVITE_VIA,
                        f"From: {caller};tag=[pid]T[call_number]", f"To: <sip:{user}@{DOMAIN}>", "Call-ID: [call_id]",
                        "CSeq: 1 CANCEL", "Max-Forwards: 70", *headers])

    @staticmethod
    def acknowledge_refusal(user, caller='"Carol" <sip:carol@elsewhere.test>'):
        return message([f"ACK sip:{user}@{DOMAIN} SIP/2.0", INVITE_VIA,
                        f"From: {caller};tag=[pid]T[call_number]", "[last_To:]", "Call-ID: [call_id]", "CSeq: 1 ACK",
                        "Max-Forwards: 70"])

    @staticmethod
    def request(method, number, *headers, body="", caller='"Carol" <sip:carol@elsewhere.test>'):
        """Sends a request in the call, after a response that was received with `routes`."""
        return message([f"{method} [next_url] SIP/2.0", "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
                        f"From: {caller};tag=[pid]T[call_number]", "[last_To:]", "[routes]", "Call-ID: [call_id]",
                        f"CSeq: {number} {method}", "Contact: <sip:carol@[local_ip]:[local_port];transport=[transport]>",
                        "Max-Forwards: 70", *headers], body, retransmitted=method != "ACK")


class Sipp(RigProcess):
    """One run of a scenario, for one call. It is called as `to-PORT`, or calls through `server`."""

    count = 0

    def __init__(self, folder, *steps, server=None, transport="u1", host="127.0.0.1", calls=1):
        Sipp.count += 1
        super().__init__(f"sipp-{Sipp.count}", folder)
        self.steps, self.server, self.transport, self.host, self.calls = steps, server, transport, host, calls
        self.port = free_port(host)

    @property
    def user(self):
        """The user whom the server connects with this."""
        if ":" in self.host:
            return f"to6-{self.port}"
        return f"to-{self.port}" if self.host == "127.0.0.1" else f"at-{self.host}-{self.port}"

    def start(self):
        path = os.path.join(self.folder, f"{self.name}.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD.format(name=self.name, steps="\n".join(self.steps) + unused_variables("\n".join(self.steps))))
        self.messages_path = os.path.join(self.folder, f"{self.name}.messages")
        self.logs_path = os.path.join(self.folder, f"{self.name}.logs")
        target = [f"{self.host}:{self.server.port}"] if self.server else []
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.server and ":" in self.host:
            target = [f"[{self.host}]:{self.server.port}"]
        self.spawn("sipp", *target, "-sf", path, "-i", host, "-p", str(self.port), "-t", self.transport,
                   "-m", str(self.calls), "-nostdin", "-trace_msg", "-message_file", self.messages_path, "-trace_logs",
                   "-log_file", self.logs_path, "-trace_err", "-error_file", os.path.join(self.folder, f"{self.name}.errors"),
                   "-timeout", str(GIVE_UP), "-timeout_error")
        if not self.server:
            wait_until(lambda: self.process.poll() is not None or self.listens(), "sipp does not listen", every=0.02)
        return self

    def listens(self):
        """Whether its port is taken."""
        table = "/proc/net/udp6" if ":" in self.host else "/proc/net/udp"
        with open(table, encoding="ascii") as file:
            return f":{self.port:04X} " in file.read()

    def read(self, path):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def messages(self):
        """All SIP messages, as sipp writes them."""
        return self.read(self.messages_path)

    def received(self, pattern):
        """The messages that it got and that begin with this pattern. One that was sent again, because its answer came
        late, counts once.
        """
        parts = re.split(r"-{20,} \S+ \S+\n", self.messages())
        bodies = [part.partition("\n\n")[2] for part in parts if " received " in part[:60]]
        return [body for body in dict.fromkeys(bodies) if re.match(pattern, body)]

    def wait_received(self, pattern, count=1, seconds=PATIENCE):
        """Waits until it got so many of these messages, and returns them."""
        return wait_until(lambda: len(self.received(pattern)) >= count and self.received(pattern),
                          lambda: f"{self.name} did not get {pattern}: {self.messages()[-3000:]}", seconds, every=0.03)

    def wait_done(self, seconds=PATIENCE):
        """Waits until the scenario is over, which must have gone as it is written."""
        status = exited(self.process, seconds)
        if status != 0:
            errors = self.read(os.path.join(self.folder, f"{self.name}.errors"))
            raise AssertionError(f"{self.name} ended with {status}: {errors[-2000:]}\n{self.messages()[-4000:]}")
