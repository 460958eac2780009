"""The base of tests and benchmarks that measure calls of the account `work`, which a caller reaches without the server."""

from sip.callers import contact
from sip.case import SIPTest
from support.system import ROOT


class MeasuredTest(SIPTest):
    needs_sound = True
    arguments = ("--deadline", "linger=1")

    @classmethod
    def start_rig(cls):
        super().start_rig()
        cls.work = cls.make().add_account("work", transport="udp", encryption="off", trace=False)
        cls.contact = contact(cls.server, "work")
        cls.worker = int(cls.system.shown(f"{ROOT}/plugins/SIP", "Pid"))
