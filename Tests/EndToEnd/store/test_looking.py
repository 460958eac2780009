"""Looking never hinders ringing: who calls, and whether the call rings, is found out while clients ask the store for as much
as they may.

OPENCALLKIT_TORTURE=1 has more contacts, rules and calls, asks in more ways, and measures. Otherwise the look-up may take
long, because the machine does much else; it may not take as long as all that clients ask.
"""

import contextlib
import os
import sqlite3
import statistics
import subprocess
import sys
import time
import unittest

from store.contacts import ContactsTest
from support.case import TORTURE, words_of
from support.contract import END_TO_END
from support.directories import DirectoryTest
from support.messages import strings
from support.provider import Provider
from support.system import BUILD, DIRECTORY, DIRECTORY1, FAVORITES, FAVORITES1, RULES1
from support.waiting import exited, let_pass, wait_until

CONTACTS = 20_000 if TORTURE else 4_000
FEW_CONTACTS = CONTACTS if TORTURE else 50
RULES = 20_000 if BUILD.endswith("debug") else 100_000
ROUNDS = 60 if TORTURE else 5
CONNECTIONS = 4
BLOCKED, KNOWN = "+46812345678", "+46700000007"
LATEST = 20
"""Milliseconds within which 99 of 100 calls ring on a release build and an idle machine of two processors."""


