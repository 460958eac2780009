"""Address books that are hostile or broken: the others still name callers, and the log says once what is wrong."""

import os
import time
import unittest

from desktop.address_books import MEMBERS, AddressBooks, card
from desktop.evolution import ContactsTest
from support.case import TORTURE
from support.waiting import let_pass, wait_until

ANNA = "+46701740605"
GOOD = {"good": [card("Anna Svensson", ANNA)]}
QUICK = ("--deadline", "address-book=2000")
"""For tests in which some answers never come."""
PEAK = 512 << 10
"""What the agent may take for a moment while it reads as much as it accepts, in KiB."""


class HostileTest(ContactsTest):
    # As large as messages of a session's bus may be.
    policy = ('</policy><limit name="max_message_size">1000000000</limit>'
              '<limit name="max_incoming_bytes">1000000000</limit><limit name="max_outgoing_bytes">1000000000</limit>'
              '<policy context="default">')

    def complaints(self, *words):
        """The lines of the agent's log with all these words."""
        with open(f"{self.system.folder.name}/desktop.log", encoding="utf-8", errors="replace") as file:
            return [line for line in file if all(word in line for word in ("address book", *words))]

    def wait_complaint(self, *words):
        wait_until(lambda: self.complaints(*words), lambda: f"nothing said of {words}: {self.complaints()}", every=0.05)

    def memory(self, word):
        with open(f"/proc/{self.agent.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(word))


class AnswerTests(HostileTest):
    def refuse(self, kind):
        """Each of five books answers one question wrongly, and later rightly."""
        books = {f"bad{member}": [card(f"Bo {member}", f"+4670174061{number}")]
                 for number, member in enumerate(MEMBERS)}
        server = AddressBooks(self, {**books, **GOOD}, {(f"bad{member}", member): kind for member in MEMBERS})
        self.start_agent(*QUICK if kind == "never" else ())
        self.wait_name_of(ANNA, "Anna Svensson")
        for member in MEMBERS:
            self.wait_complaint(f"bad{member} cannot be read now: ")
            # It is tried again, and nothing more is said of it.
            wait_until(lambda: server.asked[f"bad{member}", member] >= 2, f"{member} is not tried again")
        for member in MEMBERS:
            self.assertEqual(len(self.complaints(f"bad{member} ")), 1, self.complaints())
        self.assertEqual(self.name_of(ANNA), "Anna Svensson")
        server.answers.clear()
        for number, member in enumerate(MEMBERS):
            self.wait_name_of(f"+4670174061{number}", f"Bo {member}")
        self.assertEqual(len(self.complaints()), len(MEMBERS), self.complaints())

    def test_wrong_types(self):
        self.refuse("wrong")

    def test_errors(self):
        self.refuse("error")

    def test_answers_that_never_come(self):
        self.refuse("never")

    def test_a_list_of_books_that_cannot_be_read(self):
        server = AddressBooks(self, GOOD, {"GetManagedObjects": "wrong"})
        self.start_agent(*QUICK)
        wait_until(lambda: server.asked["GetManagedObjects"] >= 2, "it is not tried again")
        server.answers["GetManagedObjects"] = "never"
        wait_until(lambda: server.asked["GetManagedObjects"] >= 3, "it is not tried again")
        server.answers.clear()
        self.wait_name_of(ANNA, "Anna Svensson")
        self.assertEqual(len(self.complaints("cannot be listed", "InvalidArgs")), 1, self.complaints())
        self.assertLessEqual(len(self.complaints()), 2)


class OwnerTests(HostileTest):
    def test_a_service_that_dies_while_it_is_asked(self):
        for member in ("GetManagedObjects", *MEMBERS):
            AddressBooks(self, GOOD, {member: "die"})
            if self.agent is None:
                self.start_agent()
            wait_until(lambda: not self.service("Sources"), f"nobody asks {member}", every=0.02)
        AddressBooks(self, GOOD)
        self.wait_name_of(ANNA, "Anna Svensson")
        self.assertLessEqual(len(self.complaints()), 1, self.complaints())

    def test_names_that_change_owners(self):
        first = AddressBooks(self, GOOD)
        self.start_agent()
        self.wait_name_of(ANNA, "Anna Svensson")
        second = AddressBooks(self, {"good": [card("Anna Ek", ANNA)]})
        self.wait_name_of(ANNA, "Anna Ek")
        asked = first.asked.total()
        first.announce("good", 10)
        second.books["good"] = [card("Anna Lund", ANNA)]
        second.announce("good")
        self.wait_name_of(ANNA, "Anna Lund")
        self.assertEqual(first.asked.total(), asked, "the old owner is still asked")


@unittest.skipUnless(TORTURE, "fifty thousand contacts take minutes: make torture")
class HugeBooks(HostileTest):
    def test_more_contacts_than_are_used(self):
        cards = [card(f"Caller {number}", f"+4670{number:07}") for number in range(50_001)]
        server = AddressBooks(self, {"endless": cards, **GOOD})
        self.start_agent()
        self.wait_complaint("endless has over 50000 contacts")
        self.wait_name_of("+46700000007", "Caller 7")
        wait_until(lambda: self.part().startswith("50001 contacts in 2 "), self.part, every=0.1)
        # The large book does not keep the small one out of what the store takes in all.
        self.wait_name_of(ANNA, "Anna Svensson")
        self.assertEqual(self.name_of("+46700050000"), "")
        asked = server.asked["GetContactList"]
        server.announce("endless")
        wait_until(lambda: server.asked["GetContactList"] > asked, "it is not read again")
        server.books["endless"] = [card("Nobody", "+46700000007")]
        server.announce("endless")
        self.wait_name_of("+46700000007", "Nobody")
        self.assertEqual(len(self.complaints()), 1, self.complaints())

    def test_more_bytes_than_are_used(self):
        more = "NOTE:" + "x" * 4_000 + "\r\n"
        cards = [card(f"Caller {number}", f"+4670{number:07}", more) for number in range(15_000)]
        server = AddressBooks(self, {"endless": cards, **GOOD})
        self.start_agent()
        self.wait_complaint("endless is larger than 32 MiB")
        self.wait_name_of(ANNA, "Anna Svensson")
        self.assertEqual(len(self.complaints()), 1, self.complaints())
        folder = f"{self.system.folder.name}/opencallkit/contacts"
        self.assertLessEqual(os.path.getsize(f"{folder}/endless.vcf"), 32 << 20)
        asked = server.asked["GetContactList"]
        server.announce("endless")
        wait_until(lambda: server.asked["GetContactList"] > asked, "it is not read again")
        self.part()
        print(f"\n60 MB of contacts: {self.memory('VmHWM')} KiB at the most, {self.memory('VmRSS')} KiB after it")
        self.assertLess(self.memory("VmHWM"), PEAK)
        call = self.alpha.incoming(handle=("phone-number", ANNA))
        self.end(call).result()


class SizeTests(HostileTest):
    def test_more_books_than_are_used(self):
        books = {f"{number:03}": [card(f"Caller {number}", f"+467017400{number:02}")] for number in range(40)}
        books["9" * 300] = [card("Long", "+46701740200")]
        books["x" * 255] = [card("Longest", "+46701740201")]
        server = AddressBooks(self, {**books, "../../x": [card("Out", "+46701740202")]})
        self.start_agent()
        self.wait_complaint("over 32 address books")
        self.wait_name_of("+46701740005", "Caller 5")
        self.wait_name_of("+46701740202", "Out")
        wait_until(lambda: " in 32 address books" in self.part(), self.part, every=0.1)
        self.assertEqual(server.asked["OpenAddressBook"], 32)
        self.assertEqual(len(self.complaints()), 1, self.complaints())
        folder = f"{self.system.folder.name}/opencallkit/contacts"
        wait_until(lambda: len(os.listdir(folder)) == 32, lambda: str(os.listdir(folder)), every=0.1)

    def test_changes_without_end_are_read_from_time_to_time(self):
        server = AddressBooks(self, GOOD)
        self.start_agent()
        self.wait_name_of(ANNA, "Anna Svensson")
        asked, began = server.asked["GetContactList"], time.monotonic()
        for _ in range(20):
            server.announce("good", 200)
            let_pass(0.05)
        # It pauses for 0.3 s or more after each.
        self.assertLessEqual(server.asked["GetContactList"] - asked, 5 + (time.monotonic() - began) / 0.3)
        server.books["good"] = [card("Anna Ek", ANNA)]
        server.announce("good")
        self.wait_name_of(ANNA, "Anna Ek")
