"""The base of the tests of SIP calls."""

from sip.case import SIPTest


class CallTest(SIPTest):
    """Two accounts: alice over TLS, work over UDP."""

    @classmethod
    def start_rig(cls):
        super().start_rig()
        test = cls.make()
        cls.alice = test.add_account("alice", encryption="off")
        cls.work = test.add_account("work", transport="udp", encryption="off")
