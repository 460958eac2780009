"""New files of plugins that run: each is checked before the old one ends, and takes over when no call is in its way."""

import json
import os
import shutil

import dbus

from plugins.case import SILENT, PluginTest
from plugins.upgrades import UpgradeTest
from support.case import TORTURE
from support.messages import uuid_of
from support.puppet import WORKER_HOST, Puppet
from support.system import BUILD, CALL, PLUGIN, PLUGINS, ROOT
from support.waiting import wait_until

UPGRADES = 100 if TORTURE else 6


class Waiting(UpgradeTest):
    def test_a_date_is_no_upgrade(self):
        call = self.begin()
        pid = self.told_of("Misbehaving", "Pid")
        os.utime(f"{self.folder}/Misbehaving.so")
        self.system.call(self.plugin("Misbehaving"), PLUGIN, "Rescan").result()
        self.wait_upgrade("")
        # The same bytes in another file.
        self.place("Misbehaving")
        self.system.call(self.plugin("Misbehaving"), PLUGIN, "Rescan").result()
        self.wait_upgrade("")
        self.assertUntouched(call, pid)

    def test_it_takes_over_when_the_call_has_ended(self):
        call = self.begin()
        pid = self.told_of("Misbehaving", "Pid")
        self.newer(2)
        self.wait_upgrade("waiting")
        self.assertUntouched(call, pid)
        self.system.call(call, CALL, "End").result()
        self.assertEnded(call, "local-ended", "user")
        self.wait_other(pid)
        self.assertEqual(self.told_of("Misbehaving", "Upgrade"), "")
        self.assertEqual([path for path in self.system.objects if "/providers/" in path], [self.provider("Misbehaving")])
        self.assertEqual(self.farewells(), [])
        self.system.wait_logged("plugin Misbehaving: its new file takes over")
        self.talk("Misbehaving")

    def test_it_takes_over_at_once_if_there_is_no_call(self):
        self.place("Misbehaving")
        self.wait_ready("Misbehaving")
        pid = self.told_of("Misbehaving", "Pid")
        self.newer(2)
        self.wait_other(pid)

    def test_it_takes_over_when_the_user_says_so(self):
        """The far side is told, and what the user did is no crash."""
        call = self.begin()
        pid = self.told_of("Misbehaving", "Pid")
        self.newer(2)
        self.wait_upgrade("waiting")
        self.system.call(self.plugin("Misbehaving"), PLUGIN, "Restart").result()
        self.assertEnded(call, "provider-restarted", "provider")
        self.wait_other(pid)
        self.assertEqual(self.farewells(), [uuid_of(call)])
        self.assertRegex(self.system.read_log(), "notice.* plugin Misbehaving: its new file takes over, the user")

    def test_upgrades_in_calls(self):
        """No call is lost that the user has not given up, and the far side is told of each of those."""
        call, told = self.begin(), []
        for number in range(UPGRADES):
            pid = self.told_of("Misbehaving", "Pid")
            self.newer(number)
            self.wait_upgrade("waiting")
            self.assertEqual(self.system.shown(call, "State"), "active")
            if number % 3 == 2:
                self.system.call(self.plugin("Misbehaving"), PLUGIN, "Restart").result()
                self.wait_told("CallEnded", call, "provider-restarted")
                told.append(uuid_of(call))
            else:
                self.system.call(call, CALL, "End").result()
                self.wait_told("CallEnded", call, "local-ended")
            self.wait_other(pid)
            self.assertEqual(self.farewells(), told)
            call = self.talk("Misbehaving")
        self.assertEqual([event.path for event in self.system.told("InterfacesRemoved", self.provider("Misbehaving"))], [])


