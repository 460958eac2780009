"""Callers named by the address books of a real evolution-data-server."""

import base64
import os
import tempfile

from desktop.evolution import CARD, ContactsTest
from support.pictures import picture
from support.system import IDENTITY
from support.waiting import wait_until

PHOTO = "PHOTO;ENCODING=b;TYPE=PNG:" + base64.b64encode(picture(1)).decode() + "\r\n"
LOGO = "LOGO;ENCODING=b;TYPE=PNG:" + "A" * 70 + "\r\n " + "B" * 70 + "\r\n"


class EvolutionTests(ContactsTest):
    def test_contacts_that_come_change_and_go(self):
        self.start_evolution()
        self.create("Anna Svensson", "+46 70-174 06 05", PHOTO + LOGO)
        self.start_agent()
        self.wait_name_of("+46701740605", "Anna Svensson")
        call = self.alpha.incoming(handle=("phone-number", "+46701740605"))
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Anna Svensson")
        self.assertEqual(self.property(call, "CallerNameSource", IDENTITY), "contacts")
        with open(str(self.property(call, "Image", IDENTITY)), "rb") as file:
            self.assertEqual(file.read(), picture(1))
        uid = self.create("Bo Ek", "+46701740606")
        self.wait_name_of("+46701740606", "Bo Ek")
        wait_until(lambda: self.part().startswith("2 contacts in 1 "), self.part, every=0.1)
        self.ask("ModifyContacts", "asu", [CARD.format(uid=uid, name="Bo Lund", number="+46701740606", more="")], 0)
        self.wait_name_of("+46701740606", "Bo Lund")
        self.ask("RemoveContacts", "asu", [uid], 0)
        self.wait_name_of("+46701740606", "")
        folder = f"{self.system.folder.name}/opencallkit/contacts"
        texts = ""
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts += file.read()
        self.assertIn("Anna Svensson", texts)
        self.assertNotIn("LOGO", texts)
        self.assertNotIn("BBBB", texts)
        self.assertEqual(os.stat(folder).st_mode & 0o77, 0)

    def test_a_service_that_is_killed_and_returns(self):
        self.start_evolution()
        self.create("Anna Svensson", "+46701740605")
        self.start_agent()
        self.wait_name_of("+46701740605", "Anna Svensson")
        for process in self.evolution:
            process.kill()
            process.wait()
        wait_until(lambda: not self.service("Sources"), "it is still there", every=0.05)
        self.assertEqual(self.name_of("+46701740605"), "Anna Svensson", "forgotten with the service")
        self.start_evolution()
        self.create("Bo Ek", "+46701740606")
        self.wait_name_of("+46701740606", "Bo Ek")
        self.assertIsNone(self.agent.poll())


    def test_a_factory_that_dies_alone_is_opened_again(self):
        self.start_evolution()
        self.create("Anna Svensson", "+46701740605")
        self.start_agent()
        self.wait_name_of("+46701740605", "Anna Svensson")
        name = self.service("AddressBook")
        self.evolution[1].kill()
        self.evolution[1].wait()
        wait_until(lambda: not self.service("AddressBook"), "it is still there", every=0.05)
        self.evolution[1] = self.spawn("/usr/libexec/evolution-addressbook-factory", **self.evolution_environment)
        self.wait_name(name)
        self.open_book(name)
        self.create("Bo Ek", "+46701740606")
        self.wait_name_of("+46701740606", "Bo Ek")


class UnusedTests(ContactsTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.mark = f"{folder.name}/started"
        for word, number in (("Sources", 5), ("AddressBook", 10)):
            name = f"org.gnome.evolution.dataserver.{word}{number}"
            with open(f"{folder.name}/{name}.service", "w", encoding="utf-8") as file:
                file.write(f"[D-BUS Service]\nName={name}\nExec=/usr/bin/touch {self.mark}\n")
        self.services = folder.name
        super().setUp()

    def test_a_service_that_nobody_uses_is_never_started(self):
        self.start_agent()
        wait_until(lambda: "not in use" in self.part(), self.part, every=0.05)
        self.alpha.incoming(handle=("phone-number", "+46701740605"))
        self.assertFalse(os.path.exists(self.mark))
