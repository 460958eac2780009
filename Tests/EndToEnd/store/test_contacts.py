"""Contacts: the user's vCards name callers before a call is announced."""

import os
import re
import signal
import tempfile

from store.contacts import ANNA, ContactsTest
from support.directories import DirectoryTest, wait_asking
from support.messages import variants
from support.provider import Provider
from support.store import children, program
from support.system import BUILD, DIRECTORY, DIRECTORY1, IDENTITY, PROPERTIES, ROOT, RULES1, SYSTEM
from support.waiting import wait_until

PHONE = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=85berg;Bo;;;
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Bo =C3=
=85berg
TEL;CELL:0701740636
TEL;X-Work:08-123 456 78
X-KDECONNECT-ID-DEV-0:12
END:VCARD
"""


class Contacts(ContactsTest):
    def test_a_caller_has_the_contacts_name_before_the_first_signal(self):
        self.write("anna.vcf", ANNA)
        self.write("bo.vcf", PHONE)
        self.wait_contacts(2)
        for value, type_, expected in (
                ("070-174 06 05", "phone-number", "Anna Berg, Malmö"), ("anna@EXAMPLE.com", "email-address",
                                                                        "Anna Berg, Malmö"),
                ("sip:anna@voip.example", "generic", "Anna Berg, Malmö"),
                ("anna@voip.example", "generic", "Anna Berg, Malmö"), ("0812345677", "phone-number", "Anna Berg, Malmö"),
                ("+46701740636", "phone-number", "Bo Åberg"),
                ("0812345678", "phone-number", "Bo Åberg")):
            with self.subTest(value):
                call = self.ring(value, type_).result()
                name, source, contact = self.identity(call)
                self.assertEqual((name, source), (expected, "contacts"))
                self.assertEqual(contact, "anna-1") if "Anna" in name else self.assertIn("bo.vcf", contact)
                self.provider.remote_end(call).result()
                row = self.wait_row(call, open=False)
                self.assertEqual((str(row["name"]), str(row["name-source"])), (expected, "contacts"))
        self.assertEqual(self.system.told("PropertiesChanged", IDENTITY), [])
        self.assertNotIn("Berg", repr(self.system.events))

    def test_what_the_provider_says_wins_and_a_favorites_own_name_does_not(self):
        self.write("anna.vcf", ANNA)
        self.wait_contacts(1)
        call = self.ring("+46701740605", localized_caller_name="Her Majesty").result()
        self.assertEqual(self.identity(call), ("Her Majesty", "provider", ""))
        self.add("0701740605", "Annie").result()
        self.assertEqual(self.identity(self.ring("+46701740605").result())[0], "Anna Berg, Malmö")
        self.assertEqual([row[2] for row in self.favorites()], ["Annie"])

    def test_what_telephones_write_is_read(self):
        card = "BEGIN:VCARD\nVERSION:{version}\nFN:{name}\n{rest}END:VCARD\n"
        agent = card.format(version="2.1", name="Agent", rest="TEL:007\n")
        files = {
            "mark": "\ufeff" + card.format(version="3.0", name="First", rest="TEL:101\n"),
            "semicolon": card.format(version="3.0", name="Smith\\; Sons\\, Ltd", rest="TEL:102\n"),
            "assembled": "BEGIN:VCARD\nVERSION:3.0\nN:Smith\\; Co;Ann;;;\nTEL:103\nEND:VCARD\n",
            "agent": card.format(version="2.1", name="Boss", rest=f"AGENT:\n{agent}\nTEL:104\n"),
            "agent-in-line": card.format(version="2.1", name="Chief", rest=f"AGENT:{agent}TEL:105\n"),
            "agent-escaped": card.format(
                version="3.0", name="Head", rest="AGENT:BEGIN:VCARD\\nFN:Agent\\nTEL:007\\nEND:VCARD\\n\nTEL:106\n"),
            "path": card.format(version="3.0", name="C:\\\\new", rest="TEL:108\n"),
            "joined": card.format(version="3.0", name="One", rest="TEL:109\n") + "\ufeff"
            + card.format(version="3.0", name="Two", rest="TEL:110\n"),
            "agent-without-end": card.format(
                version="2.1", name="Owner", rest="TEL:111\nAGENT:\nBEGIN:VCARD\nFN:Agent\nTEL:007\n")
            + card.format(version="2.1", name="Next", rest="TEL:112233\n"),
            "sip": card.format(version="3.0", name="Sip", rest="X-SIP:sip:a@voip.example\nX-SIP;TYPE=WORK:b@voip.example\n"),
        }
        for name, text in files.items():
            self.write(f"{name}.vcf", text)
        with open(f"{self.phone}/wide.vcf.part", "wb") as file:
            file.write(card.format(version="3.0", name="Åsa", rest="TEL:107\n").encode("utf-16"))
        os.rename(f"{self.phone}/wide.vcf.part", f"{self.phone}/wide.vcf")
        self.wait_contacts(13)
        for handle, name in (
                ("101", "First"), ("102", "Smith; Sons, Ltd"), ("103", "Ann Smith; Co"), ("104", "Boss"),
                ("105", "Chief"), ("106", "Head"), ("107", "Åsa"), ("108", "C:\\new"), ("109", "One"), ("110", "Two"),
                ("111", "Owner"), ("112233", "Next"), ("007", None)):
            self.assertEqual(self.describe(handle).get("name"), name, handle)
        for address in ("sip:a@voip.example", "b@voip.example", "sip:b@voip.example"):
            self.assertEqual(self.identity(self.ring(address, "generic").result())[0], "Sip", address)

    def test_a_number_may_be_another_address_or_two(self):
        """RFC 6350, 6.4.1: a telephone is a URI of any scheme."""
        self.write("uri.vcf", "BEGIN:VCARD\nVERSION:4.0\nFN:Uri\nTEL;VALUE=uri;TYPE=work:sip:uri@voip.example\n"
                   "TEL;VALUE=uri:sips:+15550100124@voip.example\nTEL;VALUE=uri:tel:+1-555-010-0123;ext=12\n"
                   "TEL:two@voip.example\nEND:VCARD\n")
        self.write("two.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Two\nTEL:+46 8 123 456 71 / +46 70 174 06 71\n"
                   "TEL:+4681234572\\, +46701740672\nTEL:08-123 45 673 / 070-174 06 73\nTEL:+46701740674\\;0701740675\nEND:VCARD\n")
        self.wait_contacts(2)
        for address in ("sip:uri@voip.example", "uri@voip.example", "sips:+15550100124@voip.example"):
            self.assertEqual(self.identity(self.ring(address, "generic").result())[0], "Uri", address)
        for number, name in (("+15550100123", "Uri"), ("+46812345671", "Two"), ("+46701740671", "Two"), ("+4681234572", "Two"),
                             ("+46701740672", "Two"), ("+46812345673", "Two"), ("+46701740673", "Two"),
                             ("+46701740674", "Two"), ("+46701740675", None)):
            self.assertEqual(self.describe(number).get("name"), name, number)
        self.assertEqual(self.identity(self.ring("two@voip.example", "email-address").result())[0], "Uri")

    def test_the_end_of_a_number_names_no_stranger(self):
        self.write("anna.vcf", ANNA)
        self.wait_contacts(1)
        for number in ("1740605", "+461740605", "740605", "174 06 05"):
            self.assertEqual(self.describe(number).get("name"), None, number)
        self.assertEqual(self.describe("701740605").get("name"), "Anna Berg, Malmö")

    def test_what_is_grouped_is_read_with_its_label(self):
        """nextcloud/contacts #1028, cozy/cozy-vcard #28, KnugiHK/WhatsApp-Chat-Exporter #207, pinoaffe/org-vcard #42."""
        self.write("phone.vcf", """BEGIN:VCARD
VERSION:3.0
item1.FN:Grouped Person
item2.N:Person;Grouped;;;
item3.TEL:+441632960011
item3.X-ABLabel:_$!<Mobile>!$_
ABC.TEL;TYPE="WORK,VOICE":+44 1632 960012
9J.TEL;TYPE=pref:+441632960013
9J.X-ABLABEL:WORK\\;VOICE\\;PREF
item4.X-ABLabel:_$!<HomeFAX>!$_
item4.TEL:+441632960014
item5.TEL:+441632960015
item5.X-ABLabel:Private Mobile
item6.TEL:+441632960016
item6.X-ABLabel:The summer house
Item7.tel:+441632960017
iTEM7.x-ablabel:Büro
item8.EMAIL;type=INTERNET:grouped@example.com
item9.IMPP;X-SERVICE-TYPE=SIP:sip:grouped@voip.example
END:VCARD
BEGIN:VCARD
VERSION:3.0
FN:Next Person
item3.TEL:+441632960018
END:VCARD
""")
        self.wait_contacts(2)
        people = self.system.call(DIRECTORY, DIRECTORY1, "FindPeople", "s", "person").result()
        found = {str(person["handle"][1]): (str(person["name"]), str(person.get("label", ""))) for person in people}
        labels = ["mobile", "work", "work", "fax", "mobile", "", "work"]
        self.assertEqual(found, {
            **{f"+4416329600{11 + place}": ("Grouped Person", label) for place, label in enumerate(labels)},
            "grouped@example.com": ("Grouped Person", ""), "sip:grouped@voip.example": ("Grouped Person", ""),
            # The label of a group counts within its card.
            "+441632960018": ("Next Person", "")})
        self.assertEqual(self.identity(self.ring("+441632960011").result())[0], "Grouped Person")

    def test_numbers_in_every_form(self):
        """nextcloud/contacts #4357, #1899, SimpleMobileTools/Simple-Contacts #622, bitfireAT/synctools #178,
        pinoaffe/org-vcard #6, jowave/vcard2to3 #3, KnugiHK/WhatsApp-Chat-Exporter PR #175, cjlotz/Xamarin.Plugins #40.
        """
        self.write("new.vcf", """BEGIN:VCARD
VERSION:4.0
FN:Först Example
TEL;VALUE=uri;TYPE="voice,home":tel:+1-555-010-0123;ext=12
item1.TEL;VALUE=URI:TEL:0124;phone-context=+1555010
TEL;VALUE=uri:tel:0125\\;phone-context=+1555010
TEL;VALUE=uri:Tel:+1%20555(010)0126;isub=1
TEL;TYPE=cell:+1 555 010 0127;4711#
TEL:+15550100128w4711
TEL:+15550100129\\,\\,4711#\\;99
TEL:+15550100130p12
TEL:\u2068+1\u00a0555\u2011010\u00ad0131\u2069
END:VCARD
""")
        self.write("old.vcf", """BEGIN:VCARD
VERSION:2.1
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=41=6E=6E=20=E2=9A=BD=E2=
=9A=BD
TEL;HOME:+441632960001
TEL;FAX:+441632960002
TEL;CELL;ENCODING=QUOTED-PRINTABLE:=2B44163296=
0003
END:VCARD
begin:vcard
version:2.1
fn;quoted-printable:=C5ke
TE
 L:+441632960004
end:vcard
""")
        os.makedirs(self.phone, exist_ok=True)
        for name, end in (("lf", b"\n"), ("cr", b"\r")):
            with open(f"{self.phone}/{name}.part", "wb") as file:
                file.write(end.join([b"BEGIN:VCARD", b"VERSION:3.0", b"FN:\xc5sa " + name.encode(),
                                     b"a.TEL:+44163296000" + (b"5" if name == "lf" else b"6"), b"END:VCARD", b""]))
            os.rename(f"{self.phone}/{name}.part", f"{self.phone}/{name}.vcf")
        self.wait_contacts(5)
        expected = {
            **{f"+1555010{number:04}": "Först Example" for number in range(123, 132)},
            **{f"+44163296000{number}": "Ann ⚽⚽" for number in (1, 2, 3)},
            "+441632960004": "Åke", "+441632960005": "Åsa lf", "+441632960006": "Åsa cr"}
        self.assertEqual({number: self.describe(number).get("name") for number in expected}, expected)
        # The same numbers as they are copied out of contacts, in every other reader (verbb/hyper #86).
        for wrapped in ("\u202d+1 555\u00a0010 0123\u202c", "\u2068+1555\u200b0100123\u2069", "\ufeff+1\u202f555\u00ad0100123"):
            self.assertEqual(self.describe(wrapped).get("name"), "Först Example", ascii(wrapped))
            self.assertEqual(self.identity(self.ring(wrapped).result())[0], "Först Example", ascii(wrapped))
        self.add(wrapped).result()
        self.assertEqual([row[2] for row in self.favorites()], ["Först Example"])
        people = self.system.call(DIRECTORY, DIRECTORY1, "FindPeople", "s", "ann").result()
        self.assertEqual([str(person.get("label", "")) for person in people], ["home", "fax", "mobile"])

    def test_a_number_without_what_networks_leave_out_names_its_only_contact(self):
        """libphonenumber's FAQ: mobile numbers of Argentina have a 9 that is left out."""
        self.write("ana.vcf", ANNA.replace("+46 (0)70-174 06 05", "+54 9 11 2345-6789").replace("Anna Berg", "Ana"))
        self.wait_contacts(1)
        for number in ("+541123456789", "1123456789", "+5491123456789"):
            self.assertEqual(self.identity(self.ring(number).result())[:2], ("Ana, Malmö", "contacts"), number)
        self.assertEqual(self.identity(self.ring("+541123456780").result())[0], "")
        # A rule is for the number that it has.
        self.system.call(DIRECTORY, RULES1, "Block", "s", "+5491123456789").result()
        self.assertFalse(self.describe("+541123456789")["blocked"])
        self.write("bo.vcf", PHONE.replace("0701740636", "+54 11 2345-6789"))
        self.wait_contacts(2)
        self.assertEqual(self.describe("1123456789").get("name"), None, "it may be either")
        self.assertEqual(self.describe("+541123456789").get("name"), "Bo Åberg")

    def test_what_goes_on_in_more_lines_is_read_or_left_out_as_a_whole(self):
        card = "BEGIN:VCARD\nVERSION:{version}\nFN:{name}\n{rest}END:VCARD\n"
        files = {
            "agent-folded": card.format(
                version="3.0", name="Head", rest="TEL:201\nAGENT:BEGIN:VCARD\\nFN:Susan Thomas\\nTEL:+1-919-555-\n"
                " 1234\\nEMAIL\\;INTERNET:sthomas@host.com\\nEND:\n\tVCARD\\n\nTEL:202\n"),
            "agent-folded-early": card.format(
                version="3.0", name="Chief", rest="TEL:203\nAGENT:BEGIN:VCARD\n \\nTEL:007\\nEND:VCARD\\n\nTEL:204\n"),
            "agent-elsewhere": card.format(
                version="3.0", name="Boss", rest="TEL:205\nAGENT;VALUE=uri:\n CID:part3@host.com\nTEL:206\n"),
            "agent-with-a-note": card.format(
                version="2.1", name="Lead", rest="AGENT:\nBEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:It=0D=0A=\n"
                "End: here\nTEL:007\nEND:VCARD\nTEL:207\n"),
            "note-of-an-agent": card.format(
                version="2.1", name="Client", rest="NOTE;ENCODING=QUOTED-PRINTABLE:Sold=0D=0A=\nAgent: Bob\nTEL:208\n"),
            "sip": card.format(
                version="2.1", name="Sip", rest="X-SIP;QUOTED-PRINTABLE:sip:c=40voip.=\nexample\n"
                "item1.X-SIP;X-LABEL=\"a:b\":d@voip.example\nX-SIP;TYPE=HOME:\n SIP:e@voip.\n example\nX-SIP:\n"),
        }
        for name, text in files.items():
            self.write(f"{name}.vcf", text)
        self.wait_contacts(6)
        for handle, name in (
                ("201", "Head"), ("202", "Head"), ("203", "Chief"), ("204", "Chief"), ("205", "Boss"), ("206", "Boss"),
                ("207", "Lead"), ("208", "Client"), ("007", None)):
            self.assertEqual(self.describe(handle).get("name"), name, handle)
        for address in ("sip:c@voip.example", "c@voip.example", "d@voip.example", "sip:e@voip.example"):
            self.assertEqual(self.identity(self.ring(address, "generic").result())[0], "Sip", address)
        self.assertEqual(self.identity(self.ring("sip:", "generic").result())[0], "")

    def test_cards_within_cards_without_end(self):
        nested = "AGENT:\nBEGIN:VCARD\n" * 200_000
        self.write("open.vcf", ANNA + "BEGIN:VCARD\nVERSION:2.1\nFN:Lost\nTEL:108\n" + nested)
        self.write("closed.vcf", "BEGIN:VCARD\nVERSION:2.1\nFN:Outer\n" + nested + "END:VCARD\n" * 200_000
                   + "TEL:109\nEND:VCARD\n")
        self.wait_contacts(3)
        self.assertEqual([self.describe(number).get("name") for number in ("0701740605", "108", "109")],
                         ["Anna Berg, Malmö", "Lost", "Outer"])

    def test_what_changes_is_seen(self):
        path = self.write("anna.vcf", ANNA)
        self.wait_contacts(1)
        self.add("0701740605").result()
        self.assertEqual([row[2] for row in self.favorites()], ["Anna Berg, Malmö"])
        self.write("anna.vcf", ANNA.replace("Anna Berg", "Anna Bergman"))
        wait_until(lambda: self.describe("0701740605").get("name") == "Anna Bergman, Malmö", "the change was not seen")
        self.assertEqual([row[2] for row in self.favorites()], ["Anna Bergman, Malmö"])
        self.assertTrue(self.system.told("Changed", "contacts"))
        os.unlink(path)
        self.wait_contacts(0)
        self.assertEqual(self.identity(self.ring("0701740605").result()), ("", "none", ""))

    def test_who_is_called_is_named_in_recents(self):
        self.write("anna.vcf", ANNA)
        self.wait_contacts(1)
        call = self.start_call("generic:sip:anna@voip.example").result()
        self.wait_state(call, "active")
        row = self.wait_row(call, name="Anna Berg, Malmö", name_source="contacts")
        again = self.recents("CallBack", "xa{sv}", row["id"], variants({}))
        self.end(call).result()
        self.wait_row(call, open=False)
        again = again if again.wait().error is None else self.recents("CallBack", "xa{sv}", row["id"], variants({}))
        self.wait_row(again.result(), name="Anna Berg, Malmö")

    def test_a_contact_is_no_favorite(self):
        self.write("anna.vcf", ANNA)
        self.wait_contacts(1)
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturb", True).result()
        self.assertRefused(self.ring("0701740605"), "FilteredByDoNotDisturb")
        self.add("0701740605").result()
        self.ring("0701740605").result()


