"""Invalid input from clients and providers neither stops the daemon nor changes its answers to others."""

import uuid

import dbus

from accounts.case import ACCOUNT1, ACCOUNTS, ACCOUNTS1
from bus.values import BIDI, FREEDESKTOP, MEBIBYTE, NOTHING
from support import contract
from support.case import SystemTest
from support.messages import ERROR, png, uuid_of, variants
from support.provider import Provider
from support.system import (CALL, DIRECTORY, DIRECTORY1, EXTENSION1, FAVORITES, FAVORITES1, HOST, MANAGER, PLUGIN,
                            PROPERTIES, PROVIDER, RECENTS, RECENTS1, ROOT, RULES1, SYSTEM)

NO_ACTIONS = dbus.Array([], signature="(sa{sv})")

RIGHT = {
    "s": "x", "b": True, "u": dbus.UInt32(1), "t": dbus.UInt64(1), "o": dbus.ObjectPath("/x"), "a{sv}": NOTHING,
    "as": dbus.Array(["active"], signature="s"), "a(sa{sv})": NO_ACTIONS, "x": dbus.Int64(1),
    "h": dbus.types.UnixFd(0), "ax": dbus.Array([1], signature="x"), "(ss)": dbus.Struct(("generic", "x"), signature="ss"),
}
"""A value of each type that the contract's methods take."""


