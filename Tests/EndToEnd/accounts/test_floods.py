"""Floods of changes of accounts by one client: everybody else's calls go on, and nothing grows."""

from accounts.case import ACCOUNTS, ACCOUNTS1, AccountsTest
from support.case import TORTURE
from support.floods import FloodTest
from support.memory import look
from support.messages import variants
from support.waiting import wait_until

ACCOUNT_UPDATES = 10_000 if TORTURE else 1_600
SWITCHES = 1_000 if TORTURE else 160
MOST_ACCOUNTS = 16
"""Of one plugin."""
GROWTH = 2 << 20 if TORTURE else 320 << 10
"""What may be left of them, in bytes."""


class AccountFloods(FloodTest, AccountsTest):
    with_plugins = True
    slowest = 5_000

    def test_updates(self):
        self.flood("account-update", self.ready_account())

    def test_new_accounts(self):
        self.flood("account-add")
        self.assertIn(len(self.accounts()), range(1, MOST_ACCOUNTS + 1))
        # How many a flood makes in its time hangs on the machine, and some of its requests may wait yet.
        for _ in range(MOST_ACCOUNTS + 1):
            one_more = self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", "MonkeyCall", variants({})).wait()
            if one_more.error:
                break
        self.assertRefused(one_more, "LimitsExceeded")
        self.assertEqual(len(self.accounts()), MOST_ACCOUNTS)

    def test_switches(self):
        self.flood("account-enable", self.ready_account())

    def test_secrets(self):
        account = self.ready_account()
        self.flood("account-secret", account)
        self.settle(account)

    def test_secrets_that_are_removed(self):
        account = self.ready_account()
        self.flood("account-clear", account)
        self.settle(account)

    def settle(self, account):
        """After the flood another client sets the secret as ever."""
        def is_set():
            return self.set_secret(account, b"1234").wait().error is None
        wait_until(is_set, "no secret can be set", every=0.1)
        self.wait_account(account, "ready")


class AccountMemory(AccountsTest):
    arguments = ("--no-store",)

    def test_changes_leave_nothing(self):
        account = self.ready_account(zoo="Skansen")
        self.change(account, ACCOUNT_UPDATES // 10, SWITCHES // 10)
        before = look(self.pid)
        self.change(account, ACCOUNT_UPDATES, SWITCHES)
        after = look(self.pid)
        print(f"memory: {(after[0] - before[0]) >> 10} KiB more after {ACCOUNT_UPDATES} updates and {SWITCHES} switches, "
              f"{after[1] - before[1]} descriptors")
        self.assertLess(after[0] - before[0], GROWTH)
        self.assertEqual(after[1], before[1])

    def change(self, account, updates, switches):
        for start in range(0, updates, 50):
            for pending in [self.update(account, zoo=f"Zoo {start + number}") for number in range(50)]:
                pending.result()
        for number in range(switches):
            self.enable(account, number % 2 == 1)
        self.wait_account(account, "ready")
        self.system.sync()
        self.system.events.clear()
