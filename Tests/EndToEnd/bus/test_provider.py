"""A Python process as a provider, beside plugins: the whole life of its calls, and what it does wrong."""

import os
import re
import signal

import dbus
import dbus.service

from support.case import SystemTest
from support.messages import uuid_of, variants
from support.provider import Action, Provider
from support.system import CALL, IDENTITY, PLUGIN, PROVIDER, ROOT, SYSTEM
from support.waiting import wait_until

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Life(SystemTest):
    def test_it_registers_and_begins(self):
        provider = Provider(self.system, "Python")
        provider.wait_told("Begin")
        self.assertTrue(provider.path.startswith(f"{ROOT}/providers/"))
        self.wait_told("InterfacesAdded", provider.path)
        self.assertIn(PROVIDER, self.system.managed()[provider.path])

    def test_an_incoming_call_from_its_report_to_its_end(self):
        provider = Provider(self.system, "Python")
        identity = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
        call = provider.report_incoming(identity, localized_caller_name="Somebody").result()
        self.assertEqual(call, f"{ROOT}/calls/6f9619ff_8b86_d011_b42d_00c04fc964ff")
        self.assertEqual(self.property(call, "Id"), identity.lower())
        self.assertEqual((self.property(call, "Direction"), self.property(call, "ConnectedAt")), ("incoming", 0))
        self.answer(call).result()
        self.assertEqual(provider.actions()[0].uuid, identity.lower())
        self.wait_state(call, "active")
        self.assertGreater(self.property(call, "ConnectedAt"), 0)
        self.assertGreater(self.property(call, "ConnectedAtMonotonic"), 0)
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")
        self.assertEqual(self.system.states(call), ["ringing", "answering", "active", "ending", "ended"])
        times = [self.property(call, name) for name in ("StartedAt", "ConnectedAt", "EndedAt")]
        self.assertEqual(times, sorted(times))
        wait_until(lambda: call not in self.system.objects, "the object stays", 8)

    def test_an_outgoing_call_from_its_start_to_its_remote_end(self):
        provider = Provider(self.system, "Python")
        provider.connects = False
        call = self.start_call("generic:somebody").result()
        self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), ("generic", "somebody"))
        provider.report("ReportOutgoingCallStartedConnecting", "sta{sv}", uuid_of(call), 0, variants({})).result()
        provider.report("ReportOutgoingCallConnected", "sta{sv}", uuid_of(call), 0, variants({})).result()
        provider.remote_end(call).result()
        self.assertEnded(call, "remote-ended", "remote")
        self.assertEqual(self.system.states(call), ["starting", "started", "connecting", "active", "ended"])

    def test_actions_and_transactions_are_named_by_uuid(self):
        provider = Provider(self.system, "Python")
        call = provider.active()
        transaction, _ = self.request([("set-muted", {"call": dbus.ObjectPath(call), "muted": True})]).result()
        action = provider.actions("set-muted")[0]
        self.assertEqual(action.transaction, transaction)
        self.assertRegex(action.id, re.compile(UUID, re.IGNORECASE))
        self.assertRegex(transaction, re.compile(UUID, re.IGNORECASE))

    def test_the_first_action_of_a_transaction_brings_the_others(self):
        provider, other = Provider(self.system, "Python"), Provider(self.system, "Other", delegate="/other")
        active, stranger = provider.active(), other.incoming()
        ringing = provider.incoming()
        path, parts = dbus.ObjectPath, lambda action: ("following" in action.details, action.details.get("part"))
        self.request([("end", {"call": path(stranger)}), ("answer", {"call": path(ringing)}),
                      ("play-dtmf", {"call": path(ringing), "digits": "1"})]).result()
        self.assertEqual(parts(other.actions("end")[0]), (False, None))
        hold, answer, tone = provider.actions("set-held")[-1], provider.actions("answer")[0], provider.actions("play-dtmf")[0]
        self.assertEqual([(kind, uuid) for kind, uuid, _ in hold.details["following"]],
                         [("answer", uuid_of(ringing)), ("play-dtmf", uuid_of(ringing))])
        self.assertEqual(hold.details["following"][1][2]["digits"], "1")
        self.assertEqual((hold.uuid, parts(answer), parts(tone)), (uuid_of(active), (False, 1), (False, 2)))
        self.assertEqual(provider.told("TransactionEnded"), [])
        self.end(ringing).result()
        self.assertEqual(parts(provider.actions("end")[-1]), (False, None), "one action has nothing with it")

    def test_it_is_told_when_the_others_do_not_come(self):
        provider = Provider(self.system, "Python")
        call = provider.active()
        provider.behaviour["play-dtmf"] = "fail"
        path = dbus.ObjectPath(call)
        refused = self.request([("play-dtmf", {"call": path, "digits": "1"}), ("end", {"call": path})])
        self.assertRefused(refused, "ActionFailed")
        ended = provider.wait_told("TransactionEnded")
        self.assertEqual(ended.arguments, [provider.actions("play-dtmf")[0].transaction, {"failed": True}])
        self.assertEqual(provider.actions("end"), [])
        self.assertState(call, "active")

    def test_a_fulfilment_may_say_when(self):
        provider = Provider(self.system, "Python")
        provider.behaviour["answer"] = "wait"
        call = provider.incoming()
        answer = self.answer(call)
        moment = dbus.UInt64(self.property(call, "StartedAt") + 1)
        provider.wait_action("answer").fulfil(date=moment)
        answer.result()
        self.assertEqual(self.property(call, "ConnectedAt"), moment)

    def test_a_late_fulfilment_in_time_counts(self):
        provider = Provider(self.system, "Python")
        provider.behaviour["answer"] = "wait"
        call = provider.incoming()
        answer = self.answer(call)
        action = provider.wait_action("answer")
        for _ in range(3):
            provider.sync()
            self.assertState(call, "answering")
        action.fulfil()
        answer.result()
        self.assertState(call, "active")

    def test_a_double_fulfilment_is_ignored_and_noted(self):
        provider = Provider(self.system, "Python")
        provider.behaviour["set-muted"] = "wait"
        call = provider.active()
        mute = self.mute(call)
        action = provider.wait_action("set-muted")
        action.fulfil()
        action.fulfil()
        mute.result()
        anomaly = self.wait_told("Anomaly", "double-completion")[0]
        self.assertIn(anomaly.arguments[1], (call, provider.path))
        self.assertState(call, "active")
        self.assertTrue(self.property(call, "Muted"))

    def test_a_failure_after_the_fulfilment_changes_nothing(self):
        provider = Provider(self.system, "Python")
        provider.behaviour["answer"] = "wait"
        call = provider.incoming()
        answer = self.answer(call)
        action = provider.wait_action("answer")
        action.fulfil()
        action.fail()
        answer.result()
        provider.sync()
        self.assertState(call, "active")

    def test_any_error_is_a_failure(self):
        provider = Provider(self.system, "Python")
        call = provider.active()
        provider.behaviour["set-muted"] = "wait"
        bus = "org.freedesktop.DBus.Error."
        for number, name in enumerate(("org.opencallkit.Error.NotSupported", "com.example.Oops", f"{bus}UnknownMethod",
                                       f"{bus}NoReply", f"{bus}ServiceUnknown", f"{bus}Disconnected"), 1):
            mute = self.mute(call)
            provider.wait_action("set-muted", number).fail(name, "the modem is silent")
            self.assertRefused(mute, "ActionFailed")
            self.assertIn("the modem is silent", mute.error_text)
            self.assertState(call, "active", f"whoever answers {name} is there")

    def test_a_reply_of_another_type_does_no_harm(self):
        provider = Provider(self.system, "Python")
        call = provider.active()
        provider.behaviour["set-muted"] = "wait"
        mute = self.mute(call)
        provider.wait_action("set-muted").reply("nonsense", signature="s")
        mute.wait()
        self.assertState(call, "active")

    def test_it_vanishes_with_its_calls_and_its_object(self):
        provider = Provider(self.system, "Python")
        call = provider.active()
        provider.vanish()
        self.assertEnded(call, "provider-crashed", "provider")
        self.wait_told("InterfacesRemoved", provider.path)
        self.assertNotIn(provider.path, self.system.managed())

    def test_its_buttons(self):
        provider = Provider(self.system, "Python", custom_actions=dbus.Array(
            [variants({"id": "wave", "label": "Wave", "icon": "face-smile", "calls-only": True})], signature="a{sv}"))
        button, = self.system.get(provider.path, PROVIDER, "CustomActions")
        self.assertEqual(dict(button), {"id": "wave", "label": "Wave", "icon": "face-smile", "calls-only": True})
        press = self.press(provider.path, "wave", {"times": 2})
        self.assertEqual(press.result()["pressed"], "wave")
        self.assertEqual(provider.told("CustomAction")[0].arguments[1]["times"], 2)
        self.assertRefused(self.press(provider.path, "shout", {}), "NotSupported")
        provider.behaviour["custom"] = "fail"
        refused = self.press(provider.path, "wave", {})
        self.assertRefused(refused, "ActionFailed")
        self.assertIn("the button is stuck", refused.error_text)
        provider.behaviour["custom"] = "wait"
        press = self.press(provider.path, "wave", {})
        provider.wait_told("CustomAction", 3)
        provider.vanish()
        self.assertRefused(press, "ProviderCrashed")

    def press(self, provider, action, values):
        return self.system.call(provider, PROVIDER, "PerformCustomAction", "sa{sv}", action, variants(values))

    def test_only_perform_must_be_there(self):
        """A provider of one method: the daemon never waits for the others."""
        connection = self.system.connect()

        class Least(dbus.service.Object):
            @dbus.service.method("org.opencallkit.ProviderDelegate1", in_signature="ssssta{sv}", out_signature="a{sv}")
            def Perform(self, action, kind, call_uuid, transaction, deadline, details):
                return dbus.Dictionary({}, signature="sv")

        least = Least(connection, "/least")
        wire = variants({"supported-handle-types": dbus.Array(["generic"], signature="s")})
        path = self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/least", wire,
                                connection=connection).result()
        call = self.start_call("generic:x", provider=dbus.ObjectPath(path)).result()
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")
        self.assertTrue(least)

    def test_only_perform_that_is_answered_counts(self):
        """A Perform record answers by its own serial, whatever the order."""
        provider = Provider(self.system, "Python")
        call = provider.active()
        provider.behaviour.update({"set-muted": "wait", "play-dtmf": "wait"})
        mute = self.mute(call)
        tones = self.system.call(call, CALL, "PlayDTMF", "s", "12")
        second = provider.wait_action("play-dtmf")
        self.assertIsInstance(second, Action)
        second.fulfil()
        tones.result()
        self.assertFalse(mute.done)
        provider.wait_action("set-muted").fulfil()
        mute.result()


