"""Translations against the real daemon: from the bus, from an app's controller and from a plugin's own."""

import dbus

from support.case import SystemTest
from support.messages import ERROR
from support.provider import Provider
from support.surface import SurfaceTest, action
from support.system import CALL
from support.waiting import wait_until

REQUEST = "com.apple.CallKit.error.requesttransaction"


def translating(call, local="en-GB", remote="sv", value=True):
    return action("set-translating", call, isTranslating=value, localLanguage=local, remoteLanguage=remote)

KEYS = ("local-language", "remote-language", "engine")
"""Of the property Translation."""


class Translation:
    def setUp(self):
        super().setUp()
        self.call = self.surface_call()
        self.identity = self.id_of(self.call)
        self.assertIn("translate", self.property(self.call, "Can"))

    def shown(self):
        translation = self.property(self.call, "Translation")
        return (bool(translation), tuple(translation.get(key, "") for key in KEYS))

    def on_bus(self, value, local="", remote=""):
        return self.system.call(self.call, CALL, "SetTranslating", "bss", value, local, remote)

    def asked(self):
        return [line for line in self.log() if line.startswith("set-translating")]

    def test_it_arrives_alike_from_the_bus_and_from_a_controller(self):
        for local, remote in (("en-GB", "sv"), ("zh_Hant-TW", "0"), ("a" * 64, "b-C_9")):
            off = (False, ("", "", ""))
            on = (True, (local, remote, "default"))
            for ask, end in (
                (lambda: self.on_bus(True, local, remote).result(), lambda: self.on_bus(False, local, remote).result()),
                (lambda: self.transact(True, local, remote).result(),
                 lambda: self.transact(False, local, remote).result()),
                (lambda: self.own(local, remote), lambda: self.own(local, remote, False)),
            ):
                self.forget()
                ask()
                self.assertEqual(self.shown(), on)
                end()
                self.assertEqual(self.shown(), off)
                self.assertEqual(
                    self.asked(), [f"set-translating true {local} {remote}", f"set-translating false {local} {remote}"])

    def transact(self, value, local, remote, **options):
        return self.request([("set-translating", {
            "call": dbus.ObjectPath(self.call), "translating": value, "local-language": local,
            "remote-language": remote})], **options)

    def own(self, local, remote, value=True):
        self.assertEqual(self.ask(translating(self.identity, local, remote, value), button="perform"), {})

    def test_who_translates_is_shown(self):
        for engine in ("custom", "default"):
            self.behave("set-translating", engine)
            self.on_bus(True, "en-GB", "sv").result()
            self.assertEqual(self.shown(), (True, ("en-GB", "sv", engine)))
            wait_until(lambda: self.system.shown(self.call, "Translation"), "nobody is told that it began")
            self.on_bus(False).result()
            wait_until(lambda: not self.system.shown(self.call, "Translation"), "nobody is told that it ended")
            self.assertEqual(self.shown(), (False, ("", "", "")))

    def test_the_end_is_told_the_languages_under_way(self):
        self.own("en-GB", "sv")
        self.on_bus(False).result()
        self.assertEqual(self.asked()[-1], "set-translating false en-GB sv")

    def test_it_is_kept_across_hold_and_nothing_is_asked_twice(self):
        self.own("en-GB", "sv")
        self.hold(self.call).result()
        self.on_bus(True, "en-GB", "sv").result()
        self.assertEqual(self.shown(), (True, ("en-GB", "sv", "default")))
        self.on_bus(True, "en-GB", "de").result()
        self.assertEqual(self.shown(), (True, ("en-GB", "de", "default")))
        self.assertEqual(self.asked(), ["set-translating true en-GB sv", "set-translating true en-GB de"])

    def test_who_does_not_declare_it_is_not_asked(self):
        self.press("configure", groups=2, translation=False)
        wait_until(lambda: "translate" not in self.property(self.call, "Can"), "it can still be translated")
        told = self.ask(translating(self.identity))
        self.assertEqual((told["error"], told["code"], told["name"]), (REQUEST, 6, f"{ERROR}NotSupported"))
        self.assertRefused(self.on_bus(True, "en-GB", "sv"), "NotSupported")
        self.assertEqual(self.asked(), [])

    def test_what_is_no_language_or_not_connected_is_refused(self):
        for local, remote in (("", "sv"), ("en GB", "sv"), ("en", "s\u00e4"), ("a" * 65, "sv"), ("", "")):
            self.assertRefused(self.on_bus(True, local, remote), "InvalidArguments")
            told = self.ask(translating(self.identity, local, remote))
            self.assertEqual((told["code"], told["name"]), (6, f"{ERROR}InvalidArguments"))
        self.assertRefused(self.on_bus(False, "en", ""), "InvalidArguments")
        ringing = self.surface_incoming(handle="ada")
        told = self.ask(translating(self.id_of(ringing)))
        self.assertEqual((told["code"], told["name"]), (6, f"{ERROR}InvalidAction"))
        self.end(self.call).result()
        told = self.ask(translating(self.identity))
        self.assertEqual((told["code"], told["name"]), (4, f"{ERROR}AlreadyEnded"))
        self.assertEqual(self.asked(), [])

    def test_a_refusal_changes_nothing(self):
        self.behave("set-translating", "fail")
        self.assertRefused(self.on_bus(True, "en-GB", "sv"), "ActionFailed")
        self.assertEqual(self.shown(), (False, ("", "", "")))

    def test_a_time_out_reaches_the_delegate(self):
        self.behave("set-translating", "keep")
        self.assertRefused(self.transact(True, "en-GB", "sv", timeout=dbus.UInt32(300)), "ActionTimedOut")
        self.heard("set-translating true en-GB sv", "timed-out CXSetTranslatingCallAction complete=true")
        self.assertEqual(self.shown(), (False, ("", "", "")))
        self.assertState(self.call, "active")
        self.assertEqual(self.press("answer-kept")["complete"], [True])
        self.wait_told("Anomaly", "late-completion")


