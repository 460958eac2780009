"""Tests of what the agent shows, with a provider and a scripted server of notifications."""

import contextlib

import dbus

from desktop.case import DesktopTest
from desktop.notification_servers import ScriptedServer
from desktop.server_profiles import UNKNOWN
from support.provider import Provider
from support.waiting import wait_until

PHONE = "org.opencallkit.Phone"
PHONE_PATH = "/org/opencallkit/Phone"
APPLICATION = "org.freedesktop.Application"


class NotificationTest(DesktopTest):
    profile = UNKNOWN
    """The server whose habits the scripted one has."""

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha Tel", supported_handle_types=dbus.Array(["generic", "phone-number"]))

    def scripted(self, *capabilities, deadlines=(), **options):
        options.setdefault("profile", self.profile)
        self.server = ScriptedServer(self, capabilities or None, **options)
        self.start_agent(*(word for each in deadlines for word in ("--deadline", each)))
        return self.server

    @contextlib.contextmanager
    def at(self, profile, **options):
        """A server with an agent, for a part of a test."""
        with self.subTest(profile=profile.word):
            server = self.scripted(profile=profile, **options)
            yield server
            self.agent.terminate()
            self.agent.wait()
            server.leave()

    def second_provider(self, **configuration):
        return Provider(self.system, "Beta", "/beta", **configuration)

    def resumable(self, name):
        """A call that could be resumed: the call that it was held for has ended."""
        call = self.alpha.active(localized_caller_name=name)
        self.server.wait_title(f"Call with {name}")
        beta = self.second_provider()
        other = beta.incoming(localized_caller_name="Bob")
        self.answer(other).result()
        self.wait_state(call, "held")
        beta.remote_end(other).result()
        return call

    def wait_silent(self, call):
        wait_until(lambda: self.property(call, "RingMode") == "silent", "it is not silenced", every=0.05)

    def activate(self):
        """Starts the application, as a click on its icon does."""
        self.wait_name(PHONE)
        return self.system.call(PHONE_PATH, APPLICATION, "Activate", "a{sv}", dbus.Dictionary({}, signature="sv"),
                                name=PHONE).result()
