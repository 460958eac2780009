"""Plugins in the user's folder that ask for permissions, and what the user does about it."""

import os
import shutil
import subprocess

import dbus

from plugins.case import PluginTest, exchange
from support.system import BUILD, PLUGIN, REPOSITORY
from support.waiting import wait_until

FIXTURES = os.path.join(REPOSITORY, "Tests", "Fixtures")


class AskingTest(PluginTest):
    """A system with bundles in the user's folder."""

    @property
    def own(self):
        """The user's plugin folder."""
        return os.path.join(self.system.folder.name, "data", "opencallkit", "plugins")

    def state_folder(self, name):
        return os.path.join(self.system.folder.name, ".local", "state", "opencallkit", "plugins", name)

    def cache_folder(self, name):
        return os.path.join(self.system.folder.name, ".cache", "opencallkit", "plugins", name)

    @property
    def grants_file(self):
        return os.path.join(self.system.folder.name, "config", "opencallkit", "permissions")

    def bundle(self, manifest=None, name="Smallest", folder=None, library=None):
        """Puts a bundle into a folder, or in another's place, by one rename; `manifest` is text, bytes or nothing."""
        folder = folder or self.own
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{name}.callplugin")
        new = os.path.join(folder, f".{name}.new")
        os.mkdir(new)
        shutil.copy(library or os.path.join(BUILD, "libSmallestPlugin.so"), os.path.join(new, f"{name}.so"))
        if manifest is not None:
            self.write_manifest(new, manifest)
        if os.path.exists(path):
            exchange(new, path)
            shutil.rmtree(new)
        else:
            os.rename(new, path)
        return path

    @staticmethod
    def write_manifest(bundle, manifest):
        path = os.path.join(bundle, "Plugin.ini")
        with open(f"{path}.new", "wb") as file:
            file.write(manifest if isinstance(manifest, bytes) else manifest.encode())
        os.rename(f"{path}.new", path)

    def compiled(self, source, *options):
        """The library of a fixture in C."""
        path = os.path.join(self.folder, f".{os.path.basename(source)}{len(os.listdir(self.folder))}.so")
        subprocess.run(["clang", "-shared", "-fPIC", "-x", "c", os.path.join(FIXTURES, source), "-o", path, *options],
                       check=True)
        return path

    @staticmethod
    def asks(needs="", may_use="", reasons=""):
        return f"[Plugin]\nName=Phone\nNeeds={needs}\nMayUse={may_use}\n[Reasons]\n{reasons}"

    def decide(self, method, name, *permissions):
        return self.system.call(self.plugin(name), PLUGIN, method, "as", dbus.Array(permissions, signature="s"))

    def grant(self, name, *permissions):
        return self.decide("Grant", name, *permissions)

    def revoke(self, name, *permissions):
        return self.decide("Revoke", name, *permissions)

    def forget(self, name):
        return self.system.call(self.plugin(name), PLUGIN, "Forget")

    def words(self, name, key):
        return [str(word) for word in self.property(self.plugin(name), key, PLUGIN)]

    def shows(self, name, key):
        return self.property(self.plugin(name), key, PLUGIN)

    def restart_daemon(self):
        self.system.daemon.terminate()
        self.system.daemon.wait()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.objects = {}
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
