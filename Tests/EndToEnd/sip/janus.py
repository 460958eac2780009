"""Janus, a gateway between SIP, with the stack sofia-sip, and WebRTC, at the far side."""

import json
import os
import shutil
import socket
import subprocess
import sys
import uuid

from gi.repository import GLib

from sip import web_rtc
from sip.certificates import DOMAIN
from sip.phones import Phone
from sip.ports import SOUND_PORTS, RigProcess
from support import tones
from support.system import REPOSITORY
from support.waiting import PATIENCE, wait_until

SOUND = f"{SOUND_PORTS[0]}-{SOUND_PORTS[-1]}"
PLUGINS = ("audiobridge", "duktape", "echotest", "lua", "nosip", "recordplay", "streaming", "textroom", "videocall",
           "videoroom", "voicemail")
TRANSPORTS = ("http", "mqtt", "nanomsg", "rabbitmq", "websockets")
CONFIGURATIONS = {
    "janus": """general: {{ debug_level = 5 }}
media: {{ rtp_port_range = "{sound}" }}
plugins: {{ disable = "{plugins}" }}
transports: {{ disable = "{transports}" }}
""",
    "janus.plugin.sip": """general: {{
  local_ip = "127.0.0.1"
  keepalive_interval = 0
  register_ttl = 600
  rtp_port_range = "{sound}"
}}
""",
    "janus.transport.pfunix": """general: {{
  enabled = true
  json = "compact"
  path = "{folder}/api"
  type = "SOCK_SEQPACKET"
}}
""",
}


class Browser(RigProcess):
    """What a browser does for Janus: the other end of its connection. What it hears is in a file."""

    def __init__(self, folder, frequency, codec):
        super().__init__("browser", folder)
        self.path = os.path.join(folder, "heard.raw")
        open(self.path, "wb").close()
        # All of a class keep GStreamer's list of what is installed.
        self.spawn(sys.executable, "-m", "sip.web_rtc", folder, str(frequency), codec, stdin=subprocess.PIPE,
                   cwd=os.path.join(REPOSITORY, "Tests", "EndToEnd"),
                   environment={"XDG_CACHE_HOME": os.path.dirname(os.path.dirname(folder))})

    def ask(self, *request):
        answers = self.answers()
        self.process.stdin.write(f"{json.dumps(request)}\n".encode())
        self.process.stdin.flush()
        return wait_until(lambda: self.answers()[len(answers):], lambda: f"no answer to {request}: {self.log()}",
                          every=0.02)[0]

    def answers(self):
        return [json.loads(line) for line in self.log().splitlines(keepends=True) if line[0] in "\"n" and line[-1] == "\n"]

    def heard(self):
        return tones.GrowingSound(self.path, web_rtc.RATE)


