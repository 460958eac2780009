"""Every method and property of the bus, with random values: each call has one reply, refusals are errors of the contract,
and neither the daemon nor the store ends. OPENCALLKIT_SEED chooses other values."""

import collections
import contextlib
import os
import random
import sys
import uuid

import dbus
import dbus.lowlevel

from support import contract
from support.case import TORTURE, SystemTest
from support.messages import uuid_of, variants
from support.provider import Provider
from support.raw_bus import ERROR, METHOD_RETURN
from support.system import (CALL, DIRECTORY, DIRECTORY1, EXTENSION1, FAVORITES, FAVORITES1, HOST, IDENTITY, PLUGIN,
                            PROPERTIES, PROVIDER, RECENTS, RECENTS1, ROOT, RULES1, SYSTEM)
from support.waiting import wait_until

SEED = int(os.environ.get("OPENCALLKIT_SEED") or 1)
COUNT = 50_000 if TORTURE else 12_000
TEXTS = ("", "x", "1234", "+46701234567", "tel:+15550100", "generic:x", "+4670*", "*", "+469-+470", "withheld",
         "(withheld)", "9sip:x\u2026\u00a0", "a@b.c", "\u202ex", "\u2028", "\u00e9" * 300, "1" * 256, "1" * 257,
         "Hotline", "nobody", "active", "failed", "generic", "phone-number", "00000000-0000-4000-8000-000000000000")
NUMBERS = {"u": (0, 1, 2, 200, 2**31, 2**32 - 1), "t": (0, 1, 2**63 - 1, 2**63, 2**64 - 1),
           "x": (0, 1, 2, -1, 2**63 - 1, -2**63)}
KINDS = {"u": dbus.UInt32, "t": dbus.UInt64, "x": dbus.Int64}
KEYS = ("text", "provider", "provider-id", "direction", "missed", "handle", "since", "until", "before", "conflict",
        "video", "uuid", "timeout", "reply", "contact-identifier", "group-with", "localized-name", "supported-handle-types", "maximum-call-groups",
        "custom-actions", "remote-handle", "localized-caller-name", "on-hold", "can-hold-now", "supports-grouping",
        "has-video", "name", "network-name", "diverted-by", "transfer-request", "verification", "image", "progress", "encryption", "codec", "quality",
        "end-detail", "end-code", "supported-schemes", "key", "availability", "status", "hold-model", "desktop-entry",
        "supports-transfer", "scheme")
RARE = {"Invalidate", "RegisterAudioAgent", "RegisterProvider", "RegisterScreener", "Restart"}
"""Methods that end objects which the others need, or have others wait: one call in `ODDS`."""
ODDS = 500
AT_ONCE = 16
"""How many calls wait for their replies, as many as one client may have transactions."""
REPLIES = (METHOD_RETURN, ERROR)
SUCCEEDING = {"Answer", "Block", "End", "EndCalls", "FindProviders", "Get", "Identify", "Reject", "ReportNewIncomingCall",
              "RequestTransaction", "Set", "SetHeld", "SetMuted", "StartCall", "UpdateConfiguration"}
"""Methods that some of the calls must have succeeded in, so that not all of them are nonsense."""
LIVE = ("ringing", "starting", "started", "connecting", "answering", "active", "holding", "held", "resuming")
LEFT = 16 << 10
"""KiB by which the daemon may have grown: an allocator keeps some of what was freed."""


