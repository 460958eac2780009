"""CallKit's actions, transactions and errors with the SDK and the real daemon, in a plugin and in an app."""

import json
import time
import uuid

import dbus

from support.messages import ERROR, variants
from support.provider import Provider
from support.surface import SurfaceTest, action, transaction
from support.system import BUILD, DIRECTORY, DIRECTORY1, IDENTITY, PROVIDER, ROOT, SYSTEM
from support.waiting import wait_until

REQUEST = "com.apple.CallKit.error.requesttransaction"
INCOMING = "com.apple.CallKit.error.incomingcall"


class Actions:
    def test_a_start_carries_handle_video_and_contact(self):
        call = str(uuid.uuid4())
        self.assertEqual(self.ask(action(
            "start", call, handle={"type": 1, "value": "ada"}, isVideo=True, contactIdentifier="contact 7")), {})
        self.heard("start generic:ada video=true contact=contact 7")
        path = f"{ROOT}/calls/{call.replace('-', '_')}"
        self.wait_state(path, "started")
        self.assertTrue(self.property(path, "Video"))
        self.assertEqual(self.property(path, "Provider"), self.path)

    def test_a_start_hides_the_own_number(self):
        for hides, word in ((True, "true"), (False, "false")):
            self.forget()
            self.assertEqual(self.ask(action(
                "start", str(uuid.uuid4()), handle={"type": 1, "value": "ada"}, isVideo=False, hidesNumber=hides)), {})
            self.heard(f"start generic:ada video=false contact=- hidden={word}")
            self.system.call(ROOT, SYSTEM, "EndCalls", "as", ["starting", "started", "active"]).result()
        self.assertTrue(self.system.get(self.path, PROVIDER, "SupportsHidingNumber"))

    def test_a_service_code_is_answered_and_asks_back(self):
        def ask(member, text):
            answer = self.system.call(self.path, PROVIDER, member, "sa{sv}", text, variants({})).result()
            return answer["text"], bool(answer["asks"])
        self.assertTrue(self.system.get(self.path, PROVIDER, "SupportsServiceCodes"))
        self.assertEqual(ask("SendServiceCode", "*101#"), ("You said\n*101#", True))
        self.assertEqual(ask("ReplyToServiceCode", "#2"), ("You said\n#2", False))
        slow = self.system.call(self.path, PROVIDER, "SendServiceCode", "sa{sv}", "*199#", variants({}))
        self.heard("service-code *101# reply=false", "service-code #2 reply=true", "service-code *199# reply=false")
        self.system.call(self.path, PROVIDER, "CancelServiceCode").result()
        self.assertRefused(slow, "ActionFailed")
        self.heard("service-code *101# reply=false", "service-code #2 reply=true", "service-code *199# reply=false",
                   "service-code cancelled")
        self.assertEqual(ask("SendServiceCode", "*100#"), ("You said\n*100#", False))

    def test_digits_that_wait_are_sent_without_naming_them(self):
        call = self.request([("start", {"handle": "generic:ada", "post-dial": ";47;11"})]).result()[1][0]
        self.press("report", what="connected", call=self.id_of(call))
        self.wait_state(call, "active")
        self.forget()
        tones = action("play-dtmf", self.id_of(call), digits="", type=3)
        self.assertEqual(self.ask(tones, button="perform"), {})
        self.assertEqual(self.ask(tones, button="perform"), {})
        self.assertEqual([line for line in self.log() if line.startswith("play-dtmf")],
                         ["play-dtmf 47 hardPause", "play-dtmf 11 hardPause"])

    def test_answer_hold_mute_and_end_through_its_own_controller(self):
        call = self.surface_incoming(handle="ada")
        identity = self.id_of(call)
        self.assertEqual(self.ask(action("answer", identity), button="perform"), {})
        self.assertEqual(self.ask(action("set-held", identity, isOnHold=True), button="perform"), {})
        self.assertEqual(self.ask(action("set-held", identity, isOnHold=False), button="perform"), {})
        self.assertEqual(self.ask(action("set-muted", identity, isMuted=True), button="perform"), {})
        self.assertTrue(self.property(call, "Muted"))
        self.assertEqual(self.ask(action("set-muted", identity, isMuted=False), button="request-async"), {})
        self.assertEqual(self.ask(action("end", identity), button="perform"), {})
        self.heard("answer", "activated true", "set-held true", "deactivated false", "set-held false", "activated true",
                   "set-muted true", "set-muted false", "end -", "deactivated false")
        self.assertEnded(call, "local-ended", "user")

    def test_tones_and_pauses_arrive_alike_from_the_bus_and_from_a_controller(self):
        call = self.surface_call()
        for number, (name, word) in enumerate(
                [("singleTone", "single-tone"), ("softPause", "soft-pause"), ("hardPause", "hard-pause")], 1):
            for digits in ("1", "*", "#", "0,1", "5;6", "12Ad"):
                self.forget()
                self.assertEqual(self.ask(
                    action("play-dtmf", self.id_of(call), digits=digits, type=number), button="perform"), {})
                self.request([("play-dtmf", {"call": dbus.ObjectPath(call), "digits": digits, "tone": word})]).result()
                lines = [line for line in self.log() if line.startswith("play-dtmf")]
                self.assertEqual(lines, [f"play-dtmf {digits} {name}"] * 2)

    def test_groups_arrive_alike_from_the_bus_and_from_a_controller(self):
        one = self.surface_call("generic:one")
        other = self.surface_call("generic:other")
        join = action("set-group", self.id_of(other), callUUIDToGroupWith=self.id_of(one).upper())
        leave = action("set-group", self.id_of(other))
        self.assertEqual(self.ask(join, button="perform"), {})
        self.assertNotEqual(self.property(one, "Group"), "")
        self.assertEqual(self.ask(leave, button="perform"), {})
        self.group(other, one).result()
        self.system.call(other, "org.opencallkit.Call1", "Ungroup").result()
        lines = [line for line in self.log() if line.startswith("set-group")]
        self.assertEqual(lines, [f"set-group {self.id_of(one)}", "set-group -"] * 2)

    def from_an_app(self, *actions):
        """The same by the controller of an app that is not a provider."""
        told = self.system.run(f"{BUILD}/SurfaceApp", "ask", transaction(*actions))
        self.assertEqual(told.text.split(), ["sees", str(len(self.live()))], told.errors)

    def live(self):
        return [path for path in self.system.objects
                if path.startswith(f"{ROOT}/calls/") and self.property(path, "State") != "ended"]

    def test_another_app_s_controller_says_the_same(self):
        one, other = self.surface_call("generic:one"), self.surface_call("generic:other")
        path, identity = dbus.ObjectPath(other), self.id_of(other)
        for own, kind, values in (
                (action("play-dtmf", identity, digits="12Ad*#", type=1), "play-dtmf", {"digits": "12Ad*#"}),
                (action("play-dtmf", identity, digits="0,1", type=2), "play-dtmf",
                 {"digits": "0,1", "tone": "soft-pause"}),
                (action("play-dtmf", identity, digits="5;6", type=3), "play-dtmf",
                 {"digits": "5;6", "tone": "hard-pause"})):
            self.check_alike(own, (kind, {"call": path, **values}))
        undo = ("set-muted", {"call": path, "muted": False})
        self.check_alike(action("set-muted", identity, isMuted=True), ("set-muted", {"call": path, "muted": True}), undo)
        join = action("set-group", identity, callUUIDToGroupWith=self.id_of(one).upper())
        leave = ("set-group", {"call": path, "group-with": dbus.ObjectPath("/")})
        self.check_alike(join, ("set-group", {"call": path, "group-with": dbus.ObjectPath(one)}), leave)

    def check_alike(self, own, asked, undo=None):
        """Three ways of requesting reach the delegate alike."""
        heard = []
        for ask in (lambda: self.ask(own, button="perform"), lambda: self.from_an_app(own),
                    lambda: self.request([asked]).result()):
            self.forget()
            ask()
            heard.append([line for line in self.log() if line.startswith(asked[0])])
            if undo:
                self.request([undo]).result()
        self.assertEqual(len(heard[0]), 1, heard)
        self.assertEqual(heard, [heard[0]] * 3)

    def test_every_way_to_request(self):
        call = self.surface_call()
        muted = False
        for button in ("request", "request-async"):
            for way in ("plain", "action", "actions", "timeout"):
                muted = not muted
                values = {"timeout": 1.0} if way == "timeout" else {"as": way}
                self.assertEqual(
                    self.ask(action("set-muted", self.id_of(call), isMuted=muted), button=button, **values), {})
                wait_until(lambda: self.property(call, "Muted") == muted, f"{button} as {way} does nothing")
        self.assertEqual(len([line for line in self.log() if line.startswith("set-muted")]), 8)

    def test_actions_made_by_their_initialisers(self):
        one, other = str(uuid.uuid4()), self.surface_incoming(handle="ada")
        handle = {"type": 1, "value": "bob"}

        def ask(*actions):
            self.assertEqual(self.ask(*actions, **{"as": "made"}), {})
        ask(action("start", one, handle=handle, isVideo=True, contactIdentifier="c"))
        self.heard("start generic:bob video=true contact=c")
        self.press("report", what="connected", call=one)
        ask(action("set-held", one, isOnHold=True), action("answer", self.id_of(other)))
        self.wait_state(other, "active")
        ask(action("set-group", one, callUUIDToGroupWith=self.id_of(other).upper()))
        self.heard(f"set-group {self.id_of(other)}")
        ask(action("set-muted", one, isMuted=True), action("play-dtmf", one, digits="7", type=2),
            action("set-translating", one, isTranslating=True, localLanguage="en", remoteLanguage="sv"),
            action("end", self.id_of(other)))
        self.heard("set-muted true", "play-dtmf 7 softPause", "set-translating true en sv", "end")

    def test_a_transaction_is_performed_in_order(self):
        ended, answered = self.surface_call(), self.surface_incoming(handle="ada")
        self.assertEqual(self.ask(action("end", self.id_of(ended)), action("answer", self.id_of(answered)),
                                  button="perform"), {})
        self.heard("end", "answer")
        self.assertState(answered, "active")

    def test_an_encoded_transaction_is_the_same_again(self):
        actions = [
            action("start", uuid.uuid4(), handle={"type": 2, "value": "1"}, isVideo=False, contactIdentifier="c"),
            action("answer", uuid.uuid4()), action("end", uuid.uuid4()),
            action("set-held", uuid.uuid4(), isOnHold=True), action("set-muted", uuid.uuid4(), isMuted=True),
            action("set-group", uuid.uuid4(), callUUIDToGroupWith=str(uuid.uuid4()).upper()),
            action("play-dtmf", uuid.uuid4(), digits="1", type=3),
            action("set-translating", uuid.uuid4(), isTranslating=True, localLanguage="en", remoteLanguage="sv")]
        text = transaction(*actions)
        self.assertEqual(json.loads(self.press("encode", transaction=text)["transaction"]), json.loads(text))


