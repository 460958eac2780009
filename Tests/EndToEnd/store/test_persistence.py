"""callkit-store from outside: its data outlives the processes, and no call waits for it."""

import os
import signal
import sqlite3

from support.scene import TwoProviders
from support.store import StoreTest
from support.system import FAVORITES, FAVORITES1, PEER, ROOT
from support.waiting import wait_gone, wait_until


class Favorites(StoreTest):
    arguments = ("--region", "SE")

    def test_the_users_order(self):
        self.favorites()
        self.system.events.clear()
        monkey = self.add("070-174 06 35", "Monkey").result()
        banana = self.add("banana@example.org", "Banana", "Hotline", type_="email-address").result()
        tree = self.add("tree", "Tree", type_="generic").result()
        self.assertEqual([row[2] for row in self.favorites()], ["Monkey", "Banana", "Tree"])
        self.assertEqual(self.favorites()[1],
                         (banana, ("email-address", "banana@example.org"), "Banana", "Hotline"))
        self.ask("Move", "xu", tree, 0).result()
        self.assertEqual([row[2] for row in self.favorites()], ["Tree", "Monkey", "Banana"])
        self.ask("Move", "xu", tree, 9).result()
        self.assertEqual([row[2] for row in self.favorites()], ["Monkey", "Banana", "Tree"])
        self.ask("Remove", "x", monkey).result()
        self.assertEqual([row[2] for row in self.favorites()], ["Banana", "Tree"])
        self.assertEqual(len(self.system.told("Changed")), 6)
        self.assertEqual([event.arguments for event in self.system.told("Changed")], [[]] * 6)

    def test_the_same_number_is_one_favorite(self):
        self.favorites()
        first = self.add("070-174 06 35", "Monkey").result()
        again = self.add("+46 70 174 06 35", "Monkey\u202e B.").result()
        other = self.add("+46701740635", "Monkey", "Hotline").result()
        self.assertEqual(first, again)
        self.assertEqual([(row[0], row[2]) for row in self.favorites()], [(first, "Monkey B."), (other, "Monkey")])

    def test_nonsense_is_refused(self):
        self.favorites()
        for type_, handle, provider in (("phone-number", "", ""), ("fax", "1", ""), ("generic", "x" * 257, ""),
                                        ("generic", "a\nb", ""), ("generic", "a", "no/id"), ("generic", "a", "p" * 129)):
            self.assertRefused(self.add(handle, "", provider, type_), "InvalidArguments")
        self.assertRefused(self.ask("Remove", "x", 7), "InvalidArguments")
        self.assertRefused(self.ask("Move", "xu", 7, 0), "InvalidArguments")
        self.assertRefused(self.ask("Remove", "s", "7"), "InvalidArguments")
        self.assertRefused(self.ask("Rename"), "org.freedesktop.DBus.Error.UnknownMethod")
        self.assertEqual(self.favorites(), [])

    def test_more_than_one_packet_of_favorites(self):
        """The private link carries the list in several packets, the bus in one message."""
        self.favorites()
        names = [f"{number:04} {'x' * 200}" for number in range(1_000)]
        for start in range(0, len(names), 16):
            batch = [self.add(f"sip:{name[:4]}@example.org", name, type_="generic") for name in names[start:start + 16]]
            for pending in batch:
                pending.result()
        listed = self.favorites()
        self.assertEqual([row[2] for row in listed], names)
        self.assertEqual([row[1][1] for row in listed], [f"sip:{name[:4]}@example.org" for name in names])
        self.assertRefused(self.add("one-more", type_="generic"), "LimitsExceeded")

    def test_they_outlive_daemon_and_store(self):
        self.favorites()
        self.add("1234", "Short").result()
        before = self.favorites()
        os.kill(self.store(), signal.SIGKILL)
        self.assertEqual(self.favorites(), before)
        store = self.store()
        self.system.daemon.kill()
        self.system.daemon.wait()
        wait_gone(store, "callkit-store")
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.assertEqual(self.favorites(), before)

    def test_the_file_is_the_users_alone(self):
        self.favorites()
        self.add("1234", "Short").result()
        folder = self.folder
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
        for name in os.listdir(folder):
            if os.path.isfile(f"{folder}/{name}"):
                self.assertEqual(os.stat(f"{folder}/{name}").st_mode & 0o777, 0o600, name)
        with sqlite3.connect(f"{folder}/recents.sqlite") as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(database.execute("SELECT handle FROM favorite").fetchall(), [("1234",)])


class Supervision(StoreTest):
    def test_a_store_that_ends_is_started_again(self):
        for _ in range(2):
            store = self.store()
            os.kill(store, signal.SIGKILL)
            wait_until(lambda: self.store() != store, "the store stays away")

    def test_a_store_that_hangs_is_ended(self):
        store = self.store()
        os.kill(store, signal.SIGSTOP)
        pending = self.ask("List")
        os.kill(store, signal.SIGCONT)
        pending.result()
        self.assertEqual(self.store(), store, "a pause is no end")

    def test_the_store_goes_with_the_daemon(self):
        store = self.store()
        self.system.daemon.send_signal(signal.SIGTERM)
        self.system.daemon.wait()
        wait_gone(store, "callkit-store")
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_many_callers_do_not_end_it(self):
        store = self.store()
        pendings = [self.ask("List") for _ in range(2_000)]
        errors = {pending.wait().error_name for pending in pendings}
        self.assertLessEqual(errors, {"", "org.opencallkit.Error.LimitsExceeded"})
        self.assertEqual(self.store(), store)


class WithoutStore(TwoProviders):
    arguments = ("--no-store",)

    def test_calls_go_on(self):
        self.assertRefused(self.system.call(FAVORITES, FAVORITES1, "List"), "StoreUnavailable")
        call = self.outgoing(self.alpha)
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")


class WithoutProgram(TwoProviders):
    arguments = ("--store", "/nowhere/callkit-store")

    def test_calls_go_on(self):
        pending = self.system.call(FAVORITES, FAVORITES1, "List")
        self.assertRefused(pending, "StoreUnavailable")
        call = self.beta.incoming()
        self.answer(call).result()
        self.end(call).result()
        self.system.call(ROOT, PEER, "Ping").result()
