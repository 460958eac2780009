"""Plasma without a screen, on X11 and, in a window of an X server, on Wayland."""

import os
import shutil

import dbus
import dbus.lowlevel

from live.hands import NoHands
from live.rig import Rig
from support.screen_reader import IN_WINDOW
from support.waiting import wait_until

SAVER = "org.freedesktop.ScreenSaver"
MACHINE = f"/usr/lib/{os.uname().machine}-linux-gnu"


def generation():
    """5 or 6, by the programs that are there."""
    return "6" if shutil.which("kded6") else "5"


def manager():
    places = [f"{MACHINE}/libexec/kactivitymanagerd", "/usr/libexec/kactivitymanagerd"]
    return next((place for place in places if os.path.exists(place)), "kactivitymanagerd")


class Plasma(Rig):
    name = "Plasma"
    programs = ("kwin_x11", "plasmashell", f"kded{generation()}", f"kwriteconfig{generation()}")
    services = ("org.kde.kglobalaccel", "org.kde.ActivityManager")
    words = {"XDG_CURRENT_DESKTOP": "KDE", "KDE_FULL_SESSION": "true", "KDE_SESSION_VERSION": generation(),
             "XDG_MENU_PREFIX": "plasma-", "QT_QPA_PLATFORM": "xcb", "QT_QUICK_BACKEND": "software", "KWIN_COMPOSE": "N",
             "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    quiet = "KDE"
    locks = True
    keeps = True
    is_qt = True
    manager_of_windows = ("kwin_x11",)

    def start_desktop(self):
        if self.server is None:
            self.spawn(*self.manager_of_windows)
            self.test.wait_name("org.kde.KWin")
            self.spawn(manager())
            self.spawn(f"kded{generation()}")
            self.test.wait_name(f"org.kde.kded{generation()}")
            self.start_locker()
        self.server = self.spawn("plasmashell", "--no-respawn")

    def start_locker(self):
        self.spawn("ksmserver")
        self.test.wait_name("org.kde.ksmserver")

    def settle(self):
        """The panel is there, so that popups know their place."""
        wait_until(lambda: any(element.is_button for element in self.elements()), "Plasma shows no panel", every=0.3)

    def close(self, title):
        around = self.notification(title, "Close")
        if around is None:
            self.hands.move(*self.at_rest(lambda: self.title(title)).middle)
        self.press(title, "Close")

    def open_list(self):
        if not self.tray_button():
            self.click(self.at_rest(lambda: self.named("Expand System Tray", "Show hidden icons")))
        self.click(self.at_rest(self.tray_button))

    def tray_button(self):
        return next((each for each in self.elements() if each.is_button and "Notifications" in each.name), None)

    def named(self, *names):
        return next((each for each in self.elements() if each.is_button and each.name in names), None)

    def close_list(self):
        self.hands.key("Escape")

    def set_quiet(self, is_quiet):
        """As the menu of the tray does it."""
        self.run(f"kwriteconfig{generation()}", "--file", "plasmanotifyrc", "--group", "DoNotDisturb", "--key", "Until",
                 "2099,1,1,0,0,0" if is_quiet else "")
        message = dbus.lowlevel.SignalMessage("/plasmanotifyrc", "org.kde.kconfig.notify", "ConfigChanged")
        message.append({"DoNotDisturb": [dbus.ByteArray(b"Until")]}, signature="a{saay}")
        self.test.system.bus.send_message(message)

    def lock(self):
        self.test.system.call("/ScreenSaver", SAVER, "Lock", name=SAVER).result()
        self.wait_locked(True)

    def unlock(self):
        super().unlock()
        self.wait_locked(False)

    def wait_locked(self, is_locked):
        wait_until(lambda: bool(self.test.system.call("/ScreenSaver", SAVER, "GetActive", name=SAVER).result()) == is_locked,
                   "the lock screen does not follow", every=0.1)


class PlasmaWayland(Plasma):
    """KWin in a window of an X server. What is on its screen has no place there, so a screen reader presses."""

    name = "Plasma (Wayland)"
    session = "wayland"
    programs = ("kwin_wayland", "plasmashell")

    def start_screen(self):
        super().start_screen()
        # The packaged one has capabilities, with which containers do not start it.
        own = os.path.join(self.test.system.folder.name, "kwin_wayland")
        shutil.copy(shutil.which("kwin_wayland"), own)
        width, height = "1280", "800"
        self.manager_of_windows = (own, "--x11-display", self.display.name, "--width", width, "--height", height,
                                   "--socket", "wayland-0")
        self.environment.update(QT_QPA_PLATFORM="wayland", WAYLAND_DISPLAY="wayland-0", KWIN_COMPOSE="Q")
        self.environment.pop("GDK_BACKEND", None)
        self.environment.pop("DISPLAY", None)
        self.hands = NoHands()

    def start_locker(self):
        """KWin locks by itself."""

    def screen(self):
        return self.reader.elements(IN_WINDOW)

    def click(self, element):
        assert self.reader.press(element), f"{element} cannot be pressed"
