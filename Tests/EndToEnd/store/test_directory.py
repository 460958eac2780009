"""Call directories: blocking and naming callers, loading, and invalid directories."""

import os
import re

from support.directories import DBUS_FLAGS, STRANGER, DirectoryTest, wait_asking
from support.messages import variants
from support.provider import Provider
from support.system import EXTENSION1, PLUGIN, PROPERTIES, PROVIDER
from support.waiting import wait_gone

NUMBER_LIMIT = 9223372036854775806


class Tutorial(DirectoryTest):
    """The directory of the tutorial."""

    def test_it_blocks_and_names(self):
        self.bundle()
        provider = Provider(self.system, "Tutorial", supported_handle_types=["phone-number"])
        self.assertEqual(self.blocked("1234"), (False, ""))
        self.enable()
        self.assertEqual(self.blocked("1234"), (True, "TutorialDirectory"))
        self.assertEqual(self.identified("1111"), ("RW Tutorial Team", "TutorialDirectory"))
        self.assertEqual((self.blocked("1111"), self.identified("1234")), ((False, ""), ("", "")))
        report = self.report()
        self.assertEqual((report["blocked"], report["identified"], report["error"]), (1, 1, ""))
        pending = provider.report_incoming(handle=("phone-number", "1234"))
        self.assertRefused(pending, "FilteredByBlockList")
        call = provider.incoming(handle=("phone-number", "1111"))
        self.assertEqual(self.caller_name(call), ("RW Tutorial Team", "directory"))

    def caller_name(self, call):
        identity = "org.opencallkit.CallIdentity1"
        return tuple(str(self.property(call, name, identity)) for name in ("CallerName", "CallerNameSource"))

    def test_it_is_a_plugin_that_does_not_run(self):
        self.bundle()
        path = self.plugin("TutorialDirectory")
        self.assertEqual(self.property(path, "State", PLUGIN), "ready")
        self.assertEqual(list(self.property(path, "Kinds", PLUGIN)), ["directory"])
        self.assertEqual(self.property(path, "Pid", PLUGIN), 0)
        self.assertRefused(self.system.call(path, PLUGIN, "Restart"), "InvalidAction")
        self.enable()
        wait_asking(lambda: not self.workers(), "a worker stays")

    def test_a_disabled_plugin_has_no_entries_in_force(self):
        self.bundle()
        self.enable()
        path = self.plugin("TutorialDirectory")
        self.system.call(path, PROPERTIES, "Set", "ssv", PLUGIN, "Enabled", False).result()
        self.assertEqual(self.property(path, "State", PLUGIN), "disabled")
        wait_asking(lambda: self.blocked("1234") == (False, ""), "its entries stay in force")
        self.assertRefused(self.reload(), "ExtensionDisabled")
        self.assertEqual(str(self.report()["status"]), "enabled")
        self.system.call(path, PROPERTIES, "Set", "ssv", PLUGIN, "Enabled", True).result()
        wait_asking(lambda: self.blocked("1234") == (True, "TutorialDirectory"), "its entries do not return")

    def test_it_outlives_the_store(self):
        self.bundle()
        self.enable()
        os.kill(self.store(), 9)
        wait_asking(lambda: self.ask("Identify", "s", "1234").wait().error is None
                    and self.blocked("1234") == (True, "TutorialDirectory"), "forgotten")
        self.set_status("disabled").result()
        self.assertEqual(self.blocked("1234"), (False, ""))
        os.kill(self.store(), 9)
        wait_asking(lambda: "TutorialDirectory" in self.extensions(), "the store stays away")
        self.assertEqual(str(self.report()["status"]), "disabled")

    def test_it_goes_with_its_plugin_and_comes_back(self):
        folder = self.bundle()
        self.enable()
        os.rename(folder, folder + ".away")
        wait_asking(lambda: not self.extensions(), "the extension stays")
        self.assertEqual(self.blocked("1234"), (False, ""))
        self.assertRefused(self.reload(), "org.freedesktop.DBus.Error.UnknownObject")
        os.rename(folder + ".away", folder)
        self.wait_extension()
        self.assertEqual(self.blocked("1234"), (True, "TutorialDirectory"))


