"""The habits of servers of notifications, one in each test, and what is told of the end of a call."""

from desktop.notices import NotificationTest
from desktop.server_profiles import BUDGIE, CINNAMON, GNOME43, GNOME48, LXQT, MAKO, MATE, PLASMA6, UNKNOWN, WORST, XFCE
from support.login_manager import screen_saver
from support.waiting import wait_until


class HabitTests(NotificationTest):
    def ring(self, name="Alice", provider=None):
        return (provider or self.alpha).incoming(localized_caller_name=name)

    def test_a_changed_notification_is_posted_anew_where_its_buttons_would_be_lost(self):
        for profile in (GNOME43, LXQT, UNKNOWN):
            self.follow_the_buttons(profile, is_new=True)
        for profile in (GNOME48, PLASMA6):
            self.follow_the_buttons(profile, is_new=False)

    def follow_the_buttons(self, profile, is_new):
        with self.at(profile) as server:
            first = self.alpha.active()
            second = self.ring("Bob", self.second_provider())
            shown = server.wait_title("Bob")
            self.assertEqual([key for key in server.buttons(shown) if "answer" in key],
                             ["hold-and-answer", "end-and-answer"])
            self.end(first).result()
            server.bring("Bob", "answer")
            self.assertEqual(server.wait_title("Bob").number != shown.number, is_new)
            self.assertEqual(shown.number in server.shown, not is_new)
            self.reject(second).result()

    def test_a_call_that_has_waited_behind_another_banner_is_posted_anew(self):
        server = self.scripted(profile=GNOME48, deadlines=["banner=100"])
        server.foreign_banner()
        self.ring()
        first = server.wait_title("Alice")
        server.end_foreign_banner()
        self.assertFalse(server.is_over_windows(first))
        wait_until(lambda: server.is_over_windows(server.wait_title("Alice")), "it is not seen")
        before = len(server.posts)
        self.ring("Bob", self.second_provider())
        # The calls are posted in their order: the first one is over the windows.
        wait_until(lambda: len([post for post in server.posts[before:] if "from Bob" in post.title]) > 1,
                   lambda: f"posted {server.posts}")
        wait_until(lambda: server.is_over_windows(server.wait_title("Alice")), "the banners have changed places")
        self.assertIn("Another call is ringing: Bob (Beta)", server.wait_title("Alice").body)

    def test_a_server_that_shows_all_is_asked_once(self):
        server = self.scripted(profile=PLASMA6, deadlines=["banner=1"])
        self.ring()
        server.wait_title("Alice")
        bob = self.ring("Bob", self.second_provider())
        server.wait_title("from Bob")
        self.reject(bob).result()
        server.wait_one(lambda shown: "from Alice" in shown.title and "Another" not in shown.body, "of one call")
        self.assertEqual(len({post.number for post in server.posts}), 2)
        for number in {post.number for post in server.posts}:
            texts = [(post.title, post.body) for post in server.posts if post.number == number]
            self.assertNotIn(True, [one == next_ for one, next_ in zip(texts, texts[1:])], "one is posted twice")

    def test_silence_is_a_button_where_there_is_room(self):
        for profile, buttons in ((GNOME48, ["Answer", "Decline", "Silence"]), (XFCE, ["Answer", "Decline", "Silence"]),
                                 (BUDGIE, ["Answer", "Decline", "Silence"]), (LXQT, ["Answer", "Decline", "Silence"])):
            with self.at(profile) as server:
                call = self.ring()
                shown = server.wait_title("Alice")
                self.assertEqual([shown.actions[key] for key in server.buttons(shown)], buttons)
                server.use(shown, server.buttons(shown)[2])
                self.wait_silent(call)
                self.reject(call).result()
                server.wait_shown(0)

    def test_labels_are_written_as_they_are_read(self):
        for profile, label in ((MATE, "Hold &amp; Answer"), (LXQT, "Hold && Answer"), (PLASMA6, "Hold & Answer")):
            with self.at(profile) as server:
                calls = [self.alpha.active(), self.ring("Bob", self.second_provider())]
                shown = server.wait_title("from Bob")
                self.assertEqual(shown.actions["hold-and-answer"], label)
                self.assertIn("hold-and-answer", server.buttons(shown))
                for call in calls:
                    self.end(call).result()
                server.wait_shown(0)

    def test_the_default_after_a_button_does_nothing(self):
        server = self.scripted(profile=BUDGIE)
        alice, bob = self.ring(), self.ring("Bob", self.second_provider())
        server.use(server.bring("Alice", "decline"), "decline")
        self.assertEnded(alice, "declined", "user")
        server.wait_shown(1)
        self.system.sync()
        self.assertNotEqual(self.property(bob, "RingMode"), "silent")

    def test_what_expires_while_it_rings_is_shown_again(self):
        server = self.scripted(profile=BUDGIE)
        call = self.ring()
        shown = server.wait_title("Alice")
        self.assertGreaterEqual(shown.timeout, 12_000)
        server.pass_time()
        server.wait_shown(0)
        server.wait_within_reach()
        self.assertEqual(self.property(call, "RingMode"), "audible")

    def test_what_is_closed_before_it_is_posted_is_shown_once_it_can_be(self):
        server = self.scripted(profile=BUDGIE, behaviour="full-screen")
        self.ring()
        wait_until(lambda: server.asked, "nothing is posted")
        server.behaviour = "show"
        server.wait_within_reach()

    def test_a_server_that_takes_long_to_begin_shows_the_call_once_with_its_buttons(self):
        for profile in (GNOME43, GNOME48):
            with self.at(profile, behaviour="asleep") as server:
                call = self.ring()
                # It has 5 s to say what it can do.
                wait_until(lambda: server.asked, "nothing is posted")
                server.begin()
                server.wait_within_reach()
                server.wait_shown(1)
                self.reject(call).result()
                server.wait_shown(0)

    def test_a_server_that_first_answers_with_errors_shows_the_call_with_its_buttons(self):
        server = self.scripted(profile=GNOME48, behaviour="helper")
        self.ring()
        # It has 5 s to say what it can do.
        wait_until(lambda: server.asked, "nothing is posted")
        server.behaviour = "show"
        server.wait_within_reach()
        server.wait_shown(1)

    def test_the_users_close_silences_and_leaves_the_call_within_reach(self):
        for profile, urgency in ((GNOME43, 0), (GNOME48, 0), (PLASMA6, 2), (MAKO, 2), (MATE, 2), (CINNAMON, 2)):
            with self.at(profile) as server:
                call = self.ring()
                server.dismiss(server.wait_title("Alice"))
                self.wait_silent(call)
                server.wait_within_reach()
                self.assertEqual(server.wait_title("Alice").urgency, urgency)
                server.use(server.bring("Alice", "decline"), "decline")
                self.assertEnded(call, "declined", "user")
                server.wait_shown(0)

    def test_answering_at_a_server_that_closes_what_was_chosen_silences_nobody(self):
        server = self.scripted(profile=MAKO)
        alice, bob = self.ring(), self.ring("Bob", self.second_provider())
        self.alpha.behaviour["answer"] = "wait"
        server.use(server.wait_title("from Alice"), "answer")
        self.alpha.wait_action("answer").fulfil()
        self.wait_state(alice, "active")
        server.wait_title("Call with Alice")
        self.assertNotEqual(self.property(bob, "RingMode"), "silent")
        server.wait_within_reach()

    def test_what_the_user_asked_to_see_makes_room_for_a_call(self):
        server = self.scripted(profile=GNOME43)
        self.alpha.active(localized_caller_name="Alice")
        server.wait_title("Call with Alice")
        shown = server.bring("Call with Alice", "hang-up")
        self.assertEqual(shown.urgency, 2)
        self.ring("Bob", self.second_provider())
        wait_until(lambda: server.is_over_windows(server.wait_title("from Bob")), "the call is hidden")
        self.assertEqual(server.wait_title("Call with Alice").urgency, 0)

    def test_our_own_banners_make_room_for_a_call(self):
        self.wait_store()
        for profile in (GNOME43, GNOME48, CINNAMON, WORST):
            with self.at(profile) as server:
                call = self.alpha.incoming(localized_caller_name="Carol", handle=("phone-number", "+46701740607"))
                self.alpha.remote_end(call, "unanswered").result()
                missed = server.wait_title("Missed call from Carol")
                self.assertTrue(server.is_over_windows(missed))
                bob = self.ring("Bob", self.second_provider())
                wait_until(lambda: server.is_over_windows(server.wait_title("from Bob")), "the call is hidden")
                self.reject(bob).result()
                server.use(server.bring("Missed call from Carol", "mark-read"), "mark-read")
                server.wait_shown(0, title="Missed")

    def test_what_is_clicked_in_an_open_tray_is_seen_once_the_tray_is_closed(self):
        for profile in (GNOME43, GNOME48):
            with self.at(profile, deadlines=["banner=200"]) as server:
                call = self.alpha.active(localized_caller_name="Alice")
                shown = server.wait_title("Call with Alice")
                server.is_tray_open = True
                server.click(shown)
                shown = server.wait_one(lambda shown: shown.urgency == 2, "that stands out")
                self.assertFalse(server.is_over_windows(shown))
                server.is_tray_open = False
                shown = server.wait_one(server.is_over_windows, "over the windows")
                posts = len(server.posts)
                server.use(shown, "mute")
                server.wait_one(lambda shown: "unmute" in shown.actions, "to unmute")
                self.assertEqual(len(server.posts), posts + 1)
                self.end(call).result()
                server.wait_shown(0)

    def test_the_icon_in_the_menu_shows_the_buttons_of_the_call(self):
        for profile in (GNOME43, MATE):
            with self.at(profile) as server:
                call = self.alpha.active(localized_caller_name="Alice")
                server.dismiss(server.wait_title("Call with Alice"))
                self.activate()
                shown = server.wait_one(lambda shown: server.buttons(shown)[:1] == ["hang-up"], "with Hang Up")
                self.assertTrue(server.is_over_windows(shown))
                server.use(shown, "hang-up")
                self.assertEnded(call, "local-ended", "user")
                server.wait_shown(0)

    def test_a_click_in_the_tray_drops_nothing(self):
        self.wait_store()
        for profile in (GNOME43, GNOME48, WORST):
            with self.at(profile) as server:
                held = self.resumable("Alice")
                server.click(server.wait_title("has ended"))
                call = self.alpha.incoming(localized_caller_name="Carol", handle=("phone-number", "+46701740607"))
                self.alpha.remote_end(call, "unanswered").result()
                server.click(server.wait_title("Missed call from Carol"))
                server.use(server.bring("Alice is on hold", "hang-up"), "hang-up")
                self.assertEnded(held, "local-ended", "user")
                server.use(server.bring("Missed call from Carol", "mark-read"), "mark-read")
                server.wait_shown(0, title="Missed")

    def test_missed_calls_lie_in_the_history_of_plasma(self):
        self.wait_store()
        server = self.scripted(profile=PLASMA6)
        for name, number in (("Alice", "1"), ("Bob", "2"), ("Alice", "1")):
            call = self.alpha.incoming(localized_caller_name=name, handle=("phone-number", f"+4670174060{number}"))
            self.alpha.remote_end(call, "unanswered").result()
        shown = server.wait_shown(1, title="3 missed calls")
        self.assertEqual((shown.body, shown.timeout), ("Alice (+46701740601)\nBob (+46701740602)", -1))
        server.pass_time()
        self.activate()
        server.wait_shown(1, title="3 missed calls")

    def test_cinnamon_and_gnome_name_the_second_call_on_the_banner(self):
        for profile in (CINNAMON, GNOME43, GNOME48):
            with self.at(profile, deadlines=["banner=200"]) as server:
                calls = [self.ring(), self.ring("Bob", self.second_provider())]
                server.wait_shown(2)
                def is_named():
                    shown = server.shown.get(server.banner)
                    return shown and "from Alice" in shown.title and "Bob (Beta)" in shown.body
                wait_until(is_named, lambda: f"{server.shown}, over the windows: {server.banner}")
                for call in calls:
                    self.reject(call).result()
                server.wait_shown(0)


