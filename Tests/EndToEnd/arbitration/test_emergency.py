"""112 reaches the emergency services, whatever apps and plugins do."""

import signal

import dbus

from support.case import SystemTest
from support.floods import start_flooder
from support.messages import variants
from support.provider import Provider
from support.system import CALL, PROPERTIES, PROVIDER, ROOT, SYSTEM
from support.terminal import Commands
from support.waiting import exited, wait_until

PHONE = dbus.Array(["phone-number"], signature="s")
NUMBERS = dbus.Array(["112", "911"], signature="s")
SECONDS = 600
"""The longest that a start may take, however slow and busy the machine is. Who waited for an ordinary deadline would take
an hour here."""
ORDINARY = 3_600_000


class Emergency(SystemTest):
    """Services, which the user has marked, reaches the services. Hotline and MonkeyCall, which came with the system, and the
    other apps do not."""

    with_plugins = True
    deadlines = dict.fromkeys(("start", "answer", "end", "set-held", "set-muted", "audio-release"), ORDINARY)

    def setUp(self):
        super().setUp()
        self.services = self.phone("Services", emergency_numbers=NUMBERS)
        self.mark(self.services)
        self.app = self.phone("AAA")

    def phone(self, name, **configuration):
        return Provider(self.system, name, delegate=f"/{name}", supported_handle_types=PHONE, **configuration)

    def silence(self, **behaviour):
        """The app says that it reaches the services too, and behaves so."""
        self.app.behaviour = behaviour
        self.app.report("UpdateConfiguration", "a{sv}", variants({"emergency-numbers": ["112", "911"]})).result()
        self.mark(self.services, self.app)

    def assertReached(self, **options):
        """112 is started by a provider that reaches the services, in time. Returns the call."""
        call = self.start_call("112", **options).result()
        at = self.times(call)
        self.assertLess(at["start-fulfilled"] - at["start-requested"], SECONDS * 1_000_000)
        self.assertEqual(self.property(call, "Provider"), self.services.path)
        self.assertTrue(self.property(call, "Emergency"))
        return call

    def times(self, call):
        """When what led to the call's state happened, in µs."""
        return {str(cause["event"]): cause["at"] for cause in self.system.call(call, CALL, "Explain").result()}

    def test_an_app_does_not_get_it(self):
        self.app.report("UpdateConfiguration", "a{sv}", variants({"emergency-numbers": ["112", "911"]})).result()
        self.wait_told("Anomaly", "unentitled-emergency", self.app.path)
        self.assertEqual(self.system.get(self.app.path, PROVIDER, "EmergencyNumbers"), [])
        choice = dbus.Dictionary({"tel": self.app.path.rsplit("/", 1)[1]}, signature="ss")
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DefaultProviders", choice).result()
        self.end(self.assertReached()).result()
        self.assertReached(provider=dbus.ObjectPath(self.app.path))
        self.app.sync()
        self.assertEqual(self.app.actions(), [])

    def test_if_nobody_reaches_them_it_is_refused(self):
        self.services.report("UpdateConfiguration", "a{sv}", variants({"availability": "offline"})).result()
        hotline = dbus.ObjectPath(f"{ROOT}/providers/Hotline")
        for handle, options in (("112", {}), ("9-1-1", {}), ("tel:112", {"provider": hotline}),
                                ("phone-number:1 1 2", {"provider": hotline})):
            with self.subTest(handle=handle, **options):
                pending = self.start_call(handle, **options)
                self.assertRefused(pending, "UnknownProvider")
                self.assertRegex(pending.error_text, r"^No provider here reaches the emergency services: call \d{3} with "
                                 r"another phone\. \(Services is offline; ")
        self.assertEqual(self.property(self.start_call("sip:112@example.org").result(), "Emergency"), False)

    def test_a_silent_one_loses_it_after_a_second(self):
        self.silence(start="wait")
        call = self.assertReached(provider=dbus.ObjectPath(self.app.path))
        self.app.wait_told("TimedOut")
        self.app.sync()
        self.assertEqual(self.app.kinds(), ["start", "end"])
        start, = self.app.actions("start")
        self.assertAlmostEqual(start.deadline - self.times(call)["start-requested"], 1_000_000, delta=1_000)
        self.assertEqual(self.system.shown(call, "Provider"), self.services.path)
        start.fulfil()
        self.wait_told("Anomaly", "late-completion")
        self.assertEqual(self.property(call, "Provider"), self.services.path)

    def test_the_audio_of_a_silent_one_is_awaited_for_a_second(self):
        self.app.behaviour = {"audio": "wait"}
        self.app.active()
        self.assertReached()
        self.services.wait_told("AudioSessionActivated")

    def test_one_that_refuses_loses_it_at_once(self):
        self.silence(start="fail")
        self.assertReached(provider=dbus.ObjectPath(self.app.path))

    def test_one_that_dies_loses_it(self):
        self.silence(start="wait")
        pending = self.start_call("112", provider=dbus.ObjectPath(self.app.path))
        self.app.wait_action("start")
        self.app.vanish()
        self.assertEqual(self.property(pending.result(), "Provider"), self.services.path)

    def test_a_false_emergency_call_is_not_in_its_way(self):
        self.app.behaviour = {"end": "wait", "set-held": "wait"}
        call = self.app.active(emergency=True, supports_holding=False)
        self.assertFalse(self.property(call, "Emergency"))
        self.assertReached()
        self.wait_state(call, "ended")

    def test_nor_is_one_that_the_user_trusted(self):
        self.silence(end="wait")
        call = self.app.active(emergency=True)
        self.assertTrue(self.property(call, "Emergency"))
        self.assertReached()
        self.assertEnded(call, "displaced", "arbiter")

    def test_full_tables_have_room_for_it(self):
        self.app.behaviour = {"set-muted": "wait"}
        own = self.app.active()
        for number in range(300):
            self.system.call(own, CALL, "SetMuted", "b", bool(number % 2))
        others = [self.phone(f"P{number}") for number in range(10)]
        for report in [provider.report_incoming() for provider in others for _ in range(8)]:
            report.wait()
        self.assertReached(conflict="fail")

    def test_floods_do_not_delay_it(self):
        for kind in ("start", "get-all", "errors"):
            with self.subTest(kind):
                flooder = start_flooder(self.system.socket, kind, SECONDS)
                self.addCleanup(flooder.stdout.close)
                self.addCleanup(exited, flooder)
                self.addCleanup(flooder.kill)
                flooder.stdout.readline()
                for _ in range(5):
                    call = self.assertReached()
                    self.assertIsNone(flooder.poll(), "the flood is over")
                    self.system.call(call, CALL, "End").result()
                flooder.send_signal(signal.SIGINT)
                self.assertEqual(exited(flooder), 0)
                self.assertGreater(int(flooder.stdout.read()), 0)


