"""Canaries: a number and a name that are put where outsiders can write, and that nobody else may read."""

import contextlib
import os
import re

import dbus.lowlevel
from gi.repository import GLib

from support.messages import variants, without_uuids
from support.monitor import Monitor
from support.waiting import wait_until

NUMBER, NAME, MARK = "+46709998877", "Zacharias Quartermaine", "zacharias-46709998877"
CANARIES = ("6709998877", "709998877", "Zacharias", "zacharias", "Quartermaine")


def with_canaries(**known):
    """These options, and the canaries as keys and values."""
    return variants({**known, **{key: NAME for key in (NUMBER, NAME, MARK, NUMBER[1:], f"{NUMBER}@example.org")}})


class CanaryTest:
    """What a test of canaries adds to a test that has a system."""

    placed = ()
    """Folders below the system's whose files the test itself has named after canaries."""

    @contextlib.contextmanager
    def watched(self):
        """Looks for canaries in what everybody reads while its body runs: signals, the log, names of files, and the command
        lines of processes, those that end soon too.
        """
        monitor, running = Monitor(self.system, "type='signal'"), set()
        watch = GLib.timeout_add(50, lambda: running.update(self.processes()) or True)
        try:
            yield monitor
            self.system.sync()
            # The bus passes signals on in their order: what was sent before this one has been seen with it.
            self.system.bus.send_message(dbus.lowlevel.SignalMessage("/", "org.example.Watch", "Seen"))
            wait_until(lambda: b"member=Seen" in monitor.data, "dbus-monitor did not see the last signal")
            monitor.process.terminate()
            wait_until(lambda: monitor.process.poll() is not None, "dbus-monitor stays")
            self.signals = without_uuids(monitor.data.decode(errors="replace"))
        finally:
            GLib.source_remove(watch)
            monitor.close()
        seen = re.sub(r"\b\d{10,}(\.\d+)?\b", "a moment", re.sub(r"[+]?46709998877", "CANARY-6709998877", self.signals))
        self.assertUnread(seen, "signals")
        self.assertUnread(self.logged(), "the log")
        self.assertUnread("\n".join(self.file_names()), "file names")
        self.assertUnread("\n".join({*running, *self.processes()}), "processes")

    def assertUnread(self, text, where):
        lines = text.splitlines()
        for canary in CANARIES:
            found = ["\n".join(lines[max(0, number - 6):number + 1]) for number, line in enumerate(lines) if canary in line]
            self.assertEqual(found, [], f"{canary} is in {where}")

    def logged(self):
        """The log without moments and identifiers, which may have any digits."""
        return re.sub(r"(?m)^\d{4}-\d\d-\d\dT\S+", "", without_uuids(self.system.read_log()))

    def file_names(self):
        home = self.system.folder.name
        for folder, folders, files in os.walk(home):
            for name in folders + files:
                path = os.path.relpath(os.path.join(folder, name), home)
                if not any(path.startswith(f"{place}/") for place in self.placed):
                    yield path

    def processes(self):
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    words = file.read().replace(b"\0", b" ").decode(errors="replace")
                with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                    title = file.read()
            except OSError:
                continue
            if self.system.folder.name in words or "callkit" in title:
                yield f"{title} {words}"
