"""Why a call is in its state: Explain, the log and callctl tell one story, with who asked and its process."""

import datetime
import json
import os
import re
import signal
import subprocess

from support.case import SystemTest
from support.messages import uuid_of, variants
from support.scene import TwoProviders
from support.system import BUILD, CALL
from support.waiting import exited, wait_until

PYTHON = os.path.basename(os.path.realpath("/proc/self/exe"))

LINE = re.compile(r"(?P<state>[a-z]+)(?: (?P<reason>[a-z-]+))?: (?P<what>.+?), "
                  r"by (?P<who>.+?)(?:, for call (?P<call>[0-9a-f-]{36}))?(?:, rule (?P<rule>\d+))?"
                  r"(?:, transaction (?P<transaction>[0-9a-f-]{36}))?")
"""The form of a line, as dbus/org.opencallkit.Call1.xml has it."""


class Explaining:
    def explain(self, call):
        """The causes, each as a dictionary of the parts of its text, which say the same as its keys."""
        causes = []
        for cause in self.system.call(call, CALL, "Explain").result():
            match = LINE.fullmatch(str(cause["text"]))
            self.assertIsNotNone(match, cause)
            parts = match.groupdict()
            self.assertEqual(cause["state"], parts["state"])
            self.assertGreater(cause["at"], 0)
            self.assertEqual(str(cause.get("rule", "None")), str(parts["rule"]))
            self.assertEqual(cause.get("transaction"), parts["transaction"])
            self.assertEqual(uuid_of(cause["call"]) if "call" in cause else None, parts["call"])
            client = re.search(r"\(program (\S+), pid", parts["who"])
            self.assertEqual(cause.get("program"), client[1] if client else None)
            self.assertEqual(cause.get("end-reason"), parts["reason"])
            causes.append({**parts, "event": str(cause["event"]), "by": str(cause["by"])})
        return causes

    def me(self, connection=None):
        name = (connection or self.system.bus).get_unique_name()
        return f"client {name} (program {PYTHON}, pid {os.getpid()})"


