"""callctl accounts import: the accounts of GNOME Calls and Linphone, with passwords that nobody else sees."""

import json
import os
import shutil
import subprocess
import tempfile

from accounts.case import AccountsTest
from support.system import PLUGINS, REPOSITORY
from support.terminal import CALLCTL, REFUSED, UNKNOWN, USAGE, Commands
from support.waiting import GIVE_UP, wait_until

MALFORMED = 65
UNREACHABLE = 69
PASSWORD = "rosebud= \\s 7"
RELAY_PASSWORD = "kane-relay"
SCHEMA = "\n".join(
    f"[{key}]\nType = {kind}\nRequired = {required}\n"
    for key, kind, required in (
        ("user", "string", "true"), ("domain", "string", "true"), ("password", "secret", "true"),
        ("display-name", "string", "false"), ("auth-user", "string", "false"),
        ("transport", "string\nValues = udp;tcp;tls\nDefault = tls", "false"), ("proxy", "string", "false"),
        ("encryption", "string\nValues = off;preferred;required;dtls\nDefault = preferred", "false"),
        ("stun", "string", "false"), ("turn", "string", "false"), ("turn-user", "string", "false"),
        ("turn-password", "secret", "false"), ("codecs", "string", "false"), ("trace", "boolean", "false")))
LINPHONE = f"""\
[sip]
media_encryption=srtp

[auth_info_0]
username=alice
userid=alice-login
passwd={PASSWORD}
domain=example.org

[auth_info_1]
username=bob
ha1=5ebe2294ecd0e0f08eab7690d2a6ee69
realm="example.net"

[auth_info_2]
username=relay
passwd={RELAY_PASSWORD}

[proxy_0]
reg_proxy=<sip:sip.example.org;transport=tls>
reg_identity="Alice" <sip:alice@example.org>
reg_sendregister=1
nat_policy_ref=relay

[proxy_1]
reg_proxy=sip:example.net
reg_identity=sip:bob@example.net
reg_sendregister=1

[nat_policy_0]
ref=relay
stun_server=turn.example.org
stun_server_username=relay
protocols=turn,ice

[audio_codec_0]
mime=opus
enabled=1
"""
CALLS = """\
[sip-00]
Id=1
Host=calls.example.org
User=o'carol
DisplayName=Carol
Protocol=TCP
Port=0
AutoConnect=true
DirectMode=false
LocalPort=0
CanTel=false
MediaEncryption=1

[sip-01]
Id=2
Host=calls.example.org
User=dave
DisplayName=
Protocol=UDP
Port=5070
AutoConnect=false
DirectMode=false
LocalPort=0
CanTel=false
MediaEncryption=0
"""


