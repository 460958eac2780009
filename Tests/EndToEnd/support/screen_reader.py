"""What a screen reader learns of a screen: texts, buttons and where they are, over AT-SPI."""

import dbus
import dbus.bus

from support.messages import Pending
from support.system import PROPERTIES
from support.waiting import Late

LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
"""The service from which screen readers learn what a screen says."""
NAME = "org.a11y.Bus"
PATH = "/org/a11y/bus"
REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
ACTION = "org.a11y.atspi.Action"
TEXT = "org.a11y.atspi.Text"
SHOWING = 25
"""The bit of the state of what can be seen."""
DEEPEST = 60
"""Levels of a tree. No desktop has more; some toolkits have circles."""
SECONDS = 10
"""Until a program that does not answer is left out of a look at the screen."""

ON_SCREEN = 0
"""Places are counted from the corner of the screen."""
IN_WINDOW = 1
"""Places are counted from the corner of the window."""


class Element:
    """Something on the screen: its role, its text, and its box (left, top, width, height) if it has one."""

    def __init__(self, place, role, name, box, parent):
        self.place, self.role, self.name, self.box, self.parent = place, role, name, box, parent
        self.children = []

    def __repr__(self):
        return f"{self.role} {self.name!r} {self.box}"

    def all(self):
        """This and what is in it, in its order."""
        yield self
        for child in self.children:
            yield from child.all()

    def says(self, text):
        return any(text in element.name for element in self.all())

    @property
    def is_button(self):
        return self.role.endswith("button")

    @property
    def middle(self):
        left, top, width, height = self.box
        return left + width // 2, top + height // 2


class ScreenReader:
    """Reads what the programs of a test's session show."""

    def __init__(self, test):
        self.test = test
        self.connection = None

    def start(self, **environment):
        """Starts the service. Programs of GTK tell it what they show if it was there before them, programs of Qt 5 if it
        appears after them."""
        self.service = self.test.spawn(LAUNCHER, "--launch-immediately", **environment)
        self.test.wait_name(NAME)
        self.test.system.call(PATH, PROPERTIES, "Set", "ssv", "org.a11y.Status", "IsEnabled", True, name=NAME).result()
        self.connection = dbus.bus.BusConnection(
            self.test.system.call(PATH, NAME, "GetAddress", name=NAME).result())
        self.connection.set_exit_on_disconnect(False)
        self.test.addCleanup(self.connection.close)
        # It starts the registry. A shell that begins would wait for one that waits for the X server, which the shell has
        # to itself meanwhile.
        self.ask(REGISTRY, ACCESSIBLE, "GetChildren").wait()
        return self

    def stop(self):
        self.connection.close()
        self.service.terminate()
        self.service.wait()
        self.test.wait_name(NAME, owned=False)

    def ask(self, place, interface, member, signature="", *arguments):
        pending = Pending(f"{interface}.{member} of {place}")
        self.connection.call_async(*place, interface, member, signature, arguments, pending.succeed, pending.fail,
                                   SECONDS)
        return pending

    def elements(self, coordinates=ON_SCREEN):
        """The windows of all programs, with what can be seen in them."""
        programs = self.children([self.ask(REGISTRY, ACCESSIBLE, "GetChildren")])[0]
        windows = self.children([self.ask(place, ACCESSIBLE, "GetChildren") for place in programs])
        found = self.look([(place, None) for places in windows for place in places], coordinates)
        level, depth = found, 1
        while level and depth < DEEPEST:
            below = self.children([self.ask(element.place, ACCESSIBLE, "GetChildren") for element in level])
            level = self.look([(place, element) for element, places in zip(level, below) for place in places],
                              coordinates)
            depth += 1
        return found

    def look(self, places, coordinates):
        """The elements that can be seen at these places, each below its parent."""
        asked = [(place, parent, self.ask(place, ACCESSIBLE, "GetState"), self.ask(place, ACCESSIBLE, "GetRoleName"),
                  self.ask(place, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name"),
                  self.ask(place, COMPONENT, "GetExtents", "u", dbus.UInt32(coordinates))) for place, parent in places]
        found = []
        for place, parent, state, role, name, box in asked:
            state, role, name, box = map(self.told, (state, role, name, box))
            if role is None or not state or not int(state[0]) >> SHOWING & 1:
                continue
            element = Element(place, str(role), str(name or ""), tuple(map(int, box)) if box else None, parent)
            if parent is not None:
                parent.children.append(element)
            found.append(element)
        # Some say in another way what they say.
        silent = [(element, self.ask(element.place, TEXT, "GetText", "ii", 0, -1)) for element in found
                  if element.role == "text" and not element.name]
        for element, text in silent:
            element.name = str(self.told(text) or "")
        return found

    def children(self, asked):
        return [[(str(owner), str(path)) for owner, path in self.told(pending) or []] for pending in asked]

    @staticmethod
    def told(pending):
        """The answer; None if what was asked has gone meanwhile."""
        try:
            pending.wait(2 * SECONDS)
        except Late:
            return None
        return pending.value

    def press(self, element):
        """Does what the element's only or first action does; False if it has none."""
        return bool(self.told(self.ask(element.place, ACTION, "DoAction", "i", 0)))
