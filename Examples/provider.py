#!/usr/bin/python3
"""A provider: its calls reach everybody at once. A line on standard input is the name of somebody who calls."""
import os
import sys
import uuid

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, ROOT = "org.opencallkit.CallSystem1", "/org/opencallkit/CallSystem1"


class Delegate(dbus.service.Object):
    @dbus.service.method("org.opencallkit.ProviderDelegate1", in_signature="ssssta{sv}", out_signature="a{sv}")
    def Perform(self, action, kind, call, transaction, deadline, details):
        print(kind, *details.get("handle", []), flush=True)  # do it on the network here; raise an error to fail
        if kind == "start":
            provider.ReportOutgoingCallConnected(call, 0, {}, reply_handler=print, error_handler=print)
        return {}


def ring(stdin, _):
    lines = os.read(stdin.fileno(), 4096).decode(errors="replace")
    for name in lines.splitlines():
        caller = {"remote-handle": dbus.Struct(("generic", name), signature="ss", variant_level=1)}
        provider.ReportNewIncomingCall(str(uuid.uuid4()), caller, reply_handler=print, error_handler=print)
    return bool(lines)  # false at the end of the input


bus = dbus.SessionBus(mainloop=dbus.mainloop.glib.DBusGMainLoop())
delegate = Delegate(bus, "/provider")
configuration = {"localized-name": "Example", "supported-handle-types": dbus.Array(["generic"], variant_level=1)}
path = dbus.Interface(bus.get_object(NAME, ROOT), NAME).RegisterProvider("/provider", configuration)
provider = dbus.Interface(bus.get_object(NAME, path), "org.opencallkit.ProviderHost1")
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, ring)
GLib.MainLoop().run()
