"""linphone, a phone with a SIP stack of its own, at the far side."""

import functools
import os
import re
import subprocess

from sip.certificates import DOMAIN
from sip.ports import free_port
from sip.terminal import TerminalPhone
from support.waiting import GIVE_UP, PATIENCE, wait_until

LINPHONE = """[sip]
sip_port={udp}
sip_tcp_port={tcp}
sip_tls_port={tls}
guess_hostname=1
inc_timeout=600
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
playback_dev_id={speaker}
capture_dev_id={microphone}
ringer_dev_id={speaker}
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


@functools.cache
def device(name):
    """What linphone calls a card of the sound server; from 5.3 on, the kind stands after the name."""
    version = subprocess.run(["linphonec", "-v"], capture_output=True, text=True, check=True, timeout=GIVE_UP).stdout
    major, minor = map(int, re.search(r"(\d+)\.(\d+)", version).groups())
    return f"PulseAudio: {name} [Unknown]" if (major, minor) >= (5, 3) else f"PulseAudio Unknown: {name}"


class Linphone(TerminalPhone):
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
        self.port = free_port()

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
                speaker=device(self.card), microphone=device(f"{self.card}-mic"),
                default=0 if self.server else -1))
            if self.server:
                file.write(LINPHONE_ACCOUNT.format(
                    uri=self.server.uri(self.transport, self.host), policy="ours" if self.stun else "",
                    user=self.user, domain=DOMAIN, password=self.password))
        self.spawn_on_terminal("linphonec", "-c", path, "-d", "6", "-l", os.path.join(self.folder, "linphone.log"),
                               environment={
                                   "XDG_CONFIG_HOME": f"{self.folder}/.config",
                                   "XDG_DATA_HOME": f"{self.folder}/.local/share",
                                   "XDG_CACHE_HOME": f"{self.folder}/.cache",
                                   **(self.cards.environment(self.card) if self.cards else {})})
        wait_until(lambda: "linphonec>" in self.output, lambda: f"linphone does not start: {self.output}")
        if self.server:
            self.wait_logged("to .LinphoneRegistrationOk.")
        return self

    def diary(self):
        """What it logs. Its terminal tells of few events."""
        try:
            with open(os.path.join(self.folder, "linphone.log"), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def trace(self):
        return self.states()

    def states(self):
        """The states of its calls, in order."""
        return re.findall(r"moving from state \S+ to (?:state )?(\S+)", self.diary()[self.begin:])

    def wait_state(self, name, seconds=PATIENCE):
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
