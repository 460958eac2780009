"""A keyring that breaks off, is not ready, or is not there yet: what it does not say is no answer, and it is asked again."""

import os
import shutil
import tempfile

from accounts.case import AccountsTest
from accounts.secret_service import SERVICE, secrets_in_keyring
from support.system import BUS_CONFIGURATION, PLUGINS
from support.waiting import wait_until

BUS = "org.freedesktop.DBus"


class LateKeyring(AccountsTest):
    """A real keyring, on a bus that refuses what it is told to refuse."""

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="opencallkit-plugins-")
        self.addCleanup(shutil.rmtree, folder)
        bundle = shutil.copytree(f"{PLUGINS}/MonkeyCall.callplugin", f"{folder}/MonkeyCall.callplugin")
        with open(f"{bundle}/accounts.ini", "a", encoding="utf-8") as file:
            file.write("\n[gate]\nType = secret\n")
        self.arguments, self.with_plugins = ("--plugin-path", folder), False
        super().setUp()
        self.system.wait_ready("MonkeyCall")
        self.start_keyring()

    def refuse(self, *members):
        """From now on the bus refuses these calls of the keyring, and no others."""
        rules = "".join(f'<deny send_interface="{SERVICE}" send_member="{name}"/>' for name in members)
        policy = f'</policy><policy context="mandatory">{rules}</policy><policy context="default">'
        with open(f"{self.system.folder.name}/bus.conf", "w", encoding="utf-8") as file:
            file.write(BUS_CONFIGURATION.format(socket=self.system.socket, services="", policy=policy))
        self.system.bus.call_blocking(BUS, "/org/freedesktop/DBus", BUS, "ReloadConfig", "", ())

    def wait_text(self, account, text):
        wait_until(lambda: text in self.account(account, "Text"), lambda: f"not {text!r}: {self.standing(account)}", every=0.02)

    def assertPresent(self, account, *keys):
        self.assertEqual([str(key) for key in self.account(account, "SecretsPresent")], list(keys))
        self.assertEqual(self.account(account, "SecretStorage"), "keyring")

    def test_it_breaks_off_during_a_look_up(self):
        account = self.ready_account()
        self.refuse("GetSecrets")
        self.account_call(account, "Retry").result()
        self.wait_account(account, "needs-secret")
        self.assertIn("no keyring: ", self.account(account, "Text"))
        self.assertPresent(account, "pin")
        self.refuse()
        self.wait_account(account, "ready")

    def test_an_account_is_disabled_while_it_breaks_off(self):
        account = self.ready_account()
        self.refuse("GetSecrets")
        self.account_call(account, "Retry").result()
        self.wait_account(account, "needs-secret")
        self.enable(account, False)
        self.stop_keyring()
        self.refuse()
        self.start_keyring()
        self.assertPresent(account, "pin")
        self.enable(account)
        self.wait_account(account, "ready")

    def test_it_breaks_off_while_secrets_move(self):
        account = self.add()
        self.set_secret(account, b"1234").result()
        self.set_secret(account, b"open", "gate").result()
        self.refuse("GetSecrets")
        self.assertRefused(self.set_secret(account, b"5678", storage="file"), "KeyringUnavailable")
        self.refuse()
        self.assertPresent(account, "gate", "pin")
        self.assertEqual(sorted(secrets_in_keyring(self.system).values()), [b"1234", b"open"])
        self.set_secret(account, b"5678", storage="file").result()
        self.enable(account)
        self.wait_account(account, "ready")
        self.assertEqual(sorted(self.account(account, "SecretsPresent")), ["gate", "pin"])

    def test_it_owns_its_name_before_it_is_ready(self):
        account = self.ready_account()
        self.stop_keyring()
        self.account_call(account, "Retry").result()
        self.wait_account(account, "needs-secret")
        self.refuse("*")
        self.start_keyring()
        self.wait_text(account, "Rejected send message")
        self.refuse()
        self.wait_account(account, "ready")

    def test_it_has_no_default_keyring_yet(self):
        account, removed = self.ready_account(), self.ready_account(zoo="Berlin")
        self.stop_keyring()
        folder = f"{self.system.folder.name}/data/keyrings"
        os.rename(folder, f"{folder}.away")
        self.start_keyring(unlocked=False)
        self.account_call(account, "Retry").result()
        self.wait_text(account, "no keyring: there is no default keyring")
        self.assertPresent(account, "pin")
        self.account_call(removed, "Remove").result()
        self.stop_keyring()
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(f"{folder}.away", folder)
        self.start_keyring()
        self.wait_account(account, "ready")
        wait_until(lambda: len(secrets_in_keyring(self.system)) == 1, "the secret of a removed account is left", every=0.1)