class Loading(DirectoryTest):
    arguments = ("--deadline", "load=10000")

    def test_changes(self):
        self.bundle("incremental")
        self.enable()
        self.assertFalse(self.report()["incremental"], "there was nothing to change")
        self.reload().result()
        self.assertTrue(self.report()["incremental"])
        self.assertEqual((self.blocked("1234"), self.blocked("+1 408 555 1234")),
                         ((False, ""), (True, "TutorialDirectory")))
        self.assertEqual(self.identified("1111"), ("RW Tutorial Team", "TutorialDirectory"))
        self.reload().result()
        self.assertEqual((self.report()["blocked"], self.report()["identified"]), (1, 1))
        self.reload("").result()
        self.assertEqual((self.blocked("1234")[0], self.blocked("+14085551234")[0]), (True, False))
        self.reload("remove-names").result()
        self.assertEqual((self.identified("1111"), self.blocked("1234")[0]), (("", ""), True))
        self.reload("").result()
        self.reload("removals").result()
        self.assertEqual((self.report()["blocked"], self.report()["identified"]), (0, 0))

    def test_who_may_be_loaded(self):
        self.bundle()
        self.assertRefused(self.reload(), "ExtensionDisabled")
        self.assertEqual(str(self.report()["status"]), "disabled")
        for status in ("", "on", "Enabled"):
            self.assertRefused(self.set_status(status), "InvalidArguments")
        self.enable()
        first = self.reload("never")
        wait_asking(lambda: self.report()["loading"], "it is not loading")
        self.assertRefused(self.reload(), "CurrentlyLoading")
        self.set_status("disabled").result()
        self.assertRefused(first, "LoadingInterrupted")

    def test_who_loads_stands_back(self):
        """A worker that loads lets go first who answers calls meanwhile."""
        self.bundle("never")
        self.set_status("enabled").result()
        wait_asking(self.workers, "no worker")
        worker, = self.workers()

        def standing(pid):
            policy = os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK
            return policy, os.getpriority(os.PRIO_PROCESS, pid)
        # Threads inherit it; libdispatch gives its own another niceness if it has the privileges.
        wait_asking(lambda: self.report()["loading"] and len(os.listdir(f"/proc/{worker}/task")) > 1, "no threads")
        own = os.getpriority(os.PRIO_PROCESS, os.getpid())
        self.assertEqual(standing(worker), (os.SCHED_BATCH, min(own + 10, 19)))
        for thread in map(int, os.listdir(f"/proc/{worker}/task")):
            self.assertEqual(standing(thread)[0], os.SCHED_BATCH)
        for pid in (self.store(), self.system.daemon.pid):
            self.assertEqual(standing(pid), standing(os.getpid()))
        self.set_status("disabled").result()

    def test_rules_broken(self):
        """The error has the position and both numbers, and the previous entries remain in force."""
        self.bundle()
        self.enable()
        for number, (conduct, error, text) in enumerate((
                ("numbers 1 5 3", "EntriesOutOfOrder", "blocking entry 3: 3 comes after 5, expected ascending numbers"),
                ("numbers 5 5", "DuplicateEntries", "blocking entry 2: 5 comes after 5, which is blocked already"),
                ("numbers 0", "EntriesOutOfOrder", f"blocking entry 1: 0 is not a valid number, expected 1 to {NUMBER_LIMIT}"),
                ("numbers 3 -1", "EntriesOutOfOrder",
                 f"blocking entry 2: -1 after 3 is not a valid number, expected 1 to {NUMBER_LIMIT}"),
                ("numbers 9223372036854775807", "EntriesOutOfOrder",
                 f"blocking entry 1: 9223372036854775807 is not a valid number, expected 1 to {NUMBER_LIMIT}"),
                ("same-label", "DuplicateEntries", "identification entry 2: 7 comes after 7 with the same label"),
                ("remove-unread", "UnexpectedIncrementalRemoval",
                 "all blocked numbers cannot be removed: isIncremental was not read before")), 1):
            with self.subTest(conduct=conduct):
                pending = self.reload(conduct)
                self.assertRefused(pending, error)
                self.assertIn(text, pending.error_text)
                report = self.report()
                self.assertEqual((str(report["error"]), str(report["message"])), (error, text))
                told = "request failed: .*" + re.escape(text)
                wait_asking(lambda: self.report() and re.search(told, self.system.read_log()),
                           lambda: f"the delegate was not told: {self.system.read_log()}")
                wait_asking(lambda: self.report() and self.system.read_log().count("request expired") == number,
                            lambda: f"who completed it was not told: {self.system.read_log()}")
                self.assertEqual(self.blocked("1234"), (True, "TutorialDirectory"))

    def test_ends_before_the_end(self):
        self.bundle()
        self.enable()
        for conduct, text in (("die-before", "ended by signal 9"), ("die-amid", "ended by signal 9"),
                              ("exit", "exited with status 7"), ("cancel", "not today"), ("never", "took more than 10000 ms")):
            with self.subTest(conduct=conduct):
                pending = self.reload(conduct)
                self.assertRefused(pending, "LoadingInterrupted")
                self.assertIn(text, pending.error_text)
                self.assertEqual(self.blocked("1234"), (True, "TutorialDirectory"))
                wait_asking(lambda: not self.workers(), "a worker stays")
        folder = os.path.dirname(self.file())
        wait_asking(lambda: sorted(os.listdir(folder)) == ["TutorialDirectory.directory", "extensions.json"],
                    lambda: f"something was left over: {os.listdir(folder)}")

    def test_ends_of_every_kind_that_are_good(self):
        self.bundle("later")
        self.enable()
        self.assertEqual(self.blocked("1234"), (True, "TutorialDirectory"))
        for conduct in ("twice", "die-after"):
            self.reload(f"numbers {len(conduct)}").result()
            self.assertEqual(self.blocked("1234"), (False, ""))
            self.reload(conduct).result()
            self.assertEqual(self.blocked("1234"), (True, "TutorialDirectory"))

    def test_labels(self):
        self.bundle("labels")
        self.enable()
        self.assertEqual(self.identified("1")[0], "x" * 256)
        self.assertEqual(self.identified("2")[0], "a[2Jb")
        self.assertLessEqual(len(self.identified("3")[0].encode()), 1024)

    def test_a_damaged_file_is_set_aside_and_loaded_anew(self):
        self.bundle("many 50000")
        self.enable()
        wait_asking(lambda: not self.workers(), "a worker stays")
        store = self.store()
        with open(self.file(), "r+b") as file:
            file.seek(70_000)
            file.write(b"damage")
        os.kill(store, 9)
        wait_gone(store, "callkit-store")
        self.wait_extension()
        self.wait_loaded()
        wait_asking(lambda: self.report()["blocked"] == 50_000, lambda: f"not loaded: {dict(self.report())}")
        self.assertTrue(os.path.exists(self.file() + ".corrupt"))
        self.assertIn("its checksum is wrong; set aside as", str(self.report()["damage"]))
        self.assertIn("is damaged (its checksum is wrong) and was set aside", self.system.read_log())


