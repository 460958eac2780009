"""The caller's identity is never broadcast; clients read it."""

import os
import re

import dbus

from support.case import SystemTest
from support.messages import without_uuids
from support.monitor import Monitor
from support.provider import Provider
from support.screener import Screener
from support.store import StoreTest
from support.system import CALL, DIRECTORY, DIRECTORY1, IDENTITY, NAME, PROPERTIES, RULES1
from support.waiting import wait_until

HANDLE = "+15557770123"
CALLER = "Zacharias Quartermaine"


class Privacy(SystemTest):
    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)

    def ring(self):
        return self.provider.incoming(handle=("phone-number", HANDLE), localized_caller_name=CALLER)

    def test_a_new_call_is_announced_without_its_identity(self):
        call = self.ring()
        added = self.system.told("InterfacesAdded", call)
        self.assertEqual(len(added), 1)
        self.assertIn(CALL, added[0].arguments[1])
        self.assertEqual(dict(added[0].arguments[1][IDENTITY]), {})

    def test_a_change_is_announced_without_values(self):
        call = self.ring()
        self.provider.update(call, localized_caller_name="Somebody Else").result()
        changed = wait_until(lambda: [event for event in self.system.told("PropertiesChanged", IDENTITY)
                                      if event.path == call], "no change was announced")
        for event in changed:
            self.assertEqual(dict(event.arguments[1]), {})
        self.assertIn("CallerName", changed[0].arguments[2])
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Somebody Else")

    def test_no_signal_of_a_whole_call_carries_it(self):
        call = self.ring()
        self.answer(call).result()
        self.hold(call).result()
        self.resume(call).result()
        self.provider.update(call, transfer_request=dbus.Struct(("phone-number", HANDLE), signature="ss")).result()
        self.assertEqual(tuple(self.property(call, "TransferRequest", IDENTITY)), ("phone-number", HANDLE))
        self.provider.update(call, localized_caller_name=CALLER + " II").result()
        self.provider.remote_end(call).result()
        self.assertEnded(call, "remote-ended", "remote")
        told = repr(self.system.events)
        self.assertIn(str(call), told)
        self.assertNotIn(HANDLE, told)
        self.assertNotIn(CALLER, told)

    def test_those_who_ask_are_told(self):
        call = self.ring()
        expected = {"Handle": ("phone-number", HANDLE), "CallerName": CALLER, "CallerNameSource": "provider",
                    "ContactIdentifier": "", "NetworkName": "", "DivertedBy": ("", ""), "TransferRequest": ("", ""),
                    "Verification": "", "Image": "", "WaitingDigits": ""}
        self.assertEqual(dict(self.system.managed()[call][IDENTITY]), {})
        values = self.system.get_all(call, IDENTITY)
        self.assertEqual({key: tuple(value) if isinstance(value, tuple) else value for key, value in values.items()},
                         expected)
        self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), expected["Handle"])
        self.assertEqual(self.property(call, "CallerName", IDENTITY), CALLER)

    def test_a_withheld_identity_is_empty(self):
        call = self.provider.incoming(handle=None)
        values = self.system.get_all(call, IDENTITY)
        self.assertEqual((values["Handle"][1], values["CallerName"], values["CallerNameSource"]), ("", "", "none"))

    def test_dbus_monitor_of_the_daemon_sees_a_whole_call_and_not_who(self):
        monitor = Monitor(self.system, f"sender='{NAME}'")
        try:
            call = self.ring()
            self.answer(call).result()
            self.hold(call).result()
            self.resume(call).result()
            self.end(call).result()
            seen = monitor.text(until="CallEnded")
            self.system.managed()
            self.system.get_all(call, IDENTITY)
            # The monitor does see what is asked for. It prints one line after the other.
            for word in (HANDLE, "Quartermaine"):
                monitor.text(until=word)
        finally:
            monitor.close()
        for word in (str(call), "InterfacesAdded", "PropertiesChanged", "Perform"):
            self.assertIn(word, seen)
        self.assertNotIn(HANDLE, seen)
        self.assertNotIn("Quartermaine", seen)

    def test_dbus_monitor_of_all_signals_sees_an_outgoing_call_and_not_who(self):
        monitor = Monitor(self.system, "type='signal'")
        try:
            call = self.start_call(f"tel:{HANDLE}", **{"contact-identifier": "card-of-zacharias"},
                                   provider=dbus.ObjectPath(self.provider.path)).result()
            self.wait_state(call, "active")
            self.end(call).result()
            seen = monitor.text(until="CallEnded")
        finally:
            monitor.close()
        self.assertIn(str(call), seen)
        self.assertNotIn(HANDLE, seen)
        self.assertNotIn("zacharias", seen)

    def test_refusals_and_notes_do_not_say_who(self):
        call = self.ring()
        self.answer(call).result()
        refused = self.start_call("generic:secret-friend", conflict="fail")
        refused.wait()
        self.assertNotIn("secret-friend", refused.error_text)
        self.assertNotIn(HANDLE, refused.error_text)

    def test_the_log_does_not_say_who(self):
        call = self.ring()
        self.answer(call).result()
        self.end(call).result()
        log = self.system.read_log()
        self.assertNotIn(HANDLE, log)
        self.assertNotIn("Quartermaine", log)


