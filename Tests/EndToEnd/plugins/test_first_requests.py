"""The first requests, which may have made the bus start the daemon: they wait for plugins and for the store."""

import shutil
import tempfile
import time

import dbus

from plugins.case import SILENT, PluginTest
from support.case import SystemTest
from support.messages import strings
from support.provider import Provider
from support.system import MANAGER, NAME, PLUGIN, PROPERTIES, RECENTS, RECENTS1, ROOT, SYSTEM
from support.waiting import exited, wait_until


class FirstRequests(PluginTest):
    """The request that activates the daemon arrives before any plugin has sent Hello."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opencallkit-plugins-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.place("Smallest")
        self.arguments = ("--plugin-path", self.folder)
        SystemTest.setUp(self)

    def start_again(self, *requests):
        """Starts the daemon again, and sends requests as soon as it has its name. For a second it waits for what is not
        there yet; if a busy machine needs longer, it is started once more."""
        for _ in range(10):
            began, pending = self.start_once(*requests)
            self.wait_ready("Smallest")
            self.wait_store()
            if time.monotonic() - began < 1:
                break
        return pending

    def start_once(self, *requests):
        self.system.daemon.terminate()
        exited(self.system.daemon)
        wait_until(lambda: not self.system.owner, "its name stays")
        self.system.events.clear()
        self.system.objects.clear()
        pending = []
        self.system.bus.watch_name_owner(
            NAME, lambda owner: owner and not pending and pending.extend(request() for request in requests))
        began = time.monotonic()
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        return began, wait_until(lambda: pending)

    def test_a_start_waits_for_the_plugins(self):
        start, other = self.start_again(
            lambda: self.start_call("generic:x"),
            lambda: self.start_call("generic:y", provider=dbus.ObjectPath(self.provider("Smallest"))))
        self.wait_state(start.result(), "active")
        other.wait()

    def test_what_no_plugin_takes_is_refused(self):
        refused, = self.start_again(lambda: self.start_call("tel:+15550100"))
        self.assertRefused(refused, "UnknownProvider")

    def test_a_uri_waits_for_whoever_declares_its_scheme(self):
        # This one is awaited all the time.
        self.compile("Silent", SILENT)
        start, matrix = self.start_again(
            lambda: self.start_call("matrix:u/ann"),
            lambda: Provider(self.system, "Matrix", "/matrix", supported_schemes=strings("matrix")))
        self.assertEqual(self.property(start.result(), "Provider"), matrix.path)

    def test_listing_is_complete(self):
        listing, found = self.start_again(
            lambda: self.system.call(ROOT, MANAGER, "GetManagedObjects"),
            lambda: self.system.call(ROOT, SYSTEM, "FindProviders", "s", "generic:x"))
        objects = listing.result()
        self.assertEqual(str(objects[self.plugin("Smallest")][PLUGIN]["State"]), "ready")
        self.assertIn(self.provider("Smallest"), objects)
        self.assertEqual([str(row["provider-id"]) for row in found.result()], ["Smallest"])

    def test_listing_does_not_wait_for_who_registers_nothing(self):
        """The plugin SIP without an account says Hello, and has no provider."""
        self.place("SIP")
        for _ in range(10):
            began, (listing, start) = self.start_once(
                lambda: self.system.call(ROOT, MANAGER, "GetManagedObjects"), lambda: self.start_call("tel:+15550100"))
            objects = listing.result()
            took = time.monotonic() - began
            if took < 1:
                break
        self.assertLess(took, 1, "the listing waits until the end of the start")
        self.assertIn(self.provider("Smallest"), objects)
        self.assertNotIn(self.provider("SIP"), objects)
        self.assertFalse(start.done, "a request does not wait")
        self.assertRefused(start, "UnknownProvider")

    def test_retention_is_what_is_kept(self):
        self.wait_store()
        self.system.call(RECENTS, RECENTS1, "SetRetention", "uu", 7, 1234).result()
        days, rows = self.start_again(
            *(lambda name=name: self.system.call(RECENTS, PROPERTIES, "Get", "ss", RECENTS1, name)
              for name in ("RetentionDays", "RetentionRows")))
        self.assertEqual((days.result(), rows.result()), (7, 1234))

    def test_other_requests_do_not_wait(self):
        refused, = self.start_again(
            lambda: self.request([("end", {"call": dbus.ObjectPath(f"{ROOT}/calls/{'0' * 8}")})]))
        self.assertRefused(refused, "UnknownCall")
