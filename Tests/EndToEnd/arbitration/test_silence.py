"""Who does not answer makes the user wait once."""

import time
import uuid

from support.case import TORTURE, SystemTest
from support.messages import variants
from support.provider import Provider
from support.screener import Screener
from support.system import BUILD, CALL, ROOT, SYSTEM

ONCE = 1.1 if TORTURE else 2
"""The most seconds for which somebody's silence delays an answer of the user for the first time."""

PROMPT = 0.05 if TORTURE else 0.5
"""The most seconds that an answer takes afterwards. A debug build on a slow machine takes longer than the few ms of others."""


class SilenceTest(SystemTest):
    arguments = ("--no-store",)
    patience = {}

    def setUp(self):
        super().setUp()
        self.good = Provider(self.system, "Good")

    def silent_app(self, count=1):
        """Providers of one app that answer no action."""
        connection = self.system.connect()
        providers = [Provider(self.system, f"Silent{number}", f"/silent/{number}", connection) for number in range(count)]
        for provider in providers:
            provider.behaviour = dict.fromkeys(("answer", "start", "end", "set-held", "set-group"), "wait")
        return providers

    def own_answer(self, provider):
        """The provider reports a call, and answers it itself."""
        call = provider.incoming()
        return call, self.system.call(call, CALL, "AnswerWith", "a{sv}", variants({}), connection=provider.connection)

    def user_answers(self):
        """How long the user's answer to a call of the good provider takes, in seconds."""
        call = self.good.incoming()
        began = time.monotonic()
        self.system.call(call, CALL, "AnswerWith", "a{sv}", variants({"conflict": "end"})).result()
        took = time.monotonic() - began
        self.good.remote_end(call).result()
        return took

    def anomalies(self, kind):
        self.system.sync()
        return [event.arguments for event in self.system.told("Anomaly") if event.arguments[0] == kind]


class Silence(SilenceTest):
    def test_an_app_that_answers_its_own_calls(self):
        providers = self.silent_app(4)
        for round_number in range(3):
            for provider in providers:
                self.own_answer(provider)
            self.assertLess(self.user_answers(), PROMPT, round_number)

    def test_many_apps_that_answer_their_own_calls(self):
        for _ in range(8):
            self.own_answer(self.silent_app()[0])
        self.assertLess(self.user_answers(), PROMPT)

    def test_calls_of_a_silent_app_that_the_user_answered(self):
        """The user's own requests wait for each other, but for a silent app only once."""
        silent, = self.silent_app()
        for limit in (ONCE, PROMPT):
            for call in [silent.incoming() for _ in range(4)]:
                self.answer(call)
            self.assertLess(self.user_answers(), limit)

    def test_an_active_call_that_is_never_held(self):
        silent, = self.silent_app()
        for limit in (ONCE, PROMPT, PROMPT):
            call = silent.report(
                "ReportOngoingCall", "sssta{sv}", str(uuid.uuid4()), "incoming", "active", 0, variants({})).result()
            self.wait_state(call, "active")
            waiting = self.good.incoming()
            began = time.monotonic()
            self.answer(waiting).result()
            self.assertLess(time.monotonic() - began, limit)
            self.assertEnded(call, "timed-out", "deadline")
            self.good.remote_end(waiting).result()
        kind, path, text = self.anomalies("silent-provider")[0]
        self.assertEqual((path, len(self.anomalies("silent-provider"))), (silent.path, 1))
        self.assertIn("did not answer set-held", text)
        self.assertIn(silent.path.rsplit("/", 1)[1], self.system.get(ROOT, SYSTEM, "Health")["silent"])
        self.assertIn("nobody waits for it", self.system.run(f"{BUILD}/callctl", "doctor").text)

    def test_a_silent_screener_delays_one_call(self):
        screener = Screener(self.system)
        screener.verdict = None
        began = time.monotonic()
        self.good.incoming()
        self.assertGreater(time.monotonic() - began, 0.9)
        began = time.monotonic()
        self.good.incoming()
        self.assertLess(time.monotonic() - began, PROMPT)
        self.assertEqual(len(self.anomalies("slow-screener")), 1)


del SilenceTest
