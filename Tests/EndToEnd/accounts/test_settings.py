"""Accounts: settings by the plugin's schema, one provider for each, and what is kept."""

import os
import signal
import time

import dbus

from accounts.case import ACCOUNT1, ACCOUNTS, ACCOUNTS1, AccountsTest
from support.messages import variants
from support.system import BUILD, PROPERTIES, PROVIDER, ROOT
from support.waiting import wait_until


class Settings(AccountsTest):
    def test_the_schema_of_a_plugin(self):
        fields = self.system.call(ACCOUNTS, ACCOUNTS1, "Schema", "s", "MonkeyCall").result()
        by_key = {str(field["key"]): field for field in fields}
        self.assertEqual([str(field["key"]) for field in fields], ["zoo", "pin", "monkeys", "habitat", "loud", "label"])
        self.assertEqual((by_key["pin"]["type"], by_key["pin"]["required"], by_key["pin"]["reconnect"]), ("secret", True, True))
        self.assertEqual((by_key["monkeys"]["default"], by_key["monkeys"]["minimum"], by_key["monkeys"]["maximum"]), (3, 1, 100))
        self.assertEqual([str(word) for word in by_key["habitat"]["values"]], ["jungle", "savanna"])
        self.assertEqual([str(name) for name in self.system.get(ACCOUNTS, ACCOUNTS1, "Plugins")], ["MonkeyCall"])
        self.assertRefused(self.system.call(ACCOUNTS, ACCOUNTS1, "Schema", "s", "Nobody"), "UnknownPlugin")
        self.assertRefused(self.system.call(ACCOUNTS, ACCOUNTS1, "Schema", "s", "Hotline"), "NotSupported")

    def test_a_setting_that_is_invalid_is_named(self):
        account = self.add()
        for settings, words in (
                ({"zoo": dbus.UInt32(3)}, ("zoo", "string")), ({"zoo": "a\nb"}, ("zoo", "control")),
                ({"zoo": "x" * 1025}, ("zoo", "1025")), ({"monkeys": dbus.UInt32(101)}, ("monkeys", "101", "1 to 100")),
                ({"habitat": "sea"}, ("habitat", "sea", "jungle, savanna")), ({"loud": "yes"}, ("loud", "boolean")),
                ({"pin": "1234"}, ("pin", "SetSecret")), ({"tiger": True}, ("tiger", "zoo, monkeys")),
                ({"loud": dbus.Array(["a"], signature="s")}, ("loud", "as"))):
            for pending in (self.update(account, **settings),
                            self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", "MonkeyCall", variants(settings))):
                with self.subTest(str(settings)[:60]):
                    self.assertRefused(pending, "InvalidArguments")
                    for word in words:
                        self.assertIn(word, pending.error_text)
                    self.assertNotIn("1234", pending.error_text)
        self.assertRefused(self.update(account, "zoo", zoo="x"), "InvalidArguments")
        self.assertEqual(self.accounts(), [account])
        self.assertEqual(dict(self.account(account, "Settings")), {"zoo": "Skansen"})

    def test_an_account_is_disabled_at_first_and_says_what_is_missing(self):
        account = self.add(monkeys=dbus.UInt32(7))
        self.assertEqual(self.standing(account), ("disabled", "", ""))
        self.enable(account)
        self.assertEqual(self.standing(account), ("incomplete", "", "Zoo is missing"))
        self.update(account, zoo="Skansen").result()
        self.assertEqual(self.standing(account), ("needs-secret", "", "PIN is missing"))
        self.update(account, "zoo").result()
        self.assertEqual(self.standing(account)[0], "incomplete")
        with self.assertRaises(AssertionError):
            self.system.call(account, PROPERTIES, "Set", "ssv", ACCOUNT1, "State", "ready").result()

    def test_the_doctor_names_accounts_that_cannot_be_used(self):
        account = self.add()
        before = self.system.run(f"{BUILD}/callctl", "doctor").text
        self.assertNotIn("(Skansen)", before)
        self.assertNotIn("needs-secret", before)
        self.enable(account)
        doctor = self.system.run(f"{BUILD}/callctl", "doctor")
        self.assertEqual(doctor.status, 1)
        self.assertIn("(Skansen): needs-secret, PIN is missing; try: callctl accounts show", doctor.text)

    def test_signals_do_not_carry_settings(self):
        account = self.add(zoo="Secret Zoo")
        self.update(account, zoo="Hidden Zoo").result()
        self.system.sync()
        told = self.system.told("PropertiesChanged", ACCOUNT1)
        self.assertEqual([list(event.arguments[2]) for event in told], [["Settings"]])
        self.assertNotIn("Zoo", repr(told))
        self.assertNotIn("Zoo", repr(self.system.objects[account]))

    def test_there_are_at_most_sixteen_of_a_plugin(self):
        for _ in range(16):
            self.add()
        self.assertRefused(
            self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", "MonkeyCall", variants({})), "LimitsExceeded")
        self.assertEqual(len(self.accounts()), 16)


class Providers(AccountsTest):
    def test_accounts_that_are_switched_off_and_on_at_once_are_connected_again(self):
        accounts = [self.ready_account(), self.ready_account(zoo="Kolmarden")]
        for _ in range(5):
            for is_enabled in (False, True):
                for account in accounts:
                    self.enable(account, is_enabled)
            for account in accounts:
                self.wait_account(account, "ready")

    def test_one_provider_for_each_with_a_stable_id(self):
        first, second = self.ready_account(zoo="Skansen"), self.ready_account(zoo="Kolmården", label="Work")
        self.wait_provider(second)
        names = {}
        for account in (first, second):
            provider = str(self.account(account, "Provider"))
            self.assertEqual(self.system.get(provider, PROVIDER, "Key"), self.account(account, "Id").replace("-", "_"))
            self.assertEqual(provider, f"{ROOT}/providers/MonkeyCall_{account.rsplit('/', 1)[1]}")
            names[str(self.system.get(provider, PROVIDER, "LocalizedName"))] = provider
        self.assertEqual(set(names), {"Skansen", "Work"})
        call = self.start_call("generic:x", provider=dbus.ObjectPath(names["Work"])).result()
        self.wait_state(call, "active")
        self.account_call(first, "Remove").result()
        wait_until(lambda: names["Skansen"] not in self.system.objects, "its provider is still there")
        self.assertState(call, "active")
        self.enable(second, False)
        self.assertEnded(call, "failed", "provider")
        self.assertEqual(self.account(second, "Provider"), "/")
        self.assertEqual(self.accounts(), [second])

    def wait_provider(self, account):
        wait_until(lambda: self.account(account, "Provider") != "/", "it has no provider", every=0.02)

    def test_a_refused_secret_and_a_right_one(self):
        account = self.add()
        self.set_secret(account, b"0000").result()
        self.enable(account)
        self.wait_account(account, "failed")
        self.assertEqual(self.standing(account), ("failed", "bad-credentials", "The zoo refuses the PIN"))
        self.wait_provider(account)
        provider = str(self.account(account, "Provider"))
        wait_until(lambda: self.system.shown(provider, "Availability") == "unauthorized", "it is not refused")
        self.set_secret(account, b"1234").result()
        self.wait_account(account, "ready")
        wait_until(lambda: self.system.shown(provider, "Availability") == "online", "it is still refused")

    def test_what_needs_no_reconnect_changes_the_running_provider(self):
        account = self.ready_account()
        self.wait_provider(account)
        provider = str(self.account(account, "Provider"))
        call = self.start_call("generic:x", provider=dbus.ObjectPath(provider)).result()
        self.wait_state(call, "active")
        self.update(account, label="Holidays").result()
        wait_until(lambda: self.system.shown(provider, "LocalizedName") == "Holidays", "it has its old name")
        self.assertState(call, "active")
        self.update(account, zoo="Nordens Ark").result()
        self.assertEnded(call, "failed", "provider")
        self.wait_account(account, "ready")
        self.wait_provider(account)

    def test_retry_connects_anew(self):
        account = self.add()
        self.assertRefused(self.account_call(account, "Retry"), "InvalidAction")
        self.set_secret(account, b"0000").result()
        self.enable(account)
        self.wait_account(account, "failed")
        since = len(self.system.events)
        self.account_call(account, "Retry").result()
        wait_until(lambda: any(event.member == "InterfacesAdded" for event in self.system.events[since:]), "nothing was tried")
        self.wait_account(account, "failed")

    def test_a_worker_that_crashes_gets_its_accounts_again(self):
        account = self.ready_account()
        path = f"{ROOT}/plugins/MonkeyCall"
        since = len(self.system.events)
        os.kill(int(self.system.shown(path, "Pid")), signal.SIGKILL)
        self.wait_told(account, "connecting", since)
        self.wait_account(account, "ready")
        self.wait_provider(account)

    def test_a_plugin_that_is_away(self):
        account = self.ready_account()
        self.system.call(f"{ROOT}/plugins/MonkeyCall", PROPERTIES, "Set", "ssv", "org.opencallkit.Plugin1", "Enabled",
                         False).result()
        self.wait_account(account, "connecting")
        self.system.call(f"{ROOT}/plugins/MonkeyCall", PROPERTIES, "Set", "ssv", "org.opencallkit.Plugin1", "Enabled",
                         True).result()
        self.wait_account(account, "ready")


class Keeping(AccountsTest):
    def restart(self):
        self.system.daemon.send_signal(signal.SIGTERM)
        self.system.daemon.wait()
        self.system.forget_connections()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_accounts_outlive_the_daemon(self):
        kept = self.add(zoo="Skansen \"x\"", monkeys=dbus.UInt32(5), loud=True, label="a=b c")
        self.set_secret(kept, b"1234", storage="file").result()
        self.enable(kept)
        self.wait_account(kept, "ready")
        forgotten = self.ready_account(zoo="Memory")
        self.assertEqual((self.account(kept, "SecretStorage"), self.account(forgotten, "SecretStorage")), ("file", "memory"))
        settings = dict(self.account(kept, "Settings"))
        self.restart()
        self.assertEqual(self.accounts(), sorted([kept, forgotten]))
        self.assertEqual(dict(self.account(kept, "Settings")), settings)
        self.wait_account(kept, "ready")
        self.assertEqual(self.standing(forgotten), ("needs-secret", "", "PIN is missing"))

    def test_a_file_that_is_damaged_is_told(self):
        kept, damaged = self.add(zoo="Berlin"), self.add(zoo="Paris")
        self.enable(kept)
        self.enable(damaged)
        path = f"{self.system.environment['XDG_CONFIG_HOME']}/opencallkit/accounts"
        self.assertEqual(os.stat(path).st_mode & 0o77, 0)
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"setting id={damaged.rsplit('/', 1)[1].replace('_', '-')} nonsense\n")
        self.restart()
        self.assertEqual(self.accounts(), sorted([kept, damaged]))
        self.assertIn(f"{path} is damaged: what can be read of the accounts counts", self.system.read_log())
        self.assertTrue(self.account(kept, "Enabled"))
        self.assertFalse(self.account(damaged, "Enabled"), "what is missing may protect it")
        self.assertFalse(os.path.exists(f"{path}.damaged"))
        third = self.add()
        with open(f"{path}.damaged", encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("nonsense\n"))
        self.restart()
        self.assertEqual(self.accounts(), sorted([kept, damaged, third]))

    def test_a_removed_account_leaves_nothing(self):
        account = self.add(zoo="Canary Zoo")
        self.set_secret(account, b"canary-secret-1", storage="file").result()
        found = [path for path, text in self.secret_files().items() if b"canary-secret-1" in text]
        self.assertEqual(len(found), 1, found)
        self.assertEqual(os.stat(found[0]).st_mode & 0o777, 0o600)
        self.account_call(account, "Remove").result()
        wait_until(lambda: not os.path.exists(found[0]), "the secret is still there", every=0.02)
        self.assertEqual([path for path, text in self.secret_files().items() if b"Canary" in text], [])
        self.assertRefused(self.account_call(account, "Retry"), "org.freedesktop.DBus.Error.UnknownObject")


class Pipes(AccountsTest):
    def refuse(self, pending, word):
        self.assertRefused(pending, "InvalidArguments")
        self.assertIn(word, pending.error_text)

    def test_what_is_no_secret_is_refused(self):
        account = self.add()
        self.refuse(self.set_secret(account, b""), "empty")
        self.refuse(self.set_secret(account, b"a\0b"), "NUL")
        self.refuse(self.set_secret(account, b"\xff\xfe"), "UTF-8")
        self.refuse(self.set_secret(account, b"x" * 4097), "4096")
        self.refuse(self.set_secret(account, b"x", key="zoo"), "zoo")
        self.refuse(self.set_secret(account, b"x", key="../pin"), "../pin")
        self.refuse(self.set_secret(account, os.open("/dev/zero", os.O_RDONLY)), "pipe")
        self.refuse(self.set_secret(account, os.open("/etc/hostname", os.O_RDONLY)), "pipe")
        self.refuse(self.set_secret(account, b"x", storage="cloud"), "storage")
        self.assertEqual(list(self.account(account, "SecretsPresent")), [])
        self.set_secret(account, b"x" * 4096).result()
        self.assertEqual([str(key) for key in self.account(account, "SecretsPresent")], ["pin"])
        self.account_call(account, "ClearSecret", "s", "pin").result()
        self.assertEqual((list(self.account(account, "SecretsPresent")), self.account(account, "SecretStorage")), ([], ""))

    def test_pipes_that_never_end_cost_nothing_but_their_time(self):
        account = self.add()
        before = self.descriptors()
        writers, pending = [], []
        for _ in range(10):
            reading, writing = os.pipe()
            writers.append(writing)
            pending.append(self.set_secret(account, reading))
        for late in pending[8:]:
            self.assertRefused(late, "LimitsExceeded")
        begin = time.monotonic()
        self.system.sync()
        # A pipe may take five seconds.
        self.assertLess(time.monotonic() - begin, 4, "the daemon waits for the pipes")
        for each in pending[:8]:
            self.refuse(each, "no end")
        for writing in writers:
            os.close(writing)
        self.set_secret(account, b"1234").result()
        wait_until(lambda: self.descriptors() <= before + 2, lambda: f"{self.descriptors()} open, {before} before", every=0.05)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))
