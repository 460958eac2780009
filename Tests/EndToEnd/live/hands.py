"""What presses: a mouse and a keyboard of an X server, those that GNOME lends, or none, where only programs press."""

import dbus

REMOTE = "org.gnome.Mutter.RemoteDesktop"
LEFT = 272
"""The left button of a mouse, as the kernel counts."""
KEYS = {"super": 0xFFEB, "Escape": 0xFF1B, "Return": 0xFF0D, "Tab": 0xFF09}
"""X's numbers of keys that are no letters."""


class XHands:
    def __init__(self, display):
        self.display = display

    def move(self, x, y):
        # A pointer that jumps enters nothing for some toolkits.
        self.display.xdotool("mousemove", x - 2, y - 2, "mousemove", x, y)

    def click(self, x, y):
        self.move(x, y)
        self.display.xdotool("click", 1)

    def key(self, keys):
        self.display.xdotool("key", keys)


class MutterHands:
    """By org.gnome.Mutter.RemoteDesktop, which programs that control a GNOME from afar use."""

    def __init__(self, test):
        self.test = test
        self.session = str(test.system.call("/org/gnome/Mutter/RemoteDesktop", REMOTE, "CreateSession",
                                            name=REMOTE).result())
        self.ask("Start")

    def ask(self, member, signature="", *arguments):
        self.test.system.call(self.session, f"{REMOTE}.Session", member, signature, *arguments, name=REMOTE).result()

    def move(self, x, y):
        # From the lower left: a pointer that passes the upper left opens the overview.
        self.ask("NotifyPointerMotionRelative", "dd", dbus.Double(-5000), dbus.Double(5000))
        self.ask("NotifyPointerMotionRelative", "dd", dbus.Double(x), dbus.Double(y - 799))

    def click(self, x, y):
        self.move(x, y)
        for is_pressed in (True, False):
            self.ask("NotifyPointerButton", "ib", dbus.Int32(LEFT), is_pressed)

    def key(self, keys):
        symbols = [KEYS.get(key) or ord(key) for key in keys.split("+")]
        for is_pressed in (True, False):
            for symbol in symbols if is_pressed else reversed(symbols):
                self.ask("NotifyKeyboardKeysym", "ub", dbus.UInt32(symbol), is_pressed)


class NoHands:
    """Buttons are pressed as a screen reader presses them."""

    def move(self, x, y):
        pass

    def key(self, keys):
        pass