class BesidePlugins(SystemTest):
    with_plugins = True
    deadlines = {"set-held": 2_000}

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system, "Python")
        self.monkey = f"{ROOT}/providers/MonkeyCall"
        self.hotline = f"{ROOT}/providers/Hotline"

    def order_failure(self, provider, kind):
        self.system.call(provider, PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-failure",
                         variants({"action": kind})).result()

    def test_it_is_held_by_a_plugins_call_and_comes_back(self):
        call = self.provider.active()
        other = self.start_call("tel:+15550100", provider=dbus.ObjectPath(self.hotline)).result()
        self.wait_state(other, "active")
        self.assertEqual((self.property(call, "State"), self.property(call, "HeldBy")), ("held", "arbiter"))
        self.assertEqual(self.provider.kinds(), ["set-held+"])
        self.end(other).result()
        self.wait_state(call, "active")
        self.assertEqual(self.provider.kinds(), ["set-held+", "set-held-"])

    def test_rule_6_its_call_is_held_before_a_plugins_is_answered(self):
        call = self.provider.active()
        other = self.simulate_incoming("MonkeyCall")
        self.provider.behaviour["set-held"] = "wait"
        answer = self.answer(other)
        hold = self.provider.wait_action("set-held")
        self.system.sync()
        self.assertState(other, "ringing")
        hold.fulfil()
        answer.result()
        self.assertEqual((self.property(call, "State"), self.property(other, "State")), ("held", "active"))

    def test_rule_6_a_plugins_call_is_held_before_its_is_answered(self):
        other = self.simulate_incoming("MonkeyCall")
        self.answer(other).result()
        call = self.provider.incoming()
        self.answer(call).result()
        self.assertEqual((self.property(other, "State"), self.property(other, "HeldBy")), ("held", "arbiter"))
        self.assertState(call, "active")

    def test_rule_6_it_refuses_to_be_held(self):
        call = self.provider.active()
        other = self.simulate_incoming("MonkeyCall")
        self.provider.behaviour["set-held"] = "fail"
        self.assertRefused(self.answer(other), "ActionFailed", call)
        self.assertEqual((self.property(call, "State"), self.property(other, "State")), ("active", "ringing"))

    def test_rule_6_a_plugin_refuses_to_be_held(self):
        other = self.simulate_incoming("MonkeyCall")
        self.answer(other).result()
        call = self.provider.incoming()
        self.order_failure(self.monkey, "set-held")
        self.assertRefused(self.answer(call), "ActionFailed", other)
        self.assertEqual((self.property(call, "State"), self.property(other, "State")), ("ringing", "active"))

    def test_rule_6_it_does_not_answer_the_hold(self):
        call = self.provider.active()
        other = self.simulate_incoming("MonkeyCall")
        self.provider.behaviour["set-held"] = "silent"
        self.answer(other).result()
        self.assertEnded(call, "timed-out", "deadline")
        self.assertState(other, "active")
        self.provider.wait_told("TimedOut")
        self.provider.actions("set-held")[0].fulfil()
        self.wait_told("Anomaly", "late-completion")

    def test_rule_12_across_a_plugin_and_it(self):
        call = self.provider.active()
        other = self.simulate_incoming("Hotline", handle="tel:+15550100")
        self.answer(other).result()
        self.resume(call).result()
        self.assertEqual((self.property(call, "State"), self.property(other, "State")), ("active", "held"))

    def test_rule_16_a_plugin_refuses_the_answer(self):
        call = self.provider.active()
        other = self.simulate_incoming("MonkeyCall")
        self.order_failure(self.monkey, "answer")
        self.assertRefused(self.answer(other), "ActionFailed", other)
        self.assertEnded(other, "failed", "provider")
        self.wait_state(call, "active")

    def test_rule_18_it_vanishes_and_the_plugin_goes_on(self):
        call = self.provider.active()
        other = self.simulate_incoming("MonkeyCall")
        self.answer(other).result()
        self.provider.vanish()
        self.assertEnded(call, "provider-crashed", "provider")
        self.assertState(other, "active")

    def test_rule_18_a_worker_is_killed_and_it_goes_on(self):
        call = self.provider.active()
        other = self.simulate_incoming("MonkeyCall")
        self.answer(other).result()
        plugin = f"{ROOT}/plugins/MonkeyCall"
        worker = int(self.system.get(plugin, PLUGIN, "Pid"))
        self.provider.forget()
        os.kill(worker, signal.SIGSEGV)
        self.assertEnded(other, "provider-crashed", "provider")
        self.wait_told("ResumeSuggested", call)
        self.assertState(call, "held")
        self.provider.sync()
        self.assertEqual(self.provider.kinds(), [])
        wait_until(lambda: self.system.shown(plugin, "State") == "ready"
                   and self.system.shown(self.monkey, "State") == "ready", "the plugin does not come back")
        self.assertNotEqual(self.system.get(plugin, PLUGIN, "Pid"), worker)
        self.assertEqual(self.system.get(plugin, PLUGIN, "Restarts"), 1)
        self.resume(call).result()
        self.answer(self.simulate_incoming("MonkeyCall")).result()
        self.assertState(call, "held")

    def test_rule_18_a_worker_is_killed_in_the_middle_of_a_hold(self):
        other = self.simulate_incoming("MonkeyCall")
        self.answer(other).result()
        os.kill(int(self.system.get(f"{ROOT}/plugins/MonkeyCall", PLUGIN, "Pid")), signal.SIGSTOP)
        call = self.provider.incoming()
        answer = self.answer(call)
        self.wait_state(other, "holding")
        os.kill(int(self.system.get(f"{ROOT}/plugins/MonkeyCall", PLUGIN, "Pid")), signal.SIGKILL)
        answer.result()
        self.assertEnded(other, "provider-crashed", "provider")
        self.assertState(call, "active")
