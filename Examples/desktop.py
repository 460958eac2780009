#!/usr/bin/python3
"""Shows calls as a desktop does. A line on standard input presses a button of the call that rings, such as `answer`."""
import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

NAME, ROOT = "org.opencallkit.CallSystem1", "/org/opencallkit/CallSystem1"
CALL, IDENTITY, PROPERTIES = "org.opencallkit.Call1", "org.opencallkit.CallIdentity1", "org.freedesktop.DBus.Properties"
bus = dbus.SessionBus(mainloop=dbus.mainloop.glib.DBusGMainLoop())
ringing = None


def read(path, interface):
    return dbus.Interface(bus.get_object(NAME, path), PROPERTIES).GetAll(interface)


def show(path, *words):
    global ringing
    call, who = read(path, CALL), read(path, IDENTITY)  # who is calling is read, never broadcast
    if call["State"] == "ringing":
        ringing = path
    name = who["CallerName"] or who["Handle"][1] or "somebody"
    print(f"{name}:", *words or (call["State"], *call["AnswerOptions"]), flush=True)


def added(path, interfaces):
    if CALL in interfaces:
        show(path)


def changed(interface, properties, _, path):
    if interface == CALL and "State" in properties:
        show(path)
    if interface == NAME and properties.get("SuggestedResume", "/") != "/":
        show(properties["SuggestedResume"], "resume?")


def press(stdin, _):
    call, button = dbus.Interface(bus.get_object(NAME, ringing), CALL), stdin.readline().strip()
    buttons = {"answer": call.Answer, "hold-and-answer": call.Answer, "decline": lambda: call.Reject(""),
               "end-and-answer": lambda: call.AnswerWith(dbus.Dictionary({"conflict": "end"}, signature="sv"))}
    buttons[button]()
    return True


bus.add_signal_receiver(added, "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", NAME, ROOT)
bus.add_signal_receiver(changed, "PropertiesChanged", PROPERTIES, NAME, path_keyword="path")
for path, interfaces in dbus.Interface(
        bus.get_object(NAME, ROOT), "org.freedesktop.DBus.ObjectManager").GetManagedObjects().items():
    added(path, interfaces)
GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN, press)
print("shows calls", flush=True)
GLib.MainLoop().run()
