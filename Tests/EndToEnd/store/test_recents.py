"""Recents: one row per call, from its start to its end, even if processes die."""

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import time

import dbus

from support.messages import last, uuid_of, variants
from support.provider import Provider
from support.scene import TwoProviders
from support.store import StoreTest
from support.system import BUILD, IDENTITY, PROPERTIES, RECENTS, RECENTS1, REPOSITORY, ROOT, SYSTEM
from support.waiting import let_pass, wait_gone, wait_until


class Recents(StoreTest, TwoProviders):
    arguments = ("--region", "SE")

    def setUp(self):
        super().setUp()
        self.favorites()

    def test_an_outgoing_call_from_beginning_to_end(self):
        began = time.monotonic()
        call = self.start_call("generic:somebody", provider=dbus.ObjectPath(self.alpha.path)).result()
        row = self.wait_row(call, open=True)
        self.assertEqual((row["direction"], tuple(row["handle"]), row["provider-id"], row["reason"], row["ended"]),
                         ("outgoing", ("generic", "somebody"), last(self.alpha.path), "", 0))
        self.wait_state(call, "active")
        self.wait_row(call, connected=self.property(call, "ConnectedAt"))
        let_pass(0.12)
        self.end(call).result()
        row = self.wait_row(call, open=False)
        lasted = (time.monotonic() - began) * 1000
        self.assertEqual([row[key] for key in ("started", "connected", "ended")],
                         [self.property(call, name) for name in ("StartedAt", "ConnectedAt", "EndedAt")])
        self.assertEqual((row["reason"], row["ended-by"], row["missed"], row["read"]), ("local-ended", "user", False, True))
        self.assertGreaterEqual(row["duration-ms"], 120)
        self.assertLessEqual(row["duration-ms"], lasted)
        self.assertEqual(self.calls(), [uuid_of(call)])

    def test_an_unknown_condition_is_noted(self):
        known = {"text": "", "provider-id": "x", "direction": "incoming", "missed": True, "handle": ("generic", "a"),
                 "since": dbus.UInt64(0), "until": dbus.UInt64(1), "before": dbus.Int64(1)}
        for key, value in known.items():
            self.rows(**{key: value})
            wrong = self.recents("List", "a{sv}uu", variants({key: [1.5]}), 0, 1)
            self.assertRefused(wrong, "InvalidArguments")
        self.system.sync()
        self.assertEqual(self.system.told("Anomaly"), [])
        for _ in range(2):
            self.rows(mised=True)
        noted = wait_until(lambda: self.system.told("Anomaly", "unknown-key"), "the unknown key was not noted")
        self.assertEqual([event.arguments[1] for event in noted], [ROOT])
        self.assertIn("mised", noted[0].arguments[2])

    def test_who_asks_after_a_call_has_ended_finds_it_so(self):
        for _ in range(20):
            call = self.outgoing(self.alpha)
            self.wait_row(call, connected=self.property(call, "ConnectedAt"))
            self.end(call).result()
            row = next((row for row in self.rows() if row["call"] == uuid_of(call)), {})
            self.assertEqual((row.get("open"), row.get("reason")), (False, "local-ended"))

    def test_who_asks_after_many_calls_finds_them_all(self):
        """Also those whose rows wait for the disk while others are written."""
        began = []
        for _ in range(20):
            calls = [self.alpha.incoming() for _ in range(5)]
            self.alpha.sync()
            refusals = [self.reject(call) for call in calls]
            pending = self.recents("List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(200))
            began += calls
            self.assertLessEqual({uuid_of(call) for call in began}, {str(row["call"]) for row in pending.result()})
            for refusal in refusals:
                refusal.result()
            ended = {row["call"] for row in self.rows(limit=200) if not row["open"]}
            self.assertLessEqual({uuid_of(call) for call in calls}, ended)

    def test_who_asks_after_a_hundred_calls_finds_them_all(self):
        """Far more rows than are sent without being asked for."""
        calls = []
        for _ in range(13):
            ringing = [one.result() for one in [self.alpha.report_incoming() for _ in range(8)]]
            for refusal in [self.reject(call) for call in ringing]:
                refusal.result()
            calls += ringing
        rows = self.recents("List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(200)).result()
        self.assertEqual({str(row["call"]) for row in rows if not row["open"]}, {uuid_of(call) for call in calls})

    def test_rows_by_their_ids(self):
        calls = [self.alpha.incoming() for _ in range(3)]
        for call in calls:
            self.reject(call).result()
        ids = [row["id"] for row in self.rows()]

        def found(wanted):
            return [row["id"] for row in self.recents("Get", "ax", dbus.Array(wanted, signature="x")).result()]
        self.assertEqual(len(ids), 3)
        self.assertEqual(found([ids[2], 4711, ids[0]]), [ids[2], ids[0]])
        self.assertEqual(found([]), [])
        self.assertRefused(self.recents("Get", "ax", dbus.Array([1] * 201, signature="x")), "LimitsExceeded")
        self.assertEqual(self.recents("Delete", "ax", dbus.Array([], signature="x")).result(), 0)
        self.assertEqual(self.recents("Delete", "ax", dbus.Array([ids[0], 4711], signature="x")).result(), 1)
        self.assertEqual(found(ids), ids[1:])

    def test_missed_calls_until_they_are_read(self):
        first = self.alpha.incoming(localized_caller_name="Monkey", handle=("phone-number", "070-174 06 35"))
        self.alpha.remote_end(first, "unanswered").result()
        row = self.wait_row(first, missed=True)
        self.assertEqual((row["name"], row["name-source"], row["read"], row["connected"], row["duration-ms"]),
                         ("Monkey", "provider", False, 0, 0))
        declined = self.alpha.incoming()
        self.reject(declined).result()
        self.wait_row(declined, open=False, missed=False, read=True, reason="declined")
        second = self.beta.incoming()
        self.beta.remote_end(second, "remote-ended").result()
        self.wait_row(second, missed=True)
        wait_until(lambda: self.system.shown(RECENTS, "UnreadMissed") == 2, "two missed calls")
        self.assertEqual(self.calls(missed=True), [uuid_of(second), uuid_of(first)])
        self.recents("MarkRead", "ax", dbus.Array([row["id"], 4711], signature="x")).result()
        self.wait_row(first, read=True)
        wait_until(lambda: self.system.shown(RECENTS, "UnreadMissed") == 1, "one missed call")
        self.assertEqual(self.recents("MarkRead", "ax", dbus.Array([], signature="x")).result(), 0)
        self.assertEqual(self.recents("MarkAllRead").result(), 1)
        self.assertEqual(self.system.get(RECENTS, RECENTS1, "UnreadMissed"), 0)

    def test_what_is_asked_for(self):
        self.add("070-174 06 35", "Monkey").result()
        one = self.alpha.incoming(handle=("phone-number", "0701740635"))
        self.assertEqual((self.property(one, "CallerName", IDENTITY), self.property(one, "CallerNameSource", IDENTITY)),
                         ("Monkey", "favorite"))
        self.alpha.remote_end(one, "unanswered").result()
        two = self.outgoing(self.alpha)
        self.end(two).result()
        three = self.beta.incoming(handle=("email-address", "banana@example.org"), localized_caller_name="100 % Banana_split")
        self.reject(three).result()
        calls = {call: uuid_of(call) for call in (one, two, three)}
        for call in calls:
            self.wait_row(call, open=False)
        one, two, three = calls.values()
        self.assertEqual(self.calls(), [three, two, one])
        self.assertEqual(self.rows(text="monkey")[0]["name-source"], "favorite")
        for text in ("monkey", "Monk", "0701740", "070-174", "+46 70", "46701740635", "0046", "mo"):
            self.assertEqual(self.calls(text=text), [one], text)
        for text in ("banana", "BANANA_", "100 %", "example.org", "%", "a_s", "\"", "00 %"):
            self.assertEqual(self.calls(text=text), [three] if text != "\"" else [], text)
        self.assertEqual(self.calls(text="somebody"), [two])
        self.assertEqual(self.calls(text="%%%"), [])
        self.assertEqual(self.calls(**{"provider-id": last(self.alpha.path)}), [two, one])
        self.assertEqual(self.calls(direction="incoming"), [three, one])
        self.assertEqual(self.calls(direction="outgoing", **{"provider-id": last(self.beta.path)}), [])
        self.assertEqual(self.calls(missed=True), [one])
        self.assertEqual(self.calls(missed=False), [three, two])
        self.assertEqual(self.calls(missed=True, direction="outgoing"), [])
        self.assertEqual(self.calls(handle=dbus.Struct(("phone-number", "+46 (0)70-174 06 35"))), [one])
        rows = {str(row["call"]): row for row in self.rows()}
        self.assertEqual(self.calls(since=dbus.UInt64(rows[two]["started"])), [three, two])
        self.assertEqual(self.calls(until=dbus.UInt64(rows[two]["started"])), [two, one])
        self.assertEqual(self.calls(since=dbus.UInt64(rows[two]["started"]), until=dbus.UInt64(rows[two]["started"])),
                         [two])
        self.assertEqual(self.calls(before=dbus.Int64(rows[two]["id"])), [one])
        self.assertEqual([self.calls(limit=1, offset=offset) for offset in range(4)], [[three], [two], [one], []])
        self.assertEqual(self.calls(limit=0), [])
        self.assertEqual(self.calls(unknown="key"), [three, two, one])

    def test_nonsense_is_refused(self):
        for key, value in (("direction", "up"), ("missed", "yes"), ("text", "x" * 2000), ("text", "a\nb"),
                           ("since", "today"), ("handle", dbus.Struct(("fax", "1"))), ("before", True)):
            self.assertRefused(self.recents("List", "a{sv}uu", variants({key: value}), 0, 9), "InvalidArguments")
        self.assertRefused(self.recents("CallBack", "xa{sv}", 7, variants({})), "InvalidArguments")
        self.assertRefused(self.recents("Delete", "s", "1"), "InvalidArguments")

    def test_deleting_leaves_calls_that_go_on(self):
        ended = self.alpha.incoming()
        self.reject(ended).result()
        row = self.wait_row(ended, open=False)
        live = self.alpha.incoming()
        open_row = self.wait_row(live, open=True)
        self.recents("Delete", "ax", dbus.Array([row["id"], open_row["id"], 99], signature="x")).result()
        self.assertEqual(self.calls(), [uuid_of(live)])
        other = self.beta.incoming()
        self.reject(other).result()
        self.wait_row(other, open=False)
        self.recents("Clear").result()
        self.assertEqual(self.calls(), [uuid_of(live)])
        self.reject(live).result()
        self.wait_row(live, open=False)
        self.recents("Clear").result()
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.calls(text="caller"), [])

    def test_retention(self):
        self.assertEqual([self.system.get(RECENTS, RECENTS1, f"Retention{what}") for what in ("Days", "Rows")],
                         [0, 1_000_000])
        calls = []
        for _ in range(4):
            calls.append(self.alpha.incoming())
            self.reject(calls[-1]).result()
            self.wait_row(calls[-1], open=False)
        self.recents("SetRetention", "uu", dbus.UInt32(30), dbus.UInt32(2)).result()
        self.assertEqual(self.calls(), [uuid_of(call) for call in reversed(calls[2:])])
        wait_until(lambda: self.system.shown(RECENTS, "RetentionRows") == 2, "the number is not told")
        live = self.alpha.incoming()
        self.wait_row(live, open=True)
        self.assertEqual(self.calls(), [uuid_of(live), uuid_of(calls[3])])

    def test_what_is_too_old(self):
        calls = [self.alpha.incoming() for _ in range(2)]
        for call in calls:
            self.reject(call).result()
            self.wait_row(call, open=False)
        with contextlib.closing(sqlite3.connect(self.file)) as database, database:
            # The first one was taken in 31 days ago.
            database.execute("INSERT INTO recentDay SELECT max(day) - 31, (SELECT id FROM recent WHERE call = ?) FROM recentDay",
                             (uuid_of(calls[0]),))
        self.assertEqual(len(self.rows()), 2)
        self.recents("SetRetention", "uu", dbus.UInt32(30), dbus.UInt32(0)).result()
        self.assertEqual(self.calls(), [uuid_of(calls[1])])
        for days in (20_000, 213_503_982, 2**32 - 1):
            self.recents("SetRetention", "uu", dbus.UInt32(days), dbus.UInt32(2**32 - 1)).result()
            self.assertEqual(self.calls(), [uuid_of(calls[1])])

    def test_with_video(self):
        for video in (True, False):
            call = self.alpha.incoming(has_video=video)
            self.reject(call).result()
            self.assertIs(bool(self.wait_row(call, open=False)["video"]), video)

    def test_calling_back(self):
        first = self.alpha.incoming(handle=("generic", "banana"))
        self.reject(first).result()
        row = self.wait_row(first, open=False)
        again = self.recents("CallBack", "xa{sv}", row["id"], variants({})).result()
        self.assertEqual(self.property(again, "Provider"), self.alpha.path)
        self.assertEqual(tuple(self.property(again, "Handle", IDENTITY)), ("generic", "banana"))
        self.end(again).result()
        self.alpha.vanish()
        gamma = Provider(self.system, "Gamma")
        again = self.recents("CallBack", "xa{sv}", row["id"], variants({})).result()
        self.assertEqual(self.property(again, "Provider"), gamma.path)

    def test_who_called_is_in_replies_only(self):
        self.add("caller-of-test", "Nameless", type_="generic").result()
        call = self.alpha.incoming(handle=("generic", "caller-of-test"))
        self.reject(call).result()
        row = self.wait_row(call, open=False)
        self.recents("Delete", "ax", dbus.Array([row["id"]], signature="x")).result()
        told = [event for event in self.system.events if event.path == RECENTS]
        self.assertTrue(told)
        for event in self.system.events:
            self.assertNotIn("caller-of-test", repr(event))
            self.assertNotIn("Nameless", repr(event))
        for event in self.system.told("Changed"):
            self.assertIn([type(value) for value in event.arguments], ([], [dbus.Int64]))

    def test_some_providers_keep_their_calls_to_themselves(self):
        secret = Provider(self.system, "Secret", includes_calls_in_recents=False)
        hidden = secret.incoming()
        self.reject(hidden).result()
        shown = self.alpha.incoming()
        self.reject(shown).result()
        self.wait_row(shown, open=False)
        self.assertEqual(self.calls(), [uuid_of(shown)])

    def test_a_page_is_never_too_large_for_a_message(self):
        name = "\U0001f412" * 256
        for _ in range(3):
            call = self.alpha.incoming(localized_caller_name=name, handle=("generic", "\U0001f34c" * 256))
            self.reject(call).result()
            self.wait_row(call, open=False, name=name)
        self.assertEqual(len(self.rows(limit=4_000_000_000)), 3)


YEARS = 10 * 365 * 86_400


class ClockTest(StoreTest):
    """A daemon whose wall clock the test sets."""

    def setUp(self):
        super().setUp()
        folder = self.system.folder.name
        library = f"{folder}/clock.so"
        subprocess.run(["clang", "-shared", "-fPIC", f"{REPOSITORY}/Tests/Fixtures/Clock/clock.c", "-o", library], check=True)
        self.system.daemon.send_signal(signal.SIGTERM)
        self.system.daemon.wait()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.environment.update(LD_PRELOAD=library, SET_CLOCK=f"{folder}/seconds")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.favorites()
        self.alpha = Provider(self.system, "Alpha")

    def set_clock(self, seconds):
        path = f"{self.system.folder.name}/seconds"
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(str(seconds))
        os.rename(path + ".new", path)


class Clocks(ClockTest):
    deadlines = {"end": 1_000}

    def test_a_step_of_years_deletes_nothing(self):
        # Tr3kkR/Yuzu #2348, netdata/netdata PR #4109, pendulum-project/ntpd-rs #957
        self.recents("SetRetention", "uu", dbus.UInt32(30), dbus.UInt32(0)).result()
        calls = []
        for seconds in (0, 0, YEARS, 0, -YEARS, 0, 0):
            self.set_clock(seconds)
            calls.append(self.alpha.incoming())
            self.reject(calls[-1]).result()
            self.wait_row(calls[-1], open=False)
        self.assertEqual(sorted(self.calls()), sorted(map(uuid_of, calls)))

    def test_a_pause_of_do_not_disturb_does_not_outlive_a_wrong_clock(self):
        # pendulum-project/ntpd-rs #957, coredevices/PebbleOS PR #773
        self.set_clock(YEARS)
        self.set_quiet_hours("00:00", "23:59")
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturb",
                         dbus.Boolean(False, variant_level=1)).result()
        self.set_clock(0)
        self.reject(self.alpha.incoming()).result()
        with open(f"{self.system.environment['XDG_CONFIG_HOME']}/opencallkit/do-not-disturb", encoding="utf-8") as file:
            until = re.search("paused-until=([0-9]+)", file.read())
        self.assertLess(int(until[1]) / 1e6, time.time() + 8 * 86_400)

    def set_quiet_hours(self, begin, end):
        hours = dbus.Array([variants({"from": begin, "until": end})], signature="a{sv}")
        rules = dbus.Dictionary({"schedule": hours}, signature="sv", variant_level=1)
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturbRules", rules).result()

    def test_a_schedule_follows_the_clock(self):
        def clock(hours):
            return time.strftime("%H:%M", time.localtime(time.time() + hours * 3_600))
        self.set_quiet_hours(clock(2), clock(4))
        for hours, quiet in ((0, False), (3, True), (0, False), (27, True), (5, False)):
            self.set_clock(hours * 3_600)
            self.assertIs(bool(self.system.get(ROOT, SYSTEM, "DoNotDisturb")), quiet, f"{hours} hours later")

    def test_a_connection_is_not_older_than_its_call(self):
        # The clock is set right between the connection and its report.
        self.set_clock(-YEARS)
        call = self.system.call(ROOT, SYSTEM, "StartCall", "s", "generic:somebody").result()
        began = time.monotonic()
        told = int((time.time() - YEARS + 1) * 1e6)
        self.set_clock(0)
        self.alpha.report("ReportOutgoingCallConnected", "sta{sv}", uuid_of(call), dbus.UInt64(told), variants({})).result()
        self.wait_state(call, "active")
        self.end(call).result()
        self.assertLessEqual(self.wait_row(call, open=False)["duration-ms"], (time.monotonic() - began + 1) * 1_000)

    def test_a_clock_that_is_set_meanwhile_makes_no_call_longer(self):
        # No call ends before it began, whatever the wall clock says.
        for seconds, leap in ((-3_600, None), (7_200, 10_800), (YEARS, YEARS - 7_200), (-YEARS, None), (0, YEARS)):
            with self.subTest(seconds=seconds):
                began = time.monotonic()
                call = self.alpha.active()
                connected = self.wait_row(call, connected=self.property(call, "ConnectedAt"))["connected"]
                self.set_clock(seconds)
                let_pass(0.12)
                self.end(call).result()
                row = self.wait_row(call, open=False)
                lasted = time.monotonic() - began
                least, most = (0, 0) if leap is None else (leap, leap + lasted)
                self.assertTrue(least <= (row["ended"] - connected) / 1e6 <= most, f"{connected} to {row['ended']}")
                self.assertGreaterEqual(row["duration-ms"], 120)
                self.assertLessEqual(row["duration-ms"], lasted * 1000)

    def test_a_step_ends_no_call_and_hurries_no_deadline(self):
        active = self.alpha.active()
        self.alpha.connects = False
        beta = Provider(self.system, "Beta", "/beta")
        ringing = beta.incoming()
        for seconds in (YEARS, -YEARS, 0):
            self.set_clock(seconds)
            # What the step would make late has happened by then.
            let_pass(0.2)
            self.assertState(active, "active")
            self.assertState(ringing, "ringing")
            self.assertIn("0:0", self.system.run(f"{BUILD}/callctl", "list").text)
        # A deadline of a second is one, while years pass.
        self.alpha.behaviour = {"end": "wait"}
        began = time.monotonic()
        pending = self.end(active)
        self.alpha.wait_action("end")
        self.set_clock(-YEARS)
        let_pass(0.2)
        self.set_clock(YEARS)
        let_pass(0.2)
        self.assertFalse(pending.done)
        pending.wait()
        self.assertGreaterEqual(time.monotonic() - began, 1)
        wait_until(lambda: self.system.shown(active, "State") in ("ended", None), "the call does not end")


