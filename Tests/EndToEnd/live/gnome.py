"""GNOME Shell without a screen, on X11 and on Wayland."""

import os
import signal

from live.hands import MutterHands
from live.rig import FOR_A_LOOK, Rig
from support.system import PROPERTIES
from support.waiting import Late, wait_until

SHELL = ("/org/gnome/Shell", "org.gnome.Shell")
SCREENSHOT = "org.gnome.Shell.Screenshot"
SAVER = "org.gnome.ScreenSaver"
IN_NAMESPACE = "mkdir -p /run/systemd && mount -t tmpfs none /run/systemd && mkdir /run/systemd/seats && exec \"$@\""
"""GNOME asks the login manager only where systemd keeps its seats."""


class Gnome(Rig):
    name = "GNOME Shell"
    programs = ("gnome-shell", "gsettings", "unshare")
    services = ("ca.desrt.dconf", "org.gnome.Shell", "org.gnome.ScreenSaver")
    words = {"XDG_CURRENT_DESKTOP": "GNOME"}
    quiet = "GNOME"
    locks = True
    keeps = True
    whole = "notification"
    command = ("gnome-shell", "--x11")

    def start_desktop(self):
        for schema, key, value in (("org.gnome.desktop.interface", "enable-hot-corners", "false"),
                                   ("org.gnome.shell", "welcome-dialog-last-shown-version", "99"),
                                   ("org.gnome.desktop.session", "idle-delay", "0"),
                                   ("org.gnome.desktop.screensaver", "lock-delay", "0")):
            self.run("gsettings", "set", schema, key, value)
        self.server = self.spawn("unshare", "--mount", "--propagation", "unchanged", "sh", "-c", IN_NAMESPACE, "sh",
                                 *self.command)
        self.test.wait_name(SHELL[1])

    def settle(self):
        """Leaves the overview, with which a session begins, and closes what the shell itself has to say to root."""
        self.wait_answer()
        self.wait_overview(True)
        self.test.system.call(SHELL[0], PROPERTIES, "Set", "ssv", SHELL[1], "OverviewActive", False, name=SHELL[1]).result()
        self.wait_overview(False)
        wait_until(self.texts, "GNOME Shell shows nothing", every=0.3)
        if os.geteuid() == 0:
            self.close_warning("privileged user")

    def close_warning(self, text):
        """It may be behind a call, or be gone before it was looked for."""
        try:
            wait_until(lambda: self.title(text), text, FOR_A_LOOK, every=0.2)
        except Late:
            return
        self.close(text)
        self.wait_no_text(text)

    def wait_answer(self):
        """GNOME Shell 43 starts ibus-daemon, and now and then its child waits for ever for a lock of another thread before
        it becomes that program, and the shell waits for its child."""
        answer = self.test.system.call(SHELL[0], PROPERTIES, "Get", "ss", SHELL[1], "OverviewActive", name=SHELL[1])
        while not answer.done:
            try:
                answer.wait(5)
            except Late:
                self.end_stuck_child()

    def end_stuck_child(self):
        pid = self.server.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
        for child in children:
            if os.readlink(f"/proc/{child}/exe") == os.readlink(f"/proc/{pid}/exe"):
                os.kill(int(child), signal.SIGKILL)

    def wait_overview(self, is_open):
        wait_until(lambda: bool(self.test.system.get(*SHELL, "OverviewActive", name=SHELL[1])) == is_open,
                   "the overview does not follow", every=0.1)

    def open_list(self):
        self.hands.key("super+v")

    def has_list(self):
        return "Do Not Disturb" in self.texts()

    def close_list(self):
        if self.has_list():
            self.hands.key("super+v")
            self.wait_no_text("Do Not Disturb")

    def unfold(self, title):
        """Since 46 an entry has its buttons behind an arrow. Before, it has none: a click on it must bring them."""
        message = self.message(title)
        if message is None or not self.has_list() or any(each.is_button and each.name for each in message.all()):
            return
        if len(self.nameless(message)) > 1:
            self.click(self.at_rest(lambda: self.nameless(self.message(title))[0]))
        else:
            self.click(self.at_rest(lambda: self.title(title)))
            self.close_list()

    def hover(self, title):
        """A banner of what is not critical has its buttons under the pointer."""
        banner = self.title(title)
        if banner is not None:
            self.hands.move(*banner.middle)

    def close(self, title):
        self.close_by_cross(title)

    def set_quiet(self, is_quiet):
        self.run("gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "false" if is_quiet else "true")

    def lock(self):
        self.test.system.call("/org/gnome/ScreenSaver", SAVER, "Lock", name=SAVER).result()
        self.wait_locked(True)

    def unlock(self):
        super().unlock()
        self.wait_locked(False)

    def wait_locked(self, is_locked):
        wait_until(lambda: bool(self.test.system.call("/org/gnome/ScreenSaver", SAVER, "GetActive",
                                                      name=SAVER).result()) == is_locked,
                   "the lock screen does not follow", every=0.1)


class GnomeWayland(Gnome):
    name = "GNOME Shell (Wayland)"
    session = "wayland"
    command = ("gnome-shell", "--headless", "--virtual-monitor", "1280x800", "--no-x11")

    def start_screen(self):
        self.environment = {**self.test.system.environment, **self.common(), **self.words}
        self.environment.pop("DISPLAY", None)

    def settle(self):
        self.wait_answer()
        self.hands = MutterHands(self.test)
        super().settle()

    def save(self, path, crop=None):
        link = self.test.system.connect()
        link.request_name("org.gnome.Screenshot")
        self.test.system.call("/org/gnome/Shell/Screenshot", SCREENSHOT, "Screenshot", "bbs", False, False, path,
                              name=SCREENSHOT, connection=link).result()
        link.release_name("org.gnome.Screenshot")
        if crop:
            self.run("mogrify", "-crop", crop, "+repage", "-strip", path)
