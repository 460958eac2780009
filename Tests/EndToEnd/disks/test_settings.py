"""Files of settings that are damaged, cannot be read or cannot be written: nothing earlier is lost, and what was not written
was not done.

The daemon is that of an ordinary user, whom modes of files stop.
"""

import contextlib
import json
import os
import subprocess

from access.test_users import USER, as_user
from daemon.program import leave
from support.case import SystemTest
from support.system import BUILD, NAME, PLUGINS, ROOT, SYSTEM
from support.waiting import wait_until

CALLCTL = f"{BUILD}/callctl"
LISTS = "files:xdg-config/opencallkit/lists"
"""What ListDirectory needs."""
REFUSED = 1
"""The exit code of callctl."""
SPARSE = 1 << 30


def gdbus(path, method, *arguments):
    return ("gdbus", "call", "--session", "--dest", NAME, "--object-path", path, "--method", method, *arguments)


def property_of(name, path=ROOT, interface=SYSTEM):
    return gdbus(path, "org.freedesktop.DBus.Properties.Get", interface, name)


def setting(name, value):
    return gdbus(ROOT, "org.freedesktop.DBus.Properties.Set", SYSTEM, name, f"<{value}>")


def enabled(plugin):
    return property_of("Enabled", f"{ROOT}/plugins/{plugin}", "org.opencallkit.Plugin1")


def granted(plugin):
    return property_of("Granted", f"{ROOT}/plugins/{plugin}", "org.opencallkit.Plugin1")


class Setting:
    """A file, two changes of it, and how each is seen."""

    def __init__(self, file, earlier, later, look, before, after, *, line="nonsense\n", look_later=None):
        self.file, self.earlier, self.later, self.look = file, earlier, later, look
        self.before, self.after, self.line, self.look_later = before, after, line, look_later or look


SETTINGS = (
    Setting("config/opencallkit/access", (CALLCTL, "access", "grant", "org.example.A", "identity"),
            (CALLCTL, "access", "grant", "org.example.B", "control"),
            gdbus(f"{ROOT}/access", "org.opencallkit.Access1.Apps"), "org.example.A", "org.example.B"),
    Setting("config/opencallkit/plugins", (CALLCTL, "plugins", "disable", "MonkeyCall"),
            (CALLCTL, "plugins", "disable", "Hotline"), enabled("MonkeyCall"), "false", "false",
            look_later=enabled("Hotline")),
    Setting("config/opencallkit/permissions", (CALLCTL, "plugins", "revoke", "ListDirectory", LISTS),
            (CALLCTL, "plugins", "grant", "ListDirectory", LISTS), granted("ListDirectory"), "@as []", LISTS),
    Setting("config/opencallkit/do-not-disturb", (CALLCTL, "dnd", "on"), (CALLCTL, "dnd", "--allow-favorites", "no"),
            property_of("DoNotDisturbRules"), "'manual': <true>", "'allow-favorites': <false>"),
    Setting("config/opencallkit/default-providers", setting("DefaultProviders", "{'phone-number': 'One'}"),
            setting("DefaultProviders", "{'phone-number': 'One', 'generic': 'Two'}"),
            property_of("DefaultProviders"), "'One'", "'Two'", line="two words more\n"),
    Setting("config/opencallkit/emergency-providers", setting("EmergencyProviders", "['One']"),
            setting("EmergencyProviders", "['One', 'Two']"), property_of("EmergencyProviders"), "'One'", "'Two'",
            line="no id\n"),
    Setting("config/opencallkit/accounts", (CALLCTL, "accounts", "add", "MonkeyCall", "zoo=Berlin", "--disabled"),
            (CALLCTL, "accounts", "add", "MonkeyCall", "zoo=Paris", "--disabled"), (CALLCTL, "accounts", "--json"),
            "Berlin", "Paris"),
    Setting("data/opencallkit/directory/rules", (CALLCTL, "block", "1234"), (CALLCTL, "block", "5678"),
            (CALLCTL, "blocked"), "1234", "5678"),
)


class SettingsTest(SystemTest):
    arguments = ("--plugin-path", PLUGINS)
    wrapper = ["sh", "-c", f'chown {USER} "$HOME" && chmod 711 "$HOME" && exec {" ".join(as_user(USER))} "$@"', "sh"]
    policy = '<allow user="*"/>'

    def setUp(self):
        super().setUp()
        self.wait_for_store()

    def path(self, setting):
        return os.path.join(self.system.folder.name, setting.file)

    def run_as_user(self, *command):
        return self.system.run(*as_user(USER), *command)

    def done(self, *command):
        output = self.run_as_user(*command)
        self.assertEqual(output.status, 0, (command, output))
        return output.text

    def refuse(self, *command):
        """Asserts that a change is refused because it cannot be written; returns why."""
        output = self.run_as_user(*command)
        self.assertEqual(output.status, REFUSED, (command, output))
        self.assertIn("StoreUnavailable", output.errors, command)
        return " ".join(output.errors.split())

    def wait_for_store(self):
        wait_until(lambda: self.run_as_user(CALLCTL, "favorites").status == 0, "the store does not answer", every=0.05)

    def leave(self):
        leave(self.system)

    def enter(self):
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.wait_for_store()

    def problems(self):
        return json.loads(self.run_as_user(CALLCTL, "doctor", "--json").text)["problems"]

    def set_all(self, settings=SETTINGS):
        for one in settings:
            self.done(*one.earlier)
            self.assertIn(one.before, self.done(*one.look), one.file)


