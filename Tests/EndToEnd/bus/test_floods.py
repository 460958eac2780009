"""Too much of anything: long texts, many calls, providers and actions."""

import os

import dbus

from bus.values import BIDI, FREEDESKTOP, MEBIBYTE, NOTHING
from support.case import SystemTest
from support.messages import ERROR, png, variants
from support.provider import Provider
from support.system import CALL, IDENTITY, PAGES, PROPERTIES, PROVIDER, ROOT, SYSTEM
from support.waiting import wait_until


class MuchOfIt(SystemTest):
    deadlines = {"set-muted": 60_000}

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)

    def test_strings_of_a_mebibyte(self):
        call = self.provider.active()
        long = "x" * MEBIBYTE
        self.assertRefused(self.start_call(long), "InvalidArguments")
        self.assertRefused(self.start_call("generic:" + long), "InvalidArguments")
        self.assertRefused(self.start_call("generic:x", **{"contact-identifier": long}), "InvalidArguments")
        self.assertRefused(self.start_call("generic:x", uuid=long), "InvalidArguments")
        self.assertRefused(self.system.call(call, CALL, "PlayDTMF", "s", "1" * MEBIBYTE), "InvalidArguments")
        self.assertRefused(self.request([(long, {})]), "InvalidArguments")
        self.assertRefused(self.system.call(ROOT, SYSTEM, "EndCalls", "as", dbus.Array([long], signature="s")),
                           "InvalidArguments")
        self.assertRefused(self.provider.report_incoming(long), "InvalidArguments")
        self.assertRefused(self.provider.report_incoming(handle=("generic", long)), "InvalidArguments")
        self.assertRefused(self.provider.remote_end(call, long), "InvalidArguments")
        for member, arguments in (("Get", (SYSTEM, long)), ("Get", (long, "x")), ("GetAll", (long,))):
            self.assertRefused(self.system.call(ROOT, PROPERTIES, member, "s" * len(arguments), *arguments),
                               "InvalidArguments")
        self.assertRefused(self.reject(self.provider.incoming(), long), "InvalidArguments")
        self.assertState(call, "active")

    def test_what_is_too_large_is_refused_by_its_size(self):
        for member, size, most in (("StartCall", 65_537, 65_536), ("StartCall", 8 << 20, 65_536)):
            refused = self.system.call(ROOT, SYSTEM, member, "s", "x" * size)
            self.assertRefused(refused, "InvalidArguments")
            self.assertEqual(refused.error_text, f"{member}: {size} bytes of arguments, expected at most {most}")
        icon = dbus.Dictionary({"icon-template-image": dbus.ByteArray(png(65_536)), "status": "y" * 100_000},
                               signature="sv")
        self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/icon", icon).result()

    def test_a_hundred_thousand_handle_types(self):
        for types in (["generic"] * 100_000, ["x"] * 20_000, ["generic"] * 10_000):
            configuration = {"supported-handle-types": dbus.Array(types, signature="s")}
            refused = self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/types", variants(configuration))
            self.assertRefused(refused, "InvalidArguments")
        self.provider.incoming()

    def test_refusals_do_not_repeat_a_mebibyte(self):
        for pending in (self.start_call("generic:" + "x" * MEBIBYTE), self.request([("x" * MEBIBYTE, {})]),
                        self.start_call("generic:x", conflict="x" * MEBIBYTE),
                        self.provider.report_incoming("x" * MEBIBYTE)):
            pending.wait()
            self.assertLess(len(pending.error_text), 4096)

    def test_nobody_is_called_at_a_path_of_a_mebibyte(self):
        for path in ("/" + "x" * MEBIBYTE, "/" + "x" * 1_024):
            for member in ("RegisterProvider", "RegisterScreener"):
                pending = self.system.call(ROOT, SYSTEM, member, "oa{sv}", path, NOTHING)
                self.assertRefused(pending, "InvalidArguments")
                self.assertIn(f"{len(path)} bytes", pending.error_text)
        self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/" + "x" * 1_023, NOTHING).result()

    def test_names_are_cut_and_cleaned(self):
        call = self.provider.incoming(localized_caller_name="y" * 60_000)
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "y" * 256)
        self.provider.update(call, localized_caller_name="A\x01l\x1bi" + BIDI + "ce\n\x7f").result()
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Alice")
        other = Provider(self.system, "N" * 60_000, delegate="/long")
        self.assertEqual(self.property(other.path, "LocalizedName", PROVIDER), "N" * 256)
        other = Provider(self.system, "Bad\nName" + BIDI, delegate="/bad")
        self.assertEqual(self.property(other.path, "LocalizedName", PROVIDER), "BadName")

    def test_a_long_reason_reaches_the_provider_cut(self):
        call = self.provider.incoming()
        self.reject(call, "r" * 60_000).result()
        self.assertEqual(self.provider.wait_action("end").details["reason"], "r" * 256)

    def test_sixteen_calls_of_a_program_ring_and_no_more(self):
        twin = Provider(self.system, "Twin", delegate="/twin")
        reports = [provider.report_incoming() for _ in range(9) for provider in (self.provider, twin)]
        for report in reports[:16]:
            report.result()
        for report in reports[16:]:
            self.assertRefused(report, "LimitsExceeded")
            self.assertIn(f"process {os.getpid()} has 16 calls, expected at most 16", report.error_text)

    def test_many_actions_in_one_transaction(self):
        call = self.provider.active()
        action = ("set-muted", {"call": dbus.ObjectPath(call), "muted": True})
        self.request([action] * 16).result()
        self.assertRefused(self.request([action] * 17), "LimitsExceeded")
        huge = self.request([action] * 10_000).wait()
        # Arguments that are too large to be read are invalid, on every method.
        self.assertIn(huge.error_name, (f"{ERROR}LimitsExceeded", f"{ERROR}InvalidArguments"))

    def test_many_providers_of_one_program(self):
        connections = [self.system.connect() for _ in range(10)]
        outcomes = [self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", f"/p{number}", NOTHING,
                                     connection=connections[number % 10]).wait() for number in range(100)]
        made = [outcome.value for outcome in outcomes if outcome.error is None]
        # The test has one already.
        self.assertEqual(len(made), 15)
        self.assertEqual(len(set(made)), 15)
        for outcome in outcomes[15:]:
            self.assertRefused(outcome, "LimitsExceeded")
            self.assertIn("has 16 providers, expected at most 16", outcome.error_text)

    def test_deep_nesting(self):
        deep = dbus.String("x", variant_level=10)
        for _ in range(12):
            deep = dbus.Array([deep], signature="v")
        pending = self.start_call("generic:x", nonsense=deep).wait()
        self.assertTrue(pending.done)
        self.system.sync()

    def test_ten_thousand_unknown_calls_leave_nothing_behind(self):
        def burst(count):
            names = set()
            for start in range(0, count, 200):
                pending = [self.unknown(start + number) for number in range(200)]
                for one in pending:
                    one.wait()
                    names.add(one.error_name)
            return names

        burst(2_000)
        before = self.system.memory()
        names = burst(10_000)
        grown = self.system.memory() - before
        expected = {f"{FREEDESKTOP}{name}" for name in ("UnknownObject", "UnknownMethod", "UnknownInterface",
                                                        "UnknownProperty")} | {f"{ERROR}UnknownCall"}
        self.assertEqual(names, expected)
        self.assertLess(grown, 2048 * PAGES, "KiB")

    def unknown(self, number):
        missing = f"00000000_0000_4000_8000_{number:012x}"
        match number % 6:
            case 0:
                return self.system.call(ROOT, SYSTEM, f"Nothing{number}")
            case 1:
                return self.system.call(f"{ROOT}/calls/{missing}", CALL, "End")
            case 2:
                return self.system.call(ROOT, f"org.opencallkit.Nothing{number}", "End")
            case 3:
                return self.system.call(ROOT, PROPERTIES, "Get", "ss", SYSTEM, f"Nothing{number}")
            case 4:
                return self.system.call(ROOT, PROPERTIES, "Get", "ss", f"org.opencallkit.Nothing{number}", "X")
        return self.request([("end", {"call": dbus.ObjectPath(f"{ROOT}/calls/{missing}")})])

    def test_calls_that_come_and_go_leave_nothing_behind(self):
        def burst(count):
            for _ in range(count):
                call = self.provider.report_incoming().result()
                self.provider.remote_end(call).result()

        burst(200)
        wait_until(lambda: len([path for path in self.system.objects if "/calls/" in path]) == 0,
                   "ended calls stay")
        before = self.system.memory()
        burst(200)
        wait_until(lambda: len([path for path in self.system.objects if "/calls/" in path]) == 0,
                   "ended calls stay")
        self.assertLess(self.system.memory() - before, 2048 * PAGES, "KiB")
