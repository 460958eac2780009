"""A server of notifications out of a script, which draws what it is told as the servers of desktops do."""

import re

import dbus
import dbus.lowlevel
import dbus.service

from desktop.server_profiles import UNKNOWN
from support.waiting import wait_until

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"


def noted_notifications(system):
    """The ids in the agent's journal."""
    try:
        with open(f"{system.folder.name}/opencallkit/notifications", encoding="utf-8") as file:
            lines = dict(line.split(" = ", 1) for line in file if " = " in line)
    except FileNotFoundError:
        return set()
    return set(map(int, lines["ids"].split()))


class Shown:
    """One notification at the scripted server."""

    def __init__(self, number, icon, title, body, actions, hints, timeout):
        self.number, self.icon, self.title, self.body = number, icon, str(title), str(body)
        self.actions = dict(zip(map(str, actions[::2]), map(str, actions[1::2])))
        self.hints = {str(key): value for key, value in hints.items()}
        self.timeout = int(timeout)
        self.drawn = []
        """The keys of its buttons, in the order in which they are drawn where there are any."""

    @property
    def urgency(self):
        return int(self.hints["urgency"])

    @property
    def buttons(self):
        """The labels of all actions but a click on it, in their order."""
        return [label for key, label in self.actions.items() if key != "default"]

    def __repr__(self):
        return f"{self.title!r} {self.body!r} {self.actions}"


