"""What a plugin asks for, and that it is the user who grants it."""

import os
import shutil
import signal

from plugins.consent import AskingTest
from support.system import BUILD, CALL, PLUGIN, PROPERTIES
from support.waiting import wait_until


class Consent(AskingTest):
    def test_nothing_of_it_runs_before_the_user_has_consented(self):
        loud = self.compiled("Greedy/greedy.c", "-DMODE=NOTHING")
        self.bundle(self.asks("audio;network;", reasons="network=Talks to \x1b[2Jyour provider.\n"), "Loud", library=loud)
        self.wait_for("Loud", "needs-consent")
        self.assertEqual(self.shows("Loud", "Pid"), 0)
        self.assertEqual(self.shows("Loud", "Sandbox"), "")
        self.assertEqual(self.words("Loud", "Needs"), ["network", "audio"])
        self.assertEqual(self.words("Loud", "Granted"), [])
        self.assertEqual(dict(self.shows("Loud", "Reasons")), {"network": "Talks to [2Jyour provider."})
        self.assertEqual(self.shows("Loud", "Error"), "it needs network, audio; to allow that: "
                         "callctl plugins grant Loud network audio")
        restart = self.system.call(self.plugin("Loud"), PLUGIN, "Restart")
        self.assertRefused(restart, "InvalidAction")
        self.grant("Loud", "network").result()
        self.assertEqual(self.told_of("Loud", "State"), "needs-consent")
        self.assertIn("it needs audio;", self.shows("Loud", "Error"))
        self.assertNotIn("greedy is loaded", self.system.read_log())
        self.assertFalse(os.path.exists(self.state_folder("Loud")))
        self.grant("Loud", "audio").result()
        self.system.wait_logged("greedy is loaded")

    def test_granted_it_runs_and_revoked_it_ends(self):
        self.bundle(self.asks("network"))
        self.wait_for("Smallest", "needs-consent")
        self.grant("Smallest", "network").result()
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["network"])
        self.assertIn(self.shows("Smallest", "Sandbox"), ("full", "landlock"))
        call = self.talk("Smallest")
        self.revoke("Smallest", "network").result()
        self.wait_for("Smallest", "needs-consent")
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: self.told_of("Smallest", "Pid") == 0, "its worker runs on")
        wait_until(lambda: self.provider("Smallest") not in self.system.objects, "its provider stays")
        self.assertEqual(self.shows("Smallest", "Sandbox"), "")
        self.grant("Smallest", "network").result()
        self.wait_ready("Smallest")

    def test_what_it_may_use_is_not_waited_for(self):
        self.bundle(self.asks(may_use="audio;network;"))
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "MayUse"), ["network", "audio"])
        self.assertEqual(self.words("Smallest", "Granted"), [])
        pid = self.shows("Smallest", "Pid")
        self.grant("Smallest", "audio").result()
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid), "its worker is not replaced")
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["audio"])
        pid = self.shows("Smallest", "Pid")
        self.grant("Smallest", "audio").result()
        self.revoke("Smallest", "network").result()
        self.assertEqual(self.shows("Smallest", "Pid"), pid)

    def test_who_asks_for_nothing_runs(self):
        self.bundle()
        self.wait_ready("Smallest")
        self.assertIn(self.shows("Smallest", "Sandbox"), ("full", "landlock"))
        self.assertRefused(self.grant("Smallest", "network"), "InvalidArguments")

    def test_refusals(self):
        self.bundle(self.asks("network"))
        self.wait_for("Smallest", "needs-consent")
        for permissions, name in (
                ((), "InvalidArguments"), (("network", "audio"), "InvalidArguments"), (("devices:serial",), "InvalidArguments"),
                (("",), "NotSupported"), (("Network",), "NotSupported"), (("session-bus:org.freedesktop.systemd1",), "NotSupported"),
                (("files:~/.ssh",), "NotSupported"), (("x" * 1_000,), "NotSupported"),
                (("network",) * 10_000 + ("audio",), "InvalidArguments")):
            for method in ("Grant", "Revoke"):
                self.assertRefused(self.decide(method, "Smallest", *permissions), name)
        self.assertEqual(self.words("Smallest", "Granted"), [])
        self.assertFalse(os.path.exists(self.grants_file))
        with open(os.path.join(self.own, "Broken.so"), "wb") as file:
            file.write(b"no library")
        self.wait_for("Broken", "incompatible")
        self.assertRefused(self.grant("Broken", "network"), "InvalidAction")
        self.assertRefused(self.grant("Missing", "network"), "org.freedesktop.DBus.Error.UnknownObject")

    def test_a_disabled_plugin_stays_disabled(self):
        self.bundle(self.asks("network"))
        self.wait_for("Smallest", "needs-consent")
        self.set_enabled("Smallest", False)
        self.wait_for("Smallest", "disabled")
        self.grant("Smallest", "network").result()
        self.assertEqual(self.told_of("Smallest", "State"), "disabled")
        self.set_enabled("Smallest", True)
        self.wait_ready("Smallest")
        self.set_enabled("Smallest", False)
        self.revoke("Smallest", "network").result()
        self.set_enabled("Smallest", True)
        self.wait_for("Smallest", "needs-consent")


