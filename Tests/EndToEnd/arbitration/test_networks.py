"""What networks tell of calls, quiet sources, and mobile networks."""

import re

import dbus

from support.case import SystemTest
from support.filters import WithStore
from support.messages import strings, uuid_of, variants
from support.provider import Provider
from support.scene import TwoProviders
from support.system import IDENTITY, PROPERTIES, ROOT, SYSTEM
from support.waiting import wait_until


class Networks(TwoProviders):
    def test_an_outgoing_call_tells_how_far_it_has_come(self):
        self.alpha.connects = False
        call = self.start_call("generic:ann").result()
        for word in ("trying", "alerting", "early-media", "forwarded", "queued"):
            self.alpha.update(call, progress=word).result()
            self.assertEqual(self.property(call, "Progress"), word)
        self.alpha.update(call, encryption="srtp-dtls", codec="x" * 70).result()
        self.assertEqual((self.property(call, "Encryption"), self.property(call, "Codec")), ("srtp-dtls", "x" * 64))
        wait_until(lambda: self.system.shown(call, "Codec") == "x" * 64, "nobody is told of the codec")
        quality = dbus.Dictionary({"round-trip": dbus.UInt32(30), "loss": dbus.UInt32(12)}, signature="sv")
        self.alpha.update(call, quality=quality).result()
        self.assertEqual(self.property(call, "Quality"), {"round-trip": 30, "loss": 12})
        self.alpha.report("ReportOutgoingCallConnected", "sta{sv}", uuid_of(call), 0, variants({})).result()
        self.assertEqual(self.property(call, "Progress"), "")

    def test_an_end_tells_the_networks_reason(self):
        call = self.alpha.active()
        self.alpha.report("ReportCallEnded", "stsa{sv}", uuid_of(call), 0, "remote-ended",
                          variants({"end-detail": "busy", "end-code": "SIP 486"})).result()
        self.assertEqual((self.property(call, "EndDetail"), self.property(call, "EndCode")), ("busy", "SIP 486"))

    def test_details_of_wrong_types_and_values(self):
        call = self.alpha.active()
        for details in ({"end-detail": "bored"}, {"end-detail": 1}, {"end-code": 486}):
            self.assertRefused(self.alpha.report("ReportCallEnded", "stsa{sv}", uuid_of(call), 0, "remote-ended",
                                                 variants(details)), "InvalidArguments")
        for update in ({"progress": "soon"}, {"progress": 1}, {"network_name": 1}, {"verification": "yes"},
                       {"image": 1}, {"image": "x" * 4097}, {"image": "a\nb"}, {"encryption": True}, {"codec": 7},
                       {"quality": 7}, {"quality": dbus.Dictionary({"loss": "x"}, signature="sv")},
                       {"transfer_request": "ann"}, {"transfer_request": dbus.Struct(("pigeon", "x"), signature="ss")},
                       {"diverted_by": "ann"}, {"diverted_by": dbus.Struct(("pigeon", "x"), signature="ss")}):
            self.assertRefused(self.alpha.update(call, **update), "InvalidArguments")
        self.assertState(call, "active")

    def test_a_start_is_refused_in_a_word(self):
        self.alpha.behaviour["start"] = "wait"
        started = self.start_call("generic:ann")
        action = self.alpha.wait_action("start")
        action.fail("org.opencallkit.Failure.Unauthorized", "the account is locked")
        self.assertRefused(started, "ActionFailed")
        self.assertRegex(started.error_text, "unauthorized.*the account is locked")
        call = f"{ROOT}/calls/{action.uuid.replace('-', '_')}"
        self.assertEqual((self.property(call, "EndReason"), self.property(call, "EndDetail")), ("failed", "forbidden"))

    def test_a_network_name_loses(self):
        call = self.alpha.incoming(network_name="Ann of the network")
        read = lambda name: self.property(call, name, IDENTITY)
        self.assertEqual((read("CallerName"), read("CallerNameSource")), ("Ann of the network", "network"))
        self.alpha.update(call, localized_caller_name="Ann").result()
        self.assertEqual((read("CallerName"), read("CallerNameSource"), read("NetworkName")),
                         ("Ann", "provider", "Ann of the network"))
        self.alpha.update(call, verification="failed", image="/ann.png",
                          diverted_by=dbus.Struct(("generic", "bob"), signature="ss")).result()
        self.assertEqual((read("Verification"), read("Image"), tuple(read("DivertedBy"))),
                         ("failed", "/ann.png", ("generic", "bob")))

    def test_an_empty_handle_is_a_withheld_one(self):
        call = self.alpha.incoming(handle=("phone-number", ""))
        self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), ("", ""))

    def test_the_far_side_asks_for_a_transfer(self):
        call = self.alpha.active()
        handle = lambda value: dbus.Struct(("generic", value), signature="ss")
        answer = lambda value: self.request([("answer-transfer", {"call": dbus.ObjectPath(call), "to": handle(value)})])
        self.assertNotIn("answer-transfer", self.property(call, "Can"))
        self.assertRefused(answer("carol"), "InvalidAction")
        self.alpha.update(call, transfer_request=handle("carol")).result()
        self.assertIn("answer-transfer", self.property(call, "Can"))
        self.assertRefused(answer("mallory"), "InvalidAction")
        self.alpha.behaviour["answer-transfer"] = "wait"
        accepted = answer("carol")
        action = self.alpha.wait_action("answer-transfer")
        self.assertEqual(tuple(action.details["to"]), ("generic", "carol"))
        action.fulfil()
        accepted.result()
        self.assertEqual(tuple(self.property(call, "TransferRequest", IDENTITY)), ("", ""))
        self.alpha.update(call, remote_handle=handle("carol")).result()
        self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), ("generic", "carol"))
        self.alpha.update(call, transfer_request=handle("dave")).result()
        self.alpha.forget()
        declined = answer("")
        action = self.alpha.wait_action("answer-transfer")
        self.assertEqual(tuple(action.details["to"]), ("", ""))
        action.fail("org.opencallkit.Failure.Unreachable")
        self.assertRefused(declined, "ActionFailed")
        self.assertEqual(tuple(self.property(call, "TransferRequest", IDENTITY)), ("generic", "dave"))
        self.alpha.update(call, transfer_request=handle("")).result()
        self.assertRefused(answer("dave"), "InvalidAction")
        self.assertState(call, "active")

    def test_a_key_and_not_the_order_decides_the_id(self):
        for order in ("ab", "ba"):
            app = self.system.connect()
            paths = {key: Provider(self.system, "Zed", delegate=f"/{key}", connection=app, key=key).path for key in order}
            self.assertEqual({key: path.rsplit("/", 1)[1] for key, path in paths.items()}, {"a": "app_Zed_a", "b": "app_Zed_b"})
            self.system.connections.remove(app)
            app.close()
            for path in paths.values():
                wait_until(lambda: self.system.told("InterfacesRemoved", path), "the provider is still there")

    def test_unknown_keys_are_noted_once(self):
        for _ in range(3):
            call = self.alpha.incoming(caller_name="misspelled")
        self.system.sync()
        noted = [event for event in self.system.told("Anomaly", "unknown-key")]
        self.assertEqual(len(noted), 1)
        self.assertEqual(noted[0].arguments[1], self.alpha.path)
        self.assertIn("caller-name", noted[0].arguments[2])
        self.assertState(call, "ringing")

    def test_unknown_keys_of_details_are_noted(self):
        self.alpha.connects = False
        call = self.start_call("generic:ann").result()
        for member, arguments in (
                ("ReportOutgoingCallStartedConnecting", ("sta{sv}", uuid_of(call), 0, variants({"one": 1}))),
                ("ReportOutgoingCallConnected", ("sta{sv}", uuid_of(call), 0, variants({"two": 1}))),
                ("ReportCallEnded", ("stsa{sv}", uuid_of(call), 0, "remote-ended", variants({"end-detial": "busy"})))):
            self.alpha.report(member, *arguments).result()
        self.assertEqual(self.unknown_keys(self.alpha.path), ["one", "two", "end-detial"])

    def test_unknown_keys_of_clients_are_noted(self):
        outgoing = self.start_call("generic:ann", conflct="fail").result()
        call = self.beta.incoming()
        self.request([("set-muted", {"call": outgoing, "muted": True, "louder": True})], timout=1).result()
        self.answer(call, gently=True).result()
        self.system.call(ROOT, SYSTEM, "RegisterScreener", "oa{sv}", "/screener", variants({"nmae": "x"})).result()
        self.system.call(ROOT, SYSTEM, "RegisterAudioAgent", "oa{sv}", "/agent", variants({"relpace": True})).result()
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturbRules",
                         dbus.Dictionary({"allow-favourites": True}, signature="sv", variant_level=1)).result()
        self.assertEqual(
            self.unknown_keys(ROOT),
            ["conflct", "louder", "timout", "gently", "nmae", "relpace", "allow-favourites"])

    def unknown_keys(self, path):
        """The keys that were noted for an object, in order."""
        self.system.sync()
        return [key for event in self.system.told("Anomaly", "unknown-key") if event.arguments[1] == path
                for key in re.findall('"([^"]*)"', event.arguments[2])]

    def test_ongoing_calls(self):
        a = self.alpha.active()
        report = lambda uuid, direction="incoming", state="active", **update: self.beta.report(
            "ReportOngoingCall", "sssta{sv}", uuid, direction, state, 0,
            variants({key.replace("_", "-"): value for key, value in update.items()}))
        b = report("00000000-0000-4000-8000-000000000001").result()
        self.wait_state(b, "held")
        self.assertEqual((self.property(b, "HeldBy"), self.beta.kinds()), ("arbiter", ["set-held+"]))
        self.assertState(a, "active")
        self.assertRefused(report("00000000-0000-4000-8000-000000000001"), "CallUUIDAlreadyExists")
        for wrong in ({"direction": "sideways"}, {"state": "ringing"}):
            self.assertRefused(report("00000000-0000-4000-8000-000000000002", **wrong), "InvalidArguments")
        self.end(a).result()
        self.wait_state(b, "active")
        c = report("00000000-0000-4000-8000-000000000003", supports_holding=False).result()
        self.assertEnded(c, "displaced", "arbiter")
        self.assertState(b, "active")

    def test_ringing_and_suggested_resume_are_shown(self):
        a, b = self.ring_while_active()
        self.assertEqual(self.property(ROOT, "Ringing", SYSTEM), "/")
        self.answer(b).result()
        self.beta.remote_end(b).result()
        self.assertEqual(self.property(ROOT, "SuggestedResume", SYSTEM), a)
        c = self.beta.incoming()
        self.assertEqual(self.property(ROOT, "Ringing", SYSTEM), c)
        self.assertEqual(self.system.shown(ROOT, "Ringing"), c)
        self.resume(a).result()
        self.assertEqual(self.property(ROOT, "SuggestedResume", SYSTEM), "/")
        self.assertEqual(self.property(ROOT, "Ringing", SYSTEM), "/")


