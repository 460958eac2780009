"""The commands of the article "Develop without installing": one session of a shell, from the first to the last."""

import os
import re
import subprocess
import tempfile
import unittest

from support.system import BUILD, REPOSITORY
from support.waiting import GIVE_UP

ARTICLE = os.path.join(REPOSITORY, "Sources/SDK/OpenCallKit/OpenCallKit.docc/DevelopWithoutInstalling.md")


def commands():
    with open(ARTICLE, encoding="utf-8") as file:
        return re.findall(r"(?m)^    (\S.*)$", file.read())


class Develop(unittest.TestCase):
    def test_every_command_runs(self):
        typed = commands()
        self.assertEqual(typed[:2], ["make build", 'export PATH="$PWD/.build/debug:$PATH"'])
        self.assertGreater(len(typed), 20)
        # It is built already, here.
        typed[:2] = [f'export PATH="{BUILD}:$PATH"']
        script = "".join(f"{line}\necho \"typed $?: {number}\"\n" for number, line in enumerate(typed))
        with tempfile.TemporaryDirectory(prefix="opencallkit-develop-") as folder:
            environment = {name: value for name, value in os.environ.items() if not name.startswith("DBUS_")}
            shell = subprocess.run(["bash"], input=script.encode(), env={**environment, "TMPDIR": folder},
                                   cwd=REPOSITORY, capture_output=True, timeout=2 * GIVE_UP, check=False)
        said = shell.stdout.decode() + shell.stderr.decode()
        status = {int(number): int(code) for code, number in re.findall(r"(?m)^typed (\d+): (\d+)$", said)}
        self.assertEqual({typed[number]: code for number, code in status.items() if code}, {}, said)
        self.assertEqual(len(status), len(typed), said)
        for words in ("Smallest", "active", "installed SmallestPlugin", "removed SmallestPlugin", "certified, "):
            self.assertIn(words, said)
