"""Favorites and contacts are found by name, and called if the name means one handle."""

import time

import dbus

from store.contacts import ANNA, ContactsTest
from support.provider import Provider
from support.system import DIRECTORY, DIRECTORY1
from support.terminal import REFUSED, UNKNOWN, Commands
from support.waiting import wait_until

CARD = "BEGIN:VCARD\nVERSION:3.0\nUID:{name}\nFN:{name}\n{rest}END:VCARD\n"
BIDI = "\u202e"


class Finding(Commands, ContactsTest):
    def setUp(self):
        super().setUp()
        self.network = Provider(self.system, "Phone", delegate="/phone",
                              supported_handle_types=dbus.Array(["phone-number"], signature="s"))

    def find(self, name):
        return self.system.call(DIRECTORY, DIRECTORY1, "FindPeople", "s", name)

    def found(self, name):
        return [(str(row["name"]), ":".join(row["handle"]), str(row.get("label", ""))) for row in self.find(name).result()]

    def people(self, **numbers):
        """Writes a card for each name, with its lines."""
        for name, rest in numbers.items():
            self.write(f"{name}.vcf", CARD.format(name=name.replace("_", " "), rest=rest))
        self.wait_contacts(len(numbers))

    def test_a_contact_is_found_with_all_its_handles(self):
        self.write("anna.vcf", ANNA)
        self.wait_contacts(1)
        name = "Anna Berg, Malmö"
        expected = [(name, "phone-number:+46701740605", "mobile"), (name, "phone-number:+46812345677", "home"),
                    (name, "email-address:anna@example.com", ""), (name, "generic:sip:anna@voip.example", "")]
        for text in ("anna", "BERG ann", "malmo", f"{name}"):
            self.assertEqual(self.found(text), expected, text)
        self.assertEqual([dict(row)["exact"] for row in self.find("anna berg malmo").result()], [True] * 4)
        self.assertEqual(set(self.find("anna").result()[0]), {"name", "handle", "exact", "favorite", "label"})
        self.assertEqual(self.found("nna"), [])

    def test_labels_are_those_of_the_card(self):
        self.people(Carla="TEL:070-174 06 01\nTEL;TYPE=work,voice:070-174 06 02\nTEL;TYPE=home,fax:070-174 06 03\n"
                    "TEL;TYPE=work,cell:070-174 06 04\nEMAIL;TYPE=work:c@example.org\nTEL:070-174 06 05,,1234\n")
        self.assertEqual([row[1:] for row in self.found("carla")], [
            ("phone-number:+46701740601", ""), ("phone-number:+46701740602", "work"),
            ("phone-number:+46701740603", "fax"), ("phone-number:+46701740604", "mobile"),
            ("phone-number:+46701740605", ""), ("email-address:c@example.org", "")])

    def test_a_contact_is_called_with_what_follows_the_number(self):
        """cjlotz/Xamarin.Plugins #40, google/libphonenumber #1106."""
        self.people(Conference="TEL:+1 555 010 0123;4711#\n", Escaped="TEL:+1 555 010 0124\\;4712#\n",
                    Paused="TEL:070-174 06 05,,12#;99\n", Waiting="TEL:0701740606w5\n")
        for name, number, now, later in (("conference", "+15550100123", "", "4711#"),
                                         ("escaped", "+15550100124", "", "4712#"),
                                         ("paused", "+46701740605", ",,12#", "99"), ("waiting", "+46701740606", "", "5")):
            with self.subTest(name):
                self.network.forget()
                self.says("start", name)
                start, = self.network.actions("start")
                self.assertEqual(tuple(start.details["handle"]), ("phone-number", number))
                shown = self.says("show")
                self.assertIn(f"digits wait  {later}\n", shown)
                if now:
                    self.assertEqual(self.network.wait_action("play-dtmf").details["digits"], now)
                self.says("end")

    def test_favorites_come_first_and_their_handles_once(self):
        self.people(Carla_Berg="TEL:0701740601\nTEL:0701740602\n", Carla="TEL:0701740603\n")
        self.add("070-174 06 02").result()
        self.add("0701740609", "Office of Carla", "Phone").result()
        rows = self.find("carla").result()
        self.assertEqual([(str(row["name"]), str(row["handle"][1]), bool(row["favorite"])) for row in rows], [
            ("Carla Berg", "070-174 06 02", True), ("Office of Carla", "0701740609", True),
            ("Carla", "+46701740603", False), ("Carla Berg", "+46701740601", False)])
        self.assertEqual([row.get("provider-id") for row in rows], [None, "Phone", None, None])

    def test_no_more_than_twenty(self):
        self.write("many.vcf", "".join(CARD.format(name=f"Ö {number:02}", rest=f"TEL:{1000 + number}\n")
                                       for number in range(30)))
        self.wait_contacts(30)
        self.assertEqual([row[0] for row in self.found("o")], [f"Ö {number:02}" for number in range(20)])
        self.assertEqual(self.found("29 o"), [("Ö 29", "phone-number:1029", "")])
        output = self.callctl("start", "o", status=UNKNOWN)
        self.assertIn('"o" matches at least 20 handles, which one:', output.errors)

    def test_a_list_that_is_cut_decides_nothing(self):
        """Twenty addresses that nobody takes are not left out in favor of the only number among them."""
        self.people(A_Carla="TEL:0701740601\n" + "".join(f"EMAIL:c{number}@example.org\n" for number in range(19)),
                    B_Carla="TEL:0701740602\n")
        self.assertEqual(len(self.found("carla")), 20)
        self.callctl("start", "carla", status=UNKNOWN)
        self.assertEqual(self.network.kinds(), [])

    def test_what_is_no_name_is_refused(self):
        for text in ("", " ", "?!", "a\nb", f"{BIDI}anna", "a" * 257, "anna " * 2_000, "a" * (1 << 20)):
            refused = self.find(text)
            self.assertRefused(refused, "InvalidArguments")
            self.assertNotIn("anna", refused.error_text)
        self.assertEqual(self.found("a" * 256), [])

    def test_ten_thousand_contacts(self):
        self.write("many.vcf", "".join(CARD.format(name=f"Åsa Öberg {number}", rest=f"TEL:+4670{1_000_000 + number}\n")
                                       for number in range(10_000)))
        self.wait_contacts(10_000)
        for text, count in (("oberg 9999", 1), ("o", 20), ("nobody", 0)):
            times = []
            for _ in range(3):
                begin = time.monotonic()
                self.assertEqual(len(self.found(text)), count)
                times.append(time.monotonic() - begin)
            # A busy machine may delay any of them, but not all.
            self.assertLess(min(times), 1, text)

    # callctl

    def started(self):
        """The handle and the provider's view of the last call that was started."""
        return tuple(str(part) for part in self.network.actions("start")[-1].details["handle"])

    def test_a_contact_is_called_by_name(self):
        self.people(Carla_Berg="TEL:0701740601\nEMAIL:carla@example.org\n", Dan="TEL:0701740602\n")
        call = self.says("start", "berg").strip()
        self.assertEqual(self.started(), ("phone-number", "+46701740601"))
        self.assertTrue(self.network.actions("start")[0].uuid == call)
        self.assertIn("+46701740602", self.says("plan", "start", "dan"))

    def test_a_name_that_means_several_handles_is_asked_about(self):
        self.people(Carla_Berg="TEL;TYPE=home:0812345677\nTEL;TYPE=cell:0701740601\n", Carla_Öman="TEL:0701740603\n")
        output = self.callctl("start", "carla", status=UNKNOWN)
        self.assertEqual(output.errors, 'callctl: "carla" matches 3 handles, which one:\n'
                         "  Carla Berg  +46812345677  home\n  Carla Berg  +46701740601  mobile\n"
                         "  Carla Öman  +46701740603\n")
        self.assertEqual(self.network.kinds(), [])
        self.says("start", "carla oman")
        self.assertEqual(self.started()[1], "+46701740603")
        self.says("favorites", "add", "0701740601", "Carla")
        self.says("start", "carla")
        self.assertEqual(self.started()[1], "0701740601")

    def test_who_is_unknown_is_not_called(self):
        self.people(Carla="TEL:0701740601\n")
        for text in ("Erik", "?", "", "Carla\u202e", "x" * 10_000):
            output = self.callctl("start", text, status=REFUSED)
            self.assertIn("expected a number such as", output.errors, text[:20])
        self.assertEqual(self.network.kinds(), [])

    def test_a_call_is_transferred_to_a_contact(self):
        self.people(Carla="TEL:0701740601\n")
        self.network.report("UpdateConfiguration", "a{sv}", dbus.Dictionary({
            "supports-transfer": True, "supported-handle-types": dbus.Array(["phone-number"], signature="s")},
            signature="sv"))
        call = self.start_call("0701740609").result()
        self.wait_state(call, "active")
        wait_until(lambda: "transfer" in self.property(call, "Can"), "it cannot be transferred")
        self.callctl("transfer", "active", "nobody", status=REFUSED)
        self.assertTrue(self.says("transfer", "carla").startswith("transferred "))
        self.assertEqual(tuple(self.network.wait_action("transfer").details["to"]), ("phone-number", "+46701740601"))
        self.wait_state(call, "ended")
        self.assertEqual(self.property(call, "EndReason"), "transferred")
