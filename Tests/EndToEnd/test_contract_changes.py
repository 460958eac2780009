"""docs/contract-changes.md speaks of members that are there, and of others that are not."""

import os
import re
import unittest
from xml.etree import ElementTree

from system import REPOSITORY


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
                      "ActionTimedOut", "Get", "GetAll", "Unknown", "Directory"}
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


if __name__ == "__main__":
    unittest.main()
