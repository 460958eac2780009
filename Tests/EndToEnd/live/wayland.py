"""sway, a Wayland compositor without a screen, with mako and with swaync."""

import json
import os

from live.hands import NoHands
from live.rig import Rig
from support.screen_reader import IN_WINDOW, Element
from support.waiting import wait_until

NOBODY = 65534
"""Sway refuses to run as root."""


class Sway(Rig):
    session = "wayland"

    def start_screen(self):
        self.folder = os.path.join(self.test.system.folder.name, "wayland")
        os.mkdir(self.folder, 0o700)
        with open(f"{self.folder}/sway", "w", encoding="utf-8") as file:
            file.write("output HEADLESS-1 resolution 1280x800\nxwayland disable\nexec true\n")
        prefix = []
        if os.geteuid() == 0:
            for path in (self.folder, f"{self.folder}/sway"):
                os.chown(path, NOBODY, NOBODY)
            os.chmod(self.test.system.folder.name, 0o711)
            prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        self.test.spawn(*prefix, "sway", "-c", f"{self.folder}/sway", WLR_BACKENDS="headless",
                        WLR_LIBINPUT_NO_DEVICES="1", WLR_RENDERER="pixman", XDG_RUNTIME_DIR=self.folder, HOME=self.folder,
                        XDG_CONFIG_HOME=self.folder, XDG_CACHE_HOME=self.folder)
        socket = wait_until(self.find_socket, "sway does not start", every=0.05)
        self.hands = NoHands()
        # Programs find the compositor by an absolute path as well.
        self.environment = {**self.test.system.environment, **self.common(), **self.words, "WAYLAND_DISPLAY": socket,
                            "GDK_BACKEND": "wayland"}
        self.environment.pop("DISPLAY", None)

    def find_socket(self):
        return next((entry.path for entry in os.scandir(self.folder)
                     if entry.name.startswith("wayland-") and not entry.name.endswith(".lock")), None)

    def save(self, path, crop=None):
        self.run("grim", path)
        if crop:
            self.run("mogrify", "-crop", crop, "+repage", "-strip", path)


class Mako(Sway):
    """It draws no buttons. What it shows, and what can be chosen, is read and chosen by makoctl."""

    name = "sway with mako"
    programs = ("sway", "mako", "makoctl")
    words = {"XDG_CURRENT_DESKTOP": "sway"}
    quiet = "mako"
    tells_quiet = False

    def start_desktop(self):
        folder = os.path.join(self.environment["XDG_CONFIG_HOME"], "mako")
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/config", "w", encoding="utf-8") as file:
            file.write("[mode=do-not-disturb]\ninvisible=1\n")
        self.server = self.spawn("mako")

    def entries(self):
        """What mako keeps: number, title, body, and the labels of its actions by their keys."""
        data = json.loads(self.run("makoctl", "list"))["data"][0]
        return [(entry["id"]["data"], entry["summary"]["data"], entry["body"]["data"],
                 {key: str(value["data"] if isinstance(value, dict) else value)
                  for key, value in entry["actions"]["data"].items()}) for entry in data]

    def screen(self):
        found = []
        for number, title, body, actions in self.entries():
            shown = Element(number, "notification", title, None, None)
            shown.children = [Element(key, "button", label, None, shown) for key, label in actions.items()]
            shown.children.append(Element(number, "label", body, None, shown))
            found.append(shown)
        return found

    def number(self, title):
        return next(number for number, shown, _, _ in self.entries() if title in shown)

    def press(self, title, label):
        shown = self.wait_offer(title, label)
        key = next(child.place for child in shown.children if child.is_button and child.name == label)
        self.run("makoctl", "invoke", "-n", str(self.number(title)), key)

    def click_body(self, title):
        self.run("makoctl", "invoke", "-n", str(self.number(title)), "default")

    def close(self, title):
        self.run("makoctl", "dismiss", "-n", str(self.number(title)))

    def set_quiet(self, is_quiet):
        self.run("makoctl", "mode", "-s", "do-not-disturb" if is_quiet else "default")


class Swaync(Sway):
    name = "sway with swaync"
    programs = ("sway", "swaync", "swaync-client")
    services = ("ca.desrt.dconf",)
    words = {"XDG_CURRENT_DESKTOP": "sway"}
    quiet = "swaync"
    whole = "list item"
    tells_bodies = False
    keeps = True

    def start_desktop(self):
        self.server = self.spawn("swaync")

    def screen(self):
        return self.reader.elements(IN_WINDOW)

    def click(self, element):
        assert self.reader.press(element), f"{element} cannot be pressed"

    def open_list(self):
        self.run("swaync-client", "--open-panel")

    def close_list(self):
        self.run("swaync-client", "--close-panel")

    def title(self, title):
        return next((each for each in self.elements() if title in each.name), None)

    def close(self, title):
        self.run("swaync-client", "--close-latest")

    def set_quiet(self, is_quiet):
        self.run("swaync-client", "--dnd-on" if is_quiet else "--dnd-off")