class Filtered(WithStore):
    def test_the_signal_names_the_row(self):
        self.system.call(ROOT, SYSTEM, "SetQuiet", "sb", "test", True).result()
        row = self.assertFiltered(self.ring("0701999999"), "FilteredByDoNotDisturb", "do-not-disturb", "do-not-disturb")
        self.assertGreater(row, 0)
        found, = self.recents("Get", "ax", [row]).result()
        self.assertEqual((found["filtered"], found["handle"][1]), ("do-not-disturb", "0701999999"))

    def test_without_a_row_the_signal_comes_all_the_same(self):
        self.provider.report("UpdateConfiguration", "a{sv}", variants({"includes-calls-in-recents": False})).result()
        self.system.call(ROOT, SYSTEM, "SetQuiet", "sb", "test", True).result()
        self.assertEqual(self.assertFiltered(
            self.ring("0701999999"), "FilteredByDoNotDisturb", "do-not-disturb", "do-not-disturb"), 0)


class Quiet(TwoProviders):
    def quiet(self, source, on, connection=None):
        return self.system.call(ROOT, SYSTEM, "SetQuiet", "sb", source, on, connection=connection)

    def sources(self):
        return list(self.property(ROOT, "QuietSources", SYSTEM))

    def test_a_source_lasts_as_long_as_its_client(self):
        client = self.system.connect()
        for _ in range(2):
            self.quiet("org.gnome.Shell", True, client).result()
        self.assertEqual(self.sources(), ["org.gnome.Shell"])
        self.assertFalse(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.assertRefused(self.alpha.report_incoming(), "FilteredByDoNotDisturb")
        self.quiet("org.gnome.Shell", False).result()
        self.assertEqual(self.sources(), ["org.gnome.Shell"], "somebody else's source was turned off")
        self.system.connections.remove(client)
        client.close()
        wait_until(lambda: not self.sources(), "the source outlives its client")
        self.alpha.incoming()

    def test_bad_sources(self):
        for source in ("", "a b", "x" * 65, "é"):
            self.assertRefused(self.quiet(source, True), "InvalidArguments")
        for number in range(16):
            self.quiet(f"s{number}", True).result()
        self.assertRefused(self.quiet("s16", True), "LimitsExceeded")


class Modem(Provider):
    """A modem with two calls: whatever is to be held or resumed, AT+CHLD=2 exchanges them, and the network says so."""

    def __init__(self, system, **configuration):
        self.calls = []
        self.exchanges = 0
        super().__init__(system, "Modem", supported_handle_types=strings("phone-number"), **configuration)

    def perform(self, action):
        super().perform(action)
        # The second action of a transaction is the other half of the exchange.
        if action.kind == "set-held" and len(self.calls) == 2 and "part" not in action.details:
            self.exchanges += 1
            self.calls.reverse()
            self.update(self.calls[1], on_hold=True)
            self.update(self.calls[0], on_hold=False)


class MobileNetwork(SystemTest):
    """A provider with two calls that can only exchange them."""

    def modem(self, **configuration):
        return Modem(self.system, **configuration)

    def with_two_calls(self, **configuration):
        """A modem, its active call and its held one."""
        modem = self.modem(**configuration)
        held, active = modem.active(), modem.incoming()
        self.answer(active).result()
        modem.calls = [active, held]
        return modem, active, held

    def test_declared_as_what_it_is_not_it_exchanges_until_it_is_stopped(self):
        modem, active, _ = self.with_two_calls()
        self.hold(active).wait()
        wait_until(lambda: self.system.told("Anomaly", "hold-storm"), "the storm goes on")
        modem.sync()
        exchanges = modem.exchanges
        self.system.sync()
        modem.sync()
        self.assertGreater(exchanges, 4)
        self.assertEqual(modem.exchanges, exchanges, "it goes on all the same")

    def test_declared_as_what_it_is_it_exchanges_once(self):
        modem, active, held = self.with_two_calls(hold_model="swap")
        self.hold(active).result()
        self.wait_state(held, "active")
        self.assertState(active, "held")
        self.resume(active).result()
        self.wait_state(active, "active")
        modem.sync()
        self.assertEqual(modem.exchanges, 2)
        self.assertEqual(self.system.told("Anomaly", "hold-storm"), [])

    def test_a_storm_is_stopped(self):
        modem = self.modem()
        a, b = modem.active(), modem.incoming()
        self.answer(b).result()
        for number in range(12):
            modem.update((a, b)[number % 2], on_hold=False).result()
        wait_until(lambda: self.system.told("Anomaly", "hold-storm"), "the storm goes on")
        self.system.sync()
        self.assertEqual(len(self.system.told("Anomaly", "hold-storm")), 1)
        self.assertLessEqual(len(modem.actions("set-held")), 12)

    def test_exchanges_are_facts(self):
        modem = self.modem(hold_model="swap")
        a, b = modem.active(), modem.incoming()
        self.answer(b).result()
        asked = len(modem.actions("set-held"))
        for number in range(12):
            resumed, held = ((a, b), (b, a))[number % 2]
            modem.update(resumed, on_hold=False).result()
            modem.update(held, on_hold=True).result()
            self.assertState(resumed, "active")
            self.assertState(held, "held")
        self.assertEqual(len(modem.actions("set-held")), asked, "the provider was asked for what it had done")
        self.assertEqual(self.system.told("Anomaly", "hold-storm"), [])

    def test_holding_the_active_call_exchanges(self):
        modem = self.modem(hold_model="swap")
        a, b = modem.active(), modem.incoming()
        self.answer(b).result()
        self.hold(b).result()
        self.assertState(a, "active")
        self.assertState(b, "held")
        first, second = modem.actions("set-held")[-2:]
        self.assertEqual(first.transaction, second.transaction)
        self.assertEqual(len(first.details["following"]), 1)
