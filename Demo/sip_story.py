#!/usr/bin/env python3
"""Shows a SIP call held because a mobile call is answered, and resumed after it. The server is Kamailio, the far side's
phone is linphone, the modems' service is ModemManager, and the sound goes through PulseAudio: all of them are the real
ones, without a network and without sound cards. The modem is simulated.

Exits with 1 if anything differs from the story.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(REPOSITORY, "Tests", "EndToEnd"))

from cellular.modems import ModemManager, ServiceBus  # noqa: E402
from cellular.modems import bundle as bundle_cellular  # noqa: E402
from sip.certificates import DOMAIN, Certificates  # noqa: E402
from sip.linphone import Linphone  # noqa: E402
from sip.server import Kamailio  # noqa: E402
from sip.sound import SoundCards  # noqa: E402
from sip.case import bundle as bundle_sip  # noqa: E402
from story import Story  # noqa: E402
from support.system import BUILD, CALL, System  # noqa: E402
from support.tones import wait_sound  # noqa: E402
from support.waiting import wait_until  # noqa: E402

PASSWORDS = {"alice": "alice-secret", "carol": "carol-secret"}
ALICE, CAROL = 500, 660
"""The tones that are in front of the microphones of alice and carol, in Hz."""


class Stage:
    """The programs of the demo, in the order in which they start."""

    def __init__(self, folder):
        self.folder = folder
        certificates = Certificates(f"{folder}/certificates")
        self.authority = certificates.authority
        self.parts = []
        self.server = self.keep(Kamailio(f"{folder}/server", PASSWORDS, certificates.good()).start())
        self.cards = self.keep(SoundCards(f"{folder}/sound", alice=ALICE, carol=CAROL).start())
        bundle_cellular(bundle_sip(f"{folder}/plugins"))
        self.system = System("--plugin-path", f"{folder}/plugins", with_plugins=True,
                             wrapper=("env", f"SSL_CERT_FILE={self.authority}", f"PULSE_SERVER={self.cards.address}"))

    def keep(self, part):
        """Stops it at the end."""
        self.parts.append(part)
        return part

    def stop(self):
        for part in reversed(self.parts):
            part.stop()

    def add_account(self):
        """Adds alice's account as a person would; the password comes from a pipe and not from the keyboard."""
        reading, writing = os.pipe()
        os.write(writing, PASSWORDS["alice"].encode())
        os.close(writing)
        command = ["accounts", "add", "SIP", "user=alice", f"domain={DOMAIN}", f"proxy={self.server.uri('tls')}",
                   "encryption=required"]
        print("   callctl " + " ".join(command[:5]) + " \\\n       " + " ".join(map(shlex.quote, command[5:])))
        subprocess.run([f"{BUILD}/callctl", *command, "--storage", "memory", "--secret-fd", f"password={reading}"],
                       env=self.system.environment, pass_fds=[reading], check=True, stdout=subprocess.DEVNULL, timeout=60)
        os.close(reading)


def listen(stage, story, carol, *, is_carol_there):
    """Tells which tones are heard at either end, once they are what they have to be."""
    speaker = lambda: stage.cards.heard("alice")  # noqa: E731
    if is_carol_there:
        wait_sound(speaker, [CAROL], [ALICE])
        wait_sound(carol.heard, [ALICE], [CAROL])
        story.tell(f"            alice hears carol's {CAROL} Hz, carol hears alice's {ALICE} Hz")
    else:
        wait_sound(speaker, absent=[CAROL], may_stop=True)
        wait_sound(carol.heard, absent=[ALICE], may_stop=True)
        story.tell("            alice and carol hear each other no more")


def play(stage, story):
    system = stage.system
    print("ModemManager finds a modem, and you add a SIP account:")
    services = stage.keep(ServiceBus(system))
    manager = stage.keep(ModemManager(services).start())
    modem, _ = manager.plug()
    stage.add_account()
    story.wait_online("SIP")
    story.wait_online("Cellular")
    story.modem, story.commands = modem, len(modem.commands)

    print("\n1. Carol's linphone calls alice through Kamailio, and you answer.")
    carol = Linphone(f"{stage.folder}/carol", "carol", stage.server, transport="tls", password=PASSWORDS["carol"],
                     encryption="srtp", authority=stage.authority, cards=stage.cards, card="carol")
    stage.keep(carol.start())
    carol.dial("alice")
    sip = story.wait_ringing("SIP")
    system.call(sip, CALL, "Answer").result()
    story.wait(sip, "active")
    wait_until(lambda: system.shown(sip, "Encryption") == "srtp-sdes",
               lambda: f"the sound is encrypted by {system.shown(sip, 'Encryption')}")
    story.tell(f"            {system.shown(sip, 'Codec')}, {system.shown(sip, 'Encryption')}; signalling over TLS")
    listen(stage, story, carol, is_carol_there=True)

    print("\n2. Your mobile number is called, and you answer. The daemon holds the SIP call\n   first; "
          "carol's phone is told.")
    modem.ring("+15550123")
    mobile = story.wait_ringing()
    carol.mark()
    system.call(mobile, CALL, "Answer").result()
    story.wait(mobile, "active")
    carol.wait_state("PausedByRemote")
    story.tell("            carol's phone says: paused by remote")
    listen(stage, story, carol, is_carol_there=False)
    if system.shown(sip, "State") != "held":
        sys.exit(f"demo: the SIP call is {system.shown(sip, 'State')}")
    manager.wait_in_call()

    print("\n3. You end the mobile call. The daemon resumes the SIP call, and its sound.")
    carol.mark()
    system.call(mobile, CALL, "End").result()
    story.wait(sip, "active")
    carol.wait_state("StreamsRunning")
    listen(stage, story, carol, is_carol_there=True)

    print("\n4. You end it.")
    system.call(sip, CALL, "End").result()
    story.wait(sip, "ended")


def main():
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="opencallkit-demo-") as folder:
        stage = Stage(folder)
        try:
            with stage.system:
                play(stage, Story(stage.system))
        finally:
            stage.stop()
    print(f"\ndemo: done in {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
