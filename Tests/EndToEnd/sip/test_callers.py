"""Who calls: what networks write into the headers of an INVITE, and what is shown, blocked, kept and called back."""

import dbus

from sip.certificates import DOMAIN
from sip.hostile import HostileTest
from sip.stranger import Leg, sound
from support.messages import variants
from support.system import DIRECTORY, FAVORITES, FAVORITES1, RECENTS, RECENTS1, RULES1
from support.waiting import wait_until

NUMBER = "+15550100123"
"""Possible, and not valid, so that only forms with + are normalised."""


class Callers(HostileTest):
    @classmethod
    def start_rig(cls):
        super().start_rig()
        cls.carol = cls.make().add_account("carol", transport="udp", encryption="off")

    def setUp(self):
        super().setUp()
        self.call_begin = self.newest()

    def call(self, sender, *headers, user="alice"):
        """An INVITE with this From."""
        leg = Leg(self.server, user)
        leg.ours = sender
        leg.request("INVITE", *headers, body=sound(40000))
        return leg

    def ring_as(self, sender, *headers, user="alice"):
        """What is shown of the caller while the call rings, and what is kept of it."""
        leg = self.call(sender, *headers, user=user)
        leg.wait(180, "INVITE")
        call = self.wait_ringing(self.alice if user == "alice" else self.carol)
        kind, value = self.identity(call, "Handle")
        name = str(self.identity(call, "NetworkName"))
        known = self.newest()
        leg.request("CANCEL", branch=leg.branch, sequence=leg.sequence, to_tag="")
        self.assertEnding(call, "unanswered")
        wait_until(lambda: not self.row()["open"], "the row stays open")
        self.assertGreaterEqual(self.newest(), known)
        row = self.row()
        self.assertEqual(tuple(row["handle"]), (kind, value))
        self.assertEqual(str(row["name"]), str(self.identity(call, "CallerName")))
        return f"{kind}:{value}" if value else "withheld", name

    def rows(self):
        return self.system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(1)).result()

    def row(self):
        """The newest row of the recents."""
        return self.rows()[0]

    def newest(self):
        return max((int(row["id"]) for row in self.rows()), default=0)

    def rule(self, member, rule):
        self.system.call(DIRECTORY, RULES1, member, "s", rule).result()

    # opensips #1386
    def test_the_best_of_several_identities(self):
        sip, tel = '"Ann Example" <sip:user77@mpbx.test>', f'"Ann Example" <tel:{NUMBER}>'
        for headers in ((f"P-Asserted-Identity: {sip}", f"P-Asserted-Identity: {tel}"),
                        (f"P-Asserted-Identity: {tel}, {sip}",), (f"Remote-Party-ID: {tel};party=calling;screen=yes",)):
            with self.subTest(headers):
                shown = self.ring_as('"x" <sip:user77@mpbx.test>', *headers)
                self.assertEqual(shown, (f"phone-number:{NUMBER}", "Ann Example"))
        self.rule("Block", NUMBER)
        self.call('"x" <sip:user77@mpbx.test>', f"P-Asserted-Identity: {sip}, {tel}").wait(603, "INVITE")
        self.rule("Unblock", NUMBER)

    # freeswitch #2824
    def test_numbers_in_user_parts(self):
        for user in ("+1-555-010-0123", f"{NUMBER};cpc=ordinary", f"{NUMBER};npdi;rn=+15550100999", f"%2B{NUMBER[1:]}"):
            with self.subTest(user):
                self.assertEqual(self.ring_as(f"<sip:{user}@gw.test>")[0], f"phone-number:{NUMBER}")

    # siphon-sip #199
    def test_who_asks_to_be_withheld_stays_so(self):
        sender, asserted = f'"Ann" <sip:{NUMBER}@gw.test>', f"P-Asserted-Identity: <tel:{NUMBER}>"
        for privacy in ("id", "ID;critical", "user", "critical, header", "session;" * 200 + "none"):
            with self.subTest(privacy):
                self.assertEqual(self.ring_as(sender, f"Privacy: {privacy}", asserted, user="carol"), ("withheld", ""))
        # A rule for the number would tell whose it is.
        self.rule("Block", NUMBER)
        self.assertEqual(self.ring_as(sender, "Privacy: id", asserted, user="carol"), ("withheld", ""))
        self.rule("Unblock", NUMBER)
        self.rule("Block", "withheld")
        self.call(sender, "Privacy: id", asserted, user="carol").wait(603, "INVITE")
        log = self.system.read_log()[self.log_begin:]
        self.assertIn("Privacy: id", log)
        self.assertNotIn(NUMBER[1:], log)
        self.assertNotIn("Ann", log)
        self.assertEqual(self.ring_as(sender, "Privacy: none", asserted), (f"phone-number:{NUMBER}", "Ann"))
        self.rule("Unblock", "withheld")

    # linphone-desktop #860, linphone-android #1527
    def test_call_back_of_addresses_inside_of_the_provider(self):
        for sender, target in (("<sip:anna@192.0.2.7>", f"sip:anna@{DOMAIN}"), ("<sip:*600@c4-mgc.inner>", f"sip:*600@{DOMAIN}"),
                               ("<sip:01632960001@c4-mgc.inner>", f"sip:01632960001@{DOMAIN}")):
            with self.subTest(sender):
                self.ring_as(sender)
                self.server.mark()
                row = self.row()
                call = str(self.system.call(RECENTS, RECENTS1, "CallBack", "xa{sv}", row["id"], variants({})).result())
                invite = self.server.wait_request("INVITE")
                self.assertEqual(invite.target, target)
                Leg(self.server, invite=invite).respond(486)
                self.assertEnding(call, "remote-ended", "SIP 486", "busy")


