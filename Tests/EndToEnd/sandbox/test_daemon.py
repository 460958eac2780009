"""The battery as a plugin of the real daemon: with what it was granted, it reaches that and nothing else."""

import os

from plugins.consent import AskingTest
from sandbox.battery import DIRECTORY_LIBRARY, Report, Targets, build, read_report
from sandbox.table import IS_NEEDED_GUARD, expected
from support.system import BUILD, EXTENSION1, PLUGIN, PROPERTIES
from support.waiting import wait_until

NEEDS = "network;audio;session-bus:org.example.Granted"


class DaemonTest(AskingTest):
    """A daemon with the battery in its folder of plugins, and the targets."""

    def setUp(self):
        self.targets = Targets(os.geteuid())
        self.addCleanup(self.targets.__exit__)
        # The battery looks for this in its own environment.
        type(self).wrapper = ("env", f"BATTERY_SECRET={self.targets.secret}",
                              f"PULSE_SERVER=unix:{self.targets.folder}/runtime/pulse/native",
                              "sh", "-c", f'exec "$@" < {__file__}', "sh")
        super().setUp()

    def start_battery(self, manifest=None, name="Battery", library=None, **values):
        """Puts the bundle into the folder, with targets in the plugin's state folder."""
        state = self.state_folder(name)
        os.makedirs(state, mode=0o700, exist_ok=True)
        self.targets.write(state, **{
            "state": "", "stay": "1", "daemon": str(self.pid), "worker-folder": BUILD,
            "session-bus": self.system.socket, "granted-folder": "", "granted-socket": "$PULSE_SERVER",
            "bundle": f"{self.folder}/{name}.callplugin", **values})
        return self.bundle(manifest, name, folder=self.folder, library=library or build())

    def report(self, name="Battery"):
        """The report, once the battery has come to its end."""
        wait_until(lambda: "end" in read_report(self.state_folder(name)), lambda: self.system.read_log(), every=0.05)
        report = Report(self.targets, self.state_folder(name))
        report.count()
        return report


class Attacks(DaemonTest):
    level = "full"
    has_guard = IS_NEEDED_GUARD

    def test_all_attempts(self):
        self.place("Smallest")
        self.wait_ready("Smallest")
        connections = [self.system.connect(), self.system.connect()]
        for connection, name in zip(connections, ("org.example.Granted", "org.example.Forbidden")):
            connection.request_name(name)
        self.start_battery(self.asks(NEEDS), other=str(self.property(self.plugin("Smallest"), "Pid", PLUGIN)), **{
            "bus-granted": "org.example.Granted", "bus-forbidden": "org.example.Forbidden",
            "bus-unique": connections[1].get_unique_name()})
        report = self.report()
        wait_until(lambda: self.told_of("Battery", "Sandbox") == self.level,
                   lambda: f"its sandbox is {self.told_of('Battery', 'Sandbox')}, expected {self.level}")
        through = expected(self.level, ("network", "audio"), has_guard=self.has_guard, is_root=os.geteuid() == 0)
        through.add("call a name that was granted")
        self.assertEqual(report.unexpected(through), ({}, {}), "these get through, and these are denied now")
        self.assertNotIn("absent", {verdict for name, (verdict, _) in report.lines.items() if "bus" in name})


class DirectoryAttacks(DaemonTest):
    """The same as a call directory, which the store loads."""

    arguments = ()

    def test_all_attempts(self):
        build()
        self.start_battery(library=DIRECTORY_LIBRARY)
        wait_until(lambda: self.plugin("Battery") in self.system.objects, "there is no plugin")
        self.wait_store()
        enabled = self.system.call(self.plugin("Battery"), PROPERTIES, "Set", "ssv", EXTENSION1, "Status", "enabled")
        enabled.result()
        report = self.report()
        through = expected("full", (), has_guard=False, is_root=os.geteuid() == 0)
        self.assertEqual(report.unexpected(through), ({}, {}), "these get through, and these are denied now")


class DescriptorsOverTheLink(DaemonTest):
    """A plugin hands the daemon open files, with messages and without."""

    def taken(self):
        """The names of the daemon's open files that the plugin has handed over."""
        folder, names = f"/proc/{self.pid}/fd", []
        for number in os.listdir(folder):
            try:
                names.append(os.readlink(f"{folder}/{number}"))
            except FileNotFoundError:
                # The daemon has closed it meanwhile.
                continue
        return [name for name in names if "handed" in name]

    def check(self, attempt):
        self.start_battery(only=attempt, stay="")
        # It may be killed before it has reported.
        self.wait_for("Battery", "quarantined")
        self.assertTrue(os.path.exists(f"{self.state_folder('Battery')}/handed"))
        self.assertEqual(self.taken(), [])

    def test_without_a_message(self):
        self.check("hand descriptors to the host")

    def test_in_a_message(self):
        self.check("hand descriptors to the host in a message")


class AttacksWithoutNamespaces(Attacks):
    level = "landlock"
    has_guard = True
    arguments = ("--sandbox-without", "namespaces")


class AttacksWithOlderLandlock(Attacks):
    has_guard = True
    arguments = ("--sandbox-landlock-abi", "5")


del AskingTest
