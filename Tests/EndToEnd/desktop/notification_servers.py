"""Servers of notifications: real ones with real clicks, beside the scripted one for what they never do."""

import os
import subprocess

from desktop.scripted_server import NAME, PATH, ScriptedServer, noted_notifications
from support.waiting import GIVE_UP, wait_until

__all__ = ["NAME", "PATH", "Display", "Dunst", "Mako", "ScriptedServer", "Xfce", "noted_notifications"]


class Display:
    """An X server without a screen."""

    def __init__(self, test, size="900x500"):
        self.test = test
        read, write = os.pipe()
        test.spawn_passing("Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-ac",
                           descriptors=(write,))
        os.close(write)
        with os.fdopen(read) as file:
            self.name = f":{file.readline().strip()}"
        # Toolkits end without their icons and types of files.
        self.environment = {**test.system.environment, "DISPLAY": self.name, "XDG_SESSION_TYPE": "x11",
                            "GDK_BACKEND": "x11", "XDG_DATA_DIRS": "/usr/local/share:/usr/share"}

    def xdotool(self, *arguments):
        subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True, timeout=GIVE_UP,
                       capture_output=True)

    def picture(self):
        """The screen as width, height and RGB bytes."""
        data = subprocess.run(["import", "-window", "root", "-depth", "8", "ppm:-"], env=self.environment, check=True,
                              timeout=GIVE_UP, capture_output=True).stdout
        header = data.split(b"\n", 3)
        width, height = map(int, header[1].split())
        return width, height, header[3]

    def save(self, path, crop=None):
        command = ["import", "-window", "root", *(["-crop", crop, "+repage"] if crop else []), "-strip", path]
        subprocess.run(command, env=self.environment, check=True, timeout=GIVE_UP)

    def is_drawn(self):
        """Whether anything but the empty root window is seen."""
        _, _, pixels = self.picture()
        return len(set(pixels[::97])) > 1

    def wait_still(self):
        """Waits until nothing on the display moves or fades."""
        seen = []

        def is_still():
            seen.append(self.picture())
            return len(seen) > 1 and seen[-1] == seen[-2]
        wait_until(is_still, "the display does not come to rest", every=0.3)


class Dunst:
    """Its actions are in a menu, which a script answers with the label that the test has written to a file."""

    def __init__(self, test):
        self.test = test
        self.display = Display(test)
        folder = test.system.folder.name
        script = f"{folder}/menu"
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\ngrep -m1 -F "$(cat {folder}/choice)"\n')
        os.chmod(script, 0o700)
        with open(f"{folder}/dunstrc", "w", encoding="utf-8") as file:
            file.write(f"[global]\ndmenu = {script}\nfont = Sans 10\n")
        self.command = ["dunst", "-conf", f"{folder}/dunstrc"]

    def start(self):
        self.process = self.test.spawn(*self.command, **self.display.environment)
        self.test.wait_name(NAME)
        return self

    def count(self):
        output = subprocess.run(["dunstctl", "count", "displayed"], env=self.test.system.environment, check=True,
                                timeout=GIVE_UP, capture_output=True, text=True).stdout
        return int(output)

    def wait_shown(self, count=1):
        wait_until(lambda: self.count() == count, lambda: f"{self.count()} notifications, not {count}", every=0.05)

    def press(self, label):
        with open(f"{self.test.system.folder.name}/choice", "w", encoding="utf-8") as file:
            file.write(label)
        subprocess.run(["dunstctl", "context"], env=self.test.system.environment, check=True, timeout=GIVE_UP)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.test.wait_name(NAME, owned=False)


class Xfce:
    """Its buttons lie below the text, in one row; actions are drawn in their order, `default` included."""

    PROGRAM = "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"

    def __init__(self, test):
        self.test = test
        self.display = Display(test)

    @classmethod
    def program(cls):
        machine = os.uname().machine
        return cls.PROGRAM.replace("x86_64", machine)

    def start(self):
        self.test.spawn("/usr/lib/" + f"{os.uname().machine}-linux-gnu/xfce4/xfconf/xfconfd")
        self.test.wait_name("org.xfce.Xfconf")
        self.process = self.test.spawn(self.program(), **self.display.environment)
        self.test.wait_name(NAME)
        return self

    def wait_drawn(self):
        wait_until(self.display.is_drawn, "nothing is drawn", every=0.1)
        self.display.wait_still()

    def press(self, number, count):
        """Clicks one of the buttons, which are equally wide, by its place from the left, from 0."""
        left, _, right, bottom = self.box()
        width = (right - left - 28) / count
        self.display.xdotool("mousemove", round(left + 14 + (number + 0.5) * width), bottom - 31, "click", 1)

    def box(self):
        """Where the notification is: the pixels that are not the background's."""
        width, height, pixels = self.display.picture()
        background = pixels[:3]
        rows = [y for y in range(height)
                if pixels[y * width * 3:(y + 1) * width * 3] != background * width]
        columns = [x for x in range(width)
                   if any(pixels[(y * width + x) * 3:(y * width + x) * 3 + 3] != background for y in rows[::4])]
        return columns[0], rows[0], columns[-1], rows[-1]

    def wait_blank(self):
        wait_until(lambda: not self.display.is_drawn(), "it is still drawn", every=0.1)


class Mako:
    """On a Wayland compositor without a screen. Sway refuses to run as root."""

    def __init__(self, test):
        self.test = test
        self.folder = f"{test.system.folder.name}/wayland"
        os.mkdir(self.folder, 0o700)

    def start(self):
        self.environment = {
            **self.test.system.environment, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_RENDERER": "pixman", "XDG_RUNTIME_DIR": self.folder, "HOME": self.folder,
            "XDG_CONFIG_HOME": self.folder, "XDG_DATA_HOME": self.folder, "XDG_CACHE_HOME": self.folder}
        with open(f"{self.folder}/sway", "w", encoding="utf-8") as file:
            file.write("exec true\n")
        self.prefix = []
        if os.geteuid() == 0:
            user = 65534
            for path in (self.folder, f"{self.folder}/sway"):
                os.chown(path, user, user)
            os.chmod(self.test.system.folder.name, 0o711)
            self.prefix = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        self.spawn("sway", "-c", f"{self.folder}/sway")
        self.socket = wait_until(self.find_socket, "sway does not start", every=0.05)
        self.environment["WAYLAND_DISPLAY"] = os.path.basename(self.socket)
        self.process = self.spawn("mako")
        self.test.wait_name(NAME)
        return self

    def spawn(self, *command):
        return self.test.spawn(*self.prefix, *command, **self.environment)

    def find_socket(self):
        sockets = [entry.path for entry in os.scandir(self.folder)
                   if entry.name.startswith("wayland-") and not entry.name.endswith(".lock")]
        return sockets[0] if sockets else None

    def run(self, *command):
        return subprocess.run([*self.prefix, *command], env=self.environment, check=True, timeout=GIVE_UP,
                              capture_output=True, text=True).stdout

    def list(self):
        return self.run("makoctl", "list")

    def press(self, key):
        self.run("makoctl", "invoke", key)
