"""Jami's daemon, a phone with the SIP stack pjsip, at the far side."""

import os

import dbus

from sip.certificates import DOMAIN
from sip.phones import Phone
from sip.ports import free_port
from support.waiting import PATIENCE, wait_until

NAME, ROOT = "cx.ring.Ring", "/cx/ring/Ring"
ENCRYPTIONS = {"": {"SRTP.enable": "false", "SRTP.keyExchange": ""}, "sdes": {"SRTP.enable": "true", "SRTP.keyExchange": "sdes"}}
SOUND = dbus.Array([dbus.Dictionary({
    "MEDIA_TYPE": "MEDIA_TYPE_AUDIO", "ENABLED": "true", "MUTED": "false", "SOURCE": "", "LABEL": "audio_0",
    "ON_HOLD": "false"}, signature="ss")], signature="a{ss}")
"""What its calls consist of."""


class Jami(Phone):
    """jamid, told what to do over D-Bus, with an account of the kind SIP."""

    def __init__(self, *arguments, system, cards, card, encryption="", codecs=(), **options):
        super().__init__(*arguments, **options)
        self.system, self.cards, self.card = system, cards, card
        """`system`: the one on whose bus it is."""
        self.encryption = encryption
        self.codecs = codecs
        """Names of codecs that it knows, in its order; none means all."""
        self.account = self.call = ""
        self.states = []
        """The states of its calls since the last mark."""
        self.has_held = False

    def start(self):
        self.spawn("/usr/libexec/jamid", "-c", "-d", "-p", environment={
            "HOME": self.folder, "XDG_CONFIG_HOME": f"{self.folder}/config", "XDG_DATA_HOME": f"{self.folder}/data",
            "XDG_CACHE_HOME": f"{self.folder}/cache", "DBUS_SESSION_BUS_ADDRESS": self.system.address,
            **self.cards.environment(self.card)})
        self.bus = self.system.connect()
        wait_until(lambda: self.bus.name_has_owner(NAME), lambda: f"Jami does not start: {self.log()[-3000:]}",
                   every=0.05)
        self.bus.add_signal_receiver(self.note_call, "incomingCallWithMedia", f"{NAME}.CallManager")
        self.bus.add_signal_receiver(self.note_state, "callStateChanged", f"{NAME}.CallManager")
        # What makes voices clearer takes a tone for noise.
        self.accounts("setNoiseSuppressState", "off")
        self.accounts("setAgcState", False)
        settings = {
            "Account.type": "SIP", "Account.alias": self.user, "Account.hostname": DOMAIN, "Account.username": self.user,
            "Account.password": self.password, "Account.routeset": f"127.0.0.1:{self.server.port}",
            "Account.enable": "true", "Account.upnpEnabled": "false", "Account.videoEnabled": "false",
            "Account.localInterface": "lo", "Account.localPort": str(free_port()), "Account.registrationExpire": "600",
            "Account.dtmfType": "overrtp", "Account.ringtoneEnabled": "false", "TLS.enable": "false",
            **ENCRYPTIONS[self.encryption]}
        self.account = str(self.accounts("addAccount", dbus.Dictionary(settings, signature="ss")))
        wait_until(lambda: self.registration() == "REGISTERED",
                   lambda: f"Jami does not register: {self.registration()}: {self.log()[-6000:]}", every=0.05)
        return self

    def registration(self):
        return str(self.accounts("getVolatileAccountDetails", self.account).get("Account.registrationStatus"))

    def accounts(self, member, *arguments):
        return self.interface("ConfigurationManager").get_dbus_method(member)(*arguments)

    def calls(self, member, *arguments):
        return self.interface("CallManager").get_dbus_method(member)(*arguments)

    def interface(self, name):
        return dbus.Interface(self.bus.get_object(NAME, f"{ROOT}/{name}", introspect=False), f"{NAME}.{name}")

    # What it tells

    def note_call(self, _account, call, _caller, _media):
        self.call = str(call)
        self.states.append("INCOMING")

    def note_state(self, _account, call, state, _code):
        self.call = str(call)
        self.states.append(str(state))

    def mark(self):
        """From here on only what is new counts."""
        self.states.clear()

    def wait_state(self, *names, seconds=PATIENCE):
        wait_until(lambda: any(name in self.states for name in names),
                   lambda: f"Jami is not {names}: {self.states}: {self.log()[-3000:]}", seconds)

    # Calls

    def dial(self, user):
        self.mark()
        self.call = str(self.calls("placeCallWithMedia", self.account, f"sip:{user}@{DOMAIN}", SOUND))

    def wait_incoming(self):
        self.wait_state("INCOMING")

    def accept(self):
        self.calls("acceptWithMedia", self.account, self.call, SOUND)
        self.wait_established()

    def wait_established(self):
        self.wait_state("CURRENT")

    def hang_up(self):
        self.calls("hangUp", self.account, self.call)

    def decline(self):
        self.calls("refuse", self.account, self.call)

    def wait_over(self):
        self.wait_state("OVER", "HUNGUP", "BUSY", "PEER_BUSY", "FAILURE")

    def hold(self):
        self.calls("hold", self.account, self.call)

    def resume(self):
        self.calls("unhold", self.account, self.call)

    def press(self, keys):
        for key in keys:
            self.calls("playDTMF", key)

    def transfer(self, user):
        self.calls("transfer", self.account, self.call, f"sip:{user}@{DOMAIN}")

    def heard(self):
        """What it plays."""
        return self.cards.heard(self.card)
