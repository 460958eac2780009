"""What tests of call directories share: a system with directories, and their files."""

import os
import subprocess

from plugins.case import PluginTest
from support.store import children, program
from support.system import BUILD, DIRECTORY, DIRECTORY1, EXTENSION1, MANAGER, PROPERTIES, REPOSITORY, ROOT, RULES1
from support.waiting import GIVE_UP, PATIENCE, wait_until

STRANGER = os.path.join(REPOSITORY, "Tests", "Fixtures", "Stranger", "stranger.c")
DBUS_FLAGS = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], check=True, capture_output=True,
                            text=True).stdout.split()


def wait_asking(condition, text, seconds=PATIENCE):
    """Waits for a condition that asks the daemon, and that may become true without an event."""
    wait_until(condition, text, seconds, every=0.005)


class DirectoryTest(PluginTest):
    """A system with directories in a folder of the test's own."""

    def ask(self, member, signature="", *arguments, seconds=GIVE_UP):
        interface = DIRECTORY1 if member in ("Identify", "Contacts") else RULES1
        return self.system.call(DIRECTORY, interface, member, signature, *arguments, seconds=seconds)

    def extensions(self):
        """The reports by id, once the store answers."""
        answers = []

        def listed():
            answers.append(self.ask("Contacts").wait())
            if answers[-1].error is not None:
                return False
            objects = self.system.call(ROOT, MANAGER, "GetManagedObjects").result()
            found = {str(path).rsplit("/", 1)[1]: interfaces[EXTENSION1]
                     for path, interfaces in objects.items() if EXTENSION1 in interfaces}
            answers.append(found)
            return all("Status" in extension for extension in found.values())
        wait_asking(listed, lambda: f"no extensions: {answers[-1]}")
        return {name: {**extension["Report"], "status": extension["Status"]} for name, extension in answers[-1].items()}

    def report(self, name="TutorialDirectory"):
        values = self.system.get_all(self.plugin(name), EXTENSION1)
        return {**values["Report"], "status": values["Status"], "message": values["ErrorMessage"]}

    def set_status(self, status, name="TutorialDirectory", seconds=GIVE_UP):
        return self.system.call(self.plugin(name), PROPERTIES, "Set", "ssv", EXTENSION1, "Status", status,
                                seconds=seconds)

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
        self.set_status("enabled", name).result()
        self.wait_loaded(name)

    def wait_loaded(self, name="TutorialDirectory", seconds=GIVE_UP):
        wait_asking(lambda: "error" in self.report(name) and not self.report(name)["loading"],
                   lambda: f"not loaded: {dict(self.report(name))}", seconds)

    def reload(self, conduct=None, name="TutorialDirectory"):
        if conduct is not None:
            self.conduct(conduct, name)
        return self.system.call(self.plugin(name), EXTENSION1, "Reload")

    def blocked(self, handle):
        known = self.ask("Identify", "s", handle).result()
        return bool(known["blocked"]), str(known["blocked-by"]) if known["blocked"] else ""

    def identified(self, handle):
        known = self.ask("Identify", "s", handle).result()
        return str(known.get("label", "")), str(known.get("label-source", ""))

    def store(self):
        self.extensions()
        return next(pid for pid in children(self.system.daemon.pid) if program(pid) == "callkit-store")

    def workers(self):
        """The store's; one that has a guard is the guard's child."""
        started = [pid for pid in children(self.store()) if program(pid) == "callkit-worker"]
        return [worker for pid in started for worker in children(pid) or [pid]]

    def file(self, name="TutorialDirectory"):
        return f"{self.system.folder.name}/data/opencallkit/directory/{name}.directory"
