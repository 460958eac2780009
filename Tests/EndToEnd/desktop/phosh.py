"""Phosh, the shell of phones, in an X server without a screen: what its lock screen says, and its buttons."""

from desktop.notification_servers import Display
from support.screen_reader import IN_WINDOW, ScreenReader
from support.waiting import wait_until

COMPOSITOR = "phoc"
SHELL = "/usr/libexec/phosh"
LOCK_NAME = "org.gnome.ScreenSaver"

WIDTH, HEIGHT = 360, 720
"""The size of the phone, as the compositor's configuration has it."""


class Phosh:
    """The unmodified shell. It starts locked."""

    def __init__(self, test):
        self.test = test
        self.display = Display(test, f"{WIDTH}x{HEIGHT}")
        self.reader = ScreenReader(test)

    def start(self):
        address = self.test.system.address
        environment = {
            **self.display.environment, "WLR_BACKENDS": "x11", "WLR_RENDERER": "pixman", "GSETTINGS_BACKEND": "memory",
            "XDG_CURRENT_DESKTOP": "Phosh:GNOME", "DBUS_SYSTEM_BUS_ADDRESS": address}
        del environment["GDK_BACKEND"]
        self.reader.start(**environment)
        self.process = self.test.spawn(COMPOSITOR, "-C", "/usr/share/phosh/phoc.ini", "-E", SHELL, **environment)
        self.test.wait_name(LOCK_NAME)
        self.wait_text("Slide up to unlock")
        return self

    def end(self):
        self.test.end_process(self.process)
        self.test.wait_name(LOCK_NAME, owned=False)

    # What can be seen

    def showing(self):
        """What the lock screen shows, in its order: the roles, texts, and boxes."""
        lock = [frame for frame in self.reader.elements(IN_WINDOW) if frame.name == "phosh lockscreen"]
        return [(element.role, element.name, element.box) for frame in lock for element in frame.all()]

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
