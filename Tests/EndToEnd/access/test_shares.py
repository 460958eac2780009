"""Shares belong to programs: more connections bring an app no more calls, providers, requests or words, and nobody else less."""

import re
import sys
import time

import dbus

from access.app import SandboxedApp, flatpak_info
from support.case import TORTURE, SystemTest
from support.messages import strings, variants
from support.provider import Provider
from support.store import StoreTest
from support.system import CALL, HOST, PROVIDER, RECENTS, RECENTS1, ROOT, SYSTEM
from support.waiting import wait_until

OTHER = "org.example.Other"
SECONDS = 12 if TORTURE else 2


class SharesTest(SystemTest):
    calls_per_second = None
    deadlines = {"set-muted": 60_000}

    def setUp(self):
        super().setUp()
        self.app = self.sandbox()

    def tearDown(self):
        self.system.undocumented = [line for line in self.system.undocumented if "callctl access grant" not in line]
        super().tearDown()

    def sandbox(self, app="org.example.Phone"):
        app = SandboxedApp(self.system, flatpak_info(app))
        self.addCleanup(app.close)
        return app

    def register(self, connection, number, **configuration):
        return self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", f"/p{number}",
                                variants({"localized-name": f"P{number}", **configuration}), connection=connection)


class Shares(SharesTest):
    def test_one_app_with_sixteen_connections_leaves_the_room_of_others(self):
        connections = [self.app.connect() for _ in range(16)]
        outcomes = [self.register(connection, number).wait() for number in range(4) for connection in connections]
        refused = [outcome for outcome in outcomes if outcome.error is not None]
        self.assertEqual(len(outcomes) - len(refused), 8)
        for outcome in refused:
            self.assertRefused(outcome, "LimitsExceeded")
            self.assertIn("app org.example.Phone has 8 providers, expected at most 8", outcome.error_text)
        self.assertEqual(len(set(outcome.value for outcome in outcomes if outcome.error is None)), 8)
        other = Provider(self.system, "Other", connection=self.sandbox(OTHER).connect())
        other.incoming()

    def test_nor_do_its_calls_take_it(self):
        providers = [Provider(self.system, f"P{number}", connection=self.app.connect()) for number in range(8)]
        reports = [provider.report_incoming().wait() for _ in range(8) for provider in providers]
        refused = [report for report in reports if report.error is not None]
        self.assertEqual(len(reports) - len(refused), 8)
        for report in refused:
            self.assertRefused(report, "LimitsExceeded")
            self.assertIn("app org.example.Phone has 8 calls, expected at most 8", report.error_text)
        other = Provider(self.system, "Other", connection=self.sandbox(OTHER).connect())
        other.incoming()
        call = self.start_call("generic:ann", provider=dbus.ObjectPath(other.path)).result()
        self.wait_state(call, "active")

    def test_all_apps_have_sixty_four_calls(self):
        apps = [Provider(self.system, f"P{number}", connection=self.sandbox(f"org.example.A{number}").connect())
                for number in range(9)]
        for provider in apps[:8]:
            for report in [provider.report_incoming() for _ in range(8)]:
                report.result()
        self.assertRefused(apps[8].report_incoming(), "LimitsExceeded")
        apps[3].vanish()
        wait_until(lambda: len(self.system.told("CallEnded")) == 8, "the calls of a dead provider stay")
        apps[8].incoming()

    def test_requests_of_many_connections_are_those_of_one_app(self):
        provider = Provider(self.system, "Mute", connection=self.app.connect())
        provider.behaviour = {"set-muted": "wait"}
        call = provider.active()
        connections = [self.app.connect() for _ in range(8)]
        pending = [self.system.call(call, CALL, "SetMuted", "b", True, connection=connections[number % 8])
                   for number in range(80)]
        for connection in connections:
            self.system.sync(connection)
        refused = [request for request in pending if request.done]
        self.assertEqual(len(pending) - len(refused), 16)
        for request in refused:
            self.assertRefused(request, "LimitsExceeded")
            self.assertIn("app org.example.Phone has 16 transactions", request.error_text)
        users = self.mute(call)
        self.system.sync()
        self.assertFalse(users.done)
        self.system.call(call, CALL, "End", connection=connections[0]).result()

    def test_custom_actions_too(self):
        connection = self.app.connect()
        provider = Provider(self.system, "Button", connection=connection, custom_actions=dbus.Array(
            [variants({"id": "press", "label": "Press"})], signature="a{sv}"))
        provider.behaviour["custom"] = "wait"
        connections = [self.app.connect() for _ in range(4)]
        pending = [self.system.call(provider.path, PROVIDER, "PerformCustomAction", "sa{sv}", "press", variants({}),
                                    connection=each) for each in connections for _ in range(8)]
        for each in connections:
            self.system.sync(each)
        refused = [request for request in pending if request.done]
        self.assertEqual(len(refused), 16)
        self.assertRefused(refused[0], "LimitsExceeded")
        provider.vanish()
        for request in pending:
            request.wait()

    def test_a_program_of_the_user_has_a_share_too(self):
        outcomes = [self.register(self.system.connect(), number).wait() for number in range(24)]
        made = [outcome for outcome in outcomes if outcome.error is None]
        self.assertEqual(len(made), 16)
        self.assertRefused(outcomes[-1], "LimitsExceeded")
        Provider(self.system, "Other", connection=self.app.connect()).incoming()