class LookingTest(ContactsTest):
    """Contacts, a blocked caller, and a program that asks."""

    contacts = FEW_CONTACTS
    arguments = ("--region", "SE", *words_of({"look-up": 300 if TORTURE else 2_000}))
    patience = {}

    def setUp(self):
        super().setUp()
        self.write("all.vcf", "".join(
            f"BEGIN:VCARD\nVERSION:3.0\nUID:{number}\nFN:Person{number % 97} Number{number} Family\n"
            f"TEL:+4670{number:07}\nEND:VCARD\n" for number in range(self.contacts)))
        self.wait_contacts(self.contacts)
        self.rule("Block", BLOCKED).result()

    def rule(self, member, *arguments):
        return self.system.call(DIRECTORY, RULES1, member, "s" * len(arguments), *arguments)

    def start_asking(self, kind, *words, connections=CONNECTIONS):
        """Starts to ask, in a process of its own, which is returned."""
        asker = subprocess.Popen(
            [sys.executable, "-m", "support.askers", self.system.socket, kind, str(connections), *words],
            cwd=END_TO_END, stdout=subprocess.PIPE, text=True)
        self.addCleanup(asker.stdout.close)
        self.addCleanup(asker.wait)
        self.addCleanup(asker.kill)
        self.assertEqual(asker.stdout.readline(), "asking\n")
        return asker

    def assertRings(self, kind):
        """Asserts that each call rings in time, or not at all, with its name, and that others are answered."""
        times, wrong, answers, starts = [], [], [], []
        other = Provider(self.system, "Other", "/other")
        for _ in range(ROUNDS):
            # A program reports few calls a second.
            let_pass(0.5 if TORTURE else 0)
            began = time.monotonic()
            blocked = self.ring(BLOCKED).wait()
            times.append(time.monotonic() - began)
            if not blocked.error_name.endswith("FilteredByBlockList"):
                wrong.append(f"a blocked caller rings, {blocked.error_name}")
                self.provider.remote_end(blocked.value).wait()
            began = time.monotonic()
            call = self.ring(KNOWN).result()
            times.append(time.monotonic() - began)
            if self.identity(call)[0] != "Person7 Number7 Family":
                wrong.append(f"{self.identity(call)} calls")
            self.provider.remote_end(call).result()
            began = time.monotonic()
            self.system.call(FAVORITES, FAVORITES1, "List").result()
            answers.append(time.monotonic() - began)
            began = time.monotonic()
            started = self.start_call("generic:friend").wait()
            starts.append(time.monotonic() - began)
            if started.error is None:
                self.end(started.value).result()
        other.vanish()
        times.sort()
        p50, p99 = (times[len(times) * part // 100] * 1_000 for part in (50, 99))
        print(f"\n| {kind} | {len(wrong)} of {len(times)} | {p50:.1f} | {p99:.1f} | {statistics.median(answers) * 1_000:.1f} "
              f"| {max(answers) * 1_000:.1f} | {statistics.median(starts) * 1_000:.1f} | {max(starts) * 1_000:.1f} |", file=sys.stderr)
        self.assertEqual(wrong, [])
        self.assertNotIn("callkit-store hung", self.system.read_log())
        if TORTURE and not BUILD.endswith("debug"):
            self.assertLess(p99, LATEST)


class People(LookingTest):
    contacts = CONTACTS

    def test_people_are_looked_for(self):
        self.start_asking("find", "person", "p", "f", "family person", "number family", "nobody")
        self.assertRings("find")

    @unittest.skipUnless(TORTURE, "as the others: make torture")
    def test_contacts_are_read_again_all_the_time(self):
        touch = 'while touch "$1"; do sleep 0.02; done'
        with subprocess.Popen(["sh", "-c", touch, "sh", f"{self.phone}/all.vcf"]) as toucher:
            try:
                self.start_asking("find", "person family", "f")
                self.assertRings("find in changing contacts")
            finally:
                toucher.kill()

    def test_a_client_fills_its_own_share_only(self):
        greedy = self.start_asking("find", "f", connections=10)
        for _ in range(5):
            self.assertEqual(len(self.system.call(DIRECTORY, DIRECTORY1, "FindPeople", "s", "f").result()), 20)
        greedy.terminate()
        answers, refusals, _ = map(int, greedy.stdout.readline().split())
        self.assertGreater(answers, refusals)
        self.assertGreater(refusals, 0)


class Looking(LookingTest):
    @unittest.skipUnless(TORTURE, "a figure to compare with: make torture")
    def test_nobody_asks(self):
        self.assertRings("nothing")

    @unittest.skipUnless(TORTURE, "as the next one: make torture")
    def test_callers_are_looked_up(self):
        self.start_asking("identify")
        self.assertRings("identify")

    def test_recents_are_listed(self):
        self.fill_recents()
        self.start_asking("list")
        self.assertRings("list")

    @unittest.skipUnless(TORTURE, "as the others: make torture")
    def test_recents_are_marked_as_read(self):
        self.start_asking("mark")
        self.assertRings("mark")

    @unittest.skipUnless(TORTURE, "as the others: make torture")
    def test_rules_are_changed(self):
        self.start_asking("unblock")
        self.assertRings("unblock")

    @unittest.skipUnless(TORTURE, "as the others: make torture")
    def test_calls_are_started(self):
        for name in ("Beta", "Gamma"):
            provider = Provider(self.system, name, f"/{name}", supported_handle_types=strings("phone-number"))
            provider.behaviour["start"] = "fail"
        self.start_asking("start")
        self.assertRings("start")

    @unittest.skipUnless(TORTURE, "as the others: make torture")
    def test_favorites_without_names_are_listed(self):
        for start in range(0, 1_000, 16):
            for pending in [self.add(f"+4670{number:07}") for number in range(start, start + 16)]:
                pending.wait()
        self.start_asking("favorites")
        self.assertRings("favorites")

    def fill_recents(self):
        """Ten calls, and twenty copies of each."""
        for _ in range(10):
            call = self.ring("+46700000009").result()
            self.provider.remote_end(call).result()
        self.wait_row(call, open=False)
        with contextlib.closing(sqlite3.connect(self.file)) as file, file:
            columns = ", ".join(row[1] for row in file.execute("PRAGMA table_info(recent)") if row[1] not in ("id", "call"))
            parts = ", ".join(f"hex(randomblob({bytes_}))" for bytes_ in (4, 2, 2, 2, 6))
            file.execute(
                "WITH RECURSIVE copy(number) AS (VALUES (1) UNION ALL SELECT number + 1 FROM copy WHERE number < 20) "
                f"INSERT INTO recent (call, {columns}) SELECT printf('%s-%s-%s-%s-%s', {parts}), {columns} FROM recent, copy")
        self.assertGreater(len(self.rows(limit=200)), 100)


class ManyRules(LookingTest):
    """The user has imported a long list."""

    def setUp(self):
        super().setUp()
        path = f"{self.folder}/directory/rules"
        self.system.daemon.terminate()
        exited(self.system.daemon)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        with open(path, "a", encoding="utf-8") as file:
            file.write("".join(f"block +4672{number:07}\n" for number in range(RULES)))
        self.system.forget_connections()
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.provider = Provider(self.system)
        self.wait_store()
        self.wait_contacts(self.contacts)

    @unittest.skipUnless(TORTURE, "as the others: make torture")
    def test_all_rules_are_listed(self):
        self.start_asking("blocked")
        self.assertRings("blocked")

    @unittest.skipUnless(TORTURE, "as the others: make torture")
    def test_more_are_added(self):
        self.start_asking("block")
        self.assertRings("block")


@unittest.skipUnless(os.path.exists(f"{BUILD}/libTutorialDirectory.so"), "the build has no directory")
class Loading(DirectoryTest):
    """A call directory is loaded over and over."""

    arguments = ("--region", "SE", *words_of({"look-up": 300 if TORTURE else 2_000}))
    patience = {}

    def test_a_long_list_is_loaded_again_all_the_time(self):
        self.bundle(f"many {300_000 if TORTURE else 20_000}")
        self.enable()
        LookingTest.start_asking(self, "reload", "TutorialDirectory")
        provider = Provider(self.system)
        times, wrong = [], 0
        for _ in range(ROUNDS * 2):
            let_pass(0.25 if TORTURE else 0)
            began = time.monotonic()
            pending = provider.report_incoming(handle=("phone-number", "+12000000797")).wait()
            times.append(time.monotonic() - began)
            wrong += not pending.error_name.endswith("FilteredByBlockList")
        times.sort()
        print(f"\n| reload | {wrong} of {len(times)} | {times[len(times) // 2] * 1_000:.1f} "
              f"| {times[len(times) * 99 // 100] * 1_000:.1f} | | |", file=sys.stderr)
        self.assertEqual(wrong, 0)