class Import(Commands, AccountsTest):
    """With a plugin that has the schema of SIP, and no network."""

    with_plugins = False

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-plugins-")
        self.addCleanup(shutil.rmtree, self.folder)
        bundle = os.path.join(self.folder, "SIP.callplugin")
        os.mkdir(bundle)
        shutil.copy(f"{PLUGINS}/MonkeyCall.callplugin/MonkeyCall.so", f"{bundle}/SIP.so")
        own = os.path.join(REPOSITORY, "Plugins", "SIP", "Resources", "accounts.ini")
        if os.path.isfile(own):
            shutil.copy(own, bundle)
        else:
            with open(f"{bundle}/accounts.ini", "w", encoding="utf-8") as file:
                file.write(SCHEMA)
        self.arguments = ("--plugin-path", self.folder)
        super().setUp()
        self.system.wait_ready("SIP")
        self.home = self.system.folder.name

    def write(self, text, *path):
        path = os.path.join(self.home, *path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def imported(self, *words):
        return {item["account"]: item for item in self.data("accounts", "import", *words)}

    def book(self):
        return {row["settings"]["label"]: row for row in (self.data("accounts", "show", row["id"])
                                                         for row in self.data("accounts"))}

    def assertNoSecrets(self, *texts):
        for text in (*texts, self.system.read_log()):
            for secret in (PASSWORD, PASSWORD.strip(), RELAY_PASSWORD, "5ebe2294"):
                self.assertNotIn(secret, text)


class Linphone(Import):
    def test_an_import(self):
        path = self.write(LINPHONE, "config", "linphone", "linphonerc")
        output = self.callctl("accounts", "import", path)
        rows = self.book()
        alice, bob = rows["alice@example.org"], rows["bob@example.net"]
        self.assertEqual(alice["settings"], {
            "user": "alice", "domain": "example.org", "display-name": "Alice", "auth-user": "alice-login",
            "transport": "tls", "proxy": "sip:sip.example.org;transport=tls", "encryption": "preferred",
            "turn": "turn.example.org", "turn-user": "relay", "codecs": "opus", "label": "alice@example.org"})
        self.assertEqual(sorted(alice["secrets-present"]), ["password", "turn-password"])
        self.assertEqual((alice["state"], alice["secret-storage"]), ("ready", "memory"))
        self.assertEqual(bob["state"], "needs-secret")
        lines = output.text.splitlines()
        self.assertEqual(lines[0], f"added {alice['id'][:8]} (alice@example.org): ready")
        self.assertRegex(lines[1], rf"^added {bob['id'][:8]} \(bob@example.net\): needs-secret, .* is missing$")
        self.assertEqual(lines[2:], [
            "  Linphone has kept only a hash of the password (ha1), which cannot be used",
            f"  next: callctl accounts secret {bob['id'][:8]} password"])
        self.assertNoSecrets(output.text)

        before = self.book()
        self.assertEqual(self.says("accounts", "import", path), f"""\
skipped alice@example.org: {alice['id'][:8]} (alice@example.org) is there
skipped bob@example.net: {bob['id'][:8]} (bob@example.net) is there
  Linphone has kept only a hash of the password (ha1), which cannot be used
""")
        self.assertEqual(self.book(), before)

    def test_the_password_arrives(self):
        self.start_keyring()
        path = self.write(LINPHONE, ".linphonerc")
        self.imported(path)
        found = subprocess.run(
            ["secret-tool", "search", "--all", "service", "org.opencallkit"], env=self.system.environment,
            capture_output=True, text=True, check=True).stdout
        self.assertIn(f"secret = {PASSWORD}\n", found)
        self.assertIn(f"secret = {RELAY_PASSWORD}\n", found)
        self.assertNoSecrets()

    def test_a_dry_run(self):
        path = self.write(LINPHONE, "x")
        output = self.callctl("accounts", "import", path, "--dry-run")
        self.assertEqual(output.text, """\
account        alice@example.org
program        Linphone
display-name   Alice
auth-user      alice-login
transport      tls
proxy          sip:sip.example.org;transport=tls
encryption     preferred
turn           turn.example.org
turn-user      relay
codecs         opus
password       set, not shown
turn-password  set, not shown

account     bob@example.net
program     Linphone
transport   udp
encryption  preferred
codecs      opus
password    missing
note        Linphone has kept only a hash of the password (ha1), which cannot be used
""")
        items = self.imported(path, "--dry-run")
        self.assertEqual(items["alice@example.org"]["outcome"], "new")
        self.assertEqual(items["alice@example.org"]["secrets"], ["password", "turn-password"])
        self.assertEqual(items["bob@example.net"]["missing-secrets"], ["password"])
        self.assertNoSecrets(output.text, json.dumps(items))
        self.assertEqual(self.data("accounts"), [])

    def test_disabled(self):
        path = self.write(LINPHONE.replace("reg_sendregister=1", "reg_sendregister=0", 1), "x")
        self.assertIn("Linphone does not use it: it stays disabled", self.says("accounts", "import", path))
        self.assertEqual({name: row["state"] for name, row in self.book().items()}, {
            "alice@example.org": "disabled", "bob@example.net": "needs-secret"})
        for row in self.data("accounts"):
            self.says("accounts", "remove", row["id"], "--yes")
        items = self.imported(path, "--disabled")
        self.assertEqual({item["state"] for item in items.values()}, {"disabled"})
        self.assertEqual(items["alice@example.org"]["next"], [])

    def test_what_linphone_writes(self):
        path = self.write(LINPHONE, ".linphonerc")
        linphone = subprocess.Popen(
            ["linphonec"], env=self.system.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        output, _ = linphone.communicate("proxy list\nquit\n", timeout=GIVE_UP)
        self.assertIn("sip:bob@example.net", output)
        with open(path, encoding="utf-8") as file:
            self.assertIn("[rtp]\n", file.read())
        items = self.imported(path)
        self.assertEqual(items["alice@example.org"]["secrets"], ["password", "turn-password"])
        self.assertEqual(self.book()["alice@example.org"]["settings"]["turn"], "turn.example.org")


class GNOMECalls(Import):
    def test_the_command_that_is_printed(self):
        self.start_keyring()
        # What GNOME Calls stores for its account.
        subprocess.run(
            ["secret-tool", "store", "--label=Calls Password for 1", "protocol", "sip", "server", "calls.example.org",
             "username", "o'carol"], env=self.system.environment, input=PASSWORD, text=True, check=True)
        path = self.write(CALLS, "config", "calls", "sip-account.cfg")
        items = self.imported(path)
        self.assertEqual(items["dave@calls.example.org"]["state"], "disabled")
        carol = items["o'carol@calls.example.org"]
        self.assertEqual(carol["state"], "needs-secret")
        self.assertEqual(carol["settings"], {
            "user": "o'carol", "domain": "calls.example.org", "display-name": "Carol", "transport": "tcp",
            "encryption": "preferred", "label": "o'carol@calls.example.org"})
        self.assertIn("GNOME Calls has its password in the keyring", carol["notes"])
        [command] = carol["next"]
        self.assertEqual(command, "secret-tool lookup protocol sip server calls.example.org username 'o'\\''carol'"
                         f" | callctl accounts secret {carol['id']} password --secret-fd 0")
        environment = {**self.system.environment, "PATH": f"{os.path.dirname(CALLCTL)}:{os.environ['PATH']}"}
        subprocess.run(["sh", "-c", command], env=environment, check=True, capture_output=True)
        wait_until(lambda: self.data("accounts", "show", carol["id"])["state"] == "ready", "it is not ready", every=0.02)
        self.assertEqual(self.book()["dave@calls.example.org"]["settings"]["proxy"],
                         "sip:calls.example.org:5070;transport=udp")
        self.assertNoSecrets()


class Places(Import):
    def test_nothing_is_there(self):
        output = self.callctl("accounts", "import")
        self.assertEqual(output.text.splitlines()[0], "no accounts of GNOME Calls or Linphone; looked for:")
        self.assertIn(f"  {self.home}/config/calls/sip-account.cfg\n", output.text)
        self.assertEqual(self.data("accounts", "import"), [])

    def test_what_is_in_the_usual_places(self):
        calls = self.write(CALLS, "config", "calls", "sip-account.cfg")
        linphone = self.write(LINPHONE, ".linphonerc")
        self.imported(calls, "--disabled")
        carol = self.book()["o'carol@calls.example.org"]["id"][:8]
        dave = self.book()["dave@calls.example.org"]["id"][:8]
        self.assertEqual(self.says("accounts", "import"), f"""\
ACCOUNT                    PROGRAM      STATE        FILE
o'carol@calls.example.org  GNOME Calls  is {carol}  {calls}
dave@calls.example.org     GNOME Calls  is {dave}  {calls}
alice@example.org          Linphone     new          {linphone}
bob@example.net            Linphone     new          {linphone}
next: callctl accounts import {linphone}
""")
        self.assertEqual(len(self.data("accounts")), 2)
        self.write(b"\0", "config", "linphone", "linphonerc")
        output = self.system.run(CALLCTL, "accounts", "import")
        self.assertEqual(output.status, 0)
        self.assertEqual(output.errors, f"callctl: warning: {self.home}/config/linphone/linphonerc is not a text file\n")
        self.assertIn(linphone, output.text)

    def test_a_terminal_is_not_controlled(self):
        self.write(LINPHONE.replace('"Alice"', '"\x1b[2JA' + "x" * 500 + '"'), ".linphonerc")
        for words in ((), (f"{self.home}/.linphonerc", "--dry-run")):
            for line in self.lines_on_a_terminal("accounts", "import", *words):
                self.assertLessEqual(len(line), 80)
                self.assertNotIn("\x1b", line)


class Hostile(Import):
    def refused(self, path, text, status=MALFORMED, *words):
        output = self.callctl("accounts", "import", path, *words, status=status)
        self.assertIn(text, output.errors)
        self.assertEqual(output.text, "")

    def test_files_that_are_none(self):
        self.refused(f"{self.home}/none", "no file", UNKNOWN)
        self.refused(self.home, "not a regular file", REFUSED)
        self.refused("/dev/zero", "not a regular file", REFUSED)
        fifo = f"{self.home}/fifo"
        os.mkfifo(fifo)
        self.refused(fifo, "not a regular file", REFUSED)
        for content, text in (
                (b"", "has neither accounts"), (os.urandom(5_000).replace(b"\0", b"x"), "has neither accounts"),
                (LINPHONE.encode() + b"\0", "is not a text file"), (b"[sip-0]\n" + b"#" * (1 << 20), "more than 1048576"),
                (b"".join(b"[s%d]\nHost=h\nUser=u\n" % number for number in range(10_000)), "has 10000 accounts")):
            self.refused(self.write(content, "x"), text)
        self.assertEqual(self.data("accounts"), [])

    def test_values_that_mean_harm(self):
        path = self.write(
            "".join(f"[s{number}]\n{lines}\n" for number, lines in enumerate((
                "Host=h\nUser=\x1b[2J", "Host=-h --exec\nUser=a", "Host=h\nUser=" + "u" * 2_000, "Host=h;reboot\nUser=b",
                "Host=good.example\nUser=$(reboot)\nDisplayName=\u202eevil\nProtocol=\x1b[2J"))), "x")
        output = self.callctl("accounts", "import", path, status=REFUSED)
        self.assertIn("4 of 5 accounts were not imported", output.errors)
        self.assertNotIn("\x1b", output.text + output.errors)
        [row] = self.data("accounts")
        self.assertEqual(self.data("accounts", "show", row["id"])["settings"], {
            "user": "$(reboot)", "domain": "good.example", "label": "$(reboot)@good.example"})
        self.assertIn("display-name is left out: InvalidArguments: ", output.text)
        self.assertIn("username '$(reboot)' | callctl accounts secret ", output.text)

    def test_duplicates(self):
        entry = "[proxy_%d]\nreg_identity=sip:%s\n"
        path = self.write("".join(entry % pair for pair in (
            (0, "a@example.org"), (1, "a@EXAMPLE.org"), (2, "A@example.org"))), "x")
        said = self.says("accounts", "import", path)
        self.assertIn("skipped a@EXAMPLE.org: it is in the file twice\n", said)
        self.assertEqual(sorted(self.book()), ["A@example.org", "a@example.org"])

    def test_more_than_the_daemon_takes(self):
        path = self.write("".join(
            f"[proxy_{number}]\nreg_identity=sip:u{number}@example.org\n" for number in range(20)), "x")
        output = self.callctl("accounts", "import", path, status=REFUSED)
        self.assertIn("4 of 20 accounts were not imported", output.errors)
        self.assertEqual(output.text.count("\nnot added u") , 4)
        self.assertEqual(len(self.data("accounts")), 16)

    def test_a_secret_that_is_refused(self):
        path = self.write(LINPHONE, "x")
        output = self.callctl("accounts", "import", path, "--storage", "keyring", status=REFUSED)
        self.assertIn("(alice@example.org) was added and is disabled: KeyringUnavailable", output.text)
        self.assertIn("1 of 2 accounts were not imported", output.errors)
        self.assertEqual(self.book()["alice@example.org"]["state"], "disabled")
        self.assertNoSecrets(output.text, output.errors)

    def test_plugins_that_have_no_such_accounts(self):
        path = self.write(LINPHONE, "x")
        self.refused(path, "UnknownPlugin", UNKNOWN, "--plugin", "Nobody")
        other = os.path.join(self.folder, "Zoo.callplugin")
        shutil.copytree(f"{PLUGINS}/MonkeyCall.callplugin", f"{other}.new")
        os.rename(f"{other}.new/MonkeyCall.so", f"{other}.new/Zoo.so")
        os.rename(f"{other}.new", other)
        self.system.wait_ready("Zoo")
        self.refused(path, "Zoo has no setting user, as SIP accounts have", REFUSED, "--plugin", "Zoo")
        self.callctl("accounts", "import", path, path, status=USAGE)

    def test_no_daemon(self):
        path = self.write(LINPHONE, "x")
        self.system.daemon.terminate()
        self.system.daemon.wait()
        wait_until(lambda: not self.system.owner, "the name stays")
        self.refused(path, "callkitd is not running", UNREACHABLE)
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
