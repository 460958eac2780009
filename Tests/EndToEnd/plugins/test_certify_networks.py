"""callctl certify with what only plugins for networks have: an account, a network that goes and comes back, and calls
that outlive their worker."""

import os
import shutil
import subprocess
import tempfile
import unittest

from plugins.certification import BRIEF, CALLCTL, FLAWED, QUICK, certify, points
from support.system import PLUGINS
from support.waiting import GIVE_UP

SCHEMA = """[server]
Type = string
Required = true

[pin]
Type = secret
Required = true

[lines]
Type = number
Default = 1
Maximum = 4

[loud]
Type = boolean
"""

ACCOUNT = "server = example.org\npin = 2468\n"
"""What the fixture connects."""

POINTS = ("account", "account-refused", "account-removed", "restart-in-call", "adopts", "lost-network", "registration")

SHORT = ("--account", str(BRIEF))

FLAWS = {
    "ignores-accounts": (("registration",), "for the account", ()),
    "never-connects-accounts": (("account",), "not ready within 2000 ms", ()),
    "hides-refusals": (("account-refused",), "unreachable", ()),
    "sells-refused": (("account-refused",), "its provider is online", ("--patience", str(BRIEF))),
    "hangs-when-removed": (("account-removed",), "not answered within 2000 ms", ("--patience", str(BRIEF))),
    "keeps-removed-accounts": (("account-removed",), "after its account was removed", ()),
    "ignores-its-network": (("lost-network",), "not offline", ()),
    "stays-offline": (("lost-network",), "not online again", ()),
    "waits-for-its-network": (
        ("lost-network",), "start was not answered within 2000 ms", ("--patience", str(BRIEF))),
    "adopts-in-name": (("adopts",), "set-held was refused", ()),
    "locks-itself-out": (("restart-in-call",), "exited with status 7", ()),
}
"""What is wrong, the points that fail for it, words of what is seen there, and limits for what is never answered."""


