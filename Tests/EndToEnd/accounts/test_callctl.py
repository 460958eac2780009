"""callctl accounts: accounts with networks, and secrets that only the daemon gets to see."""

import json
import os
import re
import subprocess
import termios

from gi.repository import GLib

from accounts.case import AccountsTest, pipe_with
from support.terminal import CALLCTL, REFUSED, UNKNOWN, USAGE, Commands
from support.waiting import GIVE_UP, exited, wait_until

PIN = "1234-abcd-rosebud"
WRONG_PIN = "0000"
WARNING = "secrets are in a file, not encrypted"


class Terminal:
    """callctl on a terminal that has the echo on, as people's have."""

    def __init__(self, test, *words, **environment):
        self.ours, its = os.openpty()
        self.process = subprocess.Popen(
            [CALLCTL, *words], env={**test.system.environment, "TERM": "dumb", **environment},
            stdin=its, stdout=its, stderr=its)
        self.its = its
        self.shown = ""
        self.source = GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, self.ours, GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        test.addCleanup(self.stop)

    def read(self, *_):
        self.shown += os.read(self.ours, 65_536).decode()
        return True

    def wait(self, text):
        wait_until(lambda: text in self.shown, lambda: f"not shown: {text}, but {self.shown!r}")

    def type(self, text):
        os.write(self.ours, text.encode())

    def end(self):
        """The exit status, once all that was written has been read."""
        status = exited(self.process)
        os.write(self.its, b"(end)")
        self.wait("(end)")
        return status

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self.its)[3] & termios.ECHO)

    def shown_by_the_system(self):
        """What other programs see of the process: its arguments and its environment."""
        shown = ""
        for name in ("cmdline", "environ"):
            with open(f"/proc/{self.process.pid}/{name}", "rb") as file:
                shown += file.read().replace(b"\0", b" ").decode()
        return shown

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        GLib.source_remove(self.source)
        os.close(self.ours)
        os.close(self.its)


