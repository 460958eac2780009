"""What the tests of filtering share: a provider that reports calls, and the store."""

import dbus

from support.case import SystemTest
from support.provider import Provider
from support.store import StoreTest
from support.system import FAVORITES, FAVORITES1, PROPERTIES, ROOT, SYSTEM
from support.waiting import wait_until

HANDLE = ("phone-number", "+15557770123")
CALLER = "Zacharias Quartermaine"


class Filtering(SystemTest):
    arguments = ("--no-store",)

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)

    def report(self, handle=HANDLE, **update):
        return self.provider.report_incoming(handle=handle, localized_caller_name=CALLER, **update)

    def set(self, name, value, connection=None):
        return self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, name, value, connection=connection)

    def set_rules(self, **rules):
        values = {key.replace("_", "-"): value for key, value in rules.items()}
        return self.set("DoNotDisturbRules", dbus.Dictionary(values, signature="sv", variant_level=1))

    def rules(self):
        return self.property(ROOT, "DoNotDisturbRules", SYSTEM)

    def assertFiltered(self, pending, name, reason, by, count=1):
        self.assertRefused(pending, name)
        told = wait_until(lambda: len(self.system.told("CallFiltered")) >= count and self.system.told("CallFiltered"),
                          "CallFiltered was not told")
        *said, row = told[-1].arguments
        self.assertEqual(said, [self.provider.path, reason, by])
        self.assertEqual(len(told), count)
        return row


class WithStore(Filtering, StoreTest):
    """A system with the store, which has the favorites and compares numbers."""

    arguments = ("--region", "SE")
    deadlines = {"look-up": 60_000}

    def setUp(self):
        super().setUp()
        self.favorite("070-174 06 35", "Monkey")

    def favorite(self, number, name):
        """Adds a favorite, once the store answers."""
        def added():
            pending = self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss",
                                       dbus.Struct(("phone-number", number)), name, "").wait()
            return pending.error is None
        wait_until(added, "the store is not there")

    def ring(self, number, **update):
        return self.provider.report_incoming(handle=("phone-number", number), **update)
