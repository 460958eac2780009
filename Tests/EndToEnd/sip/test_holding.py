"""Calls of the plugin SIP on hold: what either side says, hears and shows."""

import re

from sip.calls import CallTest
from sip.marks import interop
from sip.scripts import CALLED, Called, description, expect_request, expect_response, pause
from support.tones import wait_sound


class Holding(CallTest):
    needs_sound = True

    @interop("baresip", "hold")
    @interop("Kamailio", "hold")
    def test_hold_and_resume_a_phone(self):
        bob = self.baresip()
        call = self.call_out(bob)
        self.assertTalking(bob)
        bob.mark()
        self.hold(call).result()
        self.assertState(call, "held")
        bob.wait_event("CALL_REMOTE_SDP")
        self.wait_heard(absent=[bob.frequency])
        self.resume(call).result()
        self.wait_heard(bob.frequency)

    def test_while_it_is_held_nothing_of_the_microphone_is_sent(self):
        script = self.willing()
        call = self.call_script(script)
        self.assertTalking(script)
        self.hold(call).result()
        wait_sound(script.heard, absent=[500], may_stop=True)
        self.wait_heard(absent=[script.frequency])
        self.resume(call).result()
        self.assertTalking(script)

    @interop("linphone", "in", "hold")
    def test_linphone_is_held(self):
        carol = self.linphone()
        call = self.call_in(carol)
        self.assertTalking(carol)
        self.hold(call).result()
        carol.wait_state("PausedByRemote")
        carol.mark()
        self.resume(call).result()
        carol.wait_state("StreamsRunning")
        self.assertTalking(carol)

    @interop("linphone", "out", "remote hold")
    @interop("Kamailio", "remote hold")
    def test_linphone_holds(self):
        carol = self.linphone()
        call = self.call_out(carol)
        carol.hold()
        self.wait_shown(call, "RemoteHeld", True)
        self.assertState(call, "active")
        carol.resume()
        self.wait_shown(call, "RemoteHeld", False)
        self.assertTalking(carol)
        carol.hang_up()
        self.assertEnding(call, "remote-ended")

    @interop("baresip", "remote hold")
    def test_baresip_holds(self):
        bob = self.baresip()
        call = self.call_in(bob, self.work, "work")
        bob.hold()
        self.wait_shown(call, "RemoteHeld", True)
        bob.resume()
        self.wait_shown(call, "RemoteHeld", False)
        self.wait_heard(bob.frequency)

    @interop("sipp", "hold")
    def test_what_a_hold_says(self):
        rtp = self.rtp()
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            expect_request("INVITE"), Called.answer(200, "OK", description(rtp.port, "recvonly", 2), first=False),
            expect_request("ACK"), expect_request("INVITE"),
            Called.answer(200, "OK", description(rtp.port, "sendrecv", 3), first=False), expect_request("ACK"),
            expect_request("BYE"), Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_state(call, "active")
        self.hold(call).result()
        self.resume(call).result()
        self.end(call).result()
        script.wait_done()
        directions = [(re.search(r"a=(sendrecv|sendonly|recvonly|inactive)", text) or ["", "sendrecv"])[1]
                      for text in script.received("INVITE")]
        self.assertEqual(directions, ["sendrecv", "sendonly", "sendrecv"])
        versions = [int(re.search(r"o=\S+ \d+ (\d+)", text)[1]) for text in script.received("INVITE")]
        self.assertEqual(versions, sorted(set(versions)), "each description has a higher version")

    def test_a_hold_that_the_far_side_refuses(self):
        rtp = self.rtp()
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            expect_request("INVITE"), Called.answer(488, "Not Acceptable Here", first=False), expect_request("ACK"),
            expect_request("BYE"), Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_state(call, "active")
        self.assertRefused(self.hold(call), "ActionFailed")
        self.assertState(call, "active")
        self.end(call).result()
        script.wait_done()

    @interop("sipp", "remote hold")
    def test_a_far_side_that_holds_in_each_way(self):
        rtp = self.rtp()
        steps = []
        for number, (direction, address) in enumerate((("sendonly", "[media_ip]"), ("inactive", "[media_ip]"),
                                                       ("sendrecv", "0.0.0.0"), ("sendrecv", "[media_ip]"))):
            body = description(rtp.port, direction, number + 2, host=address)
            steps += [pause(0.4), Called.request("INVITE", number + 1, body=body),
                      expect_response(100, optional=True), expect_response(200), Called.request("ACK", number + 1)]
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            *steps, expect_request("BYE"), Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_shown(call, "RemoteHeld", True)
        self.wait_shown(call, "RemoteHeld", False)
        self.end(call).result()
        script.wait_done()


    @interop("linphone", "reasons")
    def test_linphone_is_declined_and_declines(self):
        carol = self.linphone()
        carol.dial("alice")
        call = self.wait_ringing()
        self.reject(call).result()
        self.assertEnding(call, "declined")
        carol.wait_state("Error|End")
        carol.mark()
        call = self.dial("carol")
        carol.wait_incoming()
        carol.hang_up()
        self.assertEnding(call, "remote-ended", "SIP 603", "rejected")
