"""A number and a name in every field that a client can fill: nobody else reads them, in signals, errors, the log, names of
files or the list of processes."""

import dbus

from support.audio_agent import AudioAgent
from support.canaries import MARK, NAME, NUMBER, CanaryTest, with_canaries
from support.messages import uuid_of, variants
from support.provider import Provider
from support.screener import Screener
from support.store import StoreTest
from support.system import (CALL, DIRECTORY, DIRECTORY1, FAVORITES, FAVORITES1, HOST, PROPERTIES, PROVIDER, RECENTS,
                            RECENTS1, ROOT, RULES1, SYSTEM)

PLUGIN1, ACCOUNTS1, ACCOUNT1 = "org.opencallkit.Plugin1", "org.opencallkit.Accounts1", "org.opencallkit.Account1"


class Canaries(CanaryTest, StoreTest):
    arguments = ("--region", "SE")
    with_plugins = True

    def test_nobody_else_reads_them(self):
        self.wait_store()
        self.system.wait_ready("MonkeyCall")
        with self.watched():
            self.play()
        self.assertIn("member=Anomaly", self.signals)

    def play(self):
        provider = Provider(self.system, **{key: NAME for key in (MARK, NUMBER, NAME)})
        self.reports(provider)
        self.requests(provider)
        self.agents(provider)
        self.objects(provider)
        self.people()

    def reports(self, provider):
        wrong = ("supported-handle-types", "key", "desktop-entry", "availability", "hold-model", "custom-actions",
                 "emergency-numbers", "supported-schemes", "maximum-call-groups")
        connection = self.system.connect()
        for key in wrong:
            for value in (NUMBER, NAME, dbus.Array([NUMBER, NAME], signature="s")):
                self.system.call(ROOT, SYSTEM, "RegisterProvider", "oa{sv}", "/wrong",
                                 variants({"localized-name": "Wrong", key: value}), connection=connection).wait()
                if key not in ("key", "emergency-numbers"):
                    provider.report("UpdateConfiguration", "a{sv}", variants({key: value})).wait()
        call = provider.incoming(handle=("generic", MARK), localized_caller_name=NAME, network_name=NAME,
                                 diverted_by=dbus.Struct(("generic", NUMBER), signature="ss"), image=f"/{MARK}.png",
                                 **{NUMBER: NAME, NAME: NUMBER, MARK: True})
        for key in ("encryption", "codec", "quality", "progress", "verification", "can-hold-now", "transfer-request", "on-hold"):
            for value in (NUMBER, NAME, f"SIP {NAME}"):
                provider.update(call, **{key.replace("-", "_"): value}).wait()
        provider.report("ReportCallUpdated", "sa{sv}", NUMBER, variants({})).wait()
        self.answer(call, **{NUMBER: NAME}).result()
        provider.update(call, transfer_request=dbus.Struct(("generic", NUMBER), signature="ss")).result()
        self.system.call(call, CALL, "PlayDTMF", "s", "46709998877").result()
        provider.remote_end(call, NUMBER).wait()
        provider.report("ReportCallEnded", "stsa{sv}", uuid_of(call), 0, "remote-ended",
                        with_canaries(**{"end-code": f"SIP 603 {NUMBER}"})).result()
        named = provider.incoming()
        provider.report("ReportCallEnded", "stsa{sv}", uuid_of(named), 0, "failed", variants({"end-code": f"603 {NAME}"})).result()
        provider.behaviour["answer"] = "fail"
        failing = provider.incoming()
        self.answer(failing).wait()

    def requests(self, provider):
        path = dbus.ObjectPath(provider.path)
        call = self.start_call(f"generic:{NUMBER}", provider=path, **{"contact-identifier": MARK, NUMBER: NAME}).result()
        self.reject(provider.incoming(), NAME).result()
        for options in ({"uuid": NUMBER}, {"conflict": NUMBER}, {"reply": NAME}, {"provider": f"/{MARK.replace('-', '_')}"},
                        {"provider": NUMBER}):
            self.start_call(f"generic:{NUMBER}", **options).wait()
        self.start_call(f"unknown-{MARK}:{NAME}").wait()
        self.request([(NUMBER, {NAME: NUMBER})]).wait()
        self.request([("set-muted", {"call": call, "muted": True, NUMBER: NAME})], **{MARK: 1, NAME: 2}).result()
        self.simulate([("start", {"handle": dbus.Struct(("generic", NUMBER), signature="ss"), NAME: 1})]).wait()
        self.system.call(call, CALL, "SetTranslating", "ba{sv}", True, with_canaries()).wait()
        self.system.call(ROOT, SYSTEM, "EndCalls", "as", dbus.Array([NUMBER], signature="s")).wait()
        self.system.call(ROOT, SYSTEM, "FindProviders", "s", NUMBER).wait()
        self.system.call(provider.path, PROVIDER, "PerformCustomAction", "sa{sv}", MARK, with_canaries()).wait()
        self.end(call).result()

    def agents(self, provider):
        screener = Screener(self.system, ("reject", NUMBER), name=NAME)
        provider.report_incoming(handle=("generic", NUMBER)).wait()
        screener.unregister().result()
        # The audio agent's name is shown to everybody, as a provider's is; the screener's is not.
        for member, name in (("RegisterScreener", NAME), ("RegisterAudioAgent", "Agent")):
            self.system.call(ROOT, SYSTEM, member, "oa{sv}", "/" + MARK.replace("-", "_"), with_canaries(name=name)).wait()
        other = self.system.call(ROOT, SYSTEM, "RegisterAudioAgent", "oa{sv}", "/other", variants({}),
                                 connection=self.system.connect()).wait()
        self.assertUnread(other.error_text, "the error of another client")
        AudioAgent(self.system, name="Agent", replace=True)
        provider.remote_end(provider.active()).result()
        self.system.call(ROOT, SYSTEM, "SetQuiet", "sb", NUMBER, True).wait()

    def objects(self, provider):
        for name, value in (("DoNotDisturbRules", dbus.Dictionary({"schedule": NUMBER, NAME: NUMBER}, signature="sv")),
                            ("DefaultProviders", dbus.Dictionary({NUMBER: NAME}, signature="ss")),
                            ("EmergencyProviders", dbus.Array([NUMBER], signature="s")), (NUMBER, NAME)):
            value = value if isinstance(value, str) else type(value)(value, signature=value.signature, variant_level=1)
            self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, name, value).wait()
        for path, interface, member, *arguments in (
                (f"{ROOT}/access", "org.opencallkit.Access1", "Grant", "sas", NUMBER, dbus.Array(["identity"], signature="s")),
                (f"{ROOT}/access", "org.opencallkit.Access1", "Grant", "sas", "org.example.A", dbus.Array([NUMBER], signature="s")),
                (f"{ROOT}/accounts", ACCOUNTS1, "Schema", "s", NUMBER), (f"{ROOT}/accounts", ACCOUNTS1, "Add", "sa{sv}", NAME, with_canaries()),
                (f"{ROOT}/accounts", ACCOUNTS1, "Add", "sa{sv}", "MonkeyCall", with_canaries(label=NAME)),
                (f"{ROOT}/plugins/MonkeyCall", PLUGIN1, "Grant", "as", dbus.Array([NUMBER, f"files:/{MARK}"], signature="s")),
                (f"{ROOT}/{MARK.replace('-', '_')}", SYSTEM, "End"), (ROOT, SYSTEM, MARK.replace("-", "_")),
                (ROOT, PROPERTIES, "Get", "ss", SYSTEM, NUMBER), (provider.path, HOST, "ReportCallEnded", "s", NUMBER)):
            self.system.call(path, interface, member, *arguments).wait()

    def people(self):
        for path, interface, member, *arguments in (
                (FAVORITES, FAVORITES1, "Add", "(ss)ss", dbus.Struct(("generic", NUMBER), signature="ss"), NAME, MARK),
                (FAVORITES, FAVORITES1, "Add", "(ss)ss", dbus.Struct((NUMBER, NAME), signature="ss"), NAME, ""),
                (DIRECTORY, RULES1, "Block", "s", NUMBER), (DIRECTORY, RULES1, "Allow", "s", NAME),
                (DIRECTORY, RULES1, "Unblock", "s", f"{NUMBER}…{NAME}"), (DIRECTORY, DIRECTORY1, "Identify", "s", NUMBER),
                (DIRECTORY, DIRECTORY1, "FindPeople", "s", NAME),
                (RECENTS, RECENTS1, "List", "a{sv}uu", with_canaries(text=NUMBER), dbus.UInt32(0), dbus.UInt32(5)),
                (RECENTS, RECENTS1, "List", "a{sv}uu", variants({"direction": NUMBER}), dbus.UInt32(0), dbus.UInt32(5))):
            self.system.call(path, interface, member, *arguments).wait()