class AnotherCaller(HostileTest):
    """A server that transfers a call by itself says only who is there now (RFC 3325, 4916).

    BelledonneCommunications/linphone-desktop #706, open-voip-alliance/WebphoneLib #36, vialer/vialer-js #178.
    """

    gus, hal = "+15550144007", "+15550144008"

    def setUp(self):
        super().setUp()
        self.added = [self.favorite("Add", "(ss)ss", dbus.Struct(("phone-number", number)), name, "")
                      for number, name in ((self.gus, "Gus Example"), (self.hal, "Hal Example"))]

    def tearDown(self):
        for row in self.added:
            self.favorite("Remove", "x", row)
        super().tearDown()

    def favorite(self, member, signature, *arguments):
        return self.system.call(FAVORITES, FAVORITES1, member, signature, *arguments).result()

    def leg(self, number):
        leg = Leg(self.server)
        leg.ours = f'"Somebody" <sip:{number}@gw.test>'
        return leg

    def ring_as(self, number):
        leg = self.leg(number)
        leg.request("INVITE", body=sound(40000))
        leg.wait(180, "INVITE")
        return leg, self.wait_ringing(self.alice)

    def assertIs_(self, call, number, name):
        def shown():
            return str(self.identity(call, "Handle")[1]), str(self.identity(call, "CallerName"))
        wait_until(lambda: shown() == (number, name), lambda: f"{shown()} is shown, expected {(number, name)}", every=0.02)

    def test_while_it_rings_and_while_it_is_talked(self):
        leg, call = self.ring_as(self.gus)
        self.assertIs_(call, self.gus, "Gus Example")
        leg.ask("UPDATE", 200, f"P-Asserted-Identity: <tel:{self.hal}>")
        self.assertIs_(call, self.hal, "Hal Example")
        pending = self.answer(call)
        leg.wait(200, "INVITE", 1)
        leg.request("ACK", sequence=1)
        pending.result()
        for version, (headers, number, name) in enumerate((
                # Most later messages have no identity at all.
                ((), self.hal, "Hal Example"),
                ((f"P-Asserted-Identity: <sip:{self.gus}@gw.test;user=phone>",), self.gus, "Gus Example"),
                ((f"Remote-Party-ID: <tel:{self.hal}>;party=calling;screen=yes",), self.hal, "Hal Example")), 2):
            leg.ask("INVITE", 200, *headers, body=sound(40000, version))
            leg.request("ACK")
            self.assertIs_(call, number, name)
        leg.ours = "<sip:somebody@elsewhere.test>"
        leg.ask("UPDATE", 200)
        self.assertIs_(call, "sip:somebody@elsewhere.test", "")
        leg.ask("BYE", 200)
        self.assertEnding(call, "remote-ended")

    def test_by_a_transfer_of_the_far_side(self):
        leg, call = self.ring_as(self.gus)
        pending = self.answer(call)
        leg.wait(200, "INVITE")
        leg.request("ACK")
        pending.result()
        other = self.leg(self.hal)
        other.request("INVITE", f"Replaces: {leg.call_id};to-tag={leg.remote_tag};from-tag={leg.tag}", body=sound(40002))
        other.wait(200, "INVITE")
        other.request("ACK")
        self.server.wait_request("BYE", leg.call_id)
        self.assertIs_(call, self.hal, "Hal Example")
        other.ask("UPDATE", 200, f"P-Asserted-Identity: <tel:{self.gus}>")
        self.assertIs_(call, self.gus, "Gus Example")
        other.ask("BYE", 200)
        self.assertEnding(call, "remote-ended")

    def test_one_who_is_blocked(self):
        self.system.call(DIRECTORY, RULES1, "Block", "s", self.hal).result()
        leg, call = self.ring_as(self.gus)
        leg.ask("UPDATE", 200, f"P-Asserted-Identity: <tel:{self.hal}>")
        leg.wait(603, "INVITE", 1)
        self.assertEnding(call, "declined")
        self.system.call(DIRECTORY, RULES1, "Unblock", "s", self.hal).result()

    def test_who_is_withheld_stays_so(self):
        leg = self.leg(self.gus)
        leg.request("INVITE", "Privacy: id", body=sound(40000))
        leg.wait(180, "INVITE")
        call = self.wait_ringing(self.alice)
        leg.ask("UPDATE", 200, f"P-Asserted-Identity: <tel:{self.hal}>")
        self.assertIs_(call, "", "")
        self.reject(call).result()
        leg.wait(603, "INVITE", 1)