class Outcomes:
    def test_accepted_is_not_performed(self):
        call = self.surface_call()
        self.behave("set-held", "fail")
        self.assertEqual(self.ask(action("set-held", self.id_of(call), isOnHold=True)), {})
        told = self.ask(action("set-held", self.id_of(call), isOnHold=True), button="perform")
        self.assertEqual((told["error"], told["code"], told["name"]), (REQUEST, 0, f"{ERROR}ActionFailed"))
        self.assertState(call, "active")

    def test_the_caller_sets_the_time_out(self):
        call = self.surface_call()
        self.behave("set-held", "keep")
        before = time.time()
        pending = self.press_later("perform", timeout=3.0, transaction=transaction(
            action("set-held", self.id_of(call), isOnHold=True)))
        self.heard("set-held true")
        timeout = self.press("pending", call=self.id_of(call))["timeout"]
        self.assertTrue(before < timeout < time.time() + 3.1, (before, timeout))
        told = pending.result()
        self.assertEqual((told["code"], told["name"]), (0, f"{ERROR}ActionTimedOut"))
        self.heard("timed-out CXSetHeldCallAction complete=true")
        self.assertEqual(self.press("answer-kept")["complete"], [True])
        self.wait_told("Anomaly", "late-completion")
        self.assertState(call, "active")

    def test_whoever_does_not_wait_sets_it_too(self):
        call = self.surface_call()
        self.behave("set-held", "keep")
        for button in ("request", "request-async"):
            self.forget()
            hold = action("set-held", self.id_of(call), isOnHold=True)
            self.assertEqual(self.ask(hold, button=button, timeout=3.0), {}, "it is accepted")
            self.heard("set-held true")
            timeout = self.press("pending", call=self.id_of(call))["timeout"]
            self.assertLess(timeout, time.time() + 3.1, "0 once it has passed")
            self.heard("set-held true", "timed-out CXSetHeldCallAction complete=true")
        self.assertState(call, "active")

    def test_a_time_out_must_be_more_than_nothing(self):
        told = self.ask(action("end", uuid.uuid4()), timeout=0.0)
        self.assertEqual((told["code"], told["name"]), (6, f"{ERROR}InvalidArguments"))

    def test_pending_transactions_and_actions(self):
        call = self.surface_call()
        self.behave("end", "keep")
        end = self.end(call)
        self.heard("end")
        pending = self.press("pending", call=self.id_of(call))
        self.assertEqual((len(pending["transactions"]), pending["sizes"], pending["ends"], pending["all"]), (1, [1], 1, 1))
        self.assertFalse(pending["complete"])
        other = self.press("pending", call=str(uuid.uuid4()))
        self.assertEqual((other["ends"], other["all"]), (0, 0))
        self.assertEqual(self.press("answer-kept")["complete"], [False])
        end.result()
        self.assertEqual(self.press("pending", call=self.id_of(call))["transactions"], [])

    def test_a_delegate_that_executes_is_not_asked_action_by_action(self):
        ended, answered = self.surface_call(), self.surface_incoming(handle="ada")
        self.press("execute", executes=True)
        self.forget()
        self.ask(action("end", self.id_of(ended)), action("answer", self.id_of(answered)), button="perform")
        lines = [line for line in self.log() if line.startswith("execute") or line[:3] in ("end", "ans")]
        self.assertEqual(lines, ["execute CXEndCallAction CXAnswerCallAction"])
        self.assertState(answered, "active")

    def test_fulfilments_say_when(self):
        call = self.surface_incoming(handle="ada")
        for kind in ("answer", "end"):
            self.behave(kind, "an hour ago")
        self.answer(call).result()
        self.assertEqual(self.property(call, "ConnectedAt"), self.property(call, "StartedAt"), "it is clamped")
        self.end(call).result()
        self.assertEqual(self.property(call, "EndedAt"), self.property(call, "ConnectedAt"))
        self.behave("start", "keep")
        self.forget()
        other = self.start_call("generic:x", provider=dbus.ObjectPath(self.path))
        self.heard("start")
        date = time.time()
        self.press("answer-kept", at=date)
        self.assertLess(abs(self.property(other.result(), "StartedAt") - date * 1e6), 5, "µs; the reply came later")

    def test_configuration_is_changed_live(self):
        self.assertEqual(self.press("configure", **{"name": "Renamed", "groups": 1, "per-group": 3})["groups"], 1)
        wait_until(lambda: self.system.shown(self.path, "LocalizedName") == "Renamed", "the name stays")
        shown = self.system.get_all(self.path, "org.opencallkit.Provider1")
        self.assertEqual(
            (shown["MaximumCallGroups"], shown["MaximumCallsPerCallGroup"], shown["SupportsVideo"],
             shown["SupportsAudioTranslation"], shown["IncludesCallsInRecents"]), (1, 3, True, True, False))
        self.assertEqual(sorted(shown["SupportedHandleTypes"]), ["email-address", "generic", "phone-number"])
        self.surface_call()
        told = self.ask(action("start", uuid.uuid4(), handle={"type": 1, "value": "b"}, isVideo=False))
        self.assertEqual((told["code"], told["name"]), (7, f"{ERROR}MaximumCallGroupsReached"))

    def test_invalidation_ends_the_calls_and_resets(self):
        call = self.surface_call()
        self.assertTrue(self.press("invalidate")["supported"])
        self.assertEnded(call, "failed", "provider")
        wait_until(lambda: self.path not in self.system.objects, "the provider stays")


