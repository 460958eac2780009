"""A number and a name in every field that a plugin can fill over its link: nobody else reads them, in signals, the log, names
of files or the list of processes. What a plugin prints is in the log under its name, and is left out."""

import uuid

from gi.repository import GLib

from access.app import SandboxedApp
from plugins.case import PluginTest
from support.canaries import MARK, NAME, NUMBER, CanaryTest
from support.puppet import WORKER_HOST, Puppet
from support.system import DIRECTORY, FAVORITES, FAVORITES1, HOST, IDENTITY, MANAGER, PROPERTIES, ROOT, RULES1, SYSTEM
from support.waiting import wait_until

TEXT, TEXTS, HANDLE = GLib.Variant("s", NAME), GLib.Variant("as", [NUMBER, NAME]), GLib.Variant("(ss)", ("generic", NUMBER))
UNKNOWN = {NUMBER: TEXT, NAME: TEXTS, MARK: HANDLE}


class Plugins(CanaryTest, PluginTest):
    def setUp(self):
        super().setUp()
        self.wait_store()
        self.puppet = Puppet(self)
        self.path = self.puppet.introduce(**UNKNOWN)
        self.wait_ready("Puppet")

    def report(self, member, signature, *arguments):
        return self.puppet.call(self.path, HOST, member, signature, *arguments)

    def incoming(self, **values):
        answer = self.report("ReportNewIncomingCall", "sa{sv}", str(uuid.uuid4()), {
            "remote-handle": HANDLE, "localized-caller-name": TEXT, "network-name": TEXT, "diverted-by": HANDLE,
            "image": GLib.Variant("s", f"/{MARK}.png"), **UNKNOWN, **values})
        self.assertEqual(answer.error_name, "", answer.error_text)
        self.wait_state(answer.values[0], "ringing")
        return answer.values[0], answer.values[0].rsplit("/", 1)[1].replace("_", "-")

    def end_at_last(self, call):
        """Ends a call: the puppet would not when the daemon ends."""
        self.report("ReportCallEnded", "stsa{sv}", call, 0, "remote-ended", {})

    def look(self):
        """An app without any permission reads all that there is for it."""
        app = SandboxedApp(self.system)
        try:
            self.system.call(ROOT, MANAGER, "GetManagedObjects", connection=app.connect()).result()
            self.assertUnread(app.received.decode(errors="replace"), "what an app reads")
        finally:
            app.close()

    def test_what_it_reports(self):
        with self.watched():
            call, name = self.incoming()
            self.assertEqual(str(self.property(call, "CallerName", IDENTITY)), NAME)
            for key in ("encryption", "codec", "quality", "progress", "verification", "can-hold-now", "transfer-request",
                        "on-hold", "remote-handle", "video", "supports-holding"):
                # A provider's word for encryption and codec is for everybody, unless it may be a number.
                for value in (GLib.Variant("s", NUMBER) if key in ("encryption", "codec") else TEXT, TEXTS, HANDLE):
                    self.report("ReportCallUpdated", "sa{sv}", name, {key: value})
            self.report("ReportCallUpdated", "sa{sv}", NUMBER, UNKNOWN)
            self.look()
            details = {"end-code": GLib.Variant("s", f"SIP 603 {NUMBER}"), "end-detail": TEXT, **UNKNOWN}
            for reason in (NUMBER, NAME):
                self.report("ReportCallEnded", "stsa{sv}", name, 0, reason, details)
            self.report("ReportCallEnded", "stsa{sv}", name, 0, "remote-ended", details)
            self.report("ReportCallEnded", "stsa{sv}", name, 0, "remote-ended", {"end-code": details["end-code"], **UNKNOWN})
            wait_until(lambda: self.system.shown(call, "State") in ("ended", None), "it does not end")
            ongoing = str(uuid.uuid4())
            for state in (NAME, "active"):
                self.report("ReportOngoingCall", "sssta{sv}", ongoing, "outgoing", state, 0, {"remote-handle": HANDLE, **UNKNOWN})
            for member in ("ReportOutgoingCallStartedConnecting", "ReportOutgoingCallConnected"):
                self.report(member, "sta{sv}", NUMBER, 0, details)
            self.look()
            self.end_at_last(ongoing)

    def test_its_configuration_and_its_accounts(self):
        """The names and the words that are for everybody are left out."""
        with self.watched():
            for key in ("supported-handle-types", "key", "desktop-entry", "availability", "hold-model", "custom-actions",
                        "emergency-numbers", "supported-schemes", "maximum-call-groups", NUMBER, NAME, MARK):
                for value in (TEXT, TEXTS, HANDLE):
                    if (key, value) != ("emergency-numbers", TEXTS):
                        self.report("UpdateConfiguration", "a{sv}", {key: value})
                        self.puppet.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/wrong",
                                         {"localized-name": GLib.Variant("s", "Wrong"), key: value})
            for values in ((NUMBER, NAME, NAME, NAME), (NAME, "ready", NAME, NUMBER), (MARK, "failed", "", NAME)):
                self.puppet.call(ROOT, WORKER_HOST, "ReportAccount", "ssss", *values)
            self.puppet.call(ROOT, WORKER_HOST, "ReportSecondAnswer", "s", NUMBER)
            self.puppet.call(ROOT, WORKER_HOST, "Hello", "uss", 1, NAME, NUMBER)
            self.look()

    def test_what_it_asks_for(self):
        with self.watched():
            _, name = self.incoming()
            for path, interface, member, signature, *arguments in (
                    (ROOT, SYSTEM, "StartCallWith", "sa{sv}", f"generic:{NUMBER}", UNKNOWN),
                    (ROOT, SYSTEM, "StartCallWith", "sa{sv}", f"unknown-{MARK}:{NAME}", {}),
                    (ROOT, SYSTEM, "RequestTransaction", "a(sa{sv})a{sv}", [(NUMBER, UNKNOWN), ("start", UNKNOWN)], UNKNOWN),
                    (ROOT, SYSTEM, "FindProviders", "s", NUMBER), (ROOT, SYSTEM, "EndCalls", "as", [NUMBER]),
                    (ROOT, SYSTEM, "SetQuiet", "sb", NUMBER, True), (DIRECTORY, RULES1, "Block", "s", NUMBER),
                    (FAVORITES, FAVORITES1, "Add", "(ss)ss", ("generic", NUMBER), NAME, MARK),
                    (ROOT, PROPERTIES, "Get", "ss", NAME, NUMBER), (ROOT, PROPERTIES, "Set", "ssv", SYSTEM, NUMBER, TEXT),
                    (ROOT, SYSTEM, MARK.replace("-", "_"), ""), (f"{ROOT}/{MARK.replace('-', '_')}", SYSTEM, "End", ""),
                    (ROOT, f"org.example.{MARK.replace('-', '.n')}", "End", "")):
                self.puppet.call(path, interface, member, signature, *arguments)
            self.look()
            self.end_at_last(name)
