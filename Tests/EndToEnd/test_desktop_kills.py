"""Parts of the desktop are killed at random moments of calls, over and over (OPENCALLKIT_KILLS times each): no call is lost,
what rings is heard and shown again, and at the end nothing rings, is shown, or is quieter than before."""

import json
import os
import random
import unittest

from notification_servers import Dunst, ScriptedServer, noted_notifications
from provider import Provider
from test_desktop_ringing import RingingTest, write_tone
from waiting import let_pass, wait_until

KILLS = int(os.environ.get("OPENCALLKIT_KILLS", "5"))
SEED = int(os.environ.get("OPENCALLKIT_SEED") or 1)
LATEST = 0.15
"""A kill comes at most so many seconds after the beginning of a script: most things happen in the first tenth."""


class KillsTest(RingingTest):
    """Each script begins calls, and asks for what a person does, without waiting; then comes the kill."""

    deadlines = {"linger": 1}

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        print(f"kills: {KILLS} of them, seed {SEED}", flush=True)
        self.calls = []
        self.requests = []

    def start_desktop(self):
        self.start_sound()
        self.notifications = ScriptedServer(self)
        self.alpha = Provider(self.system, "Alpha", "/alpha", ringtone_sound=self.tone)
        self.beta = Provider(self.system, "Beta", "/beta", ringtone_sound=self.tone)

    def script(self):
        """Begins calls. `calls` has those that must live on."""
        self.requests = []
        name = self.random.choice(["ring", "answer", "reject", "alert", "wait", "hold"])
        if name == "alert":
            self.alpha.connects = False
            call = self.start_call("generic:far").result()
            self.requests.append(self.alpha.update(call, progress="alerting"))
            self.calls = [call]
        elif name in ("wait", "hold"):
            first = self.alpha.active()
            second = self.beta.report_incoming().result()
            self.calls = [first, second]
            if name == "hold":
                self.requests.append(self.answer(second))
        else:
            call = self.alpha.report_incoming().result()
            self.calls = [call] if name != "reject" else []
            if name != "ring":
                let_pass(self.random.uniform(0, LATEST / 2))
                self.requests.append(self.answer(call) if name == "answer" else self.reject(call))
        let_pass(self.random.uniform(0, LATEST))
        return name

    def check_calls(self, script):
        """Asserts that all requests were carried out, and every call is as if nothing had happened."""
        for request in self.requests:
            request.result()
        states = {"ring": ["ringing"], "answer": ["active"], "reject": [], "alert": ["started"],
                  "wait": ["active", "ringing"], "hold": ["held", "active"]}[script]
        wait_until(lambda: self.states() == states, lambda: f"{script}: {self.states()}, not {states}", every=0.02)

    def states(self):
        return [self.system.shown(call, "State") for call in self.calls]

    def check_heard_and_shown(self, script):
        if script in ("ring", "alert", "wait"):
            self.recording.wait_loud(f"{script}: nothing is heard")
        else:
            self.recording.wait_silent(f"{script}: it goes on ringing")
        self.wait_buttons(1 if script in ("ring", "wait") else 0, script)

    def wait_buttons(self, count, script):
        """Waits until so many notifications have a button to answer."""
        def shown():
            return [each for each in self.notifications.shown.values()
                    if any("answer" in action for action in each.actions)]
        wait_until(lambda: len(shown()) == count, lambda: f"{script}: {shown()}, not {count}")

    def end_calls(self, script):
        for call in self.calls:
            self.end(call).result()
        self.calls = []
        self.recording.wait_silent(f"{script}: it goes on ringing after the end")
        self.wait_no_streams(script)
        self.wait_buttons(0, script)
        self.alpha.connects = True

    def streams(self):
        return json.loads(self.server.pactl("-f", "json", "list", "sink-inputs"))

    def wait_no_streams(self, script=""):
        """Waits until no stream of the agent is left."""
        def ours():
            return [stream for stream in self.streams() if stream["properties"]["application.name"] == "OpenCallKit"]
        wait_until(lambda: not ours(), lambda: f"{script}: {ours()}", every=0.05)


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
        self.notifications.wait_shown(count)


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


if __name__ == "__main__":
    unittest.main()
