"""What a plugin sees of the user's files: its own folders, what it was granted, and nothing else."""

import os

from plugins.consent import AskingTest
from support.system import PLUGIN
from support.waiting import wait_until

LINE = "plugin Looking: looking: "
END = f"{LINE}that was all"


class Places(AskingTest):
    deadlines = {"hello": 600_000}

    def setUp(self):
        super().setUp()
        self.home = self.system.folder.name
        self.write("config/phone/book", "Anna")
        self.write("config/other/book", "secret")
        self.write("notes", "mine")
        self.write(".ssh/id", "key")
        self.library = self.compiled("Looking/looking.c", f'-DTRIES="{self.own}/Looking.callplugin/tries"')

    def write(self, name, text):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def looks(self, tries, *permissions):
        """Installs the plugin for the user, grants it what it needs, and returns what it sees: `{"read NAME": content}`."""
        aside = self.bundle(self.asks(";".join(permissions)), "Looking", os.path.join(self.home, "aside"), self.library)
        self.tell(aside, tries)
        os.makedirs(self.own, exist_ok=True)
        os.rename(aside, os.path.join(self.own, "Looking.callplugin"))
        if permissions:
            self.wait_for("Looking", "needs-consent")
            self.grant("Looking", *permissions).result()
        return self.seen(0)

    def looks_again(self, tries):
        runs = self.system.read_log().count(END)
        self.tell(os.path.join(self.own, "Looking.callplugin"), tries)
        self.system.call(self.plugin("Looking"), PLUGIN, "Restart").result()
        return self.seen(runs)

    @staticmethod
    def tell(bundle, tries):
        with open(os.path.join(bundle, "tries"), "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in tries))

    def seen(self, runs):
        wait_until(lambda: self.system.read_log().count(END) > runs,
                   lambda: f"it has not looked: {self.told_of('Looking', 'Error')}\n{self.system.read_log()}", every=0.05)
        run = self.system.read_log().split(END)[runs]
        lines = [line.removeprefix(LINE) for line in run.splitlines() if line.startswith(LINE)]
        return dict(line.split(": ", 1) for line in lines)

    # The tests of each level

    def test_without_a_grant(self):
        home = self.home
        seen = self.looks([
            f"read {home}/notes", f"read {home}/.ssh/id", f"read {home}/config/phone/book", f"list {home}",
            f"list {home}/config/opencallkit", f"write {home}/new", "write $HOME/mine", "read $HOME/mine",
            "write $TMPDIR/passing", "write $XDG_CACHE_HOME/kept", "environment HOME", "environment XDG_RUNTIME_DIR",
            "environment PULSE_SERVER", "environment DBUS_SYSTEM_BUS_ADDRESS", "environment DBUS_SESSION_BUS_ADDRESS",
            "environment XDG_CONFIG_DIRS", "environment XDG_CONFIG_HOME"])
        state = self.state_folder("Looking")
        for line in (f"read {home}/notes", f"read {home}/.ssh/id", f"read {home}/config/phone/book", f"write {home}/new",
                     f"list {home}/config/opencallkit"):
            self.assertIn(seen[line], ("ENOENT", "EACCES", "EROFS"), line)
        self.assertEqual((seen["write $HOME/mine"], seen["read $HOME/mine"]), ("written", "x"))
        self.assertEqual((seen["write $TMPDIR/passing"], seen["write $XDG_CACHE_HOME/kept"]), ("written", "written"))
        self.assertEqual((seen["environment HOME"], seen["environment XDG_CONFIG_HOME"]), (state, f"{state}/.config"))
        for name in ("XDG_RUNTIME_DIR", "PULSE_SERVER", "DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"):
            self.assertEqual(seen[f"environment {name}"], "unset")
        self.assertFalse(os.path.exists(f"{home}/new"))
        with open(f"{state}/mine", encoding="utf-8") as file:
            self.assertEqual(file.read(), "x")
        # What it keeps is there at its next start; what was passing is not.
        seen = self.looks_again(["read $HOME/mine", "read $TMPDIR/passing", "read $XDG_CACHE_HOME/kept"])
        self.assertEqual(list(seen.values()), ["x", "ENOENT", "x"])

    def test_with_grants(self):
        home = self.home
        os.symlink("config/phone", f"{home}/link")
        lines = {
            "read $XDG_CONFIG_DIRS/phone/book": "Anna", f"read {home}/config/phone/book": "Anna",
            "read $OPENCALLKIT_USER_HOME/notes": "mine", f"read {home}/link/book": "Anna",
        }
        refused = [f"write {home}/notes", f"write {home}/config/phone/book", f"write {home}/config/phone/new",
                   f"read {home}/config/other/book", f"read {home}/config/phone/../other/book", f"read {home}/.ssh/id",
                   f"read {home}/link/../other/book"]
        seen = self.looks([*lines, *refused], "files:xdg-config/phone", "files:~/notes", "files:~/link")
        self.assertEqual({line: seen[line] for line in lines}, lines)
        for line in refused:
            self.assertIn(seen[line], ("ENOENT", "EACCES", "EROFS"), line)
        self.revoke("Looking", "files:~/notes").result()
        self.wait_for("Looking", "needs-consent")

    def test_a_link_that_leads_to_keys_by_now(self):
        seen = self.looks([f"read {self.home}/config/phone/id"], "files:xdg-config/phone")
        self.assertEqual(list(seen.values()), ["ENOENT"])
        os.rename(f"{self.home}/config/phone", f"{self.home}/config/away")
        os.symlink("../.ssh", f"{self.home}/config/phone")
        self.system.call(self.plugin("Looking"), PLUGIN, "Restart").result()
        wait_until(lambda: "which is not available" in str(self.told_of("Looking", "Error")),
                   lambda: f"it runs: {self.told_of('Looking', 'State')} {self.told_of('Looking', 'Error')}")
        self.assertIn("it can hold the user's secrets", self.told_of("Looking", "Error"))
        self.assertEqual(self.told_of("Looking", "Pid"), 0)


class PlacesWithoutNamespaces(Places):
    """The same files under the same names, with Landlock alone."""

    arguments = ("--sandbox-without", "namespaces")
