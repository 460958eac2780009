"""The base of the tests with a real evolution-data-server."""

import dbus

from desktop.case import DESKTOP, DESKTOP_PATH, DesktopTest
from support.provider import Provider
from support.system import DIRECTORY, DIRECTORY1
from support.waiting import wait_until

FACTORY = "org.gnome.evolution.dataserver.AddressBookFactory"

FACTORY_PATH = "/org/gnome/evolution/dataserver/AddressBookFactory"

BOOK = "org.gnome.evolution.dataserver.AddressBook"

CARD = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{uid}\r\nFN:{name}\r\nTEL;TYPE=CELL:{number}\r\n{more}END:VCARD\r\n"


class ContactsTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, supported_handle_types=dbus.Array(["phone-number"]))
        self.wait_store()

    def start_evolution(self):
        # GLib programs end without their schemas.
        environment = {"XDG_DATA_DIRS": "/usr/local/share:/usr/share", "GSETTINGS_BACKEND": "memory",
                       "XDG_CACHE_HOME": f"{self.system.folder.name}/cache"}
        self.evolution_environment = environment
        names = []
        self.evolution = []
        for program, word in (("evolution-source-registry", "Sources"), ("evolution-addressbook-factory", "AddressBook")):
            self.evolution.append(self.spawn(f"/usr/libexec/{program}", **environment))
            names.append(wait_until(lambda word=word: self.service(word), f"{program} does not start", every=0.05))
        self.open_book(names[1])

    def service(self, word):
        return next((str(name) for name in self.system.bus.list_names()
                     if name.startswith(f"org.gnome.evolution.dataserver.{word}")), None)

    def open_book(self, name):
        path, owner = self.system.call(FACTORY_PATH, FACTORY, "OpenAddressBook", "s", "system-address-book", name=name).result()
        self.book = (str(path), str(owner))
        self.ask("Open")

    def ask(self, member, signature="", *arguments):
        path, owner = self.book
        return self.system.call(path, BOOK, member, signature, *arguments, name=owner).result()

    def create(self, name, number, more=""):
        uids = self.ask("CreateContacts", "asu", [CARD.format(uid=name, name=name, number=number, more=more)], 0)
        return str(uids[0])

    def name_of(self, number):
        facts = self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", number).result()
        return str(facts.get("name", ""))

    def wait_name_of(self, number, name):
        wait_until(lambda: self.name_of(number) == name, lambda: f"{number} is {self.name_of(number)!r}, not {name!r}",
                   every=0.1)

    def part(self):
        parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
        return next(str(part["text"]) for part in parts if part["name"] == "contacts")
