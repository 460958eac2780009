"""The base of the tests of plugins: a system that looks for them in a folder of the test's own."""

import ctypes
import os
import shutil
import subprocess
import tempfile

import dbus

from support.case import SystemTest
from support.system import BUILD, PLUGIN, PROPERTIES, REPOSITORY, ROOT
from support.waiting import wait_until

SILENT = os.path.join(REPOSITORY, "Tests", "Fixtures", "Silent", "silent.c")


AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""What the C library's headers say."""


def exchange(one, other):
    """Lets two files or folders change their names at one moment."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.renameat2(AT_FDCWD, one.encode(), AT_FDCWD, other.encode(), RENAME_EXCHANGE):
        raise OSError(ctypes.get_errno(), f"{one} and {other} cannot be exchanged")


class PluginTest(SystemTest):
    """A system that looks for plugins in a folder of the test's own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-plugins-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.arguments = ("--plugin-path", self.folder, *type(self).arguments)
        super().setUp()

    def place(self, name, data=None, folder=None):
        """Puts a file into the folder by one rename; without data, the fixture of that name."""
        folder = folder or self.folder
        if data is None:
            data = self.library(name)
        path = os.path.join(folder, f"{name}.so")
        with open(path + ".new", "wb") as file:
            file.write(data)
        os.rename(path + ".new", path)
        return path

    @staticmethod
    def library(name="Smallest"):
        """The fixture of that name."""
        library = "SmallestPlugin" if name == "Smallest" else name
        with open(os.path.join(BUILD, f"lib{library}.so"), "rb") as file:
            return file.read()

    def place_bundle(self, name, source, version, folder=None):
        """Puts a copy of a bundle, with this version, into the folder, or in another's place, by one rename."""
        folder = folder or self.folder
        new, place = f"{folder}/.new-{name}", f"{folder}/{name}.callplugin"
        shutil.copytree(source, new)
        with open(f"{new}/{name}.so", "ab") as file:
            file.write(f"version {version}".encode())
        manifest = f"{new}/Plugin.ini"
        lines = ["[Plugin]\n"]
        if os.path.exists(manifest):
            with open(manifest, encoding="utf-8") as file:
                lines = [line for line in file if not line.startswith("Version=")]
        lines.insert(lines.index("[Plugin]\n") + 1, f"Version={version}\n")
        with open(manifest, "w", encoding="utf-8") as file:
            file.writelines(lines)
        if os.path.exists(place):
            exchange(new, place)
            shutil.rmtree(new)
        else:
            os.rename(new, place)
        return place

    def compile(self, name, source, *options):
        path = os.path.join(self.folder, f"{name}.so")
        subprocess.run(["clang", "-shared", "-fPIC", *options, "-x", "c", source, "-o", path + ".new"], check=True)
        os.rename(path + ".new", path)

    @staticmethod
    def plugin(name):
        return f"{ROOT}/plugins/{name}"

    @staticmethod
    def provider(name):
        return f"{ROOT}/providers/{name}"

    def told_of(self, name, key):
        return self.system.shown(self.plugin(name), key)

    def wait_for(self, name, state):
        wait_until(lambda: self.told_of(name, "State") == state,
                   lambda: f"plugin {name} is {self.told_of(name, 'State')} ({self.told_of(name, 'Error')}),"
                   f" expected {state}")

    def set_enabled(self, name, enabled):
        self.system.call(self.plugin(name), PROPERTIES, "Set", "ssv", PLUGIN, "Enabled", enabled).result()

    def wait_ready(self, name):
        self.wait_for(name, "ready")
        self.system.wait_ready(name)

    def talk(self, name, **options):
        """An active call of the plugin."""
        call = self.start_call("generic:x", provider=dbus.ObjectPath(self.provider(name)), **options).result()
        self.wait_state(call, "active")
        return call

UNPRIVILEGED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
"""Root may read everything, unless it gives up its capabilities."""