class InArgentina(ContactsTest):
    """libphonenumber's FAQ: what is dialed and told of a mobile number there."""

    arguments = ("--region", "AR", "--deadline", "look-up=60000")

    def test_numbers_without_the_nine_and_the_fifteen(self):
        self.write("ana.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Ana\nTEL:+54 9 11 2345-6789\nEND:VCARD\n")
        self.wait_contacts(1)
        for number in ("+541123456789", "1123456789", "011 15 2345-6789", "+5491123456789", "15 2345-6789"):
            self.assertEqual(self.identity(self.ring(number).result())[:2], ("Ana", "contacts"), number)
        self.write("ana.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Ana\nTEL:15 2345-6789\nEND:VCARD\n")
        wait_until(lambda: self.describe("15 2345-6789").get("name") == "Ana", "the change was not seen")
        self.assertEqual(self.identity(self.ring("+541123456789").result())[0], "Ana")


class AndDirectories(DirectoryTest):
    def test_a_contacts_name_comes_before_a_lists_label(self):
        folder = f"{self.system.folder.name}/data/kpeoplevcard"
        provider = Provider(self.system, "Tutorial")
        self.bundle()
        self.wait_extension()
        self.enable()

        def name():
            call = provider.incoming(handle=("phone-number", "1111"))
            values = self.system.get_all(call, IDENTITY)
            provider.remote_end(call).result()
            return str(values["CallerName"]), str(values["CallerNameSource"])
        self.assertEqual(name(), ("RW Tutorial Team", "directory"))
        os.makedirs(folder)
        with open(f"{folder}/ray.vcf", "w", encoding="utf-8") as file:
            file.write("BEGIN:VCARD\nVERSION:4.0\nUID:ray\nFN:Ray\nTEL;VALUE=uri:tel:1111\nEND:VCARD\n")

        def described():
            return self.ask("Identify", "s", "1111").result()
        wait_asking(lambda: "Ray" in described().values(), "the contact is not read")
        self.assertEqual(name(), ("Ray", "contacts"))
        known = described()
        self.assertEqual(
            [str(known[key]) for key in ("name", "name-source", "contact-identifier", "label", "label-source")],
            ["Ray", "contacts", "ray", "RW Tutorial Team", "TutorialDirectory"])
        told = self.system.run(f"{BUILD}/callctl", "identify", "1111").text
        self.assertRegex(
            told, r"name +Ray\nname from +contacts\nlabel +RW Tutorial Team\nlabel from +TutorialDirectory\n")