class Unreadable(SettingsTest):
    """What cannot be read is not replaced, and is told."""

    def spoil(self, path, kind):
        if kind == "mode":
            os.chmod(path, 0)
        elif kind == "sparse":
            os.truncate(path, SPARSE)
        else:
            os.rename(path, f"{path}.kept")
            {"folder": os.mkdir, "fifo": os.mkfifo, "link": lambda path: os.symlink("nowhere", path)}[kind](path)

    def repair(self, path, kind, size):
        if kind == "mode":
            os.chmod(path, 0o600)
        elif kind == "sparse":
            os.truncate(path, size)
        else:
            os.rmdir(path) if kind == "folder" else os.unlink(path)
            os.rename(f"{path}.kept", path)

    def standing(self, path):
        status = os.lstat(path)
        return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns if not os.path.isdir(path) else 0

    def test_it_is_not_replaced(self):
        if os.geteuid():
            self.skipTest("only root sees what the user does not")
        self.set_all()
        kinds = ("mode", "folder", "fifo", "sparse", "link")
        for kind in kinds:
            with self.subTest(kind=kind):
                self.leave()
                sizes = {one: os.stat(self.path(one)).st_size for one in SETTINGS}
                for one in SETTINGS:
                    self.spoil(self.path(one), kind)
                before = {one: self.standing(self.path(one)) for one in SETTINGS}
                self.enter()
                problems = " ".join(self.problems())
                for one in SETTINGS:
                    self.assertIn(f"{self.path(one)} cannot be read", problems)
                    self.assertIn(self.path(one), self.refuse(*one.later))
                self.assertEqual({one: self.standing(self.path(one)) for one in SETTINGS}, before)
                self.assertNotIn("org.example.A", self.done(*SETTINGS[0].look), "no tier is granted")
                for plugin in ("MonkeyCall", "Hotline"):
                    self.assertIn("false", self.done(*enabled(plugin)), "it may be one that the user has disabled")
                self.assertIn("[]", self.done(*granted("ListDirectory")), "each permission may have been revoked")
                for look in ("blocked", "allowed"):
                    self.refuse(CALLCTL, look)
                self.refuse(CALLCTL, "identify", "1234")
                self.leave()
                for one in SETTINGS:
                    self.repair(self.path(one), kind, sizes[one])
                self.enter()
                for one in SETTINGS:
                    self.assertIn(one.before, self.done(*one.look), one.file)
                self.assertEqual([problem for problem in self.problems() if "cannot be read" in problem], [])
                self.assertIn("true", self.done(*enabled("Hotline")))


class Damaged(SettingsTest):
    """What can be read counts, and the rest is set aside before something is written."""

    def contents(self):
        return {one: self.bytes(self.path(one)) for one in SETTINGS}

    def bytes(self, path):
        with open(path, "rb") as file:
            return file.read()

    def spoil(self, spoiled):
        self.leave()
        for one, text in self.contents().items():
            with open(self.path(one), "r+b") as file:
                file.truncate(0)
                file.write(spoiled(one, text))
        spoiled = self.contents()
        self.enter()
        problems = " ".join(self.problems())
        for one in SETTINGS:
            self.assertIn(self.path(one), problems)
        self.assertEqual(self.contents(), spoiled, "nothing is written before something changes")
        return spoiled

    def change_all(self, spoiled):
        for one in SETTINGS:
            self.done(*one.later)
            self.assertEqual(self.bytes(f"{self.path(one)}.damaged"), spoiled[one], one.file)
            os.unlink(f"{self.path(one)}.damaged")
        self.leave()
        self.enter()
        for one in SETTINGS:
            self.assertIn(one.after, self.done(*one.look_later), one.file)

    def test_one_bad_line(self):
        self.set_all()
        self.change_all(self.spoil(lambda one, text: text + one.line.encode()))
        for one in SETTINGS:
            if one.before != "@as []":
                self.assertIn(one.before, self.done(*one.look), one.file)

    def test_one_bad_byte_within(self):
        """The line that it is in does not count, nor what it has granted; what it has refused remains refused."""
        self.set_all()
        self.spoil(lambda _, text: text[:-2] + b"\xff\n")
        self.assertNotIn("org.example.A", self.done(*SETTINGS[0].look))
        self.assertIn("false", self.done(*enabled("MonkeyCall")))
        self.assertIn("true", self.done(*enabled("Hotline")))
        self.assertIn("[]", self.done(*granted("ListDirectory")))

    def test_the_end_is_missing(self):
        self.set_all()
        spoiled = self.spoil(lambda _, text: text[:-3])
        self.assertIn("false", self.done(*enabled("MonkeyCall")))
        self.assertIn("false", self.done(*enabled("Hotline")), "a line about it may be missing")
        self.assertIn("[]", self.done(*granted("ListDirectory")))
        self.change_all(spoiled)
        self.assertIn("false", self.done(*enabled("MonkeyCall")), "it stays so after a change")


