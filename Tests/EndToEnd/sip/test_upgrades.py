"""New versions of the plugin SIP in calls: none is lost that need not be, and the far side is told of each that is."""

from plugins.case import PluginTest
from sip.case import SIPTest
from support.case import TORTURE
from support.system import PLUGIN, ROOT
from support.waiting import wait_until

UPGRADES = 100 if TORTURE else 4
PATH = f"{ROOT}/plugins/SIP"


class Upgrades(SIPTest):
    needs_sound = True

    def told_of(self, key):
        return self.system.shown(PATH, key)

    def test_upgrades_in_calls(self):
        self.alice = account = self.add_account("alice", encryption="off")
        provider, bob = self.provider(account), self.baresip()
        folder = f"{self.folder}/plugins"
        for number in range(1, UPGRADES + 1):
            pid = self.told_of("Pid")
            call = self.call_in(bob) if number % 2 else self.call_out(bob)
            bob.wait_event("CALL_ESTABLISHED")
            PluginTest.place_bundle(self, "SIP", f"{folder}/SIP.callplugin", number, folder)
            wait_until(lambda: self.told_of("Upgrade") == "waiting",
                       lambda: f"its upgrade is {self.told_of('Upgrade')}: {self.told_of('UpgradeError')}", every=0.02)
            self.assertEqual((self.system.shown(call, "State"), self.told_of("Pid")), ("active", pid))
            if number % 3 == 2:
                self.system.call(PATH, PLUGIN, "Restart").result()
                self.assertEnding(call, "provider-restarted")
            elif number % 3:
                self.end(call).result()
                self.assertEnding(call, "local-ended")
            else:
                bob.hang_up()
                self.assertEnding(call, "remote-ended")
            bob.wait_event("CALL_CLOSED")
            wait_until(lambda old=pid: self.told_of("Pid") not in (0, old) and self.told_of("Version") == str(number),
                       "it does not take over")
            # What it was before is shown until the new worker has registered it.
            wait_until(lambda: (self.system.shown(provider, "State"), self.system.shown(provider, "Availability"))
                       == ("ready", "online"), lambda: f"it is not online: {self.standing(account)}")
            self.assertEqual(self.provider(account), provider)
        self.assertEqual([event.path for event in self.system.told("InterfacesRemoved", provider)], [])
        self.remove_account(account)
