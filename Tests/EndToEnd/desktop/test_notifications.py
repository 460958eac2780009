"""Notifications of calls: every case with a scripted server, and a click in each real one."""

import os
import statistics
import time

import dbus

from desktop.notices import NotificationTest
from desktop.notification_servers import Dunst, Mako, ScriptedServer, Xfce
from desktop.server_profiles import PLASMA6
from support.system import ROOT, SYSTEM
from support.waiting import wait_until

SLOW = 4
"""How many times slower than asked for a busy machine may be."""


class ScriptedTests(NotificationTest):
    def test_a_ringing_call_is_shown_with_its_buttons_and_withdrawn(self):
        server = self.scripted()
        call = self.alpha.incoming(localized_caller_name="Alice", handle=("phone-number", "+46701740605"))
        shown = server.wait_shown()
        self.assertEqual((server.application, shown.icon), ("Phone", "org.opencallkit.Phone"))
        self.assertEqual((shown.title, shown.body), ("Incoming call from Alice", "Call via Alpha Tel\n+46701740605"))
        self.assertEqual(list(shown.actions.items()), [("answer", "Answer"), ("decline", "Decline"),
                                                       ("silence", "Silence"), ("default", "Silence")])
        self.assertEqual((shown.hints["urgency"], shown.hints["category"], bool(shown.hints["resident"]),
                          bool(shown.hints["suppress-sound"]), shown.hints["desktop-entry"], shown.timeout),
                         (2, "call.incoming", True, True, "org.opencallkit.Phone", 0))
        server.press(shown, "answer")
        self.wait_state(call, "active")
        server.wait_shown(0, title="Incoming")
        self.assertEqual({post.hints["x-gnome-privacy-scope"] for post in server.posts}, {"system"})

    def test_silence_decline_and_a_withheld_number(self):
        server = self.scripted()
        call = self.alpha.incoming(handle=None)
        shown = server.wait_shown()
        self.assertEqual((shown.title, shown.urgency), ("Incoming call from an unknown caller", 2))
        server.press(shown, "default")
        self.wait_silent(call)
        wait_until(lambda: "silence" not in server.wait_shown().actions, "Silence is still offered")
        self.assertEqual(server.wait_shown().urgency, 2)
        server.press(server.wait_shown(), "decline")
        self.assertEnded(call, "declined", "user")
        server.wait_shown(0)

    def test_a_second_call_offers_to_hold_or_end_the_first_and_follows_changes(self):
        server = self.scripted(profile=PLASMA6)
        first = self.alpha.active()
        beta = self.second_provider()
        second = beta.incoming(localized_caller_name="Bob")
        shown = server.wait_title("Bob")
        self.assertEqual(list(shown.actions), ["hold-and-answer", "end-and-answer", "decline", "silence", "default"])
        self.assertIn("Another call is active", shown.body)
        self.end(first).result()
        wait_until(lambda: "answer" in server.wait_title("Bob").actions, "the buttons do not follow")
        self.assertEqual(server.wait_shown().number, shown.number, "not replaced in its place")
        self.assertNotIn("Another", server.wait_shown().body)
        server.press(server.wait_shown(), "answer")
        self.wait_state(second, "active")

    def test_hold_and_answer_and_end_and_answer(self):
        server = self.scripted()
        first = self.alpha.active()
        beta = self.second_provider()
        second = beta.incoming(localized_caller_name="Bob")
        server.press(server.wait_title("from Bob"), "hold-and-answer")
        self.wait_state(second, "active")
        self.assertState(first, "held")
        third = self.alpha.incoming(localized_caller_name="Carol")
        server.press(server.wait_title("from Carol"), "end-and-answer")
        self.wait_state(third, "active")
        self.assertEnded(second, "local-ended", "user")

    def test_a_refusal_is_told_and_the_call_is_shown_on(self):
        server = self.scripted()
        call = self.alpha.incoming(localized_caller_name="Alice")
        self.alpha.behaviour["answer"] = "fail"
        shown = server.wait_shown()
        server.press(shown, "answer")
        told = server.wait_title("Answering failed")
        self.assertTrue(told.body)
        server.wait_shown(0, title="Incoming")

    def test_a_server_that_is_replaced_shows_the_call_again(self):
        server = self.scripted()
        call = self.alpha.incoming(localized_caller_name="Alice")
        server.wait_shown()
        server.leave()
        other = ScriptedServer(self)
        other.number = 40
        shown = other.wait_shown()
        self.assertEqual((shown.title, shown.number), ("Incoming call from Alice", 41))
        server = other
        server.press(shown, "answer")
        self.wait_state(call, "active")
        server.wait_shown(0, title="Incoming")

    def test_actions_of_others_are_ignored(self):
        server = self.scripted()
        call = self.alpha.incoming(localized_caller_name="Alice")
        shown = server.wait_shown()
        stranger = self.system.connect()
        message = dbus.lowlevel.SignalMessage("/org/freedesktop/Notifications", "org.freedesktop.Notifications",
                                              "ActionInvoked")
        message.append(dbus.UInt32(shown.number), "answer", signature="us")
        stranger.send_message(message)
        stranger.flush()
        server.ActionInvoked(dbus.UInt32(shown.number + 7), "answer")
        server.press(shown, "nonsense")
        other = self.alpha.incoming(localized_caller_name="Bob")
        server.wait_shown(2)
        self.assertState(call, "ringing")
        self.assertState(other, "ringing")

    def test_a_server_that_refuses_for_a_while(self):
        server = self.scripted(behaviour="refuse")
        self.alpha.incoming(localized_caller_name="Alice")
        self.alpha.incoming(localized_caller_name="Bob")
        wait_until(lambda: server.asked >= 2, "nothing is posted")
        server.behaviour = "show"
        server.wait_shown(2)

    def test_a_server_that_answers_late_or_wrongly(self):
        server = self.scripted(behaviour="late")
        call = self.alpha.incoming(localized_caller_name="Alice")
        wait_until(lambda: server.waiting, "nothing is posted")
        self.reject(call).result()
        server.waiting.pop()()
        server.wait_shown(0)
        server.behaviour = "wrong"
        before = server.asked
        self.alpha.incoming(localized_caller_name="Bob")
        wait_until(lambda: server.asked > before, "nothing is posted")
        server.behaviour = "show"
        self.assertEqual(server.wait_shown().title, "Incoming call from Bob")
        self.assertIsNone(self.agent.poll())

    def test_a_server_that_never_answers_holds_up_nothing(self):
        server = self.scripted(behaviour="never")
        call = self.alpha.incoming(localized_caller_name="Alice")
        # It has 5 s to say what it can do. Then the call is posted without buttons, and calls go on meanwhile.
        wait_until(lambda: server.asked, "nothing is posted")
        self.answer(call).result()
        server.leave()
        other = ScriptedServer(self)
        self.second_provider().incoming(localized_caller_name="Bob")
        self.assertIn("hold-and-answer", other.wait_title("from Bob").actions)
        other.wait_shown(1, title="Incoming")

    def test_hostile_names(self):
        server = self.scripted("actions", "body", "body-markup")
        name = "<b>Alice</b>\u202eevil\u2066\n\x1b&" + "x" * 10_000
        self.alpha.incoming(localized_caller_name=name, handle=("generic", "<i>&"))
        shown = server.wait_shown()
        # Titles are never markup.
        self.assertTrue(shown.title.startswith("Incoming call from <b>Alice</b>evil&xxx"), shown.title)
        self.assertLessEqual(len(shown.title), 280)
        self.assertEqual(shown.body, "Call via Alpha Tel\n&lt;i&gt;&amp;")

    def test_a_server_without_markup_gets_the_text_as_it_is(self):
        server = self.scripted()
        self.alpha.incoming(handle=("generic", "<i>&"), localized_caller_name="Alice")
        self.assertEqual(server.wait_shown().body, "Call via Alpha Tel\n<i>&")

    def test_a_server_without_buttons_shows_what_to_type(self):
        server = self.scripted("body")
        call = self.alpha.incoming(localized_caller_name="Alice", handle=("generic", "Alice"))
        shown = server.wait_shown()
        self.assertEqual((shown.actions, shown.body), ({}, "Call via Alpha Tel\nIn a terminal: callctl answer"))
        self.answer(call).result()
        self.assertTrue(server.wait_named("Call with Alice").body.endswith("\nIn a terminal: callctl end"))
        server.wait_shown(1)

    def test_a_picture_is_passed_on_only_if_it_is_a_file(self):
        server = self.scripted()
        folder = self.system.folder.name
        os.mkfifo(f"{folder}/fifo")
        with open(f"{folder}/alice.png", "wb"):
            pass
        for name, image in (("FIFO", f"{folder}/fifo"), ("Nobody", f"{folder}/missing.png"), ("Folder", folder)):
            call = self.alpha.incoming(localized_caller_name=name, image=image)
            self.assertNotIn("image-path", server.wait_title(name).hints)
            self.reject(call).result()
        self.alpha.incoming(localized_caller_name="Alice", image=f"{folder}/alice.png", has_video=True)
        shown = server.wait_title("Alice")
        self.assertEqual((shown.hints["image-path"], shown.title),
                         (f"{folder}/alice.png", "Incoming video call from Alice"))
        self.assertIn("Video call via Alpha Tel", shown.body)

    def test_a_filtered_call_shows_nothing(self):
        server = self.scripted()
        self.system.call(ROOT, "org.freedesktop.DBus.Properties", "Set", "ssv", SYSTEM, "DoNotDisturb", True).result()
        self.alpha.report_incoming(localized_caller_name="Alice").wait()
        self.wait_told("CallFiltered")
        self.system.call(ROOT, "org.freedesktop.DBus.Properties", "Set", "ssv", SYSTEM, "DoNotDisturb", False).result()
        self.alpha.incoming(localized_caller_name="Bob")
        server.wait_title("Bob")
        self.assertEqual([shown.title for shown in server.posts], ["Incoming call from Bob"])

    def test_a_resume_is_suggested(self):
        server = self.scripted()
        first = self.resumable("Alice")
        shown = server.wait_one(lambda shown: "The other call has ended" in shown.body, "that suggests it")
        self.assertEqual((shown.title, shown.buttons, shown.urgency), ("Alice is on hold", ["Resume", "Hang Up"], 1))
        server.press(shown, "resume")
        self.wait_state(first, "active")
        server.wait_shown(0, title="on hold")

    def test_two_calls_are_swapped(self):
        server = self.scripted()
        first = self.alpha.active(localized_caller_name="Alice")
        beta = self.second_provider()
        second = beta.incoming(localized_caller_name="Bob")
        server.press(server.wait_title("from Bob"), "hold-and-answer")
        for held, active, key in ((first, "Bob", "swap"), (second, "Alice", "swap"), (first, "Bob", "resume")):
            title = f"Call with {active}" if key == "swap" else "Alice is on hold"
            shown = server.wait_one(lambda shown: shown.title == title and "Swap" in shown.buttons, f"{title} with Swap")
            server.press(shown, key)
            self.wait_state(held, "active")

    def test_digits_that_wait_are_sent_by_a_button(self):
        server = self.scripted()
        self.request([("start", {"handle": "generic:Conference", "post-dial": ";4711#;99"})]).result()
        for digits in ("4711#", "99"):
            shown = server.wait_one(lambda shown: f"{digits} is not sent yet" in shown.body, f"with {digits}")
            self.assertEqual(shown.buttons[0], "Send Digits")
            server.press(shown, "send-digits")
        server.wait_one(lambda shown: shown.title == "Call with Conference" and "Send Digits" not in shown.buttons,
                        "without the button")
        self.assertEqual([action.details["digits"] for action in self.alpha.actions("play-dtmf")], ["4711#", "99"])

    def test_a_second_call_that_rings_too(self):
        server = self.scripted()
        self.alpha.incoming(localized_caller_name="Alice")
        self.second_provider().incoming(localized_caller_name="Bob")
        for name, other in (("Alice", "Bob (Beta)"), ("Bob", "Alice (Alpha Tel)")):
            server.wait_one(lambda shown: f"from {name}" in shown.title
                            and f"Another call is ringing: {other}" in shown.body, f"of {name} that names {other}")
        self.assertNotIn("active", str(server.posts))

    def test_two_hundred_calls_leave_nothing(self):
        server = self.scripted()
        for number in range(200):
            call = self.alpha.incoming(localized_caller_name=f"Caller {number}")
            server.wait_title(f"from Caller {number}")
            self.reject(call).result()
            server.wait_shown(0)

    def test_how_long_it_takes_to_be_seen(self):
        server = self.scripted()
        times = []
        for number in range(50):
            before = len(server.posts)
            began = time.monotonic()
            call = self.alpha.report_incoming(localized_caller_name=f"Caller {number}").result()
            wait_until(lambda: len(server.posts) > before, "it is not posted")
            times.append((time.monotonic() - began) * 1_000)
            self.reject(call).result()
            server.wait_shown(0)
        slowest = sorted(times)[-2]
        print(f"\nfrom the report to Notify: p50 {statistics.median(times):.1f} ms, p98 {slowest:.1f} ms", flush=True)
        self.assertLess(statistics.median(times), 20 * SLOW)


