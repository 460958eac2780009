"""Calls of the plugin SIP with real phones and with scripted far sides, through a real server."""

import re
import signal

from sip.calls import CallTest
from sip.certificates import DOMAIN
from sip.marks import interop
from sip.scripts import CALLED, Called, Calling, description, expect_request, expect_response, pause
from support.system import CALL
from support.tones import wait_sound
from support.waiting import wait_until


class Calls(CallTest):
    @interop("baresip", "out")
    @interop("Kamailio", "out")
    def test_a_call_out_that_we_end(self):
        bob = self.baresip()
        call = self.call_out(bob)
        self.assertIn("alice", bob.told("CALL_INCOMING")[0][1])
        self.end(call).result()
        self.assertEnding(call, "local-ended", origin="user")
        bob.wait_event("CALL_CLOSED")
        self.assertEqual(self.system.states(call), ["starting", "started", "connecting", "active", "ending", "ended"])

    @interop("baresip", "in")
    @interop("Kamailio", "in")
    def test_a_call_in_that_the_far_side_ends(self):
        bob = self.baresip()
        bob.dial("alice")
        call = self.wait_ringing()
        self.assertEqual(tuple(map(str, self.identity(call, "Handle"))), ("generic", f"sip:bob@{DOMAIN}"))
        self.answer(call).result()
        self.wait_state(call, "active")
        bob.wait_event("CALL_ESTABLISHED")
        bob.hang_up()
        self.assertEnding(call, "remote-ended", origin="remote")

    def test_a_call_out_that_the_far_side_ends(self):
        bob = self.baresip()
        call = self.call_out(bob, self.work)
        bob.hang_up()
        self.assertEnding(call, "remote-ended", origin="remote")

    def test_a_caller_who_gives_up(self):
        bob = self.baresip()
        bob.dial("alice")
        call = self.wait_ringing()
        bob.hang_up()
        self.assertEnding(call, "unanswered", origin="remote")

    def test_a_call_that_is_ended_before_it_is_answered(self):
        bob = self.baresip()
        call = self.dial("bob")
        bob.wait_incoming()
        self.end(call).result()
        self.assertEnding(call, "local-ended", origin="user")
        bob.wait_event("CALL_CLOSED")

    @interop("baresip", "reasons")
    def test_a_call_that_is_declined(self):
        bob = self.baresip()
        bob.dial("work")
        call = self.wait_ringing(self.work)
        self.reject(call).result()
        self.assertEnding(call, "declined", origin="user")
        self.assertRegex(bob.wait_event("CALL_CLOSED"), "^(486|603)")

    @interop("baresip", "reasons")
    def test_a_phone_that_declines(self):
        bob = self.baresip()
        call = self.dial("bob")
        bob.wait_incoming()
        bob.hang_up()
        self.assertEnding(call, "remote-ended", "SIP 486", "busy")

    def test_twenty_calls_one_after_the_other(self):
        bob = self.baresip(is_automatic=True)
        for _ in range(20):
            call = self.dial("bob", self.work)
            self.wait_state(call, "active")
            self.end(call).result()
            self.assertEnding(call, "local-ended")


class Reasons(CallTest):
    @interop("Kamailio", "reasons")
    def test_what_the_network_says_when_a_call_fails(self):
        for user, code, reason, detail in (
                ("busy", 486, "remote-ended", "busy"), ("decline", 603, "remote-ended", "rejected"),
                ("away", 480, "unanswered", ""), ("nobody", 404, "failed", "not-found"),
                ("forbidden", 403, "failed", "forbidden"), ("broken", 500, "failed", "")):
            with self.subTest(user):
                call = self.dial(user)
                self.assertEnding(call, reason, f"SIP {code}", detail)

    @interop("sipp", "in", "reasons")
    def test_a_call_that_was_answered_elsewhere(self):
        for header, reason in (('Reason: SIP;cause=200;text="Call completed elsewhere"', "answered-elsewhere"),
                               ("Reason: Q.850;cause=26", "answered-elsewhere"),
                               ("Reason: SIP;cause=603", "declined-elsewhere"), ("Subject: none", "unanswered")):
            with self.subTest(header):
                before = set(self.system.objects)
                # The server answers the CANCEL itself, before or after it passes the 487 on.
                script = self.sipp(
                    Calling.invite("alice", description(9_000)), expect_response(100, optional=True),
                    expect_response(180), pause(1.0), Calling.cancel("alice", header), expect_response(200, optional=True),
                    expect_response(487), Calling.acknowledge_refusal("alice"), server=self.server)
                # It may have ended before anybody looks.
                call = wait_until(lambda: [path for path, values in self.system.objects.items()
                                           if path not in before and "Direction" in values], "no call comes")[0]
                self.assertEnding(call, reason)
                script.wait_done()

    @interop("sipp", "out", "reasons")
    def test_the_far_side_says_why_it_hangs_up(self):
        rtp = self.rtp()
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            Called.request("BYE", 1, 'Reason: Q.850;cause=16;text="Normal call clearing"'), expect_response(200))
        call = self.dial(script.user)
        self.assertEnding(call, "remote-ended", "Q.850 16", origin="remote")
        script.wait_done()


