"""A plugin's link is an owner, nothing else: what it may not call is AccessDenied, whoever it says it is."""

import os
import re
import struct

import contract
from messages import uuid_of
from provider import Provider
from rawbus import method_call, padded, string
from system import (CALL, DIRECTORY, DIRECTORY1, FAVORITES, FAVORITES1, IDENTITY, MANAGER, PLUGIN, PROPERTIES, PROVIDER,
                    RECENTS, RECENTS1, REPOSITORY, ROOT, RULES1, SYSTEM)
from test_plugins import PluginTest
from waiting import wait_until

BURGLAR = os.path.join(REPOSITORY, "Tests", "Fixtures", "Burglar", "burglar.c")
WORKER = "org.opencallkit.WorkerHost1"
DENIED = b"org.opencallkit.Error.AccessDenied"
EMPTY = bytes(8)
"""An empty a{sv} at a boundary of 8."""


def arguments(*words):
    data = b""
    for word in words:
        data = padded(data, 4) + string(word)
    return "s" * len(words), data


class Links(PluginTest):
    arguments = ("--no-store",)

    def setUp(self):
        super().setUp()
        self.innocent = Provider(self.system, "Innocent")
        self.call = self.innocent.active(localized_caller_name="Canary Bird")
        self.ringing = self.innocent.incoming(localized_caller_name="Canary Bird")

    def burgle(self, *calls):
        """What a plugin is answered that makes these calls: (path, interface, member, (signature, body))."""
        messages = os.path.join(self.folder, "messages")
        version = int(re.search(r"protocolVersion: UInt32 = (\d+)", self.source("Sources/Core/CallModel/Contract.swift"))[1])
        hello = "uss", struct.pack("<I", version) + padded(string("1.0.0"), 4) + string("clang")
        with open(messages, "wb") as file:
            for serial, (path, interface, member, (signature, body)) in enumerate(
                    [(ROOT, WORKER, "Hello", hello), *calls], 1):
                data = method_call(serial, None, path, interface, member, signature, body)
                file.write(struct.pack("<I", len(data)) + data)
        self.compile("Burglar", BURGLAR, f'-DMESSAGES="{messages}"')
        wait_until(lambda: os.path.exists(f"{messages}.answers"), "the plugin has not finished", every=0.05)
        with open(f"{messages}.answers", "rb") as file:
            data = file.read()
        answers = []
        while data:
            size, = struct.unpack_from("<I", data)
            answers.append(data[4:4 + size])
            data = data[4 + size:]
        self.assertEqual(answers[0][1], 2, answers[0])
        return answers[1:]

    @staticmethod
    def source(path):
        with open(os.path.join(REPOSITORY, path), encoding="utf-8") as file:
            return file.read()

    def test_what_belongs_to_others_is_denied(self):
        nothing = "", b""
        denied = {
            "answer": (self.ringing, CALL, "Answer", nothing),
            "end": (self.call, CALL, "End", nothing),
            "end all": (ROOT, SYSTEM, "EndCalls", ("as", padded(struct.pack("<I", 11), 4) + string("active"))),
            "explain": (self.call, CALL, "Explain", nothing),
            "identity": (self.call, PROPERTIES, "GetAll", arguments(IDENTITY)),
            "name": (self.call, PROPERTIES, "Get", arguments(IDENTITY, "CallerName")),
            "everything": (self.call, PROPERTIES, "GetAll", arguments("")),
            "objects": (ROOT, MANAGER, "GetManagedObjects", nothing),
            "dial": (ROOT, SYSTEM, "StartCall", arguments("generic:ann")),
            "clear": (RECENTS, RECENTS1, "Clear", nothing),
            "list": (RECENTS, RECENTS1, "List", ("a{sv}uu", EMPTY + bytes(8))),
            "favorites": (FAVORITES, FAVORITES1, "List", nothing),
            "who is it": (DIRECTORY, DIRECTORY1, "Identify", arguments("a", "b")),
            "block": (DIRECTORY, RULES1, "Block", arguments("*")),
            "disable": (f"{ROOT}/plugins/Burglar", PROPERTIES, "Set",
                        ("ssv", padded(arguments(PLUGIN, "Enabled")[1] + b"\1b\0", 4) + bytes(4))),
            "restart": (f"{ROOT}/plugins/Burglar", PLUGIN, "Restart", nothing),
            "quiet": (ROOT, SYSTEM, "SilenceRinging", nothing),
            "press": (self.innocent.path, PROVIDER, "PerformCustomAction", ("sa{sv}", padded(string("x"), 8) + EMPTY)),
            "unnamed": (self.call, None, "End", nothing),
        }
        for name, answer in zip(denied, self.burgle(*denied.values())):
            with self.subTest(name):
                self.assertEqual(answer[1], 3, "it was allowed")
                self.assertIn(DENIED, answer)
                self.assertNotIn(b"Canary", answer)
        self.assertState(self.call, "active")
        self.assertState(self.ringing, "ringing")
        self.assertEqual(self.system.shown(f"{ROOT}/plugins/Burglar", "State"), "ready")

    def test_every_method_is_denied_or_the_owners(self):
        """Each method and each interface's properties, without arguments, on others' objects."""
        paths = {SYSTEM: ROOT, CALL: self.call, IDENTITY: self.call, PROVIDER: self.innocent.path,
                 "org.opencallkit.ProviderHost1": self.innocent.path, PLUGIN: f"{ROOT}/plugins/Burglar",
                 "org.opencallkit.AudioSession1": f"{ROOT}/audio", RECENTS1: RECENTS, FAVORITES1: FAVORITES,
                 DIRECTORY1: DIRECTORY, RULES1: DIRECTORY}
        owned = {(SYSTEM, "RegisterProvider"), (SYSTEM, "RequestTransaction"), (SYSTEM, "SimulateTransaction")}
        calls, names = [], []
        for name, path in paths.items():
            for member in contract.files()[name].of_kind("method"):
                if (name, member.name) not in owned:
                    names.append((name, member.name))
                    calls.append((path, name, member.name, ("", b"")))
            if contract.files()[name].of_kind("property"):
                names.append((name, "GetAll"))
                calls.append((path, PROPERTIES, "GetAll", arguments(name)))
        for name, answer in zip(names, self.burgle(*calls)):
            with self.subTest(name):
                allowed = name in {(CALL, "GetAll")}
                if allowed:
                    self.assertEqual(answer[1], 2, answer)
                else:
                    self.assertIn(DENIED, answer)
        self.assertGreater(len(names), 50)

    def test_the_state_of_calls_may_be_seen(self):
        answer, = self.burgle((self.call, PROPERTIES, "Get", arguments(CALL, "State")))
        self.assertIn(b"active", answer)
        self.assertNotIn(uuid_of(self.call).encode() + b"Canary", answer)