class Marks(Commands, SystemTest):
    """The user's choice, and where it is kept."""

    def setUp(self):
        super().setUp()
        self.app = Provider(self.system, "App", supported_handle_types=PHONE)
        self.id = self.app.path.rsplit("/", 1)[1]

    def marked(self):
        return [str(one) for one in self.property(ROOT, "EmergencyProviders", SYSTEM)]

    def test_callctl_marks_a_provider(self):
        said = self.says("providers", "emergency", self.id, "on")
        self.assertIn(f"{self.id} declares no emergency numbers", said)
        self.assertEqual(self.marked(), [self.id])
        self.assertRefused(self.start_call("112"), "UnknownProvider")
        self.app.report("UpdateConfiguration", "a{sv}", variants({"emergency-numbers": ["112", "911"]})).result()
        wait_until(lambda: self.system.shown(self.app.path, "EmergencyNumbers") == ["112", "911"], "it has no numbers")
        self.assertTrue(self.property(self.start_call("112").result(), "Emergency"))
        self.assertIn(self.id, self.says("providers", "emergency"))
        self.assertEqual(self.data("providers", "emergency"), [self.id])
        self.callctl("providers", "emergency", self.id, "off")
        self.assertEqual(self.marked(), [])

    def test_what_is_no_choice(self):
        for choice in (["no id"], [f"P{number}" for number in range(33)]):
            self.assertRefused(self.mark_ids(*choice), "InvalidArguments")
        self.assertEqual(self.marked(), [])

    def test_the_choice_outlives_the_daemon(self):
        self.mark(self.app)
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.assertEqual(self.marked(), [self.id])
