"""Call directories with the SDK and the real daemon: an extension runs, and a plugin and an app manage it."""

import os
import signal

from support.directories import DBUS_FLAGS, STRANGER, DirectoryTest
from support.messages import ERROR
from support.surface import SurfaceTest
from support.system import BUILD
from support.waiting import wait_until

DOMAIN = "com.apple.CallKit.error.calldirectorymanager"


class Managing:
    arguments = ("--deadline", "load=30000")

    def manage(self, what, extension="TutorialDirectory"):
        told = self.press("directory-async", what=what, extension=extension)
        if not told:
            return None
        self.assertEqual(told["error"], DOMAIN)
        self.assertNotEqual(told["text"], "")
        return int(told["code"]), str(told["name"]).removeprefix(ERROR)

    def told(self, extension="TutorialDirectory"):
        """The arguments of the completion handlers: the reload's code and the status, each with 0 for no error."""
        told = self.press("directory", extension=extension)
        return told["reload"].get("code", 0), told["status"], told["unknown"].get("code", 0)

    def test_an_extension_is_switched_on_and_run(self):
        self.extensions()
        for what in ("reload", "status"):
            self.assertEqual(self.manage(what, "Nobody"), (1, "NoExtensionFound"))
        self.assertEqual(self.told("Nobody"), (1, 0, 1))
        self.bundle()
        self.assertEqual(self.manage("reload"), (6, "ExtensionDisabled"))
        self.assertIsNone(self.manage("status"))
        self.assertEqual(self.told(), (6, 1, 0))
        self.enable()
        self.conduct("numbers 46")
        self.assertIsNone(self.manage("reload"))
        self.assertEqual((self.blocked("46")[0], self.blocked("1234")[0]), (True, False))
        self.assertEqual(self.told(), (0, 2, 0))

    def test_what_goes_wrong_has_its_code(self):
        self.bundle()
        self.enable()
        for conduct, error, heard in (
                ("cancel", (2, "LoadingInterrupted"), "request failed: not today"), ("exit", (2, "LoadingInterrupted"), ""),
                ("numbers 5 3", (3, "EntriesOutOfOrder"), f"request failed: {DOMAIN} entriesOutOfOrder"),
                ("numbers 5 5", (4, "DuplicateEntries"), f"request failed: {DOMAIN} duplicateEntries"),
                ("remove-unread", (8, "UnexpectedIncrementalRemoval"),
                 f"request failed: {DOMAIN} unexpectedIncrementalRemoval")):
            with self.subTest(conduct=conduct):
                self.conduct(conduct)
                self.assertEqual(self.manage("reload"), error)
                self.system.wait_logged(heard)
                self.assertEqual(self.blocked("1234")[0], True)
        first = self.reload("never")
        wait_until(lambda: self.report()["loading"], "it is not loading")
        self.assertEqual(self.manage("reload"), (7, "CurrentlyLoading"))
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)
        self.assertRefused(first, "LoadingInterrupted")


class Full(DirectoryTest):
    """An endless directory that does not use the SDK, and an app that loads it."""
    arguments = ("--deadline", "load=600000")

    def test_too_many_entries_have_their_code(self):
        self.compile("Endless", STRANGER, "-DCONDUCT=ENDLESS", *DBUS_FLAGS)
        self.wait_extension("Endless")
        self.set_status("enabled", "Endless").result()
        self.wait_loaded("Endless")
        told = self.system.run(f"{BUILD}/SurfaceApp", "reload", "Endless")
        self.assertEqual(told.text.split(), ["5", f"{ERROR}MaximumEntriesExceeded"], told.errors)


class ManagingInPlugin(Managing, DirectoryTest, SurfaceTest):
    pass


class ManagingInApp(Managing, DirectoryTest, SurfaceTest):
    in_app = True
