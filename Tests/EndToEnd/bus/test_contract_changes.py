"""docs/contract-changes.md speaks of members that are there, and of others that are not."""

import os
import re
import unittest
from xml.etree import ElementTree

from support.system import REPOSITORY


class Changes(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(REPOSITORY, "docs", "contract-changes.md"), encoding="utf-8") as file:
            self.sections = re.split(r"\n(?=`org\.opencallkit\.)", file.read())[1:]

    @staticmethod
    def members(interface):
        tree = ElementTree.parse(os.path.join(REPOSITORY, "dbus", f"{interface}.xml"))
        return {member.get("name") for member in tree.iter() if member.tag in ("method", "property", "signal")}

    @staticmethod
    def names(cell):
        """What looks like a member: a word in capitals at the beginning of a piece of code."""
        return set(re.findall(r"`([A-Z][A-Za-z]+)", cell))

    def test_what_is_said(self):
        self.assertGreaterEqual(len(self.sections), 13)
        checked = 0
        for section in self.sections:
            interface = re.match(r"`(org\.opencallkit\.\w+)`", section)[1]
            members = self.members(interface)
            others = {"Busy", "Unreachable", "Unauthorized", "Unsupported", "AccessDenied", "ActionFailed",
                      "ActionTimedOut", "StoreUnavailable", "Get", "GetAll", "Unknown", "Directory"}
            rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| ")][1:]
            for before, now in rows:
                with self.subTest(interface=interface, before=before, now=now):
                    self.assertLessEqual(self.names(now) - others, members)
                    gone = self.names(before) - self.names(now) - others
                    if "`Directory1`" in before:
                        self.assertFalse(gone & self.members("org.opencallkit.Directory1"))
                    elif "→" not in before and ":" not in before and "without" not in before:
                        self.assertFalse(gone & members)
                    checked += 1
        self.assertGreater(checked, 30)

    @staticmethod
    def shapes(interface):
        """The types of each member of an interface: what goes in, is broadcast or is kept, and what comes out."""
        tree = ElementTree.parse(os.path.join(REPOSITORY, "dbus", f"{interface}.xml"))
        shapes = {}
        for member in tree.iter():
            if member.tag == "property":
                shapes[member.get("name")] = (member.get("type"), "")
            elif member.tag in ("method", "signal"):
                types = {"in": [], "out": []}
                for argument in member.findall("arg"):
                    types[argument.get("direction", "in")].append(argument.get("type"))
                shapes[member.get("name")] = (", ".join(types["in"]), ", ".join(types["out"]))
        return shapes

    @staticmethod
    def written(cell):
        """(name, what goes in, what comes out) of each member whose types are written; None = that part is not."""
        for code in re.findall(r"`([^`]+)`", cell):
            left, arrow, given = code.partition(" → ")
            match = re.fullmatch(r"([A-Z]\w+)(?:\((.*)\)| (\S+))?", left)
            if match and (match[2] is not None or match[3] or arrow):
                several = given.startswith("(") and ", " in given
                yield match[1], match[3] or match[2], (given[1:-1] if several else given) if arrow else None

    def test_types(self):
        checked = 0
        for section in self.sections:
            interface = re.match(r"`(org\.opencallkit\.\w+)`", section)[1]
            shapes = self.shapes(interface)

            def agrees(name, taken, given):
                shape = shapes.get(name)
                return shape and taken in (None, shape[0]) and given in (None, shape[1])

            for line in section.splitlines():
                if line.startswith("| "):
                    before, now = line.split("|")[1:3]
                    with self.subTest(interface=interface, before=before, now=now):
                        for member in self.written(now):
                            self.assertTrue(agrees(*member), f"{member}: the contract has {shapes.get(member[0])}")
                            checked += 1
                        for member in self.written(before):
                            self.assertFalse(agrees(*member), f"{member} is still there")
                            checked += 1
        self.assertGreater(checked, 25)
