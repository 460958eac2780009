"""Phones at the far side: what they share, and baresip."""

import json
import os
import socket
import uuid

from gi.repository import GLib

from sip.certificates import DOMAIN
from sip.ports import SOUND_PORTS, RigProcess, free_port
from support import tones
from support.waiting import GIVE_UP, PATIENCE, wait_until

BARESIP = """poll_method epoll
net_interface {interface}
sip_listen {host}:{port}
sip_certificate {certificate}
sip_cafile {authority}
call_max_calls 100
call_local_timeout 120
audio_source ausine,{frequency}
audio_player none
audio_alert none
statmode_default off
ausrc_srate 48000
auplay_srate 48000
ausrc_channels 2
auplay_channels 2
rtp_ports {first}-{last}
rtcp_mux no
jitter_buffer_delay 1-5
snd_path {folder}
module_path /usr/lib/baresip/modules
{modules}
module_app account.so
module_app contact.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen {reach}:{control}
opus_bitrate 28000
opus_stereo yes
opus_sprop_stereo yes
opus_inbandfec yes
"""


class Phone(RigProcess):
    """A phone with one account. What it hears is recorded; what it says is a tone of its own."""

    def __init__(self, folder, user, server=None, transport="udp", password="", frequency=440):
        super().__init__(f"{type(self).__name__.lower()}-{user}", folder)
        self.user, self.server, self.transport, self.password = user, server, transport, password
        self.frequency = frequency


