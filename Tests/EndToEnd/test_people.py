"""callctl's commands for block lists, directories, recents and favorites, with the real store."""

import csv
import fcntl
import io
import json
import os
import signal
import struct
import subprocess
import termios

from gi.repository import GLib

from provider import Provider
from scene import TwoProviders
from store import StoreTest
from support import BUILD, IDENTITY, ROOT, SYSTEM, SystemTest, last, uuid_of
from test_directory import DirectoryTest
from waiting import exited, wait_until

CALLCTL = f"{BUILD}/callctl"
DONE, REFUSED, USAGE, UNKNOWN = 0, 1, 64, 66


class Commands:
    """Commands do not write to a terminal; times are in the time zone of Stockholm."""

    def callctl(self, *words, status=DONE, **environment):
        output = self.system.run(CALLCTL, *words, TZ="Europe/Stockholm", **environment)
        self.assertEqual(output.status, status, f"callctl {words}: {output.text}{output.errors}")
        if status == DONE:
            self.assertEqual(output.errors, "", words)
        return output

    def says(self, *words, status=DONE):
        return self.callctl(*words, status=status).text

    def data(self, *words):
        return json.loads(self.says(*words, "--json"))


class People(Commands, StoreTest):
    arguments = ("--region", "SE")

    def setUp(self):
        super().setUp()
        self.favorites()


