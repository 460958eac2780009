"""What callctl says: only what is so, in the words of its tables, and what was expected instead of nonsense."""

import signal
import subprocess

import dbus

from support.directories import DirectoryTest
from support.messages import uuid_of, variants
from support.provider import Provider
from support.scene import TwoProviders
from support.terminal import CALLCTL, REFUSED, UNKNOWN, USAGE, Commands, People
from support.waiting import wait_until


class Already(TwoProviders, People):
    """Success is said once: whoever asks again is told that it is so already, and that is no failure."""

    def test_rules(self):
        self.assertEqual(self.says("block", "070-174 06 35", "1234"), "blocked +46701740635\nblocked 1234\n")
        self.assertEqual(self.says("block", "+46701740635", "112233", "1234"),
                         "+46701740635 is blocked already\nblocked 112233\n1234 is blocked already\n")
        self.assertEqual(self.data("block", "1234", "4321"), ["1234", "4321"])
        for said in ("allowed 1234\n", "1234 is allowed already\n"):
            self.assertEqual(self.says("allow", "1234"), said)

    def test_the_ringer(self):
        self.alpha.incoming()
        for said in ("silenced\n", "silenced already\n"):
            self.assertEqual(self.says("silence"), said)

    def test_favorites(self):
        self.assertEqual(self.says("favorites", "add", "070-174 06 35", "Monkey"), "added Monkey as 1, +46701740635\n")
        self.assertEqual(self.says("favorites", "add", "+46701740635", "Monkey"), "Monkey is favorite 1 already\n")
        self.assertEqual(self.says("favorites", "add", "+46701740635", "Ape"), "renamed Monkey to Ape\n")
        self.assertEqual(self.data("favorites", "add", "+46701740635", "Ape"), {"id": 1, "normalized": "+46701740635"})
        self.says("favorites", "add", "owl@example.org")
        self.assertEqual(self.says("favorites", "add", "owl@example.org"), "owl@example.org is favorite 2 already\n")
        self.assertEqual(self.says("favorites", "move", "ape", "first"),
                         "Ape (0701740635) is at the first place already\n")
        self.assertEqual(self.says("favorites", "move", "owl", "9"), "owl@example.org is at place 2 already\n")


class AlreadyInTheList(Commands, DirectoryTest):
    def test_plugins(self):
        self.place("Hotline")
        self.wait_ready("Hotline")
        self.assertEqual(self.says("plugins", "enable", "hot"), "Hotline is enabled already\n")
        for said in ("disabled Hotline\n", "Hotline is disabled already\n"):
            self.assertEqual(self.says("plugins", "disable", "hot"), said)
        for said in ("enabled Hotline\n", "Hotline is enabled already\n"):
            self.assertEqual(self.says("plugins", "enable", "hot"), said)

    def test_directories(self):
        self.bundle()
        self.wait_extension()
        self.assertEqual(self.says("directory", "disable", "tut"), "TutorialDirectory is disabled already\n")
        for said in ("enabled TutorialDirectory: ", "TutorialDirectory is enabled already: "):
            self.assertEqual(self.says("directory", "enable", "tut"), f"{said}1 blocked, 1 identified\n")
        for said in ("disabled TutorialDirectory\n", "TutorialDirectory is disabled already\n"):
            self.assertEqual(self.says("directory", "disable", "tut"), said)


class Emergency(TwoProviders, People):
    def setUp(self):
        super().setUp()
        self.mark(Provider(
            self.system, "Phone", delegate="/phone",
            supported_handle_types=dbus.Array(["phone-number"], signature="s"), emergency_numbers=["112"]))

    def test_errors_have_the_ids_that_tables_show(self):
        self.says("favorites", "add", "generic:tree", "Tree")
        talked = self.outgoing(self.alpha)
        self.end(talked).result()
        self.wait_row(talked, open=False)
        call = self.says("start", "112").strip()
        for words in (("start", "generic:tree"), ("favorites", "call", "tree"), ("recents", "call-back")):
            output = self.callctl(*words, status=REFUSED)
            self.assertNotIn(call, output.errors, words)
            self.assertIn(call[:8], output.errors, words)

    def test_the_list_tells(self):
        self.says("start", "112")
        self.assertRegex(self.says("list"), r"112 .* emergency\n")
        self.assertRegex(self.says(), r"\ncalls .* 112 .* emergency\n")


