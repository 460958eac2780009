"""CallKit's errors through the real daemon: their names and codes, what providers say when they refuse, and what the
policy of a bus forbids."""

import json
import os
import re
import uuid

import dbus

from support.case import SystemTest
from support.messages import ERROR, last
from support.provider import Provider
from support.screener import Screener
from support.surface import SurfaceTest, action
from support.system import BUILD, CALL, HOST, REPOSITORY, SYSTEM
from support.waiting import wait_until

DOMAINS = {
    "CXError": "com.apple.CallKit.error",
    "CXErrorCodeIncomingCallError": "com.apple.CallKit.error.incomingcall",
    "CXErrorCodeRequestTransactionError": "com.apple.CallKit.error.requesttransaction",
    "CXErrorCodeCallDirectoryManagerError": "com.apple.CallKit.error.calldirectorymanager",
    "CXErrorCodeNotificationServiceExtensionError": "com.apple.CallKit.error.notificationserviceextension"}
REQUEST = DOMAINS["CXErrorCodeRequestTransactionError"]
INCOMING = DOMAINS["CXErrorCodeIncomingCallError"]


def table():
    """(domain, raw value, names on the bus) of each error in docs/parity.md; its own name comes first."""
    with open(os.path.join(REPOSITORY, "docs", "parity.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| `(CXError\w*)\.\w+` \| (\d+) \| ([^|]*) \|", file.read(), re.MULTILINE)
    return [(DOMAINS[domain], int(code), re.findall(r"`(\w+)`", names) or ["Unknown"]) for domain, code, names in rows]


class Names:
    def test_every_error_travels_under_its_name(self):
        errors = table()
        self.assertEqual((len(errors), len({domain for domain, _, _ in errors})), (33, 5))
        for domain, code, names in errors:
            with self.subTest(domain=domain, code=code):
                told = self.press_later("raise", domain=domain, code=code, text="because \u202eit is so").wait()
                self.assertEqual(told.error_name, ERROR + names[0])
                self.assertRegex(told.error_text, "(^|: )because it is so$", "unsafe characters are left out")
                for name in names:
                    # What only iOS refuses shares a name with another code of its domain.
                    first = min(other for where, other, shared in errors if where == domain and name in shared)
                    self.assertEqual(self.press("codes", name=ERROR + name)[domain], first, name)
        self.assertEqual(self.press("raise", domain=REQUEST, code=99), {}, "there is no such code")

    def test_a_stranger_s_name_is_unknown_everywhere(self):
        for name in ("org.example.Odd", "org.freedesktop.DBus.Error.NoReply", f"{ERROR}Invented"):
            self.assertEqual(set(self.press("codes", name=name).values()), {0})
        told = self.press("codes", name="org.freedesktop.DBus.Error.AccessDenied")
        self.assertEqual((told[INCOMING], told[REQUEST], told["com.apple.CallKit.error"]), (1, 1, 1))


class Reasons:
    def refused_mute(self, call):
        """What a client is told, which is what the fixture's own controller is told too."""
        muting = self.mute(call)
        self.assertRefused(muting, "ActionFailed", call)
        told = self.ask(action("set-muted", self.id_of(call), isMuted=True), button="perform")
        self.assertEqual((told["error"], told["code"], told["name"]), (REQUEST, 0, f"{ERROR}ActionFailed"))
        self.assertEqual(told["text"], muting.error_text)
        return muting.error_text

    def test_a_refusal_says_why(self):
        call = self.surface_call()
        refused = f"provider {last(self.path)} refused set-muted of call {self.id_of(call)}"
        for how, words in (("fail", ""), ("fail because the switch is stuck", ": the switch is stuck"),
                           ("fail unentitled", ": AccessDenied: log in first"), ("fail oddly", ": the moon is full")):
            self.behave("set-muted", how)
            self.assertEqual(self.refused_mute(call), refused + words)
        self.behave("set-muted", "fail because \u202ethe\nswitch \x07" + "is stuck " * 100)
        self.assertEqual(self.refused_mute(call), refused + ": " + ("theswitch " + "is stuck " * 100)[:256])
        self.system.sync()
        for word in ("stuck", "log in", "moon"):
            self.assertNotIn(word, repr(self.system.events))
            self.assertNotIn(word, str(self.system.call(call, CALL, "Explain").result()))

    def test_a_refused_hold_says_why_to_whoever_wants_the_line(self):
        call = self.surface_incoming(handle="ada")
        stranger = Provider(self.system, "Stranger")
        active = stranger.active()
        stranger.behaviour["set-held"] = "wait"
        answer = self.press_later("perform", transaction=json.dumps(
            {"uuid": str(uuid.uuid4()).upper(), "actions": [action("answer", self.id_of(call))]}))
        stranger.wait_action("set-held").fail(name="com.example.Busy", text="the line hums")
        told = answer.result()
        self.assertEqual(
            (told["name"], told["text"]),
            (f"{ERROR}ActionFailed",
             f"provider app_Stranger refused set-held of call {self.id_of(active)}: com.example.Busy: the line hums"))
        self.assertState(active, "active")
        stranger.behaviour["set-muted"] = "wait"
        mute = self.mute(active)
        stranger.wait_action("set-muted").fulfil(date="noon")
        self.assertRefused(mute, "ActionFailed", active)
        self.assertIn("date", mute.error_text)

    def test_a_provider_that_allows_no_calls(self):
        self.press("configure", **{"name": "Full", "groups": 0, "per-group": 1})
        told = self.press("incoming", handle="ada")
        self.assertEqual((told["error"], told["code"], told["name"]),
                         (INCOMING, 0, f"{ERROR}MaximumCallGroupsReached"))


class Filters:
    def test_what_a_screener_rejects_has_its_reason_s_code(self):
        screener = Screener(self.system, ("allow", ""))
        self.surface_incoming(handle="ada")
        for reason, code, name in (("do-not-disturb", 3, "FilteredByDoNotDisturb"), ("blocked", 4, "FilteredByBlockList"),
                                   ("restricted-sharing", 5, "FilteredDuringRestrictedSharingMode"),
                                   ("sensitive-participants", 7, "FilteredBySensitiveParticipants")):
            screener.verdict = ("reject", reason)
            for told in (self.press("incoming", handle="ada"), self.press("incoming-async")):
                self.assertEqual((told["error"], told["code"], told["name"]), (INCOMING, code, ERROR + name))


class Policy(SurfaceTest):
    """What the bus does not let an app say."""

    in_app = True

    def forbid(self, *members):
        rules = "".join(f'<deny send_interface="{interface}" send_member="{member}"/>'
                        for interface, member in members)
        path = f"{self.system.folder.name}/bus.conf"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("</policy>", f"{rules}</policy>"))
        self.system.bus.call_blocking("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                      "ReloadConfig", "", ())

    def test_what_the_bus_forbids_is_unentitled(self):
        call = self.surface_call()
        self.forbid((HOST, "ReportNewIncomingCall"), (HOST, "ReportCallUpdated"), (SYSTEM, "RequestTransaction"),
                    (SYSTEM, "RegisterProvider"))
        refused = "org.freedesktop.DBus.Error.AccessDenied"
        told = self.press("incoming", handle="ada")
        self.assertEqual((told["error"], told["code"], told["name"]), (INCOMING, 1, refused))
        for button in ("request", "perform"):
            told = self.ask(action("end", self.id_of(call)), button=button)
            self.assertEqual((told["error"], told["code"], told["name"]), (REQUEST, 1, refused))
        told = self.press("report", what="updated", call=self.id_of(call), dtmf=False)
        self.assertEqual((told["code"], told["name"]), (1, refused))
        self.press("second", how="make")
        self.press("second", how="ring")
        self.heard("second rings not: com.apple.CallKit.error.incomingcall unentitled")
        self.assertState(call, "active")


class Dialing(SystemTest):
    """An app that has no provider."""

    def dial(self, number):
        return self.system.run(f"{BUILD}/SurfaceApp", "dial", number)

    def test_nobody_takes_the_number(self):
        told = self.dial("555")
        self.assertEqual(told.text.split()[:2], ["2", f"{ERROR}UnknownProvider"], told.errors)
        self.assertEqual(told.status, 0)

    def test_who_takes_it_is_asked(self):
        provider = Provider(self.system, supported_handle_types=dbus.Array(["phone-number"], signature="s"))
        told = self.dial("555")
        self.assertEqual((told.text, told.status), ("", 0), told.errors)
        self.assertEqual(provider.wait_action("start").details["handle"], ("phone-number", "555"))


class Values:
    def test_handles_are_equal_by_what_they_say(self):
        for handle, again in (("ada", ""), ("ada", " again"), ("bob", ""), ("ada", "")):
            self.forget()
            call = self.start_call(f"generic:{handle}", provider=dbus.ObjectPath(self.path)).result()
            self.end(call).result()
            lines = self.heard(f"start generic:{handle}")
            self.assertEqual([line for line in lines if line.startswith("start")],
                             [f"start generic:{handle} video=false contact=-{again}"])

    def test_calls_are_equal_by_what_they_tell(self):
        one, other = self.surface_call("generic:one"), self.surface_incoming(handle="ada")
        identities = {self.id_of(one), self.id_of(other)}
        def same():
            return set(self.press("values", of="calls")["same"])

        def remember():
            wait_until(lambda: len(self.press("calls")["calls"]) == 2, "the calls are not seen")
            self.press("values", of="remember")
        remember()
        self.assertEqual(same(), identities)
        self.mute(one).result()
        self.assertEqual(same(), identities, "the mute is nobody else's affair")
        self.answer(other).result()
        wait_until(lambda: same() == set(), "neither call has changed")
        self.wait_state(one, "held")
        wait_until(lambda: any("held" in line for line in self.press("calls")["calls"]), "it is not seen held")
        remember()
        self.end(one).result()
        wait_until(lambda: same() == {self.id_of(other)}, "the other call changed too")

    def test_what_is_handed_over_is_copied(self):
        told = self.press("values", of="copies")
        call = f"/org/opencallkit/CallSystem1/calls/{told['call'].replace('-', '_')}"
        self.assertEqual(self.property(call, "CallerName", "org.opencallkit.CallIdentity1"), "Given")
        shown = self.system.get_all(self.path, "org.opencallkit.Provider1")
        self.assertEqual((shown["LocalizedName"], shown["MaximumCallGroups"]), ("Given", 2))
        self.heard("answer")
        self.wait_state(call, "active")
        self.assertNotIn("end", [line.split()[0] for line in self.log()])

    def test_an_action_of_no_kind_is_no_request(self):
        told = self.press("values", of="nothing")
        self.assertEqual((told["error"], told["code"], told["name"]), (REQUEST, 6, f"{ERROR}InvalidAction"))


class NamesInPlugin(Names, SurfaceTest):
    pass


class NamesInApp(Names, SurfaceTest):
    in_app = True


class ReasonsInPlugin(Reasons, SurfaceTest):
    pass


class ReasonsInApp(Reasons, SurfaceTest):
    in_app = True


class FiltersInPlugin(Filters, SurfaceTest):
    pass


class FiltersInApp(Filters, SurfaceTest):
    in_app = True


class ValuesInPlugin(Values, SurfaceTest):
    pass


class ValuesInApp(Values, SurfaceTest):
    in_app = True