class ScriptedServer(dbus.service.Object):
    """Keeps what it is told, and draws it as its profile does. `behaviour` is `show`, `refuse`, `wrong`, `never`, `late`
    (the test answers), `asleep` (the test lets it begin), `helper` (errors,
    as GNOME's helper without the shell) or `full-screen` (closes what comes before it answers, as Budgie does under a full-screen window).
    """

    def __init__(self, test, capabilities=None, behaviour="show", profile=UNKNOWN):
        self.test = test
        self.profile = profile
        self.link = test.system.connect()
        self.name = dbus.service.BusName(NAME, self.link, do_not_queue=True)
        super().__init__(self.link, PATH)
        self.capabilities = list(profile.capabilities if capabilities is None else capabilities)
        self.behaviour = behaviour
        self.shown = {}
        self.posts = []
        self.closed = []
        self.waiting = []
        self.asked = 0
        """How many times Notify was called, whatever came of it."""
        self.number = 0
        self.banner = None
        """The number of the one over the windows, if there is one at a time; "foreign" for another program's."""
        self.queue = []
        self.is_tray_open = False
        """Whether what is posted counts as seen, and is no banner."""

    def leave(self):
        self.remove_from_connection()
        self.test.system.connections.remove(self.link)
        self.link.close()

    @dbus.service.method(NAME, in_signature="", out_signature="as", async_callbacks=("reply", "error"))
    def GetCapabilities(self, reply, error):
        if self.behaviour == "helper":
            error(dbus.DBusException("there is no shell", name="org.gnome.gjs.JSError.Error"))
            return

        def answer():
            reply(dbus.Array(self.capabilities, signature="s"))
        if self.behaviour == "asleep":
            self.waiting.append(answer)
        elif self.behaviour != "never":
            answer()

    @dbus.service.method(NAME, in_signature="", out_signature="ssss", async_callbacks=("reply", "error"))
    def GetServerInformation(self, reply, error):
        if self.behaviour == "helper":
            error(dbus.DBusException("there is no shell", name="org.gnome.gjs.JSError.Error"))
            return

        def answer():
            reply(self.profile.name, self.profile.vendor, self.profile.version, "1.2")
        if self.behaviour == "asleep":
            self.waiting.append(answer)
        else:
            answer()

    def begin(self):
        """Does in its order what it was asked for while it was asleep."""
        self.behaviour = "show"
        while self.waiting:
            self.waiting.pop(0)()

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u", async_callbacks=("reply", "error"),
                         message_keyword="message")
    def Notify(self, application, replaces, icon, title, body, actions, hints, timeout, reply, error, message):
        self.asked += 1
        self.application = str(application)
        if self.behaviour == "never":
            return
        if self.behaviour in ("refuse", "helper"):
            error(dbus.DBusException("too many", name=f"{NAME}.Error.ExcessNotificationGeneration"))
            return
        if self.behaviour == "wrong":
            answer = dbus.lowlevel.MethodReturnMessage(message)
            answer.append("this is no number", signature="s")
            self.link.send_message(answer)
            return
        if not replaces:
            self.number += 1
        number = int(replaces) or self.number
        shown = Shown(number, icon, title, body, actions, hints, timeout)
        self.posts.append(shown)
        if self.behaviour == "full-screen":
            self.NotificationClosed(dbus.UInt32(number), dbus.UInt32(1))
            reply(dbus.UInt32(number))
            return

        def show():
            self.draw(shown, self.shown.get(number))
            self.shown[number] = shown
            reply(dbus.UInt32(number))
        if self.behaviour in ("late", "asleep"):
            self.waiting.append(show)
        else:
            show()

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        self.closed.append(int(number))
        self.remove(int(number), 3)

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, key):
        pass

    @dbus.service.signal(NAME, signature="us")
    def ActivationToken(self, number, token):
        pass

    # What is seen

    def draw(self, shown, before):
        keys = list(shown.actions)
        if self.profile.skips_after_default and "default" in keys:
            del keys[keys.index("default") + 1:keys.index("default") + 2]
        if not self.profile.draws_default:
            keys = [key for key in keys if key != "default"]
        if self.profile.markup:
            keys = [key for key in keys if not re.search(r"[<>]|&(?!\w+;)", shown.actions[key])]
        is_drawn = self.profile.draws and len(shown.actions) <= self.profile.most_actions
        shown.drawn = keys[:self.profile.most] if is_drawn else []
        if before and self.profile.changed != "good":
            shown.drawn = [] if self.profile.changed == "bare" else before.drawn
        if self.profile.one and not before and not self.is_listed_only(shown) and not self.is_tray_open:
            self.queue.append(shown.number)
            self.next_banner()

    def is_listed_only(self, shown):
        return self.profile.lists_low and shown.urgency == 0

    def next_banner(self):
        if self.banner is None and self.queue:
            self.banner = self.queue.pop(0)

    def is_over_windows(self, shown):
        return self.banner == shown.number if self.profile.one else not self.is_listed_only(shown)

    def buttons(self, shown):
        """The keys of the buttons that can be pressed now."""
        is_seen = self.is_over_windows(shown) or self.profile.list == "buttons"
        return shown.drawn if is_seen and shown.number in self.shown else []

    def foreign_banner(self):
        """Another program's banner covers ours."""
        self.queue = [number for number in (self.banner, *self.queue) if number is not None]
        self.banner = "foreign"

    def end_foreign_banner(self):
        self.banner = None
        if self.profile.stuck:
            self.queue = []
        self.next_banner()

    def pass_time(self):
        """All goes that goes by itself on this desktop."""
        for number, shown in list(self.shown.items()):
            if self.profile.expires == "all" or (self.profile.expires == "short" and shown.timeout != 0):
                self.remove(number, 1)
        while self.profile.one and self.banner in self.shown and self.shown[self.banner].urgency < 2:
            self.banner = None
            self.next_banner()

    def remove(self, number, reason):
        if self.shown.pop(number, None) is None:
            return
        self.queue = [each for each in self.queue if each != number]
        if self.banner == number:
            self.banner = None
            self.next_banner()
        self.NotificationClosed(dbus.UInt32(number), dbus.UInt32(reason))

    # What the user does

    def use(self, shown, key):
        """Presses a button that is seen. mako's are pressed by makoctl."""
        self.test.assertIn(key, self.buttons(shown) if self.profile.draws else shown.actions, f"{shown} has no such button")
        self.press(shown, key)
        if self.profile.repeats_default:
            self.press(shown, "default")
        if self.profile.closes_chosen or not shown.hints["resident"]:
            self.dismiss(shown)

    def click(self, shown):
        """Clicks the notification itself."""
        if "default" in shown.actions:
            self.press(shown, "default")
            if self.profile.closes_chosen or not shown.hints["resident"]:
                self.dismiss(shown)
        elif self.profile.draws_default:
            self.dismiss(shown)
        elif self.profile.drops:
            for each in list(self.shown.values()):
                if not each.hints["resident"]:
                    self.dismiss(each)

    def bring(self, title, key):
        """Returns the notification once it has this button, which is behind a click on some desktops."""
        def found():
            shown = next((each for each in self.shown.values() if title in each.title), None)
            if shown is None:
                return None
            if key in (self.buttons(shown) if self.profile.draws else shown.actions):
                return shown
            if self.profile.list == "bare" and not self.is_over_windows(shown) and shown not in clicked:
                clicked.append(shown)
                self.click(shown)
            return None
        clicked = []
        return wait_until(found, lambda: f"{key} of {title} is out of reach: {list(self.shown.values())}")

    def press(self, shown, key):
        self.ActionInvoked(dbus.UInt32(shown.number), key)

    def dismiss(self, shown):
        self.remove(shown.number, self.profile.close_reason)

    # What is waited for

    def wait_shown(self, count=1, title=None):
        """Waits until this number of notifications is shown, and returns the last one."""
        def found():
            matching = [shown for shown in self.shown.values() if title is None or title in shown.title]
            return len(matching) == count and (matching[-1] if matching else True)
        return wait_until(found, lambda: f"not {count} notifications {title or ''}: {list(self.shown.values())}")

    def wait_title(self, text):
        return self.wait_one(lambda shown: text in shown.title, text)

    def wait_named(self, title):
        """Waits for a notification with exactly this title."""
        return self.wait_one(lambda shown: shown.title == title, title)

    def wait_one(self, condition, what):
        return wait_until(lambda: next((shown for shown in self.shown.values() if condition(shown)), None),
                          lambda: f"no notification {what}: {list(self.shown.values())}")

    def ringing(self):
        return [shown for shown in self.shown.values() if shown.hints["category"] == "call.incoming"]

    def is_answerable(self, shown):
        """Whether the notification can be answered and declined from the screen, or says what to type."""
        if not self.profile.draws:
            return "callctl answer" in shown.body
        keys = self.buttons(shown)
        return "decline" in keys and any("answer" in key for key in keys)

    def wait_within_reach(self):
        """Waits until each call that rings can be answered and declined from the screen.

        Where one notification is seen at a time, others are named on it. What the user has closed, or only lies in a
        list without buttons, is a click away.
        """
        def count():
            return len([path for path, values in self.test.system.objects.items()
                        if "/calls/" in path and values.get("State") == "ringing"])

        def is_so():
            ringing = self.ringing()
            if len(ringing) != count():
                return False
            seen = [shown for shown in ringing if self.is_answerable(shown)]
            hidden = [shown for shown in ringing if shown not in seen]
            is_near = all("default" in shown.actions or any(shown.title.split(" from ")[-1] in other.body for other in seen)
                          for shown in hidden)
            return bool(seen or not ringing or self.profile.list == "bare") and is_near
        return wait_until(is_so, lambda: f"{count()} calls ring, out of reach: {list(self.shown.values())}, "
                          f"over the windows: {self.banner}")