class Packaged(AskingTest):
    """Plugins outside the user's folder."""

    def test_installation_grants_and_the_user_revokes(self):
        self.bundle(self.asks("network", "audio"), folder=self.folder)
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["network", "audio"])
        self.revoke("Smallest", "audio").result()
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["network"])
        self.revoke("Smallest", "network").result()
        self.wait_for("Smallest", "needs-consent")
        self.restart_daemon()
        self.wait_for("Smallest", "needs-consent")
        self.assertEqual(self.words("Smallest", "Granted"), [])
        self.forget("Smallest").result()
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["network", "audio"])

    def test_the_users_plugin_of_the_same_id_inherits_nothing(self):
        packaged = self.bundle(self.asks("network"), folder=self.folder)
        self.wait_ready("Smallest")
        self.grant("Smallest", "network").result()
        self.bundle(self.asks("network"))
        shutil.rmtree(packaged)
        self.wait_for("Smallest", "needs-consent")
        self.assertEqual(self.words("Smallest", "Granted"), [])


class Kept(AskingTest):
    def test_grants_outlive_the_daemon(self):
        self.bundle(self.asks("network", "audio"))
        self.wait_for("Smallest", "needs-consent")
        self.grant("Smallest", "network").result()
        self.wait_ready("Smallest")
        self.assertEqual(os.stat(self.grants_file).st_mode & 0o777, 0o600)
        self.restart_daemon()
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["network"])

    def wait_upgrade(self, stage):
        wait_until(lambda: self.told_of("Smallest", "Upgrade") == stage, f"its upgrade is not {stage!r}")

    def test_an_update_asks_for_the_difference(self):
        path = self.bundle(self.asks("network"))
        self.wait_for("Smallest", "needs-consent")
        self.grant("Smallest", "network").result()
        self.wait_ready("Smallest")
        call = self.talk("Smallest")
        self.write_manifest(path, self.asks("network;audio"))
        self.wait_upgrade("needs-consent")
        self.assertIn("it needs audio;", self.shows("Smallest", "UpgradeError"))
        self.grant("Smallest", "audio").result()
        self.wait_upgrade("waiting")
        self.assertEqual(self.property(call, "State", CALL), "active")
        self.system.call(call, CALL, "End").result()
        self.wait_upgrade("")
        self.wait_ready("Smallest")
        # One that asks for less, or for the same, starts without a question.
        self.bundle(self.asks("audio"))
        wait_until(lambda: self.told_of("Smallest", "Needs") == ["audio"], "the manifest is not read")
        self.wait_upgrade("")
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["audio"])
        self.bundle(self.asks("audio;network"))
        wait_until(lambda: len(self.told_of("Smallest", "Needs")) == 2, "the manifest is not read")
        self.wait_ready("Smallest")

    def test_a_folder_that_is_a_link_is_not_followed(self):
        outside = os.path.join(self.system.folder.name, "outside")
        os.mkdir(outside)
        with open(os.path.join(outside, "file"), "w", encoding="utf-8") as file:
            file.write("kept")
        os.makedirs(os.path.dirname(self.state_folder("Smallest")), mode=0o700)
        os.symlink(outside, self.state_folder("Smallest"))
        self.bundle()
        self.wait_for("Smallest", "quarantined")
        self.assertIn("its folders cannot be made", self.shows("Smallest", "Error"))
        self.assertRefused(self.forget("Smallest"), "ActionFailed")
        self.assertEqual(os.listdir(outside), ["file"])
        os.unlink(self.state_folder("Smallest"))
        self.system.call(self.plugin("Smallest"), PLUGIN, "Restart").result()
        self.wait_ready("Smallest")


