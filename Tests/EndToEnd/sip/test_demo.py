"""The demo of a SIP account: make demo-sip."""

from support.demos import DemoTest


class Demo(DemoTest):
    def test_a_mobile_call_holds_a_sip_call(self):
        heard = "alice hears carol's 660 Hz, carol hears alice's 500 Hz"
        self.assertTold("sip_story.py", "1. Carol", "SIP call is active", "opus/48000, srtp-sdes; signalling over TLS", heard,
                        "2. Your mobile", "SIP call is held by the arbiter", "Cellular call is active",
                        "carol's phone says: paused by remote", "alice and carol hear each other no more",
                        "3. You end", "SIP call is active", heard, "4. You end", "SIP call is ended", "demo: done")
