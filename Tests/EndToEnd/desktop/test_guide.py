"""The commands of callctl in the guide: each runs as it is printed, in the order in which they stand."""

import os
import re
import shlex

from desktop.case import DesktopTest
from support.sound_servers import PulseAudio
from support.store import StoreTest
from support.system import BUILD, PLUGINS, REPOSITORY
from support.waiting import wait_until

LASTING = {"watch"}
"""Commands that last until they are stopped; they have tests of their own."""


class Guide(StoreTest, DesktopTest):
    with_plugins = True
    arguments = ("--region", "SE")

    def commands(self):
        with open(os.path.join(REPOSITORY, "docs", "guide.md"), encoding="utf-8") as file:
            lines = re.findall(r"^    (callctl.*)$", file.read(), re.MULTILINE)
        return [shlex.split(line, comments=True) for line in lines]

    def setUp(self):
        super().setUp()
        self.wait_ready("MonkeyCall", "Hotline")
        self.favorites()
        PulseAudio(self).start()
        self.start_agent()
        # The number list of the sample directory.
        lists = f"{self.system.folder.name}/config/opencallkit/lists"
        os.makedirs(lists, exist_ok=True)
        with open(f"{lists}/blocked.txt", "w", encoding="utf-8") as file:
            file.write("+4690000001\n")

    def wait_ready(self, *providers):
        self.system.wait_ready(*providers)

    def meant(self, words):
        """The words with what stands for something: a call, a row, a file."""
        if words[1:] == ["audio", "use", "headset"]:
            words = [*words[:-1], "speaker"]
        call = next((path for path in self.system.objects if "/calls/" in path), "")
        stands = {"CALL": call.rsplit("/", 1)[1] if call else "", "12": self.row,
                  "My.callplugin": os.path.join(PLUGINS, "Hotline.callplugin"),
                  "FILE": os.path.join(REPOSITORY, "Tests", "Scenarios", "Files", "06-answer-holds-other-provider.scenario")}
        return [os.path.join(BUILD, "callctl"), *(stands.get(word, word) for word in words[1:])]

    @property
    def row(self):
        rows = self.rows(missed=False)
        return str(rows[0]["id"]) if rows else "1"

    def test_every_command_runs(self):
        commands = self.commands()
        self.assertGreater(len(commands), 18)
        for words in commands:
            if words[1:2] and words[1] in LASTING:
                continue
            if "test-ring" in words:
                self.end_calls()
                self.wait_no_calls()
            if "call-back" in words or "plan" in words or "explain" in words:
                self.prepare(words)
            with self.subTest(command=" ".join(words)):
                output = self.system.run(*self.meant(words))
                self.assertEqual((output.status, output.errors), (0, ""), output.text)

    def end_calls(self):
        self.system.run(os.path.join(BUILD, "callctl"), "end", "--all")

    def wait_no_calls(self):
        wait_until(lambda: not [path for path in self.system.objects if "/calls/" in path], "calls stay")

    def prepare(self, words):
        """What such a command is about: a call that rings, or one to call back."""
        self.end_calls()
        if "call-back" in words:
            call = self.start_call("tel:+46701740605").result()
            self.end(call).result()
            wait_until(lambda: self.rows(missed=False), "no row")
        else:
            self.wait_no_calls()
            self.simulate_incoming("MonkeyCall")
