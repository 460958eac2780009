"""A sandboxed app sees calls without names, controls the calls of its own provider, and is refused the rest until the user
grants it."""

import json

import dbus

from access.app import APP, Listener, SandboxedApp, flatpak_info
from support.messages import strings, uuid_of, variants
from support.provider import Provider
from support.store import StoreTest
from support.system import (BUILD, CALL, DIRECTORY, DIRECTORY1, FAVORITES, FAVORITES1, IDENTITY, MANAGER, NAME,
                            PROPERTIES, PROVIDER, RECENTS, RECENTS1, ROOT, RULES1, SYSTEM)
from support.waiting import exited, wait_until

ACCESS = f"{ROOT}/access"
ACCESS1 = "org.opencallkit.Access1"
NUMBER = "+15557770123"
CALLER = "Zacharias Quartermaine"
CANARIES = [b"5557770123", b"Zacharias", b"Quartermaine", b"5557770124", b"Wilhelmina"]
"""Numbers and names of others, in any spelling."""


class AccessTest(StoreTest):
    def setUp(self):
        super().setUp()
        self.wait_store()
        self.alpha = Provider(self.system, "Alpha", supported_handle_types=strings("phone-number", "generic"))
        self.app = self.sandbox()
        self.client = self.app.connect()

    def tearDown(self):
        # dbus/README.md has the refusals of clients that are not the user's programs, once for all methods.
        self.system.undocumented = [line for line in self.system.undocumented if "callctl access grant" not in line]
        super().tearDown()

    def sandbox(self, *arguments, **options):
        app = SandboxedApp(self.system, *arguments, **options)
        self.addCleanup(app.close)
        return app

    def ring(self):
        return self.alpha.incoming(handle=("phone-number", NUMBER), localized_caller_name=CALLER)

    def ask(self, path, interface, member, signature="", *arguments, client=None):
        return self.system.call(path, interface, member, signature, *arguments, connection=client or self.client).wait()

    def read(self, path, interface, name, client=None):
        return self.ask(path, PROPERTIES, "Get", "ss", interface, name, client=client)

    def grant(self, *tiers, app=APP):
        self.system.call(ACCESS, ACCESS1, "Grant", "sas", app, strings(*tiers)).result()

    def revoke(self, *tiers, app=APP):
        self.system.call(ACCESS, ACCESS1, "Revoke", "sas", app, strings(*tiers)).result()

    def assertDenied(self, pending, deed, tier, app=APP):
        pending.wait()
        self.assertEqual(pending.error_name, "org.opencallkit.Error.AccessDenied", pending.error_text)
        self.assertEqual(pending.error_text,
                         f"{app} is not allowed to {deed}; to allow it: callctl access grant {app} {tier}")