class OfMonkeyCall(PluginTest):
    """The sample, with calls in both directions; one rings while the new version waits."""

    def setUp(self):
        super().setUp()
        self.place_bundle("MonkeyCall", f"{PLUGINS}/MonkeyCall.callplugin", 0)
        self.wait_ready("MonkeyCall")

    def wait_upgrade(self, stage):
        wait_until(lambda: self.told_of("MonkeyCall", "Upgrade") == stage,
                   lambda: f"its upgrade is {self.told_of('MonkeyCall', 'Upgrade')!r} "
                           f"({self.told_of('MonkeyCall', 'UpgradeError')}), expected {stage!r}", every=0.02)

    def test_upgrades_in_calls(self):
        provider = self.provider("MonkeyCall")
        for number in range(1, UPGRADES + 1):
            pid = self.told_of("MonkeyCall", "Pid")
            if number % 2:
                call = self.start_call("generic:jane", provider=dbus.ObjectPath(provider)).result()
            else:
                call = self.simulate_incoming("MonkeyCall")
            self.place_bundle("MonkeyCall", f"{PLUGINS}/MonkeyCall.callplugin", number)
            self.wait_upgrade("waiting")
            if number % 2 == 0:
                self.answer(call).result()
            self.wait_state(call, "active")
            self.assertEqual(self.told_of("MonkeyCall", "Pid"), pid)
            if number % 3 == 2:
                self.system.call(self.plugin("MonkeyCall"), PLUGIN, "Restart").result()
                self.wait_told("CallEnded", call, "provider-restarted")
            else:
                self.end(call).result()
                self.wait_told("CallEnded", call, "local-ended")
            wait_until(lambda old=pid: self.told_of("MonkeyCall", "Pid") not in (0, old)
                       and self.told_of("MonkeyCall", "Version") == str(number), "it does not take over")
            self.system.wait_ready("MonkeyCall")
        self.assertEqual([event.path for event in self.system.told("InterfacesRemoved", provider)], [])
        self.assertIn("MonkeyCall: its new file takes over: 1 replaces 0", self.system.read_log())


class Refused(UpgradeTest):
    """What is not valid changes nothing, and says so."""

    def check(self, reason):
        self.wait_upgrade("refused")
        self.assertIn(reason, self.told_of("Misbehaving", "UpgradeError"))
        self.assertUntouched(self.call, self.worker)
        self.system.wait_logged("plugin Misbehaving: its new file is not used")
        self.assertIn("new file of plugin Misbehaving is refused", self.doctor())

    def setUp(self):
        super().setUp()
        self.call = self.begin()
        self.worker = self.told_of("Misbehaving", "Pid")

    def test_text(self):
        path = self.place("Misbehaving", b"I am no shared object\n" * 10)
        self.check("is not an ELF file")
        refused = self.system.call(self.plugin("Misbehaving"), PLUGIN, "Restart")
        self.assertRefused(refused, "InvalidAction")
        self.assertIn("the old one goes on", refused.error_text)
        self.assertUntouched(self.call, self.worker)
        # The old one is back, and all is well.
        self.place("Misbehaving")
        self.wait_upgrade("")
        self.assertUntouched(self.call, self.worker)
        self.assertTrue(os.path.exists(path))

    def test_one_that_crashes(self):
        self.compile("Misbehaving", SILENT, "-DCRASH")
        self.check("its worker ended by signal 6 (SIGABRT)")

    def test_one_that_cannot_be_loaded(self):
        source = f"{self.folder}/source"
        with open(SILENT, encoding="utf-8") as silent, open(source, "w", encoding="utf-8") as file:
            file.write("void swift_retaiX(void);\n" + silent.read().replace("(void)link;", "swift_retaiX();"))
        self.compile("Misbehaving", source)
        self.check("the file could not be loaded: undefined symbol: swift_retaiX")

    def test_a_folder_that_becomes_too_open(self):
        os.chmod(self.folder, 0o775)
        self.check(f"chmod g-w {self.folder}")
        # What is to be typed helps at once.
        os.chmod(self.folder, 0o755)
        self.wait_upgrade("")
        self.assertUntouched(self.call, self.worker)


class NoHello(UpgradeTest):
    deadlines = {"hello": 2_000}

    def test_one_that_says_no_hello(self):
        call = self.begin()
        pid = self.told_of("Misbehaving", "Pid")
        self.compile("Misbehaving", SILENT)
        self.wait_upgrade("refused")
        self.assertIn("no hello", self.told_of("Misbehaving", "UpgradeError"))
        self.assertUntouched(call, pid)