class InPlugin(Translation, SurfaceTest):
    pass


class InApp(Translation, SurfaceTest):
    in_app = True


class OnTheBus(SystemTest):
    """A provider without the SDK."""

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, **{"supports-audio-translation": True})
        self.call = self.alpha.active()

    def test_what_it_is_asked_and_says(self):
        self.alpha.behaviour["set-translating"] = "wait"
        pending = self.system.call(self.call, CALL, "SetTranslating", "bss", True, "en-GB", "sv")
        asked = self.alpha.wait_action("set-translating")
        self.assertEqual(
            [asked.details[key] for key in ("translating", "local-language", "remote-language")], [True, "en-GB", "sv"])
        asked.fulfil(**{"translation-engine": "custom"})
        pending.result()
        self.assertEqual(dict(self.property(self.call, "Translation")), dict(zip(KEYS, ("en-GB", "sv", "custom"))))

    def test_an_engine_that_nobody_knows_is_no_answer(self):
        self.alpha.behaviour["set-translating"] = "wait"
        pending = self.system.call(self.call, CALL, "SetTranslating", "bss", True, "en-GB", "sv")
        self.alpha.wait_action("set-translating").fulfil(**{"translation-engine": "steam"})
        self.assertRefused(pending, "ActionFailed")
        self.assertEqual(self.property(self.call, "Translation"), {})

    def test_a_plan_says_it(self):
        plan = self.simulate([("set-translating", {
            "call": dbus.ObjectPath(self.call), "translating": True, "local-language": "en", "remote-language": "sv"})]).result()
        self.assertEqual([step["kind"] for step in plan], ["set-translating"])
        self.assertEqual(dict(plan[0]["args"]), {
            "translating": True, "local-language": "en", "remote-language": "sv"})
        self.assertEqual(self.alpha.kinds(), [])