class EndTests(NotificationTest):
    def ended(self, call, reason, provider=None):
        (provider or self.alpha).remote_end(call, reason).result()
        return self.server.wait_one(lambda shown: shown.hints["category"] == "call.ended", "of the end")

    def test_the_end_of_a_call_is_told_in_one_line(self):
        server = self.scripted()
        for reason, title in (("remote-ended", "Alice has ended the call"), ("failed", "The call with Alice has failed")):
            call = self.alpha.active(localized_caller_name="Alice")
            server.wait_title("Call with Alice")
            shown = self.ended(call, reason)
            self.assertEqual((shown.title, shown.body, bool(shown.hints["transient"]), shown.timeout), (title, "", True, -1))
            server.dismiss(shown)

    def test_an_outgoing_call_that_nobody_answers(self):
        server = self.scripted()
        self.alpha.connects = False
        call = self.start_call("generic:far").result()
        shown = server.wait_named("Calling far")
        self.assertEqual((shown.body, shown.buttons), ("Via Alpha Tel", ["Hang Up", "Mute"]))
        self.assertEqual(self.ended(call, "unanswered").title, "far does not answer")

    def test_the_users_own_end_and_a_missed_call_are_not_told(self):
        server = self.scripted()
        self.end(self.alpha.active(localized_caller_name="Alice")).result()
        call = self.alpha.incoming(localized_caller_name="Bob")
        server.wait_title("Bob")
        self.alpha.remote_end(call, "unanswered").result()
        server.wait_shown(0, title="from Bob")
        self.assertEqual([post for post in server.posts if "ended" in post.title], [])

    def test_a_locked_screen_learns_no_names(self):
        saver = screen_saver(self, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", is_late=False)
        server = self.scripted()
        call = self.alpha.active(localized_caller_name="Alice")
        server.wait_title("Call with Alice")
        before = len(server.posts)
        saver.set_active(True)
        server.wait_named("A call goes on")
        self.assertEqual(self.ended(call, "remote-ended").title, "The far side has ended the call")
        self.assertNotIn("Alice", str(server.posts[before:]))
