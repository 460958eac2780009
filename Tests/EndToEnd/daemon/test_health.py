"""Health: what the daemon tells of its own state, and callctl doctor."""

import json
import os

import dbus

from support.case import SystemTest
from support.provider import Provider
from support.store import StoreTest
from support.system import ROOT, SYSTEM
from support.terminal import CALLCTL

KEYS = {"loop-lag-ms": int, "calls-waiting": int, "requests-waiting": int, "bytes-to-send": int, "refused": int,
        "quarantined": list, "silent": list, "degraded": str, "files": list}


LONGEST_TURN = 250
"""Milliseconds of a turn of the daemon's loop of which the doctor tells. A busy machine may make one so long."""


class Doctor:
    def assertFound(self, *expected):
        """The doctor finds these problems, and long turns of the loop only if there were any."""
        output = self.system.run(CALLCTL, "doctor")
        text = " ".join(output.text.split())
        busy = "callkitd was too busy to read for" in text
        if busy:
            self.assertGreater(self.system.get(ROOT, SYSTEM, "Health")["loop-lag-ms"], LONGEST_TURN)
        for problem in expected:
            self.assertIn(problem, text)
        count = len(expected) + busy
        self.assertEqual(output.status, 1 if count else 0)
        self.assertEqual(output.errors, {0: "", 1: "callctl: 1 problem\n"}.get(count, f"callctl: {count} problems\n"))
        if not count:
            self.assertRegex(output.text, r"problems +none")


class Health(Doctor, StoreTest):
    def test_a_daemon_that_is_well(self):
        self.favorites()
        health = self.system.get(ROOT, SYSTEM, "Health")
        self.assertEqual({str(key) for key in health}, set(KEYS))
        for key, type_ in KEYS.items():
            self.assertIsInstance(health[key], type_, key)
        self.assertLess(health["loop-lag-ms"], 60_000)
        self.assertEqual((health["quarantined"] + health["silent"], health["degraded"], health["files"], health["refused"]), ([], "", [], 0))
        # The question itself has had its turn.
        self.assertEqual(health["calls-waiting"], 0)

    def test_refusals_and_waiting_requests_are_counted(self):
        provider = Provider(self.system)
        provider.behaviour["answer"] = "wait"
        call = provider.incoming()
        self.answer(call)
        action = provider.wait_action("answer")
        for _ in range(3):
            self.assertRefused(self.start_call("x" * 100_000), "InvalidArguments")
        health = self.system.get(ROOT, SYSTEM, "Health")
        self.assertEqual((health["requests-waiting"], health["refused"]), (1, 3))
        action.fulfil()

    def test_the_doctor_finds_nothing(self):
        self.favorites()
        self.assertFound()

    def test_the_doctor_tells_who_reaches_the_emergency_services(self):
        self.assertRegex(self.system.run(CALLCTL, "doctor").text, r"emergency +no provider reaches")
        provider = Provider(self.system, emergency_numbers=dbus.Array(["112", "110"], signature="s"))
        self.mark(provider)
        self.assertRegex(self.system.run(CALLCTL, "doctor").text, r"emergency +112, 110 with \w")
        found = json.loads(self.system.run(CALLCTL, "doctor", "--json").text)
        self.assertEqual(list(found["emergency"].values()), [["112", "110"]])


class Degraded(Doctor, SystemTest):
    arguments = ("--no-store",)

    def test_the_doctor_tells_what_is_wrong(self):
        problem = "recents, favorites and rules are not kept: callkitd runs without callkit-store"
        self.assertFound(problem)
        found = json.loads(self.system.run(CALLCTL, "doctor", "--json").text)
        self.assertIn(problem, found["problems"])
        self.assertEqual(set(found) - {"problems", "answered-in-ms", "emergency", "region"}, set(KEYS))

    def test_the_doctor_names_quarantined_plugins_and_lost_providers(self):
        provider = Provider(self.system)
        name = os.path.basename(provider.path)
        provider.vanish()
        self.system.sync()
        self.assertNotIn(name, self.system.run(CALLCTL, "doctor").text)
