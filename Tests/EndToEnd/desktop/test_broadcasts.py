"""Nobody's identity is broadcast, on any name that the daemon and the desktop agent own: a plain client of the bus hears every
signal that is for all, while calls ring, are answered, held, ended and missed, and everything that a call may be known by has
canaries in it. Phosh, to whom some of it is told, is there.
"""

import os
import struct
import zlib

import dbus
import dbus.service

from desktop.case import DESKTOP, DESKTOP_PATH
from desktop.notification_servers import ScriptedServer
from desktop.ringing import RingingTest, write_tone
from support.canaries import CANARIES, MARK, NAME, NUMBER
from support.listener import Listener
from support.messages import without_uuids
from support.provider import Provider
from support.store import StoreTest
from support.system import IDENTITY, PROPERTIES, RECENTS, RECENTS1, ROOT, RULES1, SYSTEM, DIRECTORY
from support.waiting import wait_until

PHONE, PHONE_PATH = "org.opencallkit.Phone", "/org/opencallkit/Phone"
OWNED = {"org.opencallkit.CallSystem1", "org.opencallkit.Desktop1", PHONE, "org.gnome.Calls"}


def write_picture(path):
    """A PNG of one pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


class BroadcastTests(RingingTest, StoreTest):
    arguments = ("--region", "SE")

    def test_no_signal_for_all_says_who(self):
        self.wait_store()
        self.listener = Listener(self.system)
        phosh = self.system.connect()
        name = dbus.service.BusName("sm.puri.Phosh.Portal", phosh)
        phosh_hears = Listener(self.system, phosh)
        self.notices = ScriptedServer(self)
        self.start_sound()
        for owned in OWNED:
            self.wait_name(owned)
        self.picture = f"{self.system.folder.name}/{MARK}.png"
        write_picture(self.picture)
        phones = {"supported_handle_types": dbus.Array(["generic", "phone-number"], signature="s")}
        self.alpha = Provider(self.system, "Alpha", "/alpha", ringtone_sound=self.tone, **phones)
        self.beta = Provider(self.system, "Beta", "/beta", **phones)
        self.settings()
        self.one_call()
        self.two_calls()
        self.missed()
        self.filtered()
        self.link()
        self.outgoing()
        self.end_of_signals()
        # Phosh was told, so the canaries were there to be heard.
        self.assertIn("Quartermaine", phosh_hears.text())
        self.assertUnheard()
        del name

    def ring(self, provider):
        call = provider.incoming(handle=("phone-number", NUMBER), localized_caller_name=NAME, network_name=NAME,
                                 diverted_by=dbus.Struct(("phone-number", NUMBER), signature="ss"), image=self.picture,
                                 verification="passed", encryption="srtp", codec="opus")
        self.wait_banner()
        return call

    def wait_banner(self):
        wait_until(lambda: any("Quartermaine" in str((each.title, each.body)) for each in self.notices.shown.values()),
                   lambda: f"nobody is shown: {self.notices.shown}")

    def settings(self):
        """The user's settings name contacts."""
        tone = f"{self.system.folder.name}/{MARK}.wav"
        write_tone(tone, 700)
        self.system.call(DESKTOP_PATH, PROPERTIES, "Set", "ssv", DESKTOP, "Ringtones",
                         dbus.Dictionary({MARK: tone}, signature="ss"), name=DESKTOP).result()
        folder = f"{self.system.environment['XDG_CONFIG_HOME']}/opencallkit"
        with open(f"{folder}/desktop.conf", "a", encoding="utf-8") as file:
            file.write(f"ringtone second-{MARK} = {tone}\nring-volume = 90\n")
        wait_until(lambda: self.system.get(DESKTOP_PATH, DESKTOP, "RingVolume", name=DESKTOP) == 0.9, "it is not read",
                   every=0.05)
        self.system.call(DESKTOP_PATH, DESKTOP, "TestRing", "s", MARK, name=DESKTOP).result()
        self.system.call(DESKTOP_PATH, DESKTOP, "StopRinging", name=DESKTOP).result()
        self.add(NUMBER, NAME).result()

    def one_call(self):
        call = self.ring(self.alpha)
        self.assertEqual(self.system.get(call, IDENTITY, "CallerName"), NAME)
        self.alpha.update(call, localized_caller_name=f"{NAME} II").result()
        self.answer(call).result()
        self.alpha.update(call, transfer_request=dbus.Struct(("phone-number", NUMBER), signature="ss")).result()
        self.mute(call).result()
        self.hold(call).result()
        self.resume(call).result()
        self.alpha.remote_end(call).result()
        self.assertEnded(call, "remote-ended", "remote")

    def two_calls(self):
        first = self.ring(self.alpha)
        self.answer(first).result()
        second = self.ring(self.beta)
        self.answer(second).result()
        self.wait_state(first, "held")
        self.beta.remote_end(second).result()
        wait_until(lambda: any("hold" in each.title for each in self.notices.shown.values()), "nothing is held", every=0.05)
        self.end(first).result()

    def missed(self):
        call = self.ring(self.alpha)
        self.system.call(ROOT, SYSTEM, "SilenceRinging").result()
        self.alpha.remote_end(call, "unanswered").result()
        wait_until(lambda: any("issed" in each.title for each in self.notices.shown.values()), "nothing is missed", every=0.05)
        self.system.call(RECENTS, RECENTS1, "MarkAllRead").result()

    def filtered(self):
        self.system.call(ROOT, SYSTEM, "SetQuiet", "sb", "test", True).result()
        self.alpha.report_incoming(handle=("phone-number", "+46709998878"), localized_caller_name=NAME).wait()
        self.wait_told("CallFiltered")
        self.system.call(ROOT, SYSTEM, "SetQuiet", "sb", "test", False).result()
        self.system.call(DIRECTORY, RULES1, "Block", "s", NUMBER).result()
        self.alpha.report_incoming(handle=("phone-number", NUMBER), localized_caller_name=NAME).wait()
        self.system.call(DIRECTORY, RULES1, "Unblock", "s", NUMBER).result()

    def link(self):
        self.system.call(PHONE_PATH, "org.freedesktop.Application", "Open", "asa{sv}",
                         dbus.Array([f"tel:{NUMBER}"], signature="s"), dbus.Dictionary({}, signature="sv"),
                         name=PHONE).result()
        question = self.notices.wait_title("Call tel:")
        self.notices.press(question, next(key for key, label in question.actions.items() if label.startswith("Call")))
        call = wait_until(lambda: next((path for path, values in self.system.objects.items()
                                        if values.get("Direction") == "outgoing" and values.get("State") == "active"), None),
                          "the link calls nobody")
        self.end(call).result()

    def outgoing(self):
        call = self.start_call(f"phone-number:{NUMBER}", provider=dbus.ObjectPath(self.beta.path),
                               **{"contact-identifier": MARK}).result()
        self.wait_state(call, "active")
        self.end(call).result()

    def end_of_signals(self):
        for name, path in (("org.opencallkit.CallSystem1", ROOT), (DESKTOP, DESKTOP_PATH)):
            self.system.call(path, "org.freedesktop.DBus.Peer", "Ping", name=name, connection=self.listener.link).result()

    def assertUnheard(self):
        ours = {self.pid, self.agent.pid}
        senders = {event.sender for event in self.listener.events}
        senders = {sender for sender in senders if sender != "org.freedesktop.DBus" and self.process(sender) in ours}
        self.assertEqual(len(senders), 2)
        heard = {(event.interface, event.member) for event in self.listener.events if event.sender in senders}
        for member in ((SYSTEM, "CallEnded"), (PROPERTIES, "PropertiesChanged"), (SYSTEM, "CallFiltered")):
            self.assertIn(member, heard)
        text = without_uuids(self.listener.text(senders))
        for canary in CANARIES:
            lines = [line for line in text.splitlines() if canary in line]
            self.assertEqual(lines, [], f"{canary} is broadcast")
        names = {str(name) for name in self.system.bus.list_names() if not name.startswith(":")}
        owned = {name for name in names if self.process(name) in ours}
        self.assertLessEqual(OWNED, owned)

    def process(self, name):
        try:
            return int(self.system.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s",
                                        name, name="org.freedesktop.DBus").result())
        except AssertionError:
            return None