class Interrupted(StoreTest, TwoProviders):
    deadlines = {"look-up": 300}

    def test_a_killed_daemon_leaves_a_row_that_says_so(self):
        self.favorites()
        talked = self.outgoing(self.alpha)
        self.wait_row(talked, connected=self.property(talked, "ConnectedAt"))
        ringing = self.beta.incoming()
        self.wait_row(ringing, open=True)
        ended = self.alpha.incoming()
        self.reject(ended).result()
        self.wait_row(ended, open=False)
        store = self.store()
        self.system.daemon.kill()
        self.system.daemon.wait()
        wait_gone(store, "callkit-store")
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.favorites()
        rows = {str(row["call"]): row for row in self.rows()}
        self.assertEqual([(rows[uuid_of(call)][key]) for call in (talked, ringing, ended) for key in ("reason", "missed")],
                         ["interrupted", False, "interrupted", True, "declined", False])
        self.assertFalse(any(row["open"] for row in rows.values()))

    def test_a_killed_store_is_told_again(self):
        live = self.outgoing(self.alpha)
        self.wait_row(live, open=True)
        store = self.store()
        os.kill(store, signal.SIGSTOP)
        calls = [self.beta.incoming() for _ in range(3)]
        for call in calls:
            self.reject(call).result()
        os.kill(store, signal.SIGKILL)
        for call in calls:
            self.wait_row(call, open=False, reason="declined")
        self.assertEqual(self.wait_row(live, open=True)["reason"], "")
        self.assertEqual(len(self.rows()), 4)
        self.wait_degraded()

    def test_the_last_calls_are_kept_on_the_way_out(self):
        self.favorites()
        calls = [self.outgoing(self.alpha), self.beta.incoming()]
        self.system.daemon.send_signal(signal.SIGTERM)
        self.system.daemon.wait()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.favorites()
        for call in calls:
            row = self.wait_row(call, open=False)
            self.assertNotEqual(row["reason"], "interrupted")
