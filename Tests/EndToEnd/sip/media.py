"""The base of the tests of the sound of SIP calls."""

from sip.case import SIPTest


class MediaTest(SIPTest):
    needs_sound = True

    def account_of(self, **settings):
        """An account for this test alone, whose user is alice."""
        account = self.add_account("alice", **{"transport": "tls", **settings})
        self.addCleanup(self.remove_account_and_calls, account)
        self.alice = account
        return account

    def remove_account_and_calls(self, account):
        for call in self.calls():
            self.end(call).wait()
        self.remove_account(account)

    def assertSound(self, call, codec, encryption):
        self.wait_shown(call, "Encryption", encryption)
        self.assertRegex(str(self.system.shown(call, "Codec")).lower(), f"^{codec.lower()}")