class Numbers(TwoProviders, People):
    def test_a_call_is_named_by_its_number_however_it_is_written(self):
        self.wait_store()
        call = self.alpha.incoming(handle=("phone-number", "0705550102"))
        other = self.beta.incoming(handle=("phone-number", "0705550103"))
        self.assertEqual(self.data("show", "+46 70-555 01 02")["id"], uuid_of(call))
        self.assertEqual(self.data("plan", "answer", "tel:+46705550103")[0]["call"], other)
        self.callctl("end", "+46705550104", status=UNKNOWN)
        self.assertTrue(self.says("end", "+46705550102").startswith(f"ended {uuid_of(call)[:8]}"))
        self.wait_state(call, "ended")
        self.assertState(other, "ringing")

    def test_a_number_that_several_calls_have_is_not_guessed(self):
        self.wait_store()
        for provider in (self.alpha, self.beta):
            provider.incoming(handle=("phone-number", "0705550102"))
        self.assertIn("matches 2 calls", self.callctl("end", "+46705550102", status=UNKNOWN).errors)


class Nonsense(TwoProviders, People):
    def test_what_was_expected_is_said(self):
        self.wait_store()
        for words, status in ((("start", "generic:"), REFUSED), (("identify", ""), REFUSED),
                              (("providers", "default", "foo:bar"), USAGE),
                              (("providers", "default", "foo:bar", "none"), USAGE)):
            output = self.callctl(*words, status=status)
            self.assertIn("expected ", output.errors, words)
            self.assertEqual(output.text, "", words)
        self.assertIn('"foo:bar"', output.errors)
        self.assertEqual(self.says("providers", "default", "sip"), "no default\n")


class Samples(People):
    with_plugins = True

    def test_who_is_blocked_is_refused_in_plain_words(self):
        self.says("block", "generic:bananas")
        refused = self.callctl("action", "MonkeyCall", "simulate-incoming", "handle=generic:bananas", status=REFUSED)
        self.assertEqual(refused.errors, "callctl: ActionFailed: provider MonkeyCall refused simulate-incoming: the call was "
                                         "refused: the caller is on a block list\n")

    def test_a_start_that_nobody_takes_tells_which_plugin_does_not_run(self):
        for plugin in ("Hotline", "MonkeyCall"):
            self.says("plugins", "disable", plugin)
        wait_until(lambda: self.callctl("providers").text.startswith("no providers"), "the providers stay")
        refused = self.callctl("start", "generic:x", status=UNKNOWN)
        for plugin in ("Hotline", "MonkeyCall"):
            self.assertIn(f"plugin {plugin} is disabled; try: callctl plugins enable {plugin}\n", refused.errors)
        refused = self.callctl("start", "generic:x", "--provider", "hot", status=UNKNOWN)
        self.assertIn('no provider "hot": plugin Hotline is disabled; try: callctl plugins enable Hotline', refused.errors)


class NoPlugins(People):
    def test_no_plugin_is_no_dead_end(self):
        folder = f"{self.system.environment['XDG_DATA_HOME']}/opencallkit/plugins"
        self.assertEqual(self.says("plugins"), "no plugins; to install one, Name.so or Name.callplugin: "
                                               f"callctl plugins install FILE; it comes into {folder}\n")
        self.assertEqual(self.data("plugins"), [])
        self.assertIn("callctl plugins", self.says("providers"))
        refused = self.callctl("start", "generic:x", status=UNKNOWN)
        self.assertIn("there are no plugins; try: callctl plugins\n", refused.errors)

    def test_a_provider_that_is_offline_says_why(self):
        Provider(self.system, "Radio", availability="offline", status="no radio is found")
        refused = self.callctl("start", "generic:x", status=UNKNOWN)
        self.assertIn("Radio is offline: no radio is found\n", refused.errors)


class Ends(TwoProviders, People):
    """What the network told of an end is shown as long as the call is."""

    def test_a_busy_far_side(self):
        self.wait_store()
        call = self.alpha.incoming()
        self.alpha.report("ReportCallEnded", "stsa{sv}", uuid_of(call), 0, "failed",
                          variants({"end-detail": "busy", "end-code": "SIP 486"})).result()
        self.assertIn("ended: failed (busy)", self.says("list"))
        self.wait_row(call, open=False)
        self.assertIn("failed (busy)", self.says("recents"))
        row, = self.data("recents")
        self.assertEqual((row["reason"], row["end-detail"], row["end-code"]), ("failed", "busy", "SIP 486"))
        self.says("recents", "read", "--all")
        self.assertIn(",busy,SIP 486", self.says("recents", "export", "--format", "csv"))


