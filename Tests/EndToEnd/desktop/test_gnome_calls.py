"""The interface from which Phosh shows calls: states, buttons, when it is not served, and that it is for Phosh alone."""

import os

import dbus
import dbus.service

from desktop.case import DesktopTest
from support.listener import Listener
from support.provider import Provider
from support.system import MANAGER, PROPERTIES
from support.waiting import wait_until

NAME = "org.gnome.Calls"
PATH = "/org/gnome/Calls"
GNOME_CALL = "org.gnome.Calls.Call"
PHOSH_NAMES = ("sm.puri.Phosh.Portal", "mobi.phosh.Shell.Portal", "mobi.phosh.Shell.DebugControl")
"""What Phosh owns: 0.24, 0.46, and later ones."""
DENIED = "org.freedesktop.DBus.Error.AccessDenied"


class GnomeCallsTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, supported_handle_types=dbus.Array(["generic", "phone-number"]))
        self.phosh = None

    def start_phosh(self, name=PHOSH_NAMES[0]):
        """Something that owns Phosh's name."""
        self.phosh = self.system.connect()
        self.phosh_name = dbus.service.BusName(name, self.phosh)

    def end_phosh(self):
        self.system.connections.remove(self.phosh)
        self.phosh.close()
        self.phosh = None

    def begin(self, **environment):
        self.start_phosh()
        self.start_agent(**environment)
        self.wait_name(NAME)

    def calls(self):
        objects = self.system.call(PATH, MANAGER, "GetManagedObjects", name=NAME, connection=self.phosh).result()
        return {str(path): interfaces[GNOME_CALL] for path, interfaces in objects.items() if GNOME_CALL in interfaces}

    def wait_call(self, **expected):
        def found():
            for path, values in self.calls().items():
                if all(values[key] == value for key, value in expected.items()):
                    return path
            return None
        return wait_until(found, lambda: f"no call {expected}: {self.calls()}", every=0.02)

    def press(self, path, member, *arguments):
        self.system.call(path, GNOME_CALL, member, "s" * len(arguments), *arguments, name=NAME,
                         connection=self.phosh).result()

    def test_a_call_from_its_ring_to_its_end(self):
        self.begin()
        call = self.alpha.incoming(localized_caller_name="Alice", handle=("phone-number", "+46701740605"))
        path = self.wait_call(State=5)
        self.assertEqual(
            {key: self.calls()[path][key] for key in ("Inbound", "Id", "DisplayName", "Protocol")},
            {"Inbound": True, "Id": "+46701740605", "DisplayName": "Alice", "Protocol": "tel"})
        self.press(path, "Accept")
        self.wait_state(call, "active")
        self.wait_call(State=1)
        self.press(path, "SendDtmf", "5")
        self.alpha.wait_action("play-dtmf")
        self.hold(call).result()
        self.wait_call(State=2)
        self.press(path, "Hangup")
        self.assertEnded(call, "local-ended", "user")
        wait_until(lambda: not self.calls(), "the call stays", every=0.02)

    def test_a_second_call_waits_and_an_outgoing_one_dials(self):
        self.begin()
        self.alpha.connects = False
        call = self.start_call("generic:far").result()
        self.wait_call(State=3, Inbound=False)
        self.alpha.update(call, progress="alerting").result()
        self.wait_call(State=4)
        self.end(call).result()
        self.alpha.connects = True
        self.alpha.active()
        beta = Provider(self.system, "Beta", "/beta")
        beta.incoming()
        self.wait_call(State=6)


