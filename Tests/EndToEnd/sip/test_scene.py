"""The scene: a SIP call is held because a mobile call is answered, and comes back after it, with its sound."""

import re

from cellular.at_modem import ACTIVE
from cellular.modems import ModemManager, ServiceBus
from cellular.modems import bundle as cellular_bundle
from sip.case import MICROPHONE, SIPTest
from sip.marks import interop
from sip.scripts import CALLED, Called, description, expect_request
from support.system import ROOT
from support.tones import wait_sound
from support.waiting import wait_until


class Scene(SIPTest):
    needs_sound = True

    @classmethod
    def start_rig(cls):
        super().start_rig()
        cls.alice = cls.make().add_account("alice")
        cls.services = cls.keep(ServiceBus(cls.system))
        cls.manager = cls.keep(ModemManager(cls.services).start())
        cls.modem, _ = cls.manager.plug()
        cls.mobile = wait_until(
            lambda: [path for path, values in cls.system.objects.items()
                     if path.startswith(f"{ROOT}/providers/Cellular") and values.get("Availability") == "online"],
            lambda: f"the modem is not online: {cls.system.read_log()}")[0]

    @classmethod
    def make_wrapper(cls):
        cellular_bundle(f"{cls.folder}/plugins")
        return ()

    def ring_mobile(self):
        self.modem.ring("+15550123")
        return wait_until(lambda: [path for path in self.calls(self.mobile)
                                   if self.system.shown(path, "State") == "ringing"], "the mobile does not ring")[0]

    @interop("sipp", "hold", "out")
    def test_answering_a_mobile_call_holds_the_sip_call_and_its_end_resumes_it(self):
        rtp = self.rtp(880)
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(488, "Not Acceptable Here"), expect_request("ACK"),
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            expect_request("INVITE"), Called.answer(200, "OK", description(rtp.port, "recvonly", 2), first=False),
            expect_request("ACK"), expect_request("INVITE"),
            Called.answer(200, "OK", description(rtp.port, "sendrecv", 3), first=False), expect_request("ACK"),
            expect_request("BYE"), Called.answer(200, "OK", first=False))
        script.frequency, script.heard = 880, rtp.heard
        sip = self.dial(script.user)
        self.wait_state(sip, "active")
        self.assertTalking(script)

        mobile = self.ring_mobile()
        self.assertState(sip, "active")
        self.answer(mobile).result()
        self.wait_state(mobile, "active")
        self.assertEqual((self.system.shown(sip, "State"), self.system.shown(sip, "HeldBy")), ("held", "arbiter"))
        self.assertIn("a=sendonly", script.received("INVITE")[2])
        self.assertTrue(self.modem.in_state(ACTIVE))
        self.wait_heard(absent=[880])
        wait_sound(rtp.heard, absent=[MICROPHONE], may_stop=True)
        self.manager.wait_in_call()

        self.end(mobile).result()
        self.wait_state(sip, "active")
        self.assertTalking(script)
        self.assertNotRegex(script.received("INVITE")[3], "a=(sendonly|inactive)")
        self.end(sip).result()
        script.wait_done()

    @interop("linphone", "hold")
    def test_the_same_with_a_phone_and_encrypted_sound(self):
        carol = self.linphone(transport="tls", encryption="srtp")
        sip = self.call_in(carol)
        self.assertTalking(carol)
        mobile = self.ring_mobile()
        carol.mark()
        self.answer(mobile).result()
        carol.wait_state("PausedByRemote")
        carol.mark()
        self.manager.wait_in_call()
        self.end(mobile).result()
        self.wait_state(sip, "active")
        carol.wait_state("StreamsRunning")
        self.assertTalking(carol)
        self.assertRegex(str(self.system.shown(sip, "Encryption")), re.compile("^srtp-"))

    def test_two_mobile_calls_and_a_sip_call_never_have_the_line_at_once(self):
        script = self.willing(880)
        sip = self.dial(script.user)
        self.wait_state(sip, "active")
        first = self.ring_mobile()
        self.answer(first).result()
        self.wait_state(sip, "held")
        self.resume(sip).result()
        self.wait_state(first, "held")
        self.wait_state(sip, "active")
        self.assertTalking(script)
        self.manager.wait_in_call()
        self.end(first).result()
