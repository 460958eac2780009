"""callctl certify: our own plugins pass it, and a plugin with one flaw fails at the points that are about that flaw."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from plugins.certification import BRIEF, CALLCTL, FLAWED, PATIENCE, QUICK, certify, points
from support.system import BUILD, PLUGINS, REPOSITORY

SILENT = os.path.join(REPOSITORY, "Tests", "Fixtures", "Silent", "silent.c")
NOTE = b"\x0c\0\0\0\x18\0\0\0\x01\0\0\0OpenCallKit\0"


FLAWS = {
    "answers-twice": {"double-answers": "was answered before"},
    "answers-nobody": {"double-answers": "a call that was never made"},
    "crashes-on-hold": {"hold": "signal 11"},
    "refuses-hold": {"hold": "ActionFailed"},
    "promises-translation": {"translation": "ActionFailed"},
    "promises-transfer": {"transfer": "NotSupported", "attended-transfer": "NotSupported"},
    "keeps-transferred-calls": {"transfer": "still there", "attended-transfer": "still there"},
    "reports-transferred-calls": {"ended-calls": "got two more reports"},
    "ends-before-transferring": {
        "transfer": "reported the end of the call before", "attended-transfer": "reported the end of the call before"},
    "loses-what-it-cannot-transfer": {"transfer": "end was refused", "attended-transfer": "end was refused"},
    "hides-transfer-requests": {"answer-transfer": "no request reported"},
    "transfers-unasked": {"answer-transfer": "was transferred, and the user had not answered"},
    "transfers-the-declined": {"answer-transfer": "was transferred, and it was declined"},
    "ends-what-goes-on": {"answer-transfer": "reported the end of the call"},
    "promises-to-go-on": {"answer-transfer": "NotSupported"},
    "exchanges-half": {"second-call": "set-held was refused"},
    "exchanges-again": {"exchange": "another exchange"},
    "exchanges-apart": {"exchange-reports": "both calls were reported as heard"},
    "forgets-ongoing-calls": {"ongoing": "before the answer to the report"},
    "reuses-ongoing-calls": {"ongoing": "not taken over", "reports": "CallUUIDAlreadyExists"},
    "hides-ongoing-callers": {"ongoing": "without a handle"},
    "believes-all": {
        "refused-incoming": "fulfilled", "unknown-call": "fulfilled", "reset": "still there",
        "restart-in-call": "still there",
        "transfer": "still there", "attended-transfer": "still there"},
    "goes-on-refused": {"refused-incoming": "answer was fulfilled"},
    "ignores-reset": {"reset": "still there"},
    "reports-after-reset": {"reset": "reported on the call afterwards"},
    "crashes-on-button": {
        "incoming": "signal 6", "answer-transfer": "signal 6", "ongoing": "signal 6", "custom-actions": "signal 6"},
    "reports-ended-calls": {"ended-calls": "got two more reports"},
    "reports-nonsense": {"reports": "UnknownCall"},
    "leaks-memory": {"memory": "at most 1024 bytes a call"},
    "leaks-descriptors": {"descriptors": "after 200 calls"},
    "opens-audio-early": {"audio-devices": "reached before AudioSessionActivated"},
    "hangs-at-the-end": {"link-closed": "killed", "link-aborted": "killed"},
    "hangs-when-aborted": {"link-aborted": "killed"},
    "crashes-when-aborted": {"link-aborted": "signal 6"},
    "leaves-a-child": {"link-closed": "left behind", "link-aborted": "left behind"},
    "lies-in-its-configuration": {
        "configuration": "no handle type", "ringtone": "no such file", "icon": "not a whole PNG"},
    "exits-at-once": {"hello": "exited with status 7"},
}
"""What is wrong, and each point that fails for it, with words of what is seen there. No other point fails."""

OUTSIDE = ("leaves-a-child",)
"""Flaws that a plugin cannot have in the sandbox."""

NETWORK = ("account", "adopts", "account-refused", "account-removed", "lost-network")
"""The points that apply only with an account, with a network to lose, or to a plugin whose calls outlive its worker."""

SILENCES = {
    "never-answers": ({"start": "not answered within 2000 ms"}, ("ping", "reset", "end")),
    "answers-late": (
        {"start": "not answered within 2000 ms", "late-answers": "after its deadline"}, ("double-answers", "ping")),
    "hangs-on-start": ({"start": "not answered", "ping": "a ping was not answered"}, ("hello",)),
    "never-transfers": (
        {"transfer": "not answered within 2000 ms", "attended-transfer": "not answered within 2000 ms"}, ("end",)),
    "never-goes-on": ({"answer-transfer": "not answered within 2000 ms"}, ("end",)),
    "keeps-the-old-party": ({"answer-transfer": "the new handle was not reported"}, ("end",)),
    "never-connects": ({"connect": "not reported connected within 2000 ms"}, ("start", "hold", "end")),
    "keeps-audio": ({"audio-release": "not answered within 2000 ms"}, ("audio", "end")),
    "never-says-hello": ({"hello": "no Hello within 2000 ms"}, ("start",)),
}
"""The same for flaws that cost time, with the other points that are looked at."""


class OurPlugins(unittest.TestCase):
    """What we ship is what we ask for."""

    def check(self, name, *not_applicable):
        code, output, errors = certify(os.path.join(PLUGINS, f"{name}.callplugin"), "--json")
        told = json.loads(output)
        wrong = [point for point in told["points"] if point["result"] not in ("passed", "not-applicable")]
        self.assertEqual(wrong, [])
        self.assertEqual((code, told["plugin"], told["certified"], errors), (0, name, True, ""))
        found = {point["name"] for point in told["points"] if point["result"] == "not-applicable"}
        self.assertEqual(found, set(not_applicable))
        self.assertIn("over 1000 calls", points(output)["memory"]["seen"])

    def test_monkey_call(self):
        self.check("MonkeyCall", "permissions", "translation", "exchange", "exchange-reports", "group", "group-hold", "ungroup",
                   "transfer", "attended-transfer", "answer-transfer", "ongoing", *NETWORK)

    def test_hotline(self):
        self.check("Hotline", "permissions", "exchange", "exchange-reports", *NETWORK)


class Flaws(unittest.TestCase):
    """One plugin, wrong in one way at a time."""

    def check(self, told, expected):
        failed = {name: point["seen"] for name, point in told.items() if point["result"] == "failed"}
        self.assertEqual(set(failed), set(expected), failed)
        for name, words in expected.items():
            self.assertIn(words, failed[name])

    def test_no_flaw(self):
        code, output, _ = certify(FLAWED, "--json", *QUICK)
        self.check(points(output), {})
        self.assertEqual(code, 0)

    def test_little_is_enough(self):
        code, output, _ = certify(FLAWED, "--json", *QUICK, flaw="is-a-doorbell")
        told = points(output)
        self.check(told, {})
        self.assertEqual(code, 0)
        beside = {name for name, point in told.items() if point["result"] != "passed"}
        self.assertEqual(beside, {
            "permissions", "ringtone", "icon", "start", "connect", "mute", "hold", "resume", "dtmf", "dtmf-pauses", "translation", "second-call",
            "exchange", "exchange-reports", "group", "group-hold", "ungroup", "transfer", "attended-transfer", "answer-transfer", "ongoing",
            "timed-out", *NETWORK})
        self.assertEqual({told[name]["result"] for name in beside}, {"not-applicable"})
        self.assertEqual(told["hold"]["seen"], "supports-holding is false")

    def test_much_output_changes_nothing(self):
        code, output, _ = certify(FLAWED, "--json", *QUICK, flaw="floods-its-output")
        self.check(points(output), {})
        self.assertEqual(code, 0)

    def test_what_networks_do_is_no_flaw(self):
        for habit, point, words in (
                ("exchanges-its-calls", "exchange", "exchanged once"), ("refuses-transfers", "transfer", "Unreachable"),
                ("refuses-transfers", "attended-transfer", "Unreachable"),
                ("reaches-nobody", "answer-transfer", "Unreachable")):
            code, output, _ = certify(FLAWED, "--json", "--only", point, flaw=habit)
            self.check(points(output), {})
            self.assertEqual((code, points(output)[point]["result"]), (0, "passed"))
            self.assertIn(words, points(output)[point]["seen"])

    def test_calls_of_the_user_go_on(self):
        """Each worker reports the same ongoing call, and none of them is asked to hold or to end it."""
        code, output, _ = certify(FLAWED, "--json", *QUICK, flaw="brings-calls-along")
        self.check(points(output), {})
        self.assertEqual(code, 0)

    def test_flaws(self):
        for flaw, expected in FLAWS.items():
            with self.subTest(flaw=flaw):
                options = ("--no-sandbox",) if flaw in OUTSIDE else ("--grant", "audio")
                code, output, errors = certify(FLAWED, "--json", *QUICK, *options, flaw=flaw)
                self.check(points(output), expected)
                self.assertEqual(code, 3)
                self.assertFalse(json.loads(output)["certified"])
                for name in expected:
                    self.assertIn(name, errors)

    def test_what_the_sandbox_prevents_is_no_flaw(self):
        """Without permissions a plugin reaches no sound, and starts nothing that could stay behind."""
        for flaw in ("opens-audio-early", "leaves-a-child"):
            code, output, _ = certify(FLAWED, "--json", *QUICK, flaw=flaw)
            self.check(points(output), {})
            self.assertEqual(code, 0)
            self.assertRegex(points(output)["sandbox"]["seen"], "denied: .*(socket AF_UNIX|clone|fork)")

    def test_silences(self):
        for flaw, (expected, others) in SILENCES.items():
            with self.subTest(flaw=flaw):
                only = [word for name in (*expected, *others) for word in ("--only", name)]
                limits = ("--patience", str(BRIEF), "--connect", str(BRIEF))
                if flaw == "never-says-hello":
                    limits += ("--hello", str(BRIEF))
                code, output, _ = certify(FLAWED, "--json", *limits, *only, flaw=flaw)
                self.assertEqual(set(points(output)), {*expected, *others})
                self.check(points(output), expected)
                self.assertEqual(code, 3)

    def test_what_was_not_tried_says_why(self):
        _, output, _ = certify(FLAWED, "--json", "--only", "resume", flaw="refuses-hold")
        self.assertEqual(points(output)["resume"]["result"], "not-tried")
        self.assertEqual(points(output)["resume"]["seen"], "needs hold")

    def test_plugin_that_crashes_on_its_buttons(self):
        _, output, _ = certify(os.path.join(BUILD, "libMisbehaving.so"), "--json", "--only", "custom-actions")
        self.check(points(output), {"custom-actions": "custom action segfault: the worker crashed: signal 11"})


class Files(unittest.TestCase):
    """What is wrong with a file that is a plugin is a verdict; what is no plugin is refused."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-certify-")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(FLAWED, "rb") as file:
            self.library = file.read()
        self.note = self.library.index(NOTE) + len(NOTE)

    def place(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o644)
        return path

    def failing(self, path, name, words):
        code, output, _ = certify(path, "--json", *QUICK)
        told = points(output)
        self.assertEqual([point for point in told if told[point]["result"] == "failed"], [name])
        self.assertIn(words, told[name]["seen"])
        self.assertEqual(code, 3)
        return told

    def test_another_protocol(self):
        data = self.library[:self.note] + (99).to_bytes(4, "little") + self.library[self.note + 4:]
        told = self.failing(self.place("Future.so", data), "note", "protocol version 99")
        self.assertEqual(told["start"]["result"], "not-tried")

    def test_damaged_note(self):
        data = self.library[:self.note - 20] + (8).to_bytes(4, "little") + self.library[self.note - 16:]
        self.failing(self.place("Damaged.so", data), "note", "an OpenCallKit note of 8 bytes")

    def test_note_that_is_not_what_hello_says(self):
        data = self.library[:self.note + 4] + (77).to_bytes(4, "little") + self.library[self.note + 8:]
        self.failing(self.place("Other.so", data), "hello", "its note 77.")

    def test_file_that_anybody_can_write(self):
        path = self.place("Open.so", self.library)
        os.chmod(path, 0o666)
        self.failing(path, "file", "anybody can write")

    def test_no_entry(self):
        path = os.path.join(self.folder, "NoEntry.so")
        subprocess.run(["clang", "-shared", "-fPIC", "-Dopencallkit_plugin_main=another_name", "-x", "c", SILENT,
                        "-o", path], check=True)
        self.failing(path, "hello", "has no entry opencallkit_plugin_main")

    def test_no_plugin(self):
        for name, data, code, words in (
                ("Text.so", b"I am no shared object", 65, "is not an ELF file"),
                ("Cut.so", self.library[:100], 65, "is cut off"),
                ("Flawed.txt", self.library, 65, "not named like a plugin")):
            with self.subTest(name=name):
                found, output, errors = certify(self.place(name, data))
                self.assertEqual((found, output), (code, ""))
                self.assertIn(words, errors)
        found, _, errors = certify(os.path.join(self.folder, "Missing.so"))
        self.assertEqual(found, 66)
        self.assertIn("Missing.so cannot be read", errors)

    def test_no_worker(self):
        found, _, errors = certify(FLAWED, "--worker", os.path.join(self.folder, "worker"))
        self.assertEqual(found, 66)
        self.assertIn("no callkit-worker", errors)


