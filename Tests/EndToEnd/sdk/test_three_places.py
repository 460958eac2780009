"""One provider with the same steps and the same outcome in a worker and in an app; a Swift test is the third place."""

import os
import uuid

import dbus

from support.messages import ERROR
from support.provider import Provider
from support.surface import SurfaceTest, action
from support.system import REPOSITORY, ROOT
from support.waiting import wait_until


def steps():
    """The steps, and the expected events."""
    with open(os.path.join(REPOSITORY, "Tests", "Fixtures", "ThreePlaces", "steps.txt"), encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if not line.startswith("#")]
    end = lines.index("heard")
    return lines[:end], lines[end + 1:]


class ThreePlaces:
    """`ThreePlacesTests.swift` takes the same steps in the test kit."""

    deadlines = {"set-held": 2_000}

    def test_the_same_outcome_as_in_the_test_kit(self):
        self.calls = {}
        lines, expected = steps()
        for line in lines:
            step, _, refusal = line.partition(" -> ")
            self.assertEqual(self.take(*step.split()), ERROR + refusal if refusal else "", line)
        ended = [f"changed {name} " for name in self.calls]
        wait_until(lambda: all(any(line.startswith(name) and line.endswith(" ended") for line in self.heard())
                               for name in ended), lambda: f"heard was {self.heard()}")
        self.assertEqual(self.heard(), expected)

    def take(self, verb, *words):
        """Takes a step, and returns the name of its error."""
        method = getattr(self, "step_" + verb.replace("-", "_"), None)
        return method(*words) if method else self.user(verb, *words)

    def user(self, verb, name, *words):
        """A request on the bus."""
        call = self.calls[name]
        ask = {"answer": self.answer, "end": self.end, "hold": self.hold, "resume": self.resume,
               "ungroup": lambda call: self.system.call(call, "org.opencallkit.Call1", "Ungroup"),
               "play": lambda call: self.system.call(call, "org.opencallkit.Call1", "PlayDTMF", "s", words[0]),
               "group": lambda call: self.group(call, self.calls[words[0]]),
               "translate": lambda call: self.system.call(
                   call, "org.opencallkit.Call1", "SetTranslating", "bss", False, "", "")}[verb]
        return ask(call).wait().error_name

    def step_observe(self):
        return self.named(self.press("observe"))

    def step_behave(self, kind, how):
        return self.named(self.press("behave", kind=kind, how=how))

    def step_start(self, name, handle):
        pending = self.start_call(f"generic:{handle}", provider=dbus.ObjectPath(self.path))
        self.calls[name] = pending.result()
        return ""

    def step_incoming(self, name, handle):
        if name not in self.calls:
            self.calls[name] = f"{ROOT}/calls/{str(uuid.uuid4()).replace('-', '_')}"
        return self.named(self.press("incoming", call=self.id_of(self.calls[name]), handle=handle))

    def step_stranger(self, name):
        self.calls[name] = Provider(self.system, "Stranger").incoming()
        return ""

    def step_report(self, what, name):
        return self.named(self.press("report", what=what, call=self.id_of(self.calls[name])))

    def step_own(self, verb, name):
        return self.named(self.own("perform", verb, name))

    def step_execute(self, executes):
        return self.named(self.press("execute", executes=executes == "yes"))

    def step_together(self, *words):
        actions = [self.asked(verb, name) for verb, name in zip(words[::2], words[1::2])]
        return self.named(self.ask(*actions, button="perform"))

    def step_on_main(self, verb, name):
        answer = self.own("request-on-main", verb, name)
        self.assertEqual(answer["course"], ["asked", "looked", "completed"])
        return self.named(answer)

    def step_state(self, name, state):
        self.wait_state(self.calls[name], state)
        return ""

    def own(self, button, verb, name):
        return self.ask(self.asked(verb, name), button=button)

    def asked(self, verb, name):
        kind, values = {"mute": ("set-muted", {"isMuted": True}), "unmute": ("set-muted", {"isMuted": False}),
                        "hold": ("set-held", {"isOnHold": True}), "resume": ("set-held", {"isOnHold": False}),
                        "translate": ("set-translating", {
                            "isTranslating": True, "localLanguage": "en-GB", "remoteLanguage": "sv"}),
                        "answer": ("answer", {}), "end": ("end", {})}[verb]
        return action(kind, self.id_of(self.calls[name]), **values)

    @staticmethod
    def named(answer):
        return str(answer.get("name", ""))

    def heard(self):
        """The calls of the delegate, in order, and then the observer's changes of each call."""
        text = "\n".join(self.log())
        for name, call in self.calls.items():
            text = text.replace(self.id_of(call), name)
        lines = text.split("\n")
        changes = [line for line in lines if line.startswith("changed ")]
        return [line for line in lines if line not in changes] + sorted(changes, key=lambda line: line.split()[1])


class InPlugin(ThreePlaces, SurfaceTest):
    pass


class InApp(ThreePlaces, SurfaceTest):
    in_app = True
