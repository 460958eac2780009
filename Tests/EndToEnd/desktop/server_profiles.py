"""What the servers of desktops do with notifications, as it was seen: the scripted server has the habits of one of them."""

import dataclasses

ACTIONS = ("actions", "body")
MARKUP = ("actions", "body", "body-markup")


@dataclasses.dataclass(frozen=True)
class Profile:
    """A server: what GetServerInformation says, and its habits."""

    word: str
    name: str
    vendor: str
    version: str
    capabilities: tuple = MARKUP
    draws: bool = True
    """Whether it draws buttons at all."""
    most: int = 16
    """How many buttons it draws."""
    most_actions: int = 16
    """With more it draws no buttons."""
    draws_default: bool = False
    skips_after_default: bool = False
    repeats_default: bool = False
    """Sends `default` after each button."""
    changed: str = "good"
    """What becomes of the buttons of a notification that is changed: `good`, `bare` (gone), `old` (those before)."""
    one: bool = False
    """Shows one notification over the windows at a time."""
    stuck: bool = False
    """What waited behind a banner of another program is never shown."""
    list: str = ""
    """What has left the windows lies in a list with `buttons`, or `bare`; without a list it is gone."""
    lists_low: bool = False
    """Shows low urgency in the list alone."""
    expires: str = "short"
    """What it lets expire: `short` (timeout -1), `all`, `none`."""
    markup: bool = False
    """Reads labels as markup: what is none is an empty button."""
    close_reason: int = 2
    """The reason of NotificationClosed when the user closes one."""
    closes_chosen: bool = False
    """Closes also a resident notification once an action was chosen."""
    drops: bool = False
    """A click on a notification without `default` drops all of the program that are not resident."""


GNOME43 = Profile("gnome43", "gnome-shell", "GNOME", "43.9", most=3, changed="bare", one=True, list="bare",
                  lists_low=True, expires="none", drops=True)
GNOME48 = Profile("gnome48", "gnome-shell", "GNOME", "48.7", most=3, one=True, stuck=True, list="buttons",
                  lists_low=True, expires="none", drops=True)
PLASMA5 = Profile("plasma5", "Plasma", "KDE", "5.27.5")
PLASMA6 = Profile("plasma6", "Plasma", "KDE", "6.3.6")
CINNAMON = Profile("cinnamon", "cinnamon", "GNOME", "5.6.8", one=True, list="buttons", expires="none", close_reason=0)
MATE = Profile("mate", "Notification Daemon", "MATE", "1.26.0", markup=True, close_reason=1, closes_chosen=True)
LXQT = Profile("lxqt", "lxqt-notificationd", "lxqt.org", "1.2.0", changed="old", draws_default=True, most_actions=3,
               closes_chosen=True)
BUDGIE = Profile("budgie", "Budgie Notification Server", "Budgie Desktop Developers", "10.7.1", expires="all",
                 skips_after_default=True, repeats_default=True)
MAKO = Profile("mako", "mako", "emersion", "0.0.0", draws=False, closes_chosen=True)
SWAYNC = Profile("swaync", "SwayNotificationCenter", "ErikReider", "0.7.3", list="buttons", expires="none",
                 closes_chosen=True)
DUNST = Profile("dunst", "dunst", "knopwob", "1.9.0 (2022-06-27)", draws_default=True, closes_chosen=True)
XFCE = Profile("xfce", "Xfce Notify Daemon", "Xfce", "0.7.3", draws_default=True, closes_chosen=True)
UNKNOWN = Profile("unknown", "Scripted", "test", "1.0", ACTIONS)
WORST = Profile("worst", "Nobody's", "nobody", "0", most=3, changed="bare", one=True, stuck=True, list="bare",
                skips_after_default=True, repeats_default=True, drops=True, expires="all", closes_chosen=True)
"""An unknown server with all bad habits."""

PROFILES = (GNOME43, GNOME48, PLASMA5, PLASMA6, CINNAMON, MATE, LXQT, BUDGIE, MAKO, SWAYNC, DUNST, XFCE, UNKNOWN, WORST)


def for_each(*profiles):
    """Makes of one class of tests one for each profile, in its module."""
    def make(tests):
        import sys
        module = sys.modules[tests.__module__]
        for profile in profiles or PROFILES:
            name = f"{tests.__name__}_{profile.word}"
            setattr(module, name, type(name, (tests,), {"profile": profile, "__test__": True,
                                                        "__module__": tests.__module__}))
        tests.__test__ = False
        return tests
    return make
