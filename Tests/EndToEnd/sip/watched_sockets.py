"""Sockets whose messages are taken while the loop of the test runs."""

from gi.repository import GLib


class WatchedSockets:
    def __init__(self):
        self.sockets, self.watches = [], []

    def watch(self, channel, handler):
        """Calls `handler` whenever something can be read; it returns true."""
        channel.setblocking(False)
        self.sockets.append(channel)
        self.watches.append(GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, channel.fileno(), GLib.IOCondition.IN, lambda *_: handler()))

    def stop(self):
        for watch in self.watches:
            GLib.source_remove(watch)
        for channel in self.sockets:
            channel.close()
        self.watches, self.sockets = [], []
