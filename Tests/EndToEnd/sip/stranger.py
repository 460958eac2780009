"""A SIP server and far side that does what no good one does: each message is written by the test, to the byte."""

import itertools
import re
import socket
import uuid

from gi.repository import GLib

from sip.certificates import DOMAIN
from sip.watched_sockets import WatchedSockets
from support.waiting import PATIENCE, wait_until

REASONS = {200: "OK", 180: "Ringing", 183: "Session Progress", 302: "Moved Temporarily", 401: "Unauthorized", 486: "Busy Here"}
COPIED = ("via", "from", "to", "call-id", "cseq")
NAMES = {"v": "via", "f": "from", "t": "to", "i": "call-id", "m": "contact", "l": "content-length"}


def sound(port, version=1, more=""):
    """A description of sound at this port."""
    return (f"v=0\r\no=- 1 {version} IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
            f"m=audio {port} RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n{more}")


def write(start, headers, body=""):
    """The bytes of a message. Headers are lines. A description needs no header that says what it is."""
    is_plain = body.startswith("v=0") and not any(line.lower().startswith(("content-type:", "c:")) for line in headers)
    kind = ["Content-Type: application/sdp"] if is_plain else []
    return ("\r\n".join([start, *headers, *kind, f"Content-Length: {len(body)}", "", ""]) + body).encode()


class Message:
    """A message that has come."""

    def __init__(self, data, reply):
        head, _, body = data.decode("utf-8", "replace").partition("\r\n\r\n")
        self.start, *lines = head.split("\r\n")
        self.reply, self.body, self.headers = reply, body, []
        for line in lines:
            name, _, value = line.partition(":")
            self.headers.append((NAMES.get(name.strip().lower(), name.strip().lower()), value.strip()))
        words = (self.start + "  ").split(" ")
        self.code = int(words[1]) if words[0] == "SIP/2.0" and words[1].isdigit() else 0
        self.method = "" if self.code else words[0]
        self.target = "" if self.code else words[1]
        self.sequence, _, self.about = self.header("cseq").partition(" ")

    def header(self, name):
        return next((value for key, value in self.headers if key == name), "")

    @property
    def identity(self):
        """What tells a request from others. It is the same each time that it is sent."""
        return self.method, self.header("via"), self.header("call-id"), self.header("cseq")

    def tag(self, name):
        found = re.search(r";tag=([^;>\s]+)", self.header(name))
        return found[1] if found else ""

    def __repr__(self):
        return f"{self.start} ({self.header('cseq')}, {self.header('call-id')})"


