"""Notifications of missed calls: grouped by who called, until the user has seen them."""


from desktop.notices import NotificationTest
from desktop.notification_servers import ScriptedServer
from support.system import RECENTS, RECENTS1
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

    def test_missed_calls_are_grouped_and_called_back(self):
        server = self.scripted()
        for _ in range(3):
            self.miss("Alice", "+46701740605")
        self.miss("Bob", "+46701740606")
        shown = server.wait_title("3 missed calls")
        self.assertEqual((shown.title, shown.body),
                         ("3 missed calls from Alice (+46701740605)", "via Alpha Tel"))
        self.assertEqual((shown.actions, shown.hints["category"], shown.hints["urgency"]),
                         ({"call-back": "Call Back", "mark-read": "Mark as Read"}, "call.unanswered", 1))
        bob = server.wait_title("Missed call from Bob")
        server.press(bob, "mark-read")
        wait_until(lambda: not any("Bob" in each.title for each in server.shown.values()), "Bob is still shown")
        server.press(shown, "call-back")
        self.alpha.wait_action("start")
        server.wait_shown(0)
        self.wait_unread(0)

    def test_calls_missed_before_the_agent_started_and_read_elsewhere(self):
        self.miss("Alice", "+46701740605")
        server = self.scripted()
        server.wait_title("Missed call from Alice")
        self.system.call(RECENTS, RECENTS1, "MarkAllRead").result()
        server.wait_shown(0)


    def test_those_of_several_parties_before_the_start_share_one_notification(self):
        for number, name in enumerate(("Alice", "Bob", "Carol", "Dave", "Alice")):
            self.miss(name, f"+4670174060{number % 4}")
        server = self.scripted()
        shown = server.wait_title("5 missed calls")
        self.assertEqual(shown.title, "5 missed calls")
        self.assertEqual(shown.body, "Alice (+46701740600)\nDave (+46701740603)\nCarol (+46701740602)\nand 1 other")
        self.assertEqual(shown.actions, {"mark-read": "Mark as Read"})
        self.miss("Bob", "+46701740601")
        server.wait_title("Missed call from Bob")
        self.assertEqual(len(server.shown), 2)
        server.press(shown, "mark-read")
        self.assertIn("Bob", server.wait_shown(1).title)
        self.wait_unread(1)

    def test_a_withheld_number(self):
        server = self.scripted()
        call = self.alpha.incoming(handle=None)
        self.alpha.remote_end(call, "unanswered").result()
        shown = server.wait_title("Missed call")
        self.assertEqual((shown.title, list(shown.actions)), ("Missed call from a withheld number", ["mark-read"]))

    def test_a_dismissed_one_is_not_read_and_stays_away_until_the_next_call(self):
        server = self.scripted()
        self.miss("Alice", "+46701740605")
        server.dismiss(server.wait_title("Missed call from Alice"))
        self.miss("Bob", "+46701740606")
        server.wait_title("Missed call from Bob")
        server.leave()
        server = ScriptedServer(self)
        server.wait_title("Missed call from Bob")
        self.assertEqual(self.system.get(RECENTS, RECENTS1, "UnreadMissed"), 2)
        self.assertEqual([shown.title for shown in server.posts], ["Missed call from Bob (+46701740606)"])
        self.miss("Alice", "+46701740605")
        server.wait_title("2 missed calls from Alice")

    def test_a_call_back_that_is_refused_leaves_it_unread(self):
        server = self.scripted()
        self.miss("Alice", "+46701740605")
        shown = server.wait_title("Missed call from Alice")
        self.alpha.behaviour["start"] = "fail"
        server.press(shown, "call-back")
        server.wait_title("Calling back failed")
        self.assertIn("Missed call from Alice (+46701740605)", [shown.title for shown in server.shown.values()])
        self.assertEqual(self.system.get(RECENTS, RECENTS1, "UnreadMissed"), 1)

    def test_one_that_is_read_and_comes_again_while_the_server_is_slow_is_shown_once(self):
        server = self.scripted()
        server.behaviour = "late"
        self.miss("Alice", "+46701740605")
        wait_until(lambda: any(shown.title.startswith("Missed") for shown in server.posts), "nothing is posted")
        self.system.call(RECENTS, RECENTS1, "MarkAllRead").result()
        self.wait_unread(0)
        before = len(server.posts)
        self.miss("Alice", "+46701740605")
        wait_until(lambda: any(shown.title.startswith("Missed") for shown in server.posts[before:]),
                   "the second one is not posted")
        server.behaviour = "show"
        for answer in server.waiting:
            answer()
        self.miss("Bob", "+46701740606")
        server.wait_title("Missed call from Bob")
        server.wait_shown(1, title="Missed call from Alice")
        server.wait_shown(2)
