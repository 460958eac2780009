"""What is wrong with a plugin that is `ready`, and which of several files counts."""

import os
import shutil

from gi.repository import GLib

from plugins.case import PluginTest
from support.puppet import WORKER_HOST, Puppet
from support.system import BUILD, ROOT, SYSTEM
from support.waiting import wait_until


class Problems(PluginTest):
    """What is wrong with a plugin that is `ready` is told by its object and by the doctor."""

    def told(self, *words):
        wait_until(lambda: any(all(word in text for word in words) for text in self.told_of("Smallest", "Problems") or []),
                   lambda: f"{words} is not in {self.told_of('Smallest', 'Problems')}")
        doctor = " ".join(self.system.run(f"{BUILD}/callctl", "doctor").text.split())
        for word in ("plugin Smallest", *words):
            self.assertIn(word, doctor)

    def test_a_second_file_of_its_id(self):
        path = self.place("Smallest")
        self.wait_ready("Smallest")
        shutil.copy(path, f"{self.folder}/libSmallest.so")
        self.told("libSmallest.so" if "Smallest.so" < "libSmallest.so" else path, "hidden by")
        self.system.wait_logged("hides it")

    def test_a_word_that_nobody_knows(self):
        bundle = f"{self.folder}/Smallest.callplugin"
        os.mkdir(f"{self.folder}/.new")
        self.place("Smallest", folder=f"{self.folder}/.new")
        with open(f"{self.folder}/.new/Plugin.ini", "w", encoding="utf-8") as file:
            file.write("[Plugin]\nNeed=network;\n")
        os.rename(f"{self.folder}/.new", bundle)
        self.wait_ready("Smallest")
        self.told("line 2 has Need", "Needs")

    def test_a_provider_that_was_refused(self):
        puppet = Puppet(self, "Smallest")
        button = {"id": GLib.Variant("s", "go on air!"), "label": GLib.Variant("s", "On air")}
        values = {"localized-name": GLib.Variant("s", "Smallest"), "custom-actions": GLib.Variant("aa{sv}", [button])}
        puppet.call(ROOT, WORKER_HOST, "Hello", "uss", 1, "6.3", "puppet")
        refused = puppet.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/puppet", values)
        self.assertIn("InvalidArguments", refused.error_name)
        told = wait_until(lambda: self.told_of("Smallest", "Problems"), "it is not told")[0]
        self.assertIn("its provider was refused (InvalidArguments)", told)
        self.assertIn(f"callctl certify {self.folder}/Smallest.so", told)

    def test_one_that_hangs_once_it_has_said_hello(self):
        """As one does that waits in its initializer: why it is started again stays, and so it is with the next one."""
        puppet = Puppet(self, "Smallest")
        puppet.call(ROOT, WORKER_HOST, "Hello", "uss", 1, "6.3", "puppet")
        pid = self.told_of("Smallest", "Pid")
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid), "it goes on")
        self.assertIn("a ping was not answered", self.told_of("Smallest", "Error"))
        self.assertEqual(self.told_of("Smallest", "StartReason"), "crashed")

    def test_a_library_beside_a_bundle_takes_nothing_away(self):
        """The bundle counts, whatever the order of the names, and what it may use with it."""
        bundle = f"{self.folder}/smallest.callplugin"
        os.mkdir(f"{self.folder}/.new")
        shutil.copy(f"{BUILD}/libSmallestPlugin.so", f"{self.folder}/.new/smallest.so")
        with open(f"{self.folder}/.new/Plugin.ini", "w", encoding="utf-8") as file:
            file.write("[Plugin]\nMayUse=network;\n")
        os.rename(f"{self.folder}/.new", bundle)
        self.wait_ready("smallest")
        pid = self.told_of("smallest", "Pid")
        alone = self.place("libsmallest", self.library())
        wait_until(lambda: self.told_of("smallest", "Problems"), "the library is not told of")
        self.assertEqual(self.told_of("smallest", "Problems"),
                         [f"{alone} has the same id and is hidden by {bundle}; remove one"])
        self.assertEqual((self.told_of("smallest", "Granted"), self.told_of("smallest", "Pid")), (["network"], pid))

    def test_a_library_that_hides_a_bundle(self):
        own = f"{self.system.environment['XDG_DATA_HOME']}/opencallkit/plugins"
        alone = self.place("Smallest")
        self.wait_ready("Smallest")
        os.makedirs(own, exist_ok=True)
        os.mkdir(f"{own}/Smallest.callplugin")
        self.told(f"Smallest.callplugin has the same id and is hidden by {alone}, a library alone, which may use nothing")
