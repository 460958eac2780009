"""GNOME Calls, a phone with the SIP stack sofia-sip, at the far side."""

import os
import subprocess

import dbus
import dbus.bus

from sip.phones import Phone
from sip.ports import RigProcess
from support.messages import variants
from support.waiting import GIVE_UP, PATIENCE, wait_until

NAME, PATH, CALL = "org.gnome.Calls", "/org/gnome/Calls", "org.gnome.Calls.Call"
DIALING, RINGING, INCOMING, ACTIVE = 3, 4, 5, 1
"""States of calls."""
ACCOUNT = """[carol]
Host=127.0.0.1
User={user}
DisplayName={user}
Protocol={protocol}
Port={port}
AutoConnect=true
CanTel=false
MediaEncryption={encryption}
"""


class GnomeCalls(Phone):
    """gnome-calls on an X server without a screen, told what to do over a bus of its own. Over TLS it encrypts sound."""

    def __init__(self, *arguments, cards, card, **options):
        super().__init__(*arguments, **options)
        self.cards, self.card = cards, card
        self.port = self.server.tls_port if self.transport == "tls" else self.server.port
        self.bus = self.broker = self.screen = None
        self.ended = False
        """Whether a call has ended since the last mark."""

    def start(self):
        folder = self.folder
        environment = {
            "HOME": folder, "XDG_CONFIG_HOME": f"{folder}/config", "XDG_DATA_HOME": f"{folder}/data",
            "XDG_CACHE_HOME": f"{folder}/cache", "XDG_RUNTIME_DIR": folder, "GSETTINGS_BACKEND": "memory",
            "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "CALLS_AUDIOSRC": "alsasrc", "CALLS_AUDIOSINK": "alsasink",
            "SECRET_BACKEND": "file", "SECRET_FILE_TEST_PASSWORD": "keyring",
            "SECRET_FILE_TEST_PATH": f"{folder}/keyring", **self.cards.environment(self.card)}
        os.makedirs(f"{folder}/config/calls")
        os.makedirs(f"{folder}/data")
        # By its elements for PulseAudio it plays the first three packets, and then waits for their clock.
        with open(f"{folder}/.asoundrc", "w", encoding="ascii") as file:
            file.write("pcm.!default { type pulse }\nctl.!default { type pulse }\n")
        with open(f"{folder}/config/calls/sip-account.cfg", "w", encoding="ascii") as file:
            file.write(ACCOUNT.format(user=self.user, port=self.port, protocol=self.transport.upper(),
                                      encryption=2 if self.transport == "tls" else 0))
        environment["DBUS_SESSION_BUS_ADDRESS"] = self.start_bus()
        environment["DISPLAY"] = self.start_screen()
        subprocess.run(["secret-tool", "store", "--label=account", "server", "127.0.0.1", "username", self.user, "protocol",
                        "sip"], input=self.password.encode(), env={**os.environ, **environment}, check=True, timeout=GIVE_UP)
        self.spawn("gnome-calls", "--daemon", "--provider", "sip", "-v", "-v", "-v", environment=environment)
        wait_until(lambda: any(request.credentials for request in self.server.seen("REGISTER", self.user)),
                   lambda: f"GNOME Calls does not register: {self.log()[-5000:]}", every=0.05)
        return self

    def start_bus(self):
        self.broker = RigProcess("bus", self.folder)
        address = f"unix:path={self.folder}/bus"
        self.broker.spawn("dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}", "--print-address")
        wait_until(lambda: address in self.broker.log(), "there is no bus", every=0.02)
        self.bus = dbus.bus.BusConnection(address)
        self.bus.set_exit_on_disconnect(False)
        self.bus.add_signal_receiver(self.note_end, "InterfacesRemoved", path=PATH)
        return address

    def start_screen(self):
        self.screen = RigProcess("screen", self.folder)
        self.screen.spawn("sh", "-c", "exec Xvfb -displayfd 1 -screen 0 640x480x24 -nolisten tcp -ac 2>/dev/null")
        return ":" + wait_until(lambda: self.screen.log().strip(), "there is no screen", every=0.02)

    def note_end(self, *_):
        self.ended = True

    def mark(self):
        """From here on only what is new counts."""
        self.ended = False

    def ask(self, path, interface, member, signature="", *arguments):
        return self.bus.call_blocking(NAME, path, interface, member, signature, arguments, GIVE_UP)

    def calls(self):
        """Its calls: the properties of each by its path."""
        objects = self.ask(PATH, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return {str(path): interfaces[CALL] for path, interfaces in objects.items() if CALL in interfaces}

    def wait_state(self, *states, seconds=PATIENCE):
        wait_until(lambda: any(values["State"] in states for values in self.calls().values()),
                   lambda: f"no call is {states}: {self.calls()}: {self.log()[-3000:]}", seconds, every=0.05)

    # Calls

    def dial(self, user):
        self.mark()
        self.ask(PATH, "org.gtk.Actions", "Activate", "sava{sv}", "dial-sip",
                 [dbus.Struct((f"sip:{user}@127.0.0.1:{self.port}", ""), signature="ss")], variants({}))

    def wait_incoming(self):
        self.wait_state(INCOMING)

    def tell(self, member, signature="", *arguments):
        for path in self.calls():
            self.ask(path, CALL, member, signature, *arguments)

    def accept(self):
        self.tell("Accept")
        self.wait_established()

    def wait_established(self):
        self.wait_state(ACTIVE)

    def hang_up(self):
        self.tell("Hangup")

    decline = hang_up

    def wait_over(self):
        wait_until(lambda: self.ended, lambda: f"its call does not end: {self.calls()}")

    def press(self, keys):
        for key in keys:
            self.tell("SendDtmf", "s", key)

    def heard(self):
        """What it plays."""
        return self.cards.heard(self.card)

    def stop(self, seconds=5):
        if self.bus is not None:
            self.bus.close()
            self.bus = None
        for part in (self.screen, self.broker):
            if part is not None:
                part.stop()
        super().stop(0)