class Watching:
    """A running callctl watch."""

    def __init__(self, test):
        self.process = subprocess.Popen([CALLCTL, "watch"], env=test.system.environment, stdout=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = ""
        self.source = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.process.stdout.fileno(),
                                            GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        test.addCleanup(self.stop)
        self.wait("callkitd is there")

    def read(self, *_):
        data = self.process.stdout.read()
        self.text += (data or b"").decode()
        if not data:
            self.source = None
        return bool(data)

    def lines(self, *words):
        """The lines so far that have all these words."""
        return [line for line in self.text.splitlines() if all(word in line for word in words)]

    def wait(self, *words):
        wait_until(lambda: self.lines(*words), lambda: f"no line with {words}: {self.text}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            exited(self.process)
        if self.source is not None:
            GLib.source_remove(self.source)
        self.process.stdout.close()


class First(Commands, SystemTest):
    def test_the_first_request_is_answered(self):
        """Also for a client whose request made the bus start the daemon."""
        self.assertEqual(self.says("favorites"), "no favorites\n")


class Favorites(People):
    def test_from_the_first_to_the_last(self):
        self.assertEqual(self.says("favorites"), "no favorites\n")
        self.assertEqual(self.data("favorites"), [])
        self.assertEqual(self.says("favorites", "add", "070-174 06 35", "Monkey"), "added Monkey as 1\n")
        self.assertEqual(self.says("favorites", "add", "banana@example.org"), "added banana@example.org as 2\n")
        self.assertEqual(self.data("favorites", "add", "tree", "Tree", "--provider", "Hotline"), {"id": 3})
        self.assertEqual(self.says("favorites", "move", "tree", "first"), "moved Tree (tree) to the first place\n")
        self.assertEqual(self.says("favorites", "list").splitlines(), [
            "PLACE  ID  NAME    HANDLE              TYPE           PROVIDER",
            "    1   3  Tree    tree                generic        Hotline",
            "    2   1  Monkey  070-174 06 35       phone-number",
            "    3   2          banana@example.org  email-address"])
        self.says("favorites", "move", "3", "2")
        self.assertEqual([row["id"] for row in self.data("favorites")], [1, 3, 2])
        self.says("favorites", "move", "mon", "last")
        self.assertEqual([row["id"] for row in self.data("favorites")], [3, 2, 1])
        self.assertEqual(self.says("favorites", "remove", "ban"), "removed banana@example.org\n")
        self.assertEqual([row["name"] for row in self.data("favorites")], ["Tree", "Monkey"])

    def test_the_same_number_is_renamed(self):
        self.says("favorites", "add", "+46701740635", "Monkey")
        self.says("favorites", "add", "tel:0701740635", "Ape")
        self.assertEqual([row["name"] for row in self.data("favorites")], ["Ape"])

    def test_nonsense(self):
        output = self.callctl("favorites", "remove", "nobody", status=UNKNOWN)
        self.assertEqual(output.errors, 'callctl: no favorite "nobody"\n')
        self.callctl("favorites", "add", "", status=USAGE)
        output = self.callctl("favorites", "add", "tree", "--provider", "no/id", status=REFUSED)
        self.assertIn("InvalidArguments: ", output.errors)

    def test_columns_fit(self):
        self.says("favorites", "add", "x" * 200, "漢字" * 40)
        lines = self.callctl("favorites", COLUMNS="80").text.splitlines()
        width = sum(2 if ord(character) > 0x2E80 else 1 for character in lines[1])
        self.assertLessEqual(width, 80)
        self.assertIn("…", lines[1])


class Calling(TwoProviders, People):
    def test_a_favorite_is_called_by_its_provider(self):
        self.says("favorites", "add", "generic:tree", "Tree", "--provider", self.alpha.path.rsplit("/", 1)[1])
        call = self.data("favorites", "call", "tre")["Object"]
        self.assertEqual(self.property(call, "Provider"), self.alpha.path)
        self.wait_state(call, "active")
        self.assertEqual(self.says("favorites", "call", "tree", "--conflict", "end").count("-"), 4)

    def test_a_provider_that_has_gone_gives_way(self):
        self.says("favorites", "add", "a@example.org", "Anna", "--provider", "Gone")
        call = self.data("favorites", "call", "anna", "--video")["Object"]
        self.assertEqual(self.property(call, "Provider"), self.beta.path)
        self.assertTrue(self.property(call, "Video"))


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
        self.talked()
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
        self.assertIn("  under 1 s ", lines[3])
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
        expect(["--provider", self.alpha_id[:4].lower()], two, one)
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
        self.assertEqual(self.says("recents", "read", "--all"), "marked all missed calls as read\n")
        self.assertEqual([row["read"] for row in self.data("recents")], [True] * 3)
        self.assertEqual(self.says("recents", "delete", "1", "3"), "deleted 2 calls\n")
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
        self.assertEqual(self.data("recents", "keep", "--rows", "0"), {"RetentionDays": 90, "RetentionRows": 0})

    def test_call_back(self):
        call = self.beta.incoming(handle=("email-address", "owl@example.org"))
        self.beta.remote_end(call, "unanswered").result()
        self.wait_row(call, missed=True)
        self.missed()
        back = self.data("recents", "call-back", "1")["Object"]
        self.assertEqual(self.property(back, "Provider"), self.beta.path)
        self.wait_state(back, "active")
        again = self.says("recents", "call-back", "1", "--conflict", "end").strip()
        self.assertEqual(again, uuid_of(self.wait_told_start(again)))
        output = self.callctl("recents", "call-back", "4711", status=REFUSED)
        self.assertIn("InvalidArguments: ", output.errors)

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


class Blocking(TwoProviders, People):
    def ring(self, value, **update):
        return self.alpha.report_incoming(handle=("phone-number", value), **update)

    def test_what_the_user_blocks_does_not_ring(self):
        watch = Watching(self)
        self.assertEqual(self.says("blocked"), "")
        self.assertEqual(self.says("block", "1234", "070-174 06 35"), "blocked 1234\nblocked 070-174 06 35\n")
        watch.wait("lists", "your own lists have changed")
        self.assertEqual(self.says("blocked"), "+46701740635\n1234\n")
        for value in ("1234", "+46 70 174 06 35"):
            self.assertRefused(self.ring(value), "FilteredByBlockList")
        watch.wait("filtered", "blocked by user")
        self.assertEqual(self.data("recents")[0]["filtered-by"], "user")
        self.assertIn("  filtered  1234", self.says("recents"))
        self.assertEqual(self.says("identify", "1234"), "number   1234\nname     unknown\nblocked  by user\n")
        self.says("allow", "1234")
        self.assertEqual(self.data("allowed"), ["1234"])
        self.assertEqual(self.says("identify", "1234"),
                         "number   1234\nname     unknown\nallowed  by user, 1234\nblocked  no, though by user\n")
        known = self.data("identify", "1234")
        self.assertEqual((known["blocked"], known["blocked-by"], known["allowed"], known["allowed-by"]),
                         (False, "user", True, "1234"))
        self.end(self.ring("1234").result()).result()
        self.says("disallow", "1234")
        self.assertEqual(self.says("unblock", "1234"), "unblocked 1234\n")
        self.assertEqual(self.data("blocked"), ["+46701740635"])
        self.ring("1234").result()

    def test_more_than_one_number_at_a_time(self):
        self.says("block", "+4670…", "+46900000000-+46909999999", "withheld", "owl@example.org")
        for value in ("+46701740635", "+46905000000"):
            self.assertRefused(self.ring(value), "FilteredByBlockList")
        self.assertRefused(self.alpha.report_incoming(handle=None), "FilteredByBlockList")
        for who, rule in (("070-174 06 35", "+4670…"), ("+46 90 500 00 00", "+46900000000-+46909999999"),
                          ("withheld", "withheld")):
            self.assertEqual(self.data("identify", who)["blocked-rule"], rule)
        self.assertRefused(self.beta.report_incoming(handle=("email-address", "Owl@example.org")),
                           "FilteredByBlockList")
        for value in ("+46801740635", "+46910000000", "+469050000001"):
            self.ring(value).result()
        self.says("unblock", *self.data("blocked"))
        self.assertEqual(self.data("blocked"), [])

    def test_one_bad_number_does_not_stop_the_others(self):
        output = self.callctl("block", "1", "+46-+4711", "2", "a…", status=REFUSED)
        self.assertEqual(output.text, "blocked 1\nblocked 2\n")
        self.assertEqual(output.errors.count("InvalidArguments: "), 2)
        self.assertEqual(self.data("blocked"), ["1", "2"])


class Directories(Commands, DirectoryTest):
    arguments = ("--deadline", "load=6000")

    def setUp(self):
        super().setUp()
        self.bundle()

    def test_the_tutorials_case(self):
        """1234 is blocked and 1111 is "RW Tutorial Team": by a directory, and then by the user's own rules."""
        provider = Provider(self.system, "Tutorial", supported_handle_types=["phone-number"])
        watch = Watching(self)
        self.assertEqual(self.says("identify", "1234"), "number   1234\nname     unknown\nblocked  no\n")
        self.assertEqual(self.says("directory", "enable", "tutorial"),
                         "enabled TutorialDirectory: 1 blocked, 1 identified\n")
        watch.wait("lists", "TutorialDirectory enabled: 1 blocked, 1 identified")
        self.assertEqual(self.says("identify", "1234"),
                         "number   1234\nname     unknown\nblocked  by TutorialDirectory\n")
        self.assertEqual(self.says("identify", "1111"),
                         "number     1111\nname       RW Tutorial Team\nname from  TutorialDirectory\nblocked    no\n")
        self.assertRefused(provider.report_incoming(handle=("phone-number", "1234")), "FilteredByBlockList")
        watch.wait("filtered", "blocked by TutorialDirectory")
        call = provider.incoming(handle=("phone-number", "1111"))
        self.assertEqual((self.property(call, "CallerName", IDENTITY),
                          self.property(call, "CallerNameSource", IDENTITY)), ("RW Tutorial Team", "directory"))
        self.end(call).result()
        self.assertEqual(self.says("directory", "disable", "tutorial"), "disabled TutorialDirectory\n")
        self.end(provider.incoming(handle=("phone-number", "1234"))).result()
        self.says("block", "1234")
        self.assertRefused(provider.report_incoming(handle=("phone-number", "1234")), "FilteredByBlockList")

    def test_list_and_report(self):
        self.assertEqual(self.says("directory").splitlines(), [
            "ID                 STATE", "TutorialDirectory  disabled"])
        self.says("directory", "enable", "tutorial")
        words = self.says("directory", "list").splitlines()[1].split()
        self.assertEqual(words[:4], ["TutorialDirectory", "enabled", "1", "1"])
        report = dict(line.split(maxsplit=1) for line in self.says("directory", "report", "tutorial").splitlines())
        self.assertEqual((report["id"], report["state"], report["labels"], report["mode"]),
                         ("TutorialDirectory", "enabled", "1", "full"))
        self.assertRegex(report["took"], r"^[0-9.]+ s$")
        told = self.data("directory", "report", "tutorial")
        self.assertEqual((told["id"], told["blocked"], told["error"]), ("TutorialDirectory", 1, ""))
        self.callctl("directory", "report", "nobody", status=UNKNOWN)
        self.callctl("directory", "reload", status=USAGE)

    def test_a_load_that_fails(self):
        output = self.callctl("directory", "reload", "tutorial", status=REFUSED)
        self.assertTrue(output.errors.startswith("callctl: ExtensionDisabled: "), output.errors)
        self.says("directory", "enable", "tutorial")
        self.conduct("numbers 1 5 3")
        output = self.callctl("directory", "reload", "tutorial", status=REFUSED)
        self.assertIn("EntriesOutOfOrder: blocking entry 3: 3 comes after 5", output.errors)
        self.assertIn("EntriesOutOfOrder: blocking entry 3", self.says("directory"))
        self.says("directory", "disable", "tutorial")
        output = self.callctl("directory", "enable", "tutorial", status=REFUSED)
        self.assertIn("EntriesOutOfOrder: ", output.errors)
        self.conduct("")
        self.assertEqual(self.says("directory", "reload", "tutorial"),
                         "reloaded TutorialDirectory: 1 blocked, 1 identified\n")

    def test_progress_on_a_terminal_and_nowhere_else(self):
        self.says("directory", "enable", "tutorial")
        self.conduct("never")
        output = self.callctl("directory", "reload", "tutorial", status=REFUSED)
        self.assertEqual(output.errors.count("\n"), 1, output.errors)
        self.assertNotIn("loading", output.errors)
        shown = self.on_a_terminal("directory", "reload", "tutorial")
        drawn, _, rest = shown.rpartition("\r\x1b[K")
        self.assertRegex(drawn, r"^(\rloading TutorialDirectory  \[ +\]  0 of 2\x1b\[K)+$")
        self.assertRegex(rest, r"^callctl: LoadingInterrupted: .*\r\n$")

    def on_a_terminal(self, *words):
        """The output of a command to stderr, which is a terminal of 80 columns."""
        ours, its = os.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {**self.system.environment, "TERM": "xterm"}
        process = subprocess.Popen([CALLCTL, *words], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=its)
        os.close(its)
        exited(process)
        shown = b""
        try:
            while data := os.read(ours, 65_536):
                shown += data
        except OSError:  # how a terminal reports the end
            pass
        os.close(ours)
        return shown.decode()
