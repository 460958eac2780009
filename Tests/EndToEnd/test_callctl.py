"""What callctl says: only what is so, in the words of its tables, and what was expected instead of nonsense."""

import dbus

from directories import DirectoryTest
from messages import uuid_of
from people import REFUSED, UNKNOWN, USAGE, Commands, People
from provider import Provider
from scene import TwoProviders


class Emergency(TwoProviders, People):
    def setUp(self):
        super().setUp()
        Provider(self.system, "Phone", delegate="/phone",
                 supported_handle_types=dbus.Array(["phone-number"], signature="s"), emergency_numbers=["112"])

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