class WrongArguments(SystemTest):
    with_plugins = True

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.ringing = self.provider.incoming()
        self.objects = {SYSTEM: ROOT, CALL: self.ringing, PROVIDER: self.provider.path, HOST: self.provider.path,
                        PLUGIN: f"{ROOT}/plugins/Hotline", DIRECTORY1: DIRECTORY, RULES1: DIRECTORY,
                        EXTENSION1: f"{ROOT}/plugins/ListDirectory", RECENTS1: RECENTS,
                        FAVORITES1: FAVORITES, ACCOUNTS1: ACCOUNTS, ACCOUNT1: self.add_account(),
                        "org.opencallkit.Access1": f"{ROOT}/access"}
        self.wait_store()

    def add_account(self):
        return str(self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", "MonkeyCall", variants({})).result())

    def assertAllRefused(self, calls, *names):
        """Each call fails with one of these errors, and nothing happens."""
        self.system.sync()
        self.provider.sync()
        before = len(self.system.events)
        pending = [self.system.call(*call, connection=self.provider.connection) for call in calls]
        self.assertTrue(pending)
        for call, one in zip(calls, pending):
            with self.subTest(path=call[0], member=f"{call[1]}.{call[2]}", signature=call[3]):
                self.assertRefusedWithAny(one, names or (f"{ERROR}InvalidArguments",))
        self.system.sync()
        self.provider.sync()
        self.assertEqual(self.system.told_since(before), [])
        self.assertEqual(self.provider.kinds(), [])

    def assertRefusedWithAny(self, pending, names):
        pending.wait()
        self.assertIn(pending.error_name, names, pending.error_text or f"succeeded: {pending.value}")
        self.assertTrue(pending.error_text)

    def methods(self):
        for name, interface in contract.files().items():
            for member in interface.of_kind("method"):
                if name in self.objects:
                    types = [type for _, type, way in member.arguments if way == "in"]
                    yield self.objects[name], name, member.name, types

    def test_there_are_methods_to_try(self):
        """Every method of every object that the bus shows."""
        tried = {(interface, member) for _, interface, member, _ in self.methods()}
        shown = {(interface, member.name)
                 for path in self.system.managed()
                 for interface, live in contract.parse(
                     self.system.call(path, "org.freedesktop.DBus.Introspectable", "Introspect").result()).items()
                 for member in live.of_kind("method") if interface.startswith("org.opencallkit.")}
        self.assertLessEqual(shown, tried)
        self.assertGreater(len(tried), 50)

    def test_no_arguments_where_some_are_needed(self):
        self.assertAllRefused([(path, interface, member, "") for path, interface, member, types in self.methods()
                               if types])

    def test_one_argument_too_few(self):
        self.assertAllRefused([
            (path, interface, member, "".join(types[:-1]), *[RIGHT[type] for type in types[:-1]])
            for path, interface, member, types in self.methods() if len(types) > 1])

    def test_one_argument_too_many(self):
        self.assertAllRefused([
            (path, interface, member, "".join(types) + "s", *[RIGHT[type] for type in types], "more")
            for path, interface, member, types in self.methods()])

    def test_each_argument_of_a_wrong_type(self):
        calls = []
        for path, interface, member, types in self.methods():
            for index in range(len(types)):
                for wrong, value in (("i", 7), ("v", "x"), ("a{ss}", dbus.Dictionary({"a": "b"}, signature="ss")),
                                     ("(s)", ("x",)), ("d", 1.5)):
                    signature = [*types[:index], wrong, *types[index + 1:]]
                    values = [RIGHT[type] for type in types]
                    values[index] = value
                    calls.append((path, interface, member, "".join(signature), *values))
        self.assertGreater(len(calls), 100)
        self.assertAllRefused(calls)

    def test_a_mebibyte_in_each_argument_that_can_hold_one(self):
        """Refused with an error of the contract that says so in few words, or cut."""
        long = "x" * MEBIBYTE
        keys = ("conflict", "handle", "localized-name", "localized-caller-name", "text", "contact-identifier", "uuid", "reply")
        large = {"s": long, "as": dbus.Array([long], signature="s"), "(ss)": dbus.Struct((long, long), signature="ss"),
                 "ax": dbus.Array(range(MEBIBYTE // 8), signature="x"),
                 "a{sv}": variants(dict.fromkeys(keys, long) | {long: long}),
                 "a(sa{sv})": dbus.Array([(long, variants({long: long}))], signature="(sa{sv})")}
        tried = set()
        for path, interface, member, types in self.methods():
            for index, type in enumerate(types):
                if type in large:
                    values = [RIGHT[type] for type in types]
                    values[index] = large[type]
                    with self.subTest(member=f"{interface}.{member}", index=index):
                        pending = self.system.call(path, interface, member, "".join(types), *values,
                                                   connection=self.provider.connection).wait()
                        self.assertLess(len(pending.error_text), 512)
                        tried.add(member)
        self.assertGreater(len(tried), 30)

    def test_standard_methods_with_wrong_arguments(self):
        wrong = [(ROOT, PROPERTIES, "Get", "s", SYSTEM),
                 (ROOT, PROPERTIES, "Get", "uu", dbus.UInt32(1), dbus.UInt32(2)),
                 (ROOT, PROPERTIES, "GetAll", ""), (ROOT, PROPERTIES, "GetAll", "i", 5),
                 (ROOT, PROPERTIES, "Set", "sss", SYSTEM, "DoNotDisturb", "yes"),
                 (ROOT, MANAGER, "GetManagedObjects", "s", "x")]
        self.assertAllRefused(wrong, f"{ERROR}InvalidArguments", f"{FREEDESKTOP}InvalidArgs")

    def test_a_property_of_a_wrong_type(self):
        for value in ("yes", 1, dbus.Array([True], signature="b")):
            self.assertAllRefused([(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturb", value)],
                                  f"{ERROR}InvalidArguments", f"{FREEDESKTOP}InvalidArgs")
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))

    def test_properties_that_cannot_be_set(self):
        for interface, path in self.objects.items():
            for member in contract.files()[interface].of_kind("property"):
                if member.access == "read":
                    self.assertAllRefused([(path, PROPERTIES, "Set", "ssv", interface, member.name, True)],
                                          f"{FREEDESKTOP}PropertyReadOnly")

    def test_what_does_not_exist(self):
        unknown = f"{FREEDESKTOP}UnknownObject"
        self.assertAllRefused(
            [(path, interface, member, "") for interface, member in ((CALL, "End"), (PROVIDER, "X"), (PLUGIN, "Restart"))
             for path in ("/nowhere", f"{ROOT}/nothing", f"{ROOT}/calls/nothing", f"{ROOT}/providers/nobody",
                          f"{ROOT}/plugins/none", f"{ROOT}/calls/00000000_0000_4000_8000_000000000000", "/org",)],
            unknown, f"{FREEDESKTOP}UnknownMethod", f"{FREEDESKTOP}UnknownInterface")
        self.assertAllRefused([(ROOT, SYSTEM, "Nothing", ""), (self.ringing, CALL, "Nothing", "")],
                              f"{FREEDESKTOP}UnknownMethod")
        self.assertAllRefused([(ROOT, "org.opencallkit.Nothing1", "End", ""), (ROOT, CALL, "End", ""),
                               (self.ringing, PLUGIN, "Restart", "")],
                              f"{FREEDESKTOP}UnknownInterface", f"{FREEDESKTOP}UnknownMethod")
        self.assertAllRefused([(ROOT, PROPERTIES, "Get", "ss", "org.opencallkit.Nothing1", "Version"),
                               (ROOT, PROPERTIES, "GetAll", "s", "org.opencallkit.Nothing1")],
                              f"{FREEDESKTOP}UnknownInterface")
        self.assertAllRefused([(ROOT, PROPERTIES, "Get", "ss", SYSTEM, "Nothing")], f"{FREEDESKTOP}UnknownProperty")

    def test_options_of_wrong_types_and_values(self):
        wrong = [{"conflict": 5}, {"conflict": "x"}, {"conflict": ""}, {"timeout": "long"}, {"timeout": dbus.UInt32(0)},
                 {"reply": "never"}, {"reply": True}]
        self.assertAllRefused([(self.ringing, CALL, "AnswerWith", "a{sv}", variants(values)) for values in wrong])
        wrong += [{"provider": 7}, {"video": "yes"}, {"contact-identifier": 7}, {"uuid": "nonsense"}, {"uuid": 7}]
        self.assertAllRefused([(ROOT, SYSTEM, "StartCallWith", "sa{sv}", "generic:x", variants(values))
                               for values in wrong])

    def test_unknown_options_are_ignored(self):
        self.answer(self.ringing, nonsense=7, colour="red").result()

    def test_actions_of_wrong_types_and_values(self):
        call = dbus.ObjectPath(self.ringing)
        handle = dbus.Struct(("generic", "x"), signature="ss")
        wrong = [
            ("nonsense", {}), ("", {}), ("answer", {}), ("answer", {"call": "x"}), ("end", {"call": 1}),
            ("set-held", {"call": call}), ("set-held", {"call": call, "on-hold": "yes"}),
            ("set-muted", {"call": call, "muted": 1}), ("set-group", {"call": call}),
            ("set-group", {"call": call, "group-with": "x"}), ("play-dtmf", {"call": call}),
            ("play-dtmf", {"call": call, "digits": "x"}), ("play-dtmf", {"call": call, "digits": ""}),
            ("play-dtmf", {"call": call, "digits": "1" * 65}),
            ("play-dtmf", {"call": call, "digits": "1", "tone": "loud"}), ("set-translating", {"call": call}),
            ("set-translating", {"call": call, "translating": True}),
            ("set-translating", {"call": call, "translating": True, "local-language": "en", "remote-language": "s v"}),
            ("start", {}), ("start", {"handle": "x"}),
            ("start", {"handle": dbus.Struct(("carrier-pigeon", "x"), signature="ss")}),
            ("start", {"handle": dbus.Struct(("generic", ""), signature="ss")}),
            ("start", {"handle": dbus.Struct(("generic", "a\nb"), signature="ss")}),
            ("start", {"handle": dbus.Struct(("generic", "a" + BIDI), signature="ss")}),
            ("start", {"handle": dbus.Struct(("generic", "a" * 257), signature="ss")}),
            ("start", {"handle": handle, "video": 1}), ("start", {"handle": handle, "uuid": "x"}),
            ("start", {"handle": handle, "provider": True}),
        ]
        for member in ("RequestTransaction", "SimulateTransaction"):
            self.assertAllRefused([
                (ROOT, SYSTEM, member, "a(sa{sv})a{sv}",
                 dbus.Array([(kind, variants(values))], signature="(sa{sv})"), NOTHING) for kind, values in wrong])

    def test_digits_out_of_their_alphabet(self):
        for digits in ("", "e", "1 2", "١", "1" * 65, "1\n", "*#x"):
            self.assertAllRefused([(self.ringing, CALL, "PlayDTMF", "s", digits)])

    def test_states_that_are_none(self):
        self.assertAllRefused([(ROOT, SYSTEM, "EndCalls", "as", dbus.Array(["ringing", "x"], signature="s"))])
        self.assertState(self.ringing, "ringing")

    def test_updates_of_wrong_types_and_values(self):
        flags = ("supports-holding", "can-hold-now", "supports-grouping", "supports-ungrouping", "supports-dtmf",
                 "has-video", "remote-held", "on-hold", "emergency")
        wrong = [{flag: "yes"} for flag in flags] + [
            {"remote-handle": "x"}, {"remote-handle": dbus.Struct(("pigeon", "x"), signature="ss")},
            {"remote-handle": dbus.Struct(("generic", "x\x01y"), signature="ss")},
            {"remote-handle": dbus.Struct(("generic", BIDI), signature="ss")},
            {"remote-handle": dbus.Struct(("generic", "x" * 257), signature="ss")}, {"localized-caller-name": 7}]
        path, call = self.provider.path, uuid_of(self.ringing)
        self.assertAllRefused([(path, HOST, "ReportCallUpdated", "sa{sv}", call, variants(values)) for values in wrong])
        self.assertAllRefused([(path, HOST, "ReportNewIncomingCall", "sa{sv}", str(uuid.uuid4()), variants(values))
                               for values in wrong])

    def test_configurations_of_wrong_types_and_values(self):
        wrong = [
            {"localized-name": 1}, {"supported-handle-types": "generic"},
            {"supported-handle-types": dbus.Array(["pigeon"], signature="s")}, {"supports-video": "no"},
            {"maximum-call-groups": "2"}, {"maximum-call-groups": -1}, {"maximum-calls-per-call-group": 1.5},
            {"includes-calls-in-recents": 1}, {"ringtone-sound": 1}, {"icon-template-image": "png"},
            *[{"icon-template-image": dbus.Array(icon, signature="y")}
              for icon in (b"nope", b"GIF89a", b"\x89PNG\r\n\x1a\n", png()[:-1])],
            {"custom-actions": dbus.Array(["x"], signature="s")},
            {"custom-actions": dbus.Array([("a", "x")], signature="(ss)")},
            *[{"custom-actions": dbus.Array([variants(action) for action in actions], signature="a{sv}")}
              for actions in ([{"id": "a b"}], [{"id": "a"}, {"id": "a"}], [{"label": "x"}], [{"id": 7}],
                              [{"id": "a", "icon": 7}], [{"id": "a", "calls-only": "yes"}], [{"id": "a", "label": 1}])],
            {"emergency-numbers": "112"}, {"supported-schemes": "sip"},
            {"supported-schemes": dbus.Array(["SIP"], signature="s")},
            {"supported-schemes": dbus.Array(["s i p"], signature="s")},
            {"supported-schemes": dbus.Array(["x" * 65], signature="s")},
            {"supported-schemes": dbus.Array([f"s{n}" for n in range(17)], signature="s")}, {"key": 1}, {"key": "a b"},
            {"key": "a" * 65}, {"availability": "perhaps"}, {"availability": True}, {"status": 1},
            {"hold-model": "swop"}, {"hold-model": 1}, {"desktop-entry": "../x"}, {"desktop-entry": 1},
            {"desktop-entry": "a" * 256}, {"supports-transfer": 1}]
        self.assertAllRefused([(self.provider.path, HOST, "UpdateConfiguration", "a{sv}", variants(values))
                               for values in wrong])
        self.assertAllRefused([(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/x", variants(values))
                               for values in wrong])

    def test_reports_by_strangers(self):
        stranger = self.system.connect()
        call = uuid_of(self.ringing)
        reports = [("ReportNewIncomingCall", "sa{sv}", str(uuid.uuid4()), NOTHING),
                   ("ReportCallUpdated", "sa{sv}", call, NOTHING), ("ReportCallEnded", "stsa{sv}", call, 0, "failed", NOTHING),
                   ("ReportOutgoingCallStartedConnecting", "sta{sv}", call, 0, variants({})),
                   ("ReportOutgoingCallConnected", "sta{sv}", call, 0, variants({})), ("UpdateConfiguration", "a{sv}", NOTHING),
                   ("Invalidate", "")]
        for path in (self.provider.path, f"{ROOT}/providers/Hotline"):
            for member, signature, *values in reports:
                with self.subTest(path=path, member=member):
                    self.assertRefused(self.system.call(path, HOST, member, signature, *values, connection=stranger),
                                       "AccessDenied")
        self.assertState(self.ringing, "ringing")
