"""The demo of a mobile network: make demo-mobile."""

from support.demos import DemoTest


class Demo(DemoTest):
    def test_a_mobile_call_holds_a_call_of_hotline(self):
        self.assertTold("mobile.py", "1. You call", "Hotline call is active", "2. Your mobile", "Cellular call is active",
                        "3. A second", "the modem gets AT+CHLD=2", "4. You go back", "the modem gets AT+CHLD=2",
                        "5. You join", "the modem gets AT+CHLD=3", "6. You end", "Hotline call is active", "demo: done")
