"""What is tried with each phone, the same for all: `PhoneTest`, whose phone a class of tests for each program makes."""

import re

import dbus

from sip.case import LINPHONE as FREQUENCY
from sip.case import PASSWORDS, SIPTest
from sip.certificates import DOMAIN
from sip.marks import proves
from support.system import CALL
from support.tones import wait_sound
from support.waiting import wait_until


class PhoneTest(SIPTest):
    """Calls with a phone, which starts anew for each test and registers as carol."""

    needs_sound = True
    user = "carol"
    card = "linphone"
    """The name of its sound card."""

    @classmethod
    def start_rig(cls):
        super().start_rig()
        test = cls.make()
        cls.alice = test.add_account("alice", encryption="off", trace=False)
        # The keys of the far side are told in the trace, of which the daemon takes only so many lines at once.
        cls.work = test.add_account("work", transport="udp", encryption="off")

    def make_phone(self, *arguments, **options):
        """A phone of the program, with these arguments and options of its class."""
        raise NotImplementedError

    def setUp(self):
        super().setUp()
        phone = self.make_phone(
            self.new_folder(self.user), self.user, self.server, password=PASSWORDS[self.user], frequency=FREQUENCY)
        # One that does not start is not stopped otherwise.
        self.addCleanup(phone.stop)
        self.phone = self.far_side(phone)
        self.phone.mark()

    def pressed(self):
        """The keys that the far side has pressed."""
        return "".join(re.findall("The far side has pressed (.)", self.system.read_log()[self.log_begin:]))

    def end_call(self, call):
        self.phone.mark()
        self.end(call).result()
        self.phone.wait_over()


class CallsWithPhone:
    """The tests of calls."""

    refusal = ("SIP 603", "rejected")
    """What it says when it declines: the code, and our word for it."""

    @proves("out")
    def test_we_call_and_end(self):
        call = self.call_out(self.phone)
        self.assertTalking(self.phone)
        self.end_call(call)
        self.assertEnding(call, "local-ended", origin="user")

    @proves("in")
    def test_it_calls_and_ends(self):
        call = self.call_in(self.phone)
        self.assertEqual(str(self.identity(call, "Handle")[1]), f"sip:{self.phone.user}@{DOMAIN}")
        self.phone.wait_established()
        self.assertTalking(self.phone)
        self.phone.hang_up()
        self.assertEnding(call, "remote-ended", origin="remote")

    @proves("reasons")
    def test_it_declines(self):
        call = self.dial(self.phone.user)
        self.phone.wait_incoming()
        self.phone.decline()
        self.assertEnding(call, "remote-ended", *self.refusal)

    @proves("reasons")
    def test_we_give_up(self):
        call = self.dial(self.phone.user)
        self.phone.wait_incoming()
        self.end_call(call)
        self.assertEnding(call, "local-ended")

    @proves("reasons")
    def test_we_decline(self):
        self.phone.dial("alice")
        call = self.wait_ringing()
        self.phone.mark()
        self.reject(call).result()
        self.assertEnding(call, "declined")
        self.phone.wait_over()

    @proves("reasons")
    def test_it_gives_up(self):
        self.phone.dial("alice")
        call = self.wait_ringing()
        self.phone.hang_up()
        self.assertEnding(call, "unanswered", origin="remote")


class HoldsOfPhone:
    """The tests of calls on hold."""

    @proves("hold")
    def test_we_hold_and_resume(self):
        call = self.call_out(self.phone)
        self.assertTalking(self.phone)
        self.hold(call).result()
        self.assertState(call, "held")
        wait_sound(self.phone.heard, absent=[500], may_stop=True)
        self.resume(call).result()
        self.assertTalking(self.phone)
        self.end_call(call)

    @proves("remote hold")
    def test_it_holds_and_resumes(self):
        call = self.call_out(self.phone)
        self.assertTalking(self.phone)
        self.phone.hold()
        self.wait_shown(call, "RemoteHeld", True)
        self.assertState(call, "active")
        self.phone.resume()
        self.wait_shown(call, "RemoteHeld", False)
        self.assertTalking(self.phone)
        self.end_call(call)


class KeysOfPhone:
    """The tests of touch tones."""

    @proves("DTMF")
    def test_keys_in_our_call(self):
        self.press_both_ways(self.call_out(self.phone, self.work))

    @proves("DTMF")
    def test_keys_in_its_call(self):
        call = self.call_in(self.phone, self.work, "work")
        self.phone.wait_established()
        self.press_both_ways(call)

    def press_both_ways(self, call):
        self.assertTalking(self.phone)
        self.phone.mark()
        self.system.call(call, CALL, "PlayDTMF", "s", "159#*0").result()
        wait_until(lambda: self.phone.digits() == "159#*0", lambda: f"it has {self.phone.digits()}", every=0.05)
        self.phone.press("159#*0")
        wait_until(lambda: self.pressed() == "159#*0", lambda: f"we have {self.pressed()}", every=0.05)
        self.after_keys(call)

    def after_keys(self, call):
        self.assertTalking(self.phone)
        self.end_call(call)


class TransfersOfPhone:
    """The tests of transfers."""

    @proves("transfer")
    def test_we_pass_it_on(self):
        dave = self.baresip("dave", is_automatic=True)
        call = self.call_out(self.phone)
        to = dbus.Struct(("generic", f"sip:dave@{DOMAIN}"), signature="ss")
        self.request([("transfer", {"call": dbus.ObjectPath(call), "to": to})]).result()
        self.assertEnding(call, "transferred")
        dave.wait_event("CALL_ESTABLISHED")
        self.phone.hang_up()
        dave.wait_event("CALL_CLOSED")

    @proves("transfer")
    def test_it_passes_us_on(self):
        dave = self.baresip("dave", is_automatic=True)
        call = self.call_out(self.phone)
        self.phone.transfer("dave")
        wait_until(lambda: "answer-transfer" in (self.system.shown(call, "Can") or []), "no transfer is asked for")
        to = self.identity(call, "TransferRequest")
        self.assertEqual(str(to[1]), f"sip:dave@{DOMAIN}")
        self.request([("answer-transfer", {"call": dbus.ObjectPath(call), "to": to})]).result()
        dave.wait_event("CALL_ESTABLISHED")
        self.assertState(call, "active")
        self.end(call).result()
