"""Phosh, the shell of phones, in an X server without a screen: what its lock screen says, and its buttons."""

import dbus
import dbus.bus

from desktop.notification_servers import Display
from support.system import PROPERTIES
from support.waiting import GIVE_UP, wait_until

COMPOSITOR = "phoc"
SHELL = "/usr/libexec/phosh"
DESCRIPTIONS = "/usr/libexec/at-spi-bus-launcher"
"""The service from which screen readers learn what a screen says."""
LOCK_NAME = "org.gnome.ScreenSaver"

ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
SHOWING = 25
"""The bit of the state of what can be seen."""
IN_WINDOW = 1
"""Places are counted from the corner of the window. The lock screen fills the display."""
WIDTH, HEIGHT = 360, 720
"""The size of the phone, as the compositor's configuration has it."""


class Phosh:
    """The unmodified shell. It starts locked."""

    def __init__(self, test):
        self.test = test
        self.display = Display(test, f"{WIDTH}x{HEIGHT}")
        self.reader = None

    def start(self):
        address = self.test.system.address
        environment = {
            **self.display.environment, "WLR_BACKENDS": "x11", "WLR_RENDERER": "pixman", "GSETTINGS_BACKEND": "memory",
            "XDG_CURRENT_DESKTOP": "Phosh:GNOME", "DBUS_SYSTEM_BUS_ADDRESS": address}
        del environment["GDK_BACKEND"]
        self.test.spawn(DESCRIPTIONS, "--launch-immediately", **environment)
        self.test.wait_name("org.a11y.Bus")
        self.process = self.test.spawn(COMPOSITOR, "-C", "/usr/share/phosh/phoc.ini", "-E", SHELL, **environment)
        self.test.wait_name(LOCK_NAME)
        self.reader = dbus.bus.BusConnection(self.test.system.call(
            "/org/a11y/bus", "org.a11y.Bus", "GetAddress", name="org.a11y.Bus").result())
        self.test.addCleanup(self.reader.close)
        self.wait_text("Slide up to unlock")
        return self

    # What can be seen

    def showing(self):
        """What the lock screen shows, in its order: the roles, texts, and boxes."""
        try:
            shell = self.children("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
            frames = [frame for application in shell for frame in self.children(*application)]
            lock = [frame for frame in frames if self.name(*frame) == "phosh lockscreen"]
            return [element for frame in lock for element in self.elements(*frame)]
        except dbus.DBusException:
            return []  # Something has gone while it was looked at.

    def elements(self, name, path):
        state = self.ask(name, path, ACCESSIBLE, "GetState")
        if not state or not int(state[0]) >> SHOWING & 1:
            return []
        box = tuple(map(int, self.ask(name, path, COMPONENT, "GetExtents", dbus.UInt32(IN_WINDOW))))
        role = str(self.ask(name, path, ACCESSIBLE, "GetRoleName"))
        return [(role, self.name(name, path), box)] + [
            element for child in self.children(name, path) for element in self.elements(*child)]

    def children(self, name, path):
        return [(str(owner), str(child)) for owner, child in self.ask(name, path, ACCESSIBLE, "GetChildren")]

    def name(self, name, path):
        return str(self.ask(name, path, PROPERTIES, "Get", ACCESSIBLE, "Name"))

    def ask(self, name, path, interface, member, *arguments):
        proxy = self.reader.get_object(name, path, introspect=False)
        return proxy.get_dbus_method(member, interface)(*arguments, timeout=GIVE_UP)

    def texts(self):
        return [text for _, text, _ in self.showing() if text]

    def wait_text(self, text):
        wait_until(lambda: text in self.texts(), lambda: f"no {text!r} on the lock screen: {self.showing()}", every=0.1)

    def wait_no_text(self, text):
        def absent():
            texts = self.texts()
            return texts and text not in texts
        wait_until(absent, lambda: f"{text!r} is still on the lock screen", every=0.1)

    def wait_still(self):
        self.display.wait_still()

    # Fingers

    def press(self, number, count):
        """Presses one of the buttons below the caller, by its place from the left, from 0."""
        self.click(self.wait_row(count)[number])

    def press_named(self, text):
        """Presses the button of this name, or above the label with it, once it does not slide any more."""
        seen = []

        def at_rest():
            seen.append(self.button(text))
            return seen[-1] and seen[-3:] == [seen[-1]] * 3
        wait_until(at_rest, lambda: f"no button {text!r} at rest: {self.showing()}", every=0.1)
        self.click(seen[-1])

    def button(self, text):
        """The box of the button of this name, or above the label with it; None if neither is seen."""
        showing = self.showing()
        buttons = [(name, box) for role, name, box in showing if role.endswith("button") and self.is_on_screen(box)]
        for name, box in buttons:
            if name == text:
                return box
        for role, name, (left, top, width, _) in showing:
            if role == "label" and name == text:
                above = [box for _, box in buttons
                         if box[1] < top and left <= box[0] and box[0] + box[2] <= left + width]
                return max(above, key=lambda box: box[1], default=None)
        return None

    def is_on_screen(self, box):
        """Whether the whole box can be seen. Pages that slide in or out are partly outside."""
        left, top, width, height = box
        return left >= 0 and top >= 0 and left + width <= WIDTH and top + height <= HEIGHT

    def click(self, box):
        left, top, width, height = box
        self.display.xdotool("mousemove", left + width // 2, top + height // 2, "click", 1)

    def wait_row(self, count):
        """Waits until the lowest row has this number of buttons and is at rest, and returns their boxes."""
        seen = []

        def at_rest():
            row = self.row()
            seen.append((row, self.lines(row)))
            return len(row) == count and seen[-3:] == [seen[-1]] * 3
        wait_until(at_rest, lambda: f"no row of {count} buttons at rest: {self.showing()}", every=0.1)
        return seen[-1][0]

    def lines(self, row):
        """The part of the picture as high as the buttons."""
        width, _, pixels = self.display.picture()
        return [pixels[top * width * 3:(top + height) * width * 3] for _, top, _, height in row]

    def row(self):
        """The boxes of the lowest row of buttons in the lower half, from the left."""
        boxes = [box for role, _, box in self.showing()
                 if role == "push button" and self.is_on_screen(box) and box[1] > HEIGHT // 2]
        lowest = max((box[1] for box in boxes), default=0)
        return sorted(box for box in boxes if box[1] == lowest)
