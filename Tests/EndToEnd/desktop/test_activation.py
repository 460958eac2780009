"""The session's agent is started by the calls that ring, and calls do not wait for it."""

import time

from desktop.activation import ActivationTest
from desktop.case import DESKTOP
from desktop.notification_servers import ScriptedServer, noted_notifications
from support.provider import Provider
from support.sound_servers import PulseAudio
from support.system import ROOT, SYSTEM
from support.waiting import let_pass, wait_until


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

    def test_a_call_that_makes_no_noise_starts_it_too(self):
        Provider(self.system)
        call = self.start_call("generic:far").result()
        self.wait_state(call, "active")
        self.assertEqual(self.started(), [])
        other = Provider(self.system, "Beta", "/beta").incoming()
        self.assertEqual(self.property(other, "RingMode"), "waiting")
        self.wait_started()

    def test_an_agent_that_is_there_is_left_alone(self):
        self.start_agent()
        Provider(self.system).incoming()
        self.system.sync()
        self.system.bus.name_has_owner(DESKTOP)
        self.assertEqual(self.started(), [])


class KilledAgentTests(ActivationTest):
    """The agent is killed while calls ring: it comes back for these calls, and nothing of the one before stays."""

    def setUp(self):
        super().setUp()
        self.server = ScriptedServer(self)
        self.alpha = Provider(self.system)
        self.sound = PulseAudio(self).start()
        self.recording = self.sound.record()

    def begin(self, count):
        calls = [self.alpha.incoming(localized_caller_name=f"Caller {number}") for number in range(count)]
        pid = self.wait_started()
        self.wait_answerable(count)
        self.recording.wait_loud("it does not ring")
        return calls, pid

    def answerable(self):
        return [shown for shown in self.server.shown.values() if any("answer" in key for key in shown.actions)]

    def wait_answerable(self, count):
        wait_until(lambda: len(self.answerable()) == count,
                   lambda: f"not {count} calls to answer: {list(self.server.shown.values())}")

    def noted(self):
        """What is shown, once it is noted. It may be posted anew at any time."""
        shown = set(self.server.shown)
        return shown if noted_notifications(self.system) == shown else None

    def kill_and_see(self, calls, pid, count=2):
        left = wait_until(self.noted, "they are not noted", every=0.01)
        self.kill_started(pid)
        pid = self.wait_started(count)
        wait_until(lambda: left <= set(self.server.closed), "what was left is not closed")
        self.wait_answerable(len(calls))
        self.assertFalse(left & set(self.server.shown))
        self.recording.wait_loud("it rings no more", start=self.recording.now)
        return pid

    def test_while_one_call_rings(self):
        calls, pid = self.begin(1)
        self.kill_and_see(calls, pid)
        self.server.press(self.answerable()[0], "answer")
        self.wait_state(calls[0], "active")
        self.recording.wait_silent()

    def test_while_two_calls_ring_and_one_of_them_alone_is_heard(self):
        calls, pid = self.begin(2)
        self.kill_and_see(calls, pid)
        self.reject(calls[0]).result()
        self.wait_answerable(1)

    def test_while_three_calls_ring_again_and_again(self):
        calls, pid = self.begin(3)
        for count in (2, 3, 4):
            pid = self.kill_and_see(calls, pid, count)
        self.assertEqual(self.states(calls), ["ringing"] * 3)

    def test_while_a_call_rings_that_was_silenced(self):
        call = self.alpha.incoming()
        pid = self.wait_started()
        self.server.wait_shown()
        self.system.call(ROOT, SYSTEM, "SilenceRinging").result()
        wait_until(lambda: noted_notifications(self.system), "it is not noted", every=0.01)
        self.kill_started(pid)
        self.wait_started(2)
        self.wait_answerable(1)
        self.assertState(call, "ringing")

    def test_while_a_call_goes_on(self):
        call = self.alpha.active()
        self.kill_started(self.wait_started())
        self.wait_started(2)
        self.wait_name(DESKTOP)
        self.assertState(call, "active")

    def test_not_while_there_is_no_call(self):
        call = self.alpha.incoming()
        pid = self.wait_started()
        self.wait_name(DESKTOP)
        self.reject(call).result()
        self.kill_started(pid)
        self.wait_name(DESKTOP, owned=False)
        self.system.sync()
        # The bus would have begun to start it before it answers this.
        self.assertFalse(self.system.bus.name_has_owner(DESKTOP))
        self.assertEqual(len(self.started()), 1)
        self.alpha.incoming()
        self.wait_started(2)

    def states(self, calls):
        return [self.system.shown(call, "State") for call in calls]


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

    def test_it_is_tried_again_ever_more_rarely_while_a_call_rings(self):
        alpha = Provider(self.system)
        call = alpha.incoming()
        self.wait_started(3)
        began = time.monotonic()
        self.wait_started(4)
        self.assertGreater(time.monotonic() - began, 0.5)
        # The next one is due after five seconds; other calls do not bring it forward.
        for _ in range(5):
            alpha.incoming()
        let_pass(0.5)
        self.assertEqual(len(self.started()), 4)
        self.end(call).result()