class Words(unittest.TestCase):
    """What people read and type."""

    def test_fits_eighty_columns(self):
        for arguments, code in (("--list",), 0), ((FLAWED, *QUICK), 3), ((FLAWED, "--verbose", *QUICK), 3):
            found, output, _ = certify(*arguments, flaw="lies-in-its-configuration", COLUMNS="80")
            self.assertEqual(found, code)
            for line in output.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_what_failed_stands_with_what_was_expected(self):
        _, output, errors = certify(FLAWED, "--only", "hold", "--only", "start", flaw="refuses-hold")
        lines = output.splitlines()
        self.assertRegex(lines[0], r"^passed     start +start was fulfilled")
        self.assertRegex(lines[1], r"^FAILED     hold +expected  set-held is fulfilled for an active call")
        self.assertRegex(lines[2], r"^ +seen +set-held was refused: ActionFailed")
        self.assertEqual(lines[3], "Flawed: not certified, 1 passed, 1 failed")
        self.assertEqual(errors, "callctl: Flawed failed at: hold\n")

    def test_list(self):
        _, output, _ = certify("--list", "--json")
        listed = json.loads(output)
        _, examined, _ = certify(FLAWED, "--json", *QUICK)
        self.assertEqual([point["name"] for point in listed], list(points(examined)))
        self.assertTrue(all(point["expected"] and point["reason"] for point in listed))

    def test_skip(self):
        code, output, _ = certify(FLAWED, "--json", *QUICK, "--skip", "hold", "--skip", "resume", flaw="refuses-hold")
        self.assertNotIn("hold", points(output))
        # Points that need it were not tried, and that is no certificate either.
        self.assertEqual(points(output)["second-call"]["result"], "not-tried")
        self.assertEqual(code, 3)

    def test_wrong_usage(self):
        for arguments in ((), (FLAWED, "--only", "nonsense"), (FLAWED, "--patience", "0"), (FLAWED, "--calls", "-1"),
                          (FLAWED, "--handle", "tel:")):
            run = subprocess.run([CALLCTL, "certify", *arguments], capture_output=True, check=False, timeout=PATIENCE)
            self.assertEqual(run.returncode, 64, arguments)
