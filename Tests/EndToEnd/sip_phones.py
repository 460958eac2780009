"""Phones at the far side: baresip, and linphone, which has a SIP stack of its own."""

import json
import os
import pty
import re
import socket
import uuid

from gi.repository import GLib

import tones
from sip_certificates import DOMAIN
from sip_ports import RigProcess, free_port
from waiting import wait_until

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
            wait_until(lambda: " 200 OK " in self.log(), lambda: f"baresip does not register: {self.log()[-2000:]}", 20,
                       every=0.02)
        return self

    @property
    def reach(self):
        """The address at which it is told what to do."""
        return self.network.inside if self.network else "127.0.0.1"

    def configuration(self, control):
        names = ["g711", "g722", "opus", "ausine", "sndfile", "srtp", "dtls_srtp", "stun", "turn", "ice"]
        first = free_port()
        named = f"[{self.host}]" if ":" in self.host else self.host
        return BARESIP.format(
            interface=self.host, host=named, reach=self.reach, port=self.port, frequency=self.frequency,
            first=first, last=min(first + 200, 65534), folder=self.folder,
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
                self.control = socket.create_connection((self.reach, port), 5)
                return True
            except OSError:
                return False
        wait_until(connected, lambda: f"baresip does not start: {self.log()[-2000:]}", 20, every=0.03)
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
        return wait_until(lambda: self.answers.pop(token, None), f"baresip does not answer {name}", 20).get("data", "")

    def mark(self):
        """From here on only new events count."""
        self.events.clear()

    def told(self, kind):
        return [event for event in self.events if event[0] == kind]

    def wait_event(self, kind, seconds=20):
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
        return tones.GrowingSound.of_wave(wait_until(newest, "it hears nothing", 20, every=0.02)[0])

    def stop(self, seconds=5):
        if self.control is not None:
            if self.watch:
                GLib.source_remove(self.watch)
            self.control.close()
            self.control = None
        super().stop(0)


LINPHONE = """[sip]
sip_port={udp}
sip_tcp_port={tcp}
sip_tls_port={tls}
guess_hostname=1
inc_timeout=60
in_call_timeout=0
media_encryption={encryption}
media_encryption_mandatory={mandatory}
verify_server_certs=0
verify_server_cn=0
root_ca={authority}
contact="{user}" <sip:{user}@127.0.0.1>
session_expires_enabled={timer}
session_expires_value=1800
session_expires_min_value=90
session_expires_refresher_value=0
use_ipv6={ipv6}
default_proxy={default}

[rtp]
audio_rtp_port={rtp}
audio_adaptive_jitt_comp_enabled=1

[sound]
playback_dev_id=PulseAudio Unknown: {card}
capture_dev_id=PulseAudio Unknown: {card}-mic
ringer_dev_id=PulseAudio Unknown: {card}
local_ring=
remote_ring=
echocancellation=0

[video]
enabled=0
capture=0
display=0

[net]
mtu=1300
nat_policy_ref=ours

[nat_policy_0]
ref=ours
stun_server={stun}
protocols={protocols}

[misc]
version_check_url_root=

[audio_codec_0]
mime=opus
rate=48000
channels=2
enabled=1

[audio_codec_1]
mime=G722
rate=8000
channels=1
enabled=1

[audio_codec_2]
mime=PCMU
rate=8000
channels=1
enabled=1

[audio_codec_3]
mime=PCMA
rate=8000
channels=1
enabled=1
"""

LINPHONE_ACCOUNT = """
[proxy_0]
reg_proxy=<{uri}>
reg_route=<{uri};lr>
reg_identity=<sip:{user}@{domain}>
reg_expires=600
reg_sendregister=1
publish=0
nat_policy_ref={policy}

[auth_info_0]
username={user}
passwd={password}
realm={domain}
domain={domain}
"""


class Linphone(Phone):
    """linphonec, told what to do on its terminal. `encryption` is one of none, srtp, dtls, zrtp."""

    def __init__(self, folder, user, server=None, transport="udp", password="", frequency=660, *, encryption="none",
                 is_mandatory=False, authority="", cards=None, card="linphone", stun="", has_timer=False,
                 host="127.0.0.1"):
        super().__init__(folder, user, server, transport, password, frequency)
        self.encryption, self.is_mandatory, self.authority = encryption, is_mandatory, authority
        self.stun, self.has_timer, self.host = stun, has_timer, host
        """`stun`: with it, ICE is used. `has_timer`: it asks for a session timer."""
        self.cards, self.card = cards, card
        """The sound cards, and the name of the one it uses."""
        self.output = ""
        self.begin = 0
        self.port = free_port()
        self.terminal = None

    def start(self):
        # Without these folders it starts, and does nothing.
        for name in (".config", ".local/share", ".cache"):
            os.makedirs(os.path.join(self.folder, name, "linphone"), exist_ok=True)
        path = os.path.join(self.folder, "linphonerc")
        with open(path, "w", encoding="ascii") as file:
            file.write(LINPHONE.format(
                udp=self.port, tcp=free_port(), tls=free_port(), rtp=free_port(), user=self.user,
                encryption=self.encryption, mandatory=int(self.is_mandatory), authority=self.authority,
                ipv6=int(":" in self.host), stun=self.stun, protocols="stun,ice" if self.stun else "",
                timer=int(self.has_timer),
                card=self.card,
                default=0 if self.server else -1))
            if self.server:
                file.write(LINPHONE_ACCOUNT.format(
                    uri=self.server.uri(self.transport, self.host), policy="ours" if self.stun else "", user=self.user, domain=DOMAIN, password=self.password))
        self.terminal, inner = pty.openpty()
        self.spawn("linphonec", "-c", path, "-d", "6", "-l", os.path.join(self.folder, "linphone.log"), stdin=inner,
                   output=inner, environment={
                       "HOME": self.folder, "XDG_CONFIG_HOME": f"{self.folder}/.config", "TERM": "dumb",
                       "XDG_DATA_HOME": f"{self.folder}/.local/share", "XDG_CACHE_HOME": f"{self.folder}/.cache",
                       **(self.cards.environment(self.card) if self.cards else {})})
        os.close(inner)
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.terminal, GLib.IOCondition.IN, self.read)
        wait_until(lambda: "linphonec>" in self.output, lambda: f"linphone does not start: {self.output}", 20)
        if self.server:
            self.wait_logged("to .LinphoneRegistrationOk.")
        return self

    def read(self, *_):
        try:
            self.output += os.read(self.terminal, 65536).decode(errors="replace")
        except OSError:
            self.watch = None
            return False
        return True

    def command(self, text):
        self.mark()
        os.write(self.terminal, f"{text}\n".encode())

    def mark(self):
        """From here on only what is new counts."""
        self.begin = len(self.diary())

    def diary(self):
        """What it logs. Its terminal tells of few events."""
        try:
            with open(os.path.join(self.folder, "linphone.log"), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait_logged(self, pattern, seconds=20):
        """Waits until it has logged this since the last command or mark."""
        return wait_until(lambda: re.search(pattern, self.diary()[self.begin:]),
                          lambda: f"linphone has not logged {pattern}: {self.output[-1000:]}\n{self.states()}",
                          seconds, every=0.03)

    def states(self):
        """The states of its calls, in order."""
        return re.findall(r"moving from state \S+ to (?:state )?(\S+)", self.diary()[self.begin:])

    def wait_state(self, name, seconds=20):
        """Waits until a call gets into this state, such as StreamsRunning or PausedByRemote."""
        self.wait_logged(rf"CallSession \[\w+\] moving from state \S+ to (?:state )?\[?Linphone(?:Call)?{name}|"
                         rf"moving from state \S+ to (?:state )?\S*(?:{name})\b", seconds)

    # Calls

    def dial(self, user):
        self.command(f"call {user if ':' in user else f'sip:{user}@{DOMAIN}'}")

    def wait_incoming(self):
        self.wait_state("IncomingReceived")

    def accept(self):
        self.command("answer")
        self.wait_established()

    def wait_established(self):
        self.wait_state("StreamsRunning")

    def hang_up(self):
        self.command("terminate")

    def hold(self):
        self.command("pause")
        self.wait_state("Paused")

    def resume(self):
        self.command("resume")
        self.wait_state("StreamsRunning")

    def heard(self):
        """What it plays."""
        return self.cards.heard(self.card)

    def stop(self, seconds=5):
        if self.terminal is not None:
            if self.watch:
                GLib.source_remove(self.watch)
            os.close(self.terminal)
            self.terminal = None
        super().stop(0)