class Forgotten(AskingTest):
    """Plugins whose folders are measured at short intervals."""

    arguments = ("--worker-ping-period", "100")

    def hang(self, name):
        """Stops the worker in its tracks, so that it has to be killed."""
        os.kill(self.shows(name, "Pid"), signal.SIGSTOP)

    def fill(self, name):
        """Makes folders that are deeper than allowed, with a link to a folder outside. Returns that folder."""
        outside = os.path.join(self.system.folder.name, "outside")
        os.mkdir(outside)
        deep = os.path.join(self.state_folder(name), *["d"] * 50)
        os.makedirs(deep)
        os.symlink(outside, os.path.join(deep, "link"))
        for folder in (deep, self.cache_folder(name), outside):
            with open(os.path.join(folder, "file"), "w", encoding="utf-8") as file:
                file.write("kept")
        return outside

    def test_forgetting_removes_the_folders(self):
        self.bundle(self.asks("network"))
        self.wait_for("Smallest", "needs-consent")
        self.grant("Smallest", "network").result()
        self.wait_ready("Smallest")
        call = self.talk("Smallest")
        self.hang("Smallest")
        forgotten = self.forget("Smallest")
        self.wait_for("Smallest", "restarting")
        outside = self.fill("Smallest")
        forgotten.result()
        self.assertEnded(call, "failed", "provider")
        self.wait_for("Smallest", "needs-consent")
        self.assertFalse(os.path.exists(self.state_folder("Smallest")))
        self.assertFalse(os.path.exists(self.cache_folder("Smallest")))
        self.assertEqual(os.listdir(outside), ["file"])
        self.assertEqual(self.words("Smallest", "Granted"), [])
        self.forget("Smallest").result()
        self.restart_daemon()
        self.wait_for("Smallest", "needs-consent")

    def test_a_worker_that_is_being_ended_exceeds_nothing(self):
        self.bundle()
        self.wait_ready("Smallest")
        self.hang("Smallest")
        self.set_enabled("Smallest", False)
        self.fill("Smallest")
        wait_until(lambda: self.told_of("Smallest", "Pid") == 0, "its worker runs on")
        self.assertEqual(self.told_of("Smallest", "State"), "disabled")
        self.set_enabled("Smallest", True)
        self.wait_for("Smallest", "quarantined")