class NameTests(GnomeCallsTest):
    def part(self):
        parts = self.system.get("/org/opencallkit/Desktop1", "org.opencallkit.Desktop1", "Parts",
                                name="org.opencallkit.Desktop1")
        return next(str(part["text"]) for part in parts if part["name"] == "lock-screen")

    def test_it_is_left_to_gnome_calls_where_phosh_is_not(self):
        self.start_agent(XDG_CURRENT_DESKTOP="GNOME")
        screen_saver = dbus.service.BusName("org.gnome.ScreenSaver", self.system.connect())
        self.alpha.incoming()
        self.assertEqual(self.part(), "Phosh is not there")
        self.assertFalse(self.system.bus.name_has_owner(NAME))
        del screen_saver

    def test_it_comes_and_goes_with_phosh(self):
        self.start_agent()
        self.alpha.incoming(localized_caller_name="Alice")
        for name in PHOSH_NAMES:
            self.start_phosh(name)
            self.wait_name(NAME)
            self.wait_call(State=5, DisplayName="Alice")
            self.assertEqual(self.part(), "serves org.gnome.Calls for Phosh")
            self.end_phosh()
            self.wait_name(NAME, owned=False)
            self.assertEqual(self.part(), "Phosh is not there")

    def test_in_a_session_of_phosh_its_lock_is_enough(self):
        self.start_agent(XDG_CURRENT_DESKTOP="Phosh:GNOME")
        self.start_phosh("org.gnome.ScreenSaver")
        self.wait_name(NAME)
        self.alpha.incoming(localized_caller_name="Alice")
        self.wait_call(State=5)

    def test_it_is_left_to_others(self):
        other = self.system.connect()
        name = dbus.service.BusName(NAME, other)
        self.start_phosh()
        self.start_agent()
        self.alpha.incoming()
        self.assertEqual(self.part(), "another program serves org.gnome.Calls")
        self.assertEqual(self.system.bus.get_name_owner(NAME), other.get_unique_name())
        self.assertIsNone(self.agent.poll())
        del name

    def test_it_is_not_served_if_the_user_has_chosen_gnome_calls(self):
        self.write("mimeapps.list", "[Added Associations]\nx-scheme-handler/tel=org.example.Phone.desktop;\n"
                   "[Default Applications]\nx-scheme-handler/tel=org.gnome.Calls.desktop;\n")
        self.start_phosh()
        self.start_agent()
        self.assertEqual(self.part(), "GNOME Calls is the user's choice for tel: links")
        self.assertFalse(self.system.bus.name_has_owner(NAME))

    def test_the_setting_is_followed(self):
        self.begin()
        self.write("opencallkit/desktop.conf", "gnome-calls = no\n")
        self.wait_name(NAME, owned=False)
        self.assertEqual(self.part(), "gnome-calls = no in desktop.conf")
        self.write("opencallkit/desktop.conf", "gnome-calls = yes\n")
        self.wait_name(NAME)

    def write(self, name, text):
        path = f"{self.system.environment['XDG_CONFIG_HOME']}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class ConfidenceTests(GnomeCallsTest):
    """Signals and answers are for Phosh alone."""

    def test_nobody_else_is_told_or_answered(self):
        other = Listener(self.system)
        self.begin()
        phosh_hears = Listener(self.system, self.phosh)
        call = self.alpha.incoming(localized_caller_name="Alice", handle=("phone-number", "+46701740605"))
        path = self.wait_call(State=5)
        stranger = self.system.connect()
        for target, interface, member, signature, *arguments in (
                (PATH, MANAGER, "GetManagedObjects", ""), (path, PROPERTIES, "GetAll", "s", GNOME_CALL),
                (path, PROPERTIES, "GetAll", "s", ""), (path, PROPERTIES, "Get", "ss", GNOME_CALL, "DisplayName"),
                (path, GNOME_CALL, "Accept", ""), (path, "org.freedesktop.DBus.Introspectable", "Introspect", ""),
                (PATH, "org.freedesktop.DBus.Introspectable", "Introspect", ""), (f"{PATH}/Call/nothing", GNOME_CALL, "Accept", "")):
            self.assertRefused(self.system.call(target, interface, member, signature, *arguments, name=NAME,
                                                connection=stranger), DENIED)
        self.assertState(call, "ringing")
        self.press(path, "Accept")
        self.wait_call(State=1)
        self.alpha.update(call, localized_caller_name="Alice Liddell").result()
        self.wait_call(DisplayName="Alice Liddell")
        self.alpha.remote_end(call).result()
        wait_until(lambda: not self.calls(), "the call stays", every=0.02)
        self.end_of(other)
        self.assertEqual([event for event in other.events if event.path.startswith(PATH)], [])
        heard = [event.member for event in phosh_hears.events if event.path.startswith(PATH)]
        self.assertEqual({"InterfacesAdded", "PropertiesChanged", "InterfacesRemoved"}, set(heard))
        self.assertIn("Alice Liddell", phosh_hears.text())
        for canary in ("Alice", "701740605"):
            self.assertNotIn(canary, other.text())

    def test_nothing_goes_astray_when_phosh_ends(self):
        other = Listener(self.system)
        self.begin()
        self.alpha.incoming(localized_caller_name="Alice")
        self.wait_call(State=5)
        self.end_phosh()
        self.wait_name(NAME, owned=False)
        self.end_of(other)
        self.assertEqual([event for event in other.events if event.path.startswith(PATH)], [])

    def end_of(self, listener):
        """All that the agent had sent by now has come."""
        self.system.call("/org/opencallkit/Desktop1", "org.freedesktop.DBus.Peer", "Ping", name="org.opencallkit.Desktop1",
                         connection=listener.link).result()
