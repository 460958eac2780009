"""Tests of what the agent shows, with a provider and a scripted server of notifications."""

import dbus

from desktop.case import DesktopTest
from desktop.notification_servers import ScriptedServer
from support.provider import Provider


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

    def resumable(self, name):
        """A call that could be resumed: the call that it was held for has ended."""
        call = self.alpha.active(localized_caller_name=name)
        beta = self.second_provider()
        other = beta.incoming(localized_caller_name="Bob")
        self.answer(other).result()
        self.wait_state(call, "held")
        beta.remote_end(other).result()
        return call
