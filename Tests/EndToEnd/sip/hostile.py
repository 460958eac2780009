"""The base of the tests of hostile SIP servers and far sides."""

import os

from sip.case import SIPTest
from sip.stranger import Leg, Stranger, sound
from support.waiting import wait_until


class HostileTest(SIPTest):
    """Accounts of a server that the test is itself: alice over UDP, work over TCP."""

    @classmethod
    def start_rig(cls):
        super().start_rig()
        test = cls.make()
        cls.alice = test.add_account("alice", transport="udp", encryption="off", trace=False)
        cls.work = test.add_account("work", transport="tcp", encryption="off", trace=False)

    @classmethod
    def start_server(cls, certificate, **options):
        return cls.keep(Stranger().start())

    def setUp(self):
        super().setUp()
        self.rejected = set()

    def tearDown(self):
        try:
            self.assertWorks()
            wait_until(lambda: not self.calls(), lambda: f"calls stay: {self.calls()}")
        finally:
            super().tearDown()

    def assertWorks(self):
        """Asserts that a call comes in, is answered, and ends."""
        leg, call = self.talk()
        leg.ask("BYE", 200)
        wait_until(lambda: self.system.shown(call, "State") in ("ended", None), "the call does not end")

    def ring(self, *headers, **options):
        """A call that comes in and rings."""
        leg = Leg(self.server, options.pop("user", "alice"), caller=f"caller{next(self.server.serial)}")
        leg.request("INVITE", *headers, body=options.pop("body", sound(40000)), **options)
        call = leg.insist(lambda: self.find_ringing(leg), lambda: f"nothing rings: {self.server.messages}", 20)[-1]
        return leg, call

    def find_ringing(self, leg):
        """The call of the leg if it rings. Others that ring are late ones of a flood, which leave no room for it."""
        ringing = [path for path in self.calls() if self.system.shown(path, "State") == "ringing"]
        mine = [path for path in ringing if self.is_from(path, leg)]
        for path in ringing:
            if path not in mine and path not in self.rejected:
                self.rejected.add(path)
                self.reject(path)
        return mine

    def is_from(self, call, leg):
        return f"<{self.identity(call, 'Handle')[1]}>" == leg.ours

    def talk(self, port=40000):
        """A call that comes in and is answered."""
        leg, call = self.ring(body=sound(port))
        pending = self.answer(call)
        self.answered = leg.wait(200, "INVITE")
        leg.request("ACK")
        pending.result()
        self.wait_state(call, "active")
        return leg, call

    def dial_out(self, whom="bob"):
        """A call that goes out, and whose INVITE has come."""
        call = self.dial(whom)
        invite = self.server.wait_request("INVITE")
        return Leg(self.server, invite=invite), call

    def worker(self):
        """The process that has loaded the plugin, out of the folder of this class."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
                    found += [int(pid)] if f"{self.folder}/plugins" in maps.read() else []
            except OSError:
                continue
        self.assertEqual(len(found), 1, "not one worker")
        return found[0]

    def resident(self):
        """The resident memory of the plugin's worker, in KiB."""
        with open(f"/proc/{self.worker()}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
