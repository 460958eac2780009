"""Accounts among plugins, keyrings and schema files that mean harm: the daemon waits for none and believes none."""

import os
import shutil
import subprocess
import tempfile
import time

import dbus
import dbus.lowlevel

from accounts.case import ACCOUNTS, ACCOUNTS1, AccountsTest
from accounts.secret_service import put_into_keyring
from support.messages import ERROR, variants
from support.system import PLUGINS, REPOSITORY, ROOT
from support.waiting import wait_until

SECRETS = "org.freedesktop.secrets"
SCRIPTED = os.path.join(REPOSITORY, "Tests", "Fixtures", "Scripted")
PROMPT = 5
"""Seconds within which the daemon answers, whatever happens. It waits four times as long for a keyring."""
SCHEMA = "[zoo]\nType = string\nRequired = true\n"


class HostileTest(AccountsTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-plugins-")
        self.addCleanup(shutil.rmtree, self.folder)
        # Python runs in its worker, which no sandbox allows.
        self.arguments = ("--plugin-path", self.folder, "--no-sandbox", "Scripted")
        super().setUp()

    def assertPrompt(self):
        begin = time.monotonic()
        self.system.sync()
        self.assertLess(time.monotonic() - begin, PROMPT, "the daemon waits")

    def place(self, name, build, write_schema):
        """Puts a bundle into the folder by one rename."""
        new = os.path.join(self.folder, f".{name}.new")
        os.mkdir(new)
        build(f"{new}/{name}.so")
        write_schema(f"{new}/accounts.ini")
        os.rename(new, os.path.join(self.folder, f"{name}.callplugin"))


class HostileSchemas(HostileTest):
    def refused(self, name, write_schema):
        self.place(name, lambda path: shutil.copy(f"{PLUGINS}/Hotline.callplugin/Hotline.so", path), write_schema)
        self.system.wait_ready(name)
        pending = self.system.call(ACCOUNTS, ACCOUNTS1, "Schema", "s", name).wait(PROMPT)
        self.assertEqual(pending.error_name, f"{ERROR}NotSupported", pending.value)
        self.assertLess(len(pending.error_text), 512)
        self.assertPrompt()
        refused = self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", name, variants({"zoo": "x"}))
        self.assertRefused(refused, "NotSupported")

    @staticmethod
    def text(content):
        def write(path):
            with open(path, "wb") as file:
                file.write(content)
        return write

    def test_what_is_no_schema(self):
        strange = "".join(f"[{key}]\nType = string\n" for key in ("ä", "../x", "A", "x" * 33, "a b", ""))
        for name, write in {
                "Large": self.text(b"[zoo]\nType = string\n" + b"# x\n" * (10 << 18)),
                "Groups": self.text(b"".join(b"[g%d]\n" % number for number in range(10_000))),
                "Keys": self.text(strange.encode()), "Bytes": self.text(os.urandom(60_000)), "Empty": self.text(b""),
                "Device": lambda path: os.symlink("/dev/zero", path), "Fifo": os.mkfifo, "Folder": os.mkdir,
                "Number": self.text(b"[n]\nType = number\nMinimum = 99999999999999999999\n"),
                "Bounds": self.text(b"[n]\nType = number\nMinimum = 5\nMaximum = 1\nDefault = 3\n")}.items():
            with self.subTest(name):
                self.refused(name, write)


class HostilePlugins(HostileTest):
    def start(self, mode):
        def build(path):
            script = os.path.join(SCRIPTED, "account_plugin.py")
            subprocess.run(["clang", "-shared", "-fPIC", f'-DSCRIPT="{script}"', f'-DMODE="{mode}"',
                            os.path.join(SCRIPTED, "scripted.c"), "-o", path], check=True)

        def write(path):
            with open(path, "w", encoding="ascii") as file:
                file.write(SCHEMA)
        self.place("Scripted", build, write)
        wait_until(lambda: "Scripted" in self.system.get(ACCOUNTS, ACCOUNTS1, "Plugins"), "it is not found", every=0.05)
        account = self.add("Scripted")
        self.enable(account)
        return account

    def test_a_plugin_that_never_takes_its_accounts(self):
        account = self.start("deaf")
        wait_until(lambda: self.account(account, "Provider") != "/", "it registers no provider", every=0.05)
        self.assertEqual(self.account(account, "State"), "connecting")
        good = self.ready_account()
        self.assertPrompt()
        provider = str(self.account(account, "Provider"))
        self.account_call(account, "Remove").result()
        self.assertEqual(self.accounts(), [good])
        wait_until(lambda: provider not in self.system.objects, "the provider of a removed account stays")
        self.assertPrompt()

    def test_a_plugin_that_reports_without_end(self):
        good = self.ready_account()
        account = self.start("flood")
        wait_until(lambda: self.system.shown(f"{ROOT}/plugins/Scripted", "State") == "quarantined", "it goes on and on")
        told = [event for event in self.system.told("PropertiesChanged") if event.path == account]
        self.assertLess(len(told), 300, "each report is a signal")
        wait_until(lambda: self.account(account, "State") == "connecting", "its word still counts", every=0.05)
        self.assertEqual(self.account(good, "State"), "ready")


class HostileKeyrings(AccountsTest):
    def pretend(self, answer):
        """Owns the keyring's name, and gives each call to `answer`."""
        connection = self.system.connect()
        self.asked = []

        def take(connection, message):
            if message.get_type() == dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL:
                self.asked.append(message.get_member())
                reply = answer(message)
                if reply is not None:
                    connection.send_message(reply)
                return dbus.lowlevel.HANDLER_RESULT_HANDLED
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        connection.add_message_filter(take)
        connection.request_name(SECRETS)

    def file_account(self):
        account = self.add(zoo="File")
        self.set_secret(account, b"1234", storage="file").result()
        self.enable(account)
        self.wait_account(account, "ready")

    def survive(self, answer):
        """Accounts with a keyring like this do what they can, and others do not notice."""
        self.pretend(answer)
        account = self.add(zoo="Keyring")
        pending = self.set_secret(account, b"1234", storage="keyring")
        self.file_account()
        begin = time.monotonic()
        self.system.sync()
        self.assertLess(time.monotonic() - begin, PROMPT)
        self.assertIsNotNone(pending.wait().error)
        self.assertIn(pending.error_name, (f"{ERROR}KeyringUnavailable", f"{ERROR}StoreUnavailable", f"{ERROR}KeyringLocked"))
        self.assertEqual(self.account(account, "SecretStorage"), "")
        self.set_secret(account, b"1234", storage="memory").result()
        self.enable(account)
        self.wait_account(account, "ready")

    def test_one_that_never_answers(self):
        self.survive(lambda message: None)

    def test_one_that_answers_with_other_types(self):
        def answer(message):
            reply = dbus.lowlevel.MethodReturnMessage(message)
            reply.append(dbus.UInt32(7), dbus.Array([dbus.ObjectPath("/")], signature="o"))
            return reply
        self.survive(answer)

    def test_one_that_refuses_all(self):
        self.survive(lambda message: dbus.lowlevel.ErrorMessage(message, "org.example.Error.No", "x" * 100_000))

    def test_what_others_put_into_it(self):
        self.start_keyring()
        account = self.ready_account()
        id_ = str(self.account(account, "Id"))
        for number in range(40):
            put_into_keyring(self.system, id_, f"key-{number}", b"x" * 4096)
        put_into_keyring(self.system, id_, "large", b"x" * 70_000)
        put_into_keyring(self.system, id_, "../../x", b"x")
        put_into_keyring(self.system, id_, "k" * 300, b"x")
        self.account_call(account, "Retry").result()
        self.wait_account(account, "ready")
        self.assertEqual([str(key) for key in self.account(account, "SecretsPresent")], ["pin"])
        other = self.ready_account(zoo="Other")
        put_into_keyring(self.system, str(self.account(other, "Id")), "pin", b"x" * 70_000)
        self.account_call(other, "Retry").result()
        self.wait_account(other, "needs-secret")
        self.set_secret(other, b"1234").result()
        self.wait_account(other, "ready")
