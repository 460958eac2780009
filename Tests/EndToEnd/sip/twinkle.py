"""Twinkle, a phone with a SIP stack of its own and the RTP stack ccRTP, at the far side."""

import os
import re

from sip.certificates import DOMAIN
from sip.ports import free_port
from sip.terminal import TerminalPhone
from support.waiting import wait_until

SYSTEM = """sip_port={port}
rtp_port={sound}
dev_ringtone=alsa:default
dev_speaker=alsa:default
dev_mic=alsa:default
validate_audio_dev=no
play_ringtone=no
play_ringback=no
log_show_sip=yes
start_user_profile={user}
"""

PROFILE = """user_name={user}
user_domain={domain}
user_display={user}
auth_name={user}
auth_pass={password}
outbound_proxy={proxy}
all_requests_to_proxy=yes
register_at_startup=yes
registration_time=600
sip_transport={transport}
codecs={codecs}
dtmf_transport={keys}
ask_user_to_refer=no
ask_user_to_redirect=no
zrtp_enabled=no
"""


class Twinkle(TerminalPhone):
    """twinkle-console. `codecs` are g711a, g711u, gsm; `keys` is one of rfc2833, inband, info, auto."""

    def __init__(self, *arguments, cards, card, codecs="g711a,g711u", keys="auto", **options):
        super().__init__(*arguments, **options)
        self.cards, self.card, self.codecs, self.keys = cards, card, codecs, keys

    def start(self):
        os.makedirs(os.path.join(self.folder, ".twinkle"), exist_ok=True)
        for name, text in (
                (".asoundrc", "pcm.!default { type pulse }\nctl.!default { type pulse }\n"),
                (".twinkle/twinkle.sys", SYSTEM.format(port=free_port(), sound=free_port(), user=self.user)),
                (f".twinkle/{self.user}.cfg", PROFILE.format(
                    user=self.user, domain=DOMAIN, password=self.password, proxy=f"127.0.0.1:{self.server.port}",
                    transport=self.transport, codecs=self.codecs, keys=self.keys))):
            with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
                file.write(text)
        self.spawn_on_terminal("twinkle-console", environment=self.cards.environment(self.card))
        wait_until(lambda: "registration succeeded" in self.output,
                   lambda: f"Twinkle does not register: {self.output}\n{self.trace()}")
        return self

    def trace(self):
        try:
            with open(os.path.join(self.folder, ".twinkle", "twinkle.log"), encoding="utf-8", errors="replace") as file:
                return file.read()[-4000:]
        except FileNotFoundError:
            return ""

    # Calls

    def dial(self, user):
        self.command(f"call {user}")

    def wait_incoming(self):
        self.wait_logged("incoming call")

    def accept(self):
        self.command("answer")
        self.wait_established()

    def wait_established(self):
        self.wait_logged("call established|far end answered call")

    def hang_up(self):
        self.command("bye")

    def decline(self):
        self.command("reject")

    def wait_over(self):
        self.wait_logged("call ended|far end ended call|far end cancelled call|call failed")

    def hold(self):
        self.command("hold")

    def resume(self):
        self.command("retrieve")

    def press(self, keys):
        self.command(f"dtmf {keys}")

    def digits(self):
        """The keys that the far side has pressed."""
        return "".join(re.findall(r"DTMF detected: (\S)", self.output[self.begin:]))

    def transfer(self, user):
        self.command(f"transfer {user}")

    def heard(self):
        """What it plays."""
        return self.cards.heard(self.card)