class Bundle(unittest.TestCase):
    """The flawed plugin as a bundle with a schema, a folder that it takes for its network, and a file of settings."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-certify-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.plugin = os.path.join(self.folder, "Flawed.callplugin")
        os.mkdir(self.plugin)
        shutil.copy(FLAWED, os.path.join(self.plugin, "Flawed.so"))
        self.write(os.path.join(self.plugin, "accounts.ini"), SCHEMA, 0o644)
        self.network = os.path.join(self.plugin, "network")
        os.mkdir(self.network)
        self.settings = os.path.join(self.folder, "account.conf")
        self.write(self.settings, ACCOUNT)

    def write(self, path, text, mode=0o600):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def commands(self):
        lost = os.path.join(self.network, "lost")
        return "--lose-network", f"/usr/bin/touch {lost}", "--restore-network", f"/bin/rm {lost}"

    def certify(self, *arguments, flaw=None):
        return certify(self.plugin, "--json", "--settings", self.settings, *arguments, flaw=flaw)


class Accounts(Bundle):
    def check(self, *arguments, flaw=None):
        code, output, errors = self.certify(*arguments, flaw=flaw)
        return code, points(output), errors

    def failed(self, told):
        return {name: point["seen"] for name, point in told.items() if point["result"] in ("failed", "not-tried")}

    def test_no_flaw(self):
        code, told, _ = self.check(*QUICK, *self.commands())
        self.assertEqual((self.failed(told), code), ({}, 0))
        self.assertEqual(told["adopts"]["result"], "not-applicable")
        for name in set(POINTS) - {"adopts"}:
            self.assertEqual(told[name]["result"], "passed", name)
        self.assertFalse(os.path.exists(os.path.join(self.network, "lost")))

    def test_calls_that_outlive_a_worker(self):
        code, told, _ = self.check(*QUICK, flaw="adopts-calls")
        self.assertEqual((self.failed(told), code), ({}, 0))
        self.assertIn("reported the call", told["restart-in-call"]["seen"])
        self.assertIn("reported as outgoing", told["adopts"]["seen"])

    def test_flaws(self):
        only = [word for name in POINTS for word in ("--only", name)]
        for flaw, (expected, words, limits) in FLAWS.items():
            with self.subTest(flaw=flaw):
                code, told, errors = self.check(*SHORT, *only, *self.commands(), *limits, flaw=flaw)
                failed = {name for name, point in told.items() if point["result"] == "failed"}
                self.assertEqual((failed, code), (set(expected), 3), told)
                for name in expected:
                    self.assertIn(words, told[name]["seen"])
                    self.assertIn(name, errors)
                self.assertFalse(os.path.exists(os.path.join(self.network, "lost")))

    def test_a_program_that_fails_is_no_flaw(self):
        code, told, _ = self.check("--only", "lost-network", "--lose-network", "/bin/false",
                                   "--restore-network", "/bin/true")
        self.assertEqual((told["lost-network"]["result"], code), ("not-tried", 3))
        self.assertIn("/bin/false exited with status 1", told["lost-network"]["seen"])

    def test_without_an_account_nothing_is_expected(self):
        code, output, _ = certify(self.plugin, "--json", *QUICK)
        told = points(output)
        self.assertEqual((self.failed(told), code), ({}, 0))
        self.assertEqual(told["account"], {**told["account"], "result": "not-applicable", "seen": "no --settings"})

    def test_monkey_call(self):
        self.write(self.settings, "zoo = Berlin\npin = 1234\nmonkeys = 7\nloud = yes\n")
        code, output, errors = certify(os.path.join(PLUGINS, "MonkeyCall.callplugin"), "--json", *QUICK,
                                       "--settings", self.settings)
        told = points(output)
        self.assertEqual((self.failed(told), code, errors), ({}, 0, ""))
        self.assertEqual(told["registration"]["seen"], 'registered as "Berlin"')
        for name in ("account", "account-refused", "account-removed", "restart-in-call"):
            self.assertEqual(told[name]["result"], "passed", name)

    def test_monkey_call_with_a_wrong_pin(self):
        self.write(self.settings, "zoo = Berlin\npin = 0000\n")
        code, output, _ = certify(os.path.join(PLUGINS, "MonkeyCall.callplugin"), "--json", "--only", "account",
                                  "--only", "start", "--settings", self.settings)
        told = points(output)
        self.assertEqual(code, 3)
        self.assertEqual(told["account"]["seen"],
                         "the account is failed: bad-credentials, The zoo refuses the PIN")
        self.assertEqual((told["start"]["result"], told["start"]["seen"]), ("not-tried", "needs account"))


class Secrets(Bundle):
    """What nobody may read is in no output."""

    def test_no_output_has_a_secret(self):
        for arguments in ("--json",), ("--verbose",), ():
            for pin in "97531", "S3cret, with = and words":
                self.write(self.settings, f"server = example.org\npin = {pin}\n")
                _, output, errors = certify(self.plugin, *arguments, "--only", "account", "--settings", self.settings,
                                            flaw="tells-its-secret")
                self.assertNotIn(pin, output + errors)
                self.assertIn("unsupported, no network for (secret), and none for (secret)9", " ".join(output.split()))

    def test_a_short_secret_is_told_by_no_gap(self):
        self.write(self.settings, "server = example.org\npin = 9\n")
        _, output, _ = certify(self.plugin, "--json", "--only", "account", "--settings", self.settings,
                               flaw="tells-its-secret")
        self.assertIn("no network for (secret), and none for 99", points(output)["account"]["seen"])


class Settings(Bundle):
    """A file that cannot be used is refused before the plugin is started."""

    def refused(self, *words, code=65):
        run = subprocess.run([*self.command(), "--settings", self.settings], capture_output=True, text=True,
                             check=False, timeout=GIVE_UP)
        self.assertEqual((run.returncode, run.stdout), (code, ""), run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)
        self.assertNotIn("hunter2", run.stderr)

    def command(self):
        return [CALLCTL, "certify", self.plugin, "--only", "account"]

    def test_lines(self):
        for text, *words in (
                ("pin = hunter2\n", "lacks the field server", "required"),
                ("server = a\n", "lacks the field pin"),
                (ACCOUNT + "lines = 5\n", "line 3", "the field lines is 5, expected 0 to 4"),
                (ACCOUNT + "lines = many\n", "line 3", "the field lines is \"many\", expected 0 to 4"),
                (ACCOUNT + "loud = maybe\n", "line 3", "the field loud is \"maybe\", expected yes or no"),
                (ACCOUNT + "# a comment\npin = hunter2\n", "line 4 has the field pin again"),
                (ACCOUNT + "server =\n", "line 3: the field server has no value"),
                (ACCOUNT + "hunter2=\n", "line 3 has no field of the schema", "server, pin, lines, loud, label"),
                (ACCOUNT + "hunter2\n", "line 3 has no field of the schema"),
                ("server = a\npin = " + "hunter2" * 1000 + "\n", "line 2: the secret pin is longer than 4096 bytes"),
                ("server = " + "a" * 1025 + "\npin = hunter2\n", "the field server has"),
                ("server = a\n" + "# comment\n" * 10000, "no text of at most 65536 bytes")):
            with self.subTest(text=text[:60]):
                self.write(self.settings, text)
                self.refused(*words)

    def test_a_file_that_others_may_read(self):
        for mode in (0o640, 0o604, 0o644, 0o610):
            os.chmod(self.settings, mode)
            self.refused("not only you can read it")

    def test_what_is_no_file_of_text(self):
        os.remove(self.settings)
        self.refused("cannot be read", code=66)
        os.mkdir(self.settings)
        self.refused("cannot be read", code=66)
        os.rmdir(self.settings)
        os.mkfifo(self.settings, 0o600)
        self.refused("cannot be read", code=66)
        os.remove(self.settings)
        with open(self.settings, "wb") as file:
            file.write(b"server = \xff\n")
        os.chmod(self.settings, 0o600)
        self.refused("no text of at most")

    def test_a_plugin_without_accounts(self):
        os.remove(os.path.join(self.plugin, "accounts.ini"))
        self.refused("Flawed has no accounts.ini")
        self.write(os.path.join(self.plugin, "accounts.ini"), "[pin]\nType = riddle\n", 0o644)
        self.refused("no valid schema", "line 2")

    def test_wrong_usage(self):
        for arguments in (("--lose-network", "/bin/true"), ("--restore-network", "/bin/true"), ("--account", "0"),
                          ("--lose-network", "true", "--restore-network", "/bin/true"),
                          ("--lose-network", "", "--restore-network", "")):
            run = subprocess.run([CALLCTL, "certify", self.plugin, *arguments], capture_output=True, check=False,
                                 timeout=GIVE_UP)
            self.assertEqual(run.returncode, 64, arguments)


class Handles(Bundle):
    def test_calls_go_to_the_handle(self):
        for handle, words in (("sip:echo@example.org", "a generic handle"), ("tel:+15550100", "a phone-number handle")):
            code, output, _ = certify(os.path.join(PLUGINS, "MonkeyCall.callplugin"), "--json", "--only", "incoming",
                                      "--handle", handle)
            self.assertEqual((code, points(output)["incoming"]["seen"]), (0, f"reported with {words}"))
