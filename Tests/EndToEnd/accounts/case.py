"""What tests of accounts share: a real keyring, and secrets that go as pipes."""

import os
import subprocess

import dbus

from support.case import SystemTest
from support.messages import variants
from support.system import PROPERTIES, ROOT
from support.waiting import wait_until

ACCOUNTS = f"{ROOT}/accounts"
ACCOUNTS1 = "org.opencallkit.Accounts1"
ACCOUNT1 = "org.opencallkit.Account1"
KEYRING_PASSWORD = "the keyring's password"


def pipe_with(secret):
    """The reading end of a pipe that has this and ends."""
    reading, writing = os.pipe()
    os.write(writing, secret)
    os.close(writing)
    return reading


class AccountsTest(SystemTest):
    with_plugins = True

    def setUp(self):
        super().setUp()
        self.keyring = None

    # The keyring

    def start_keyring(self, unlocked=True):
        """Starts a real gnome-keyring, with its files in the test's home."""
        options = ["--unlock"] if unlocked else []
        self.keyring = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", "--replace", *options],
            env={key: value for key, value in self.system.environment.items() if key != "DISPLAY"},
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end_keyring, self.keyring)
        if unlocked:
            self.keyring.stdin.write(KEYRING_PASSWORD.encode())
        self.keyring.stdin.close()
        wait_until(lambda: self.system.bus.name_has_owner("org.freedesktop.secrets"), "there is no keyring", every=0.02)

    def end_keyring(self, process=None):
        process = process or self.keyring
        if process.poll() is None:
            process.kill()
        process.wait()

    def stop_keyring(self):
        self.end_keyring()
        wait_until(lambda: not self.system.bus.name_has_owner("org.freedesktop.secrets"), "it is still there", every=0.02)

    # Accounts

    def add(self, plugin="MonkeyCall", **settings):
        settings = settings or {"zoo": "Skansen"}
        return str(self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", plugin, variants(settings)).result())

    def account_call(self, account, member, signature="", *arguments):
        return self.system.call(account, ACCOUNT1, member, signature, *arguments)

    def update(self, account, *unset, **settings):
        return self.account_call(account, "Update", "a{sv}as", variants(settings), dbus.Array(unset, signature="s"))

    def set_secret(self, account, secret, key="pin", **options):
        reading = secret if isinstance(secret, int) else pipe_with(secret)
        pending = self.account_call(account, "SetSecret", "sha{sv}", key, dbus.types.UnixFd(reading), variants(options))
        os.close(reading)
        return pending

    def enable(self, account, is_enabled=True):
        self.system.call(account, PROPERTIES, "Set", "ssv", ACCOUNT1, "Enabled", is_enabled).result()

    def ready_account(self, secret=b"1234", **settings):
        account = self.add(**settings)
        self.set_secret(account, secret).result()
        self.enable(account)
        self.wait_account(account, "ready")
        return account

    def account(self, account, name):
        return self.system.get(account, ACCOUNT1, name)

    def standing(self, account):
        return tuple(str(self.account(account, name)) for name in ("State", "Problem", "Text"))

    def wait_account(self, account, state):
        wait_until(lambda: self.account(account, "State") == state, lambda: f"{account}: {self.standing(account)}", every=0.02)

    def wait_told(self, account, state, since):
        """Waits for a state that may be over soon, among the signals after the first so many."""
        def is_told():
            return any(event.member == "PropertiesChanged" and event.path == account
                       and event.arguments[1].get("State") == state for event in self.system.events[since:])
        wait_until(is_told, lambda: f"{account} did not become {state}: {self.standing(account)}")

    def accounts(self):
        return sorted(str(path) for path, interfaces in self.system.managed().items() if ACCOUNT1 in interfaces)

    def secret_files(self):
        """All files below the test's home, with what is in them."""
        found = {}
        for folder, _, names in os.walk(self.system.folder.name):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[path] = file.read()
        return found
