"""callctl's commands for block lists and directories, with the real store."""

from support.directories import DirectoryTest
from support.provider import Provider
from support.scene import TwoProviders
from support.system import IDENTITY
from support.terminal import REFUSED, UNKNOWN, USAGE, Commands, People, Watching


class Blocking(TwoProviders, People):
    def ring(self, value, **update):
        return self.alpha.report_incoming(handle=("phone-number", value), **update)

    def test_what_the_user_blocks_does_not_ring(self):
        watch = Watching(self)
        self.assertEqual(self.data("blocked"), [])
        self.assertEqual(self.says("block", "1234", "070-174 06 35"), "blocked 1234\nblocked +46701740635\n")
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

    def test_a_long_list_is_answered(self):
        """It is longer than a packet of the link between the daemon and the store, which has 128 KiB."""
        rules = [f"{number:03}{'å' * 230}@example.org" for number in range(320)]
        self.says("block", *rules)
        blocked = self.data("blocked")
        self.assertEqual((len(blocked), blocked[0], blocked[-1]), (320, rules[0], rules[-1]))
        self.says("unblock", *rules)
        self.assertEqual(self.data("blocked"), [])

    def test_one_bad_number_does_not_stop_the_others(self):
        output = self.callctl("block", "1", "+46-+4711", "2", "a…", status=REFUSED)
        self.assertEqual(output.text, "blocked 1\nblocked 2\n")
        self.assertEqual(output.errors.count("InvalidArguments: "), 2)
        self.assertEqual(self.data("blocked"), ["1", "2"])

    def test_success_is_said_only_when_something_was_done(self):
        for command, list_ in (("unblock", "block"), ("disallow", "allow")):
            output = self.callctl(command, "999", status=UNKNOWN)
            self.assertEqual((output.text, output.errors),
                             ("", f"callctl: no rule 999 in your {list_} list; callctl {list_}ed prints it\n"))
        output = self.callctl("block", "abc", status=REFUSED)
        self.assertEqual(output.text, "")
        self.assertIn("'abc' is not a valid rule, expected a number", output.errors)


class Directories(Commands, DirectoryTest):
    arguments = ("--deadline", "load=10000")

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
        self.assertRegex(rest, r"^callctl: LoadingInterrupted: (.|\r\n {9})*\r\n$")
