"""The notifications of calls at servers with the habits of each desktop: a person at the screen gets through each call."""

import dbus

from desktop.notices import APPLICATION, PHONE, PHONE_PATH, NotificationTest
from desktop.server_profiles import for_each
from support.login_manager import screen_saver
from support.waiting import wait_until

REMINDER = "reminder=300"
LINK = "tel:+1-201-555-0123"


@for_each()
class EachServer(NotificationTest):
    def test_a_call_is_within_reach_from_its_first_to_its_last_moment(self):
        saver = screen_saver(self, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", is_late=False)
        server = self.scripted()
        alice = self.alpha.incoming(localized_caller_name="Alice")
        shown = server.wait_named("Incoming call from Alice")
        server.wait_within_reach()
        self.assertEqual((shown.urgency, list(shown.actions)[-1]), (2, "silence" if self.profile.draws_default else "default"))
        server.click(shown)
        self.wait_silent(alice)
        server.wait_within_reach()
        self.assertEqual(server.wait_title("Alice").urgency, 2)
        bob = self.second_provider().incoming(localized_caller_name="Bob")
        server.wait_shown(2, title="Incoming call from")
        server.wait_within_reach()
        saver.set_active(True)
        server.wait_shown(0, title="from")
        saver.set_active(False)
        server.wait_within_reach()
        self.reject(bob).result()
        server.wait_shown(1, title="Incoming call")
        server.wait_within_reach()
        server.pass_time()
        server.wait_within_reach()
        server.dismiss(server.wait_title("Alice"))
        server.wait_within_reach()
        self.assertState(alice, "ringing")
        server.use(server.bring("Alice", "answer"), "answer")
        self.wait_state(alice, "active")
        server.wait_shown(0, title="Incoming")

    def test_a_call_that_goes_on_can_be_ended_and_hides_nothing(self):
        server = self.scripted(deadlines=[REMINDER])
        call = self.alpha.active(localized_caller_name="Alice")
        shown = server.wait_named("Call with Alice")
        self.assertRegex(shown.body, r"^Since \d\d:\d\d via Alpha Tel")
        self.assertEqual((shown.urgency, bool(shown.hints["resident"])), (0, True))
        self.assertEqual(shown.buttons, ["Hang Up", "Mute", "Hold"])
        server.pass_time()
        server.use(server.bring("Call with Alice", "mute"), "mute")
        wait_until(lambda: self.property(call, "Muted"), "it is not muted", every=0.05)
        shown = server.bring("Call with Alice", "unmute")
        bob = self.second_provider().incoming(localized_caller_name="Bob")
        server.wait_within_reach()
        wait_until(lambda: server.is_answerable(server.wait_title("from Bob")), "the call is hidden")
        self.reject(bob).result()
        server.wait_shown(0, title="Bob")
        server.dismiss(server.wait_title("Call with Alice"))
        self.activate()
        server.use(server.bring("Call with Alice", "hang-up"), "hang-up")
        self.assertEnded(call, "local-ended", "user")
        server.wait_shown(0)
        self.assertEqual([post.title for post in server.posts if "ended" in post.title], [])

    def test_what_waits_for_an_answer_stays_answerable(self):
        self.wait_store()
        server = self.scripted()
        for name, number in (("Alice", "+46701740605"), ("Bob", "+46701740606")):
            call = self.alpha.incoming(localized_caller_name=name, handle=("phone-number", number))
            self.alpha.remote_end(call, "unanswered").result()
        shown = server.wait_named("2 missed calls")
        self.assertEqual(shown.buttons, ["Call Bob", "Call Alice", "Mark as Read"])
        server.pass_time()
        self.wait_name(PHONE)
        self.system.call(PHONE_PATH, APPLICATION, "Open", "asa{sv}", dbus.Array([LINK], signature="s"),
                         dbus.Dictionary({}, signature="sv"), name=PHONE).result()
        question = server.wait_title(f"Call {LINK}?")
        self.assertEqual(question.buttons, ["Cancel", "Call"])
        if self.profile.list == "bare":
            server.click(question)
        server.use(server.bring(LINK, "cancel"), "cancel")
        server.wait_shown(0, title=LINK)
        self.activate()
        server.use(server.bring("2 missed calls", "mark-read"), "mark-read")
        server.wait_shown(0)
