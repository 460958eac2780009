"""Tests of what the agent shows, with a provider and a scripted server of notifications."""

import dbus

from desktop import DesktopTest
from notification_servers import ScriptedServer
from provider import Provider


class NotificationTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha Tel", supported_handle_types=dbus.Array(["generic", "phone-number"]))

    def scripted(self, *capabilities, **options):
        self.server = ScriptedServer(self, capabilities or ("actions", "body"), **options)
        self.start_agent()
        return self.server

    def second_provider(self, **configuration):
        return Provider(self.system, "Beta", "/beta", **configuration)