class ChosenFolders(ContactsTest):
    def setUp(self):
        self.arguments = (*self.arguments, "--contacts", "/proc/self/cwd/none", "--contacts", self.place)
        super().setUp()

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="contacts-")
        cls.addClassCleanup(cls.holder.cleanup)
        cls.place = f"{cls.holder.name}/book"

    def test_a_folder_without_a_root_is_refused(self):
        output = self.system.run(f"{BUILD}/callkitd", "--contacts", "book")
        self.assertEqual(output.status, 64)
        self.assertIn("book is not a valid folder of contacts, expected an absolute path", output.errors)

    def test_a_folder_that_comes_later(self):
        self.assertEqual(list(self.report()["folders"])[:2], ["/proc/self/cwd/none", self.place])
        self.write("anna.vcf", ANNA)
        self.write("friends/anna.vcf", ANNA, self.place)
        self.wait_contacts(1)
        self.write("friends/more/bo.vcf", PHONE, self.place)
        self.wait_contacts(2)


class Hostile(ContactsTest):
    def test_files_that_are_no_contacts_are_told_of_with_the_reason(self):
        os.makedirs(self.phone)
        os.mkfifo(f"{self.phone}/pipe.vcf")
        os.symlink("/dev/zero", f"{self.phone}/zero.vcf")
        os.symlink("nowhere.vcf", f"{self.phone}/dangling.vcf")
        os.symlink("..", f"{self.phone}/loop")
        os.symlink("self", f"{self.phone}/self")
        self.write("text.vcf", "this is no vCard\n")
        with open(f"{self.phone}/huge.vcf", "wb") as file:
            file.truncate(1 << 40)
        self.write("readme.txt", "BEGIN:VCARD\nFN:No\nTEL:1\nEND:VCARD\n")
        self.write("bad.vcf", "BEGIN:VCARD\nFN:\u202eevil\u0007\x1b[2J name" + "n" * 1000 + "\nTEL:+46701740699\nEND:VCARD\n")
        self.write("tiny.vcf", "BEGIN:VCARD\nFN:a\nTEL:1\nEND:VCARD\n" * 830_000)
        self.write("anna.vcf", ANNA)
        # It needs more memory than a reader may use: the library reports that, or the reader dies.
        wait_until(lambda: re.search("memory|signal", self.complaints().get("tiny.vcf", "")), self.complaints)
        self.wait_complaint("text.vcf", "no vCard")
        self.wait_contacts(2)
        complaints = self.complaints()
        self.assertEqual(sorted(complaints), ["dangling.vcf", "huge.vcf", "pipe.vcf", "text.vcf", "tiny.vcf", "zero.vcf"])
        self.assertIn("bytes", complaints["huge.vcf"])
        name = str(self.describe("+46701740699")["name"])
        self.assertTrue(name.startswith("evil[2J name"), name)
        self.assertEqual(len(name), 256)
        told = self.system.run(f"{BUILD}/callctl", "contacts").text
        self.assertIn(f"text.vcf: {complaints['text.vcf']}", told)
        self.assertRegex(told, r"contacts +2\n")
        self.assertIn("6 files or folders of contacts", self.system.read_log())
        for secret in ("text.vcf", "huge.vcf", "evil", "Anna"):
            self.assertNotIn(secret, self.system.read_log())

    def test_a_truncated_file_and_a_damaged_one_cost_nobody_else(self):
        self.write("anna.vcf", ANNA)
        for number, tail in enumerate(("=", "=\n", "=\nx", "=\nx=\n", "===\n\n")):
            self.write(f"cut-{number}.vcf", PHONE[:PHONE.index("=\n")] + tail)
        self.write("noise.vcf", "".join(chr(33 + number % 90) for number in range(100_000)))
        self.write("deep.vcf", "BEGIN:VCARD\n" * 20_000)
        self.wait_complaint("noise.vcf", "no vCard")
        wait_until(lambda: not self.report()["loading"], "reading does not end")
        self.assertEqual({reason for name, reason in self.complaints().items() if name.startswith("cut")},
                         {"it has no vCard"})
        self.assertEqual(self.describe("0701740605")["name"], "Anna Berg, Malmö")

    def test_no_more_than_so_many(self):
        self.write("many.vcf", "".join(
            f"BEGIN:VCARD\nVERSION:3.0\nUID:{number}\nFN:P{number}\nTEL:+4670{1_000_000 + number}\nEND:VCARD\n"
            for number in range(50_100)))
        self.wait_contacts(50_000)
        self.assertIn("the rest is left out", self.complaints()["many.vcf"])
        self.assertEqual(self.describe("+46701049999")["name"], "P49999")
        self.assertNotIn("name", self.describe("+46701050000"))
        with open(f"/proc/{self.store()}/status", encoding="ascii") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))
        self.assertLess(resident, 64 << 10)

    def test_a_file_that_ends_its_reader_is_left_out(self):
        """The reader is killed while it reads: the file that it read is skipped, the others are used."""
        self.write("anna.vcf", ANNA)
        self.wait_contacts(1)
        self.write("big.vcf", "".join(
            f"BEGIN:VCARD\nUID:{number}\nFN:P{number}\nTEL:+4671{number:07}\nEND:VCARD\n" for number in range(400_000)))

        def reader():
            return next((pid for pid in children(self.store()) if program(pid) == "callkit-contacts" and self.reads(pid)),
                        None)
        pid = wait_until(reader, "big.vcf is not read", every=0.01)
        os.kill(pid, signal.SIGSEGV)
        self.wait_complaint("big.vcf", "signal 11")
        self.wait_contacts(1)
        self.write("anna.vcf", ANNA.replace("Anna Berg", "Anna Bergman"))
        wait_until(lambda: self.describe("0701740605").get("name") == "Anna Bergman, Malmö", "the change was not seen")
        self.assertIn("signal 11", self.complaints()["big.vcf"])
        self.write("big.vcf", PHONE)
        self.wait_contacts(2)
        self.assertEqual(self.complaints(), {})

    @staticmethod
    def reads(pid):
        """True if the reader's memory has grown by the size of the file: it is being parsed. One that has ended reads
        nothing.
        """
        try:
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                return next((int(line.split()[1]) for line in file if line.startswith("RssAnon")), 0) > 20_000
        except OSError:
            return False
