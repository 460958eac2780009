"""Cinnamon, MATE, LXQt and Budgie, each in an X server without a screen."""

import os

from live.rig import Rig
from support.waiting import wait_until


class Cinnamon(Rig):
    name = "Cinnamon"
    programs = ("cinnamon", "gsettings")
    services = ("ca.desrt.dconf", "org.cinnamon.Calendar")
    words = {"XDG_CURRENT_DESKTOP": "X-Cinnamon", "CINNAMON_SOFTWARE_RENDERING": "1"}
    quiet = "Cinnamon"
    whole = "notification"
    cross = 0

    def start_desktop(self):
        self.server = self.spawn("cinnamon", "--replace")

    def settle(self):
        wait_until(lambda: any(each.is_button or each.name for each in self.elements()), "Cinnamon shows nothing", every=0.3)

    def close(self, title):
        self.close_by_cross(title)

    def set_quiet(self, is_quiet):
        self.run("gsettings", "set", "org.cinnamon.desktop.notifications", "display-notifications",
                 "false" if is_quiet else "true")


class Mate(Rig):
    name = "MATE"
    programs = ("marco", "/usr/lib/mate-notification-daemon/mate-notification-daemon", "gsettings")
    services = ("ca.desrt.dconf",)
    words = {"XDG_CURRENT_DESKTOP": "MATE"}
    quiet = "MATE"

    def start_desktop(self):
        if self.server is None:
            self.spawn("marco", "--no-composite")
        self.server = self.spawn(self.programs[1])

    def close(self, title):
        self.close_by_cross(title)

    def set_quiet(self, is_quiet):
        self.run("gsettings", "set", "org.mate.NotificationDaemon", "do-not-disturb", "true" if is_quiet else "false")


class Lxqt(Rig):
    name = "LXQt"
    programs = ("lxqt-notificationd", "marco")
    words = {"XDG_CURRENT_DESKTOP": "LXQt", "QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    quiet = "LXQt"
    is_qt = True

    def start_desktop(self):
        if self.server is None:
            self.spawn("marco", "--no-composite")
        self.server = self.spawn("lxqt-notificationd")

    def close(self, title):
        self.press(title, "x")

    def set_quiet(self, is_quiet):
        """As the panel's switch does it."""
        folder = os.path.join(self.test.system.environment["XDG_CONFIG_HOME"], "lxqt")
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/new", "w", encoding="utf-8") as file:
            file.write(f"[General]\ndoNotDisturb={'true' if is_quiet else 'false'}\n")
        os.rename(f"{folder}/new", f"{folder}/notifications.conf")


class Budgie(Rig):
    name = "Budgie"
    programs = ("budgie-wm", "budgie-daemon", "budgie-panel")
    services = ("ca.desrt.dconf",)
    words = {"XDG_CURRENT_DESKTOP": "Budgie:GNOME"}
    quiet = "Budgie"
    NOTIFICATIONS = ("/org/budgie_desktop/Notifications", "org.buddiesofbudgie.budgie.Dispatcher")

    def start_desktop(self):
        if self.server is None:
            self.spawn("budgie-wm", "--x11")
            self.spawn("budgie-panel")
        self.server = self.spawn("budgie-daemon")

    def close(self, title):
        self.press(title, "Close")

    def set_quiet(self, is_quiet):
        """As its panel's switch does it, which only turns it over."""
        self.test.system.call(*self.NOTIFICATIONS, "ToggleDoNotDisturb", name="org.budgie_desktop.Notifications").result()
