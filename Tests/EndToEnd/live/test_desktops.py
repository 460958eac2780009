"""Calls on the desktops that people have: each scene on each desktop that is installed."""

from live.case import LiveTest
from live.gnome import Gnome, GnomeWayland
from live.others import Budgie, Cinnamon, Lxqt, Mate
from live.plasma import Plasma, PlasmaWayland
from live.scenes import Scenes
from live.wayland import Mako, Swaync


class GnomeTests(Scenes, LiveTest):
    rig = Gnome


class GnomeWaylandTests(Scenes, LiveTest):
    rig = GnomeWayland


class PlasmaTests(Scenes, LiveTest):
    rig = Plasma


class PlasmaWaylandTests(Scenes, LiveTest):
    rig = PlasmaWayland


class CinnamonTests(Scenes, LiveTest):
    rig = Cinnamon


class MateTests(Scenes, LiveTest):
    rig = Mate


class LxqtTests(Scenes, LiveTest):
    rig = Lxqt


class BudgieTests(Scenes, LiveTest):
    rig = Budgie


class MakoTests(Scenes, LiveTest):
    rig = Mako


class SwayncTests(Scenes, LiveTest):
    rig = Swaync