class Stranger(WatchedSockets):
    """The server of all accounts that come, at one port for UDP and TCP."""

    def __init__(self, host="127.0.0.1"):
        self.host, self.family = host, socket.AF_INET6 if ":" in host else socket.AF_INET
        self.place = f"[{host}]" if ":" in host else host
        self.serial = itertools.count(1)
        self.messages = []
        """What has come, the oldest first, without what belongs to registrations."""
        self.registers = []
        self.registrars = {}
        """How REGISTER is answered, by user: a function that takes the message; 200 without one."""
        self.contacts = {}
        """The Contacts of those who have registered, as (user, host, port)."""
        self.taken = set()
        """The requests that have come. One that is sent again, because its answer came late, counts once."""
        super().__init__()

    def start(self):
        self.udp = socket.socket(self.family, socket.SOCK_DGRAM)
        self.udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        while True:
            self.tcp = socket.socket(self.family, socket.SOCK_STREAM)
            self.udp.bind((self.host, 0))
            self.port = self.udp.getsockname()[1]
            try:
                self.tcp.bind((self.host, self.port))
                break
            except OSError:
                self.tcp.close()
                self.udp.close()
                self.udp = socket.socket(self.family, socket.SOCK_DGRAM)
        self.tcp.listen()
        self.watch(self.udp, self.take_packet)
        self.watch(self.tcp, self.accept)
        return self

    def uri(self, transport="udp"):
        return f"sip:{self.place}:{self.port};transport={transport}"

    # What the base of the tests asks of a server

    def mark(self):
        self.messages.clear()

    def seen(self):
        return self.messages

    def log(self):
        return ""

    def wait_unregistered(self, user):
        wait_until(lambda: any(f"<sip:{user}@" in message.header("to") and message.header("expires") == "0"
                               for message in self.registers), f"{user} stays registered")

    # Receiving

    def take_packet(self):
        for _ in range(500):
            try:
                data, sender = self.udp.recvfrom(65536)
            except OSError:
                break
            if data.strip():
                self.take(Message(data, lambda answer, sender=sender: self.udp.sendto(answer, sender)))
        return True

    def accept(self):
        channel, _ = self.tcp.accept()
        channel.setblocking(False)
        pending = bytearray()

        def read():
            try:
                data = channel.recv(65536)
            except BlockingIOError:
                return True
            except OSError:
                data = b""
            pending.extend(data)
            self.cut(pending, channel)
            return True if data else self.forget(channel)
        self.watch(channel, read)
        return True

    def forget(self, channel):
        place = self.sockets.index(channel)
        self.sockets.pop(place).close()
        self.watches.pop(place)
        return False

    def cut(self, pending, channel):
        while b"\r\n\r\n" in pending:
            head = bytes(pending[:pending.index(b"\r\n\r\n") + 4])
            length = int((re.search(rb"(?i)\r\ncontent-length: *(\d+)", head) or [0, 0])[1])
            if len(pending) < len(head) + length:
                return
            data = bytes(pending[:len(head) + length])
            del pending[:len(data)]
            if data.strip():
                self.take(Message(data, channel.sendall))

    def take(self, message):
        is_new = message.code or message.identity not in self.taken
        if is_new:
            (self.registers if message.method == "REGISTER" else self.messages).append(message)
        if not message.code:
            self.taken.add(message.identity)
        if message.method == "REGISTER":
            self.register(message)
        elif message.code >= 300 and message.about == "INVITE":
            self.acknowledge(message)
        elif message.method in ("BYE", "NOTIFY", "CANCEL", "OPTIONS"):
            self.answer(message, 200)

    def register(self, message):
        user = re.search(r"sip:([^@]+)@", message.header("to"))[1]
        if user in self.registrars:
            self.registrars[user](message)
            return
        found = re.search(r"sip:([^@]+)@\[?([^;>]+?)\]?:(\d+)", message.header("contact"))
        self.contacts[user] = (found[1], found[2], int(found[3]))
        self.answer(message, 200, f"Contact: {message.header('contact')}", "Expires: 60")

    # Sending

    def answer(self, request, code, *headers, tag="server", body=""):
        """Answers a request that has come."""
        lines = []
        for name, value in request.headers:
            if name in COPIED:
                has_tag = name != "to" or ";tag=" in value or code == 100
                lines.append(f"{name}: {value}{'' if has_tag else f';tag={tag}'}")
        request.reply(write(f"SIP/2.0 {code} {REASONS.get(code, 'Whatever')}", [*lines, *headers], body))

    def acknowledge(self, refusal):
        """ACK for a final response that is no 2xx."""
        lines = [f"{name}: {value}" for name, value in refusal.headers if name in ("via", "from", "to", "call-id")]
        start = f"ACK sip:{DOMAIN} SIP/2.0"
        refusal.reply(write(start, [*lines, f"CSeq: {refusal.sequence} ACK", "Max-Forwards: 70"]))

    def send(self, data, user="alice"):
        self.udp.sendto(data, self.contacts[user][1:])

    def wait_read(self, user="alice"):
        """Waits until the user's plugin has taken all packets that were sent to it."""
        place = f":{self.contacts[user][2]:04X} "

        def is_read():
            with open("/proc/net/udp", encoding="ascii") as file:
                return all(line.split()[4].endswith(":00000000") for line in file if place in line)
        wait_until(is_read, "packets are not read", every=0.002)

    def responses(self, call_id, about=None):
        return [message for message in self.messages if message.code and message.header("call-id") == call_id
                and (about is None or message.about == about)]

    def requests(self, method, call_id=None):
        return [message for message in self.messages if message.method == method
                and (call_id is None or message.header("call-id") == call_id)]

    def wait_request(self, method, call_id=None, count=1, seconds=PATIENCE):
        return wait_until(lambda: len(self.requests(method, call_id)) >= count and self.requests(method, call_id),
                          lambda: f"no {method}: {self.messages}", seconds)[-1]


