"""Media keys, and keys of the desktop's own settings, with the programs that handle keys there."""

import os
import shutil

from live.case import LiveTest
from live.gnome import Gnome
from live.others import Budgie, Cinnamon
from live.plasma import MACHINE, Plasma
from support.system import BUILD
from support.waiting import Late, wait_until

PLAYER = "org.mpris.MediaPlayer2.opencallkit"
PLAY, PAUSE, STOP = "XF86AudioPlay", "209", "174"
"""Keys as xdotool knows them: those of headsets have numbers of their own."""
ACCELERATORS = f"{MACHINE}/libexec/kglobalacceld"
"""Keeps Plasma's keys where no program of the session does; the media keys register there once."""


class WithKeys:
    """A desktop with the program that handles its keys."""

    handler = ()
    handler_name = ""

    @classmethod
    def missing(cls):
        return super().missing() + [program for program in cls.handler[:1] if shutil.which(program) is None]

    def settle(self):
        super().settle()
        if self.handler:
            self.spawn(*self.handler)
            self.test.wait_name(self.handler_name)


class GnomeWithKeys(WithKeys, Gnome):
    handler = ("/usr/libexec/gsd-media-keys",)
    handler_name = "org.gnome.SettingsDaemon.MediaKeys"


class BudgieWithKeys(WithKeys, Budgie):
    handler = GnomeWithKeys.handler
    handler_name = GnomeWithKeys.handler_name


class CinnamonWithKeys(WithKeys, Cinnamon):
    handler = ("csd-media-keys",)
    handler_name = "org.cinnamon.SettingsDaemon.KeybindingHandler"


class PlasmaWithKeys(Plasma):
    def start_desktop(self):
        if self.server is None and os.path.exists(ACCELERATORS):
            self.spawn(ACCELERATORS)
            self.test.wait_name("org.kde.kglobalaccel")
        super().start_desktop()


class MediaKeys:
    keys = (PLAY, PAUSE)

    def press_until(self, keys, is_done, what):
        """Presses keys about once a second, since nothing tells when the desktop has grabbed them."""
        for _ in range(20):
            self.desktop.hands.key(keys)
            try:
                wait_until(is_done, seconds=1)
                return
            except Late:
                continue
        self.fail(f"{keys} {what}")

    def is_in(self, call, *states):
        return lambda: self.system.shown(call, "State") in states

    def ring_aloud(self):
        call = self.ring()
        self.wait_name(PLAYER)
        return call

    def test_media_keys_answer_and_hang_up(self):
        for key in self.keys:
            with self.subTest(key=key):
                call = self.ring_aloud()
                self.press_until(key, self.is_in(call, "active"), "does not answer")
                self.press_until(key, self.is_in(call, "ended", None), "does not hang up")
                self.wait_name(PLAYER, owned=False)


class OwnKeys:
    def test_keys_that_callctl_has_put_into_the_settings(self):
        done = self.system.run(f"{BUILD}/callctl", "desktop", "keys", "--apply", **self.desktop.environment)
        self.assertEqual((done.status, done.errors), (0, ""))
        call = self.ring_aloud()
        self.press_until("super+shift+m", lambda: self.system.shown(call, "RingMode") == "silent", "does not silence")
        self.press_until("super+shift+a", self.is_in(call, "active"), "does not answer")
        self.press_until("super+shift+x", self.is_in(call, "ended", None), "does not hang up")
        call = self.ring_aloud()
        self.press_until("super+shift+d", self.is_in(call, "ended", None), "does not decline")


class GnomeKeyTests(MediaKeys, OwnKeys, LiveTest):
    rig = GnomeWithKeys

    def test_stop_declines(self):
        call = self.ring_aloud()
        self.press_until(STOP, self.is_in(call, "ended", None), "does not decline")
        self.assertEqual(self.property(call, "EndReason"), "declined")


class BudgieKeyTests(MediaKeys, OwnKeys, LiveTest):
    rig = BudgieWithKeys


class CinnamonKeyTests(MediaKeys, OwnKeys, LiveTest):
    rig = CinnamonWithKeys


class PlasmaKeyTests(MediaKeys, LiveTest):
    rig = PlasmaWithKeys
    # Plasma 5.27 passes the key Pause of a headset on to nobody.
    keys = (PLAY,)
