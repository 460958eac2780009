"""The page about what works with which program says what the tests prove."""

import unittest

from sip import interop, marks


class Interop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        interop.collect()

    def test_the_page_is_what_the_marks_say(self):
        with open(interop.PAGE, encoding="utf-8") as file:
            self.assertEqual(file.read(), interop.page(), "write it anew: Tests/EndToEnd/sip/interop.py")

    def test_each_cell_has_a_test_or_a_reason(self):
        self.assertEqual(interop.problems(), [])

    def test_a_mark_names_what_there_is(self):
        for program, feature in (("Asterisk", "out"), ("baresip", "video")):
            with self.assertRaises(AssertionError):
                marks.interop(program, feature)

    def test_each_mark_is_of_a_test(self):
        for name in {name for names in marks.marks.values() for name in names}:
            self.assertRegex(name, r"^sip\.test_\w+\.\w+\.test_\w+$")