class Leg:
    """Our side of one call."""

    def __init__(self, stranger, user="alice", caller="carol", invite=None):
        self.stranger, self.user = stranger, user
        self.call_id, self.tag, self.branch = uuid.uuid4().hex, uuid.uuid4().hex[:8], ""
        self.sequence, self.remote_tag, self.invitation, self.sent = 0, "", invite, b""
        self.ours, self.theirs = f"<sip:{caller}@elsewhere.test>", f"<sip:{user}@{DOMAIN}>"
        if invite:
            self.call_id, self.remote_tag = invite.header("call-id"), invite.tag("from")
            self.ours, self.theirs = invite.header("to"), invite.header("from").partition(";tag=")[0]

    def request(self, method, *headers, body="", sequence=None, branch=None, to_tag=None, tag=None):
        """Sends a request. Returns its sequence number."""
        if sequence is None and method not in ("ACK", "CANCEL"):
            self.sequence += 1
        number = self.sequence if sequence is None else sequence
        contact, host, port = self.stranger.contacts[self.user]
        self.branch = branch or f"z9hG4bK{uuid.uuid4().hex[:12]}"
        to_tag = self.remote_tag if to_tag is None else to_tag
        self.sent = write(f"{method} sip:{contact}@{host}:{port} SIP/2.0", [
            f"Via: SIP/2.0/UDP 127.0.0.1:{self.stranger.port};branch={self.branch};rport",
            f"From: {self.ours};tag={tag or self.tag}", f"To: {self.theirs}{f';tag={to_tag}' if to_tag else ''}",
            f"Call-ID: {self.call_id}", f"CSeq: {number} {method}", "Max-Forwards: 70",
            f"Contact: <sip:carol@127.0.0.1:{self.stranger.port}>", *headers], body)
        self.stranger.send(self.sent, self.user)
        return number

    def wait(self, code, method, sequence=None, seconds=PATIENCE):
        """Waits for a response."""
        def found():
            return [message for message in self.stranger.responses(self.call_id, method) if message.code == code
                    and (sequence is None or int(message.sequence) == sequence)]
        answer = self.insist(found, lambda: f"no {code} for {method}: {self.stranger.messages[-20:]}", seconds)[-1]
        if code < 300 and method == "INVITE":
            self.remote_tag = answer.tag("to")
        return answer

    def wait_answered(self, seconds=PATIENCE):
        """Waits for any response in the call."""
        return self.insist(lambda: self.stranger.responses(self.call_id), "no answer", seconds)

    def insist(self, condition, what, seconds):
        """Repeats the request that was sent last until the condition is true, as packets may be lost."""
        repeat = GLib.timeout_add(500, lambda: self.stranger.send(self.sent, self.user) or True)
        try:
            return wait_until(condition, what, seconds)
        finally:
            GLib.source_remove(repeat)

    def ask(self, method, code, *headers, **options):
        """Sends a request, and waits for the response with this code."""
        number = self.request(method, *headers, **options)
        return self.wait(code, method, number)

    def respond(self, code, *headers, tag=None, body=""):
        """Answers the INVITE that has come, with a Contact of its own unless the headers have one."""
        if not any(header.startswith("Contact:") for header in headers):
            headers = (f"Contact: <sip:bob@127.0.0.1:{self.stranger.port}>", *headers)
        self.stranger.answer(self.invitation, code, *headers, tag=tag or self.tag, body=body)