class Moments(TwoProviders, People):
    def test_a_held_call_is_to_be_resumed(self):
        held, active = self.held_and_active()
        self.assertRegex(self.says(), f"try next +callctl resume {uuid_of(held)[:8]}\n")
        self.says("swap", uuid_of(held)[:8])
        self.wait_state(active, "held")
        self.says("hangup", uuid_of(active)[:8])
        self.assertRegex(self.says(), f"try next +callctl end {uuid_of(held)[:8]}\n")

    def test_for_whom_a_call_is_held(self):
        held, active = self.held_and_active()
        state = f"held by arbiter for {uuid_of(active)[:8]}"
        for words in (("list",), (), ("show", uuid_of(held))):
            self.assertIn(state, self.says(*words))
        self.assertEqual([call["held-for"] for call in self.data("list")], [active, "/"])

    def test_a_ringing_call_is_shown_first(self):
        self.held_and_active()
        ringing = self.alpha.incoming()
        self.assertRegex(self.says(), rf"\ncalls +{uuid_of(ringing)[:8]}  ringing")
        self.assertRegex(self.says(), f"try next +callctl answer {uuid_of(ringing)[:8]}\n")

    def test_who_leaves_a_start_is_told_that_it_goes_on(self):
        self.alpha.behaviour["start"] = "wait"
        with subprocess.Popen([CALLCTL, "dial", "generic:x"], env=self.system.environment, stderr=subprocess.PIPE,
                              text=True) as starting:
            self.alpha.wait_action("start")
            starting.send_signal(signal.SIGINT)
            self.assertEqual(starting.stderr.read(), "\ncallctl: callkitd goes on with the request; see: callctl list\n")
        self.assertEqual(starting.returncode, -signal.SIGINT)
        self.assertIn("starting", self.says("list"))

    def test_nothing_to_list(self):
        self.wait_store()
        for command in ("blocked", "allowed"):
            output = self.system.run(CALLCTL, command)
            self.assertEqual((output.text, output.errors), ("", f"no {command} numbers\n"))
            self.assertEqual(self.data(command), [])
        self.callctl("recents", "--limit", "0", status=USAGE)
        for words in (("call-back", "999"), ("delete", "999"), ("read", "999")):
            self.assertIn("no recent 999", self.callctl("recents", *words, status=UNKNOWN).errors)

    def test_what_cannot_be_is_said_in_words(self):
        for words, said in ((("recents", "--limit", "-1"), "--limit is -1, expected a count from 1"),
                            (("recents", "keep", "--days", "-1"), "--days is -1, expected a count from 0"),
                            (("recents", "keep", "--rows", "4294967296"), "--rows is 4294967296, expected a count"),
                            (("dnd", "on", "--until", "18:00"), "on lasts until you turn it off")):
            self.assertIn(said, self.callctl(*words, status=USAGE).errors.replace("\n", " "))
        self.assertIn("this is no phone number", self.callctl("start", "phone-number:bananas", status=REFUSED).errors)
        self.wait_store()
        self.assertIn("there is a letter in the number", self.callctl("block", "+46 7O 174 06 05", status=REFUSED).errors)

    def test_help_without_unicode(self):
        for words in (("--help",), ("block", "--help"), ("dnd", "--help"), ("start", "--help")):
            self.assertTrue(self.callctl(*words, LC_ALL="C").text.isascii(), words)
        self.assertIn("+4670...", self.callctl("block", "--help", LC_ALL="C").text)
        self.assertIn("+4670…", self.callctl("block", "--help").text)

    def test_a_locale_without_unicode(self):
        call = self.alpha.active(localized_caller_name="Åsa " * 40)
        self.assertIn("Åsa", self.says("list"))
        for words in (("list",), (), ("show", uuid_of(call))):
            shown = self.callctl(*words, LC_ALL="C", COLUMNS="60").text
            self.assertTrue(shown.isascii() and "?sa" in shown, shown)