class InTime(StoreTest, SharesTest):
    def test_an_app_that_reports_without_end_is_refused(self):
        mine = Provider(self.system, "Mine")
        self.wait_store()
        flood = [Provider(self.system, f"F{number}", connection=self.app.connect()) for number in range(8)]
        missed = mine.incoming()
        mine.remote_end(missed, "unanswered").result()
        began, taken, refused = time.monotonic(), 0, []
        while time.monotonic() - began < SECONDS or not refused:
            for provider in flood:
                report = provider.report_incoming().wait()
                if report.error is not None:
                    refused.append(report)
                    continue
                taken += 1
                provider.remote_end(report.value).result()
        took = time.monotonic() - began
        print(f"\n| report and end, {took:.1f} s | {taken} taken | {len(refused)} refused |", file=sys.stderr)
        self.assertLessEqual(taken, 50 + 5 * took + 1)
        self.assertRefused(refused[0], "LimitsExceeded")
        self.assertIn("app org.example.Phone has begun too many calls, expected at most 50 at once and 5 a second",
                      refused[0].error_text)
        mine.remote_end(mine.incoming(), "unanswered").result()
        self.wait_row(missed, open=False)
        self.assertLessEqual(self.system.get(RECENTS, RECENTS1, "UnreadMissed"), taken + 2)
        other = Provider(self.system, "Other", connection=self.sandbox(OTHER).connect())
        other.incoming()


class Signals(SharesTest):
    """What everybody is told of one app."""

    arguments = ("--no-store",)

    def test_requests_about_its_own_call(self):
        provider = Provider(self.system, "Own", connection=self.app.connect())
        call = provider.active()
        connections = [self.app.connect() for _ in range(4)]

        def attack(number):
            self.system.call(call, CALL, "SetMuted", "b", bool(number % 2), connection=connections[number % 4]).wait()
        self.assertSignals(attack, 200 + 20 * SECONDS)
        self.system.call(call, CALL, "End", connection=connections[0]).result()

    def test_providers_that_come_and_go(self):
        def attack(_):
            connection = self.app.connect()
            if self.register(connection, 0).wait().error is None:
                self.system.call(f"{ROOT}/providers/app_org_2eexample_2ePhone__P0", HOST, "Invalidate",
                                 connection=connection).wait()
            self.app.connections.remove(connection)
            self.system.connections.remove(connection)
            connection.close()
        self.assertSignals(attack, 2 * (50 + 5 * SECONDS))

    def test_updates_of_many_providers(self):
        providers = [Provider(self.system, f"P{number}", connection=self.app.connect()) for number in range(8)]

        def attack(number):
            provider = providers[number % 8]
            provider.report("UpdateConfiguration", "a{sv}", variants({"status": f"at {number}"})).wait()
        self.assertSignals(attack, 1_000 + 100 * SECONDS)

    def assertSignals(self, attack, most):
        self.system.sync()
        before, began, number = len(self.system.events), time.monotonic(), 0
        while time.monotonic() - began < SECONDS:
            attack(number)
            number += 1
        self.system.sync()
        signals, took = len(self.system.events) - before, time.monotonic() - began
        print(f"\n| {number} attempts, {took:.1f} s | {signals} signals |", file=sys.stderr)
        # A little for what belongs to the attack itself, and for a slow machine.
        self.assertLessEqual(signals, most * max(1, took / SECONDS) + 60)


class Words(SharesTest):
    """What an app makes the daemon say."""

    arguments = ("--no-store",)

    def test_unknown_keys_of_many_registrations(self):
        keys = {f"key-{'abcdefghij'[number // 10]}{'abcdefghij'[number % 10]}": number for number in range(60)}

        def attack():
            connection = self.app.connect()
            for number in range(4):
                self.register(connection, number, **keys).wait()
            self.forget(connection)
        self.flood(attack, drops=False)
        # Each provider's keys are told once; that of the other app is the second.
        self.assertEqual(len(self.system.told("Anomaly", "unknown-key")), 2)

    def test_emergencies_that_do_not_count(self):
        def attack():
            connection = self.app.connect()
            for number in range(4):
                self.register(connection, number, **{"emergency-numbers": strings("112")}).wait()
            self.forget(connection)
        self.flood(attack)
        self.assertGreater(len(self.system.told("Anomaly", "unentitled-emergency")), 1)

    def test_refusals(self):
        connection = self.app.connect()
        members = ("SilenceRinging", "UnregisterScreener", "UnregisterAudioAgent")

        def attack():
            for member in members:
                arguments = () if member == "SilenceRinging" else ("o", "/x")
                self.system.call(ROOT, SYSTEM, member, *arguments, connection=connection).wait()
        self.flood(attack)

    def flood(self, attack, drops=True):
        """Attacks for a while: the log and the signals grow by what one app may bring about, and another app is heard.

        `drops`: whether the app says more than is told.
        """
        size, told, began, rounds = len(self.system.read_log()), len(self.system.told("Anomaly")), time.monotonic(), 0
        while time.monotonic() - began < SECONDS:
            attack()
            rounds += 1
        self.system.sync()
        took = time.monotonic() - began
        log, signals = self.system.read_log()[size:], len(self.system.told("Anomaly")) - told
        lines = len([line for line in log.splitlines() if re.match(r"^\d{4}-", line)])
        print(f"\n| {rounds} rounds, {took:.1f} s | {len(log) / took:.0f} B/s | {lines} lines | {signals} signals |",
              file=sys.stderr)
        most = 21 * (took // 10 + 1)
        self.assertLessEqual(lines, most)
        self.assertLessEqual(signals, most)
        other = self.sandbox(OTHER).connect()
        before = len(self.system.told("Anomaly", "unknown-key"))
        self.register(other, 0, **{"localised-name": "x"}).result()
        wait_until(lambda: len(self.system.told("Anomaly", "unknown-key")) == before + 1, "the other app is not heard")
        if TORTURE and drops:
            wait_until(lambda: self.system.told("Anomaly", "dropped"), "nobody tells what was dropped")

    def forget(self, connection):
        self.app.connections.remove(connection)
        self.system.connections.remove(connection)
        connection.close()
