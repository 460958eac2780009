"""docs/json.md: each command prints the keys that the page lists, and callctl watch the events."""

import json
import os
import re
import shlex
import subprocess

from support import contract
from support.provider import Provider
from support.store import StoreTest
from support.system import BUILD, REPOSITORY
from support.waiting import wait_until

CALLCTL = os.path.join(BUILD, "callctl")
INTERFACES = contract.files()
ALWAYS = {"at", "event"}

with open(os.path.join(REPOSITORY, "docs", "json.md"), encoding="utf-8") as PAGE:
    COMMANDS, EVENTS = PAGE.read().split("## Events of callctl watch")


def rows(text):
    return re.findall(r"(?m)^\| (`.*?) \| (.*?) \| ?(.*?) ?\|$", text)


def dashed(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def keys(text):
    """The words in a cell, with the properties in place of an interface."""
    found = set()
    for word in re.findall(r"`([^`]+)`", re.sub(r"\([^)]*\)", "", text)):
        properties = INTERFACES[word].of_kind("property") if word.startswith("org.") else []
        found |= {dashed(member.name) for member in properties} or {word}
    return found


class Keys(StoreTest):
    with_plugins = True
    arguments = ("--region", "SE")

    def setUp(self):
        super().setUp()
        self.system.wait_ready("MonkeyCall", "Hotline")
        self.wait_store()

    def test_each_command_prints_these_keys(self):
        call = self.simulate_incoming("MonkeyCall").rsplit("/", 1)[1]
        table = rows(COMMANDS)
        self.assertGreater(len(table), 20)
        for commands, shape, cell in table:
            for command in re.findall(r"`callctl (.*?)`", commands):
                with self.subTest(command=command):
                    words = [call if word == "CALL" else word for word in shlex.split(command)]
                    output = self.system.run(CALLCTL, *words, "--json")
                    self.assertIn(output.status, (0, 1) if words == ["doctor"] else (0,), output.errors)
                    value = json.loads(output.text)
                    self.assertEqual(isinstance(value, list), shape.startswith("an array"))
                    every, _, some = cell.partition("some have")
                    entries = value if isinstance(value, list) else [value]
                    self.assertTrue(entries)
                    for entry in entries:
                        self.assertLessEqual(keys(every), set(entry))
                        self.assertLessEqual(set(entry), keys(every) | keys(some))

    def test_the_events_are_those_of_the_program(self):
        with open(os.path.join(REPOSITORY, "Sources/Client/callctl/Watch/WatchEvent.swift"), encoding="utf-8") as file:
            cases = re.search(r"enum Name: .*?\{(.*?)\n    \}", file.read(), re.DOTALL)[1]
        names = {name for line in re.findall(r"(?m)^ +case (.*)$", cases) for name in line.split(", ")}
        self.assertEqual({name for row in rows(EVENTS) for name in keys(row[0])}, names)

    def test_watch_prints_these_keys(self):
        path = os.path.join(self.system.folder.name, "events")
        with open(path, "wb") as file:
            watch = subprocess.Popen([CALLCTL, "watch", "--json"], env=self.system.environment, stdout=file)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        self.wait_event(path, "plugin")
        call = self.simulate_incoming("MonkeyCall")
        self.answer(call).result()
        self.start_call("generic:ada").result()
        self.system.run(CALLCTL, "block", "1234")
        self.end(call).result()
        provider = Provider(self.system)
        provider.remote_end(provider.incoming()).result()
        for event in ("ended", "missed", "lists", "gone"):
            self.wait_event(path, event)
        table = {name: cell for names, _, cell in rows(EVENTS) for name in keys(names)}
        seen = self.events(path)
        self.assertGreaterEqual({event["event"] for event in seen}, {"call", "incoming", "outgoing", "state"} - {"call"})
        for event in seen:
            with self.subTest(event=event["event"]):
                cell = table[event["event"]].replace("as `callctl recents`", self.cell("callctl recents"))
                every, _, some = cell.partition("some have")
                allowed = keys(every) | keys(some) | keys(self.cell("callctl directory") if "directory" in some else "")
                self.assertLessEqual(set(event), allowed | ALWAYS | {"object", "id"})
                if " or " not in every:
                    self.assertLessEqual(keys(every) | ALWAYS, set(event))

    @staticmethod
    def cell(command):
        return next(cell for commands, _, cell in rows(COMMANDS) if commands == f"`{command}`")

    @staticmethod
    def events(path):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().split("\n")[:-1]]

    def wait_event(self, path, name):
        wait_until(lambda: any(event["event"] == name for event in self.events(path)), f"no event {name}", every=0.02)


del StoreTest