class Accounts(Commands, AccountsTest):
    def new(self, *words, plugin="MonkeyCall"):
        """Adds an account and returns its id."""
        return self.data("accounts", "add", plugin, *words)["id"]

    def details(self, reference):
        return self.data("accounts", "show", reference)

    def with_descriptor(self, secret, *words, status=0):
        """Runs a command whose {fd} is a pipe with a secret; returns what it printed."""
        ours = pipe_with(secret.encode())
        try:
            process = subprocess.Popen(
                [CALLCTL, *(word.format(fd=ours) for word in words)], env=self.system.environment, pass_fds=(ours,),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            out, errors = process.communicate(timeout=GIVE_UP)
            self.assertEqual(process.returncode, status, f"callctl {words}: {out}{errors}")
            return out, errors
        finally:
            os.close(ours)


class Settings(Accounts):
    def test_there_are_none(self):
        self.assertEqual(self.says("accounts"), "no accounts\n")
        self.assertEqual(self.data("accounts", "list"), [])
        self.assertIn("no account \"x\"; there are no accounts",
                      self.callctl("accounts", "show", "x", status=UNKNOWN).errors)

    def test_schema(self):
        self.assertEqual(self.says("accounts", "schema"), "MonkeyCall\n")
        self.assertEqual(self.says("accounts", "schema", "monkey"), """\
KEY      LABEL                         NEEDED  VALUE            DEFAULT
zoo      Zoo                           yes     text
pin      PIN                           yes     secret
monkeys  Number of monkeys                     1 to 100         3
habitat  Habitat                               jungle, savanna  jungle
loud     Whether the monkeys are loud          yes or no
label    Label                                 text
""")
        fields = {field["key"]: field for field in self.data("accounts", "schema", "MonkeyCall")}
        self.assertEqual(fields["pin"], {"key": "pin", "type": "secret", "label": "PIN", "required": True,
                                         "reconnect": True})
        self.assertEqual(fields["monkeys"], {
            "key": "monkeys", "type": "number", "label": "Number of monkeys", "required": False, "reconnect": False,
            "default": 3, "minimum": 1, "maximum": 100})
        self.assertIn("NotSupported", self.callctl("accounts", "schema", "Hotline", status=REFUSED).errors)
        self.assertIn("UnknownPlugin", self.callctl("accounts", "schema", "Nobody", status=UNKNOWN).errors)

    def test_add_without_a_terminal(self):
        said = self.says("accounts", "add", "monkey", "zoo=Berlin", "monkeys=7", "loud=yes")
        short = re.match(r"added (\w{8}) \(Berlin\): needs-secret", said)
        self.assertIsNotNone(short, said)
        self.assertIn(f"next: callctl accounts secret {short[1]} pin\n", said)
        shown = self.details(short[1])
        self.assertEqual(shown["settings"], {"zoo": "Berlin", "monkeys": 7, "loud": True})
        self.assertTrue(shown["enabled"])
        row = self.says("accounts").splitlines()[1]
        self.assertRegex(row, rf"^{short[1]}  MonkeyCall  Berlin  needs-secret  PIN is missing$")

    def test_json_of_a_new_account(self):
        added = self.data("accounts", "add", "MonkeyCall", "zoo=Berlin", "--disabled")
        self.assertEqual((added["state"], added["missing-secrets"]), ("disabled", ["pin"]))
        self.assertEqual([row["id"] for row in self.data("accounts")], [added["id"]])

    def test_what_the_schema_refuses(self):
        for words, text in ((("zoo=Berlin", "monkeys=0"), "expected 1 to 100"), (("monkeys=many",), "expected 1 to 100"),
                            (("loud=maybe",), "expected yes or no"), (("habitat=sea",), "jungle, savanna"),
                            (("cage=1",), "no setting \"cage\", its settings: zoo, monkeys"),
                            (("zoo=a\nb",), "control characters")):
            output = self.callctl("accounts", "add", "MonkeyCall", *words, status=REFUSED)
            self.assertIn("InvalidArguments: ", output.errors)
            self.assertIn(text, output.errors, words)
        self.callctl("accounts", "add", "MonkeyCall", "zoo", status=USAGE)
        self.assertEqual(self.data("accounts"), [])

    def test_a_secret_is_no_argument(self):
        output = self.callctl("accounts", "add", "MonkeyCall", "zoo=Berlin", f"pin={PIN}", status=REFUSED)
        self.assertIn("visible in the list of processes", output.errors)
        self.assertNotIn(PIN, output.errors)
        account = self.new("zoo=Berlin")
        output = self.callctl("accounts", "set", account, f"pin={PIN}", status=REFUSED)
        self.assertNotIn(PIN, output.errors)
        self.assertNotIn(PIN, self.system.read_log())

    def test_show(self):
        account = self.new("zoo=Berlin", "--disabled")
        self.assertEqual(self.says("accounts", "show", "berlin"), f"""\
id       {account}
name     Berlin
plugin   MonkeyCall
state    disabled
zoo      Berlin
monkeys  3 (default)
habitat  jungle (default)
pin      missing
""")

    def test_set_and_unset(self):
        account = self.new("zoo=Berlin", "label=Home", "--disabled")
        self.assertEqual(self.says("accounts", "set", "home", "monkeys=9", "--unset", "label"),
                         f"changed {account[:8]} (Berlin)\n")
        self.assertEqual(self.details(account)["settings"], {"zoo": "Berlin", "monkeys": 9})
        self.callctl("accounts", "set", account, "monkeys=9", "--unset", "monkeys", status=REFUSED)
        self.callctl("accounts", "set", account, status=USAGE)
        self.callctl("accounts", "set", "nowhere", "monkeys=9", status=UNKNOWN)

    def test_how_accounts_are_named(self):
        one, two = self.new("zoo=Berlin", "--disabled"), self.new("zoo=Berlin", "label=Home", "--disabled")
        for reference, account in ((one, one), (one.upper(), one), (one[:9], one), ("HOME", two),
                                   (one.replace("-", "_")[:14], one), ("berlin", one)):
            self.assertEqual(self.details(reference)["id"], account, reference)
        self.new("zoo=Berlin", "--disabled")
        output = self.callctl("accounts", "show", "berlin", status=UNKNOWN)
        self.assertIn("matches 2 accounts:\n", output.errors)
        self.assertIn(f"  {one[:8]}  MonkeyCall  Berlin\n", output.errors)
        self.assertNotIn(two[:8], output.errors)
        output = self.callctl("accounts", "show", "x", status=UNKNOWN)
        self.assertIn("no account \"x\", expected one of:\n", output.errors)
        self.assertIn("Home", output.errors)
        self.callctl("accounts", "show", "", status=UNKNOWN)

    def test_enable_and_disable(self):
        account = self.new("zoo=Berlin", "--disabled")
        title = f"{account[:8]} (Berlin)"
        for said in (f"{title}: needs-secret, PIN is missing\n", f"{title} is enabled already\n"):
            self.assertEqual(self.says("accounts", "enable", "berlin"), said)
        self.assertEqual(self.says("accounts", "retry", "berlin"), f"{title} is tried again\n")
        for said in (f"disabled {title}\n", f"{title} is disabled already\n"):
            self.assertEqual(self.says("accounts", "disable", "berlin"), said)
        self.assertIn("InvalidAction", self.callctl("accounts", "retry", "berlin", status=REFUSED).errors)

    def test_remove(self):
        account = self.new("zoo=Berlin", "--disabled")
        self.assertIn("confirm with --yes", self.callctl("accounts", "remove", "berlin", status=USAGE).errors)
        self.assertEqual(self.says("accounts", "remove", "berlin", "--yes"), f"removed {account[:8]} (Berlin)\n")
        self.assertEqual(self.data("accounts"), [])

    def test_remove_on_a_terminal(self):
        self.new("zoo=Berlin", "--disabled")
        for answer, status, count in (("\n", REFUSED, 1), ("no\n", REFUSED, 1), ("y\n", 0, 0)):
            terminal = Terminal(self, "accounts", "remove", "berlin")
            terminal.wait("(Berlin) and its secrets? [y/N] ")
            terminal.type(answer)
            self.assertEqual(terminal.end(), status, terminal.shown)
            self.assertEqual(len(self.data("accounts")), count)

    def test_names_do_not_control_the_terminal(self):
        path = self.system.call(
            "/org/opencallkit/CallSystem1/accounts", "org.opencallkit.Accounts1", "Add", "sa{sv}", "MonkeyCall",
            {"zoo": "Z" * 1_000}).result()
        lines = self.lines_on_a_terminal("accounts")
        self.assertEqual(len(lines), 2)
        for line in lines + self.lines_on_a_terminal("accounts", "show", "z" * 1_000) + self.lines_on_a_terminal(
                "accounts", "schema", "MonkeyCall"):
            self.assertLessEqual(len(line), 80)
        self.assertEqual(self.data("accounts")[0]["object"], path)

    def test_an_account_without_its_plugin(self):
        account = self.new("label=Home", "zoo=Berlin", "--disabled")
        self.system.daemon.terminate()
        exited(self.system.daemon)
        wait_until(lambda: not self.system.owner, "the name stays")
        self.system.arguments, self.system.with_plugins = [], False
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.assertIn("label   Home (unknown)\nzoo     Berlin (unknown)\n", self.says("accounts", "show", "home"))
        self.assertIn("): failed, unsupported: ", self.says("accounts", "enable", "home"))
        self.callctl("accounts", "set", "home", "zoo=Rome", status=UNKNOWN)
        self.says("accounts", "remove", account, "--yes")


class Refused(Accounts):
    """Secrets that never leave callctl."""

    def test_too_long(self):
        account = self.new("zoo=Berlin")
        for secret in ("x" * 4_097, "x" * 4_097 + "\n", "x" * 10_000):
            _, errors = self.with_descriptor(
                secret, "accounts", "secret", account, "pin", "--secret-fd", "{fd}", status=REFUSED)
            self.assertIn("the secret pin is longer than 4096 bytes", errors)
        for secret in ("", "\n"):
            _, errors = self.with_descriptor(
                secret, "accounts", "add", "MonkeyCall", "zoo=Rome", "--secret-fd", "pin={fd}", status=REFUSED)
            self.assertIn("the secret pin is empty", errors)
        self.assertEqual(len(self.data("accounts")), 1)

    def test_descriptors_that_are_not_there(self):
        account = self.new("zoo=Berlin")
        for words in (("secret", account, "pin", "--secret-fd", "9"), ("secret", account, "pin", "--secret-fd=-1"),
                      ("add", "MonkeyCall", "zoo=Rome", "--secret-fd", "pin=9"),
                      ("add", "MonkeyCall", "zoo=Rome", "--secret-fd", "pin"),
                      ("add", "MonkeyCall", "zoo=Rome", "--secret-fd", "pin=0", "--secret-fd", "zoo=0"),
                      ("secret", account, "pin", "--clear", "--secret-fd", "0"), ("secret", account, "pin")):
            self.callctl("accounts", *words, status=USAGE)
        self.assertIn("has no secret \"zoo\", its secrets: pin", self.callctl(
            "accounts", "secret", account, "zoo", "--secret-fd", "0", status=REFUSED).errors)
        self.callctl("accounts", "add", "MonkeyCall", "zoo=Rome", "--secret-fd", "cage=0", status=REFUSED)
        self.assertEqual(len(self.data("accounts")), 1)

    def test_a_terminal_is_no_descriptor(self):
        account = self.new("zoo=Berlin")
        for words in (("secret", account, "pin", "--secret-fd", "0"), ("add", "MonkeyCall", "--secret-fd", "pin=0")):
            terminal = Terminal(self, "accounts", *words)
            self.assertEqual(terminal.end(), USAGE)
            self.assertIn("is a terminal", terminal.shown)
        self.assertEqual(len(self.data("accounts")), 1)

    def test_giving_up(self):
        for keys in ("\x03", "\x04", "secret\x03"):
            terminal = Terminal(self, "accounts", "add", "MonkeyCall", f"zoo=Zoo{ord(keys[0])}")
            terminal.wait("PIN: ")
            self.assertFalse(terminal.echoes)
            terminal.type(keys)
            self.assertEqual(terminal.end(), REFUSED)
            self.assertTrue(terminal.echoes)
            self.assertIn("was added and is disabled", terminal.shown)
            self.assertNotIn("secret\x03", terminal.shown)
            self.assertNotIn("^C", terminal.shown)
        self.assertEqual({row["state"] for row in self.data("accounts")}, {"disabled"})

    def test_a_terminal_that_is_typed_full(self):
        account = self.new("zoo=Berlin")
        terminal = Terminal(self, "accounts", "secret", account, "pin")
        terminal.wait("PIN: ")
        terminal.type("x" * 3_000)
        terminal.type("x" * 3_000 + "\r")
        self.assertEqual(terminal.end(), REFUSED)
        self.assertIn("is longer than 4096 bytes", terminal.shown)
        self.assertNotIn("xxx", terminal.shown)


class Secrets(Accounts):
    """Secrets on their way to the daemon. There is no keyring on the bus: without --storage they go to the memory."""

    def wait_details(self, reference, state):
        wait_until(lambda: self.details(reference)["state"] == state, lambda: f"{self.details(reference)}", every=0.1)

    def test_a_terminal_shows_nothing_of_it(self):
        terminal = Terminal(self, "accounts", "add", "MonkeyCall", "zoo=Berlin")
        terminal.wait("PIN: ")
        self.assertFalse(terminal.echoes)
        terminal.type("wrong\x15X" + PIN[:-1] + "é\x7f" + PIN[-1])
        shown = terminal.shown_by_the_system()
        self.assertIn("zoo=Berlin", shown)
        self.assertNotIn(PIN[:4], shown)
        terminal.type("\x7f" + PIN[-1] + "\r")
        self.assertEqual(terminal.end(), 0, terminal.shown)
        self.assertTrue(terminal.echoes)
        self.assertIn("(Berlin): ready\r\nits secrets are in memory, until callkitd ends\r\n", terminal.shown)
        for text in (PIN, PIN[:4], "wrong", "é"):
            self.assertNotIn(text, terminal.shown.replace(self.details("berlin")["id"][:8], ""))
        shown = self.details("berlin")
        self.assertEqual((shown["secrets-present"], shown["secret-storage"]), (["pin"], "memory"))
        for text in (self.says("accounts", "show", "berlin"), self.says("accounts", "--json"), self.system.read_log()):
            self.assertNotIn(PIN, text)
        self.assertRegex(self.says("accounts", "show", "berlin"),
                         r"\npin +set, not shown\nsecrets +in memory, until callkitd ends\n$")

    def test_a_descriptor(self):
        said, errors = self.with_descriptor(
            PIN + "\n", "accounts", "add", "MonkeyCall", "zoo=Berlin", "--secret-fd", "pin={fd}")
        self.assertIn("(Berlin): ready\nits secrets are in memory, until callkitd ends\n", said)
        self.assertEqual(errors, "")
        _, errors = self.with_descriptor("0000\n", "accounts", "secret", "berlin", "pin", "--secret-fd", "{fd}")
        self.wait_details("berlin", "failed")
        self.assertIn("bad-credentials: The zoo refuses the PIN", self.says("accounts"))
        # Only one newline is left out.
        self.with_descriptor("0000\n\n", "accounts", "secret", "berlin", "pin", "--secret-fd", "{fd}")
        self.wait_details("berlin", "ready")
        said, _ = self.with_descriptor("x" * 4_096 + "\n", "accounts", "secret", "berlin", "pin", "--secret-fd", "{fd}")
        self.assertIn("pin of ", said)

    def test_clear(self):
        self.with_descriptor(PIN, "accounts", "add", "MonkeyCall", "zoo=Berlin", "--secret-fd", "pin={fd}")
        title = f"{self.details('berlin')['id'][:8]} (Berlin)"
        for said in (f"cleared pin of {title}\n", f"{title} has no pin\n"):
            self.assertEqual(self.says("accounts", "secret", "berlin", "pin", "--clear"), said)
        self.wait_details("berlin", "needs-secret")

    def test_a_file_is_warned_of_for_ever(self):
        said, errors = self.with_descriptor(PIN, "accounts", "add", "MonkeyCall", "zoo=Berlin", "--storage", "file",
                                            "--secret-fd", "pin={fd}")
        self.assertEqual(errors, f"callctl: warning: {WARNING}\n")
        _, errors = self.with_descriptor("new", "accounts", "secret", "berlin", "pin", "--secret-fd", "{fd}")
        self.assertEqual(errors, f"callctl: warning: {WARNING}\n")
        short = self.details("berlin")["id"][:8]
        for _ in range(2):
            self.assertEqual(self.says("accounts").splitlines()[2:], [f"{short}: {WARNING}"])
        self.assertIn("in a file, not encrypted\n", self.says("accounts", "show", "berlin"))
        _, errors = self.with_descriptor(
            PIN, "accounts", "secret", "berlin", "pin", "--storage", "memory", "--secret-fd", "{fd}")
        self.assertEqual(errors, "")
        self.assertEqual(len(self.says("accounts").splitlines()), 2)

    def test_no_keyring(self):
        account = self.new("zoo=Berlin")
        _, errors = self.with_descriptor(
            PIN, "accounts", "secret", account, "pin", "--storage", "keyring", "--secret-fd", "{fd}", status=REFUSED)
        self.assertIn("KeyringUnavailable", errors)

    def test_no_secret_of_an_account_that_was_added(self):
        _, errors = self.with_descriptor(
            PIN, "accounts", "add", "MonkeyCall", "zoo=Berlin", "--storage", "keyring", "--secret-fd", "pin={fd}",
            status=REFUSED)
        self.assertIn("KeyringUnavailable", errors)
        self.assertIn(" (Berlin) was added and is disabled; see callctl accounts show ", errors)
        self.assertEqual(self.details("berlin")["state"], "disabled")

    def test_a_keyring(self):
        self.start_keyring()
        said, errors = self.with_descriptor(
            PIN, "accounts", "add", "MonkeyCall", "zoo=Berlin", "--secret-fd", "pin={fd}")
        self.assertEqual(errors, "")
        self.assertIn("(Berlin): ready\n", said)
        self.assertRegex(self.says("accounts", "show", "berlin"), r"\nsecrets +in the keyring\n$")
        said, _ = self.with_descriptor("new", "accounts", "secret", "berlin", "pin", "--secret-fd", "{fd}", "--json")
        self.assertEqual(json.loads(said)["storage"], "keyring")
        for data in self.secret_files().values():
            self.assertNotIn(PIN.encode(), data)
