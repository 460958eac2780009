#!/usr/bin/python3
"""Answers the next ringing call, prints the caller, and waits until the call has ended.

An active call of any app or network is held first; with --end it is ended.
Usage: answer.py [--end]
"""

import sys

import dbus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME, ROOT = "org.opencallkit.CallSystem1", "/org/opencallkit/CallSystem1"
CALL, IDENTITY = "org.opencallkit.Call1", "org.opencallkit.CallIdentity1"
OBJECTS, PROPERTIES = "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"

DBusGMainLoop(set_as_default=True)
bus, loop = dbus.SessionBus(), GLib.MainLoop()
answered = None


def seen(path, interfaces):
    global answered
    if answered or interfaces.get(CALL, {}).get("State") != "ringing":
        return
    answered = path
    call = bus.get_object(NAME, path)
    who = dbus.Interface(call, PROPERTIES).GetAll(IDENTITY)
    print(f"{who['CallerName'] or who['Handle'][1]} is calling", flush=True)
    options = {"conflict": "end"} if "--end" in sys.argv else {}
    try:
        dbus.Interface(call, CALL).AnswerWith(dbus.Dictionary(options, signature="sv"))
    except dbus.DBusException as error:
        sys.exit(f"{error.get_dbus_name()}: {error.get_dbus_message()}")
    print("answered", flush=True)


def ended(path, reason, by):
    if path == answered:
        print(f"over: {reason}, by {by}")
        loop.quit()


bus.add_signal_receiver(seen, "InterfacesAdded", OBJECTS, NAME, ROOT)
bus.add_signal_receiver(ended, "CallEnded", NAME, NAME, ROOT)
for path, interfaces in dbus.Interface(bus.get_object(NAME, ROOT), OBJECTS).GetManagedObjects().items():
    seen(path, interfaces)
loop.run()