class RealServerTests(NotificationTest):
    policy = '\n    <allow user="*"/>'

    def test_dunst(self):
        dunst = Dunst(self).start()
        self.start_agent()
        first = self.alpha.incoming(localized_caller_name="Alice")
        dunst.wait_shown()
        dunst.press("Answer")
        self.wait_state(first, "active")
        # The call goes on.
        dunst.wait_shown(1)
        second = self.second_provider().incoming(localized_caller_name="Bob")
        dunst.wait_shown(2)
        dunst.kill()
        dunst.start()
        dunst.wait_shown(2)
        dunst.press("Hold & Answer")
        self.wait_state(second, "active")
        self.assertState(first, "held")
        dunst.wait_shown(2)
        self.end(second).result()
        self.wait_state(first, "active")
        dunst.wait_shown(1)
        dunst.press("Hang Up")
        self.assertEnded(first, "local-ended", "user")
        dunst.wait_shown(0)

    def test_xfce4_notifyd(self):
        xfce = Xfce(self).start()
        self.start_agent()
        call = self.alpha.incoming(localized_caller_name="Alice", handle=("phone-number", "+46701740605"))
        xfce.wait_drawn()
        folder = os.environ.get("OPENCALLKIT_ARTEFACTS")
        if folder:
            xfce.display.save(f"{folder}/incoming-xfce.png")
        xfce.press(0, count=3)
        self.wait_state(call, "active")
        self.end(call).result()
        xfce.wait_blank()

    def test_mako(self):
        mako = Mako(self).start()
        self.start_agent()
        call = self.alpha.incoming(localized_caller_name="Alice")
        wait_until(lambda: "Alice" in mako.list(), "mako does not list the call", every=0.05)
        mako.press("answer")
        self.wait_state(call, "active")
        wait_until(lambda: "Incoming" not in mako.list(), "mako still lists the call", every=0.05)
        self.assertIn("Call with Alice", mako.list())
        mako.press("hang-up")
        self.assertEnded(call, "local-ended", "user")
        wait_until(lambda: "Alice" not in mako.list(), "mako still lists the call", every=0.05)
