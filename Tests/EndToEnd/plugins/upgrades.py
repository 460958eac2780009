"""The base of the tests of new files and of commands that bring them: a plugin that says when it ends a call."""

import os

from plugins.case import PluginTest
from support.system import BUILD, CALL, PLUGIN
from support.waiting import wait_until


class UpgradeTest(PluginTest):
    def begin(self):
        """The fixture runs and has a call."""
        self.place("Misbehaving")
        self.wait_ready("Misbehaving")
        return self.talk("Misbehaving")

    def newer(self, version):
        return self.place("Misbehaving", self.library("Misbehaving") + f"version {version}".encode())

    def wait_upgrade(self, stage):
        wait_until(lambda: self.told_of("Misbehaving", "Upgrade") == stage,
                   lambda: f"its upgrade is {self.told_of('Misbehaving', 'Upgrade')!r} "
                           f"({self.told_of('Misbehaving', 'UpgradeError')}), expected {stage!r}")

    def wait_other(self, pid):
        wait_until(lambda: self.told_of("Misbehaving", "Pid") not in (0, pid)
                   and self.told_of("Misbehaving", "State") == "ready", "no other worker comes")
        self.system.wait_ready("Misbehaving")

    def farewells(self):
        """The calls whose far side was told that they end."""
        path = f"{self.system.environment['HOME']}/.local/state/opencallkit/plugins/Misbehaving/farewells"
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [line.strip().lower() for line in file]

    def assertUntouched(self, call, pid):
        self.assertEqual(self.property(call, "State", CALL), "active")
        self.assertEqual(self.property(self.plugin("Misbehaving"), "Pid", PLUGIN), pid)
        self.assertEqual(self.property(self.plugin("Misbehaving"), "State", PLUGIN), "ready")

    def doctor(self):
        return " ".join(self.system.run(f"{BUILD}/callctl", "doctor").text.split())
