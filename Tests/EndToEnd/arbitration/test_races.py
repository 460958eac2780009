"""Races, hundreds of rounds each: what arrives at the same moment, and who dies between two steps.

The rounds take turns at the moment at which the second thing happens: at once, when the first has reached its provider,
when that has answered.
"""

import os

import dbus
import dbus.lowlevel

from support.case import TORTURE, SystemTest
from support.messages import ERROR, variants
from support.provider import Action, Provider
from support.system import CALL, MANAGER, NAME, PAGES, ROOT, SYSTEM
from support.waiting import wait_until

ROUNDS = 1_000 if TORTURE else 200
WARM_UP = ROUNDS // 4
"""Rounds until the daemon has what memory it needs."""
REPLIES = (dbus.lowlevel.MESSAGE_TYPE_METHOD_RETURN, dbus.lowlevel.MESSAGE_TYPE_ERROR)


class Racer(Provider):
    """Does as it is told; `hooks` has, by kind of action, what happens instead."""

    def __init__(self, system, name):
        self.hooks = {}
        super().__init__(system, name)

    def perform(self, action):
        self.messages.append(action)
        self.hooks.get(action.kind, Action.fulfil)(action)

    def vanish(self):
        self.hooks = {}
        super().vanish()


class Races(SystemTest):
    # A call must still be known when what its end made wait has been answered. Something is always under way here, and
    # may take as long as the machine stands still.
    deadlines = {"linger": 1_000, **dict.fromkeys(("start", "answer", "end", "set-held"), 60_000)}

    def setUp(self):
        super().setUp()
        # Nobody follows the signals here: the rounds are to be quick.
        self.system.bus.remove_match_string(f"type='signal',sender='{NAME}'")
        self.surplus = []
        self.first = self.client()
        self.second = self.client()
        self.moment = 0

    def client(self):
        connection = self.system.connect()
        # A reply that something waits for does not come here.
        connection.add_message_filter(self.note_surplus)
        return connection

    def note_surplus(self, _, message):
        if message.get_type() in REPLIES:
            self.surplus.append(message.get_reply_serial())
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def drop(self, connection):
        self.system.connections.remove(connection)
        connection.close()

    def race(self, play_round, moments):
        """Runs all rounds; then nothing may be left over, neither calls nor replies nor memory nor descriptors."""
        before = None
        for number in range(ROUNDS):
            if number == WARM_UP:
                before = self.rest()
            self.moment = number % moments
            play_round()
        after = self.rest()
        for connection in (self.first, self.second):
            self.system.sync(connection)
        self.assertEqual(self.surplus, [], "replies that nobody waited for")
        self.assertLessEqual(after[0], before[0] + 2, "descriptors")
        self.assertLessEqual(after[1], before[1] + 1_024 * PAGES, "KiB of memory")
        # And still it works.
        call = self.beta.report_incoming().result()
        self.answer(call, connection=self.first).result()
        self.end(call).result()

    def rest(self):
        """Waits until no call is left, and returns the daemon's descriptors and memory."""
        def calls():
            return [path for path in self.system.call(ROOT, MANAGER, "GetManagedObjects").result()
                    if path.startswith(f"{ROOT}/calls/")]
        wait_until(lambda: not calls(), lambda: f"left over: {calls()}")
        return len(os.listdir(f"/proc/{self.pid}/fd")), self.system.memory()

    def at_the_moment(self, provider, kind, event):
        """Lets `event` happen now, or when the provider is told to perform this, or when it has done it."""
        if self.moment == 0:
            event()
            return

        def hook(action):
            if self.moment == 1:
                event()
            action.fulfil()
            if self.moment == 2:
                event()
        provider.hooks[kind] = hook

    def end_all(self):
        self.system.call(ROOT, SYSTEM, "EndCalls", "as", ["ringing", "active", "held", "started", "connecting"]).result()


