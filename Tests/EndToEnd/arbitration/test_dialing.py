"""Whom StartCall and callctl start call, by what is written."""

import dbus

from support.messages import variants
from support.provider import Provider
from support.scene import TwoProviders
from support.terminal import REFUSED, UNKNOWN, Commands


class Dialing(Commands, TwoProviders):
    def setUp(self):
        super().setUp()
        self.phone = Provider(
            self.system, "Phone", delegate="/phone",
            supported_handle_types=dbus.Array(["phone-number"], signature="s"), emergency_numbers=["112"])
        self.mark(self.phone)

    def dialed(self, text):
        """Returns the type and the value of the handle that a provider got, after the call has ended again."""
        call = self.start_call(text).result()
        provider, = (one for one in (self.alpha, self.beta, self.phone) if one.actions("start", call))
        handle = tuple(str(part) for part in provider.actions("start", call)[0].details["handle"])
        self.end(call).result()
        return handle

    def test_what_is_written_is_a_handle(self):
        for text, handle in (
                ("+46 (0)70-174 06 05", ("phone-number", "+46701740605")), ("112", ("phone-number", "112")),
                ("tel:070%20174", ("phone-number", "070174")), ("tel://+46701740605", ("phone-number", "+46701740605")),
                ("callto:08-123", ("phone-number", "08123")), ("ann@example.org", ("email-address", "ann@example.org")),
                ("mailto:ann%40example.org", ("email-address", "ann@example.org")),
                ("SIP:ann@example.org?Replaces=x", ("generic", "sip:ann@example.org")),
                ("generic:Carla", ("generic", "Carla"))):
            with self.subTest(text=text):
                self.assertEqual(self.dialed(text), handle)

    def test_nonsense_is_refused_with_what_was_expected(self):
        for text in ("", "Carla", "tel:Carla", "tel:%zz", "mailto:", "sip:", "C:\\x", "+"):
            with self.subTest(text=text):
                refused = self.start_call(text)
                self.assertRefused(refused, "InvalidArguments")
                self.assertIn("expected a number such as", refused.error_text)
        self.assertRefused(self.start_call("070;"), "InvalidArguments")
        for provider in (self.alpha, self.beta, self.phone):
            self.assertUntouched(provider)

    def test_a_bare_emergency_number_is_an_emergency_call(self):
        a = self.alpha.active(supports_holding=False)
        call = self.says("start", "112").strip()
        self.wait_state(a, "ended")
        self.assertEqual(self.property(a, "EndReason"), "displaced")
        self.assertTrue(self.phone.actions("start")[0].uuid.startswith(call))

    def test_an_extension_is_sent_after_connecting(self):
        self.phone.connects = False
        call = self.start_call("tel:+15550100;ext=12").result()
        self.assertEqual(self.phone.actions("start")[0].details["handle"][1], "+15550100")
        self.phone.sync()
        self.assertEqual(self.phone.kinds(), ["start"])
        self.phone.report("ReportOutgoingCallConnected", "sta{sv}", self.phone.actions("start")[0].uuid, 0, variants({}))
        tones = self.phone.wait_action("play-dtmf")
        self.assertEqual((tones.details["digits"], tones.details["tone"]), (",12", "soft-pause"))
        self.wait_state(call, "active")

    def test_a_favorite_is_started_by_name(self):
        self.wait_store()
        self.says("favorites", "add", "070-174 06 05", "Carla Home")
        self.says("favorites", "add", "+46 8 123", "Carla Work")
        self.says("start", "carla w")
        self.assertEqual(self.phone.actions("start")[0].details["handle"][1], "+468123")
        output = self.callctl("start", "Carla", status=UNKNOWN)
        self.assertIn('"Carla" matches 2 handles, which one:\n  Carla Home  0701740605\n  Carla Work  +468123\n', output.errors)
        output = self.callctl("start", "Erik", status=REFUSED)
        self.assertIn('"Erik" cannot be called, expected a number', output.errors)