class FromAPlugin(DirectoryTest):
    """A directory as another plugin sees it, by the SDK."""

    def press(self, button, **arguments):
        return self.system.call(self.provider("Surface"), PROVIDER, "PerformCustomAction", "sa{sv}", button,
                                variants({"extension": "TutorialDirectory", **arguments})).result()

    def test_reload_and_status(self):
        self.bundle()
        self.place("Surface")
        self.wait_ready("Surface")
        told = self.press("directory")
        self.assertEqual((told["reload"]["code"], told["status"], dict(told["unknown"])), (6, 1, {}))
        self.assertEqual(self.press("directory-async", what="reload")["code"], 6)
        self.enable()
        told = self.press("directory")
        self.assertEqual((dict(told["reload"]), told["status"]), ({}, 2))
        self.assertNotIn("code", self.press("directory-async", what="reload"))
        for conduct, code in (("numbers 2 1", 3), ("numbers 2 2", 4), ("exit", 2), ("remove-unread", 8)):
            self.conduct(conduct)
            told = self.press("directory")["reload"]
            self.assertEqual((str(told["error"]), told["code"]),
                             ("com.apple.CallKit.error.calldirectorymanager", code))


class Big(DirectoryTest):
    arguments = ("--deadline", "load=60000")

    def test_many_with_progress(self):
        self.bundle("many 300000")
        self.enable()
        self.assertEqual(self.report()["blocked"], 300_000)
        self.assertEqual(self.blocked("+12000000797"), (True, "TutorialDirectory"))
        self.assertEqual(self.blocked("+12000000798"), (False, ""))
        told = [event.arguments[1]["Report"] for event in self.system.told("PropertiesChanged", EXTENSION1)
                if "Report" in event.arguments[1]]
        shown = [int(report["loading-blocked"]) for report in told if report["loading"]]
        self.assertTrue(shown and shown == sorted(shown))
        self.assertLess(self.report()["size"], 2.6 * 300_000)