class Forgetting(AskingTest):
    """What happens to a plugin while its folders are being removed, which takes some time as there are many files."""

    def setUp(self):
        super().setUp()
        self.path = self.bundle()
        self.wait_ready("Smallest")
        for number in range(60):
            folder = os.path.join(self.state_folder("Smallest"), str(number))
            os.mkdir(folder)
            os.mknod(os.path.join(folder, "file"))
            for name in range(500):
                os.link(os.path.join(folder, "file"), os.path.join(folder, str(name)))
        self.system.call(self.plugin("Smallest"), PLUGIN, "Restart").result()
        self.wait_for("Smallest", "quarantined")
        wait_until(lambda: self.told_of("Smallest", "Pid") == 0, "its worker runs on")

    def assertReady(self):
        self.wait_ready("Smallest")
        self.assertEqual(os.listdir(self.state_folder("Smallest")), [])
        self.assertEqual(os.listdir(self.cache_folder("Smallest")), ["tmp"])

    def test_it_is_disabled_and_enabled(self):
        for pending in (self.forget("Smallest"), *(self.system.call(
                self.plugin("Smallest"), PROPERTIES, "Set", "ssv", PLUGIN, "Enabled", on) for on in (False, True))):
            pending.result()
        self.assertReady()

    def test_it_is_disabled(self):
        forgotten = self.forget("Smallest")
        self.set_enabled("Smallest", False)
        forgotten.result()
        self.assertEqual(self.told_of("Smallest", "State"), "disabled")
        self.assertFalse(os.path.exists(self.state_folder("Smallest")))

    def test_its_bundle_is_moved_away_and_back(self):
        forgotten = self.forget("Smallest")
        away = f"{self.path}.away"
        os.rename(self.path, away)
        forgotten.result()
        wait_until(lambda: self.plugin("Smallest") not in self.system.objects, "it stays")
        self.assertFalse(os.path.exists(self.state_folder("Smallest")))
        os.rename(away, self.path)
        self.assertReady()


class Damaged(AskingTest):
    def test_what_can_be_read_of_a_damaged_file_counts(self):
        for name in ("One", "Two"):
            self.bundle(self.asks("network"), name)
            self.wait_for(name, "needs-consent")
            self.grant(name, "network").result()
            self.wait_ready(name)
        with open(self.grants_file, encoding="utf-8") as file:
            lines = file.read().splitlines()
        with open(self.grants_file, "w", encoding="utf-8") as file:
            file.write("\n".join([*lines[:2], "permission \"plugin=Two", "\0\ufffd"]))
        self.restart_daemon()
        self.wait_ready("One")
        self.wait_for("Two", "needs-consent")
        self.assertFalse(os.path.exists(f"{self.grants_file}.damaged"))
        self.assertEqual([event.arguments[0] for event in self.system.told("Anomaly", "bad-settings")], ["bad-settings"])
        self.grant("Two", "network").result()
        self.assertTrue(os.path.exists(f"{self.grants_file}.damaged"))
        self.restart_daemon()
        self.wait_ready("One")
        self.wait_ready("Two")

    def test_a_file_that_grants_what_no_plugin_gets(self):
        os.makedirs(os.path.dirname(self.grants_file), mode=0o700, exist_ok=True)
        with open(self.grants_file, "w", encoding="utf-8") as file:
            for name in ("session-bus:org.freedesktop.systemd1", "files:~/.ssh/id_rsa", "network"):
                file.write(("permissions\n" if file.tell() == 0 else "")
                           + f"permission plugin=Smallest folder={self.own} granted=yes name={name}\n")
        self.restart_daemon()
        self.bundle(self.asks("network"))
        self.wait_ready("Smallest")
        self.assertEqual(self.words("Smallest", "Granted"), ["network"])


