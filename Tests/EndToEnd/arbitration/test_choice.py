"""Which provider takes a call."""

import os
import shutil
import signal

import dbus

from support.case import SystemTest
from support.messages import strings, variants
from support.provider import Provider
from support.store import StoreTest
from support.system import FAVORITES, FAVORITES1, IDENTITY, PLUGINS, PROPERTIES, PROVIDER, ROOT, SYSTEM
from support.waiting import exited, wait_until


class Choice(SystemTest):
    """Which provider takes a call."""

    def setUp(self):
        super().setUp()
        self.zulu = Provider(self.system, "Zulu", "/zulu", supported_handle_types=strings("phone-number", "generic"),
                             supported_schemes=strings("sip"))
        self.alpha = Provider(self.system, "Alpha", "/alpha", supported_handle_types=strings("phone-number", "generic"))

    def taker(self, handle, **options):
        call = self.start_call(handle, **options).result()
        provider = self.property(call, "Provider")
        self.end(call).result()
        return provider.rsplit("/", 1)[1]

    def found(self, handle):
        rows = self.system.call(ROOT, SYSTEM, "FindProviders", "s", handle).result()
        return [(str(row["provider-id"]), bool(row["takes"])) for row in rows]

    def choose(self, **choice):
        self.set_choice({key.replace("_", "-"): value for key, value in choice.items()}).result()

    def set_choice(self, choice):
        return self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DefaultProviders",
                                dbus.Dictionary(choice, signature="ss"))

    def test_the_alphabet_decides_nothing(self):
        self.assertEqual(self.taker("+46 70 123 45 67"), "app_Zulu")
        self.assertEqual(self.found("+46701234567"), [("app_Zulu", True), ("app_Alpha", True)])

    def test_the_users_choice(self):
        self.choose(tel="app_Alpha", generic="app_Alpha", sip="Nobody")
        self.assertEqual([self.taker(handle) for handle in ("070", "generic:x", "sip:ann@example.org")],
                         ["app_Alpha", "app_Alpha", "app_Alpha"])
        self.choose(sip="app_Zulu")
        self.assertEqual([self.taker(handle) for handle in ("071", "sip:bob@example.org")], ["app_Zulu", "app_Zulu"])
        self.assertEqual(self.taker("sip:ann@example.org"), "app_Alpha", "the last call counts before the choice")

    def test_one_that_is_offline_is_passed_over(self):
        self.zulu.report("UpdateConfiguration", "a{sv}",
                         variants({"availability": "offline", "status": "No network"})).result()
        self.assertEqual(self.system.get(self.zulu.path, PROVIDER, "Status"), "No network")
        self.assertEqual(self.taker("070"), "app_Alpha")
        self.assertEqual(self.found("070"), [("app_Alpha", True), ("app_Zulu", False)])
        refused = self.start_call("070", provider=dbus.ObjectPath(self.zulu.path))
        self.assertRefused(refused, "UnknownProvider")
        self.assertIn("offline", refused.error_text)

    def test_a_link_to_a_page_is_no_call(self):
        for link in ("http://example.com", "https://example.com/?tel=070", "file:///etc/passwd", "javascript:alert(1)"):
            for options in ({}, {"provider": dbus.ObjectPath(self.alpha.path)}):
                refused = self.start_call(link, **options)
                self.assertRefused(refused, "InvalidArguments")
                self.assertEqual(refused.error_text, f"no provider takes URIs of the scheme {link.split(':')[0]}, "
                                                     "expected one of tel, callto, mailto, sip, sips")
            self.assertFalse([provider for provider, takes in self.found(link) if takes])
        self.zulu.report("UpdateConfiguration", "a{sv}",
                         variants({"supported-schemes": strings("sip", "matrix")})).result()
        self.assertEqual(self.taker("matrix:u/ann"), "app_Zulu")
        refused = self.start_call("matrix:u/ann", provider=dbus.ObjectPath(self.alpha.path))
        self.assertRefused(refused, "UnknownProvider")
        self.assertIn("app_Alpha does not declare the scheme matrix", refused.error_text)
        self.assertEqual(self.taker("generic:ann"), "app_Zulu")

    def test_one_with_room_comes_first(self):
        self.zulu.report("UpdateConfiguration", "a{sv}", variants({"maximum-call-groups": dbus.UInt32(1)})).result()
        call = self.start_call("070").result()
        self.wait_state(call, "active")
        self.assertEqual(self.found("071"), [("app_Alpha", True), ("app_Zulu", True)])
        self.choose(tel="app_Zulu")
        self.assertEqual(self.taker("071"), "app_Alpha")
        call = self.start_call("072", conflict="end").result()
        self.assertEqual(self.property(call, "Provider"), self.zulu.path, "the call that ends makes room")

    def test_choices_that_are_none(self):
        for choice in ({"tel": "no id"}, {"Tel": "app_Alpha"}, {"": "app_Alpha"}, {f"s{n}": "A" for n in range(33)}):
            self.assertRefused(self.set_choice(choice), "InvalidArguments")
        self.assertEqual(dict(self.property(ROOT, "DefaultProviders", SYSTEM)), {})

    def test_the_choice_outlives_the_daemon(self):
        self.choose(tel="app_Alpha")
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.assertEqual(dict(self.property(ROOT, "DefaultProviders", SYSTEM)), {"tel": "app_Alpha"})


