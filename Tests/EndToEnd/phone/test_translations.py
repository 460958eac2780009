"""Each text of the phone has its translations."""

import os
import re
import unittest

from support.system import REPOSITORY

SOURCES = [os.path.join(REPOSITORY, "Sources", "Phone", "callkit-phone"),
           os.path.join(REPOSITORY, "Sources", "Client", "CallClient")]
TRANSLATIONS = os.path.join(REPOSITORY, "Sources", "Phone", "Translations")
TEXT = re.compile(r'localized\(\s*"((?:[^"\\]|\\.)*)"')
ENTRY = re.compile(r'^msgid "((?:[^"\\]|\\.)*)"\nmsgstr "((?:[^"\\]|\\.)*)"$', re.MULTILINE)
WORD = re.compile(r"\{[a-z]+\}")


def texts():
    found = set()
    for folder in SOURCES:
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found.update(TEXT.findall(file.read()))
    return found


def translations(language):
    with open(os.path.join(TRANSLATIONS, f"{language}.po"), encoding="utf-8") as file:
        return {english: other for english, other in ENTRY.findall(file.read()) if english}


class TranslationTests(unittest.TestCase):
    def test_nothing_is_missing_and_nothing_is_left_over(self):
        used = texts()
        self.assertGreater(len(used), 100)
        for language in ("de", "sv"):
            with self.subTest(language):
                known = translations(language)
                self.assertEqual(used - set(known), set(), "missing")
                self.assertEqual(set(known) - used, set(), "left over")
                for english, other in known.items():
                    self.assertTrue(other, english)
                    self.assertEqual(sorted(WORD.findall(english)), sorted(WORD.findall(other)), english)
