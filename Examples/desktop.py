#!/usr/bin/python3
"""Shows calls as a desktop does. A line on standard input presses a button: `quiet` or `loud` for Do Not Disturb, or
one of the call that rings, such as `answer`."""
import functools
import os
import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

NAME, ROOT = "org.opencallkit.CallSystem1", "/org/opencallkit/CallSystem1"
CALL, IDENTITY, PROPERTIES = "org.opencallkit.Call1", "org.opencallkit.CallIdentity1", "org.freedesktop.DBus.Properties"
BUTTONS = {"answer": lambda call: call.Answer(), "hold-and-answer": lambda call: call.Answer(),
           "end-and-answer": lambda call: call.AnswerWith(dbus.Dictionary({"conflict": "end"}, signature="sv")),
           "decline": lambda call: call.Reject("")}
bus = dbus.SessionBus(mainloop=dbus.mainloop.glib.DBusGMainLoop())
say = functools.partial(print, flush=True)
ringing = None


def read(path, interface):
    return dbus.Interface(bus.get_object(NAME, path), PROPERTIES).GetAll(interface)


def show(path, *words):
    global ringing
    call, who = read(path, CALL), read(path, IDENTITY)  # who is calling is read, never broadcast
    if call["State"] == "ringing":
        ringing = path
    elif ringing == path:
        ringing = None
    name = who["CallerName"] or who["Handle"][1] or "somebody"
    say(f"{name}:", *words or (call["State"], *call["AnswerOptions"]))


def added(path, interfaces):
    if CALL in interfaces:
        show(path)


def changed(interface, properties, _, path):
    if interface == CALL and "State" in properties:
        show(path)
    if interface == NAME and properties.get("SuggestedResume", "/") != "/":
        show(properties["SuggestedResume"], "resume?")


def press(button):
    try:
        if button in ("quiet", "loud"):  # lasts as long as this program is connected
            dbus.Interface(bus.get_object(NAME, ROOT), NAME).SetQuiet("org.example.desktop", button == "quiet")
        elif button not in BUTTONS:
            say("no such button:", button)
        elif ringing is None:
            say("no call rings")
        else:
            BUTTONS[button](dbus.Interface(bus.get_object(NAME, ringing), CALL))
    except dbus.DBusException as error:  # its name is for programs, its message for people
        say(error.get_dbus_message())


def read_buttons(stdin, _):
    lines = os.read(stdin.fileno(), 4096).decode(errors="replace")
    for line in lines.splitlines():
        press(line.strip())
    return bool(lines)  # false at the end of the input


bus.add_signal_receiver(added, "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", NAME, ROOT)
bus.add_signal_receiver(changed, "PropertiesChanged", PROPERTIES, NAME, path_keyword="path")
for path, interfaces in dbus.Interface(
        bus.get_object(NAME, ROOT), "org.freedesktop.DBus.ObjectManager").GetManagedObjects().items():
    added(path, interfaces)
GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, read_buttons)
say("shows calls")
GLib.MainLoop().run()
