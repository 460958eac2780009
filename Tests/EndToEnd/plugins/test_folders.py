"""Folders of plugins that change while the daemon runs."""

import contextlib
import os
import shutil
import stat
import tempfile

from plugins.case import PluginTest
from support.system import BUILD, PLUGIN, PLUGINS, PROVIDER
from support.waiting import exited, wait_until


class Folders(PluginTest):
    """A new file is loaded; when it is removed, its provider goes."""

    def test_dropped_in_and_removed(self):
        path = self.place("Smallest")
        self.wait_ready("Smallest")
        call = self.talk("Smallest")
        os.unlink(path)
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: self.provider("Smallest") not in self.system.objects, "its provider stays")
        wait_until(lambda: self.plugin("Smallest") not in self.system.objects, "its plugin stays")

    def test_replaced(self):
        self.place("Smallest")
        self.wait_ready("Smallest")
        pid = self.told_of("Smallest", "Pid")
        self.place("Smallest", self.library("Smallest") + b"another")
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid)
                   and self.told_of("Smallest", "State") == "ready", "the new file is not loaded")

    def test_disable_and_enable(self):
        self.place("Smallest")
        self.wait_ready("Smallest")
        plugin = self.plugin("Smallest")
        call = self.talk("Smallest")
        self.set_enabled("Smallest", False)
        self.wait_for("Smallest", "disabled")
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: self.provider("Smallest") not in self.system.objects, "its provider stays")
        wait_until(lambda: self.told_of("Smallest", "Pid") == 0, "its worker stays")
        self.assertRefused(self.system.call(plugin, PLUGIN, "Restart"), "InvalidAction")
        self.set_enabled("Smallest", True)
        self.wait_ready("Smallest")

    def test_enabled_is_kept_and_told_alone(self):
        self.place("Smallest")
        self.wait_ready("Smallest")
        self.assertEqual(list(self.property(self.plugin("Smallest"), "Kinds", PLUGIN)), ["provider"])
        self.system.sync()
        before = len(self.system.told("PropertiesChanged", PLUGIN))
        self.set_enabled("Smallest", True)
        self.system.sync()
        self.assertEqual(len(self.system.told("PropertiesChanged", PLUGIN)), before, "nothing has changed")
        self.set_enabled("Smallest", False)
        wait_until(lambda: self.told_of("Smallest", "Pid") == 0, "its worker stays")
        told = [set(event.arguments[1]) for event in self.system.told("PropertiesChanged", PLUGIN)[before:]]
        self.assertEqual(told, [{"Enabled", "State"}, {"Pid", "Sandbox", "SandboxGaps"}])
        self.system.daemon.terminate()
        exited(self.system.daemon)
        wait_until(lambda: not self.system.owner, "its name stays")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        wait_until(lambda: self.system.owner, "it is not back")
        values = self.system.get_all(self.plugin("Smallest"), PLUGIN)
        self.assertEqual((bool(values["Enabled"]), str(values["State"])), (False, "disabled"))
        self.set_enabled("Smallest", True)
        wait_until(lambda: self.property(self.plugin("Smallest"), "State", PLUGIN) == "ready", "it does not start")

    def test_restart(self):
        self.place("Smallest")
        self.wait_ready("Smallest")
        pid = self.told_of("Smallest", "Pid")
        self.system.call(self.plugin("Smallest"), PLUGIN, "Restart").result()
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid)
                   and self.told_of("Smallest", "State") == "ready", "it is not back")

    def test_a_bundle_that_is_copied_piece_by_piece(self):
        bundle, library = f"{self.folder}/Smallest.callplugin", f"{self.folder}/Smallest.callplugin/Smallest.so"
        with open(os.path.join(BUILD, "libSmallestPlugin.so"), "rb") as file:
            data = file.read()
        os.mkdir(bundle)
        self.wait_for("Smallest", "incompatible")
        with open(library, "wb") as file:
            file.write(data[:len(data) // 2])
        wait_until(lambda: "cut off" in self.told_of("Smallest", "Error"), "half of it is not seen")
        with open(library, "ab") as file:
            file.write(data[len(data) // 2:])
        self.wait_ready("Smallest")
        pid = self.told_of("Smallest", "Pid")
        with open(library + ".new", "wb") as file:
            file.write(data + b"another")
        os.rename(library + ".new", library)
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid)
                   and self.told_of("Smallest", "State") == "ready", "the new library is not loaded")
        shutil.rmtree(bundle)
        wait_until(lambda: self.plugin("Smallest") not in self.system.objects, "its plugin stays")

    def test_bundles_bring_ringtones_and_icons(self):
        for name in ("MonkeyCall", "Hotline"):
            shutil.copytree(os.path.join(PLUGINS, f"{name}.callplugin"), f"{self.folder}/{name}.partial")
            os.rename(f"{self.folder}/{name}.partial", f"{self.folder}/{name}.callplugin")
        ringtones, icons, handles = set(), set(), set()
        for name in ("MonkeyCall", "Hotline"):
            self.wait_ready(name)
            values = self.system.get_all(self.provider(name), PROVIDER)
            ringtones.add(str(values["RingtoneSound"]))
            icons.add(str(values["Icon"]))
            handles.add(tuple(values["SupportedHandleTypes"]))
        self.assertEqual((len(ringtones), len(icons), len(handles)), (2, 2, 2))
        for path in ringtones | icons:
            self.assertTrue(os.path.isabs(path) and stat.S_ISREG(os.stat(path).st_mode), path)
        for path in icons:
            with open(path, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")


class LaterFolder(PluginTest):
    """A folder of the search path may appear, disappear and return while the daemon runs."""

    def setUp(self):
        super().setUp()
        self.assertFalse(os.path.exists(self.later))

    @property
    def later(self):
        return f"{self.system.folder.name}/system/opencallkit/plugins"

    def test_it_comes_and_goes(self):
        for _ in range(2):
            os.makedirs(self.later)
            self.place("Smallest", folder=self.later)
            self.wait_ready("Smallest")
            shutil.rmtree(f"{self.system.folder.name}/system")
            wait_until(lambda: self.plugin("Smallest") not in self.system.objects, "its plugin stays")

    def is_watched(self, path):
        """Whether the daemon has an inotify watch on this folder."""
        watch = f" ino:{os.stat(path).st_ino:x} "
        folder = f"/proc/{self.pid}/fdinfo"
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError), open(f"{folder}/{name}", encoding="ascii") as file:
                if any(line.startswith("inotify ") and watch in line for line in file):
                    return True
        return False

    def test_level_by_level(self):
        """Each level is noticed before the next one is created."""
        path = self.system.folder.name
        for name in ("system", "opencallkit", "plugins"):
            path += f"/{name}"
            os.mkdir(path)
            wait_until(lambda: self.is_watched(path), lambda: f"{path} is not watched", every=0.02)
        self.place("Smallest", folder=path)
        self.wait_ready("Smallest")


class TwoFolders(PluginTest):
    def setUp(self):
        self.second = tempfile.mkdtemp(prefix="opencallkit-plugins-")
        self.addCleanup(shutil.rmtree, self.second)
        type(self).arguments = ("--plugin-path", self.second)
        super().setUp()

    def test_first_one_wins(self):
        first = self.place("Smallest")
        self.wait_ready("Smallest")
        self.place("Smallest", folder=self.second)
        self.system.sync()
        self.assertEqual(self.property(self.plugin("Smallest"), "Path", PLUGIN), first)