class Requests(Races):
    def setUp(self):
        super().setUp()
        self.beta = Racer(self.system, "Beta")

    def test_two_clients_answer_the_same_call(self):
        def round_of_calls():
            call = self.beta.report_incoming().result()
            self.beta.messages = []
            answers = [self.answer(call, connection=self.first)]
            self.at_the_moment(
                self.beta, "answer", lambda: answers.append(self.answer(call, connection=self.second)))
            wait_until(lambda: len(answers) == 2 and all(one.done for one in answers), "two replies")
            self.assertEqual([one.error for one in answers], [None, None])
            self.assertEqual(self.beta.kinds(), ["answer"])
            self.beta.hooks = {}
            self.end(call).result()
        self.race(round_of_calls, 3)

    def test_answer_and_end_back_to_back(self):
        def round_of_calls():
            call = self.beta.report_incoming().result()
            self.beta.messages = []
            ends = []
            answer = self.answer(call, connection=self.first)
            ender = self.first if self.turn else self.second
            self.turn = not self.turn
            self.at_the_moment(
                self.beta, "answer",
                lambda: ends.append(self.system.call(call, CALL, "End", connection=ender)))
            wait_until(lambda: answer.done and ends and ends[0].done, "two replies")
            self.assertIsNone(ends[0].error)
            self.assertIn(answer.error_name, ("", ERROR + "AlreadyEnded"))
            self.assertLessEqual(set(self.beta.kinds()), {"answer", "end"})
            self.assertLessEqual(len(self.beta.kinds()), 2)
            self.beta.hooks = {}
        self.turn = False
        self.race(round_of_calls, 3)

    def test_a_client_dies_after_start_call(self):
        def round_of_calls():
            client = self.system.connect()
            # It is known before it dies; else it would be a stranger.
            self.system.sync(client)
            self.beta.messages = []
            self.system.call(ROOT, SYSTEM, "StartCallWith", "sa{sv}", "generic:somebody", variants({}), connection=client)
            client.flush()
            self.at_the_moment(self.beta, "start", lambda: self.drop(client))
            start = self.beta.wait_action("start")
            wait_until(lambda: client not in self.system.connections, "the client's death")
            self.beta.report("ReportOutgoingCallConnected", "sta{sv}", start.uuid, 0, variants({})).result()
            self.end(f"{ROOT}/calls/{start.uuid.replace('-', '_')}").result()
            self.assertEqual(self.beta.kinds(), ["start", "end"])
            self.beta.hooks = {}
        self.race(round_of_calls, 3)


class Deaths(Races):
    """A of Alpha is held for B of Beta, and one of the two dies meanwhile."""

    def setUp(self):
        super().setUp()
        self.alpha = Racer(self.system, "Alpha")
        self.beta = Racer(self.system, "Beta")

    def test_a_provider_dies_between_hold_and_answer(self):
        moments = [
            # who dies, at which action of whom, before or after that is answered; what the client is told
            ("alpha", "set-held", "before", ""),
            ("alpha", "set-held", "after", ""),
            ("beta", "set-held", "before", "ProviderCrashed"),
            ("beta", "set-held", "after", "ProviderCrashed"),
            ("beta", "answer", "before", "ProviderCrashed"),
            ("beta", "answer", "after", ""),
        ]

        def round_of_calls():
            a = self.alpha.report_incoming().result()
            self.answer(a).result()
            b = self.beta.report_incoming().result()
            victim, kind, when, expected = moments[self.moment]
            dying = getattr(self, victim)

            def hook(action):
                if when == "before":
                    dying.vanish()
                if when == "after" or action.connection is not dying.connection:
                    action.fulfil()
                if when == "after":
                    action.connection.flush()
                    dying.vanish()
            (self.alpha if kind == "set-held" else self.beta).hooks[kind] = hook
            answer = self.answer(b, connection=self.first).wait()
            self.assertEqual(answer.error_name, expected and ERROR + expected, (moments[self.moment], answer.error_text))
            wait_until(lambda: dying.connection not in self.system.connections, f"{victim}'s death")
            self.alpha.hooks = {}
            self.beta.hooks = {}
            self.end_all()
            setattr(self, victim, Racer(self.system, victim.capitalize()))
        self.race(round_of_calls, len(moments))
