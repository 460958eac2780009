"""What the user deletes is in no file of the store any more, and what is in the way of its files is set aside."""

import os
import signal

import dbus

from support.provider import Provider
from support.store import StoreTest
from support.waiting import exited, wait_until

NAMES = ("Zacharias Quartermaine", "Wilhelmina Ravenscroft", "Thaddeus Featherstone")
NUMBERS = ("+46701740605", "+46701740616", "+46701740627")
SECRETS = (*NAMES, *NUMBERS, "0701740605", "701740616")


class Erasing(StoreTest):
    arguments = ("--region", "SE")

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.wait_store()

    def ring(self, index):
        """A call that was answered and has ended, and is in the file; returns its row."""
        call = self.provider.incoming(handle=("phone-number", NUMBERS[index]), localized_caller_name=NAMES[index])
        self.answer(call).result()
        self.end(call).result()
        return int(self.wait_row(call, open=False)["id"])

    def kept(self):
        """The secrets that are in any file of the store, byte by byte."""
        seen = b""
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    seen += file.read()
        return {secret for secret in SECRETS if secret.encode() in seen}

    def test_a_deleted_row_is_in_no_file(self):
        rows = [self.ring(index) for index in range(3)]
        self.assertEqual(len(self.kept()), len(SECRETS) - 1, "what is there is found")
        self.recents("Delete", "ax", [rows[0]]).result()
        self.assertEqual(self.kept(), {*NAMES[1:], *NUMBERS[1:], "701740616"})
        self.recents("Clear").result()
        self.assertEqual(self.kept(), set())

    def test_nor_is_what_retention_deletes(self):
        for index in range(3):
            self.ring(index)
        self.recents("SetRetention", "uu", dbus.UInt32(0), dbus.UInt32(1)).result()
        self.assertEqual(self.kept(), {NAMES[2], NUMBERS[2]})

    def test_nor_after_the_daemons_end(self):
        self.ring(0)
        favorite = self.add(NUMBERS[1], NAMES[1]).result()
        self.recents("Clear").result()
        self.ask("Remove", "x", favorite).result()
        self.assertEqual(self.kept(), set())
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0)
        self.assertEqual(self.kept(), set())
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_clear_removes_the_copy_of_a_damaged_file(self):
        self.ring(0)
        os.kill(self.store(), signal.SIGSTOP)
        with open(self.file, "r+b") as file:
            file.write(b"this is not a database, is it? " * 8)
        os.kill(self.store_pid(), signal.SIGKILL)
        self.wait_degraded("set aside")
        self.assertIn(NAMES[0], self.kept())
        self.assertIn(".corrupt-", self.degraded())
        self.recents("Clear").result()
        self.assertEqual(self.kept(), set())
        self.assertEqual(self.degraded(), "")

    def replace_file(self, make):
        """Puts something in the place of the database, while no store runs."""
        os.kill(self.store(), signal.SIGSTOP)
        for name in os.listdir(self.folder):
            if name.startswith("recents.sqlite"):
                os.unlink(f"{self.folder}/{name}")
        make(self.file)
        os.kill(self.store_pid(), signal.SIGKILL)

    def test_what_is_in_the_way_is_set_aside(self):
        for make, kind in ((os.mkfifo, "FIFO"), (os.mkdir, "folder")):
            with self.subTest(kind=kind):
                self.replace_file(make)
                self.wait_degraded(kind, "set aside")
                self.ring(0)
                self.recents("Clear").result()
                self.assertEqual([name for name in os.listdir(self.folder) if ".corrupt-" in name], [])

    def test_the_loop_does_not_wait_for_a_fifo(self):
        for name in ("directory/rules", "directory/extensions.json", "store.lock", "recents.sqlite-wal"):
            with self.subTest(name=name):
                path = f"{self.folder}/{name}"
                self.store()
                os.kill(self.store_pid(), signal.SIGSTOP)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if os.path.exists(path):
                    os.unlink(path)
                os.mkfifo(path)
                os.kill(self.store_pid(), signal.SIGKILL)
                self.ring(1)
                wait_until(lambda: self.recents("Clear").wait().error is None, "the recents cannot be cleared")