class Tiers(AccessTest):
    def test_it_sees_calls_without_names(self):
        listener = Listener(self.client)
        call = self.ring()
        listener.wait("InterfacesAdded")
        self.assertEqual(self.read(call, CALL, "State").result(), "ringing")
        managed = self.ask(ROOT, MANAGER, "GetManagedObjects").result()
        self.assertEqual(managed[call][CALL]["State"], "ringing")
        self.assertEqual(managed[call][IDENTITY], {})
        self.assertEqual(self.ask(call, PROPERTIES, "GetAll", "s", IDENTITY).result(), {})
        whole = self.ask(call, PROPERTIES, "GetAll", "s", "").result()
        self.assertIn("State", whole)
        self.assertNotIn("Handle", whole)
        self.assertDenied(self.read(call, IDENTITY, "Handle"), "read CallIdentity1.Handle", "identity")
        self.assertNotIn("Health", self.ask(ROOT, PROPERTIES, "GetAll", "s", SYSTEM).result())

    def test_it_may_do_nothing_to_the_calls_of_others(self):
        call = self.ring()
        for member, signature, arguments in [("Answer", "", []), ("AnswerWith", "a{sv}", [variants({})]), ("End", "", []),
                                             ("Reject", "s", [""]), ("SetMuted", "b", [True]), ("Explain", "", [])]:
            self.assertDenied(self.ask(call, CALL, member, signature, *arguments), f"call Call1.{member}", "control")
        for member, arguments in [("SilenceRinging", []), ("EndCalls", [strings("ringing")]), ("FindProviders", [NUMBER])]:
            signature = {0: "", 1: "as" if member == "EndCalls" else "s"}[len(arguments)]
            self.assertDenied(self.ask(ROOT, SYSTEM, member, signature, *arguments), f"call CallSystem1.{member}", "control")
        self.assertDenied(self.request([("end", {"call": call})], self.client).wait(),
                          f"act on call {uuid_of(call)}, which is not its own", "control")
        self.assertDenied(self.start_call("generic:somebody", self.client).wait(),
                          "start calls with the providers of others", "control")
        self.assertDenied(self.start_call("112", self.client).wait(), "dial emergency numbers", "control")
        self.assertDenied(self.ask(self.alpha.path, PROVIDER, "SendServiceCode", "sa{sv}", "*100#", variants({})),
                          "call Provider1.SendServiceCode", "control")
        self.assertState(call, "ringing")

    def test_it_may_read_and_set_nothing_of_the_users(self):
        for path, interface, member, signature, arguments, tier in [
                (RECENTS, RECENTS1, "List", "a{sv}", [variants({})], "identity"),
                (RECENTS, RECENTS1, "CallBack", "x", [1], "control"),
                (RECENTS, RECENTS1, "SetRetention", "uu", [1, 1], "administer"),
                (FAVORITES, FAVORITES1, "List", "", [], "identity"),
                (DIRECTORY, DIRECTORY1, "FindPeople", "su", ["a", 1], "identity"),
                (DIRECTORY, RULES1, "Blocked", "", [], "identity"),
                (ROOT, SYSTEM, "SetQuiet", "sb", ["desk", True], "administer"),
                (ROOT, SYSTEM, "RegisterScreener", "oa{sv}", ["/a", variants({})], "administer"),
                (ROOT, SYSTEM, "RegisterAudioAgent", "oa{sv}", ["/a", variants({})], "administer"),
                (f"{ROOT}/accounts", "org.opencallkit.Accounts1", "Schema", "s", ["MonkeyCall"], "administer"),
                (ACCESS, ACCESS1, "Grant", "sas", [APP, strings("control")], "administer"),
                (ACCESS, ACCESS1, "Apps", "", [], "administer"),
                (ACCESS, ACCESS1, "HasTier", "ss", [":1.1", "control"], "administer")]:
            pending = self.ask(path, interface, member, signature, *arguments)
            self.assertDenied(pending, f"call {interface.rsplit('.', 1)[1]}.{member}", tier)
        for name, value in [("DoNotDisturb", True), ("DefaultProviders", dbus.Dictionary({}, signature="ss"))]:
            self.assertDenied(self.ask(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, name, value), f"set CallSystem1.{name}",
                              "administer")
        self.assertFalse(self.system.get(ROOT, SYSTEM, "DoNotDisturb"))
        # What nobody can set is told as such.
        call = self.ring()
        pending = self.ask(call, PROPERTIES, "Set", "ssv", CALL, "State", "active")
        self.assertEqual(pending.error_name, "org.freedesktop.DBus.Error.PropertyReadOnly")

    def test_it_has_the_calls_of_its_own_provider(self):
        own = Provider(self.system, "Own", connection=self.client)
        call = own.incoming(handle=("generic", "my friend"), localized_caller_name="Friend")
        self.assertEqual(self.read(call, IDENTITY, "Handle").result(), ("generic", "my friend"))
        self.assertEqual(self.ask(call, PROPERTIES, "GetAll", "s", IDENTITY).result()["CallerName"], "Friend")
        self.answer(call, self.client).result()
        self.wait_state(call, "active")
        self.assertTrue(self.ask(call, CALL, "Explain").result())
        # Another connection of the same app has them too, and that of another app has not.
        self.assertEqual(self.read(call, IDENTITY, "CallerName", self.app.connect()).result(), "Friend")
        other = self.sandbox(flatpak_info("org.example.Other")).connect()
        self.assertDenied(self.read(call, IDENTITY, "CallerName", other), "read CallIdentity1.CallerName", "identity",
                          "org.example.Other")
        self.assertDenied(self.ask(call, CALL, "End", client=other), "call Call1.End", "control", "org.example.Other")
        second = self.request([("start", {"handle": dbus.Struct(("generic", "two"), signature="ss")})], self.client).result()
        started = second[1][0]
        self.assertEqual(self.property(started, "Provider"), own.path)
        for pending in [self.start_call("generic:b", self.client, conflict="end"),
                        self.request([("answer", {"call": call})], self.client, conflict="end")]:
            self.assertDenied(pending.wait(), "end the calls of others", "control")
        self.assertDenied(self.start_call("generic:b", self.client, provider=dbus.ObjectPath(self.alpha.path)).wait(),
                          "start calls with the providers of others", "control")
        for number in ("112", "phone-number:9-1-1"):
            for options in ({}, {"provider": dbus.ObjectPath(own.path)}):
                self.assertDenied(self.start_call(number, self.client, **options).wait(), "dial emergency numbers", "control")
        self.request([("end", {"call": started}), ("end", {"call": call})], self.client).result()
        self.assertNotIn("AccessDenied", str(self.alpha.messages))

    def test_it_does_not_read_the_users_own_names(self):
        """Of its own calls an app knows what it has reported. What the user calls the far side is the user's."""
        self.system.call(FAVORITES, FAVORITES1, "Add", "(ss)ss", ("phone-number", "+15557770124"), "Wilhelmina", "").result()
        own = Provider(self.system, "Own", connection=self.client)
        out = self.start_call("phone-number:+15557770124", self.client).result()
        wait_until(lambda: self.property(out, "CallerName", IDENTITY) == "Wilhelmina", "the user's name is not found")
        incoming = own.incoming(handle=("phone-number", "+15557770124"), network_name="W.")
        self.assertEqual(self.property(incoming, "CallerName", IDENTITY), "Wilhelmina")
        for call, name, source in [(out, "", "none"), (incoming, "W.", "network")]:
            values = self.ask(call, PROPERTIES, "GetAll", "s", IDENTITY).result()
            self.assertEqual((values["CallerName"], values["CallerNameSource"]), (name, source))
            self.assertEqual(values["Handle"], ("phone-number", "+15557770124"))
            self.assertEqual(self.read(call, IDENTITY, "CallerName").result(), name)
        self.assertEqual(self.app.received.count(b"Wilhelmina"), 0)
        self.grant("identity")
        self.assertEqual(self.read(out, IDENTITY, "CallerName").result(), "Wilhelmina")

    def test_it_does_not_take_the_place_of_another_provider(self):
        """A name is nobody's: an app that calls its provider as another one's is called gets another id."""
        call = self.ring()
        self.alpha.vanish()
        self.wait_state(call, "ended")
        wait_until(lambda: self.alpha.path not in self.system.objects, "the provider stays")
        own = Provider(self.system, "Alpha", connection=self.app.connect())
        self.assertNotEqual(own.path, self.alpha.path)
        self.assertDenied(self.read(call, IDENTITY, "Handle"), "read CallIdentity1.Handle", "identity")
        other = self.sandbox(flatpak_info("org.example.Other"))
        unknown = self.sandbox(flatpak_info("", "Instance"))
        others = [Provider(self.system, "Alpha", connection=app.connect()).path for app in (other, unknown, unknown)]
        self.assertEqual(len({own.path, self.alpha.path, *others}), 5)
        # The app itself gets its id again, in which the user's choices name it.
        own.vanish()
        wait_until(lambda: own.path not in self.system.objects, "the provider stays")
        self.assertEqual(Provider(self.system, "Alpha", connection=self.app.connect()).path, own.path)

    def test_it_does_not_learn_whom_it_calls_back(self):
        """A provider is told whom to call. With control alone, an app has others call back."""
        call = self.ring()
        self.end(call).result()
        row = self.wait_row(call, open=False)["id"]
        own = Provider(self.system, "Own", connection=self.client, supported_handle_types=strings("phone-number"))
        self.grant("control")
        back = self.ask(RECENTS, RECENTS1, "CallBack", "xa{sv}", row, variants({})).result()
        self.assertEqual(self.property(back, "Provider"), self.alpha.path)
        self.end(back).result()
        deed = "call back with a provider of its own"
        options = variants({"provider": dbus.ObjectPath(own.path)})
        self.assertDenied(self.ask(RECENTS, RECENTS1, "CallBack", "xa{sv}", row, options), deed, "identity")
        self.alpha.vanish()
        wait_until(lambda: self.alpha.path not in self.system.objects, "the provider stays")
        self.assertDenied(self.ask(RECENTS, RECENTS1, "CallBack", "xa{sv}", row, variants({})), deed, "identity")
        self.assertEqual(own.actions("start"), [])
        self.grant("identity")
        self.ask(RECENTS, RECENTS1, "CallBack", "xa{sv}", row, options).result()
        self.assertEqual(len(own.actions("start")), 1)

    def test_its_call_and_that_of_another_cannot_be_joined(self):
        own = Provider(self.system, "Own", connection=self.client)
        mine, other = own.active(), self.ring()
        self.assertDenied(self.request([("set-group", {"call": mine, "group-with": dbus.ObjectPath(other)})],
                                       self.client).wait(),
                          f"act on call {uuid_of(other)}, which is not its own", "control")

    def test_the_user_grants_and_revokes(self):
        call = self.ring()
        self.assertDenied(self.read(call, IDENTITY, "CallerName"), "read CallIdentity1.CallerName", "identity")
        self.grant("identity")
        self.assertEqual(self.read(call, IDENTITY, "CallerName").result(), CALLER)
        self.assertEqual(self.ask(call, PROPERTIES, "GetAll", "s", IDENTITY).result()["Handle"], ("phone-number", NUMBER))
        self.assertDenied(self.answer(call, self.client).wait(), "call Call1.AnswerWith", "control")
        self.grant("control")
        self.answer(call, self.client).result()
        self.wait_state(call, "active")
        started = self.start_call("generic:somebody", self.client).result()
        self.assertDenied(self.ask(ACCESS, ACCESS1, "Apps"), "call Access1.Apps", "administer")
        self.revoke("control")
        self.assertDenied(self.ask(started, CALL, "End"), "call Call1.End", "control")
        self.assertEqual(self.read(call, IDENTITY, "CallerName").result(), CALLER)
        self.revoke()
        self.assertDenied(self.read(call, IDENTITY, "CallerName"), "read CallIdentity1.CallerName", "identity")
        self.grant("administer")
        self.ask(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturb", True).result()

    def test_grants_outlive_the_daemon_and_refusals_do_not(self):
        call = self.ring()
        self.assertDenied(self.ask(call, CALL, "End"), "call Call1.End", "control")
        self.grant("identity", app="snap.phone")
        self.grant("control", "identity", app="org.example.Other")
        apps = self.system.call(ACCESS, ACCESS1, "Apps").result()
        self.assertEqual({app: list(facts["tiers"]) for app, facts in apps.items()},
                         {APP: [], "snap.phone": ["identity"], "org.example.Other": ["control", "identity"]})
        self.assertEqual(apps[APP]["refused-tier"], "control")
        self.assertIn("is not allowed to call Call1.End", apps[APP]["refused"])
        self.assertGreater(apps[APP]["refused-at"], 0)
        with open(f"{self.system.folder.name}/config/opencallkit/access", encoding="utf-8") as file:
            self.assertEqual(file.read(), "access\napp id=org.example.Other tiers=control,identity\n"
                             "app id=snap.phone tiers=identity\n")
        self.end(call).result()
        self.system.daemon.terminate()
        exited(self.system.daemon)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        apps = self.system.call(ACCESS, ACCESS1, "Apps").result()
        self.assertEqual(set(apps), {"snap.phone", "org.example.Other"})

    def test_invalid_grants_are_refused(self):
        for app, tiers in [("", ["control"]), ("a b", ["control"]), ("a" * 256, ["control"]), (APP, []), (APP, ["observe"]),
                           (APP, ["all"]), (APP, ["control", "x"])]:
            pending = self.system.call(ACCESS, ACCESS1, "Grant", "sas", app, dbus.Array(tiers, signature="s"))
            self.assertRefused(pending, "InvalidArguments")
        for number in range(1_000):
            self.grant("control", app=f"app{number}")
        self.assertRefused(self.system.call(ACCESS, ACCESS1, "Grant", "sas", APP, strings("control")), "LimitsExceeded")

    def test_what_it_receives_names_nobody(self):
        """Everything that happens to others' calls, and everything that it asks for: no byte of it has a name or number."""
        listener = Listener(self.client)
        own = Provider(self.system, "Own", connection=self.client)
        call = self.ring()
        self.alpha.update(call, localized_caller_name="Wilhelmina", remote_handle=dbus.Struct(
            ("phone-number", "+15557770124"), signature="ss")).result()
        self.answer(call).result()
        mine = own.incoming()
        self.answer(mine, self.client).result()
        self.wait_state(mine, "active")
        for path in sorted(self.system.objects):
            self.ask(path, PROPERTIES, "GetAll", "s", "")
            for interface, member in [(CALL, "Explain"), (IDENTITY, "Handle")]:
                self.ask(path, interface, member)
            for name in ("Handle", "CallerName", "NetworkName", "DivertedBy", "Image"):
                self.read(path, IDENTITY, name)
        self.ask(ROOT, MANAGER, "GetManagedObjects").result()
        self.ask(RECENTS, RECENTS1, "List", "a{sv}", variants({}))
        self.ask(DIRECTORY, DIRECTORY1, "Identify", "s", NUMBER)
        self.end(mine).result()
        self.end(call).result()
        wait_until(lambda: self.system.told("CallEnded", call), "the call does not end")
        listener.wait("CallEnded", 2)
        wait_until(lambda: [event for event in self.system.events if event.path == RECENTS], "recents do not change")
        self.ask(ROOT, "org.freedesktop.DBus.Peer", "Ping").result()
        received = self.app.received
        # The number that it asked about is its own word; nothing came back.
        self.assertGreater(len(received), 20_000)
        self.assertIn(uuid_of(call).encode(), received)
        for canary in CANARIES:
            self.assertEqual(received.count(canary), 0, canary)
            self.assertEqual(received.count(canary.decode().encode("utf-16-le")), 0, canary)

    def test_explain_and_the_log_name_the_app(self):
        self.grant("control")
        call = self.ring()
        self.answer(call, self.client).result()
        pid = self.system.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s",
                               self.unique_name(), name="org.freedesktop.DBus").result()
        causes = self.system.call(call, CALL, "Explain").result()
        self.assertIn(f"by client {APP} (program xdg-dbus-proxy, pid {pid})", str(causes[-1]["text"]))

    def unique_name(self):
        """The app's name on the bus, which is that of the proxy's connection."""
        return self.client.get_unique_name()


