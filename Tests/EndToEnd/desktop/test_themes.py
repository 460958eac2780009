"""The desktop's sound theme rings: chosen in real settings, heard at a real sound server."""

import os
import subprocess

from desktop.case import DESKTOP, DESKTOP_PATH, dconf_service
from desktop.ringing import RingingTest, write_tone
from support.provider import Provider
from support.waiting import GIVE_UP, wait_until

GNOME = {"XDG_CURRENT_DESKTOP": "GNOME", "XDG_DATA_DIRS": "/usr/local/share:/usr/share", "GSETTINGS_BACKEND": "dconf"}
LOW, HIGH = 500, 1_300
"""The frequencies of two themes."""


class ThemeTest(RingingTest):
    environment = {}

    def setUp(self):
        super().setUp()
        self.write_theme("Low", LOW)
        self.write_theme("High", HIGH)
        self.write_theme("Heir", inherits="High")
        self.alpha = Provider(self.system)

    def write_theme(self, name, frequency=None, inherits=""):
        folder = f"{self.system.folder.name}/data/sounds/{name}"
        os.makedirs(f"{folder}/stereo")
        with open(f"{folder}/index.theme", "w", encoding="utf-8") as file:
            file.write(f"[Sound Theme]\nName={name}\nDirectories=stereo\nInherits={inherits}\n")
        if frequency:
            write_tone(f"{folder}/stereo/phone-incoming-call.wav", frequency)

    def start_agent(self, *arguments, **environment):
        return super().start_agent(*arguments, **self.environment, **environment)

    def run_client(self, *command):
        subprocess.run(command, env={**self.system.environment, **self.environment}, check=True, timeout=GIVE_UP,
                       capture_output=True)

    def wait_theme(self, name):
        def theme():
            parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
            return next(str(part["text"]) for part in parts if part["name"] == "ringing").rsplit(" ", 1)[-1]
        wait_until(lambda: theme() == name, lambda: f"the theme is {theme()}, not {name}", every=0.05)

    def assertRings(self, frequency, others):
        """Asserts that a call rings with this frequency."""
        reported = self.recording.now
        call = self.alpha.incoming()
        self.recording.wait_loud("it does not ring")
        began = self.recording.first_loud(reported)
        self.recording.wait_seconds(0.8)
        self.assertHears(frequency, began, began + 0.6, others)
        self.reject(call).result()
        self.recording.wait_silent()


class GnomeTests(ThemeTest):
    environment = GNOME

    def set_theme(self, name):
        self.run_client("gsettings", "set", "org.gnome.desktop.sound", "theme-name", name)

    def test_the_theme_of_gnome_rings_and_is_followed(self):
        self.spawn(dconf_service(), **GNOME)
        self.wait_name("ca.desrt.dconf")
        self.set_theme("Low")
        self.start_sound()
        self.wait_theme("Low")
        self.assertRings(LOW, (HIGH, 880))
        self.set_theme("High")
        self.wait_theme("High")
        self.assertRings(HIGH, (LOW, 880))
        self.set_theme("Heir")
        self.wait_theme("Heir")
        self.assertRings(HIGH, (LOW, 880))

    def test_what_is_no_name_of_a_theme_does_not_count(self):
        self.spawn(dconf_service(), **GNOME)
        self.wait_name("ca.desrt.dconf")
        self.set_theme("Low")
        self.start_sound()
        for name in ("../sounds/Low", "/etc", "..", "", "it's \\ odd", "x" * 2_000, "a\u202eb"):
            with self.subTest(name=name):
                self.set_theme("Low")
                self.wait_theme("Low")
                self.set_theme(name)
                self.wait_theme("freedesktop")
        self.assertIsNone(self.agent.poll())


class XfceTests(ThemeTest):
    def set_theme(self, name, kind="string"):
        self.run_client("xfconf-query", "-c", "xsettings", "-p", "/Net/SoundThemeName", "-n", "-t", kind, "-s", name)

    def start_xfconf(self):
        process = self.spawn(f"/usr/lib/{os.uname().machine}-linux-gnu/xfce4/xfconf/xfconfd")
        self.wait_name("org.xfce.Xfconf")
        return process

    def test_the_theme_of_xfce_rings_and_is_followed(self):
        self.start_sound()
        self.wait_theme("freedesktop")
        xfconf = self.start_xfconf()
        self.set_theme("Low")
        self.wait_theme("Low")
        self.assertRings(LOW, (HIGH, 880))
        self.set_theme("High")
        self.wait_theme("High")
        self.assertRings(HIGH, (LOW, 880))
        self.run_client("xfconf-query", "-c", "xsettings", "-p", "/Net/SoundThemeName", "-r")
        self.set_theme("7", kind="int")
        self.wait_theme("freedesktop")
        self.set_theme("Low")
        self.wait_theme("Low")
        xfconf.kill()
        self.wait_theme("freedesktop")
