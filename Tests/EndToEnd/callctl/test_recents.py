"""callctl's commands for recents, with the real store."""

import csv
import io
import json
import os

from gi.repository import GLib

from support.messages import last, uuid_of
from support.scene import TwoProviders
from support.system import ROOT, SYSTEM
from support.terminal import UNKNOWN, USAGE, People, Watching
from support.waiting import wait_until


class Recents(TwoProviders, People):
    def setUp(self):
        super().setUp()
        self.alpha_id, self.beta_id = last(self.alpha.path), last(self.beta.path)

    def missed(self, value="070-174 06 35", name="Monkey", provider=None):
        """An unanswered call."""
        provider = provider or self.alpha
        call = provider.incoming(handle=("phone-number", value), localized_caller_name=name)
        provider.remote_end(call, "unanswered").result()
        self.wait_row(call, missed=True)
        return uuid_of(call)

    def talked(self):
        call = self.outgoing(self.alpha)
        self.end(call).result()
        self.wait_row(call, open=False)
        return uuid_of(call)

    def filtered(self):
        """A call that Do Not Disturb filters."""
        self.wait_store()
        self.system.call(ROOT, "org.freedesktop.DBus.Properties", "Set", "ssv", SYSTEM, "DoNotDisturb", True).result()
        self.assertRefused(self.beta.report_incoming(handle=("email-address", "owl@example.org")),
                           "FilteredByDoNotDisturb")
        wait_until(lambda: self.rows(text="owl"), "no row of the filtered call")

    def listed(self, *words):
        return [(row["id"], row["call"]) for row in self.data("recents", *words)]

    def test_as_people_read_them(self):
        self.assertEqual(self.says("recents"), "no recents\n")
        self.missed()
        seconds = self.wait_row(f"/{self.talked()}")["duration-ms"] // 1000
        self.filtered()
        self.outgoing(self.alpha)
        wait_until(lambda: len(self.rows()) == 4, "four rows")
        lines = self.says("recents").splitlines()
        words = [line.split() for line in lines]
        self.assertEqual(words[0], ["ID", "WHEN", "CALL", "WHO", "OUTCOME", "PROVIDER", "NOTES"])
        self.assertEqual([row[0] for row in words[1:]], ["4", "3", "2", "1"])
        for row in words[1:]:
            self.assertIn(row[1], ("today", "yesterday"))  # midnight may be near
            self.assertRegex(row[2], "^[0-2][0-9]:[0-5][0-9]$")
        self.assertIn("  outgoing  somebody ", lines[1])
        self.assertIn("  in progress  ", lines[1])
        self.assertIn("  missed    owl@example.org         do-not-disturb  ", lines[2])
        self.assertIn("  outgoing  somebody ", lines[3])
        self.assertIn(f"  {seconds} s " if seconds else "  under 1 s ", lines[3])
        self.assertIn("  missed    Monkey (070-174 06 35)  unanswered ", lines[4])
        self.assertTrue(lines[4].endswith("new"), lines[4])

    def test_nobody_is_called_withheld(self):
        call = self.alpha.incoming(handle=None)
        self.wait_row(call, open=True)
        self.assertIn("  incoming  withheld  in progress  ", self.says("recents"))

    def test_which_are_meant(self):
        one, two = self.missed(), self.talked()
        three = self.missed("1234", "Owl", self.beta)
        calls = {one: 1, two: 2, three: 3}

        def expect(words, *expected):
            self.assertEqual(self.listed(*words), [(calls[call], call) for call in expected], words)
        expect([], three, two, one)
        expect(["--missed"], three, one)
        expect(["--provider", self.alpha_id[:6].lower()], two, one)
        expect(["--provider", "Gone"])
        expect(["--direction", "outgoing"], two)
        expect(["--text", "monk"], one)
        expect(["--text", "+46701740635"], one)
        expect(["--limit", "2"], three, two)
        expect(["--since", "yesterday", "--until", "today"], three, two, one)
        expect(["--since", "1h"], three, two, one)
        expect(["--until", "1h"])
        expect(["--until", "yesterday"] if self.is_far_from_midnight() else ["--until", "3d"])
        expect(["--missed", "--text", "owl", "--direction", "incoming", "--since", "2000-01-01"], three)
        self.assertIn("older calls", self.says("recents", "--limit", "1").splitlines()[-1])

    @staticmethod
    def is_far_from_midnight():
        now = GLib.DateTime.new_now(GLib.TimeZone.new_identifier("Europe/Stockholm"))
        return now.get_hour() not in (0, 23)

    def test_read_delete_clear(self):
        for _ in range(3):
            self.missed()
        self.assertEqual(self.says("recents", "read", "#2"), "marked 1 call as read\n")
        self.assertEqual([row["read"] for row in self.data("recents")], [False, True, False])
        self.assertEqual(self.says("recents", "read", "--all"), "marked 2 calls as read\n")
        self.assertEqual([row["read"] for row in self.data("recents")], [True] * 3)
        self.assertEqual(self.says("recents", "delete", "1", "3"), "deleted 2 calls\n")
        self.assertEqual([row["id"] for row in self.data("recents")], [2])
        for command in ("delete", "read"):
            output = self.callctl("recents", command, "2", "9999", status=UNKNOWN)
            self.assertEqual((output.text, output.errors), ("", "callctl: no recent 9999\n"))
        self.assertEqual([row["id"] for row in self.data("recents")], [2])
        self.callctl("recents", "clear", status=USAGE)
        self.assertEqual(len(self.data("recents")), 1)
        self.says("recents", "clear", "--yes")
        self.assertEqual(self.data("recents"), [])

    def test_how_many_are_kept(self):
        self.assertEqual(self.says("recents", "keep"), "at most 1,000,000 calls, of any age\n")
        for _ in range(3):
            self.missed()
        self.assertEqual(self.says("recents", "keep", "--rows", "2", "--days", "90"), "at most 2 calls, for 90 days\n")
        wait_until(lambda: len(self.rows()) == 2, "two rows")
        self.assertEqual(self.data("recents", "keep", "--rows", "0"), {"retention-days": 90, "retention-rows": 0})

    def test_call_back(self):
        call = self.beta.incoming(handle=("email-address", "owl@example.org"))
        self.beta.remote_end(call, "unanswered").result()
        self.wait_row(call, missed=True)
        self.missed()
        back = self.data("recents", "call-back", "1")["object"]
        self.assertEqual(self.property(back, "Provider"), self.beta.path)
        self.wait_state(back, "active")
        again = self.says("recents", "call-back", "1", "--conflict", "end").strip()
        self.assertEqual(again, uuid_of(self.wait_told_start(again)))
        output = self.callctl("recents", "call-back", "4711", status=UNKNOWN)
        self.assertIn("no recent 4711", output.errors)

    def wait_told_start(self, uuid):
        path = f"{ROOT}/calls/{uuid.replace('-', '_')}"
        self.wait_state(path, "active")
        return path

    def test_export(self):
        hostile = ["a,b\"c", "=1+1", "@x", "-2+3", "'quoted'", "漢字 🙈", " spaces "]
        for name in hostile:
            self.missed("+46701740635", name)
        texts = self.says("recents", "export")
        self.assertEqual(texts.count("\r\n"), len(hostile) + 1)
        rows = list(csv.DictReader(io.StringIO(texts, newline="")))
        listed = self.data("recents")
        self.assertEqual([int(row["id"]) for row in rows], [row["id"] for row in listed])
        self.assertEqual([row["name"] for row in reversed(rows)],
                         ["'" + name if name[0] in "=@-" else name for name in hostile])
        self.assertEqual({row["handle"] for row in rows}, {"+46701740635"})
        for row, expected in zip(rows, listed):
            told = GLib.DateTime.new_from_iso8601(row["started"])
            self.assertEqual(told.to_unix(), expected["started"] // 1_000_000)
            self.assertIn(row["started"][-6:], ("+01:00", "+02:00"))
            self.assertEqual((row["connected"], row["missed"], row["duration-ms"]), ("", "true", "0"))
        self.assertEqual(json.loads(self.says("recents", "export", "--format", "json")), listed)
        path = f"{self.system.folder.name}/calls.json"
        self.assertEqual(self.says("recents", "export", "--output", path, "--text", "漢字"),
                         f"wrote 1 call to {path}\n")
        with open(path, encoding="utf-8") as file:
            self.assertEqual([row["name"] for row in json.load(file)], ["漢字 🙈"])
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.callctl("recents", "export", "--output", path, status=UNKNOWN)  # never overwrites a file

    def test_watching(self):
        watch = Watching(self)
        self.missed()
        watch.wait("missed", f"Monkey (070-174 06 35) via {self.alpha_id}, unanswered")
        self.filtered()
        watch.wait("filtered", f"via {self.beta_id}, do-not-disturb")
        watch.wait("missed", "owl@example.org")
        self.says("recents", "read", "--all")
        self.assertEqual(len(watch.lines("  missed ")), 2, watch.text)
