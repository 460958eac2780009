"""The audio agent, as it, the providers and watchers see it (rule 20)."""

from support.audio_agent import AudioAgent
from support.case import SystemTest
from support.messages import uuid_of
from support.provider import Provider
from support.system import AUDIO, AUDIO_SESSION, ROOT, SYSTEM
from support.waiting import wait_until

PATIENT = 3_600_000


class Agents(SystemTest):
    arguments = ("--no-store",)

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha")
        self.beta = Provider(self.system, "Beta")

    def session(self):
        values = self.system.get_all(AUDIO, AUDIO_SESSION)
        return str(values["Phase"]), str(values["Provider"]), str(values["Agent"])

    def wait_session(self, *expected):
        wait_until(lambda: self.session() == expected, lambda: f"{self.session()}, not {expected}")


class Patient(Agents):
    deadlines = {"audio-prepare": PATIENT, "audio-release": PATIENT}

    def test_a_provider_gets_the_audio_when_the_agent_has_answered(self):
        agent = AudioAgent(self.system, name="Desktop")
        self.assertEqual(self.session(), ("idle", "/", "Desktop"))
        a = self.alpha.incoming()
        self.answer(a).result()
        question = agent.wait_asked()
        self.assertEqual(question.call, a)
        self.assertEqual(question.details, {"provider": self.alpha.path, "direction": "incoming", "video": False,
                                            "emergency": False, "switching": False})
        self.assertEqual(self.session(), ("preparing", "/", "Desktop"))
        self.alpha.sync()
        self.assertEqual(self.alpha.told("AudioSessionActivated"), [])
        question.answer()
        self.assertEqual(self.alpha.wait_told("AudioSessionActivated").arguments[0]["call-uuid"], uuid_of(a))
        self.assertEqual(self.session(), ("active", self.alpha.path, "Desktop"))

    def test_it_is_asked_after_the_release_and_before_the_next_grant(self):
        agent = AudioAgent(self.system, prompt=True)
        a = self.alpha.incoming()
        self.answer(a).result()
        self.alpha.wait_told("AudioSessionActivated")
        agent.prompt = False
        self.alpha.behaviour["audio"] = "wait"
        b = self.beta.incoming()
        self.answer(b).result()
        release = self.alpha.wait_told("AudioSessionDeactivated")
        self.assertEqual(self.session()[0], "releasing")
        self.assertEqual(len(agent.questions), 1)
        release.reply()
        question = agent.wait_asked(2)
        self.assertEqual((question.call, question.details["switching"]), (b, True))
        self.beta.sync()
        self.assertEqual(self.beta.told("AudioSessionActivated"), [])
        question.answer()
        self.beta.wait_told("AudioSessionActivated")
        self.assertEqual(agent.finished, 0)

    def test_it_is_told_to_finish_when_no_call_needs_the_audio(self):
        agent = AudioAgent(self.system, prompt=True)
        a = self.alpha.incoming()
        self.answer(a).result()
        self.alpha.wait_told("AudioSessionActivated")
        self.end(a).result()
        agent.wait_finished()
        self.assertEqual(self.session()[0], "idle")

    def test_a_call_that_ends_meanwhile_gets_no_audio(self):
        agent = AudioAgent(self.system)
        a = self.alpha.incoming()
        self.answer(a).result()
        question = agent.wait_asked()
        self.end(a).result()
        agent.wait_finished()
        question.answer()
        self.system.sync(agent.connection)
        self.alpha.sync()
        self.assertEqual(self.alpha.told("AudioSessionActivated"), [])

    def test_an_answer_to_an_earlier_question_does_not_count(self):
        agent = AudioAgent(self.system)
        a = self.alpha.incoming()
        self.answer(a).result()
        first = agent.wait_asked()
        self.end(a).result()
        agent.wait_finished()
        b = self.alpha.incoming()
        self.answer(b).result()
        second = agent.wait_asked(2)
        first.answer()
        self.system.sync(agent.connection)
        self.assertEqual(self.session()[0], "preparing")
        second.answer()
        self.alpha.wait_told("AudioSessionActivated")

    def test_an_error_counts_as_an_answer_and_is_noted(self):
        agent = AudioAgent(self.system)
        self.answer(self.alpha.incoming()).result()
        agent.wait_asked().fail()
        self.alpha.wait_told("AudioSessionActivated")
        self.wait_told("Anomaly", "audio-agent-failed", ROOT)

    def test_one_that_vanishes_is_not_waited_for(self):
        agent = AudioAgent(self.system)
        self.answer(self.alpha.incoming()).result()
        agent.wait_asked()
        agent.vanish()
        self.alpha.wait_told("AudioSessionActivated")
        self.wait_session("active", self.alpha.path, "")
        self.assertEqual(self.system.told("Anomaly"), [])

    def test_one_that_unregisters_is_not_asked(self):
        agent = AudioAgent(self.system)
        self.assertRefused(self.system.call(ROOT, SYSTEM, "UnregisterAudioAgent", "o", "/agent"), "InvalidArguments")
        agent.unregister().result()
        self.assertRefused(agent.unregister(), "InvalidArguments")
        self.answer(self.alpha.incoming()).result()
        self.alpha.wait_told("AudioSessionActivated")
        self.assertEqual(agent.questions, [])

    def test_one_that_comes_during_a_call_is_asked_and_not_awaited(self):
        a = self.alpha.incoming()
        self.answer(a).result()
        self.alpha.wait_told("AudioSessionActivated")
        agent = AudioAgent(self.system, name="Late")
        self.assertEqual(agent.wait_asked().call, a)
        self.wait_session("active", self.alpha.path, "Late")

    def test_one_that_is_replaced_gives_back_what_it_took(self):
        first = AudioAgent(self.system, prompt=True, name="First")
        self.answer(self.alpha.incoming()).result()
        self.alpha.wait_told("AudioSessionActivated")
        second = AudioAgent(self.system, path="/second", prompt=True, name="Second", replace=True)
        first.wait_finished()
        second.wait_asked()
        self.wait_session("active", self.alpha.path, "Second")
        first.vanish()
        self.assertEqual(self.session()[2], "Second")

    def test_an_emergency_call_does_not_wait(self):
        agent = AudioAgent(self.system)
        self.mark(self.alpha)
        self.answer(self.alpha.incoming(emergency=True)).result()
        self.alpha.wait_told("AudioSessionActivated")
        self.assertTrue(agent.wait_asked().details["emergency"])

    def test_who_may_register(self):
        agent = AudioAgent(self.system, name="A" * 100)
        self.assertEqual(self.session()[2], "A" * 64)
        self.assertRefused(agent.register(), "LimitsExceeded")
        self.assertRefused(agent.register(replace="yes"), "InvalidArguments")
        self.assertRefused(agent.register(name=7, replace=True), "InvalidArguments")
        agent.path = "/"
        self.assertRefused(agent.register(replace=True), "InvalidArguments")
        nameless = AudioAgent(self.system, replace=True)
        self.assertEqual(self.session()[2], nameless.connection.get_unique_name())


class Slow(Agents):
    deadlines = {"audio-prepare": 300}

    def test_one_that_says_nothing_has_its_deadline(self):
        agent = AudioAgent(self.system)
        self.answer(self.alpha.incoming()).result()
        question = agent.wait_asked()
        self.alpha.wait_told("AudioSessionActivated")
        self.wait_told("Anomaly", "slow-audio-agent", ROOT)
        question.answer()
        self.system.sync(agent.connection)
        self.assertEqual(len(self.alpha.told("AudioSessionActivated")), 1)
