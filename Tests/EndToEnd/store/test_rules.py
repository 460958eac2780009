"""The user's own rules: numbers to block and to allow."""

import os

from support.directories import DirectoryTest
from support.system import DIRECTORY, DIRECTORY1, RECENTS, RECENTS1, RULES1
from support.waiting import wait_gone, wait_until


class Rules(DirectoryTest):
    arguments = ("--region", "SE")

    def setUp(self):
        super().setUp()
        self.extensions()

    def test_rules_of_every_kind(self):
        for rule, shown, matched, others in (
                ("070-174 06 35", "+46701740635", ["+46701740635", "0701740635"], ["0701740636"]),
                ("+4690…", "+4690…", ["090-123456"], ["+46911234567"]),
                ("+46900000000-+46909999999", "+46900000000-+46909999999", ["+46905555555"], ["+46910000000"]),
                ("1234", "1234", ["12 34"], ["12345"]), ("withheld", "withheld", ["withheld"], ["1"]),
                ("Spam@Example.com", "spam@example.com", ["spam@EXAMPLE.com"], ["ham@example.com"]),
                ("sip:spam", "sip:spam", ["sip:spam"], ["sip:ham"]),
                # As people write the beginnings of numbers, with the zero that is dialed within the country.
                ("070-174 06*", "+467017406…", ["+46701740635", "0701740635"], ["+46701740535"]),
                ("+46 (0)70 174 06*", "+467017406…", ["+46701740635"], ["+46701740535"]),
                ("0046 70 174 06*", "+467017406…", ["+46701740635"], ["+46701740535"]),
                ("+46[0]70174 06??", "+46701740600-+46701740699", ["+46701740635"], ["+46701740735"]),
                ("0701740???", "+46701740000-+46701740999", ["070-174 06 35"], ["0701741635"]),
                # Copied out of a contact (verbb/hyper #86, signalapp/Signal-Android #11630).
                ("\u202d+44 1632\u00a0960001\u202c", "+441632960001", ["\u2068+44 1632 960001\u2069"],
                 ["+441632960002"])):
            with self.subTest(rule=rule):
                self.ask("Block", "s", rule).result()
                self.assertEqual(list(map(str, self.ask("Blocked").result())), [shown])
                self.assertEqual([self.blocked(handle) for handle in matched], [(True, "user")] * len(matched))
                self.assertEqual([self.blocked(handle) for handle in others], [(False, "")] * len(others))
                self.ask("Allow", "s", rule).result()
                self.assertEqual([self.blocked(handle) for handle in matched], [(False, "")] * len(matched))
                for member, text in (("Disallow", shown), ("Unblock", rule)):
                    self.assertEqual([self.ask(member, "s", text).result() for _ in range(2)], [1, 0])
                self.assertEqual(list(self.ask("Blocked").result()) + list(self.ask("Allowed").result()), [])

    def test_more_than_one_packet_of_rules(self):
        rules = [f"sip:{number:04}{'x' * 245}@example.org"[:255] for number in range(600)]
        for start in range(0, len(rules), 16):
            for pending in [self.ask("Block", "s", rule) for rule in rules[start:start + 16]]:
                pending.result()
        self.assertEqual(list(map(str, self.ask("Blocked").result())), rules)
        self.assertGreater(sum(map(len, rules)), 128 << 10)

    def test_they_outlive_the_store_and_tell_nobody(self):
        self.ask("Block", "s", "1234").result()
        self.ask("Allow", "s", "+4670*").result()
        os.kill(self.store(), 9)
        self.extensions()
        self.assertEqual(list(map(str, self.ask("Blocked").result())), ["1234"])
        self.assertEqual(list(map(str, self.ask("Allowed").result())), ["+4670…"])
        self.assertEqual({(event.interface, *map(str, event.arguments)) for event in self.system.told("Changed")
                          if event.path == DIRECTORY}, {(DIRECTORY1, "user"), (RULES1,)})

    def test_nonsense_is_refused(self):
        for rule in ("", "*", "anna*", "+469-+468", "a\nb", "9" * 600, "abc"):
            self.assertRefused(self.ask("Block", "s", rule), "InvalidArguments")
        for handle in ("", "x" * 257, "a\x1bb"):
            self.assertRefused(self.ask("Identify", "s", handle), "InvalidArguments")

    def test_a_file_with_nonsense_is_set_aside(self):
        self.ask("Block", "s", "1234").result()
        path = f"{self.system.folder.name}/data/opencallkit/directory/rules"
        store = self.store()
        with open(path, "a", encoding="utf-8") as file:
            file.write("hate 1\nblock 5678\n")
        os.kill(store, 9)
        wait_gone(store, "callkit-store")
        self.extensions()
        self.assertEqual(list(map(str, self.ask("Blocked").result())), ["1234", "5678"])
        wait_until(lambda: path in self.system.get(RECENTS, RECENTS1, "Degraded"), "it is not told")
        self.assertFalse(os.path.exists(path + ".damaged"), "it is set aside when it is written again")
        self.ask("Block", "s", "9012").result()
        self.assertEqual(list(map(str, self.ask("Blocked").result())), ["1234", "5678", "9012"])
        with open(path + ".damaged", encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("hate 1\nblock 5678\n"))
        self.assertIn("is not a valid rule, expected block or allow and a caller", self.system.read_log())
