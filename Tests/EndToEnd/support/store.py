"""Reads and changes the data of callkit-store, as a client does."""

import os

import dbus

from support.case import SystemTest
from support.messages import uuid_of, variants
from support.system import CALL, FAVORITES, FAVORITES1, RECENTS, RECENTS1
from support.waiting import wait_until


def children(pid):
    """The processes that it has started; none if it has ended."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def program(pid):
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return ""


class StoreTest(SystemTest):
    @property
    def folder(self):
        return f"{self.system.folder.name}/data/opencallkit"

    @property
    def file(self):
        return f"{self.folder}/recents.sqlite"

    def store(self):
        """The pid of the store, once it answers."""
        self.favorites()
        return next(pid for pid in children(self.system.daemon.pid) if program(pid) == "callkit-store")

    def store_pid(self):
        """The pid of the store, or of the process started in its place; None if there is none."""
        return next((pid for pid in children(self.system.daemon.pid) if program(pid) != "callkit-worker"), None)

    # Favorites

    def ask(self, member, signature="", *arguments):
        return self.system.call(FAVORITES, FAVORITES1, member, signature, *arguments)

    def favorites(self):
        """The list, once the store answers."""
        answers = []

        def listed():
            answers.append(self.ask("List").wait())
            return answers[-1].error is None
        wait_until(listed, lambda: f"no favorites: {answers[-1].error_text}")
        return [(int(row["id"]), tuple(map(str, row["handle"])), str(row["name"]), str(row["provider-id"]))
                for row in answers[-1].value]

    def add(self, handle, name="", provider="", type_="phone-number"):
        return self.ask("Add", "(ss)ss", dbus.Struct((type_, handle)), name, provider)

    # Recents

    def recents(self, member, signature="", *arguments):
        return self.system.call(RECENTS, RECENTS1, member, signature, *arguments)

    def rows(self, offset=0, limit=50, **filter_):
        filter_ = {key.replace("_", "-"): value for key, value in filter_.items()}
        return self.recents("List", "a{sv}uu", variants(filter_), dbus.UInt32(offset), dbus.UInt32(limit)).result()

    def calls(self, **filter_):
        """The UUIDs of the rows."""
        return [str(row["call"]) for row in self.rows(**filter_)]

    def wait_row(self, call, **expected):
        """The row of a call once it is as expected."""
        expected = {key.replace("_", "-"): value for key, value in expected.items()}
        seen = []

        def found():
            pending = self.recents("List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(200)).wait()
            seen[:] = [row for row in pending.value or [] if row["call"] == uuid_of(call)]
            return any(all(row[key] == value for key, value in expected.items()) for row in seen)
        wait_until(found, lambda: f"{uuid_of(call)} is {seen}, expected {expected}")
        return seen[0]

    def degraded(self):
        return str(self.system.get(RECENTS, RECENTS1, "Degraded"))

    def wait_degraded(self, *words):
        """Waits until Degraded has contained all these words; without words, until it is empty."""
        wait_until(lambda: all(word in self.degraded() for word in words) and bool(words) == bool(self.degraded()),
                   lambda: f"Degraded is {self.degraded()!r}, expected {words}")

    def ended(self, call):
        return self.system.get(call, CALL, "EndedAt")
