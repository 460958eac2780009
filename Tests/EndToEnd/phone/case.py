"""The phone beside the daemon, on a display without a screen, read and used as a screen reader does."""

import os

from desktop.case import DesktopTest
from desktop.notification_servers import Display
from support.messages import variants
from support.screen_reader import ACCESSIBLE, ACTION, REGISTRY, SHOWING, ScreenReader
from support.system import BUILD, PROPERTIES, PROVIDER, ROOT
from support.waiting import wait_until

PHONE = "org.opencallkit.Phone"
PHONE_PATH = "/org/opencallkit/Phone"
APPLICATION = "org.freedesktop.Application"
EDITABLE = "org.a11y.atspi.EditableText"
VISIBLE, SELECTED = 30, 23
"""Bits of a state. GTK 4.8 says of windows alone that they can be seen, and of what is in them that it is visible."""
FRAMES = ("frame", "dialog", "window", "alert")


class PhoneScreen(ScreenReader):
    """What the phone shows: names by role, as far as they can be seen."""

    def read(self):
        """(role, name, place, state) of all that can be seen."""
        programs = self.children([self.ask(REGISTRY, ACCESSIBLE, "GetChildren")])[0]
        level = [place for places in self.children([self.ask(place, ACCESSIBLE, "GetChildren") for place in programs])
                 for place in places]
        found = []
        while level:
            asked = [(place, self.ask(place, ACCESSIBLE, "GetState"), self.ask(place, ACCESSIBLE, "GetRoleName"),
                      self.ask(place, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name"),
                      self.ask(place, ACCESSIBLE, "GetChildren")) for place in level]
            level = []
            for place, state, role, name, children in asked:
                state, role, name = self.told(state), str(self.told(role) or ""), str(self.told(name) or "")
                state = int(state[0]) | int(state[1]) << 32 if state else 0
                if not state >> (SHOWING if role in FRAMES else VISIBLE) & 1:
                    continue
                found.append((role, name, place, state))
                level += [(str(owner), str(path)) for owner, path in self.told(children) or []]
        return found


class PhoneTest(DesktopTest):
    """A test with the daemon, its samples and the phone."""

    with_plugins = True
    size = "400x700"
    language = "C.UTF-8"

    def setUp(self):
        super().setUp()
        self.display = Display(self, self.size)
        self.screen = PhoneScreen(self).start(**self.display.environment)
        self.phone = self.start_phone()

    def start_phone(self):
        process = self.spawn_phone()
        self.wait_name(PHONE)
        return process

    def spawn_phone(self, *arguments):
        return self.spawn(os.path.join(BUILD, "callkit-phone"), *arguments,
                          **{**self.display.environment, "LC_ALL": self.language, "GSK_RENDERER": "cairo",
                             "OPENCALLKIT_TRANSLATIONS": os.path.join(BUILD, "translations")})

    def owner(self):
        """The owner of the phone's name on the bus; "" if there is none."""
        return str(self.system.bus.get_name_owner(PHONE)) if self.system.bus.name_has_owner(PHONE) else ""

    # What is seen

    def names(self, role=None):
        return [name for kind, name, _, _ in self.screen.read() if role in (None, kind) and name]

    def find(self, name, *roles):
        return next(((place, state) for role, said, place, state in self.screen.read()
                     if said == name and (not roles or role in roles)), None)

    def wait_seen(self, name, *roles):
        return wait_until(lambda: self.find(name, *roles), lambda: f"{name!r} is not seen, but {self.names()}", every=0.1)

    def wait_said(self, text):
        """Waits until something that is seen has the text in it."""
        wait_until(lambda: any(text in name for name in self.names()),
                   lambda: f"{text!r} is not said, but {self.names()}", every=0.1)

    def wait_not_seen(self, name, *roles):
        wait_until(lambda: not self.find(name, *roles), lambda: f"{name!r} is still seen: {self.names()}", every=0.1)

    # What is done

    def press(self, name, *roles):
        """Presses what has this name, as soon as it is there and can be pressed."""
        def pressed():
            # A button with a menu has one of the same name inside.
            return any(self.screen.told(self.screen.ask(place, ACTION, "DoAction", "i", 0))
                       for role, said, place, _ in self.screen.read()
                       if said == name and role in (roles or ("push button", "toggle button", "button")))
        wait_until(pressed, lambda: f"{name!r} cannot be pressed: {self.names()}", every=0.1)

    def turn_to(self, page):
        """Turns to a page. What is on another one cannot be pressed."""
        self.press(page, "tab")
        wait_until(lambda: any(state >> SELECTED & 1 for role, name, _, state in self.screen.read()
                               if (role, name) == ("tab", page)), f"{page} is not shown", every=0.1)

    def type(self, name, text):
        place, _ = self.wait_seen(name, "text box", "text", "entry")
        self.screen.ask(place, EDITABLE, "SetTextContents", "s", text).result()

    def fail_next(self, plugin, action):
        """Has the provider refuse the next action of a kind."""
        self.system.call(f"{ROOT}/providers/{plugin}", PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-failure",
                         variants({"action": action})).result()

    def simulate_remote_end(self, plugin, call):
        self.system.call(f"{ROOT}/providers/{plugin}", PROVIDER, "PerformCustomAction", "sa{sv}", "simulate-remote-end",
                         variants({"call-uuid": call.rsplit("/", 1)[1].replace("_", "-")})).result()