class RandomValues(SystemTest):
    with_plugins = True
    # Nobody answers for the screeners and buttons that random calls register.
    patience = {}

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.succeeded, self.surplus = set(), []
        self.provider = None
        self.renew()
        self.wait_store()

    def renew(self):
        """Comes back as another client with a provider."""
        if self.provider:
            self.provider.connection.close()
        self.provider = Provider(self.system)
        self.provider.connection.add_message_filter(self.note_surplus)

    @property
    def calls(self):
        """All calls; those that go on are there again and again, so that every second choice is one of them."""
        calls = [path for path in self.system.objects if path.startswith(f"{ROOT}/calls/")]
        live = [path for path in calls if self.system.shown(path, "State") in LIVE]
        return calls + live * (len(calls) // max(1, len(live)))

    def text(self):
        if self.random.random() < 0.1:
            return "".join(chr(self.random.randint(1, 0x2FFF)) for _ in range(self.random.randint(0, 30)))
        if self.random.random() < 0.1:
            # Not that of a call that has ended: then nobody could call.
            return str(uuid.UUID(int=self.random.getrandbits(128)))
        return self.random.choice([*TEXTS, *map(uuid_of, self.calls)])

    def value(self, type):
        pick = self.random.choice
        match type:
            case "s":
                return dbus.String(self.text())
            case "b":
                return dbus.Boolean(pick((True, False)))
            case "u" | "t" | "x":
                return KINDS[type](pick(NUMBERS[type]))
            case "o":
                return dbus.ObjectPath(pick(["/", "/x", self.provider.path, *self.calls]))
            case "(ss)":
                kind = pick(("generic", "phone-number", "email-address", "x"))
                return dbus.Struct((kind, self.text()), signature="ss")
            case "a{sv}":
                types = ("s", "b", "u", "t", "x", "o", "(ss)", "as")
                return variants({pick(KEYS): self.value(pick(types)) for _ in range(pick((0, 0, 0, 1, 2, 3)))})
            case "a{ss}":
                choices = {pick(("tel", "sip", "x")): pick(("Hotline", "app_Alpha", "")) for _ in range(2)}
                return dbus.Dictionary(choices, signature="ss")
            case "(sa{sv})":
                kinds = ("start", "answer", "end", "set-held", "set-muted", "set-group", "play-dtmf", "x")
                details = self.value("a{sv}")
                if self.calls and pick((True, False)):
                    details = variants({"call": dbus.ObjectPath(pick(self.calls)), "muted": True, "on-hold": True})
                return dbus.Struct((pick(kinds), details), signature="sa{sv}")
        return dbus.Array([self.value(type[1:]) for _ in range(pick((0, 1, 1, 2, 3)))], signature=type[1:])

    def argument(self, name, type):
        """A value of the type; every second time one that is right, where random values hardly ever are."""
        if self.random.random() < 0.5:
            match name:
                case "uuid":
                    return dbus.String(uuid.UUID(int=self.random.getrandbits(128)))
                case "update":
                    return variants({})
                case "actions" if self.calls:
                    details = {"call": dbus.ObjectPath(self.random.choice(self.calls)), "muted": True}
                    return dbus.Array([("set-muted", variants(details))], signature=type[1:])
        return self.value(type)

    def some_call(self):
        """A random call under way: most often a method of the contract, else a property."""
        name, member = self.random.choice(self.usual if self.random.randrange(ODDS) else self.rare)
        path = self.objects[name] or self.random.choice(self.calls or [ROOT])
        if member.kind == "property":
            if member.access == "read" or self.random.random() < 0.5:
                return self.system.call(path, PROPERTIES, "Get", "ss", name, member.name,
                                        connection=self.provider.connection)
            value = self.value(self.random.choice((member.type, "s", "as")))
            types, values = ["s", "s", "v"], [name, member.name, value]
            name, member_name = PROPERTIES, "Set"
        else:
            arguments = [(argument, type) for argument, type, way in member.arguments if way == "in"]
            if self.random.random() < 0.02:
                arguments = self.random.choice((arguments[:-1], [*arguments, ("", "s")], [("", "a{sv}")]))
            types = [type for _, type in arguments]
            values, member_name = [self.argument(*argument) for argument in arguments], member.name
        return self.system.call(path, name, member_name, "".join(types), *values, connection=self.provider.connection)

    def begin_again(self):
        """Ends all calls and lets the next ones ring, whatever was set."""
        self.system.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DoNotDisturb", False).result()
        for rule in self.system.call(DIRECTORY, RULES1, "Blocked").result():
            self.system.call(DIRECTORY, RULES1, "Unblock", "s", rule).wait()
        self.system.call(ROOT, SYSTEM, "EndCalls", "as", LIVE).wait()
        self.assertAnswered(self.provider.report_incoming())

    def assertAnswered(self, pending):
        """A reply came; an error says what was wrong."""
        pending.wait()
        if pending.error is None:
            self.succeeded.add(pending.what.partition("(")[0])
        else:
            self.assertTrue(0 < len(pending.error_text) < 1_024, f"{pending.what}: {pending.error_text}")
            self.assertNotIn("callkit-store did not answer", pending.error_text, pending.what)

    def note_surplus(self, _, message):
        """libdbus keeps the replies that it expects to itself."""
        if message.get_type() in REPLIES:
            self.surplus.append(message.get_reply_serial())
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def open_files(self):
        """What the daemon has open: for each file its path or kind, such as `socket`, and how often."""
        folder, files = f"/proc/{self.pid}/fd", collections.Counter()
        for number in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):
                files[os.readlink(f"{folder}/{number}").partition(":[")[0]] += 1
        return files

    def test_each_call_has_one_reply(self):
        print(f"random values: seed {SEED}", file=sys.stderr)
        self.objects = {
            SYSTEM: ROOT, PROVIDER: self.provider.path, HOST: self.provider.path, DIRECTORY1: DIRECTORY,
            RULES1: DIRECTORY, EXTENSION1: f"{ROOT}/plugins/ListDirectory", RECENTS1: RECENTS, FAVORITES1: FAVORITES,
            PLUGIN: f"{ROOT}/plugins/ListDirectory", CALL: None, IDENTITY: None}
        members = [(name, member) for name, interface in contract.files().items() if name in self.objects
                   for kind in ("method", "property") for member in interface.of_kind(kind)]
        methods = [entry for entry in members if entry[1].kind == "method" and entry[1].name not in RARE]
        self.rare = [entry for entry in members if entry[1].name in RARE]
        self.usual = methods * 4 + [entry for entry in members if entry[1].kind == "property"]
        memory, files = self.system.memory(), self.open_files()
        for number in range(0, COUNT, AT_ONCE):
            if self.provider.path not in self.system.objects:
                self.renew()
            if number % 10 == 0 or not self.calls:
                self.begin_again()
            for pending in [self.some_call() for _ in range(AT_ONCE)]:
                self.assertAnswered(pending)
        self.assertEqual(self.surplus, [])
        self.assertEqual(SUCCEEDING - {name.rpartition(".")[2] for name in self.succeeded}, set())
        self.assertLess(self.system.memory() - memory, LEFT)
        self.renew()
        wait_until(lambda: self.open_files() <= files, lambda: f"open are also {self.open_files() - files}")
        self.assertNotIn("invariant broken", self.system.read_log())
        # Calls of plugins may go on, and be in the way.
        self.system.call(ROOT, SYSTEM, "EndCalls", "as", LIVE).wait()
        call = self.start_call("generic:somebody", provider=dbus.ObjectPath(self.provider.path)).result()
        self.wait_state(call, "active")
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")
