"""Every method of the bus with random values of the right types: refusals are errors of the contract, and neither the
daemon nor the store ends. OPENCALLKIT_SEED chooses other values."""

import os
import random

import dbus

import contract
from provider import Provider
from store import children, program
from messages import uuid_of, variants
from support import SystemTest
from system import (CALL, DIRECTORY, DIRECTORY1, EXTENSION1, FAVORITES, FAVORITES1, HOST, PLUGIN, PROVIDER, RECENTS,
                    RECENTS1, ROOT, RULES1, SYSTEM)

SEED = int(os.environ.get("OPENCALLKIT_SEED") or 1)
COUNT = 4_000
TEXTS = ("", "x", "1234", "+46701234567", "tel:+15550100", "generic:x", "+4670*", "*", "+469-+470", "withheld",
         "(withheld)", "9sip:x\u2026\u00a0", "a@b.c", "\u202ex", "\u2028", "\u00e9" * 300, "1" * 256, "1" * 257,
         "Hotline", "nobody", "active", "failed", "generic", "phone-number", "00000000-0000-4000-8000-000000000000")
NUMBERS = {"u": (0, 1, 2, 200, 2**31, 2**32 - 1), "t": (0, 1, 2**63 - 1, 2**63, 2**64 - 1),
           "x": (0, 1, 2, -1, 2**63 - 1, -2**63)}
KINDS = {"u": dbus.UInt32, "t": dbus.UInt64, "x": dbus.Int64}
KEYS = ("text", "provider", "provider-id", "direction", "missed", "handle", "since", "until", "before", "conflict",
        "video", "uuid", "timeout", "reply", "contact-identifier", "group-with", "localized-name", "supported-handle-types", "maximum-call-groups",
        "custom-actions", "remote-handle", "localized-caller-name", "on-hold", "can-hold-now", "supports-grouping",
        "has-video", "name", "network-name", "diverted-by", "transfer-request", "verification", "image", "progress", "encryption", "codec",
        "end-detail", "end-code", "supported-schemes", "key", "availability", "status", "hold-model", "desktop-entry",
        "supports-transfer", "scheme")
LEFT_OUT = {"Invalidate", "RegisterAudioAgent", "RegisterProvider", "RegisterScreener", "Restart"}
"""Methods that would end the objects of the other tests, or leave too many behind."""


class RandomValues(SystemTest):
    with_plugins = True

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.provider = Provider(self.system)
        self.wait_store()

    @property
    def calls(self):
        return [path for path in self.system.objects if path.startswith(f"{ROOT}/calls/")]

    def text(self):
        if self.random.random() < 0.1:
            return "".join(chr(self.random.randint(1, 0x2FFF)) for _ in range(self.random.randint(0, 30)))
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
                return variants({pick(KEYS): self.value(pick(types)) for _ in range(self.random.randint(0, 3))})
            case "(sa{sv})":
                kinds = ("start", "answer", "end", "set-held", "set-muted", "set-group", "play-dtmf", "x")
                return dbus.Struct((pick(kinds), self.value("a{sv}")), signature="sa{sv}")
        return dbus.Array([self.value(type[1:]) for _ in range(self.random.randint(0, 3))], signature=type[1:])

    def test_nothing_ends_of_them(self):
        print(f"random values: seed {SEED}")
        objects = {SYSTEM: ROOT, PROVIDER: self.provider.path, HOST: self.provider.path, DIRECTORY1: DIRECTORY, RULES1: DIRECTORY,
                   EXTENSION1: f"{ROOT}/plugins/ListDirectory",
                   RECENTS1: RECENTS, FAVORITES1: FAVORITES, PLUGIN: f"{ROOT}/plugins/ListDirectory", CALL: None}
        methods = [(name, member) for name, interface in contract.files().items() if name in objects
                   for member in interface.of_kind("method") if member.name not in LEFT_OUT]
        stores = [pid for pid in children(self.pid) if program(pid) == "callkit-store"]
        succeeded = set()
        for _ in range(COUNT):
            if not self.calls:
                self.provider.report_incoming().wait()
            name, member = self.random.choice(methods)
            types = [type for _, type, way in member.arguments if way == "in"]
            path = objects[name] or self.random.choice(self.calls or [ROOT])
            pending = self.system.call(path, name, member.name, "".join(types), *map(self.value, types),
                                       connection=self.provider.connection).wait()
            if pending.error is None:
                succeeded.add(member.name)
            else:
                self.assertTrue(0 < len(pending.error_text) < 1_024, f"{pending.what}: {pending.error_text}")
                self.assertNotIn("did not answer", pending.error_text, pending.what)
        self.assertEqual([pid for pid in children(self.pid) if program(pid) == "callkit-store"], stores)
        self.assertGreater(len(succeeded), 25)
