"""The machine stays awake during calls, and the agent knows whether the screen is locked."""


import dbus

from desktop.case import DESKTOP, DESKTOP_PATH, DesktopTest
from desktop.notification_servers import ScriptedServer
from support.login_manager import Login, SystemBus, screen_saver
from support.provider import Provider
from support.waiting import let_pass, wait_until


class LoginTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.system_bus = SystemBus(self)

    def start_login(self, **options):
        self.login = Login(self, self.system_bus, **options)
        return self.login

    def part(self):
        parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
        return next(part for part in parts if part["name"] == "login")

    def wait_part(self, text, ready=True):
        wait_until(lambda: text in self.part()["text"] and self.part()["ready"] == ready,
                   lambda: f"not {text}: {self.part()}", every=0.02)

    def wake_ups(self):
        with open(f"/proc/{self.agent.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))


    def wait_quiet(self, seconds):
        """Waits until the agent has slept for so long. Asking it for its parts would wake it up."""
        counts = [self.wake_ups()]
        while len(counts) < 2 or counts[-1] != counts[-2]:
            self.assertLess(len(counts), 10, "it goes on trying")
            let_pass(seconds)
            counts.append(self.wake_ups())


class AwakeTests(LoginTest):
    def start(self, **options):
        self.system_bus.start()
        self.start_login(**options)
        self.start_agent()
        self.wait_part("may sleep")

    def test_the_machine_stays_awake_from_the_ring_to_the_end(self):
        self.start()
        alpha = Provider(self.system)
        call = alpha.incoming()
        [lock] = self.login.wait_held(1)
        self.assertEqual((lock.what, lock.who, lock.mode), ("sleep:idle", "Phone", "block"))
        self.assertEqual(lock.why, "A call is in progress", "it names nobody")
        self.wait_part("stays awake")
        self.answer(call).result()
        beta = Provider(self.system, "Beta", "/beta")
        other = beta.incoming()
        self.reject(other).result()
        self.assertState(call, "active")
        self.assertEqual(self.login.held, [lock])
        self.end(call).result()
        self.login.wait_held(0)
        self.wait_part("may sleep")
        self.assertEqual(self.login.asked, ["sleep:idle"], "one lock for all calls")

    def test_outgoing_calls_count_and_each_time_anew(self):
        self.start()
        Provider(self.system)
        for _ in range(2):
            call = self.start_call("generic:far").result()
            self.login.wait_held(1)
            self.end(call).result()
            self.login.wait_held(0)
        self.assertEqual(len(self.login.locks), 2)

    def test_who_may_not_hold_off_sleep_holds_off_idling(self):
        self.start(allowed=("idle",))
        Provider(self.system).incoming()
        [lock] = self.login.wait_held(1)
        self.assertEqual(lock.what, "idle")

    def test_a_refusal_is_shown_and_the_next_call_asks_again(self):
        self.start(allowed=())
        alpha = Provider(self.system)
        call = alpha.incoming()
        self.wait_part("Permission denied", ready=False)
        self.reject(call).result()
        self.wait_part("may sleep")
        self.login.allowed = ("sleep:idle",)
        alpha.incoming()
        self.login.wait_held(1)

    def test_the_lock_ends_with_the_agent_however_it_ends(self):
        self.start()
        Provider(self.system).incoming()
        self.login.wait_held(1)
        self.agent.kill()
        self.agent.wait()
        self.login.wait_held(0)
        self.wait_name(DESKTOP, owned=False)
        self.start_agent()
        self.login.wait_held(1)
        self.agent.terminate()
        self.agent.wait()
        self.login.wait_held(0)

    def test_a_new_login_manager_is_asked_again(self):
        self.start()
        Provider(self.system).incoming()
        self.login.wait_held(1)
        self.login.leave()
        self.wait_part("no logind", ready=False)
        self.start_login()
        self.login.wait_held(1)
        self.wait_part("stays awake")


class SystemBusTests(LoginTest):
    def test_without_a_system_bus_calls_go_on_and_nothing_wakes_up(self):
        self.start_agent()
        self.wait_part("no system bus", ready=False)

        # It gives up after some seconds, of which it waits up to 3.2 between two attempts.
        self.wait_quiet(6.4)
        before = self.wake_ups()
        let_pass(4.0)
        self.assertEqual(self.wake_ups(), before)
        call = Provider(self.system).incoming()
        self.answer(call).result()

    def test_a_system_bus_that_comes_later_is_found_by_the_next_call(self):
        self.start_agent()
        self.wait_part("no system bus", ready=False)
        alpha = Provider(self.system)
        self.system_bus.start()
        self.start_login()
        alpha.incoming()
        self.login.wait_held(1)

    def test_a_system_bus_that_restarts_is_found_again(self):
        self.system_bus.start()
        self.start_login()
        self.start_agent()
        Provider(self.system).incoming()
        self.login.wait_held(1)
        self.system_bus.stop()
        self.login.leave()
        self.system_bus.start()
        self.start_login()
        self.login.wait_held(1)


class ScreenLockTests(LoginTest):
    def test_the_sessions_hint_is_followed(self):
        self.system_bus.start()
        login = self.start_login()
        login.session.is_locked = True
        self.start_agent()
        self.wait_part("is locked")
        login.session.set_locked(False)
        self.wait_part("is unlocked")
        login.session.set_locked(True)
        self.wait_part("is locked")
        login.session.is_locked = False
        login.session.PropertiesChanged(
            "org.freedesktop.login1.Session", dbus.Dictionary({}, signature="sv"), ["LockedHint"])
        self.wait_part("is unlocked")

    def test_a_ringing_call_shows_no_name_while_the_session_is_locked(self):
        self.system_bus.start()
        login = self.start_login()
        login.session.is_locked = True
        server = ScriptedServer(self)
        self.start_agent()
        self.wait_part("is locked")
        Provider(self.system).incoming(localized_caller_name="Alice")
        shown = server.wait_named("Incoming call")
        self.assertNotIn("Alice", shown.title + shown.body)
        login.session.set_locked(False)
        server.wait_named("Incoming call from Alice")
        login.session.set_locked(True)
        server.wait_named("Incoming call")

    def test_a_login_manager_that_goes_leaves_nothing_locked(self):
        self.system_bus.start()
        login = self.start_login()
        login.session.is_locked = True
        self.start_agent()
        self.wait_part("is locked")
        login.leave()
        self.wait_part("no logind", ready=False)
        self.start_login()
        self.wait_part("is unlocked")

    def test_strangers_lock_nothing(self):
        self.system_bus.start()
        login = self.start_login()
        self.start_agent()
        self.wait_part("is unlocked")
        stranger = self.system_bus.connect()
        self.addCleanup(stranger.close)
        signal = dbus.lowlevel.SignalMessage(
            "/org/freedesktop/login1/session/_32", "org.freedesktop.DBus.Properties", "PropertiesChanged")
        signal.append("org.freedesktop.login1.Session", {"LockedHint": True}, [], signature="sa{sv}as")
        stranger.send_message(signal)
        stranger.flush()
        # An answer of the bus to the stranger comes after its signal was passed on.
        stranger.get_name_owner("org.freedesktop.login1")
        Provider(self.system).incoming()
        login.wait_held(1)
        self.assertIn("is unlocked", self.part()["text"])

    def follow_saver(self, name, path):
        self.system_bus.start()
        self.start_login()
        saver = screen_saver(self, name, path, is_active=True)
        self.start_agent()
        self.wait_part("is locked")
        saver.set_active(False)
        self.wait_part("is unlocked")
        saver.set_active(True)
        self.wait_part("is locked")
        saver.leave()
        self.wait_part("is unlocked")

    def test_gnomes_screen_saver_is_followed(self):
        self.follow_saver("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver")

    def test_the_common_screen_saver_is_followed(self):
        self.follow_saver("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver")

    def test_cinnamons_screen_saver_is_followed(self):
        self.follow_saver("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver")

    def test_mates_screen_saver_is_followed(self):
        self.follow_saver("org.mate.ScreenSaver", "/org/mate/ScreenSaver")

    def test_xfces_screen_saver_is_followed(self):
        self.follow_saver("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver")

    def test_it_is_locked_as_long_as_one_says_so(self):
        self.system_bus.start()
        login = self.start_login()
        saver = screen_saver(self, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", is_active=True)
        login.session.is_locked = True
        self.start_agent()
        self.wait_part("is locked")
        saver.set_active(False)
        self.wait_part("is locked")
        login.session.set_locked(False)
        self.wait_part("is unlocked")
