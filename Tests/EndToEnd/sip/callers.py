"""A caller in a few lines: calls the plugin over UDP, directly or through a server, as many times at once as wanted."""

import re
import socket
import time

from gi.repository import GLib

from sip.certificates import DOMAIN
from support.waiting import PATIENCE, wait_until

MESSAGE = """{method} {target} SIP/2.0\r
Via: SIP/2.0/UDP 127.0.0.1:{port};branch=z9hG4bK{name}{branch}\r
From: <sip:caller@elsewhere.test>;tag={name}\r
To: <{to}>{tag}\r
Call-ID: {name}@127.0.0.1\r
CSeq: {number} {method}\r
{routes}Contact: <sip:caller@127.0.0.1:{port}>\r
Max-Forwards: 70\r
{content}Content-Length: {length}\r
\r
{body}"""

OFFER = """v=0\r
o=caller 1 1 IN IP4 127.0.0.1\r
s=-\r
c=IN IP4 127.0.0.1\r
t=0 0\r
m=audio {port} RTP/AVP 0 101\r
a=rtpmap:0 PCMU/8000\r
a=rtpmap:101 telephone-event/8000\r
"""


class Dialog:
    """One call of a caller."""

    def __init__(self, name, target):
        self.name, self.target, self.to = name, target, target
        self.tag = self.routes = self.description = ""
        self.remote = target
        self.codes = {}
        """When each status came first, by its code; requests of the far side by their method."""

    @property
    def final(self):
        """The final status of the INVITE, or 0."""
        return max((code for code in self.codes if isinstance(code, int)), default=0) if self.is_over else 0

    @property
    def is_over(self):
        return any(isinstance(code, int) and code >= 200 for code in self.codes)


class Caller:
    """A socket with calls. What comes is taken by the GLib loop; times are those of `time.perf_counter`."""

    count = 0

    def __init__(self, address):
        """`address`: where all requests go, as (host, port)."""
        self.address = address
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.port = self.socket.getsockname()[1]
        self.dialogs = {}
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_HIGH, self.socket.fileno(), GLib.IOCondition.IN, self.read)

    def start(self):
        return self

    def stop(self):
        GLib.source_remove(self.watch)
        self.socket.close()

    # Requests

    def send(self, dialog, method, number=1, branch="i", body="", target=None):
        text = MESSAGE.format(
            method=method, target=target or dialog.target, port=self.port, name=dialog.name, branch=branch,
            to=dialog.to, number=number,
            tag=f";tag={dialog.tag}" if dialog.tag and method not in ("INVITE", "CANCEL") else "",
            routes=dialog.routes if target else "", content="Content-Type: application/sdp\r\n" if body else "",
            length=len(body), body=body)
        self.socket.sendto(text.encode(), self.address)
        return time.perf_counter()

    def invite(self, target, sound_port=9):
        """Calls, and returns the dialog, whose `began` is when the INVITE was sent."""
        Caller.count += 1
        dialog = Dialog(f"c{self.port}x{Caller.count}", target)
        self.dialogs[dialog.name] = dialog
        dialog.began = self.send(dialog, "INVITE", body=OFFER.format(port=sound_port))
        return dialog

    def cancel(self, dialog):
        self.send(dialog, "CANCEL")

    def hang_up(self, dialog):
        self.send(dialog, "BYE", 2, "b", target=dialog.remote)

    def options(self, target):
        """How long a request without a call takes there and back, in seconds."""
        Caller.count += 1
        dialog = Dialog(f"o{self.port}x{Caller.count}", target)
        self.dialogs[dialog.name] = dialog
        began = self.send(dialog, "OPTIONS")
        wait_until(lambda: dialog.is_over, "no answer to OPTIONS")
        return dialog.codes[dialog.final] - began

    def wait_final(self, dialog, seconds=PATIENCE):
        """Waits for the final status of the INVITE and returns it."""
        wait_until(lambda: dialog.is_over, lambda: f"{dialog.name} has {dialog.codes}", seconds)
        return dialog.final

    # What comes

    def read(self, *_):
        while True:
            try:
                text = self.socket.recv(65536).decode(errors="replace")
            except BlockingIOError:
                return True
            self.take(text, time.perf_counter())

    def take(self, text, now):
        head, _, body = text.partition("\r\n\r\n")
        name = re.search(r"^Call-ID:\s*([^@\s]+)", head, re.MULTILINE | re.IGNORECASE)
        dialog = self.dialogs.get(name[1]) if name else None
        if dialog is None:
            return
        if not head.startswith("SIP/2.0"):
            self.answer(dialog, head, now)
            return
        method = re.search(r"^CSeq:\s*\d+\s+(\w+)", head, re.MULTILINE | re.IGNORECASE)[1]
        code = int(head.split(" ", 2)[1])
        if method in ("INVITE", "OPTIONS"):
            dialog.codes.setdefault(code, now)
        elif method == "BYE":
            dialog.codes.setdefault("ended", now)
        if method == "INVITE" and code >= 200:
            self.acknowledge(dialog, head, body, code)

    def acknowledge(self, dialog, head, body, code):
        tag = re.search(r"^To:.*;tag=([^;\s]+)", head, re.MULTILINE | re.IGNORECASE)
        dialog.tag = tag[1] if tag else ""
        if code >= 300:
            self.send(dialog, "ACK")
            return
        dialog.description = body
        dialog.remote = re.search(r"^Contact:.*<([^>]+)>", head, re.MULTILINE | re.IGNORECASE)[1]
        recorded = re.findall(r"^Record-Route:\s*(.*?)\r?$", head, re.MULTILINE | re.IGNORECASE)
        dialog.routes = "".join(f"Route: {route}\r\n" for route in reversed(recorded))
        self.send(dialog, "ACK", branch="a", target=dialog.remote)

    def answer(self, dialog, head, now):
        """Says 200 to a request of the far side."""
        if head.startswith("ACK"):
            return
        dialog.codes.setdefault(head.split(" ", 1)[0], now)
        lines = [line for line in head.split("\r\n")
                 if re.match(r"(Via|From|To|Call-ID|CSeq|v|f|t|i):", line, re.IGNORECASE)]
        text = "\r\n".join(["SIP/2.0 200 OK", *lines, "Content-Length: 0", "", ""])
        self.socket.sendto(text.encode(), self.address)


def contact(server, user):
    """Where the user has registered: its URI, and its address."""
    seen = server.wait_seen(method="REGISTER", caller=user)
    found = [re.search(r"<(sip:[^@]+@([\d.]+):(\d+))", request.contact) for request in seen]
    uri, host, port = [match for match in found if match][-1].groups()
    return uri, (host, int(port))


def address(server):
    """Where the server is, and the URI of a user behind it."""
    return ("127.0.0.1", server.port), lambda user: f"sip:{user}@{DOMAIN}"