class Progress(CallTest):
    @interop("sipp", "out")
    def test_how_far_a_call_has_come(self):
        rtp = self.rtp()
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(181, "Call Is Being Forwarded"), pause(0.3),
            Called.answer(182, "Queued"), pause(0.3), Called.answer(180, "Ringing"), pause(0.3),
            Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"), expect_request("BYE"),
            Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_state(call, "active")
        told = [str(event.arguments[1]["Progress"]) for event in self.system.told("PropertiesChanged", CALL)
                if event.path == call and "Progress" in event.arguments[1]]
        self.assertEqual([word for word in told if word], ["trying", "forwarded", "queued", "alerting"])
        self.end(call).result()
        script.wait_done()

    def test_a_far_side_that_never_answers_is_given_up_by_the_user(self):
        script = self.sipp(expect_request("INVITE", CALLED), Called.answer(180, "Ringing"), expect_request("CANCEL"),
                           Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_shown(call, "Progress", "alerting")
        self.end(call).result()
        self.assertEnding(call, "local-ended")
        script.wait_received("CANCEL")


class Identities(CallTest):
    def ring(self, *headers, caller='"Carol" <sip:carol@elsewhere.test>'):
        """A call that rings, with these headers. Returns it and the script."""
        script = self.sipp(
            Calling.invite("alice", description(9_000), *headers, caller=caller), expect_response(100, optional=True),
            expect_response(180), expect_response(603), Calling.acknowledge_refusal("alice", caller),
            server=self.server)
        return self.wait_ringing(), script

    def show(self, call, *names):
        values = [self.identity(call, name) for name in names]
        return [tuple(map(str, value)) if isinstance(value, tuple) else str(value) for value in values]

    def test_who_calls(self):
        for caller, handle, name in (
                ('"Carol" <sip:carol@elsewhere.test>', ("generic", "sip:carol@elsewhere.test"), "Carol"),
                ("<sip:+46701234567@elsewhere.test;user=phone>", ("phone-number", "+46701234567"), ""),
                ('"Anonymous" <sip:anonymous@anonymous.invalid>', ("", ""), "")):
            with self.subTest(caller):
                call, _ = self.ring(caller=caller)
                self.assertEqual(self.show(call, "Handle", "NetworkName"), [handle, name])
                self.reject(call).result()
                self.assertEnding(call, "declined")

    def test_what_the_server_vouches_for(self):
        verified = "sip:+46701112233@phones.test;user=phone;verstat=TN-Validation-Passed"
        call, _ = self.ring(f'P-Asserted-Identity: "Anna" <{verified}>',
                            "Diversion: <sip:+46709998877@phones.test;user=phone>;reason=no-answer")
        self.assertEqual(self.show(call, "Handle", "NetworkName", "DivertedBy", "Verification"),
                         [("phone-number", "+46701112233"), "Anna", ("phone-number", "+46709998877"), "passed"])
        self.reject(call).result()

    def test_a_name_that_is_hostile(self):
        call, _ = self.ring(caller='"' + "A" * 400 + ' \u202e" <sip:carol@elsewhere.test>')
        self.assertLessEqual(len(self.show(call, "NetworkName")[0].encode()), 256)
        self.reject(call).result()


class Talking(CallTest):
    needs_sound = True

    @interop("baresip", "DTMF")
    def test_touch_tones_both_ways(self):
        bob = self.baresip()
        call = self.call_out(bob)
        self.assertTalking(bob)
        bob.mark()
        self.system.call(call, CALL, "PlayDTMF", "s", "159#*0").result()
        wait_until(lambda: bob.digits() == "159#*0", lambda: f"baresip has {bob.digits()}", every=0.05)

    @interop("sipp", "DTMF")
    def test_touch_tones_are_events_of_the_right_length(self):
        rtp = self.rtp()
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"),
            expect_request("BYE"), Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_state(call, "active")
        self.system.call(call, CALL, "PlayDTMF", "s", "47").result()
        wait_until(lambda: rtp.keys() == "47", lambda: f"{rtp.keys()}", every=0.05)

        def ends():
            return [payload for kind, _, payload, _ in list(rtp.packets) if kind >= 96 and payload[1] & 0x80]
        wait_until(lambda: len(ends()) >= 6, "each end is sent three times", every=0.02)
        self.assertTrue(all(int.from_bytes(payload[2:4], "big") >= 400 for payload in ends()), "shorter than 50 ms")
        self.end(call).result()
        script.wait_done()

    @interop("linphone", "DTMF")
    def test_linphone_gets_touch_tones(self):
        carol = self.linphone()
        call = self.call_out(carol)
        self.assertTalking(carol)
        carol.mark()
        self.system.call(call, CALL, "PlayDTMF", "s", "5").result()
        carol.wait_logged(r"[Rr]eceiv\w* dtmf|DTMF received|dtmf.*5|telephone.event")

    def test_mute_is_silence_at_the_far_side(self):
        bob = self.baresip()
        call = self.call_out(bob)
        self.assertTalking(bob)
        self.mute(call).result()
        wait_sound(bob.heard, absent=[500])
        self.wait_heard(bob.frequency)
        self.mute(call, False).result()
        self.assertTalking(bob)

    def test_three_in_a_conference_hear_each_other(self):
        first, second = self.willing(440), self.willing(880)
        calls = [self.call_script(script) for script in (first, second)]
        self.wait_state(calls[0], "held")
        self.group(*calls).result()
        self.wait_state(calls[0], "active")
        self.wait_heard(440, 880, absent=[500])
        wait_sound(first.heard, [880, 500], [440])
        wait_sound(second.heard, [440, 500], [880])

    def test_a_waiting_call_of_the_other_account(self):
        bob, dave = self.baresip("bob", frequency=440), self.baresip("dave", frequency=880)
        first = self.call_out(bob)
        dave.dial("work")
        second = self.wait_ringing(self.work)
        self.answer(second).result()
        self.wait_state(second, "active")
        self.assertEqual((self.system.shown(first, "State"), self.system.shown(first, "HeldBy")), ("held", "arbiter"))
        self.wait_heard(880, absent=[440])
        dave.hang_up()
        self.assertEnding(second, "remote-ended")
        self.resume(first).result()
        self.wait_heard(440, absent=[880])

    def test_swap(self):
        bob, dave = self.baresip("bob", frequency=440), self.baresip("dave", frequency=880)
        first, second = self.call_out(bob), self.call_out(dave)
        self.wait_state(first, "held")
        for _ in range(2):
            self.resume(first).result()
            self.wait_state(second, "held")
            self.wait_heard(440, absent=[880])
            self.resume(second).result()
            self.wait_state(first, "held")
            self.wait_heard(880, absent=[440])

    @interop("sipp", "out")
    def test_early_media_is_heard_before_the_answer(self):
        rtp = self.rtp(1000)
        script = self.sipp(
            expect_request("INVITE", CALLED), Called.answer(183, "Session Progress", description(rtp.port)), pause(8),
            Called.answer(200, "OK", description(rtp.port)), expect_request("ACK"), expect_request("BYE"),
            Called.answer(200, "OK", first=False))
        call = self.dial(script.user)
        self.wait_shown(call, "Progress", "early-media")
        # It does not answer before this was looked at, however long that takes.
        script.process.send_signal(signal.SIGSTOP)
        rtp.target = ("127.0.0.1", int(re.search(r"m=audio (\d+)", script.received("INVITE")[0])[1]))
        self.wait_heard(1000)
        self.assertState(call, "connecting")
        self.assertLess(rtp.strength(500), 150, "the microphone is heard before the answer")
        script.process.send_signal(signal.SIGCONT)
        self.wait_state(call, "active")
        self.end(call).result()
        script.wait_done()
