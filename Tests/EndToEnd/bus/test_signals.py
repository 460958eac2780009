"""Signals: in order, before the answer to any question asked after the reply, and with what changed and nothing else."""

from support.filters import WithStore
from support.messages import variants
from support.scene import TwoProviders
from support.system import AUDIO, AUDIO_SESSION, IDENTITY, ROOT, SYSTEM


class Order(TwoProviders):
    def shown_after_a_question(self, pending, path, name):
        """What signals had said of a property when the answer came to a question that was asked after the reply."""
        pending.result()
        self.system.sync()
        return self.system.shown(path, name)

    def test_the_signals_of_a_request_come_before_the_answer_to_the_next_question(self):
        a = self.alpha.incoming()
        self.assertEqual(self.shown_after_a_question(self.answer(a), a, "State"), "active")
        self.assertEqual(self.system.shown(ROOT, "ActiveCall"), a)
        self.assertEqual(self.shown_after_a_question(self.hold(a), a, "State"), "held")
        self.assertEqual(self.shown_after_a_question(self.resume(a), a, "HeldBy"), "")
        self.assertEqual(self.shown_after_a_question(self.mute(a), a, "Muted"), True)
        self.assertEqual(self.shown_after_a_question(self.end(a), a, "State"), "ended")
        self.assertEqual(len(self.system.told("CallEnded", a)), 1)

    def test_a_new_call_is_shown_before_the_answer_to_the_next_question(self):
        pending = self.start_call("generic:somebody", reply="accepted")
        call = pending.result()
        self.system.sync()
        self.assertIn(call, self.system.objects)
        ringing = self.alpha.report_incoming().result()
        self.system.sync()
        self.assertEqual(self.system.shown(ringing, "State"), "ringing")

    def test_the_properties_change_before_the_end_is_told(self):
        a = self.alpha.active()
        self.end(a).result()
        self.system.sync()
        events = [event for event in self.system.events if event.member == "CallEnded"
                  or event.path == a and event.arguments[1].get("State") == "ended"]
        self.assertEqual([event.member for event in events], ["PropertiesChanged", "CallEnded"])


class Changes(TwoProviders):
    def setUp(self):
        super().setUp()
        self.known = {(ROOT, SYSTEM): self.system.get_all(ROOT, SYSTEM),
                      (AUDIO, AUDIO_SESSION): self.system.get_all(AUDIO, AUDIO_SESSION)}
        for path, interfaces in self.system.managed().items():
            for interface, values in interfaces.items():
                self.known[str(path), str(interface)] = dict(values)
        self.system.events = []

    def assertOnlyChanges(self):
        """Each signal of changed properties has values that differ from those before."""
        self.system.sync()
        count = 0
        for event in self.system.events:
            if event.member == "InterfacesAdded":
                path, interfaces = event.arguments
                self.known.update({(str(path), str(name)): dict(values) for name, values in interfaces.items()})
            if event.member != "PropertiesChanged":
                continue
            interface, changed, invalidated = event.arguments
            self.assertTrue(changed or invalidated, event)
            known = self.known.setdefault((event.path, str(interface)), {})
            for name, value in changed.items():
                self.assertNotEqual(known.get(name), value, f"{name} in {event}")
                count += 1
            known.update(changed)
        self.assertGreater(count, 10)

    def test_the_life_of_two_calls(self):
        a, b = self.held_and_active()
        self.mute(b).result()
        self.alpha.update(a, has_video=True).result()
        self.end(b).result()
        self.wait_state(a, "active")
        self.end(a).result()
        self.beta.vanish()
        self.wait_told("InterfacesRemoved", self.beta.path)
        self.assertOnlyChanges()

    def test_a_provider_changes_its_name(self):
        before = len(self.system.events)
        self.alpha.report("UpdateConfiguration", "a{sv}", variants({"localized-name": "Omega"})).result()
        self.system.sync()
        events = [event for event in self.system.events[before:] if event.path == self.alpha.path]
        self.assertEqual([event.arguments[1] for event in events], [{"LocalizedName": "Omega"}])


class NameSource(WithStore):
    def test_a_name_that_the_provider_confirms_has_another_source(self):
        call = self.ring("0701740635").result()
        self.assertEqual(self.property(call, "CallerNameSource", IDENTITY), "favorite")
        self.provider.update(call, localized_caller_name="Monkey").result()
        self.assertEqual(self.property(call, "CallerNameSource", IDENTITY), "provider")
        events = [event for event in self.system.events if event.path == call and event.arguments[0] == IDENTITY]
        self.assertEqual([event.arguments[2] for event in events], [["CallerNameSource"]])
