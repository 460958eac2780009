"""The interface from which Phosh shows calls: states, buttons, and when it is not served."""

import os

import dbus

from desktop.case import DesktopTest
from support.provider import Provider
from support.system import MANAGER
from support.waiting import wait_until

NAME = "org.gnome.Calls"
PATH = "/org/gnome/Calls"
GNOME_CALL = "org.gnome.Calls.Call"


class GnomeCallsTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, supported_handle_types=dbus.Array(["generic", "phone-number"]))

    def calls(self):
        objects = self.system.call(PATH, MANAGER, "GetManagedObjects", name=NAME).result()
        return {str(path): interfaces[GNOME_CALL] for path, interfaces in objects.items() if GNOME_CALL in interfaces}

    def wait_call(self, **expected):
        def found():
            for path, values in self.calls().items():
                if all(values[key] == value for key, value in expected.items()):
                    return path
            return None
        return wait_until(found, lambda: f"no call {expected}: {self.calls()}", every=0.02)

    def press(self, path, member, *arguments):
        self.system.call(path, GNOME_CALL, member, "s" * len(arguments), *arguments, name=NAME).result()

    def test_a_call_from_its_ring_to_its_end(self):
        self.start_agent()
        self.wait_name(NAME)
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
        self.start_agent()
        self.wait_name(NAME)
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

    def test_the_name_is_left_to_others(self):
        other = self.system.connect()
        name = dbus.service.BusName(NAME, other)
        self.start_agent()
        self.alpha.incoming()
        self.assertEqual(self.system.bus.get_name_owner(NAME), other.get_unique_name())
        self.assertIsNone(self.agent.poll())
        del name

    def test_it_is_not_served_if_the_user_has_chosen_gnome_calls(self):
        folder = f"{self.system.folder.name}/config"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/mimeapps.list", "w", encoding="utf-8") as file:
            file.write("[Default Applications]\nx-scheme-handler/tel=org.gnome.Calls.desktop;\n")
        self.start_agent()
        self.assertFalse(self.system.bus.name_has_owner(NAME))
