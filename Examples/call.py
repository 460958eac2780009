#!/usr/bin/python3
"""Starts a call, prints its states, and ends it some seconds after it is connected.

Usage: call.py HANDLE [SECONDS]     for example: call.py tel:+15550100 10
"""

import sys

import dbus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME, ROOT = "org.opencallkit.CallSystem1", "/org/opencallkit/CallSystem1"
CALL = "org.opencallkit.Call1"

if len(sys.argv) < 2:
    sys.exit(__doc__)
handle, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
DBusGMainLoop(set_as_default=True)
bus, loop = dbus.SessionBus(), GLib.MainLoop()


def changed(interface, values, _, path):
    if path == call and "State" in values:
        print(values["State"], flush=True)
        if values["State"] == "active":
            GLib.timeout_add_seconds(seconds, hang_up)


def hang_up():
    dbus.Interface(bus.get_object(NAME, call), CALL).End()
    return False


def ended(path, reason, by):
    if path == call:
        print(f"over: {reason}, by {by}")
        loop.quit()


bus.add_signal_receiver(changed, "PropertiesChanged", bus_name=NAME, arg0=CALL, path_keyword="path")
bus.add_signal_receiver(ended, "CallEnded", NAME, NAME, ROOT)
try:
    call = dbus.Interface(bus.get_object(NAME, ROOT), NAME).StartCall(handle)
except dbus.DBusException as error:
    sys.exit(f"{error.get_dbus_name()}: {error.get_dbus_message()}")
loop.run()
