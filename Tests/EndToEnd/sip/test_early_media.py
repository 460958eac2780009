"""What is heard before the answer: what the network plays as long as it plays, and otherwise the ringing tone once the
far side rings (RFC 3960, section 3.2). The desktop agent plays that while `Progress` is `alerting`.

WebTrit/webtrit_phone PR #1554, signalwire/freeswitch #2596.
"""

from sip.bystander import Bystander
from sip.hostile import HostileTest
from sip.rtp import RtpPeer
from sip.stranger import sound
from sip.test_unanswered import PACKET, port_of
from support.system import CALL
from support.waiting import wait_until


class EarlyMedia(HostileTest):
    def told(self, call):
        """The words that were told of the call, without repetitions and the end."""
        return [word for event in self.system.told("PropertiesChanged", CALL)
                if event.path == call and (word := str(event.arguments[1].get("Progress", "")))]

    def test_the_tone_does_not_play_over_what_the_network_plays(self):
        for code in (183, 180):
            with self.subTest(code):
                self.server.mark()
                far = self.far_side(RtpPeer())
                leg, call = self.dial_out()
                if code == 183:
                    leg.respond(183, body=sound(far.port))
                    self.wait_shown(call, "Progress", "early-media")
                for tag in ("", "", "other"):
                    leg.respond(180, tag=tag, body=sound(far.port) if code == 180 and not tag else "")
                self.wait_shown(call, "Progress", "early-media")
                leg.respond(200, body=sound(far.port))
                self.wait_state(call, "active")
                self.assertEqual(self.told(call)[-1], "early-media")
                self.assertEqual("alerting" in self.told(call), code == 180)
                self.end(call).result()

    def test_the_tone_plays_when_the_network_plays_nothing(self):
        for bodies in ((True, False), (False, True)):
            self.server.mark()
            nobody = self.far_side(Bystander())
            leg, call = self.dial_out()
            for code, has_body in zip((183, 180), bodies):
                leg.respond(code, body=sound(nobody.port) if has_body else "")
            self.wait_shown(call, "Progress", "alerting")
            nobody.send(PACKET, port_of(leg.invitation))
            self.wait_shown(call, "Progress", "early-media")
            # Nothing more comes.
            self.wait_shown(call, "Progress", "alerting")
            self.end(call).result()

    def test_of_several_phones_the_last_one_is_heard(self):
        first, second = self.far_side(RtpPeer()), self.far_side(RtpPeer())
        leg, call = self.dial_out()
        leg.respond(183, tag="first", body=sound(first.port))
        wait_until(lambda: first.count() > 0, "no way is opened", every=0.02)
        leg.respond(180, tag="second")
        leg.respond(183, tag="second", body=sound(second.port))
        wait_until(lambda: second.count() > 0, "no way is opened", every=0.02)
        self.wait_shown(call, "Progress", "early-media")
        leg.respond(200, tag="first", body=sound(first.port))
        self.wait_state(call, "active")
        count = first.count()
        wait_until(lambda: first.count() > count, "no sound comes", every=0.02)
        self.end(call).result()
