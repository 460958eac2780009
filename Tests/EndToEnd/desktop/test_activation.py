"""The session's agent is started by the first call that rings, and calls do not wait for it."""

import os
import signal
import stat
import tempfile
import time

from desktop.case import DESKTOP, DesktopTest
from desktop.notification_servers import ScriptedServer
from support.provider import Provider
from support.system import BUILD
from support.waiting import wait_gone, wait_until


class ActivationTest(DesktopTest):
    agent_program = f"{BUILD}/callkit-desktop"
    """What the bus starts; "" = there is no service file."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-services-")
        self.addCleanup(folder.cleanup)
        self.services = folder.name
        self.starts = f"{folder.name}/starts"
        if self.agent_program:
            script = f"{folder.name}/agent"
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho $$ >> {self.starts}\nexec {self.agent_program}\n")
            os.chmod(script, stat.S_IRWXU)
            with open(f"{folder.name}/{DESKTOP}.service", "w", encoding="utf-8") as file:
                file.write(f"[D-BUS Service]\nName={DESKTOP}\nExec={script}\n")
        self.addCleanup(self.end_started)
        super().setUp()

    def started(self):
        """The process numbers of the agents that the bus has started."""
        try:
            with open(self.starts, encoding="ascii") as file:
                return [int(line) for line in file.read().split()]
        except FileNotFoundError:
            return []

    def wait_started(self, count=1):
        wait_until(lambda: len(self.started()) == count, lambda: f"started: {self.started()}", every=0.02)
        return self.started()[-1]

    def end_started(self):
        for pid in self.started():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class FirstRingTests(ActivationTest):
    def test_the_first_ringing_call_starts_the_agent_which_shows_it(self):
        server = ScriptedServer(self)
        alpha = Provider(self.system)
        self.assertFalse(self.system.bus.name_has_owner(DESKTOP))
        call = alpha.incoming()
        self.wait_name(DESKTOP)
        shown = server.wait_shown()
        self.assertIn("answer", shown.actions)
        server.press(shown, "answer")
        self.wait_state(call, "active")
        self.assertEqual(len(self.started()), 1)

    def test_outgoing_calls_start_no_agent(self):
        Provider(self.system)
        call = self.start_call("generic:far").result()
        self.end(call).result()
        self.system.sync()
        # The bus would have begun to start it before it answers this.
        self.assertFalse(self.system.bus.name_has_owner(DESKTOP))
        self.assertEqual(self.started(), [])

    def test_it_is_started_once_in_30_seconds(self):
        alpha = Provider(self.system)
        call = alpha.incoming()
        pid = self.wait_started()
        self.wait_name(DESKTOP)
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid)
        self.wait_name(DESKTOP, owned=False)
        for _ in range(3):
            self.reject(call).result()
            call = alpha.incoming()
        self.system.sync()
        self.assertEqual(len(self.started()), 1)

    def test_an_agent_that_is_there_is_left_alone(self):
        self.start_agent()
        Provider(self.system).incoming()
        self.system.sync()
        self.system.bus.name_has_owner(DESKTOP)
        self.assertEqual(self.started(), [])


class NoAgentTests(ActivationTest):
    agent_program = ""

    def test_without_an_agent_calls_ring_and_are_answered(self):
        call = Provider(self.system).incoming()
        self.answer(call).result()
        self.assertState(call, "active")


class StuckAgentTests(ActivationTest):
    agent_program = "sleep 1000"

    def test_calls_do_not_wait_for_an_agent_that_does_not_come(self):
        alpha = Provider(self.system)
        began = time.monotonic()
        for _ in range(5):
            call = alpha.incoming()
            self.answer(call).result()
            self.assertState(call, "active")
            self.end(call).result()
        self.assertLess(time.monotonic() - began, 20)
        self.wait_started()


class FailingAgentTests(ActivationTest):
    agent_program = "false"

    def test_an_agent_that_fails_costs_nothing(self):
        alpha = Provider(self.system)
        call = alpha.incoming()
        self.wait_started()
        self.answer(call).result()
        self.assertState(call, "active")
        self.assertNotIn("agent", self.system.read_log())
