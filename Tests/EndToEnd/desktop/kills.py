"""The base of the tests in which parts of the desktop are killed."""

import json
import os
import random

from desktop.notification_servers import ScriptedServer
from desktop.ringing import RingingTest
from support.provider import Provider
from support.waiting import let_pass, wait_until

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