class Refusals:
    """Each refusal has CallKit's code and its name on the bus."""

    def refused(self, *actions, **values):
        told = self.ask(*actions, **values)
        self.assertEqual(told["error"], REQUEST)
        self.assertNotEqual(told["text"], "")
        return int(told["code"]), str(told["name"]).removeprefix(ERROR)

    def test_of_requests(self):
        start = {"handle": {"type": 1, "value": "a"}, "isVideo": False}
        self.assertEqual(self.refused(), (3, "EmptyTransaction"))
        self.assertEqual(self.refused(action("end", uuid.uuid4())), (4, "UnknownCall"))
        call = self.surface_call()
        self.assertEqual(self.refused(action("start", self.id_of(call), **start)), (5, "CallUUIDAlreadyExists"))
        self.assertEqual(self.refused(action("answer", self.id_of(call))), (6, "InvalidAction"))
        self.assertEqual(self.refused(action("play-dtmf", self.id_of(call), digits="x", type=1)),
                         (6, "InvalidArguments"))
        stranger = Provider(self.system, "Stranger").active(supports_holding=False)
        self.assertEqual(self.refused(action("set-group", self.id_of(call), callUUIDToGroupWith=self.id_of(stranger))),
                         (6, "NotSameProvider"))
        self.assertEqual(self.refused(action("set-held", self.id_of(call), isOnHold=False)),
                         (6, "CannotHoldActiveCall"))
        self.end(stranger).result()
        dialing = self.start_call("generic:x", provider=dbus.ObjectPath(self.path)).result()
        self.assertEqual(self.refused(action("set-held", self.id_of(call), isOnHold=False)),
                         (6, "OutgoingCallInProgress"))
        self.end(dialing).result()
        self.end(call).result()
        self.assertEqual(self.refused(action("end", self.id_of(call))), (4, "AlreadyEnded"))

    def test_of_incoming_calls(self):
        self.wait_store()
        call = self.surface_incoming(handle="ada")
        told = self.press("incoming", call=self.id_of(call), handle="ada")
        self.assertEqual((told["error"], told["code"], told["name"]),
                         (INCOMING, 2, f"{ERROR}CallUUIDAlreadyExists"))
        self.system.call(ROOT, "org.freedesktop.DBus.Properties", "Set", "ssv", "org.opencallkit.CallSystem1",
                         "DoNotDisturb", True).result()
        told = self.press("incoming", handle="ada")
        self.assertEqual((told["error"], told["code"], told["name"]), (INCOMING, 3, f"{ERROR}FilteredByDoNotDisturb"))
        told = self.press("incoming-async")
        self.assertEqual((told["error"], told["code"]), (INCOMING, 3))
        told = self.press("incoming", handle="a" * 257)
        self.assertEqual((told["error"], told["code"], told["name"]), (INCOMING, 0, f"{ERROR}InvalidArguments"))

    def test_of_directories_and_pushes(self):
        wait_until(lambda: self.system.call(DIRECTORY, DIRECTORY1, "Contacts").wait().error is None, "no store")
        told = self.press("directory")
        domain = "com.apple.CallKit.error.calldirectorymanager"
        self.assertEqual((told["reload"]["error"], told["reload"]["code"]), (domain, 1))
        self.assertEqual((told["status"], told["unknown"]["code"], told["settings"]["code"]), (0, 1, 0))
        for what, code in (("reload", 1), ("status", 1), ("settings", 0)):
            told = self.press("directory-async", what=what)
            self.assertEqual((told["error"], told["code"]), (domain, code))
        for button in ("push", "push-async"):
            told = self.press(button)
            self.assertEqual((told["error"], told["code"]), ("com.apple.CallKit.error.notificationserviceextension", 1))

    def test_of_text_that_cannot_travel(self):
        """U+0000, which the fixture puts in place of the symbol for NUL."""
        call, refused = self.surface_call(), (6, "InvalidArguments")
        start = {"handle": {"type": 1, "value": "a"}, "isVideo": False}
        self.assertEqual(self.refused(action("start", uuid.uuid4(), **{**start, "handle": {"type": 1, "value": "a\0"}})),
                         refused)
        self.assertEqual(self.refused(action("start", uuid.uuid4(), contactIdentifier="\0", **start)), refused)
        self.assertEqual(self.refused(action("play-dtmf", self.id_of(call), digits="1\0", type=1)), refused)
        told = self.press("incoming", handle="a\u2400da")
        self.assertEqual((told["error"], told["name"]), (INCOMING, f"{ERROR}InvalidArguments"))
        told = self.press("directory", extension="Sur\u2400face")
        self.assertEqual([told[what]["code"] for what in ("reload", "unknown")], [1, 1])
        self.end(call).result()
        named = self.surface_incoming(handle="ada", name="A\u2400da")
        self.assertEqual(self.property(named, "CallerName", IDENTITY), "Ada")
        self.press("configure", name="Sur\u2400face two")
        wait_until(lambda: self.system.shown(self.path, "LocalizedName") == "Surface two", "the name stays")

    def test_during_an_emergency(self):
        stranger = Provider(self.system, "Stranger", supported_handle_types=["phone-number"], emergency_numbers=["112"])
        self.mark(stranger)
        emergency = self.start_call("tel:112", provider=dbus.ObjectPath(stranger.path)).result()
        self.wait_state(emergency, "active")
        told = self.press("incoming", handle="ada")
        self.assertEqual((told["error"], told["code"], told["name"]), (INCOMING, 6, f"{ERROR}EmergencyInProgress"))
        self.assertEqual(self.refused(action("start", uuid.uuid4(), handle={"type": 1, "value": "a"}, isVideo=False)),
                         (8, "EmergencyInProgress"))


class Patience(SurfaceTest):
    deadlines = {"play-dtmf": 26_000}

    def test_whoever_waits_for_a_performance_waits_for_its_deadline(self):
        """The time-out may be longer than the limit for other answers."""
        call = self.surface_call()
        self.behave("play-dtmf", "keep")
        tones = transaction(action("play-dtmf", self.id_of(call), digits="1", type=1))
        told = self.system.run(f"{BUILD}/SurfaceApp", "ask", tones)
        self.assertEqual(told.text.split(), [f"{ERROR}ActionTimedOut", "sees", "1"], told.errors)


class ActionsInPlugin(Actions, SurfaceTest):
    pass


class ActionsInApp(Actions, SurfaceTest):
    in_app = True


class OutcomesInPlugin(Outcomes, SurfaceTest):
    pass


class OutcomesInApp(Outcomes, SurfaceTest):
    in_app = True


class RefusalsInPlugin(Refusals, SurfaceTest):
    pass


class RefusalsInApp(Refusals, SurfaceTest):
    in_app = True
