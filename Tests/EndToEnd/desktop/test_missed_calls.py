"""The notification of missed calls: one for all, until the user has seen them."""

import dbus

from desktop.notices import NotificationTest
from desktop.notification_servers import ScriptedServer
from desktop.server_profiles import PLASMA6
from support.system import FAVORITES, FAVORITES1, RECENTS, RECENTS1
from support.waiting import wait_until


class MissedTests(NotificationTest):
    def setUp(self):
        super().setUp()
        self.wait_store()

    def miss(self, name, handle):
        call = self.alpha.incoming(localized_caller_name=name, handle=("phone-number", handle))
        self.alpha.remote_end(call, "unanswered").result()

    def wait_unread(self, count):
        wait_until(lambda: self.system.get(RECENTS, RECENTS1, "UnreadMissed") == count, f"{count} are not unread", every=0.05)

    def test_missed_calls_of_one_party_and_of_several_are_called_back(self):
        server = self.scripted()
        for _ in range(3):
            self.miss("Alice", "+46701740605")
        shown = server.wait_named("3 missed calls from Alice (+46701740605)")
        self.assertEqual((shown.body, shown.buttons, shown.hints["category"], shown.urgency),
                         ("via Alpha Tel", ["Call Back", "Mark as Read"], "call.unanswered", 1))
        self.miss("Bob", "+46701740606")
        shown = server.wait_named("4 missed calls")
        self.assertEqual((shown.body, shown.buttons), ("Bob (+46701740606)\nAlice (+46701740605)",
                                                       ["Call Bob", "Call Alice", "Mark as Read"]))
        server.press(shown, next(key for key, label in shown.actions.items() if label == "Call Alice"))
        self.alpha.wait_action("start")
        # Only Alice is called back.
        server.press(server.wait_named("Missed call from Bob (+46701740606)"), "mark-read")
        server.wait_shown(0, title="issed")
        self.wait_unread(0)

    def test_another_number_is_shown_with_its_own_name(self):
        # BelledonneCommunications/linphone-desktop #706
        gus, hal = "+15550144007", "+15550144008"
        for number, name in ((gus, "Gus Example"), (hal, "Hal Example")):
            self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", dbus.Struct(("phone-number", number)), name, "").result()
        server = self.scripted()
        call = self.alpha.incoming(handle=("phone-number", gus))
        server.wait_title("Gus Example")
        self.alpha.update(call, remote_handle=dbus.Struct(("phone-number", hal))).result()
        server.wait_title("Hal Example")
        server.wait_shown(0, title="Gus Example")
        self.alpha.remote_end(call, "unanswered").result()
        server.wait_named(f"Missed call from Hal Example ({hal})")

    def test_calls_missed_before_the_agent_started_and_read_elsewhere(self):
        self.miss("Alice", "+46701740605")
        server = self.scripted()
        server.wait_title("Missed call from Alice")
        self.system.call(RECENTS, RECENTS1, "MarkAllRead").result()
        server.wait_shown(0)

    def test_those_of_many_parties_share_one_notification(self):
        for number, name in enumerate(("Alice", "Bob", "Carol", "Dave", "Alice")):
            self.miss(name, f"+4670174060{number % 4}")
        server = self.scripted()
        shown = server.wait_named("5 missed calls")
        self.assertEqual(shown.body, "Alice (+46701740600)\nDave (+46701740603)\nCarol (+46701740602)\nand 1 other")
        self.assertEqual(shown.buttons, ["Call Alice", "Call Dave", "Mark as Read"])
        self.miss("Bob", "+46701740601")
        shown = server.wait_named("6 missed calls")
        self.assertEqual(len(server.shown), 1)
        server.press(shown, "mark-read")
        server.wait_shown(0)
        self.wait_unread(0)

    def test_a_withheld_number(self):
        server = self.scripted()
        call = self.alpha.incoming(handle=None)
        self.alpha.remote_end(call, "unanswered").result()
        shown = server.wait_title("Missed call")
        self.assertEqual((shown.title, shown.buttons), ("Missed call from a withheld number", ["Mark as Read"]))

    def test_a_dismissed_one_is_not_read_and_stays_away(self):
        server = self.scripted(profile=PLASMA6)
        self.miss("Alice", "+46701740605")
        server.dismiss(server.wait_title("Missed call from Alice"))
        self.system.sync(server.link)
        server.leave()
        server = ScriptedServer(self, profile=PLASMA6)
        self.miss("Bob", "+46701740606")
        server.wait_named("Missed call from Bob (+46701740606)")
        self.assertEqual(self.system.get(RECENTS, RECENTS1, "UnreadMissed"), 2)
        titles = [shown.title for shown in server.posts if shown.title.startswith("Missed")]
        self.assertEqual(titles, ["Missed call from Bob (+46701740606)"])
        self.miss("Alice", "+46701740605")
        server.wait_named("2 missed calls")

    def test_a_row_with_the_number_of_a_deleted_one_is_told_of(self):
        server = self.scripted(profile=PLASMA6)
        self.miss("Alice", "+46701740605")
        server.dismiss(server.wait_title("Missed call from Alice"))
        self.system.call(RECENTS, RECENTS1, "Clear").result()
        self.wait_unread(0)
        self.miss("Bob", "+46701740606")
        server.wait_named("Missed call from Bob (+46701740606)")

    def test_a_call_back_that_is_refused_leaves_it_unread(self):
        server = self.scripted()
        self.miss("Alice", "+46701740605")
        shown = server.wait_title("Missed call from Alice")
        self.alpha.behaviour["start"] = "fail"
        server.press(shown, next(iter(shown.actions)))
        server.wait_title("Calling back failed")
        server.wait_named("Missed call from Alice (+46701740605)")
        self.assertEqual(self.system.get(RECENTS, RECENTS1, "UnreadMissed"), 1)

    def test_one_that_is_read_and_comes_again_while_the_server_is_slow_is_shown_once(self):
        server = self.scripted()
        server.behaviour = "late"
        self.miss("Alice", "+46701740605")
        wait_until(lambda: any(shown.title.startswith("Missed") for shown in server.posts), "nothing is posted")
        self.system.call(RECENTS, RECENTS1, "MarkAllRead").result()
        self.wait_unread(0)
        # What the agent posts after that, it posts once it has read the rows.
        carol = self.alpha.incoming(localized_caller_name="Carol")
        wait_until(lambda: any("Carol" in shown.title for shown in server.posts), "Carol's call is not posted")
        self.reject(carol).result()
        before = len(server.posts)
        self.miss("Alice", "+46701740605")
        wait_until(lambda: any(shown.title.startswith("Missed") for shown in server.posts[before:]),
                   "the second one is not posted")
        server.behaviour = "show"
        for answer in server.waiting:
            answer()
        self.miss("Bob", "+46701740606")
        server.wait_named("2 missed calls")
        server.wait_shown(1)