class Strangers(DirectoryTest):
    """Directories that do not use the SDK and break the protocol."""
    arguments = ("--deadline", "load=600000")

    def test_what_they_try(self):
        for conduct, error, text in (
                ("GARBAGE", "LoadingInterrupted", "sent garbage"),
                ("NO_HELLO", "LoadingInterrupted", "exited with status 3"),
                ("OTHER_VERSION", "LoadingInterrupted", "speaks protocol 99"),
                ("NO_BEGIN", "LoadingInterrupted", "exited with status 3"),
                ("UNSORTED", "EntriesOutOfOrder", "blocking entry 2: 3 comes after 5"),
                ("UNSORTED_LATER", "EntriesOutOfOrder", "blocking entry 8193: 1 comes after 8192"),
                ("REMOVES", "UnexpectedIncrementalRemoval", "all entries were announced, not changes"),
                ("CHANGES", "LoadingInterrupted", "exited with status 3"),
                ("FLOOD", "LoadingInterrupted", "without waiting for answers"),
                ("ANNOUNCES", "LoadingInterrupted", "sent garbage"),
                ("OTHER_TYPES", "LoadingInterrupted", "exited with status 3"),
                ("ENDLESS", "MaximumEntriesExceeded", "blocking entry 10000001: more than 10000000 entries"),
                ("CANCELS", "LoadingInterrupted", "gave up"),
                ("TWICE", "", "")):
            with self.subTest(conduct=conduct):
                name = "Stranger" + conduct.title().replace("_", "")
                self.compile(name, STRANGER, f"-DCONDUCT={conduct}", *DBUS_FLAGS)
                self.wait_extension(name)
                self.enable(name)
                report = self.report(name)
                self.assertEqual(str(report["error"]), error, dict(report))
                self.assertIn(text, str(report["message"]))
                self.assertEqual(report["blocked"], 1 if conduct == "TWICE" else 0)
                self.set_status("disabled", name).result()
        wait_asking(lambda: not self.workers(), "a worker stays")
        folder = os.path.dirname(self.file())
        wait_asking(lambda: sorted(os.listdir(folder)) == ["StrangerTwice.directory", "extensions.json"],
                    lambda: f"there are {os.listdir(folder)}")

    def test_they_are_bounded_while_they_load(self):
        self.compile("Filling", STRANGER, "-DCONDUCT=FILLS", *DBUS_FLAGS)
        self.wait_extension("Filling")
        self.enable("Filling")
        excess = r"plugin Filling has \d+ MiB in its folders, at most 256 MiB are allowed"
        self.assertRegex(str(self.report("Filling")["message"]), excess)
        # It is not started again before they are gone.
        self.assertRegex(self.reload(name="Filling").wait().error_text, excess)
        wait_asking(lambda: not self.workers(), "a worker stays")
        self.system.call(self.plugin("Filling"), PLUGIN, "Forget").result()
        state = f"{self.system.folder.name}/.local/state/opencallkit/plugins/Filling"
        self.assertFalse(os.path.exists(state))
