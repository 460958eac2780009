"""One reading of what people write, in every door."""

import dbus

from support.messages import variants
from support.provider import Provider
from support.system import (
    CALL, DIRECTORY, DIRECTORY1, FAVORITES, FAVORITES1, IDENTITY, PROVIDER, ROOT, RULES1, SYSTEM,
)
from support.terminal import REFUSED, USAGE, Commands, People

LETTER = "there is a letter in the number"
CODE = "this is a service code"
NUMBER = "this is no phone number"


def strings(*words):
    return dbus.Array(words, signature="s")


class Reading(People):
    def setUp(self):
        super().setUp()
        self.phone = Provider(
            self.system, "Phone", delegate="/phone", supported_handle_types=strings("phone-number", "generic"),
            supports_transfer=True, supports_hiding_number=True, emergency_numbers=strings("112", "911"))
        self.mark(self.phone)
        
    def found(self, text):
        return self.system.call(ROOT, SYSTEM, "FindProviders", "s", text)

    def identify(self, text):
        return self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", text)

    def block(self, text):
        return self.system.call(DIRECTORY, RULES1, "Block", "s", text)

    def started(self, pending):
        """What the provider was asked for, once the call is over again."""
        result = pending.result()
        call = result if isinstance(result, str) else result[1][0]
        details = self.phone.actions("start", call)[0].details
        self.end(call).result()
        return details

    def test_every_door_reads_the_same(self):
        self.phone.connects = False
        for text, handle, normalized, digits in (
                ("+46 (0)70-174 06 05", ("phone-number", "+46701740605"), "+46701740605", ""),
                ("070-174 06 05", ("phone-number", "0701740605"), "+46701740605", ""),
                ("tel:070-174%2006%2005;ext=12", ("phone-number", "0701740605"), "+46701740605", ",12"),
                ("+1 555 010 0123;4711#", ("phone-number", "+15550100123"), "+15550100123", ";4711#"),
                ("1-800-FLOWERS", ("phone-number", "18003569377"), "18003569377", ""),
                ("generic:bananas", ("generic", "bananas"), "bananas", ""),
                ("sip:ann@example.org", ("generic", "sip:ann@example.org"), "sip:ann@example.org", "")):
            with self.subTest(text=text):
                row, = self.found(text).result()
                self.assertEqual((tuple(row["handle"]), row["normalized"], row.get("post-dial", "")),
                                 (handle, normalized, digits))
                known = self.identify(text).result()
                self.assertEqual((tuple(known["handle"]), known["normalized"], known.get("post-dial", "")),
                                 (handle, normalized, digits))
                self.assertEqual(known.get("region"), "SE" if text[0] == "0" or text[:5] == "tel:0" or text[0] == "1" else None)
                plan, = self.simulate([("start", {"handle": text})]).result()
                self.assertEqual((tuple(plan["args"]["handle"]), plan.get("post-dial", "")), (handle, digits))
                for start in (self.start_call, lambda text: self.request([("start", {"handle": text})])):
                    self.assertEqual(tuple(self.started(start(text))["handle"]), handle)

    def test_mistakes_are_refused_in_every_door(self):
        """The letter O is no zero, and a service code is no call."""
        call = self.phone.active()
        self.phone.forget()
        for text, why in (("+46 7O 174 06 05", LETTER), ("070O1234567", LETTER), ("tel:+46-7O-1740605", LETTER),
                          ("phone-number:+46 7O 174 06 05", LETTER), ("12a", LETTER), ("*100#", CODE),
                          ("*21*0701740605#", CODE), ("#31#", CODE), ("tel:*%23" "06%23", CODE), ("100#", CODE),
                          ("0701740605#", CODE), ("*21*+46-70 174 06 05#", CODE), ("\uff0a\uff11\uff10\uff10\uff03", CODE),
                          ("*112#", CODE), ("phone-number:bananas", NUMBER)):
            typed = ("phone-number", text.removeprefix("phone-number:"))
            doors = [self.start_call(text), self.found(text), self.request([("start", {"handle": text})]),
                     self.simulate([("start", {"handle": text})]), self.request([("start", {"handle": dbus.Struct(typed)})]),
                     self.request([("transfer", {"call": dbus.ObjectPath(call), "to": text})]),
                     self.request([("transfer", {"call": dbus.ObjectPath(call), "to": dbus.Struct(typed)})])]
            if why != CODE:
                doors += [self.identify(text), self.block(text),
                          self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", typed, "Carla", "")]
            for index, refused in enumerate(doors):
                with self.subTest(text=text, door=index):
                    self.assertRefused(refused, "InvalidArguments")
                    if index < 7:
                        self.assertIn(why, refused.error_text)
                        self.assertNotIn(text, refused.error_text.partition(";")[0])
        self.assertUntouched(self.phone)

    def test_a_code_is_kept_as_a_favorite_and_never_called(self):
        self.says("favorites", "add", "*100#", "Balance")
        self.says("block", "*100#")
        self.phone.forget()
        for words in (("favorites", "call", "Balance"), ("start", "Balance"), ("start", "*100#"), ("plan", "start", "*100#"),
                      ("providers", "find", "*100#")):
            self.assertIn("callctl ussd sends it", self.callctl(*words, status=REFUSED).errors, words)
        self.assertUntouched(self.phone)

    def assertUntouched(self, provider):
        provider.sync()
        self.assertEqual(provider.kinds(), [])

    def test_emergency_numbers_are_numbers_in_every_door(self):
        """SimpleMobileTools/Simple-Dialer #372, #158, #611; flutter-webrtc/callkeep #152."""
        for text in ("1-1-2", "9-1-1", "1 1 2", "(911)", " 112", "\u0661\u0661\u0662", "1\u200b1\u20602", "tel:1-1-2",
                     "#31#112", "112#", "112,5", "tel:112;5", "\uff11\uff11\uff12\uff03"):
            number = "911" if "9" in text else "112"
            doors = {
                "text": lambda: self.start_call(text),
                "typed": lambda: self.request([("start", {"handle": dbus.Struct(("phone-number", text))})]),
                "named": lambda: self.request([("start", {"handle": text, "hide-number": True})]),
            }
            for door, start in doors.items():
                with self.subTest(text=text, door=door):
                    result = start().result()
                    call = result if isinstance(result, str) else result[1][0]
                    self.assertTrue(self.property(call, "Emergency"))
                    details = self.phone.actions("start", call)[0].details
                    self.assertEqual(tuple(details["handle"]), ("phone-number", number))
                    self.assertNotIn("hide-number", details)
                    self.end(call).result()
            self.assertTrue(self.found(text).result()[0]["emergency"])
        for text in ("91112345", "1120", "+4791112345", "sip:112@example.org"):
            call = self.start_call(text).result()
            self.assertFalse(self.property(call, "Emergency"), text)
            self.end(call).result()
        self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", ("phone-number", "1-1-2"), "Rescue", "").result()
        self.says("favorites", "call", "Rescue")
        self.assertEqual(tuple(self.phone.actions("start")[-1].details["handle"]), ("phone-number", "112"))
        self.assertTrue(self.data("list")[0]["emergency"])

    def test_digits_wait_for_the_user(self):
        """cjlotz/Xamarin.Plugins #40, 64characters/Telephone #348, google/libphonenumber #1106."""
        call = self.start_call("+15550100123,,4711#;99;12").result()
        self.assertEqual(self.phone.actions("start", call)[0].details["handle"][1], "+15550100123")
        self.assertEqual(self.phone.wait_action("play-dtmf").details["digits"], ",,4711#")
        self.phone.forget()
        self.assertIn("post-dial=,,4711#;99;12", self.says("plan", "start", "+15550100123,,4711#;99;12"))
        self.assertTrue(self.property(call, "DigitsWait"))
        self.assertEqual(self.property(call, "WaitingDigits", IDENTITY), "99;12")
        self.assertIn("digits wait  99;12\n", self.says("show"))
        self.assertIn("sent the digits that waited to ", self.says("dtmf", "--waiting"))
        tones = self.phone.actions("play-dtmf")[-1]
        self.assertEqual((tones.details["digits"], tones.details["tone"]), ("99", "hard-pause"))
        self.phone.behaviour["play-dtmf"] = "fail"
        self.assertRefused(self.system.call(call, CALL, "SendWaitingDigits"), "ActionFailed")
        self.phone.behaviour.clear()
        self.assertEqual(self.property(call, "WaitingDigits", IDENTITY), "12")
        self.request([("play-dtmf", {"call": dbus.ObjectPath(call), "tone": "hard-pause"})]).result()
        self.assertFalse(self.property(call, "DigitsWait"))
        self.assertRefused(self.system.call(call, CALL, "SendWaitingDigits"), "InvalidAction")
        for event in self.system.told("PropertiesChanged"):
            self.assertNotIn("99", str(event.arguments[1].get("WaitingDigits", "")))

    def test_the_own_number_is_hidden_for_one_call(self):
        for start, hidden in ((lambda: self.start_call("#31#+15550100123"), True),
                              (lambda: self.start_call("*31#+15550100123"), False),
                              (lambda: self.start_call("+15550100123", **{"hide-number": True}), True),
                              (lambda: self.request([("start", {"handle": dbus.Struct(
                                  ("phone-number", "#31#+15550100123"))})]), True),
                              (lambda: self.start_call("+15550100123"), None)):
            details = self.started(start())
            self.assertEqual((tuple(details["handle"]), details.get("hide-number")),
                             (("phone-number", "+15550100123"), hidden))
        self.says("start", "--hide-number", "+15550100123")
        self.assertTrue(self.phone.actions("start")[-1].details["hide-number"])
        self.says("end", "--all")
        self.assertTrue(self.system.get(self.phone.path, PROVIDER, "SupportsHidingNumber"))
        self.phone.report("UpdateConfiguration", "a{sv}", variants({"supports-hiding-number": False})).result()
        refused = self.start_call("#31#+15550100123")
        self.assertRefused(refused, "UnknownProvider")
        self.assertIn("cannot hide or show your number for one call", refused.error_text)

    def test_a_typed_rule_is_the_handle_of_that_type(self):
        for rule, shown, handle in (("generic:bananas", "generic:bananas", ("generic", "bananas")),
                                    ("generic: b c…", "generic: b c…", ("generic", " b c…")),
                                    ("phone-number:070-174 06 05", "+46701740605", ("phone-number", "+46701740605")),
                                    ("email-address:Ann@example.org", "ann@example.org",
                                     ("email-address", "ANN@example.org"))):
            with self.subTest(rule=rule):
                self.phone.report_incoming(handle=handle).result()
                self.says("end", "--all")
                self.assertEqual(self.says("block", rule), f"blocked {shown}\n")
                self.assertRefused(self.phone.report_incoming(handle=handle), "FilteredByBlockList")
                self.assertTrue(self.identify(f"{handle[0]}:{handle[1]}").result()["blocked"])
                self.assertEqual(self.data("blocked"), [shown])
                self.says("allow", shown)
                self.phone.report_incoming(handle=handle).result()
                self.says("end", "--all")
                self.says("disallow", rule)
                self.assertEqual(self.says("unblock", shown), f"unblocked {shown}\n")

    def test_what_is_stored_is_said(self):
        self.assertEqual(self.says("block", "08-123 456 78"), "blocked +46812345678\n")
        self.assertEqual(self.says("block", "+46 8 123 456 78"), "+46812345678 is blocked already\n")
        self.assertEqual(self.says("favorites", "add", "070-174 06 05", "Carla"), "added Carla as 1, +46701740605\n")
        self.assertIn("compared as  +46701740605\n", self.says("identify", "070-174 06 05"))
        self.assertEqual(self.data("identify", "070-174 06 05")["normalized"], "+46701740605")
        self.assertTrue(self.says("providers", "find", "#31#070-174 06 05;12").startswith(
            "0701740605, that is +46701740605, then ;12, your number hidden\n\nPROVIDER"))
        self.assertIn("region", self.says("doctor"))
        self.assertEqual(self.data("doctor")["region"], "SE")
        self.assertEqual(self.system.get(ROOT, SYSTEM, "Region"), "SE")
        self.callctl("favorites", "add", "+46 7O 174 06 05", status=USAGE)
        self.assertIn(LETTER, self.callctl("start", "+46 7O 174 06 05", status=REFUSED).errors)


class WithoutRegion(People):
    arguments = ("--region", "")

    def test_it_is_said_that_no_region_is_known(self):
        self.assertEqual(self.system.get(ROOT, SYSTEM, "Region"), "")
        sentence = ("the region of your numbers is unknown, so those without a country code are compared as they are written; "
                    "to set it, add the line region = SE, with your country's letters, to ~/.config/opencallkit/callkitd.conf, "
                    "and start callkitd again")
        self.assertEqual(self.says("block", "08-123 456 78"), f"blocked 0812345678; {sentence}\n")
        self.assertEqual(self.says("block", "1234", "+46812345678"), "blocked 1234\nblocked +46812345678\n")
        self.assertIn(sentence, self.says("favorites", "add", "070-174 06 05", "Carla"))
        self.assertIn(sentence, self.says("identify", "070-174 06 05"))
        self.assertEqual(self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", "0701740605").result()["region"], "")
        self.assertIn(sentence, self.says("doctor"))
