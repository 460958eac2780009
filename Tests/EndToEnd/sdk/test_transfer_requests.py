"""Transfers that the far side asks for, against the real daemon, in an app and in a plugin."""

import json
import uuid

import dbus

from support.messages import ERROR
from support.surface import SurfaceTest, action, transaction
from support.system import BUILD, IDENTITY
from support.waiting import wait_until

REQUEST = "com.apple.CallKit.error.requesttransaction"
CAROL = {"type": 1, "value": "carol"}


class Requests:
    def setUp(self):
        super().setUp()
        self.call = self.surface_call()

    def far_side_asks(self, handle="carol"):
        self.press("report", **{"what": "updated", "call": self.id_of(self.call), "transfer-request": handle})
        wait_until(lambda: self.asked()[1] == handle, "the request is not shown")

    def asked(self):
        """The type and value of the handle with which the far side asks to go on."""
        return tuple(self.property(self.call, "TransferRequest", IDENTITY))

    def answered(self, **handle):
        return action("answer-transfer", self.id_of(self.call), **handle)

    def on_bus(self, handle, **options):
        values = {"call": dbus.ObjectPath(self.call), "to": dbus.Struct(handle, signature="ss")}
        return self.request([("answer-transfer", values)], **options)

    def refused(self, wanted):
        told = self.ask(wanted, button="perform")
        self.assertEqual(told["error"], REQUEST)
        return int(told["code"]), str(told["name"]).removeprefix(ERROR)

    def from_an_app(self, wanted):
        told = self.system.run(f"{BUILD}/SurfaceApp", "ask", transaction(wanted))
        self.assertEqual(told.text.split(), ["sees", "1"], told.errors)

    def test_the_user_accepts_from_anywhere(self):
        for ask in (lambda: self.assertEqual(self.ask(self.answered(handle=CAROL), button="perform"), {}),
                    lambda: self.from_an_app(self.answered(handle=CAROL)),
                    lambda: self.on_bus(("generic", "carol")).result()):
            self.far_side_asks()
            self.assertIn("answer-transfer", self.property(self.call, "Can"))
            self.forget()
            ask()
            self.heard("answer-transfer generic:carol")
            self.assertEqual(self.asked(), ("", ""))
            self.press("report", what="updated", call=self.id_of(self.call), handle="carol")
            wait_until(lambda: self.property(self.call, "Handle", IDENTITY)[1] == "carol", "the handle is the old one")
            self.assertState(self.call, "active")

    def test_the_user_declines_from_anywhere(self):
        for ask in (lambda: self.assertEqual(self.ask(self.answered(), button="perform"), {}),
                    lambda: self.from_an_app(self.answered()), lambda: self.on_bus(("", "")).result()):
            self.far_side_asks()
            self.forget()
            ask()
            self.heard("answer-transfer -")
            self.assertEqual(self.asked(), ("", ""))
            self.assertState(self.call, "active")

    def test_actions_made_by_their_initializers(self):
        for handle, heard in ((CAROL, "generic:carol"), (None, "-")):
            self.far_side_asks()
            values = {"handle": handle} if handle else {}
            self.assertEqual(self.ask(self.answered(**values), **{"as": "made"}), {})
            self.heard(f"answer-transfer {heard}")

    def test_an_encoded_one_is_the_same_again(self):
        text = transaction(action("answer-transfer", uuid.uuid4(), handle=CAROL), action("answer-transfer", uuid.uuid4()))
        self.assertEqual(json.loads(self.press("encode", transaction=text)["transaction"]), json.loads(text))

    def test_what_was_not_asked_for_is_refused(self):
        self.assertEqual(self.refused(self.answered(handle=CAROL)), (6, "InvalidAction"))
        self.far_side_asks("mallory")
        self.forget()
        self.assertEqual(self.refused(self.answered(handle=CAROL)), (6, "InvalidAction"))
        self.far_side_asks("")
        self.assertNotIn("answer-transfer", self.property(self.call, "Can"))
        self.assertEqual(self.refused(self.answered()), (6, "InvalidAction"))
        self.assertEqual([line for line in self.log() if line.startswith("answer-transfer")], [])

    def test_a_refusal_keeps_the_request_and_says_why(self):
        self.far_side_asks()
        self.behave("answer-transfer", "fail because nobody picks up")
        told = self.ask(self.answered(handle=CAROL), button="perform")
        self.assertEqual((told["code"], told["name"]), (0, f"{ERROR}ActionFailed"))
        self.assertIn("nobody picks up", told["text"])
        self.assertEqual(self.asked(), ("generic", "carol"))
        self.behave("answer-transfer", "keep")
        self.assertRefused(self.on_bus(("generic", "carol"), timeout=dbus.UInt32(300)), "ActionTimedOut")
        self.heard("timed-out CXAnswerTransferCallAction complete=true")
        self.assertEqual(self.asked(), ("generic", "carol"))
        self.assertState(self.call, "active")


class InPlugin(Requests, SurfaceTest):
    pass


class InApp(Requests, SurfaceTest):
    in_app = True
