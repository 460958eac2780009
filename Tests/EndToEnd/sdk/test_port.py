"""An imitation of an iOS call layer, its imports changed, as a plugin of the real daemon."""

import os
import re

from plugins.case import PluginTest
from support.system import BUILD, PROVIDER, REPOSITORY
from support.waiting import wait_until


class Port(PluginTest):
    def setUp(self):
        super().setUp()
        bundle = os.path.join(self.folder, ".Walkie.new")
        os.mkdir(bundle)
        icon = os.path.join(REPOSITORY, "Plugins", "MonkeyCall", "Resources", "telephone_receiver.png")
        for source, name in ((f"{BUILD}/libWalkiePlugin.so", "Walkie.so"), (icon, "IconMask@2x.png")):
            with open(source, "rb") as old, open(os.path.join(bundle, name), "wb") as new:
                new.write(old.read())
        os.rename(bundle, os.path.join(self.folder, "Walkie.callplugin"))
        wait_until(lambda: self.provider("Walkie") in self.system.objects, "Walkie does not register")

    def test_its_calls_are_made_held_muted_and_ended(self):
        call = self.start_call("+4687001234").result()
        self.wait_state(call, "active")
        self.hold(call).result()
        self.assertState(call, "held")
        self.resume(call).result()
        self.mute(call).result()
        self.assertTrue(self.property(call, "Muted"))
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")

    def test_its_icon_comes_from_its_resources(self):
        with open(os.path.join(self.folder, "Walkie.callplugin", "IconMask@2x.png"), "rb") as file:
            resource = file.read()
        with open(self.system.get(self.provider("Walkie"), PROVIDER, "Icon"), "rb") as file:
            self.assertEqual(file.read(), resource)

    def test_its_log_goes_where_the_daemons_goes(self):
        lines = wait_until(lambda: re.findall(r"^<5>plugin Walkie: \[com\.example\.walkie:app\] .*$", self.system.read_log(),
                                              re.MULTILINE), "no line of the plugin's Logger")
        self.assertEqual(lines, ["<5>plugin Walkie: [com.example.walkie:app] waits for pushes as <private>"])
