"""callctl certify --run and --call-in: providers on the bus, and incoming calls by a program of the examiner."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from plugins.certification import CALLCTL, FLAWED, QUICK, certify, points
from support.system import BUILD, REPOSITORY
from support.waiting import wait_until

EXAMPLE = os.path.join(REPOSITORY, "Examples", "provider.py")

PLUGINS_ONLY = {"file", "note", "permissions", "hello", "account", "link-closed", "link-aborted", "sandbox"}
"""The points about a file and its worker."""

NOT_OFFERED = {"ringtone", "icon", "translation", "exchange", "exchange-reports", "group", "group-hold", "ungroup",
               "transfer", "attended-transfer", "answer-transfer", "ongoing", "custom-actions", "adopts", "account-refused",
               "account-removed", "lost-network"}
"""What the example has not."""

BRIEF = ("--patience", "3000", "--connect", "3000", "--hello", "3000")


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-certify-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkfifo(f"{self.folder}/far-side")

    def script(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o700)
        return path

    def example(self, *replacement):
        """The example, changed, with a pipe for its far side."""
        with open(EXAMPLE, encoding="utf-8") as file:
            text = file.read()
        if replacement:
            self.assertIn(replacement[0], text)
        source = self.script("provider.py", text.replace(*replacement) if replacement else text)
        return self.script("example", f"#!/bin/sh\nexec /usr/bin/python3 {source} <> {self.folder}/far-side\n")

    def caller(self):
        return self.script("call-in", f"#!/bin/sh\necho somebody > {self.folder}/far-side\n")

    def run_brief(self, *arguments):
        return subprocess.run([CALLCTL, "certify", *BRIEF, *arguments], capture_output=True, text=True, check=False,
                              timeout=300)


class Programs(ProgramTest):
    def test_the_example_is_certified(self):
        code, output, errors = certify("--run", self.example(), "--call-in", self.caller(), "--json", *QUICK)
        told = points(output)
        self.assertEqual({name: point["seen"] for name, point in told.items() if point["result"] in ("failed", "not-tried")}, {})
        self.assertEqual({name for name, point in told.items() if point["result"] == "not-applicable"},
                         PLUGINS_ONLY | NOT_OFFERED)
        self.assertEqual((code, json.loads(output)["plugin"], errors), (0, "app_Example", ""))

    def test_without_a_program_that_calls_in(self):
        code, output, _ = certify("--run", self.example(), "--provider", "app_Example", "--json", "--only", "incoming",
                                  "--only", "answer", "--only", "start")
        told = points(output)
        self.assertEqual({name: point["result"] for name, point in told.items()},
                         {"start": "passed", "incoming": "not-applicable", "answer": "not-applicable"})
        self.assertIn("--call-in", told["incoming"]["seen"])
        self.assertEqual((code, json.loads(output)["plugin"]), (0, "app_Example"))

    def test_flaws(self):
        for old, new, point, words in (
                ("if call not in calls or", "if", "unknown-call", "fulfilled"),
                ("        calls.clear()", "        pass", "reset", "still there"),
                ("print(kind,", "sys.exit('Fatal error: no radio'); print(kind,", "start", "exited with status 1"),
                ("print(kind,", "os.abort(); print(kind,", "start", "signal 6 (SIGABRT)"),
                ("lambda _, call=call: calls.discard(call)", "print", "refused-incoming", "fulfilled")):
            with self.subTest(words=words, point=point):
                done = self.run_brief("--run", self.example(old, new), "--call-in", self.caller(), "--json", "--only", point)
                told = points(done.stdout)[point]
                self.assertEqual((told["result"], done.returncode), ("failed", 3), told)
                self.assertIn(words, told["seen"])

    def test_a_scheme_of_its_own(self):
        """Somebody of that network is called, and who does not answer is named with what to pass."""
        declared = '"localized-name": "Example", "supported-schemes": dbus.Array(["walkie"], variant_level=1),'
        self.assertIn('"localized-name": "Example",', open(EXAMPLE, encoding="utf-8").read())
        program = self.example('"localized-name": "Example",', declared)
        with open(f"{self.folder}/provider.py", encoding="utf-8") as file:
            text = file.read()
        takes = text.replace('if value == "busy":', 'if not value.startswith("walkie:somebody"):')
        for text, result, words in ((takes, "passed", "fulfilled"),
                                    (takes.replace("not value", "value"), "failed",
                                     "walkie:somebody was called: pass --handle walkie:VALUE that answers")):
            self.script("provider.py", text)
            done = self.run_brief("--run", program, "--json", "--only", "start")
            told = points(done.stdout)["start"]
            self.assertEqual(told["result"], result, told)
            self.assertIn(words, told["seen"])

    def test_one_that_is_offline(self):
        """It says why, soon, and what depends on it is one line."""
        program = self.example('"localized-name": "Example",',
                               '"localized-name": "Example", "availability": "offline", "status": "Address already in use",')
        done = self.run_brief("--run", program)
        text = " ".join(done.stdout.split())
        self.assertIn('it is offline: "Address already in use"; does another process have its port', text)
        self.assertRegex(text, r"not tried [0-9]+ points: ringtone, icon, start, connect")
        self.assertEqual(text.count("not tried"), 2, "and the summary")

    def test_one_without_a_provider(self):
        for command, words in (("/bin/true", "exited with status 0"), ("sleep 60", "no RegisterProvider within 3000 ms"),
                               ("/nonexistent", "cannot be started"), ("nonexistent", "cannot be started")):
            with self.subTest(command=command):
                done = self.run_brief("--run", command, "--json", "--only", "registration")
                self.assertIn(words, points(done.stdout)["registration"]["seen"])
                self.assertEqual(done.returncode, 3)
        done = self.run_brief("--run", self.example(), "--provider", "app_Other", "--json", "--only", "registration")
        self.assertIn("no RegisterProvider", points(done.stdout)["registration"]["seen"])

    def test_an_app_with_the_sdk(self):
        code, output, _ = certify("--run", f"{BUILD}/AppProvider", "--json", "--only", "registration", "--only", "ping",
                                  "--only", "custom-actions")
        self.assertEqual((code, {point["result"] for point in points(output).values()} - {"not-applicable"}), (0, {"passed"}))

    def test_wrong_usage(self):
        for arguments, words in ((("--run", "x", FLAWED), "either a plugin or --run"), (("--provider", "x", FLAWED), "--run"),
                                 (("--run", " "), "names no program"), (("--run", "x", "--grant", "network"), "--grant is for plugins"),
                                 (("--call-in", "here", FLAWED), "--call-in does not begin with the absolute path")):
            done = self.run_brief(*arguments)
            self.assertEqual(done.returncode, 64, arguments)
            self.assertIn(words, done.stderr)

    def test_what_it_starts_ends_with_it(self):
        """Also if callctl is killed."""
        program = self.script("program", f"#!/bin/sh\necho $$ > {self.folder}/pid.new\nmv {self.folder}/pid.new {self.folder}/pid\n"
                              "exec sleep 1000\n")
        with subprocess.Popen([CALLCTL, "certify", "--run", program], stdout=subprocess.DEVNULL) as process:
            wait_until(lambda: os.path.exists(f"{self.folder}/pid"), "it is not started")
            process.kill()
        with open(f"{self.folder}/pid", encoding="utf-8") as file:
            pid = int(file.read())
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "it goes on")

    def test_nothing_is_left(self):
        with subprocess.Popen([CALLCTL, "certify", "--run", self.example(), "--only", "registration"],
                              stdout=subprocess.DEVNULL) as process:
            self.assertEqual(process.wait(60), 0)
        self.assertEqual([name for name in os.listdir("/tmp") if name.startswith(f"callctl-certify-{process.pid}-")], [])


class CallingPlugins(ProgramTest):
    """--call-in in the place of a plugin's button."""

    def test_a_program_that_fails(self):
        for command, words in (("/bin/false", "/bin/false exited with status 1"), ("/nonexistent", "cannot be started")):
            done = self.run_brief(FLAWED, "--call-in", command, "--json", "--only", "incoming")
            told = points(done.stdout)["incoming"]
            self.assertEqual(told["result"], "not-tried")
            self.assertIn(words, told["seen"])

    def test_one_that_reaches_nobody(self):
        done = self.run_brief(FLAWED, "--call-in", "/bin/sleep 60", "--json", "--only", "incoming")
        told = points(done.stdout)["incoming"]
        self.assertEqual((told["result"], done.returncode), ("failed", 3))
        self.assertIn("no call was reported within 3000 ms", told["seen"])