class Programs(AccessTest):
    """Programs within the sandbox, whose only way to the bus is the app's."""

    def callctl(self, *arguments):
        return self.app.run(f"{BUILD}/callctl", *arguments)

    def test_callctl_says_what_it_may_not(self):
        call = self.ring()
        output = self.callctl("answer")
        self.assertEqual(output.status, 1, output.errors)
        self.assertIn(f"{APP} is not allowed to call Call1.AnswerWith", output.errors.replace("\n", " "))
        self.assertIn(f"callctl access grant {APP} control", output.errors.replace("\n", " "))
        listed = self.callctl("list", "--json")
        self.assertEqual(listed.status, 0, listed.errors)
        self.assertEqual(json.loads(listed.text)[0]["state"], "ringing")
        recents = self.callctl("recents")
        self.assertEqual(recents.status, 1, recents.errors)
        self.grant("control")
        output = self.callctl("answer")
        self.assertEqual(output.status, 0, output.errors)
        self.wait_state(call, "active")
        for canary in CANARIES:
            self.assertEqual(self.app.received.count(canary), 0, canary)

    def test_other_clients_are_told_too(self):
        call = self.ring()
        output = self.app.run("dbus-send", "--session", "--print-reply", f"--dest={NAME}", call, f"{PROPERTIES}.Get",
                              f"string:{IDENTITY}", "string:Handle")
        self.assertEqual(output.status, 1)
        self.assertIn("not allowed to read CallIdentity1.Handle", output.errors)
        output = self.app.run("gdbus", "call", "--session", "--dest", NAME, "--object-path", call, "--method", f"{CALL}.End")
        self.assertEqual(output.status, 1)
        self.assertIn("callctl access grant", output.errors)

    def test_callctl_shows_and_changes_grants(self):
        def callctl(*arguments):
            return self.system.run(f"{BUILD}/callctl", "access", *arguments, COLUMNS="80")
        self.assertEqual(callctl("list").text, "no app has a tier, and none was refused anything\n")
        self.ask(self.ring(), CALL, "End")
        granted = callctl("grant", "org.example.A-very-long-name-of-an-app.that.goes.on", "identity", "control")
        self.assertEqual((granted.status, granted.errors), (0, ""))
        self.assertEqual(granted.text.split(), "org.example.A-very-long-name-of-an-app.that.goes.on has the tiers control, identity".split())
        shown = callctl("list")
        self.assertLessEqual(max(map(len, shown.text.splitlines())), 80, shown.text)
        self.assertIn("control, identity", shown.text)
        self.assertIn("control", next(line for line in shown.text.splitlines() if line.startswith(APP)))
        rows = {row["app"]: row for row in json.loads(callctl("list", "--json").text)}
        self.assertEqual(rows[APP]["tiers"], [])
        self.assertIn("is not allowed to call Call1.End", rows[APP]["refused"])
        revoked = callctl("revoke", "org.example.A-very-long-name-of-an-app.that.goes.on", "control")
        self.assertEqual(revoked.text.split(), "org.example.A-very-long-name-of-an-app.that.goes.on has the tier identity".split())
        revoked = callctl("revoke", "org.example.A-very-long-name-of-an-app.that.goes.on")
        self.assertEqual(revoked.text.split(), "org.example.A-very-long-name-of-an-app.that.goes.on has no tier".split())
        wrong = callctl("grant", APP, "everything")
        self.assertEqual(wrong.status, 64, wrong.errors)
        self.assertIn("'control', 'identity' or 'administer'", wrong.errors)

    def test_an_app_with_the_sdk_has_its_own_calls(self):
        app = self.app.spawn(f"{BUILD}/AppProvider")
        self.addCleanup(app.stdout.close)
        self.addCleanup(app.stderr.close)
        self.addCleanup(exited, app)
        self.addCleanup(app.kill)
        provider = wait_until(lambda: next((path for path, values in self.system.objects.items()
                                            if values.get("State") == "ready" and path.startswith(f"{ROOT}/providers/app_")
                                            and path != self.alpha.path), None), "the app does not register")
        # Registering and observing need nothing that an app may not have.
        self.alpha.active()
        self.system.sync()
        self.assertEqual(self.system.call(ACCESS, ACCESS1, "Apps").result(), {})
        self.assertEqual(self.system.shown(provider, "LocalizedName"), "AppProvider")

    def test_the_desktop_agent_lives_on_when_it_is_refused(self):
        agent = self.sandbox(owns=["org.opencallkit.Desktop1", "org.opencallkit.Phone"])
        process = agent.spawn(f"{BUILD}/callkit-desktop")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        wait_until(lambda: self.system.bus.name_has_owner("org.opencallkit.Desktop1"), "there is no agent", every=0.02)
        self.system.wait_logged(f"{APP} is not allowed to call CallSystem1.RegisterAudioAgent")
        call = self.ring()
        self.answer(call).result()
        self.wait_state(call, "active")
        self.assertIsNone(process.poll())
        process.terminate()
        exited(process)
        said = process.stderr.read()
        self.assertIn(f"callctl access grant {APP} administer", said)
        for canary in CANARIES:
            self.assertEqual(agent.received.count(canary), 0, canary)