class Unwritable(SettingsTest):
    """Each change is refused, and what it would have taken away is taken away until the daemon ends."""

    settings = tuple(one for one in SETTINGS if one.file.startswith("config/"))
    revocations = (
        ((CALLCTL, "access", "revoke", "org.example.A"), SETTINGS[0].look, "org.example.A"),
        ((CALLCTL, "plugins", "revoke", "ListDirectory", LISTS), granted("ListDirectory"), LISTS),
        (setting("EmergencyProviders", "['Ten']"), property_of("EmergencyProviders"), "One"),
        ((CALLCTL, "plugins", "disable", "Hotline"), enabled("Hotline"), "true"),
    )
    others = (
        ((CALLCTL, "access", "grant", "org.example.B", "control"), SETTINGS[0].look, "org.example.B"),
        ((CALLCTL, "plugins", "enable", "MonkeyCall"), enabled("MonkeyCall"), "true"),
        ((CALLCTL, "dnd", "--allow-favorites", "no"), property_of("DoNotDisturbRules"), "'allow-favorites': <false>"),
        ((CALLCTL, "dnd", "off"), property_of("DoNotDisturbRules"), "'manual': <false>"),
        (setting("DefaultProviders", "{'generic': 'Two'}"), property_of("DefaultProviders"), "Two"),
        (setting("EmergencyProviders", "['One', 'Ten', 'Two']"), property_of("EmergencyProviders"), "Two"),
        ((CALLCTL, "accounts", "add", "MonkeyCall", "zoo=Paris", "--disabled"), (CALLCTL, "accounts", "--json"), "Paris"),
        ((CALLCTL, "plugins", "forget", "ListDirectory"), granted("ListDirectory"), "[]"),
    )

    @property
    def folder(self):
        return f"{self.system.folder.name}/config/opencallkit"

    def unmount(self):
        subprocess.run(["umount", "--lazy", self.folder], capture_output=True, check=False)

    @contextlib.contextmanager
    def full(self):
        filler = f"{self.folder}/filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(512))
        yield
        os.unlink(filler)

    @contextlib.contextmanager
    def read_only(self):
        os.chmod(self.folder, 0o555)
        yield
        os.chmod(self.folder, 0o700)

    def test_a_full_disk(self):
        os.makedirs(self.folder, exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=256k,mode=700,uid={USER}", "tmpfs", self.folder],
                                 capture_output=True, text=True, check=False)
        if mounted.returncode:
            self.skipTest(f"mount is not permitted: {mounted.stderr.strip()}")
        self.addCleanup(self.unmount)
        self.check(self.full)

    def test_a_read_only_folder(self):
        self.check(self.read_only)

    def look(self):
        """All that is set, but for what the daemon remembers of refusals."""
        return {one.file: self.done(*one.look) for one in self.settings}

    def check(self, unwritable):
        self.leave()
        self.enter()
        self.set_all(self.settings)
        self.done(CALLCTL, "plugins", "grant", "ListDirectory", LISTS)
        # A file without any content has room on a full disk.
        self.done(*setting("EmergencyProviders", "['One', 'Ten']"))
        before = self.look()
        with unwritable():
            for command, look, word in self.others:
                self.assertIn(self.folder, self.refuse(*command))
                self.assertNotIn(word, self.done(*look), command)
            self.assertEqual(self.look(), before)
            for command, look, word in self.revocations:
                self.assertIn("undone then", self.refuse(*command))
                self.assertNotIn(word, self.done(*look), command)
            self.assertIn(f"{self.folder}/", " ".join(self.problems()))
            self.leave()
            self.enter()
            self.assertEqual(self.look(), before)
            for command, look, word in self.revocations:
                self.assertIn(word, self.done(*look), f"{command}: said that it is undone")
                self.refuse(*command)
        for command, look, word in self.revocations:
            self.done(*command)
        self.leave()
        self.enter()
        for command, look, word in self.revocations:
            self.assertNotIn(word, self.done(*look), command)
