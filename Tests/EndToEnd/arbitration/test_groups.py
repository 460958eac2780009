"""Groups: rules 14 and 15 and what meets them."""

import dbus

from support.messages import uuid_of, variants
from support.scene import TwoProviders
from support.system import CALL


class Groups(TwoProviders):
    def setUp(self):
        super().setUp()
        self.configure(maximum_call_groups=5)

    def configure(self, **values):
        wire = variants({key.replace("_", "-"): dbus.UInt32(value) for key, value in values.items()})
        self.alpha.report("UpdateConfiguration", "a{sv}", wire).result()

    def ungroup(self, call):
        return self.system.call(call, CALL, "Ungroup")

    def two(self):
        """A held for B, both of Alpha."""
        a = self.alpha.active()
        b = self.alpha.active()
        self.assertState(a, "held")
        return a, b

    def pair(self):
        a, b = self.two()
        self.group(a, b).result()
        self.alpha.forget()
        return a, b

    def states(self, *calls):
        return [str(self.property(call, "State")) for call in calls]

    def test_rule_14_members_are_taken_off_hold_by_one_action(self):
        a, b = self.two()
        self.assertEqual(self.property(a, "Group"), "")
        self.group(a, b).result()
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["set-group"])
        action = self.alpha.actions()[0]
        self.assertEqual((action.uuid, action.details["group-with"]), (uuid_of(a), uuid_of(b)))
        self.assertEqual(self.states(a, b), ["active", "active"])
        self.assertNotEqual(self.property(a, "Group"), "")
        self.assertEqual(self.property(a, "Group"), self.property(b, "Group"))

    def test_rule_14_another_active_call_is_held_first(self):
        a, b = self.two()
        c = self.beta.active()
        self.alpha.forget()
        self.beta.behaviour["set-held"] = "wait"
        group = self.group(a, b)
        hold = self.beta.wait_action("set-held")
        self.assertUntouched(self.alpha)
        hold.fulfil()
        group.result()
        self.assertEqual(self.states(a, b, c), ["active", "active", "held"])

    def test_rule_14_not_across_providers(self):
        a = self.alpha.active()
        b = self.beta.active()
        self.alpha.forget()
        self.assertRefused(self.group(a, b), "NotSameProvider")
        self.assertUntouched(self.alpha)
        self.assertUntouched(self.beta)

    def test_rule_14_not_without_the_capability(self):
        a, b = self.two()
        self.alpha.update(a, supports_grouping=False).result()
        self.assertRefused(self.group(a, b), "NotSupported")
        self.assertRefused(self.group(b, a), "NotSupported")
        self.assertUntouched(self.alpha)

    def test_rule_14_a_full_group_takes_nobody(self):
        self.configure(maximum_calls_per_call_group=2)
        a, b = self.pair()
        c = self.alpha.active()
        self.assertRefused(self.group(c, a), "LimitsExceeded")
        self.assertUntouched(self.alpha)

    def test_rule_14_the_one_named_goes_on_alone(self):
        a, b = self.pair()
        c = self.alpha.active()
        self.group(c, a).result()
        self.alpha.forget()
        self.ungroup(b).result()
        self.alpha.sync()
        self.assertEqual((self.alpha.kinds(), self.alpha.actions()[0].details["group-with"]), (["set-group"], ""))
        self.assertEqual(self.states(a, b, c), ["held", "active", "held"])
        self.assertEqual(self.property(b, "Group"), "")
        self.assertEqual(self.property(a, "Group"), self.property(c, "Group"))

    def test_rule_14_the_last_member_is_a_lone_call(self):
        a, b = self.pair()
        self.ungroup(b).result()
        self.assertEqual((self.property(a, "Group"), self.property(b, "Group")), ("", ""))

    def test_ungrouping_a_lone_call_does_nothing(self):
        a = self.alpha.active()
        self.ungroup(a).result()
        self.assertUntouched(self.alpha)

    def test_ungrouping_needs_the_capability(self):
        a, b = self.pair()
        self.alpha.update(a, supports_ungrouping=False).result()
        self.assertRefused(self.ungroup(a), "NotSupported")
        self.assertUntouched(self.alpha)

    def test_rule_15_a_hold_acts_on_the_whole_group_in_order(self):
        a, b = self.pair()
        self.alpha.behaviour["set-held"] = "wait"
        hold = self.hold(a)
        first = self.alpha.wait_action("set-held")
        self.assertEqual(first.uuid, uuid_of(b), "the one that was joined is the first member")
        self.assertFalse(hold.done)
        self.alpha.behaviour["set-held"] = "fulfil"
        first.fulfil()
        hold.result()
        self.assertEqual([action.uuid for action in self.alpha.actions("set-held")], [uuid_of(b), uuid_of(a)])
        self.assertEqual(self.states(a, b), ["held", "held"])

    def test_rule_15_an_answer_holds_the_whole_group(self):
        a, b = self.pair()
        c = self.beta.incoming()
        self.answer(c).result()
        self.assertEqual(self.states(a, b, c), ["held", "held", "active"])
        self.assertEqual([self.property(call, "HeldBy") for call in (a, b)], ["arbiter", "arbiter"])
        self.end(c).result()
        self.wait_state(a, "active")
        self.wait_state(b, "active")

    def test_rule_15_an_end_acts_on_the_one(self):
        a, b = self.pair()
        self.end(a).result()
        self.assertEnded(a, "local-ended", "user")
        self.assertState(b, "active")
        self.assertEqual(self.property(b, "Group"), "")
        self.alpha.sync()
        self.assertEqual(self.alpha.kinds(), ["end"])

    def test_a_group_counts_as_one_for_the_limit(self):
        self.configure(maximum_call_groups=2)
        a, b = self.pair()
        c = self.start_call("generic:third").result()
        self.wait_state(c, "active")
        self.assertEqual(self.states(a, b), ["held", "held"])
        self.assertRefused(self.start_call("generic:fourth"), "MaximumCallGroupsReached", a, b, c)

    def test_a_group_has_room_for_nobody_who_rings(self):
        a = self.alpha.active()
        b = self.alpha.incoming()
        self.assertRefused(self.group(a, b), "InvalidAction")
        self.assertRefused(self.group(a, a), "InvalidAction")