class Baresip(Phone):
    """baresip, told what to do over TCP. `encryption` is a word of its accounts: srtp, srtp-mand, dtls_srtp."""

    def __init__(self, folder, user, server=None, transport="udp", password="", frequency=440, *, encryption="",
                 codecs=("PCMU", "PCMA"), is_automatic=False, nat="", stun="", host="127.0.0.1", authority="",
                 extra="", network=None):
        super().__init__(folder, user, server, transport, password, frequency)
        self.encryption, self.codecs, self.is_automatic = encryption, codecs, is_automatic
        self.nat, self.stun, self.host, self.authority, self.extra = nat, stun, host, authority, extra
        self.network = network
        """The network namespace that it runs in; None means this machine's."""
        if network:
            self.host, self.port = network.inside, free_port()
        else:
            self.port = free_port(host)
        self.events = []
        """What it has told, as (type, parameter, call id)."""
        self.control = None
        self.answers = {}

    def start(self):
        control = free_port()
        with open(os.path.join(self.folder, "config"), "w", encoding="ascii") as file:
            file.write(self.configuration(control))
        with open(os.path.join(self.folder, "accounts"), "w", encoding="ascii") as file:
            file.write(self.account() + "\n")
        open(os.path.join(self.folder, "contacts"), "w", encoding="ascii").close()
        self.spawn(*(self.network.wrapper() if self.network else ()), "baresip", "-f", self.folder,
                   "-6" if ":" in self.host else "-4")
        self.connect(control)
        if self.server:
            # The event may come before the connection that would tell of it.
            wait_until(lambda: " 200 OK " in self.log(), lambda: f"baresip does not register: {self.log()[-2000:]}",
                       every=0.02)
        return self

    @property
    def reach(self):
        """The address at which it is told what to do."""
        return self.network.inside if self.network else "127.0.0.1"

    def configuration(self, control):
        names = ["g711", "g722", "opus", "ausine", "sndfile", "srtp", "dtls_srtp", "stun", "turn", "ice"]
        named = f"[{self.host}]" if ":" in self.host else self.host
        return BARESIP.format(
            interface=self.host, host=named, reach=self.reach, port=self.port, frequency=self.frequency,
            first=SOUND_PORTS[0], last=SOUND_PORTS[-1], folder=self.folder,
            modules="\n".join(f"module {name}.so" for name in names), control=control, certificate="",
            authority=self.authority).replace("sip_certificate \n", "").replace("sip_cafile \n", "")

    def account(self):
        options = [f"answermode={'auto' if self.is_automatic else 'manual'}",
                   "audio_codecs=" + ",".join({"opus": "opus/48000/2", "G722": "G722/16000/1"}.get(name, f"{name}/8000/1")
                                              for name in self.codecs)]
        if self.encryption:
            options.append(f"mediaenc={self.encryption}")
        if self.nat:
            options.append(f"medianat={self.nat}")
        if self.stun:
            options.append(f"stunserver={self.stun}")
        if self.extra:
            options.append(self.extra)
        if self.server:
            options += [f"auth_user={self.user}", f"auth_pass={self.password}", "regint=3600",
                        f'outbound="{self.server.uri(self.transport, self.network.outside if self.network else self.host)}"']
            return f"<sip:{self.user}@{DOMAIN};transport={self.transport}>;{';'.join(options)}"
        named = f"[{self.host}]" if ":" in self.host else self.host
        return f"<sip:{self.user}@{named}:{self.port}>;regint=0;{';'.join(options)}"

    # Control

    def connect(self, port):
        def connected():
            if self.process.poll() is not None:
                raise AssertionError(f"baresip has ended: {self.log()[-2000:]}")
            try:
                self.control = socket.create_connection((self.reach, port), GIVE_UP)
                return True
            except OSError:
                return False
        wait_until(connected, lambda: f"baresip does not start: {self.log()[-2000:]}", every=0.03)
        self.buffer = b""
        self.control.setblocking(False)
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.control.fileno(), GLib.IOCondition.IN, self.read)

    def read(self, *_):
        try:
            data = self.control.recv(65536)
        except BlockingIOError:
            return True
        if not data:
            self.watch = None
            return False
        self.buffer += data
        while b":" in self.buffer:
            length, _, rest = self.buffer.partition(b":")
            if len(rest) < int(length) + 1:
                break
            self.buffer = rest[int(length) + 1:]
            self.take(json.loads(rest[:int(length)]))
        return True

    def take(self, message):
        if message.get("event"):
            self.events.append((message["type"], message.get("param", ""), message.get("id", "")))
            if message["type"] == "CALL_CLOSED":
                for path in self.recordings():
                    os.unlink(path)
        else:
            self.answers[message.get("token", "")] = message

    def command(self, name, parameters=""):
        """Gives a command and returns what it answers."""
        token = uuid.uuid4().hex[:8]
        text = json.dumps({"command": name, "params": parameters, "token": token})
        self.control.setblocking(True)
        self.control.sendall(f"{len(text)}:{text},".encode())
        self.control.setblocking(False)
        return wait_until(lambda: self.answers.pop(token, None), f"baresip does not answer {name}").get("data", "")

    def mark(self):
        """From here on only new events count."""
        self.events.clear()

    def told(self, kind):
        return [event for event in self.events if event[0] == kind]

    def wait_event(self, kind, seconds=PATIENCE):
        """Waits for an event of this kind and returns its parameter."""
        return wait_until(lambda: self.told(kind), lambda: f"no {kind}: {self.events}\n{self.log()[-3000:]}",
                          seconds, every=0.2)[-1][1]

    # Calls

    def dial(self, user):
        address = user if ":" in user or "@" in user else f"sip:{user}@{DOMAIN}"
        self.command("dial", address)

    def wait_incoming(self):
        """Waits for a call and returns who calls."""
        return self.wait_event("CALL_INCOMING")

    def accept(self):
        self.command("accept")
        self.wait_event("CALL_ESTABLISHED")

    def hang_up(self):
        self.command("hangup")

    def hold(self):
        self.command("hold")

    def resume(self):
        self.command("resume")

    def press(self, keys):
        """Sends touch tones. A space releases the key."""
        for key in keys:
            self.command("sndcode", key)
            self.command("sndcode", chr(4))

    def digits(self):
        """The keys that the far side has pressed."""
        return "".join(event[1] for event in self.told("CALL_DTMF_START"))

    # Sound

    def recordings(self):
        return [os.path.join(self.folder, name) for name in os.listdir(self.folder) if name.endswith("-dec.wav")]

    def heard(self):
        """What it hears in its newest call, until that is held: after a re-INVITE baresip 1.0 records nothing."""
        def newest():
            return [path for path in sorted(self.recordings(), key=os.path.getmtime) if os.path.getsize(path) > 44][-1:]
        return tones.GrowingSound.of_wave(wait_until(newest, "it hears nothing", every=0.02)[0])

    def stop(self, seconds=5):
        if self.control is not None:
            if self.watch:
                GLib.source_remove(self.watch)
            self.control.close()
            self.control = None
        super().stop(0)