class Hostile(AskingTest):
    """Files Plugin.ini that a plugin could gain by."""

    def test_each_is_refused_with_its_reason(self):
        manifests = {
            "Shell": (self.asks("session-bus:org.gnome.Shell"), "session-bus:org.gnome.Shell"),
            "Daemon": (self.asks(may_use="session-bus:org.opencallkit.CallSystem1"), "org.opencallkit.CallSystem1"),
            "Wildcard": (self.asks("session-bus:org.*"), "session-bus:org.*"),
            "Keys": (self.asks("files:~/.ssh"), ".ssh"),
            "Upwards": (self.asks("files:~/a/../../etc"), "files:~/a/../../etc"),
            "Root": (self.asks("files:/"), "files:/"),
            "Word": (self.asks("everything"), "everything"),
            "Many": (self.asks(";".join(f"session-bus:org.example.N{number}" for number in range(33))), "33 permissions"),
            "Large": (b"#" * 20_000, "16384 bytes"),
            "Binary": (b"\xff\xfe[Plugin]\n", "UTF-8"),
            "Twice": ("[Plugin]\nNeeds=audio\nNeeds=network\n", "again"),
            "Early": ("Needs=network\n[Plugin]\n", "[Group]"),
        }
        for name, (manifest, _) in manifests.items():
            self.bundle(manifest, name)
        for name, (_, reason) in manifests.items():
            self.wait_for(name, "incompatible")
            self.assertIn(reason, self.shows(name, "Error"), name)
            self.assertLess(len(self.shows(name, "Error")), 1_000)
            self.assertEqual(self.shows(name, "Pid"), 0)

    def test_files_that_are_none(self):
        for name, make in (("Link", lambda path: os.symlink("/etc/passwd", path)), ("Fifo", os.mkfifo), ("Folder", os.mkdir)):
            path = self.bundle(None, name)
            self.wait_ready(name)
            make(os.path.join(path, "Plugin.ini"))
            wait_until(lambda: self.told_of(name, "Upgrade") == "refused", f"{name} is not refused")
            self.assertIn("Plugin.ini", self.shows(name, "UpgradeError"), name)
            self.assertEqual(self.shows(name, "State"), "ready", name)

    def test_a_name_that_hides_the_slash_before_it(self):
        """A combining mark and the slash before it are one character to who counts in characters."""
        self.bundle(self.asks("network"), "\u0301Mark")
        wait_until(lambda: self.told_of("_Mark", "State"), "it is not found")
        self.wait_for("_Mark", "needs-consent")

    def test_a_file_that_others_can_write_to(self):
        path = self.bundle(self.asks("network"), "Open")
        self.wait_for("Open", "needs-consent")
        os.chmod(os.path.join(path, "Plugin.ini"), 0o666)
        self.wait_for("Open", "incompatible")

    def test_what_is_unknown_is_passed_over(self):
        self.bundle("[Plugin]\nName=\x1b[31mPhone\nNeeds=\nColour=red\n[Other]\nx=y\n")
        self.wait_ready("Smallest")


class Commands(AskingTest):
    def callctl(self, *words, status=0):
        output = self.system.run(f"{BUILD}/callctl", *words)
        self.assertEqual(output.status, status, output)
        return output.text + output.errors

    def test_a_user_decides(self):
        self.bundle(self.asks("network", "audio", "network=Talks to your provider.\n"))
        self.wait_for("Smallest", "needs-consent")
        self.assertIn("network?, audio?", self.callctl("plugins"))
        self.assertIn("callctl plugins grant Smallest network", self.callctl("doctor", status=1))
        # Who wants to call is told why nobody takes the call, and what to type.
        for words in (("start", "generic:x"), ("plan", "start", "generic:x"), ("start", "generic:x", "--provider", "small")):
            self.assertIn("plugin Smallest is not started: it needs network; to allow that: callctl plugins grant Smallest "
                          "network\n", self.callctl(*words, status=66))
        shown = self.callctl("plugins", "show", "Smallest")
        self.assertIn("network: not granted; the plugin says: “Talks to your provider.”", shown)
        self.assertEqual(self.callctl("plugins", "grant", "Smallest", "audio"),
                         "granted audio to Smallest; it needs network; to allow that: callctl plugins grant Smallest network\n")
        self.assertEqual(self.callctl("plugins", "grant", "Smallest", "network"), "granted network to Smallest\n")
        self.wait_ready("Smallest")
        self.assertIn("network, audio", self.callctl("plugins"))
        self.assertEqual(self.callctl("plugins", "revoke", "Smallest", "audio"), "revoked audio from Smallest\n")
        self.assertIn("audio?, network", self.callctl("plugins"))
        self.assertEqual(self.callctl("plugins", "revoke", "Smallest", "network"),
                         "revoked network from Smallest; it does not start until it has what it needs\n")
        self.assertIn("does not ask for devices:serial", self.callctl("plugins", "grant", "Smallest", "devices:serial", status=1))
        self.assertEqual(self.callctl("plugins", "forget", "Smallest"), "forgot Smallest\n")
        self.assertIn("network?, audio?", self.callctl("plugins"))