class Consent(UpgradeTest):
    """A new version that needs more than is granted waits for the user, and the old one works."""

    def test_it_needs_more(self):
        folder = f"{self.system.environment['XDG_DATA_HOME']}/opencallkit/plugins"
        os.makedirs(folder, exist_ok=True)
        self.bundle(folder, 1, "")
        self.wait_ready("Misbehaving")
        call = self.talk("Misbehaving")
        pid = self.told_of("Misbehaving", "Pid")
        self.bundle(folder, 2, "network")
        self.wait_upgrade("needs-consent")
        command = "callctl plugins grant Misbehaving network"
        self.assertIn(command, self.told_of("Misbehaving", "UpgradeError"))
        self.assertIn(f"new file of plugin Misbehaving waits for permissions: it needs network; to allow that: {command}; "
                      "the old one goes on", self.doctor())
        for words in ("list",), ("show", "Misbehaving"):
            self.assertIn(command, " ".join(self.system.run(f"{BUILD}/callctl", "plugins", *words).text.split()))
        self.assertUntouched(call, pid)
        granted = self.system.run(f"{BUILD}/callctl", "plugins", "grant", "Misbehaving", "network")
        self.assertEqual(granted.text, "granted network to Misbehaving; its new file takes over when it has no call\n")
        self.wait_upgrade("waiting")
        self.assertUntouched(call, pid)
        self.assertEqual([self.told_of("Misbehaving", key) for key in ("Version", "UpgradeVersion")], ["1", "2"])
        shown = self.system.run(f"{BUILD}/callctl", "plugins", "show", "Misbehaving").text
        self.assertIn("version 2 takes over when no call is left", shown)
        self.system.call(call, CALL, "End").result()
        self.wait_other(pid)
        self.assertEqual([self.told_of("Misbehaving", key) for key in ("Version", "UpgradeVersion")], ["2", ""])
        self.system.wait_logged("plugin Misbehaving: its new file takes over: 2 replaces 1")
        listed = json.loads(self.system.run(f"{BUILD}/callctl", "plugins", "--json").text)[0]
        self.assertEqual((listed["id"], listed["version"]), ("Misbehaving", "2"))
        self.assertEqual(list(self.property(self.plugin("Misbehaving"), "Granted", PLUGIN)), ["network"])

    def bundle(self, folder, version, needs):
        new, place = f"{folder}/.new", f"{folder}/Misbehaving.callplugin"
        os.mkdir(new)
        with open(f"{new}/Misbehaving.so", "wb") as file:
            file.write(self.library("Misbehaving") + f"version {version}".encode())
        with open(f"{new}/Plugin.ini", "w", encoding="utf-8") as file:
            file.write(f"[Plugin]\nVersion={version}\nNeeds={needs}\n")
        if os.path.exists(place):
            os.rename(place, f"{folder}/.old")
        os.rename(new, place)
        shutil.rmtree(f"{folder}/.old", ignore_errors=True)


class Early(UpgradeTest):
    """A plugin that is ended before it has said hello is started again all the same."""

    def test_one_that_says_hello_while_it_is_ended(self):
        puppet = Puppet(self, "Smallest")
        pid = self.told_of("Smallest", "Pid")
        self.system.call(self.plugin("Smallest"), PLUGIN, "Restart").result()
        puppet.call(ROOT, WORKER_HOST, "Hello", "uss", 1, "6.3", "puppet")
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid), "no other worker comes")


class Farewells(UpgradeTest):
    """A worker that must end has a moment to tell its network, whatever the reason."""

    def check(self, call, reason):
        self.wait_told("CallEnded", call, reason)
        wait_until(lambda: self.farewells() == [uuid_of(call)], lambda: f"the far side was told of {self.farewells()}", every=0.05)

    def test_restart(self):
        call = self.begin()
        self.system.call(self.plugin("Misbehaving"), PLUGIN, "Restart").result()
        self.check(call, "provider-restarted")

    def test_disabled(self):
        call = self.begin()
        self.set_enabled("Misbehaving", False)
        self.check(call, "failed")

    def test_removed(self):
        call = self.begin()
        os.unlink(f"{self.folder}/Misbehaving.so")
        self.check(call, "failed")
