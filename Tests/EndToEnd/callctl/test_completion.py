"""What a shell offers while a command is typed: what the daemon has just now, and nothing where there is none."""

import os
import signal
import subprocess
import tempfile
import time
import unittest

from support.scene import TwoProviders
from support.system import BUILD, BUS_CONFIGURATION, NAME
from support.terminal import CALLCTL, People

# Runs the function that completes callctl on a line, as bash does when a tab is pressed at its end.
BASH = """
source "$0"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9
COMP_POINT=${#COMP_LINE}
function=$(complete -p callctl)
function=${function#*-F }
"${function%% *}" callctl "${@: -1}" "${@: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(*words, **environment):
    """The words that bash offers for the last word."""
    environment = {**environment, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    script = subprocess.run([CALLCTL, "--generate-completion-script", "bash"], env=environment, capture_output=True, text=True,
                            check=True).stdout
    with tempfile.NamedTemporaryFile("w", suffix=".bash") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(["bash", "--norc", "-c", BASH, file.name, "callctl", *words], env=environment,
                              capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr
    return {word.strip() for word in done.stdout.splitlines() if word.strip() and not word.startswith("-")}


class Completion(TwoProviders, People):
    def offered(self, *words):
        return offered(*words, **self.system.environment)

    def test_what_there_is(self):
        call = self.alpha.active()
        short = call.rsplit("/", 1)[1].split("_")[0]
        self.assertEqual(self.offered("hold", ""), {short})
        self.assertEqual(self.offered("end", short[:3]), {short})
        self.assertIn(self.alpha.path.rsplit("/", 1)[1], self.offered("start", "--provider", ""))
        self.says("favorites", "add", "generic:tree", "Tree")
        self.assertEqual(self.offered("favorites", "call", ""), {"Tree"})
        self.says("favorites", "add", "generic:house", "Old House")
        self.assertEqual(self.offered("favorites", "call", "O"), {"Old\\ House"})
        self.assertEqual(self.offered("accounts", "show", ""), set())

    def test_names_are_no_commands(self):
        """bash expands the words that it is offered."""
        seen = f"{self.system.folder.name}/seen"
        name = f"$(touch {seen})`touch {seen}`;x"
        self.says("favorites", "add", "generic:tree", name)
        self.assertEqual(len(self.offered("favorites", "call", "")), 1)
        self.assertFalse(os.path.exists(seen))

    def test_a_daemon_that_hangs(self):
        """Whoever types does not wait for it."""
        os.kill(self.system.daemon.pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            self.assertEqual(self.offered("hold", ""), set())
            self.assertLess(time.monotonic() - began, 8, "it waits as long as a command does")
        finally:
            os.kill(self.system.daemon.pid, signal.SIGCONT)


class WithoutADaemon(unittest.TestCase):
    def test_it_is_silent_and_starts_none(self):
        with tempfile.TemporaryDirectory(prefix="opencallkit-") as folder:
            with open(f"{folder}/daemon.service", "w", encoding="utf-8") as file:
                file.write(f"[D-BUS Service]\nName={NAME}\nExec=/usr/bin/touch {folder}/started\n")
            with open(f"{folder}/bus.conf", "w", encoding="utf-8") as file:
                file.write(BUS_CONFIGURATION.format(
                    socket=f"{folder}/bus", services=f"<servicedir>{folder}</servicedir>", policy=""))
            bus = subprocess.Popen(["dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile",
                                    "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            try:
                address = bus.stdout.readline().decode().strip()
                self.assertEqual(offered("hold", "", DBUS_SESSION_BUS_ADDRESS=address), set())
                self.assertFalse(os.path.exists(f"{folder}/started"))
                # The same bus starts it for a command.
                subprocess.run([CALLCTL, "list"], env={"DBUS_SESSION_BUS_ADDRESS": address}, capture_output=True, check=False)
                self.assertTrue(os.path.exists(f"{folder}/started"))
            finally:
                bus.kill()
                bus.communicate()

    def test_without_a_bus(self):
        self.assertEqual(offered("hold", "", DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere"), set())
