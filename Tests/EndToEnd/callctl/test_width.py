"""callctl on a terminal of 80 columns, and where there is none."""

import json
import os
import re
import shutil
import subprocess
import unicodedata

from support.messages import uuid_of
from support.provider import Provider
from support.scene import TwoProviders
from support.system import BUILD
from support.terminal import CALLCTL, REFUSED, USAGE, People
from support.waiting import wait_until

WIDTH = 80
WORD, NAME = "a-very-long-word" * 12, "A very long name " * 12
NAMES = NAME, "山田太郎の長い名前" * 12, "Zoë 👩‍👩‍👧‍👦 🇸🇪 한 " * 12
"""Signs of one column, of two, and some that are joined to one."""


def columns(line):
    """What a terminal shows of a line, at least: joined signs have two columns at most."""
    line = re.sub("(\u200d.|[\U0001f1e6-\U0001f1ff](?=[\U0001f1e6-\U0001f1ff]))", "", line)
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)


def commands(command, words=()):
    """The words of a command, and of all below it."""
    yield words
    for below in command.get("subcommands", []):
        if below["commandName"] != "help":
            yield from commands(below, (*words, below["commandName"]))


class Columns(TwoProviders, People):
    with_plugins = True

    def assertFits(self, *words, has="", width=WIDTH):
        lines = self.lines_on_a_terminal(*words, width=width)
        self.assertIn(has, " ".join(line.strip() for line in lines), words)
        for line in lines:
            self.assertLessEqual(columns(line), width, f"{words}: {line}")
        return lines

    def test_every_help(self):
        tree = json.loads(subprocess.run([CALLCTL, "--experimental-dump-help"], check=True, capture_output=True).stdout)
        every = list(commands(tree["command"]))
        self.assertGreater(len(every), 60)
        for words in every:
            help_ = self.callctl(*words, "--help", COLUMNS="200").text
            self.assertIn("USAGE: callctl", help_, words)
            self.assertEqual(help_.splitlines(), self.assertFits(*words, "--help"))

    def test_a_usage_is_broken_between_options(self):
        self.assertIn("USAGE: callctl start <handle> [--provider <provider>] [--video] [--hide-number]\n"
                      "       [--no-hide-number] [--contact <id>] [--uuid <uuid>] [--conflict <policy>]\n"
                      "       [--json] [--address <bus>]\n",
                      self.callctl("start", "--help").text)

    def test_forty_columns_keep_the_caller(self):
        call = self.alpha.active(localized_caller_name="Maja Grahn", handle=("generic", "555010123"))
        other = self.beta.incoming(localized_caller_name="Maja Grahn", handle=("generic", "555010123"))
        self.answer(other).result()
        self.wait_state(call, "held")
        self.wait_store()
        self.wait_row(call)
        self.wait_row(other)
        for words in (("list",), ("recents",)):
            lines = self.callctl(*words, COLUMNS="40").text.splitlines()
            self.assertIn("Maja Grahn (555010123)", lines[1])
            self.assertIn("Maja Grahn (555010123)", lines[2])
            self.assertTrue(all(len(line) <= 40 for line in lines), lines)
        self.assertNotIn("DIRECTION", self.callctl("list", COLUMNS="40").text)
        self.assertTrue(all(len(line) <= 40 for line in self.callctl(COLUMNS="40").text.splitlines()))

    def test_every_table(self):
        for index, name in enumerate(NAMES):
            with self.subTest(name=name):
                self.show_tables(name, f"/wide{index}")

    def show_tables(self, name, delegate):
        self.wait_store()
        call = self.alpha.active(localized_caller_name=name, network_name=name, codec=WORD, handle=("generic", WORD))
        Provider(self.system, "Wide" * 16, delegate=delegate, localized_name=name, key=delegate[1:], status=name,
                 availability="emergency-only")
        self.end(self.simulate_incoming("MonkeyCall", name=name, handle="generic:" + WORD)).result()
        ringing = self.simulate_incoming("MonkeyCall", name=name, handle="generic:" + WORD)
        self.says("favorites", "add", "generic:" + WORD, name)
        lines = self.assertFits("show", uuid_of(call), has=call)
        self.assertIn(f"  {call}", lines)
        listed = self.assertFits("list")
        for word in ("STATE", "CALLER", "PROVIDER", "TIME"):
            self.assertIn(word, listed[0])
        for words in (("list",), (), ("status",), ("explain", uuid_of(call)), ("explain", "--verbose", uuid_of(call)),
                      ("show", uuid_of(call)), ("providers",), ("providers", "default"),
                      ("providers", "find", "generic:x"), ("plugins",), ("recents",), ("favorites",),
                      ("identify", "generic:" + WORD), ("contacts",), ("directory",), ("directory", "report", "List"),
                      ("dnd", "status"), ("plan", "end", uuid_of(call)), ("mute", uuid_of(call)), ("audio",), ("doctor",),
                      ("certify", "--list"), ("recents", "keep"), ("access",), ("desktop",), ("accounts",)):
            for width in (WIDTH, 40):
                self.assertFits(*words, width=width)
        for one in (ringing, call):
            self.end(one).result()

    def test_the_command_that_grants_is_whole(self):
        """A plugin that waits for consent shows on 80 columns what grants it what it needs."""
        asking = os.path.join(self.system.folder.name, "data", "opencallkit", "plugins", "Asking.callplugin")
        os.makedirs(asking, mode=0o755)
        with open(os.path.join(asking, "Plugin.ini"), "w", encoding="utf-8") as file:
            file.write("[Plugin]\nNeeds=network;files:xdg-config/a-rather-long-name;\nMayUse=audio;\n")
        shutil.copy(os.path.join(BUILD, "libSmallestPlugin.so"), os.path.join(asking, "Asking.so"))
        wait_until(lambda: "needs-consent" in self.callctl("plugins").text, "the plugin is not found")
        command = "callctl plugins grant Asking network files:xdg-config/a-rather-long-name"
        for words in (("plugins",), ("plugins", "show", "Asking"), ("doctor",)):
            self.assertFits(*words, has=command)
        self.assertIn("network?", " ".join(self.lines_on_a_terminal("plugins")))

    def test_errors_are_wrapped_on_a_terminal_only(self):
        self.alpha.active(supports_holding=False)
        for words, status in ((("start", "generic:x"), REFUSED), (("start", "generic:"), REFUSED),
                              (("providers", "default", "a:" + "b " * 30), USAGE), (("start", "--nonsense"), USAGE)):
            lines = self.assertFits(*words)
            self.assertGreater(len(lines), 1)
            first = self.callctl(*words, status=status).errors.splitlines()[0]
            self.assertGreater(len(first), WIDTH if status == REFUSED else 0)
            self.assertTrue(first.startswith(lines[0]), words)
        self.assertEqual(len(self.callctl("start", "generic:x", status=REFUSED).errors.splitlines()), 1)

    def test_completions_and_json_are_not_wrapped(self):
        for words in (("--generate-completion-script", "bash"), ("--experimental-dump-help",), ("list", "--json")):
            self.assertEqual("".join(f"{line}\n" for line in self.lines_on_a_terminal(*words)), self.says(*words))
