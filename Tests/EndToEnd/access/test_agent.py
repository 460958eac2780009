"""The desktop agent does nothing for an app that the daemon would refuse."""

import subprocess

from access.app import APP
from access.test_tiers import ACCESS, ACCESS1, AccessTest
from support.system import BUILD
from support.waiting import wait_until

PLAYER = "org.mpris.MediaPlayer2.opencallkit"
PLAYER1 = "org.mpris.MediaPlayer2.Player"


class AgentTests(AccessTest):
    def test_an_app_that_controls_players_controls_no_calls(self):
        self.start_agent()
        remote = self.sandbox(names=[PLAYER]).connect()
        call = self.ring()
        self.wait_player()

        def press(member):
            return self.system.call("/org/mpris/MediaPlayer2", PLAYER1, member, name=PLAYER, connection=remote).wait()
        for member in ("PlayPause", "Play", "Pause", "Stop"):
            refused = press(member)
            self.assertEqual(refused.error_name, "org.freedesktop.DBus.Error.AccessDenied", refused.error_text)
        self.assertState(call, "ringing")
        self.grant("control")
        press("PlayPause").result()
        self.wait_state(call, "active")

    def start_agent(self):
        agent = subprocess.Popen(
            [f"{BUILD}/callkit-desktop", "--deadline", "key=1"], env=self.system.environment)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        wait_until(lambda: self.system.bus.name_has_owner("org.opencallkit.Desktop1"), "there is no agent", every=0.02)

    def wait_player(self):
        wait_until(lambda: self.system.bus.name_has_owner(PLAYER), "there is no player", every=0.02)


class HasTierTests(AccessTest):
    def has(self, client, tier):
        return self.system.call(ACCESS, ACCESS1, "HasTier", "ss", client, tier)

    def test_who_has_which_tier(self):
        program, app = self.system.bus.get_unique_name(), self.client.get_unique_name()
        for tier in ("control", "identity", "administer"):
            self.assertTrue(self.has(program, tier).result())
            self.assertFalse(self.has(app, tier).result())
        self.grant("control")
        self.assertTrue(self.has(app, "control").result())
        self.assertFalse(self.has(app, "identity").result())
        # One that has asked for nothing yet.
        self.assertTrue(self.has(self.system.connect().get_unique_name(), "control").result())
        self.assertFalse(self.has(":1.99999", "control").result())
        self.assertRefused(self.has("org.example.Phone", "control"), "InvalidArguments")
        self.assertRefused(self.has(program, "everything"), "InvalidArguments")
        self.assertDenied(self.ask(ACCESS, ACCESS1, "HasTier", "ss", program, "control"), "call Access1.HasTier",
                          "administer")
        self.assertIn(APP, self.system.call(ACCESS, ACCESS1, "Apps").result())
