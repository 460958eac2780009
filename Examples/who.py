#!/usr/bin/python3
"""Prints who is on the phone, and how each call ends. With Debian's package python3-gi."""

from gi.repository import Gio, GLib

NAME, ROOT = "org.opencallkit.CallSystem1", "/org/opencallkit/CallSystem1"
CALL, IDENTITY = "org.opencallkit.Call1", "org.opencallkit.CallIdentity1"
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
identities = {}


def read(identity, *_):
    name, handle = identity.get_cached_property("CallerName"), identity.get_cached_property("Handle")
    if name and handle:
        print(f"{name.unpack()} <{handle.unpack()[1]}>", flush=True)


def added(_, shown):
    path = shown.get_object_path()
    if not shown.get_interface(CALL):
        return
    # The manager's own proxy for the identity stays empty: names are not in GetManagedObjects and not in signals.
    identities[path] = identity = Gio.DBusProxy.new_sync(
        bus, Gio.DBusProxyFlags.GET_INVALIDATED_PROPERTIES, None, NAME, path, IDENTITY)
    identity.connect("g-properties-changed", read)
    read(identity)


def signalled(_, __, signal, arguments):
    if signal == "CallEnded":
        path, reason, by = arguments.unpack()
        identities.pop(path, None)
        print(f"over: {reason}, by {by}", flush=True)


# The root is not among the objects that it manages: its signals and properties need a proxy.
root = Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.NONE, None, NAME, ROOT, NAME)
root.connect("g-signal", signalled)
manager = Gio.DBusObjectManagerClient.new_sync(bus, Gio.DBusObjectManagerClientFlags.NONE, NAME, ROOT, None, None)
manager.connect("object-added", added)
for each in manager.get_objects():
    added(manager, each)
GLib.MainLoop().run()
