"""The other pages: whom to call, who has called, whom not to hear."""

from phone.case import APPLICATION, PHONE, PHONE_PATH, PhoneTest
from support.messages import variants
from support.system import DIRECTORY, IDENTITY, ROOT, RULES1, SYSTEM
from support.waiting import wait_until

NUMBER = "+12015550123"


class PageTests(PhoneTest):
    def setUp(self):
        super().setUp()
        self.wait_store()

    def wait_call(self):
        return wait_until(lambda: next((path for path, values in self.system.objects.items()
                                        if "/calls/" in path and values.get("State") not in (None, "ended")), None),
                          "no call")

    def test_the_keypad_says_how_a_number_is_read_and_calls_it(self):
        self.type("Number or address", "+1 201-555-0123")
        self.wait_said(f"Calls {NUMBER} with ")
        self.press("Call", "button")
        call = self.wait_call()
        self.assertIn("2015550123", str(self.system.get_all(call, IDENTITY)["Handle"][1]).replace("-", ""))
        self.wait_state(call, "active")
        self.press("Hang Up")
        self.assertEnded(call, "local-ended", "user")

    def test_a_missed_call_is_called_back(self):
        missed = self.simulate_incoming("MonkeyCall", handle=f"tel:{NUMBER}", name="Ann")
        self.wait_seen("Decline", "button")
        self.simulate_remote_end("MonkeyCall", missed)
        self.wait_seen("Call Ann", "button")
        self.wait_said("Missed · ")
        self.turn_to("Recents")
        self.press("Call Ann")
        call = self.wait_call()
        self.wait_state(call, "active")
        self.press("Hang Up")
        self.assertEnded(call, "local-ended", "user")

    def test_a_number_is_blocked_and_unblocked(self):
        self.turn_to("Settings")
        self.type("Number to block", NUMBER)
        self.press("Block")
        wait_until(lambda: self.system.call(DIRECTORY, RULES1, "Blocked").result() == [NUMBER], "it is not blocked",
                   every=0.1)
        self.press(f"Unblock {NUMBER}")
        wait_until(lambda: self.system.call(DIRECTORY, RULES1, "Blocked").result() == [], "it is blocked", every=0.1)

    def test_do_not_disturb_follows_and_is_followed(self):
        self.turn_to("Settings")
        self.press("Do Not Disturb", "switch", "toggle button", "check box")
        wait_until(lambda: self.system.get(ROOT, SYSTEM, "DoNotDisturb"), "it is off", every=0.1)

    def test_a_link_fills_the_keypad_and_calls_nobody(self):
        self.system.call(PHONE_PATH, APPLICATION, "Open", "asa{sv}", [f"tel:{NUMBER}"], variants({}), name=PHONE)
        self.wait_said(f"Calls {NUMBER} with ")
        self.assertFalse([path for path in self.system.objects if "/calls/" in path])
