"""What callctl says: only what is so, in the words of its tables, and what was expected instead of nonsense."""

import dbus

from support.directories import DirectoryTest
from support.messages import uuid_of
from support.provider import Provider
from support.scene import TwoProviders
from support.terminal import REFUSED, UNKNOWN, USAGE, Commands, People


class Already(TwoProviders, People):
    """Success is said once: whoever asks again is told that it is so already, and that is no failure."""

    def test_rules(self):
        self.assertEqual(self.says("block", "070-174 06 35", "1234"), "blocked +46701740635\nblocked 1234\n")
        self.assertEqual(self.says("block", "+46701740635", "112233", "1234"),
                         "+46701740635 is blocked already\nblocked 112233\n1234 is blocked already\n")
        self.assertEqual(self.data("block", "1234", "4321"), ["1234", "4321"])
        for said in ("allowed 1234\n", "1234 is allowed already\n"):
            self.assertEqual(self.says("allow", "1234"), said)

    def test_the_ringer(self):
        self.alpha.incoming()
        for said in ("silenced\n", "silenced already\n"):
            self.assertEqual(self.says("silence"), said)

    def test_favorites(self):
        self.assertEqual(self.says("favorites", "add", "070-174 06 35", "Monkey"), "added Monkey as 1, +46701740635\n")
        self.assertEqual(self.says("favorites", "add", "+46701740635", "Monkey"), "Monkey is favorite 1 already\n")
        self.assertEqual(self.says("favorites", "add", "+46701740635", "Ape"), "renamed Monkey to Ape\n")
        self.assertEqual(self.data("favorites", "add", "+46701740635", "Ape"), {"id": 1, "normalized": "+46701740635"})
        self.says("favorites", "add", "owl@example.org")
        self.assertEqual(self.says("favorites", "add", "owl@example.org"), "owl@example.org is favorite 2 already\n")
        self.assertEqual(self.says("favorites", "move", "ape", "first"),
                         "Ape (0701740635) is at the first place already\n")
        self.assertEqual(self.says("favorites", "move", "owl", "9"), "owl@example.org is at place 2 already\n")


class AlreadyInTheList(Commands, DirectoryTest):
    def test_plugins(self):
        self.place("Hotline")
        self.wait_ready("Hotline")
        self.assertEqual(self.says("plugins", "enable", "hot"), "Hotline is enabled already\n")
        for said in ("disabled Hotline\n", "Hotline is disabled already\n"):
            self.assertEqual(self.says("plugins", "disable", "hot"), said)
        for said in ("enabled Hotline\n", "Hotline is enabled already\n"):
            self.assertEqual(self.says("plugins", "enable", "hot"), said)

    def test_directories(self):
        self.bundle()
        self.wait_extension()
        self.assertEqual(self.says("directory", "disable", "tut"), "TutorialDirectory is disabled already\n")
        for said in ("enabled TutorialDirectory: ", "TutorialDirectory is enabled already: "):
            self.assertEqual(self.says("directory", "enable", "tut"), f"{said}1 blocked, 1 identified\n")
        for said in ("disabled TutorialDirectory\n", "TutorialDirectory is disabled already\n"):
            self.assertEqual(self.says("directory", "disable", "tut"), said)


class Emergency(TwoProviders, People):
    def setUp(self):
        super().setUp()
        self.mark(Provider(
            self.system, "Phone", delegate="/phone",
            supported_handle_types=dbus.Array(["phone-number"], signature="s"), emergency_numbers=["112"]))

    def test_errors_have_the_ids_that_tables_show(self):
        self.says("favorites", "add", "generic:tree", "Tree")
        talked = self.outgoing(self.alpha)
        self.end(talked).result()
        self.wait_row(talked, open=False)
        call = self.says("start", "112").strip()
        for words in (("start", "generic:tree"), ("favorites", "call", "tree"), ("recents", "call-back")):
            output = self.callctl(*words, status=REFUSED)
            self.assertNotIn(call, output.errors, words)
            self.assertIn(call[:8], output.errors, words)

    def test_the_list_tells(self):
        self.says("start", "112")
        self.assertRegex(self.says("list"), r"112 .* emergency\n")
        self.assertRegex(self.says(), r"\ncalls .* 112 .* emergency\n")


class Numbers(TwoProviders, People):
    def test_a_call_is_named_by_its_number_however_it_is_written(self):
        self.wait_store()
        call = self.alpha.incoming(handle=("phone-number", "0705550102"))
        other = self.beta.incoming(handle=("phone-number", "0705550103"))
        self.assertEqual(self.data("show", "+46 70-555 01 02")["id"], uuid_of(call))
        self.assertEqual(self.data("plan", "answer", "tel:+46705550103")[0]["call"], other)
        self.callctl("end", "+46705550104", status=UNKNOWN)
        self.assertTrue(self.says("end", "+46705550102").startswith(f"ended {uuid_of(call)[:8]}"))
        self.wait_state(call, "ended")
        self.assertState(other, "ringing")

    def test_a_number_that_several_calls_have_is_not_guessed(self):
        self.wait_store()
        for provider in (self.alpha, self.beta):
            provider.incoming(handle=("phone-number", "0705550102"))
        self.assertIn("matches 2 calls", self.callctl("end", "+46705550102", status=UNKNOWN).errors)


class Nonsense(TwoProviders, People):
    def test_what_was_expected_is_said(self):
        self.wait_store()
        for words, status in ((("start", "generic:"), REFUSED), (("identify", ""), REFUSED),
                              (("providers", "default", "foo:bar"), USAGE),
                              (("providers", "default", "foo:bar", "none"), USAGE)):
            output = self.callctl(*words, status=status)
            self.assertIn("expected ", output.errors, words)
            self.assertEqual(output.text, "", words)
        self.assertIn('"foo:bar"', output.errors)
        self.assertEqual(self.says("providers", "default", "sip"), "no default\n")
