"""The plugin that was checked is the one that is loaded, and what others can change is not loaded."""

import os
import shutil
import subprocess
import tempfile
import unittest

from plugins.case import PluginTest
from support.system import BUILD, PLUGIN, REPOSITORY
from support.waiting import exited, wait_until

NOTED = os.path.join(REPOSITORY, "Tests", "Fixtures", "Noted", "noted.c")


class NotedTest(PluginTest):
    def notes(self, name):
        """The file in which the plugin notes that it was loaded."""
        return f"{self.system.environment['HOME']}/.local/state/opencallkit/plugins/{name}/notes"


class Symbols(unittest.TestCase):
    def test_only_the_entry_is_exported(self):
        entries = {"ListDirectory": "opencallkit_directory_main"}
        for name in ("MonkeyCall", "Hotline", "ListDirectory", "Cellular", "SIP"):
            listed = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", f"{BUILD}/lib{name}.so"],
                                    check=True, capture_output=True, text=True).stdout
            exported = [line.split()[0] for line in listed.splitlines()]
            self.assertEqual(exported, [entries.get(name, "opencallkit_plugin_main")], name)


class Files(NotedTest):
    def assertRefused(self, name, *words):
        self.wait_for(name, "incompatible")
        error = self.property(self.plugin(name), "Error", PLUGIN)
        for word in words:
            self.assertIn(word, error)
        self.assertEqual(self.property(self.plugin(name), "Pid", PLUGIN), 0)

    def test_a_file_that_the_group_may_write(self):
        path = os.path.join(self.folder, "Shared.so")
        with open(path + ".new", "wb") as file:
            file.write(self.library())
        os.chmod(path + ".new", 0o664)
        os.rename(path + ".new", path)
        self.assertRefused("Shared", path, "its group can write", "expected")
        os.chmod(path, 0o644)
        self.wait_ready("Shared")

    def test_a_link_out_of_the_folder(self):
        with tempfile.TemporaryDirectory() as other:
            self.place("Smallest", folder=other)
            os.symlink(f"{other}/Smallest.so", f"{self.folder}/Linked.so")
            self.assertRefused("Linked", f"{other}/Smallest.so", "expected a file in", self.folder)

    def test_a_link_in_the_folder(self):
        """As package managers make them for versions."""
        os.mkdir(f"{self.folder}/versions")
        path = self.place("Smallest", folder=f"{self.folder}/versions")
        os.symlink(path, f"{self.folder}/Linked.so")
        self.wait_ready("Linked")

    def test_a_bundle_that_leads_out_of_the_folder(self):
        with tempfile.TemporaryDirectory() as other:
            bundle = f"{other}/Smallest.callplugin"
            os.mkdir(bundle)
            self.place("Smallest", folder=bundle)
            os.symlink(bundle, f"{self.folder}/Smallest.callplugin")
            self.assertRefused("Smallest", bundle, "expected a file in", self.folder)

    def test_the_libraries_beside_it_are_found(self):
        """And no search path goes on to what the plugin starts."""
        bundle = f"{self.folder}/Noted.callplugin"
        new = f"{self.folder}/new"
        os.mkdir(new)
        flags = ["-shared", "-fPIC", "-x", "c", NOTED]
        subprocess.run(["clang", *flags, "-DBESIDE", "-o", f"{new}/libbeside.so"], check=True)
        subprocess.run(["clang", *flags, "-o", f"{new}/Noted.so", f"-L{new}",
                        "-Wl,-rpath,$ORIGIN", "-x", "none", "-lbeside"], check=True)
        os.rename(new, bundle)
        notes = self.notes("Noted")
        wait_until(lambda: os.path.exists(notes), "it is not loaded", every=0.02)
        with open(notes, encoding="utf-8") as file:
            self.assertEqual(file.read(), f"beside {bundle}/Noted.so (none)\n")


class Parents(PluginTest):
    def setUp(self):
        self.parent = tempfile.mkdtemp(prefix="opencallkit-parent-")
        self.addCleanup(shutil.rmtree, self.parent)
        os.mkdir(f"{self.parent}/plugins", 0o755)
        os.chmod(self.parent, 0o777)
        type(self).arguments = ("--plugin-path", f"{self.parent}/plugins")
        super().setUp()

    def test_a_folder_that_anybody_can_exchange(self):
        path = self.place("Smallest", folder=f"{self.parent}/plugins")
        self.wait_for("Smallest", "incompatible")
        error = self.property(self.plugin("Smallest"), "Error", PLUGIN)
        self.assertIn(f"anybody can write to the folder {self.parent}", error)
        os.chmod(self.parent, 0o755)
        os.utime(path)
        self.wait_ready("Smallest")


class Swapped(NotedTest):
    """The file is exchanged again and again while workers start. Whatever runs was checked."""

    deadlines = {"hello": 5_000}

    def test_what_was_not_checked_does_not_run(self):
        good, bad = f"{self.folder}/good", f"{self.folder}/bad"
        note = self.notes("Swapped")
        subprocess.run(["clang", "-shared", "-fPIC", "-x", "c", NOTED, "-o", bad], check=True)
        os.chmod(bad, 0o666)
        with open(good, "wb") as file:
            file.write(self.library())
        path = f"{self.folder}/Swapped.so"
        # Exchanges the two names without end, in a process of its own.
        source = f"{self.folder}/exchange.c"
        with open(source, "w", encoding="utf-8") as file:
            file.write('#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n'
                       'int main(int c, char **v) { (void)c; for (;;) '
                       'renameat2(AT_FDCWD, v[1], AT_FDCWD, v[2], RENAME_EXCHANGE); }\n')
        subprocess.run(["clang", source, "-o", f"{self.folder}/exchange"], check=True)
        shutil.copy(good, path)
        self.wait_ready("Swapped")
        exchange = subprocess.Popen([f"{self.folder}/exchange", bad, path])
        self.addCleanup(exited, exchange)
        self.addCleanup(exchange.kill)
        for _ in range(40):
            self.system.call(self.plugin("Swapped"), PLUGIN, "Restart").wait()
            self.set_enabled("Swapped", True)
        self.assertFalse(os.path.exists(note), "a file that anybody can write was loaded")
