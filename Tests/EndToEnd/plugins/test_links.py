"""What a plugin may do over its link: what concerns its own calls, and nothing else."""

import uuid

from gi.repository import GLib

from plugins.case import PluginTest
from support import contract
from support.messages import ERROR
from support.provider import Provider
from support.puppet import WORKER_HOST, Puppet
from support.system import (AUDIO, AUDIO_SESSION, CALL, DIRECTORY, DIRECTORY1, EXTENSION1, FAVORITES, FAVORITES1, HOST,
                            IDENTITY, MANAGER, PEER, PLUGIN, PROPERTIES, PROVIDER, RECENTS, RECENTS1, ROOT, RULES1,
                            SYSTEM)
from support.waiting import wait_until

INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
DENIED = f"{ERROR}AccessDenied"

ZERO = {"s": "", "b": False, "u": 0, "t": 0, "x": 0, "o": "/", "a{sv}": {}, "as": [], "ax": [], "a(sa{sv})": [],
        "(ss)": ("generic", "x"), "a{ss}": {}}
"""A value of each type that the contract's methods and properties take."""


class PluginLink(PluginTest):
    """A plugin beside a call of another provider, and one of its own."""

    def setUp(self):
        super().setUp()
        self.other = Provider(self.system)
        self.foreign = self.other.incoming(handle=("generic", "secret"), localized_caller_name="Zacharias")
        self.puppet = Puppet(self)
        self.path = self.puppet.introduce()
        self.wait_ready("Puppet")
        answer = self.puppet.call(
            self.path, HOST, "ReportNewIncomingCall", "sa{sv}", str(uuid.uuid4()),
            {"remote-handle": GLib.Variant("(ss)", ("generic", "own"))})
        self.assertEqual(answer.error_name, "", answer.error_text)
        self.own = answer.values[0]
        self.wait_state(self.own, "ringing")
        self.objects = {
            SYSTEM: ROOT, CALL: self.foreign, IDENTITY: self.foreign, PROVIDER: self.other.path, HOST: self.other.path,
            PLUGIN: f"{ROOT}/plugins/Puppet", AUDIO_SESSION: AUDIO, RECENTS1: RECENTS, FAVORITES1: FAVORITES,
            DIRECTORY1: DIRECTORY, RULES1: DIRECTORY}

    def assertDenied(self, answer):
        self.assertEqual(answer.error_name, DENIED, answer.error_text or f"succeeded: {answer.values}")
        self.assertIn("plugin Puppet", answer.error_text)

    def request(self, *actions, **options):
        entries = [(kind, {key: GLib.Variant(*value) for key, value in values.items()}) for kind, values in actions]
        options = {key: GLib.Variant("s", value) for key, value in options.items()}
        return self.puppet.call(ROOT, SYSTEM, "RequestTransaction", "a(sa{sv})a{sv}", entries, options)

    # What is denied

    def test_the_users_names_of_its_own_callers_are_not_read(self):
        self.wait_store()
        self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", ("generic", "friend"), "Wilhelmina", "").result()
        call = self.puppet.call(
            self.path, HOST, "ReportNewIncomingCall", "sa{sv}", str(uuid.uuid4()),
            {"remote-handle": GLib.Variant("(ss)", ("generic", "friend")), "network-name": GLib.Variant("s", "W.")}).values[0]
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Wilhelmina")
        values = self.puppet.call(call, PROPERTIES, "GetAll", "s", IDENTITY).values[0]
        self.assertEqual((values["CallerName"], values["CallerNameSource"], values["Handle"]),
                         ("W.", "network", ("generic", "friend")))

    def test_no_method_of_any_interface_serves_others(self):
        """Of all methods that the contract has, on objects that are not the plugin's, it may use three."""
        allowed = {(SYSTEM, "RegisterProvider"), (SYSTEM, "RequestTransaction"), (SYSTEM, "SimulateTransaction")}
        tried = 0
        for name, interface in contract.files().items():
            for member in interface.of_kind("method") if name in self.objects else ():
                if (name, member.name) in allowed:
                    continue
                tried += 1
                types = [type for _, type, way in member.arguments if way == "in"]
                with self.subTest(member=f"{name}.{member.name}"):
                    path = self.objects[name]
                    values = [ZERO[type] for type in types]
                    self.assertDenied(self.puppet.call(path, name, member.name, "".join(types), *values))
                    # The interface is optional in a message.
                    self.assertDenied(self.puppet.call(path, None, member.name, "".join(types), *values))
        self.assertGreater(tried, 40)
        self.assertState(self.foreign, "ringing")

    def test_no_property_of_any_interface_but_that_of_calls_is_read(self):
        for name, interface in contract.files().items():
            for member in interface.of_kind("property") if name in self.objects else ():
                with self.subTest(member=f"{name}.{member.name}"):
                    got = self.puppet.call(self.objects[name], PROPERTIES, "Get", "ss", name, member.name)
                    if name == CALL:
                        self.assertEqual(got.error_name, "", got.error_text)
                    else:
                        self.assertDenied(got)
            if name in self.objects and name not in (CALL, HOST) and interface.of_kind("property"):
                self.assertDenied(self.puppet.call(self.objects[name], PROPERTIES, "GetAll", "s", name))
        self.assertDenied(self.puppet.call(self.foreign, PROPERTIES, "GetAll", "s", ""))
        self.assertEqual(self.puppet.call(self.foreign, PROPERTIES, "GetAll", "s", CALL).error_name, "")

    def test_no_property_of_any_interface_is_set(self):
        for name, interface in contract.files().items():
            for member in interface.of_kind("property") if name in self.objects else ():
                with self.subTest(member=f"{name}.{member.name}"):
                    value = GLib.Variant(member.type, ZERO.get(member.type, {}))
                    self.assertDenied(self.puppet.call(
                        self.objects[name], PROPERTIES, "Set", "ssv", name, member.name, value))
        self.assertTrue(self.property(f"{ROOT}/plugins/Puppet", "Enabled", PLUGIN))

    def test_objects_are_not_listed(self):
        self.assertDenied(self.puppet.call(ROOT, MANAGER, "GetManagedObjects"))
        self.assertDenied(self.puppet.call(ROOT, INTROSPECTABLE, "Introspect"))
        self.assertDenied(self.puppet.call(ROOT, PEER, "GetMachineId"))

    def test_a_transaction_is_about_its_own_calls_alone(self):
        foreign, own = ("o", self.foreign), ("o", self.own)
        for actions in (
                [("answer", {"call": foreign})], [("end", {"call": foreign})],
                [("set-held", {"call": foreign, "on-hold": ("b", True)})],
                [("set-muted", {"call": own, "muted": ("b", True)}), ("end", {"call": foreign})]):
            with self.subTest(actions=actions):
                self.assertDenied(self.request(*actions))
        self.assertDenied(self.request(("answer", {"call": own}), conflict="end"))
        refused = self.request(("set-group", {"call": own, "group-with": foreign}))
        self.assertEqual(refused.error_name, f"{ERROR}NotSameProvider", refused.error_text)
        self.assertEqual((self.property(self.foreign, "State"), self.property(self.own, "State")),
                         ("ringing", "ringing"))
        self.assertEqual(self.other.kinds(), [])

    def test_a_call_is_started_by_its_own_provider_alone(self):
        handle = ("(ss)", ("generic", "x"))
        self.assertDenied(self.request(("start", {"handle": handle, "provider": ("o", self.other.path)})))
        self.assertEqual(self.other.kinds(), [])
        started = self.request(("start", {"handle": handle}), reply="accepted")
        self.assertEqual(self.property(started.values[1][0], "Provider"), self.path)

    # What is allowed

    def test_its_own_calls_are_its_own(self):
        identity = self.puppet.call(self.own, PROPERTIES, "GetAll", "s", IDENTITY)
        self.assertEqual(identity.values[0]["Handle"], ("generic", "own"))
        self.assertEqual(self.puppet.call(self.own, PROPERTIES, "Get", "ss", IDENTITY, "Handle").error_name, "")
        self.assertEqual(self.puppet.call(self.path, PROPERTIES, "Get", "ss", PROVIDER, "State").values, ("ready",))
        self.assertEqual(self.puppet.call(self.own, CALL, "Explain").error_name, "")
        self.assertEqual(self.request(("end", {"call": ("o", self.own)}), reply="accepted").error_name, "")
        self.assertState(self.own, "ending")

    def test_it_sees_calls_without_their_identity(self):
        self.assertEqual(self.puppet.call(ROOT, WORKER_HOST, "Observe", "b", True).error_name, "")
        added = [message.get_body().unpack() for message in self.puppet.received
                 if message.get_member() == "InterfacesAdded"]
        self.assertEqual({path for path, _ in added}, {self.foreign, self.own})
        self.assertEqual({name for _, interfaces in added for name in interfaces}, {CALL})
        self.assertNotIn("secret", repr(added))

    def test_an_unknown_call_is_still_unknown(self):
        path = f"{ROOT}/calls/{str(uuid.uuid4()).replace('-', '_')}"
        self.assertEqual(self.request(("end", {"call": ("o", path)})).error_name, f"{ERROR}UnknownCall")


class Directories(PluginTest):
    """A plugin may have directories loaded; that they count is the user's to decide."""

    def test_a_directory_is_not_enabled(self):
        self.place("TutorialDirectory")
        puppet = Puppet(self)
        puppet.introduce()
        path = self.plugin("TutorialDirectory")
        wait_until(lambda: path in self.system.objects, "no directory")
        answer = puppet.call(path, PROPERTIES, "Set", "ssv", EXTENSION1, "Status", GLib.Variant("s", "enabled"))
        self.assertEqual(answer.error_name, DENIED, answer.error_text)
        self.assertNotEqual(puppet.call(path, PROPERTIES, "Get", "ss", EXTENSION1, "Status").error_name, DENIED)
        self.assertNotEqual(puppet.call(path, EXTENSION1, "Reload").error_name, DENIED)
