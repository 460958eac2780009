"""A desktop in a session of the test's own: how it starts, what is on its screen, and how somebody presses what is there."""

import os
import shutil
import subprocess

from desktop.notification_servers import NAME, PATH, Display
from live.hands import XHands
from live.login import LiveLogin
from support.login_manager import SystemBus
from support.screen_reader import ScreenReader
from support.waiting import GIVE_UP, Late, wait_until

SERVICES = "/usr/share/dbus-1/services"
SIZE = "1280x800"
FOR_A_LOOK = 4
"""Seconds in which what has just been posted is drawn, before the list of older ones is opened."""


class Rig:
    """What desktops with an X server have in common. Each desktop says what is its own."""

    name = ""
    """As in the table of docs/desktop.md."""
    programs = ()
    """Without one of them, the tests are skipped."""
    services = ()
    """How the names of the services begin that the session's bus may start."""
    session = "x11"
    words = {}
    """What the session's environment says."""
    quiet = None
    """How the daemon calls the desktop's Do Not Disturb."""
    tells_quiet = True
    """Whether it tells when its Do Not Disturb is switched."""
    tells_bodies = True
    """Whether screen readers learn what stands below the title."""
    locks = False
    whole = ""
    """The role of a whole notification, beyond which are the buttons of others; nothing where each has its window."""
    cross = -1
    """Which of the buttons without a name closes."""
    is_qt = False
    """Whether the server is a program of Qt."""
    keeps = False
    """Whether there is a list of notifications, beside those on the screen."""
    silence = "Silence"
    """The button that silences; nothing where a click on the notification does."""

    def __init__(self, test):
        self.test = test
        self.server = None
        self.reader = ScreenReader(test)

    # Starting

    @classmethod
    def missing(cls):
        return [program for program in cls.programs if shutil.which(program) is None]

    @classmethod
    def allowed_services(cls):
        """The files of services that this session's bus may start. Other servers of notifications stay away."""
        if not os.path.isdir(SERVICES):
            return []
        return [os.path.join(SERVICES, name) for name in sorted(os.listdir(SERVICES)) if name.startswith(cls.services)]

    def start(self):
        self.login = LiveLogin(self.test, SystemBus(self.test).start(), self.session)
        self.start_screen()
        self.tell_bus()
        if not self.is_qt:
            self.reader.start(**self.environment)
        self.start_server()
        information = self.test.system.call(PATH, NAME, "GetServerInformation", name=NAME).result()
        self.version = str(information[2])
        return self

    def start_screen(self):
        self.display = Display(self.test, SIZE)
        self.hands = XHands(self.display)
        self.environment = {**self.display.environment, **self.common(), **self.words}

    def common(self):
        return {"XDG_SESSION_TYPE": self.session, "XDG_SESSION_ID": "1", "XDG_SESSION_CLASS": "user", "USER": "root",
                "LANG": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", "LP_NUM_THREADS": "1",
                "XDG_DATA_DIRS": f"{self.test.prefix}/share:/usr/local/share:/usr/share"}

    def tell_bus(self):
        """What the bus starts, the agent too, is part of the session."""
        words = {key: value for key, value in self.environment.items() if self.test.system.environment.get(key) != value}
        self.test.system.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "UpdateActivationEnvironment", "a{ss}",
                              words, name="org.freedesktop.DBus").result()

    def spawn(self, *command):
        process = self.test.spawn(*command, **self.environment)
        # Desktops take their time to say farewell.
        self.test.addCleanup(process.kill)
        return process

    def run(self, *command):
        return subprocess.run(command, env=self.environment, check=True, timeout=GIVE_UP, capture_output=True,
                              text=True).stdout

    def start_desktop(self):
        """Starts what the desktop consists of, and keeps the server of notifications in `server`."""
        raise NotImplementedError

    def settle(self):
        """Waits until notifications can be seen."""

    def kill_server(self):
        self.server.kill()
        self.server.wait()
        self.test.wait_name(NAME, owned=False)

        if self.is_qt:
            self.reader.stop()

    def start_server(self):
        self.start_desktop()
        self.test.wait_name(NAME)
        if self.is_qt:
            self.reader.start(**self.environment)
        self.settle()

    # What is on the screen

    def screen(self):
        """The windows and what they show."""
        return self.reader.elements()

    def elements(self):
        return [element for window in self.screen() if window.parent is None for element in window.all()]

    def texts(self):
        return [element.name for element in self.elements() if element.name]

    def notification(self, title, *labels):
        """The smallest part of the screen that says all of this, each label on a button; None if there is none."""
        for element in self.elements():
            if title not in element.name:
                continue
            around = element
            while around is not None:
                buttons = {button.name for button in around.all() if button.is_button}
                if all(label in buttons for label in labels):
                    return around
                around = around.parent if around.role != self.whole else None
        return None

    def wait_offer(self, title, *labels):
        """Waits until the notification is seen with these buttons, if need be in the list."""
        def offered():
            return self.notification(title, *labels)

        def what():
            return f"{title!r} with {labels} is not seen; there is {self.texts()}"
        if not self.keeps:
            return wait_until(offered, what, 30, every=0.1)
        try:
            return wait_until(lambda: offered() or self.hover(title), what, FOR_A_LOOK, every=0.1)
        except Late:
            self.open_list()
        return wait_until(lambda: offered() or self.unfold(title), what, 30, every=0.5)

    def wait_text(self, text):
        return wait_until(lambda: any(text in each for each in self.texts()),
                          lambda: f"{text!r} is not seen; there is {self.texts()}", 30, every=0.1)

    def wait_no_text(self, text):
        wait_until(lambda: not any(text in each for each in self.texts()), lambda: f"{text!r} is still seen", 30, every=0.1)

    def hover(self, title):
        """Lets what is on the screen show its buttons, where it does so under the pointer. Returns nothing as well."""

    def open_list(self):
        """Opens the list of notifications."""

    def close_list(self):
        """Closes it again."""

    def unfold(self, title):
        """Lets an entry of the list that hides its buttons show them. Returns nothing, since it takes a moment."""

    # Fingers

    def press(self, title, label):
        """Presses the button of this notification, once it moves no more; again, if it was just posted anew."""
        self.wait_offer(title, label)
        for _ in range(3):
            self.click(self.at_rest(lambda: self.button(title, label)))
            try:
                wait_until(lambda: self.button(title, label) is None, "", FOR_A_LOOK, every=0.2)
                break
            except Late:
                continue

    def button(self, title, label):
        around = self.notification(title, label)
        return around and next((each for each in around.all() if each.is_button and each.name == label), None)

    def at_rest(self, find):
        """The element once it is three times at the same place."""
        seen = []

        def is_at_rest():
            element = find()
            seen.append(element and element.box)
            return element if element and seen[-3:] == [element.box] * 3 else None
        return wait_until(is_at_rest, lambda: f"it does not come to rest: {self.texts()}", 30, every=0.1)

    def click(self, element):
        self.hands.click(*element.middle)

    def click_body(self, title):
        """Clicks the notification itself, which is its default action."""
        self.click(self.at_rest(lambda: self.title(title)))

    def title(self, title):
        return next((each for each in self.elements() if title in each.name and not each.is_button
                     and each.role in ("label", "text", "static", "heading")), None)

    def close(self, title):
        """The user closes the notification."""
        raise NotImplementedError

    def close_by_cross(self, title):
        """The cross is a button without a name, which may be seen only under the pointer."""
        def cross():
            message = self.message(title)
            return message and self.nameless(message)[self.cross]
        self.hands.move(*self.at_rest(lambda: self.title(title)).middle)
        self.hands.move(*self.at_rest(cross).middle)
        self.click(self.at_rest(cross))

    def message(self, title):
        """The whole notification, in a banner or in the list."""
        around = self.title(title)
        while around is not None and around.parent is not None and around.role != self.whole:
            around = around.parent
        return around

    @staticmethod
    def nameless(message):
        return [each for each in message.all() if each.is_button and not each.name]

    # The rest of the desktop

    def set_quiet(self, is_quiet):
        """Switches the desktop's Do Not Disturb."""
        raise NotImplementedError

    def lock(self):
        raise NotImplementedError

    def unlock(self):
        self.login.session.Unlock()

    def save(self, path, crop=None):
        """A picture of the screen."""
        self.display.save(path, crop)
