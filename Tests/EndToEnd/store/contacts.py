"""The base of the tests of contacts: vCards of the user, and a provider whose callers they name."""

import os

from gi.repository import GLib

from support.provider import Provider
from support.store import StoreTest
from support.system import DIRECTORY, DIRECTORY1, IDENTITY
from support.waiting import wait_until

ANNA = """BEGIN:VCARD
VERSION:3.0
UID:anna-1
N:Berg;Anna;;;
FN:Anna Berg\\, Malmö
TEL;TYPE="cell,voice":+46 (0)70-174 06 05
TEL;TYPE=home:\u202a+46 8\u2011123 456 77\u202c
EMAIL;TYPE=internet:Anna@Example.com
IMPP;X-SERVICE-TYPE=SIP:sip:anna@voip.example
END:VCARD
"""


class ContactsTest(StoreTest):
    arguments = ("--region", "SE", "--deadline", "look-up=60000")

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.wait_store()
        # Some conditions have no signal.
        tick = GLib.timeout_add(20, lambda: True)
        self.addCleanup(GLib.source_remove, tick)

    @property
    def phone(self):
        """The folder in which KDE Connect keeps a telephone's contacts."""
        return f"{self.system.folder.name}/data/kpeoplevcard/kdeconnect-1"

    def write(self, name, text, folder=None):
        path = f"{folder or self.phone}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.part", "w", encoding="utf-8", newline="") as file:
            file.write(text.replace("\n", "\r\n"))
        os.rename(f"{path}.part", path)
        return path

    def report(self):
        return self.system.call(DIRECTORY, DIRECTORY1, "Contacts").result()

    def complaints(self):
        return {os.path.basename(path): str(reason) for path, reason in self.report()["complaints"]}

    def wait_contacts(self, count):
        wait_until(lambda: (self.report()["contacts"], self.report()["loading"]) == (count, False),
                   lambda: f"not {count} contacts: {self.report()}")

    def wait_complaint(self, name, word):
        wait_until(lambda: word in self.complaints().get(name, ""), lambda: f"{name}: {self.complaints()}")

    def describe(self, handle):
        return self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", handle).result()

    def ring(self, value, type_="phone-number", **update):
        return self.provider.report_incoming(handle=(type_, value), **update)

    def identity(self, call):
        values = self.system.get_all(call, IDENTITY)
        return tuple(str(values[key]) for key in ("CallerName", "CallerNameSource", "ContactIdentifier"))
