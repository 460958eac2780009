"""dbus-monitor, and what it has seen."""

import subprocess

from gi.repository import GLib

from support.waiting import exited, wait_until


class Monitor:
    """dbus-monitor with a filter, from its start until `text` is called."""

    def __init__(self, system, rule):
        self.system = system
        self.process = subprocess.Popen(
            ["dbus-monitor", "--session", rule], env=system.environment, stdout=subprocess.PIPE)
        self.data = b""
        self.source = GLib.io_add_watch(
            self.process.stdout.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        wait_until(lambda: b"NameLost" in self.data, "dbus-monitor does not monitor")

    def read(self, descriptor, condition):
        chunk = self.process.stdout.raw.read(65536) if condition & GLib.IOCondition.IN else b""
        self.data += chunk
        return bool(chunk)

    def text(self, until):
        """The output up to a text that is certain to come."""
        wait_until(lambda: until.encode() in self.data, f"dbus-monitor did not see {until}")
        return self.data.decode()

    def close(self):
        GLib.source_remove(self.source)
        self.process.terminate()
        exited(self.process)
        self.process.stdout.close()