class PackagedPlugins(SystemTest):
    """The workers of plugins start side by side; which provider takes a call does not depend on which is faster."""

    with_plugins = True

    def found(self):
        rows = self.system.call(ROOT, SYSTEM, "FindProviders", "s", "070 123 45 67").result()
        return [str(row["provider-id"]) for row in rows if row["takes"]]

    def restart(self):
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.objects = {}
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_the_order_of_the_first_registration_is_kept(self):
        first = self.found()
        self.assertEqual(set(first), {"Hotline", "MonkeyCall"})
        for root, _, files in os.walk(self.system.folder.name):
            if "known-providers" in files:
                path = os.path.join(root, "known-providers")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read().split(), first)
        for order in (first, first[::-1], first):
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(f"{provider}\n" for provider in order))
            self.restart()
            self.assertEqual(self.found(), order)
        with open(path, "w", encoding="utf-8") as file:
            file.write("no id\n")
        self.restart()
        self.system.wait_logged(f"{path} is damaged")
        self.assertEqual(set(self.found()), set(first))
        with open(f"{path}.damaged", encoding="utf-8") as file:
            self.assertEqual(file.read(), "no id\n")

    def test_plugins_of_the_user_keep_their_order_too(self):
        first = self.found()
        own = f"{self.system.folder.name}/data/opencallkit/plugins"
        os.makedirs(own, exist_ok=True)
        for name in ("Zebra", "Aardvark"):
            shutil.copytree(os.path.join(PLUGINS, "Hotline.callplugin"), f"{own}/{name}.partial")
            os.rename(f"{own}/{name}.partial/Hotline.so", f"{own}/{name}.partial/{name}.so")
            os.rename(f"{own}/{name}.partial", f"{own}/{name}.callplugin")
            self.system.wait_ready(name)
        self.assertEqual(self.found(), [*first, "Zebra", "Aardvark"])
        for _ in range(2):
            self.restart()
            self.system.wait_ready("Zebra", "Aardvark")
            self.assertEqual(self.found(), [*first, "Zebra", "Aardvark"])


class ToyPlugin(SystemTest):
    """A plugin that the user has dropped into the own folder, with a name that comes before all others."""

    with_plugins = True

    def test_it_gets_neither_calls_nor_emergency_calls(self):
        folder = f"{self.system.folder.name}/data/opencallkit/plugins"
        os.makedirs(folder, exist_ok=True)
        shutil.copytree(os.path.join(PLUGINS, "Hotline.callplugin"), f"{folder}/AAA.partial")
        os.rename(f"{folder}/AAA.partial/Hotline.so", f"{folder}/AAA.partial/AAA.so")
        os.rename(f"{folder}/AAA.partial", f"{folder}/AAA.callplugin")
        self.system.wait_ready("AAA", "Hotline")
        call = self.start_call("+46701234567").result()
        self.assertNotEqual(self.property(call, "Provider"), f"{ROOT}/providers/AAA")
        for name in ("AAA", "Hotline"):
            self.assertEqual(self.system.get(f"{ROOT}/providers/{name}", PROVIDER, "EmergencyNumbers"), [])
        self.assertRefused(self.start_call("tel:911"), "UnknownProvider")
        self.assertRefused(self.start_call("112", provider=dbus.ObjectPath(f"{ROOT}/providers/AAA")), "UnknownProvider")


class ChoiceOfTheUser(StoreTest):
    """With a store, the favorite's provider and that of the last call come before the others."""

    def setUp(self):
        super().setUp()
        self.zulu = Provider(self.system, "Zulu", "/zulu", supported_handle_types=strings("generic"))
        self.alpha = Provider(self.system, "Alpha", "/alpha", supported_handle_types=strings("generic"))
        self.wait_store()

    def call_with(self, handle, **options):
        call = self.start_call(handle, **options).result()
        self.wait_state(call, "active")
        self.end(call).result()
        return self.property(call, "Provider").rsplit("/", 1)[1]

    def test_the_last_call_decides(self):
        self.assertEqual(self.call_with("generic:ann"), "app_Zulu")
        self.assertEqual(self.call_with("generic:ann", provider=dbus.ObjectPath(self.alpha.path)), "app_Alpha")
        self.assertEqual([self.call_with("generic:ann"), self.call_with("generic:bob")], ["app_Alpha", "app_Zulu"])
        rows = self.system.call(ROOT, SYSTEM, "FindProviders", "s", "generic:ann").result()
        self.assertEqual([str(row["provider-id"]) for row in rows], ["app_Alpha", "app_Zulu"])
        plan = self.simulate([("start", {"handle": dbus.Struct(("generic", "ann"), signature="ss")})]).result()
        self.assertEqual(plan[0]["provider"], self.alpha.path)

    def test_the_favorite_decides_before_the_last_call(self):
        self.assertEqual(self.call_with("generic:ann"), "app_Zulu")
        self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", ("generic", "ann"), "Ann", "app_Alpha").result()
        self.assertEqual(self.call_with("generic:ann"), "app_Alpha")
        call = self.start_call("generic:ann").result()
        wait_until(lambda: self.property(call, "CallerName", IDENTITY) == "Ann", "the outgoing call has no name")
        self.assertEqual(self.property(call, "CallerNameSource", IDENTITY), "favorite")
