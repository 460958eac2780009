"""Parts of the desktop are killed at random moments of calls, over and over (OPENCALLKIT_KILLS times each): no call is lost,
what rings is heard and shown again, and at the end nothing rings, is shown, or is quieter than before."""

import os

from desktop.kills import KILLS, KillsTest
from desktop.notification_servers import Dunst, noted_notifications
from desktop.ringing import write_tone
from support.provider import Provider
from support.waiting import wait_until


class AgentTests(KillsTest):
    def test_the_agent(self):
        self.start_desktop()
        for _ in range(KILLS):
            script = self.script()
            self.agent.kill()
            self.agent.wait()
            self.forget_unnoted()
            self.recording.wait_silent("a dead agent is heard")
            self.check_calls(script)
            self.start_agent()
            self.check_heard_and_shown(script)
            self.end_calls(script)

    def forget_unnoted(self):
        """Closes what was shown in the agent's last moment: it could not be noted, and stays until the user closes it."""
        self.system.sync(self.notifications.link)
        noted = noted_notifications(self.system)
        for number in set(self.notifications.shown) - noted:
            del self.notifications.shown[number]


class SoundServerTests(KillsTest):
    def test_the_sound_server(self):
        self.start_desktop()
        for _ in range(KILLS):
            script = self.script()
            self.recording.end()
            self.server.kill()
            self.check_calls(script)
            self.server.start()
            self.recording = self.server.record()
            self.check_heard_and_shown(script)
            self.end_calls(script)
        self.assertIsNone(self.agent.poll())


class NotificationServerTests(KillsTest):
    def test_the_notification_server(self):
        self.start_sound()
        self.alpha = Provider(self.system, "Alpha", "/alpha", ringtone_sound=self.tone)
        self.beta = Provider(self.system, "Beta", "/beta", ringtone_sound=self.tone)
        self.notifications = Dunst(self).start()
        for _ in range(KILLS):
            script = self.script()
            self.notifications.kill()
            self.check_calls(script)
            self.notifications.start()
            self.check_heard_and_shown(script)
            self.end_calls(script)
        self.assertIsNone(self.agent.poll())

    def wait_buttons(self, count, script):
        # One for each call that rings or goes on.
        self.notifications.wait_shown(len(self.calls))


class DaemonTests(KillsTest):
    def test_the_daemon(self):
        self.start_desktop()
        for _ in range(KILLS):
            script = self.script()
            self.system.daemon.kill()
            self.system.daemon.wait()
            self.recording.wait_silent(f"{script}: it rings without a daemon")
            self.wait_no_streams(script)
            self.wait_buttons(0, script)
            for provider in (self.alpha, self.beta):
                provider.vanish()
            wait_until(lambda: not self.system.owner, "the name is still owned")
            self.system.objects.clear()
            self.system.start_daemon()
            self.pid = self.system.daemon.pid
            self.alpha = Provider(self.system, "Alpha", "/alpha", ringtone_sound=self.tone)
            self.beta = Provider(self.system, "Beta", "/beta", ringtone_sound=self.tone)
            self.calls = [self.alpha.incoming()]
            self.check_heard_and_shown("ring")
            self.end_calls("ring")
        self.assertIsNone(self.agent.poll())


class PlayerTests(KillsTest):
    """A player without MPRIS, which is made quieter during calls."""

    def start_player(self):
        music = f"{self.system.folder.name}/music.wav"
        if not os.path.exists(music):
            write_tone(music, 300)
        self.player = self.spawn("mpv", "--no-config", "--load-scripts=no", "--ao=pulse", "--loop", "--no-terminal", music)
        wait_until(self.volume, "the player does not play", every=0.05)

    def volume(self):
        """How loud the player is, in the numbers of libpulse; None if it does not play."""
        for stream in self.streams():
            if stream["properties"]["application.name"] == "mpv":
                return {channel["value"] for channel in stream["volume"].values()}
        return None

    def end_calls(self, script):
        for call in self.calls:
            self.end(call).result()
        self.calls = []
        self.wait_no_streams(script)
        self.alpha.connects = True
        wait_until(lambda: self.volume() == {65_536}, lambda: f"{script}: the volume is {self.volume()}", every=0.05)

    def test_the_player(self):
        self.start_desktop()
        self.start_player()
        for _ in range(KILLS):
            script = self.script()
            self.player.kill()
            self.player.wait()
            self.check_calls(script)
            self.start_player()
            self.end_calls(script)
        self.assertIsNone(self.agent.poll())

    def test_the_agent_beside_a_player(self):
        self.start_desktop()
        self.start_player()
        for _ in range(KILLS):
            script = self.script()
            self.agent.kill()
            self.agent.wait()
            self.check_calls(script)
            self.start_agent()
            self.end_calls(script)