class EverySignal(StoreTest):
    """A monitor of all signals of all interfaces, while callers are blocked, missed, added and deleted."""

    arguments = ("--region", "SE", "--deadline", "look-up=60000")

    def test_nobody_is_named(self):
        provider = Provider(self.system)
        self.wait_store()
        number, national = "+46701740605", "0701740605"
        words = (number, national, "70174", "0605", "Quartermaine", "Zacharias", "Annie", "owl@")
        monitor = Monitor(self.system, "type='signal'")

        def ring(**update):
            return provider.report_incoming(handle=("phone-number", number), localized_caller_name=CALLER, **update)

        def directory(member, rule):
            self.system.call(DIRECTORY, RULES1, member, "s", rule).result()
        try:
            folder = f"{self.system.folder.name}/data/kpeoplevcard"
            os.makedirs(folder)
            with open(f"{folder}/zacharias.vcf", "w", encoding="utf-8") as file:
                file.write(f"BEGIN:VCARD\nVERSION:3.0\nFN:{CALLER}\nTEL:{number}\nEND:VCARD\n")
            wait_until(lambda: "name" in self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", number).result(),
                       "the contact is not read")
            favorite = self.add(national, "Annie").result()
            self.ask("Move", "xu", favorite, dbus.UInt32(0)).result()
            directory("Block", national)
            self.assertRefused(ring(), "FilteredByBlockList")
            directory("Allow", "+4670…")
            call = ring().result()
            self.answer(call).result()
            self.end(call).result()
            self.wait_row(call, open=False)
            directory("Disallow", "+4670…")
            directory("Unblock", number)
            self.ask("Remove", "x", favorite).result()
            self.system.call("/org/opencallkit/CallSystem1", PROPERTIES, "Set", "ssv", "org.opencallkit.CallSystem1",
                             "DoNotDisturb", True).result()
            self.assertRefused(ring(), "FilteredByDoNotDisturb")
            screener = Screener(self.system, ("reject", "owl@example.org, Zacharias"))
            self.assertRefused(ring(), "FilteredByBlockList")
            screener.unregister().result()
            row = wait_until(lambda: self.rows(missed=True), "no row")[0]
            self.recents("MarkRead", "ax", [row["id"]]).result()
            self.recents("Delete", "ax", [row["id"]]).result()
            self.recents("Clear").result()
            self.end(ring().result()).result()
            seen = monitor.text(until="CallEnded")
            wait_until(lambda: monitor.data.count(b"member=CallEnded") == 2, "the last call did not end")
            # Moments and identifiers may have any digits.
            seen = re.sub(r"\b\d{10,}(\.\d+)?\b", "a moment", without_uuids(monitor.data.decode()))
        finally:
            monitor.close()
        for interface, member in (("Favorites1", "Changed"), ("Recents1", "Changed"), ("Directory1", "Changed"),
                                  ("CallSystem1", "CallFiltered"), ("CallSystem1", "CallEnded")):
            self.assertIn(f"interface=org.opencallkit.{interface}; member={member}", seen)
        for word in words:
            self.assertNotIn(word, seen)


class PrivacyOfPlugins(SystemTest):
    with_plugins = True

    def test_dbus_monitor_of_the_daemon_sees_a_plugins_call_and_not_who(self):
        monitor = Monitor(self.system, f"sender='{NAME}'")
        try:
            call = self.simulate_incoming("MonkeyCall", handle=f"phone-number:{HANDLE}", name=CALLER)
            self.answer(call).result()
            self.end(call).result()
            seen = monitor.text(until="CallEnded")
        finally:
            monitor.close()
        self.assertIn(str(call), seen)
        self.assertNotIn(HANDLE, seen)
        self.assertNotIn("Quartermaine", seen)
        identity = self.system.call(call, PROPERTIES, "GetAll", "s", IDENTITY).result()
        self.assertEqual((tuple(identity["Handle"]), identity["CallerName"]), (("phone-number", HANDLE), CALLER))
