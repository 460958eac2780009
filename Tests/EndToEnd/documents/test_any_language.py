"""The lines of the article "A provider in any language" that are in no program."""

import os
import re

import dbus

from support.case import SystemTest
from support.provider import Provider
from support.system import PROVIDER, REPOSITORY

ARTICLE = os.path.join(REPOSITORY, "Sources/SDK/OpenCallKit/OpenCallKit.docc/ProviderInAnyLanguage.md")


def lines(beginning):
    """The lines of an indented block that begins so."""
    with open(ARTICLE, encoding="utf-8") as file:
        return next(block.replace("\n    ", "\n").strip() for block in
                    re.findall(r"\n\n((?:    .+\n)+)", file.read()) if block.startswith(f"    {beginning}"))


class Lines(SystemTest):
    def test_buttons(self):
        names = {"dbus": dbus, "configuration": {}}
        exec(lines("buttons"), names)
        provider = Provider(self.system, custom_actions=names["configuration"]["custom-actions"])
        button, = self.property(provider.path, "CustomActions", PROVIDER)
        self.assertEqual((button["id"], button["label"]), ("reconnect", "Connect again"))
