"""The ids of plugins are theirs: no app and no other plugin gets one, whoever comes first."""

import os

from gi.repository import GLib

from plugins.case import PluginTest
from support.messages import last
from support.provider import Provider
from support.puppet import Puppet
from support.system import FAVORITES, FAVORITES1, PLUGIN
from support.waiting import wait_until


class Ids(PluginTest):
    def test_an_app_does_not_get_the_id_of_a_plugin_that_comes_later(self):
        squatter = Provider(self.system, "Smallest")
        self.assertEqual(last(squatter.path), "app_Smallest")
        self.place("Smallest")
        self.wait_ready("Smallest")
        self.wait_store()
        self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", ("generic", "ann"), "Ann", "Smallest").result()
        call = self.start_call("generic:ann").result()
        self.assertEqual(self.property(call, "Provider"), self.provider("Smallest"))
        self.assertEqual(squatter.kinds(), [])

    def test_an_app_does_not_get_the_id_of_a_plugin_that_is_gone(self):
        path = self.place("Smallest")
        self.wait_ready("Smallest")
        self.wait_store()
        self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", ("generic", "ann"), "Ann", "Smallest").result()
        os.unlink(path)
        wait_until(lambda: self.provider("Smallest") not in self.system.objects, "its provider stays")
        names = ("Smallest", "smallest", "app_Smallest", "", "\u0001Smallest", "Smallest ")
        ids = [last(Provider(self.system, name, f"/script{number}").path) for number, name in enumerate(names)]
        self.assertTrue(all(name.startswith("app_") for name in ids), ids)
        self.assertEqual(len(set(ids)), len(ids))

    def test_the_key_of_an_app_is_behind_its_name(self):
        one = Provider(self.system, "Phone", "/one", key="work")
        self.assertEqual(last(one.path), "app_Phone_work")
        other = Provider(self.system, "Phone", "/other")
        self.assertEqual(last(other.path), "app_Phone")

    def test_no_plugin_has_the_id_of_an_app(self):
        puppet = Puppet(self, "app_Phone")
        self.assertEqual(last(puppet.introduce()), "plugin_app_Phone")

    def test_no_plugin_gets_the_id_of_another(self):
        """Not by its key, even while the other one does not run."""
        self.place("Puppet_two", b"not even a library")
        self.wait_for("Puppet_two", "incompatible")
        puppet = Puppet(self)
        path = puppet.introduce(key=GLib.Variant("s", "two"))
        self.assertEqual(last(path), "Puppet_two_2")

    def test_providers_that_come_back_in_another_order_keep_their_ids(self):
        """The key says which is which, and not the order in which a new version makes them."""
        def key(text):
            return GLib.Variant("s", text)

        puppet = Puppet(self)
        paths = {"one": puppet.introduce(key=key("one")), "two": puppet.register("/second", key=key("two"))}
        self.system.call(self.plugin("Puppet"), PLUGIN, "Restart").result()
        wait_until(lambda: self.told_of("Puppet", "Restarts") == 1, "it is not started again")
        puppet = Puppet(self, is_there=True)
        again = {"two": puppet.introduce(key=key("two")), "one": puppet.register("/second", key=key("one"))}
        self.assertEqual(again, paths)