class Janus(Phone):
    """Janus with its plugin SIP, told what to do over a socket, and a peer in the place of a browser.

    `encryption` is one of sdes_optional, sdes_mandatory, or "".
    """

    def __init__(self, *arguments, encryption="", codec="PCMA", **options):
        super().__init__(*arguments, **options)
        self.encryption, self.codec = encryption, codec
        self.socket = self.watch = self.peer = None
        self.session = self.handle = 0
        self.events = []
        """The events of its plugin since the last mark, with the description that came with each."""
        self.answers = {}
        self.peers = 0

    @staticmethod
    def is_installed():
        return shutil.which("janus") is not None and not web_rtc.missing()

    def start(self):
        folder = os.path.join(self.folder, "conf")
        os.makedirs(folder, exist_ok=True)
        words = {
            "sound": SOUND, "folder": self.folder, "plugins": ",".join(f"libjanus_{name}.so" for name in PLUGINS),
            "transports": ",".join(f"libjanus_{name}.so" for name in TRANSPORTS)}
        for name, text in CONFIGURATIONS.items():
            with open(os.path.join(folder, f"{name}.jcfg"), "w", encoding="ascii") as file:
                file.write(text.format(**words))
        self.launch()
        self.connect()
        self.session = self.ask({"janus": "create"})["data"]["id"]
        self.handle = self.ask({"janus": "attach", "plugin": "janus.plugin.sip"})["data"]["id"]
        self.tell("register", username=f"sip:{self.user}@{DOMAIN}", authuser=self.user, secret=self.password,
                  display_name=self.user, outbound_proxy=self.server.uri(self.transport), proxy=f"sip:{DOMAIN}")
        self.wait_event("registered")
        return self

    def launch(self):
        self.spawn("janus", "-F", os.path.join(self.folder, "conf"), "-o", environment={"HOME": self.folder})

    def connect(self):
        def connected():
            # Janus 1.1 ends if the thread of its socket is quicker than the one that starts it.
            if self.process.poll() is not None and "No Janus API transport is available" in self.log():
                self.launch()
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                self.socket.connect(f"{self.folder}/api")
                return True
            except OSError:
                self.socket.close()
                return False
        wait_until(connected, lambda: f"Janus does not start: {self.log()[-3000:]}", every=0.05)
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.socket.fileno(), GLib.IOCondition.IN, self.read)

    def read(self, *_):
        data = self.socket.recv(1 << 20)
        if not data:
            self.watch = None
            return False
        message = json.loads(data)
        if message.get("janus") == "event":
            values = message["plugindata"]["data"]
            self.events.append(({**values, **values.get("result", {})}, message.get("jsep")))
        elif message.get("janus") == "hangup":
            self.events.append(({"event": "connection-over"}, None))
        elif message.get("janus") != "ack" and "transaction" in message:
            self.answers[message["transaction"]] = message
        return True

    def send(self, message):
        number = uuid.uuid4().hex
        where = {"session_id": self.session} if self.session else {}
        if self.handle:
            where["handle_id"] = self.handle
        self.socket.send(json.dumps({**message, **where, "transaction": number}).encode())
        return number

    def ask(self, message):
        number = self.send(message)
        return wait_until(lambda: self.answers.pop(number, None), lambda: f"Janus does not answer {message}")

    def tell(self, request, description=None, **values):
        """Asks its plugin for something. What comes of it is an event."""
        self.send({"janus": "message", "body": {"request": request, **values},
                   **({"jsep": description} if description else {})})

    def mark(self):
        """From here on only new events count."""
        self.events.clear()

    def told(self, *names):
        return [event for event in self.events if event[0].get("event") in names]

    def wait_event(self, *names, seconds=PATIENCE):
        return wait_until(lambda: self.told(*names),
                          lambda: f"Janus tells no {names}: {self.events}\n{self.log()[-3000:]}", seconds)[-1]

    # Calls

    def new_peer(self):
        self.drop_peer()
        self.peers += 1
        self.peer = Browser(os.path.join(self.folder, f"peer-{self.peers}"), self.frequency, self.codec)
        return self.peer

    def drop_peer(self):
        if self.peer is not None:
            self.peer.stop(0)
            self.peer = None

    def dial(self, user):
        self.tell("call", {"type": "offer", "sdp": self.new_peer().ask("offer")}, uri=f"sip:{user}@{DOMAIN}",
                  **self.how())

    def how(self):
        return {"srtp": self.encryption} if self.encryption else {}

    def wait_incoming(self):
        return self.wait_event("incomingcall")

    def accept(self):
        _, offer = self.wait_incoming()
        self.tell("accept", {"type": "answer", "sdp": self.new_peer().ask("answer", offer["sdp"])}, **self.how())
        self.wait_event("accepted")

    def wait_established(self):
        _, answer = self.wait_event("accepted")
        self.peer.ask("take", "ANSWER", answer["sdp"])

    def hang_up(self):
        self.tell("hangup")

    def decline(self):
        self.tell("decline", code=486)

    def wait_over(self):
        self.wait_event("hangup")
        # Until the connection with its peer is over, it makes no other.
        if self.peer is not None:
            self.wait_event("connection-over")

    def hold(self):
        begin = len(self.log())
        self.tell("hold")
        # What it is asked before the hold is confirmed is lost.
        wait_until(lambda: "call state [ready]" in self.log()[begin:], lambda: f"no hold: {self.log()[-2000:]}", every=0.02)

    def resume(self):
        self.tell("unhold")

    def press(self, keys):
        for key in keys:
            self.tell("dtmf_info", digit=key, duration=160)

    def transfer(self, user):
        self.tell("transfer", uri=f"sip:{user}@{DOMAIN}")

    def heard(self):
        """What its peer hears."""
        return self.peer.heard()

    def stop(self, seconds=5):
        self.drop_peer()
        if self.socket is not None:
            if self.watch:
                GLib.source_remove(self.watch)
            self.socket.close()
            self.socket = None
        super().stop(seconds)
