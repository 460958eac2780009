"""callctl plugins: install, upgrade, remove, grant and forget, and what they say."""

import os
import shutil
import signal
import subprocess

from plugins.case import SILENT
from plugins.upgrades import UpgradeTest
from support.system import BUILD, CALL, ROOT, SYSTEM
from support.terminal import Watching
from support.waiting import wait_until


class ByCommand(UpgradeTest):
    """callctl plugins install, upgrade and remove do it all: check, copy, exchange, wait."""

    def callctl(self, *words):
        return self.system.run(f"{BUILD}/callctl", "plugins", *words)

    def source(self, version=0, data=None):
        os.makedirs(f"{self.folder}/build", exist_ok=True)
        path = f"{self.folder}/build/libMisbehaving.so"
        with open(path, "wb") as file:
            file.write(data or self.library("Misbehaving") + f"version {version}".encode())
        return path

    @property
    def own(self):
        return f"{self.system.environment['XDG_DATA_HOME']}/opencallkit/plugins"

    def test_from_the_first_version_to_the_last(self):
        output = self.callctl("upgrade", self.source())
        self.assertEqual(output.status, 66, output.errors)
        output = self.callctl("install", self.source())
        self.assertEqual((output.status, output.text), (0, "installed Misbehaving\n"), output.errors)
        self.wait_ready("Misbehaving")
        call = self.talk("Misbehaving")
        pid = self.told_of("Misbehaving", "Pid")
        for data, reason in ((b"text", "is not an ELF file"), (self.crashing(), "SIGABRT")):
            output = self.callctl("install", self.source(data=data))
            self.assertEqual(output.status, 1, output.text)
            self.assertIn(reason, " ".join(output.errors.split()))
            self.wait_upgrade("")
            self.assertUntouched(call, pid)
        output = self.callctl("upgrade", "--now", self.source(2))
        self.assertEqual((output.status, output.text), (0, "upgraded Misbehaving\n"), output.errors)
        self.assertEnded(call, "provider-restarted", "provider")
        self.assertEqual(os.listdir(self.own), ["libMisbehaving.so"])
        output = self.callctl("remove", "Misbehaving")
        self.assertEqual((output.status, output.text), (0, "removed Misbehaving\n"), output.errors)
        wait_until(lambda: self.plugin("Misbehaving") not in self.system.objects, "its plugin stays")
        self.assertEqual(os.listdir(self.own), [])

    def test_who_stops_waiting_takes_it_back(self):
        """Ctrl-C leaves what was there, and nothing of the new file."""
        os.makedirs(self.own, exist_ok=True)
        for is_new in (True, False):
            with self.subTest(is_new=is_new):
                if is_new:
                    # It is not looked for there.
                    environment, text = {"XDG_DATA_HOME": f"{self.folder}/elsewhere"}, "Misbehaving is not installed"
                    self.place("Misbehaving", folder=self.own)
                    self.wait_ready("Misbehaving")
                    call, pid = self.talk("Misbehaving"), self.told_of("Misbehaving", "Pid")
                    source, folder = self.other_source(), f"{self.folder}/elsewhere/opencallkit/plugins"
                else:
                    environment, text = {}, "Misbehaving stays as it was"
                    source, folder = self.source(2), self.own
                before = os.listdir(folder) if os.path.exists(folder) else []
                with subprocess.Popen([f"{BUILD}/callctl", "plugins", "install", source], stderr=subprocess.PIPE, text=True,
                                      env={**self.system.environment, **environment}) as process:
                    if is_new:
                        wait_until(lambda: os.path.exists(f"{folder}/libOther.so"), "it is not installed")
                    else:
                        self.wait_upgrade("waiting")
                    process.send_signal(signal.SIGINT)
                    errors = process.communicate(timeout=30)[1]
                self.assertEqual(process.returncode, -signal.SIGINT)
                self.assertIn(text.replace("Misbehaving", "Other" if is_new else "Misbehaving"), errors)
                self.assertEqual(os.listdir(folder), before)
        self.wait_upgrade("")
        self.assertUntouched(call, pid)

    def other_source(self):
        path = f"{self.folder}/build/libOther.so"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(self.library("Misbehaving"))
        return path

    def test_it_is_removed_once_its_call_has_ended(self):
        self.callctl("install", self.source())
        self.wait_ready("Misbehaving")
        call = self.talk("Misbehaving")
        with subprocess.Popen([f"{BUILD}/callctl", "plugins", "remove", "Misbehaving"], env=self.system.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("is removed when they have ended", process.stderr.readline())
            self.assertTrue(os.path.exists(f"{self.own}/libMisbehaving.so"))
            self.system.call(call, CALL, "End").result()
            wait_until(lambda: process.poll() is not None, "it goes on waiting")
            self.assertEqual(process.stdout.read(), "removed Misbehaving\n")

    def bundle(self, *needs, version=0):
        os.makedirs(f"{self.folder}/build", exist_ok=True)
        path = f"{self.folder}/build/Misbehaving.callplugin"
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        with open(f"{path}/Misbehaving.so", "wb") as file:
            file.write(self.library("Misbehaving") + f"version {version}".encode())
        with open(f"{path}/Plugin.ini", "w", encoding="utf-8") as file:
            file.write(f"[Plugin]\nNeeds={';'.join(needs)}\n")
        return path

    def test_a_library_alone_does_not_take_permissions_away(self):
        self.callctl("install", self.bundle("network", "audio"))
        self.callctl("grant", "Misbehaving", "network", "audio")
        self.wait_ready("Misbehaving")
        pid = self.told_of("Misbehaving", "Pid")
        refused = self.callctl("install", self.source())
        self.assertEqual((refused.status, refused.text), (1, ""))
        self.assertIn("is a library alone, which may use nothing, and Misbehaving asks for network, audio: install its bundle, "
                      "or first type: callctl plugins remove Misbehaving", refused.errors)
        self.assertEqual(os.listdir(self.own), ["Misbehaving.callplugin"])
        self.assertEqual(self.told_of("Misbehaving", "Pid"), pid)
        self.assertEqual(self.callctl("install", self.bundle("network", version=2)).text,
                         "upgraded Misbehaving; it no longer asks for audio\n")

    def test_what_is_hidden_is_not_installed(self):
        hiding = self.place("Misbehaving")
        self.wait_ready("Misbehaving")
        refused = self.callctl("install", self.source(2))
        self.assertEqual((refused.status, refused.text), (1, ""))
        self.assertIn(f"libMisbehaving.so would be hidden by {hiding}", refused.errors)
        self.assertEqual(os.listdir(self.own), [])

    def test_what_is_removed_can_be_forgotten(self):
        self.callctl("install", self.bundle("network"))
        self.callctl("grant", "Misbehaving", "network")
        self.wait_ready("Misbehaving")
        state = f"{self.system.environment['HOME']}/.local/state/opencallkit/plugins/Misbehaving"
        self.assertTrue(os.path.isdir(state))
        there = self.system.call(ROOT, SYSTEM, "ForgetPlugin", "s", "Misbehaving")
        self.assertRefused(there, "InvalidAction")
        self.callctl("remove", "Misbehaving")
        output = self.callctl("forget", "Misbehaving")
        self.assertEqual((output.status, output.text), (0, "forgot Misbehaving\n"), output.errors)
        self.assertFalse(os.path.exists(state))
        output = self.callctl("forget", "Misbehaving")
        self.assertEqual((output.status, output.errors),
                         (66, 'callctl: no plugin "Misbehaving", and nothing is kept of one\n'))
        for name in "", "../plugins", "a/b", "x" * 65:
            self.assertRefused(self.system.call(ROOT, SYSTEM, "ForgetPlugin", "s", name), "InvalidArguments")
        self.assertIn("it needs network", self.callctl("install", self.bundle("network")).text)

    def test_a_grant_says_what_becomes_of_the_plugin(self):
        path = self.bundle("network")
        with open(f"{path}/Misbehaving.so", "wb") as file:
            file.write(self.crashing())
        self.callctl("install", path)
        output = self.callctl("grant", "Misbehaving", "network")
        self.assertEqual(output.status, 0, output.errors)
        self.assertRegex(output.text, r"^granted network to Misbehaving; plugin Misbehaving is quarantined: 3 crashes in 60 s, "
                                      r"the last: .*SIGABRT.*; try: callctl plugins restart Misbehaving\n$")
        output = self.callctl("enable", "Misbehaving")
        self.assertIn("Misbehaving is quarantined again: 3 crashes", output.errors)

    def test_why_it_started(self):
        """What the user did is told, and by whom calls ended is said in the same way everywhere."""
        reasons = []

        def note(reason):
            self.wait_ready("Misbehaving")
            reasons.append((reason, self.told_of("Misbehaving", "StartReason")))
        watching = Watching(self)
        self.callctl("install", self.bundle("network"))
        self.callctl("grant", "Misbehaving", "network")
        note("permissions")
        call, pid = self.talk("Misbehaving"), self.told_of("Misbehaving", "Pid")
        self.callctl("restart", "Misbehaving")
        self.wait_told("CallEnded", call, "provider-restarted")
        self.wait_other(pid)
        note("restarted")
        self.callctl("install", self.bundle("network", version=2))
        note("upgraded")
        self.set_enabled("Misbehaving", False)
        self.set_enabled("Misbehaving", True)
        note("enabled")
        pid = self.told_of("Misbehaving", "Pid")
        os.kill(int(pid), signal.SIGKILL)
        self.wait_other(pid)
        note("crashed")
        for told, expected in reasons:
            self.assertEqual(told, expected)
        for words in ("its permissions have changed", "restarted by you", "upgraded", "enabled by you",
                      "started again after a crash"):
            watching.wait("plugin ", "Misbehaving ready, pid", words)
        watching.wait("ended ", "provider-restarted, after")
        self.assertEqual(watching.lines("provider-restarted, by"), [])

    def crashing(self):
        self.compile("Crashing.part", SILENT, "-DCRASH")
        path = f"{self.folder}/Crashing.part.so"
        with open(path, "rb") as file:
            data = file.read()
        os.remove(path)
        return data