class Causes(Explaining, TwoProviders):
    arguments = ("--log-level", "info")

    def test_a_hold_names_who_asked_for_what(self):
        a, b = self.ring_while_active()
        answered = self.beta.wait_action
        other = self.system.connect()
        self.answer(b, connection=other).result()
        told = self.explain(a)
        self.assertEqual([cause["state"] for cause in told], ["ringing", "answering", "active", "holding", "held"])
        self.assertEqual([cause["who"] for cause in told],
                         ["provider app_Alpha", self.me(), self.me(), *[f"arbiter for {self.me(other)}"] * 2])
        self.assertEqual([(cause["event"], cause["by"]) for cause in told],
                         [("reported", "provider"), ("answer-requested", "user"), ("answer-fulfilled", "user"),
                          ("hold-requested", "arbiter"), ("hold-fulfilled", "arbiter")])
        transaction = str(answered("answer").transaction)
        self.assertEqual([(cause["call"], cause["rule"], cause["transaction"]) for cause in told[3:]],
                         [(uuid_of(b), "6", transaction)] * 2)
        self.assertEqual(self.property(a, "HeldBy"), "arbiter")

    def test_the_process_is_the_clients_own(self):
        a = self.alpha.incoming()
        with subprocess.Popen([f"{BUILD}/callctl", "answer"], env=self.system.environment) as client:
            self.assertEqual(exited(client), 0)
            self.assertRegex(self.explain(a)[-1]["who"], rf"client :1\.\d+ \(program callctl, pid {client.pid}\)")

    def test_a_client_that_went_before_the_bus_could_say_is_a_stranger(self):
        a = self.alpha.incoming()
        client = self.system.connect()
        name = client.get_unique_name()
        gone = []
        self.system.bus.watch_name_owner(name, lambda owner: gone.append(owner) if not owner else None)
        self.system.daemon.send_signal(signal.SIGSTOP)
        self.system.call(a, CALL, "AnswerWith", "a{sv}", variants({}), connection=client)
        client.flush()
        self.system.connections.remove(client)
        client.close()
        wait_until(lambda: gone, "the client stays")
        self.system.daemon.send_signal(signal.SIGCONT)
        self.system.wait_logged(f"{name} (unknown app, pid unknown) is not allowed to call Call1.AnswerWith: "
                                "the bus does not tell who it is")
        self.assertState(a, "ringing")

    def test_a_request_of_the_transaction_names_it(self):
        a = self.alpha.active()
        transaction, _ = self.request([("set-held", {"call": a, "on-hold": True})]).result()
        self.assertEqual(self.explain(a)[-1]["transaction"], str(transaction))
        self.assertEqual(self.property(a, "HeldBy"), "user")

    def test_a_remote_end(self):
        a = self.alpha.active()
        self.alpha.remote_end(a).result()
        self.assertEnded(a, "remote-ended", "remote")
        end = self.explain(a)[-1]
        self.assertEqual((end["state"], end["reason"], end["what"], end["who"]),
                         ("ended", "remote-ended", "reported", "remote party"))

    def test_the_crash_of_a_provider(self):
        a = self.alpha.active()
        self.alpha.vanish()
        self.assertEnded(a, "provider-crashed", "provider")
        end = self.explain(a)[-1]
        self.assertEqual((end["reason"], end["what"], end["who"], end["rule"]),
                         ("provider-crashed", "provider died", "provider app_Alpha", "18"))

    def test_the_log_says_the_same(self):
        a = self.alpha.active()
        self.end(a).result()
        told = [str(cause["text"]) for cause in self.system.call(a, CALL, "Explain").result()]
        logged = [line.split(f"call {uuid_of(a)} ", 1)[1] for line in self.system.read_log().splitlines()
                  if f"call {uuid_of(a)} " in line]
        self.assertEqual(logged, told)
        self.assertIn(f"{self.me()}, transaction", logged[1])
        self.assertIn(self.me().replace(" ", f" {self.system.bus.get_unique_name()} is ", 1), self.system.read_log())

    def test_callctl_fits_the_terminal(self):
        a, b = self.ring_while_active()
        self.answer(b).result()
        causes = self.system.call(a, CALL, "Explain").result()
        narrow = self.system.run(f"{BUILD}/callctl", "explain", uuid_of(a), COLUMNS="80")
        self.assertEqual((narrow.status, narrow.errors), (0, ""))
        self.assertLessEqual(max(map(len, narrow.text.splitlines())), 80)
        short, held_for = uuid_of(a)[:8], uuid_of(b)[:8]
        title, *told = self.system.run(f"{BUILD}/callctl", "explain", uuid_of(a)).text.splitlines()
        self.assertRegex(title, rf"^{short}( \(.*\))? is held by arbiter for {held_for}( \(.*\))?$")
        moments = [datetime.datetime.fromtimestamp(cause["at"] // 1000 / 1000) for cause in causes]
        self.assertEqual([line[:8] for line in told], [f"{moments[place]:%H:%M:%S}" for place in (0, 2, 4)])
        self.assertEqual(told[0][10:], "Alpha told that it comes in")
        self.assertEqual(told[1][10:], f"answered by you, with {PYTHON}")
        self.assertRegex(told[2][10:], rf"^held to make room for {held_for}( \(.*\))?, which was answered by you, "
                         rf"with {PYTHON}: a call that is answered holds the one that talks$")
        self.assertNotRegex("\n".join(told), r"[0-9a-f]{8}-[0-9a-f]{4}")
        whole = self.system.run(f"{BUILD}/callctl", "explain", uuid_of(a), "--verbose").text
        for moment, cause in zip(moments, causes):
            self.assertIn(f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}  ", whole)
            self.assertIn(f"\n  {cause['text']}\n", whole)
        data = json.loads(self.system.run(f"{BUILD}/callctl", "explain", uuid_of(a), "--json").text)
        self.assertEqual(data, [dict(cause) for cause in causes])


class Deadlines(Explaining, TwoProviders):
    deadlines = {"answer": 200}

    def test_a_deadline(self):
        a = self.alpha.incoming()
        self.alpha.behaviour["answer"] = "wait"
        self.answer(a).wait()
        self.assertEnded(a, "timed-out", "deadline")
        end = self.explain(a)[-1]
        self.assertEqual((end["reason"], end["what"], end["who"], end["rule"]),
                         ("timed-out", "answer not answered in time", "deadline answer", "17"))


class AfterTheBus(Explaining, SystemTest):
    with_plugins = True

    def test_names_of_a_bus_that_is_gone_are_nobodys(self):
        a = self.simulate_incoming("Hotline")
        self.answer(a).result()
        asked = self.explain(a)[-1]["who"]
        self.assertEqual(asked, self.me())
        self.system.restart_bus()
        self.assertEqual(self.hold(a).wait().error, None)
        told = [cause["who"] for cause in self.explain(a)]
        self.assertEqual(told[-1], self.me())
        self.assertEqual(told[1:3], [asked.replace(f"program {PYTHON}, pid {os.getpid()}", "pid unknown")] * 2)
