"""What tests of call directories share: a system with directories, and their files."""

import os
import subprocess
import time

from system import BUILD, DIRECTORY, DIRECTORY1, REPOSITORY
from waiting import PATIENCE
from test_plugins import PluginTest
from store import children, program

STRANGER = os.path.join(REPOSITORY, "Tests", "Fixtures", "Stranger", "stranger.c")
DBUS_FLAGS = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], check=True, capture_output=True,
                            text=True).stdout.split()


def wait_asking(condition, text, seconds=PATIENCE):
    """Waits for a condition that asks the daemon, and that may become true without an event."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(text() if callable(text) else text)


class DirectoryTest(PluginTest):
    """A system with directories in a folder of the test's own."""

    def ask(self, member, signature="", *arguments, seconds=PATIENCE):
        return self.system.call(DIRECTORY, DIRECTORY1, member, signature, *arguments, seconds=seconds)

    def extensions(self):
        """The reports by id, once the store answers."""
        answers = []

        def listed():
            answers.append(self.ask("Extensions").wait())
            return answers[-1].error is None
        wait_asking(listed, lambda: f"no extensions: {answers[-1].error_text}")
        return {str(report["id"]): report for report in answers[-1].value}

    def report(self, name="TutorialDirectory"):
        return self.ask("Report", "s", name).result()

    def wait_extension(self, name="TutorialDirectory"):
        wait_asking(lambda: name in self.extensions(), f"no extension {name}")

    def bundle(self, conduct="", name="TutorialDirectory"):
        """Puts the fixture into a bundle, with a file that says how it behaves."""
        folder = os.path.join(self.folder, f"{name}.callplugin")
        new = os.path.join(self.folder, "new")
        os.mkdir(new)
        with open(os.path.join(BUILD, "libTutorialDirectory.so"), "rb") as file, \
                open(os.path.join(new, f"{name}.so"), "wb") as copy:
            copy.write(file.read())
        os.rename(new, folder)
        self.conduct(conduct, name)
        self.wait_extension(name)
        return folder

    def conduct(self, words, name="TutorialDirectory"):
        with open(os.path.join(self.folder, f"{name}.callplugin", "conduct"), "w", encoding="utf-8") as file:
            file.write(words)

    def enable(self, name="TutorialDirectory"):
        """Enables it and waits for the end of the load."""
        self.ask("SetEnabled", "sb", name, True).result()
        self.wait_loaded(name)

    def wait_loaded(self, name="TutorialDirectory", seconds=PATIENCE):
        wait_asking(lambda: "error" in self.report(name) and not self.report(name)["loading"],
                   lambda: f"not loaded: {dict(self.report(name))}", seconds)

    def reload(self, conduct=None, name="TutorialDirectory"):
        if conduct is not None:
            self.conduct(conduct, name)
        return self.ask("ReloadExtension", "s", name)

    def blocked(self, handle):
        return tuple(self.ask("IsBlocked", "s", handle).result())

    def identified(self, handle):
        return tuple(map(str, self.ask("Identify", "s", handle).result()))

    def store(self):
        self.extensions()
        return next(pid for pid in children(self.system.daemon.pid) if program(pid) == "callkit-store")

    def workers(self):
        return [pid for pid in children(self.store()) if program(pid) == "callkit-worker"]

    def file(self, name="TutorialDirectory"):
        return f"{self.system.folder.name}/data/opencallkit/directory/{name}.directory"
