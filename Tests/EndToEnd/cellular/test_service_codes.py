"""Service codes (USSD) over a mobile network: the plugin Cellular with the real ModemManager and the real ofonod."""

import dbus

from cellular.case import CellularTest
from cellular.modems import Ofono
from support.messages import variants
from support.system import PROVIDER
from support.waiting import wait_until


class Codes:
    """Tests for both services."""

    menu = "1: Saldo\n2: Ladda"
    balance = "Saldo: 12,50 kr"

    def setUp(self):
        super().setUp()
        self.modem.answers = {
            "*100#": (0, self.balance), "*101#": (1, self.menu), "1": (0, self.balance), "2": (1, "Belopp?"),
            "*102#": (2, ""), "*103#": (4, "")}
        wait_until(lambda: self.system.shown(self.provider, "SupportsServiceCodes"), "there are no service codes")

    def code(self, text, member="SendServiceCode", connection=None):
        return self.system.call(
            self.provider, PROVIDER, member, "sa{sv}", text, variants({}), connection=connection)

    def reply(self, text, connection=None):
        return self.code(text, "ReplyToServiceCode", connection)

    def cancel(self):
        return self.system.call(self.provider, PROVIDER, "CancelServiceCode")

    def assertSays(self, pending, text, asks=False):
        answer = pending.result()
        self.assertEqual((answer["text"], bool(answer["asks"])), (text, asks))

    def test_a_code_is_answered(self):
        for code in ("*100#", "*1 0-0#", "tel:*100%23", "\uff0a\uff11\uff10\uff10\uff03"):
            self.assertSays(self.code(code), self.balance)
        self.assertEqual(self.modem.codes, ["*100#"] * 4)
        self.assertEqual(self.modem.sent("D"), [])

    def test_the_network_asks_back(self):
        self.assertSays(self.code("*101#"), self.menu, asks=True)
        self.assertSays(self.reply("2"), "Belopp?", asks=True)
        self.assertSays(self.reply("1"), self.balance)
        self.assertRefused(self.reply("1"), "InvalidAction")
        self.assertEqual(self.modem.codes, ["*101#", "2", "1"])

    def test_the_user_gives_up(self):
        self.assertSays(self.code("*101#"), self.menu, asks=True)
        self.cancel().result()
        wait_until(lambda: self.modem.sent("+CUSD=2"), "the network is not told", every=0.05)
        self.assertRefused(self.reply("1"), "InvalidAction")
        self.assertSays(self.code("*100#"), self.balance)

    def test_the_network_refuses(self):
        self.assertRefused(self.code("*102#"), "ActionFailed")
        self.assertRefused(self.code("*103#"), "ActionFailed")
        self.assertSays(self.code("*100#"), self.balance)

    def test_calls_do_not_wait_for_the_network(self):
        slow = self.code("*199#")
        wait_until(lambda: self.modem.codes == ["*199#"], "it is not sent", every=0.05)
        call = self.dial("112")
        self.assertTrue(self.property(call, "Emergency"))
        self.assertFalse(slow.done)
        self.modem.say(0, "Done")
        self.assertSays(slow, "Done")

    def test_an_emergency_call_is_not_lost_to_a_code(self):
        """A modem that says OK only with the network's answer is deaf until then."""
        self.modem.late = {"+CUSD=1": 7}
        self.code("*199#")
        wait_until(lambda: self.modem.codes == ["*199#"], "it is not sent", every=0.05)
        call = self.start_call("112").result()
        self.assertTrue(self.property(call, "Emergency"))
        wait_until(lambda: self.modem.sent("D112"), "it is not dialed", every=0.05)
        self.modem.answer()
        self.wait_state(call, "active")

    def test_a_code_that_is_given_up_makes_room(self):
        slow = self.code("*199#")
        wait_until(lambda: self.modem.codes == ["*199#"], "it is not sent", every=0.05)
        self.assertRefused(self.code("*100#"), "InvalidAction")
        self.cancel().result()
        self.assertRefused(slow, "ActionFailed")
        self.assertSays(self.code("*100#"), self.balance)


class WithModemManager(Codes, CellularTest):
    def test_the_client_leaves(self):
        client = self.system.connect()
        self.assertSays(self.code("*101#", connection=client), self.menu, asks=True)
        self.assertRefused(self.reply("1"), "InvalidAction")
        client.close()
        wait_until(lambda: self.modem.sent("+CUSD=2"), "the network is not told", every=0.05)
        self.assertSays(self.code("*100#"), self.balance)


class WithOfono(Codes, CellularTest):
    menu = "1: Saldo\n2: Påfyllning"
    balance = "Saldo: 12,50 €"

    def start_service(self):
        self.manager = Ofono(self.services_bus).start()
        self.addCleanup(lambda: self.manager.stop())

    def test_what_ofono_obeys_itself_is_told_in_words(self):
        self.assertIn("Call waiting\ninterrogation\n", self.code("*#43#").result()["text"])
        self.assertEqual(self.modem.codes, [])


class WithoutServiceCodes(CellularTest):
    modem_values = {"refuses": {"+CUSD"}}

    def test_they_are_refused_in_words(self):
        self.assertFalse(self.system.shown(self.provider, "SupportsServiceCodes"))
        refused = self.system.call(self.provider, PROVIDER, "SendServiceCode", "sa{sv}", "*100#", variants({}))
        self.assertRefused(refused, "NotSupported")
        self.assertIn("sends no service codes", refused.error_text)


class NoCodeIsACall(CellularTest):
    def test_no_code_reaches_the_modem_as_a_call(self):
        for text in ("*100#", "100#", "0701740605#", "*21*+46-70 174 06 05#", "tel:*100%23", "\uff0a100\uff03"):
            self.assertRefused(self.start_call(text, provider=dbus.ObjectPath(self.provider)), "InvalidArguments")
        for text in ("*21*0701740605", "**620"):
            self.assertRefused(self.start_call(text, provider=dbus.ObjectPath(self.provider)), "ActionFailed")
        self.assertEqual((self.modem.sent("D"), self.modem.codes), ([], []))

    def test_a_digit_is_no_order_during_a_call(self):
        """3GPP TS 22.030, 6.5.5: 1 ends the call, and 2 holds it."""
        call = self.take()
        self.assertRefused(self.start_call("1", provider=dbus.ObjectPath(self.provider)), "ActionFailed")
        self.assertEqual(self.modem.sent("D"), [])
        self.assertState(call, "active")
