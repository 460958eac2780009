"""The introspection of the running daemon equals dbus/*.xml."""

import collections
import glob
import os
import re
import unittest

from accounts.case import ACCOUNT1, ACCOUNTS, ACCOUNTS1
from desktop.case import DESKTOP, DESKTOP_NAME, DESKTOP_PATH, ROUTES, SHORTCUTS, DesktopTest
from support import contract
from support.case import SystemTest
from support.messages import variants
from support.provider import Provider
from support.system import (AUDIO, AUDIO_SESSION, CALL, DIRECTORY, DIRECTORY1, EXTENSION1, FAVORITES, FAVORITES1, HOST,
                            IDENTITY, MANAGER, NAME, PEER, PLUGIN, PROPERTIES, PROVIDER, RECENTS, RECENTS1, ROOT,
                            RULES1, SYSTEM)

INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
STANDARD = {INTROSPECTABLE, PEER, PROPERTIES}
FROM_THE_AGENT = {DESKTOP, ROUTES, SHORTCUTS}
FROM_CLIENTS = {"org.opencallkit.ProviderDelegate1", "org.opencallkit.Screener1", "org.opencallkit.AudioAgent1"}
"""Interfaces that providers, screeners and audio agents serve."""


class LiveContract(SystemTest):
    with_plugins = True

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.call = self.provider.incoming()
        self.objects = {
            ROOT: {SYSTEM, MANAGER},
            AUDIO: {AUDIO_SESSION},
            FAVORITES: {FAVORITES1},
            RECENTS: {RECENTS1},
            DIRECTORY: {DIRECTORY1, RULES1},
            str(self.call): {CALL, IDENTITY},
            str(self.provider.path): {PROVIDER, HOST},
            f"{ROOT}/providers/Hotline": {PROVIDER, HOST},
            f"{ROOT}/plugins/Hotline": {PLUGIN},
            f"{ROOT}/plugins/ListDirectory": {PLUGIN, EXTENSION1},
            ACCOUNTS: {ACCOUNTS1},
            f"{ROOT}/access": {"org.opencallkit.Access1"},
            self.add_account(): {ACCOUNT1},
        }
        self.contract = contract.interfaces(contract.public_files())

    def add_account(self):
        return str(self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", "MonkeyCall", variants({})).result())

    def introspect(self, path):
        return self.system.call(path, INTROSPECTABLE, "Introspect").result()

    def test_every_interface_of_the_contract_is_shown_somewhere(self):
        shown = {interface for path in self.objects for interface in contract.parse(self.introspect(path))}
        self.assertEqual({name for name in shown if name.startswith("org.opencallkit.")},
                         set(self.contract) - FROM_CLIENTS - FROM_THE_AGENT)

    def test_every_object_has_its_interfaces(self):
        for path, own in self.objects.items():
            self.assertEqual(set(contract.parse(self.introspect(path))), own | STANDARD, path)

    def test_every_member_equals_the_file(self):
        for path, own in self.objects.items():
            live = contract.parse(self.introspect(path))
            for name in own & set(self.contract):
                with self.subTest(path=path, interface=name):
                    self.assertEqual([member.facts for member in live[name].members],
                                     [member.facts for member in self.contract[name].members])

    def test_the_folders_can_be_browsed(self):
        below = {"/": "org", ROOT: "calls", f"{ROOT}/calls": str(self.call).rsplit("/", 1)[1],
                 f"{ROOT}/providers": "Hotline", f"{ROOT}/plugins": "MonkeyCall"}
        for path, child in below.items():
            self.assertIn(f'<node name="{child}"', self.introspect(path).replace("'", '"'), path)

    def test_busctl_shows_every_member(self):
        for path, own in self.objects.items():
            output = self.system.run("busctl", "--user", "--no-pager", "introspect", NAME, path)
            self.assertEqual(output.status, 0, output.errors)
            rows = self.rows(output.text)
            for name in own & set(self.contract):
                interface = self.contract[name]
                for member in interface.members:
                    with self.subTest(path=path, member=f"{name}.{member.name}"):
                        self.assertIn((name, "." + member.name, member.kind), rows)
                        signature, result, flags = rows[name, "." + member.name, member.kind]
                        expected = member.type or member.signature("out" if member.kind == "signal" else "in")
                        self.assertEqual(signature.replace("-", ""), expected)
                        if member.kind == "method":
                            self.assertEqual(result.replace("-", ""), member.signature("out"))
                        if member.kind == "property":
                            self.assertEqual("writable" in flags, member.access == "readwrite")
                shown = {row for row in rows if row[0] == name}
                self.assertEqual(len(shown), len(interface.members), shown)

    @staticmethod
    def rows(text):
        """(interface, member, kind): (signature, result or value, flags)."""
        rows = {}
        interface = ""
        for line in text.splitlines()[1:]:
            words = line.split()
            if len(words) > 1 and words[1] == "interface":
                interface = words[0]
            elif len(words) > 1 and words[0].startswith("."):
                found = re.match(r"(\S+)\s+(\S+)\s+(\S+)\s+(.*?)\s*((?:const|emits-change|emits-invalidation|writable"
                                 r"|deprecated|no-reply|hidden|-)(?: \S+)*)$", line)
                rows[interface, found.group(1), found.group(2)] = found.group(3, 4, 5)
        return rows

    def test_every_property_of_the_contract_can_be_read_and_has_its_type(self):
        for path, own in self.objects.items():
            for name in own & set(self.contract):
                values = self.system.get_all(path, name)
                properties = self.contract[name].of_kind("property")
                self.assertEqual(sorted(values), sorted(member.name for member in properties), (path, name))
                for member in properties:
                    read = self.system.run("busctl", "--user", "get-property", NAME, path, name, member.name)
                    self.assertEqual(read.text.split(" ", 1)[0], member.type, (path, member.name, read.errors))


class AgentContract(DesktopTest):
    def test_every_member_of_the_agent_equals_the_file(self):
        self.start_agent()
        text = self.system.call(DESKTOP_PATH, INTROSPECTABLE, "Introspect", name=DESKTOP_NAME).result()
        live, files = contract.parse(text), contract.interfaces(contract.public_files())
        self.assertEqual({name for name in live if name.startswith("org.opencallkit.")}, FROM_THE_AGENT)
        for name in FROM_THE_AGENT:
            self.assertEqual([member.facts for member in live[name].members],
                             [member.facts for member in files[name].members], name)


class Documents(unittest.TestCase):
    def setUp(self):
        self.contract = contract.files()
        self.names = contract.error_names()

    def test_there_is_something_to_check(self):
        self.assertEqual(len(self.contract), 28)
        self.assertEqual(len(self.names), 34)

    def test_no_line_is_longer_than_120_characters(self):
        paths = [path for path in glob.glob(os.path.join(contract.REPOSITORY, "dbus", "**"), recursive=True)
                 if os.path.isfile(path) and not path.endswith(".svg")]
        self.assertGreater(len(paths), 30)
        for path in paths:
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    self.assertLessEqual(len(line.rstrip("\n")), 120, f"{path}:{number}")

    def test_every_member_is_documented(self):
        for interface in self.contract.values():
            for member in interface.members:
                with self.subTest(member=f"{interface.name}.{member.name}"):
                    self.assertGreaterEqual(len(member.documentation.split()), 3)

    def test_every_argument_is_explained(self):
        for interface in self.contract.values():
            for member in interface.members:
                for name, _, _ in member.arguments:
                    with self.subTest(member=f"{interface.name}.{member.name}", argument=name):
                        self.assertRegex(member.documentation, rf"\b{name}\b")

    def test_every_method_lists_its_errors(self):
        for interface in self.contract.values():
            for member in interface.of_kind("method"):
                with self.subTest(member=f"{interface.name}.{member.name}"):
                    self.assertTrue(member.errors)

    def test_every_error_name_exists(self):
        for interface in self.contract.values():
            for member in interface.members:
                for name in member.errors or []:
                    with self.subTest(member=f"{interface.name}.{member.name}", name=name):
                        self.assertTrue(name in self.names or re.fullmatch(
                            r"org\.freedesktop\.DBus\.Error\.[A-Za-z]+", name))

    def test_a_long_list_of_errors_has_a_name_if_it_repeats(self):
        uses, same = collections.Counter(), collections.Counter()
        for interface in self.contract.values():
            for member in interface.members:
                uses.update(member.listed_errors or [])
                same[frozenset(member.listed_errors or [])] += 1
        self.assertEqual([sorted(names) for names, count in same.items() if count > 1 and len(names) > 6], [])
        for name in contract.error_lists():
            self.assertGreater(uses[name], 1, name)

    def test_every_error_name_is_used(self):
        used = {name for interface in self.contract.values() for member in interface.members
                for name in member.errors or []}
        self.assertEqual(self.names - used, set())
