"""The commands in docs/troubleshooting.md: each runs as it is printed."""

import os
import re
import shlex

from support.case import SystemTest
from support.system import BUILD, REPOSITORY


class Troubleshooting(SystemTest):
    with_plugins = True

    def commands(self):
        with open(os.path.join(REPOSITORY, "docs", "troubleshooting.md"), encoding="utf-8") as file:
            return re.findall(r"^    \$ (.*)$", file.read(), re.MULTILINE)

    def test_every_command_runs(self):
        self.wait_store()
        call = self.simulate_incoming("MonkeyCall")
        self.answer(call).result()
        self.assertEqual(self.system.run(os.path.join(BUILD, "callctl"), "block", "4690*").status, 0)
        commands = self.commands()
        self.assertGreater(len(commands), 12)
        for command in commands:
            with self.subTest(command=command):
                words = shlex.split(command.replace("CALL", call.rsplit("/", 1)[1]) if " explain " in command
                                    else command)
                if words[0] == "callctl":
                    words[0] = os.path.join(BUILD, "callctl")
                output = self.system.run(*words)
                self.assertEqual((output.status, output.errors), (0, ""))
                self.assertNotEqual(output.text.strip(), "")
