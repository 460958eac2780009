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
DELEGATE = "org.opencallkit.ProviderDelegate1"

calls = set()


class Busy(dbus.DBusException):
    _dbus_error_name = "org.opencallkit.Failure.Busy"


class Delegate(dbus.service.Object):
    @dbus.service.method(DELEGATE, in_signature="ssssta{sv}", out_signature="a{sv}")
    def Perform(self, action, kind, call, transaction, deadline, details):
        print(kind, *details.get("handle", []), flush=True)  # do it on the network here; raise an error to fail
        if kind == "start":
            _, value = details["handle"]
            if value == "busy":
                raise Busy("the far side is busy")
            calls.add(call)
            provider.ReportOutgoingCallConnected(call, 0, {}, reply_handler=print, error_handler=print)
            return {}
        if call not in calls or kind not in ("answer", "end", "set-held", "set-muted", "play-dtmf"):
            raise dbus.DBusException(f"no call {call}, or none that can {kind}")
        if kind == "end":
            calls.remove(call)
        return {}

    @dbus.service.method(DELEGATE)
    def Reset(self):
        calls.clear()  # end them on the network


def ring(stdin, _):
    lines = os.read(stdin.fileno(), 4096).decode(errors="replace")
    for name in lines.splitlines():
        call = str(uuid.uuid4())
        caller = {"remote-handle": dbus.Struct(("generic", name), signature="ss", variant_level=1)}
        calls.add(call)
        provider.ReportNewIncomingCall(
            call, caller, reply_handler=print, error_handler=lambda _, call=call: calls.discard(call))
    return bool(lines)  # false at the end of the input


bus = dbus.SessionBus(mainloop=dbus.mainloop.glib.DBusGMainLoop())
delegate = Delegate(bus, "/provider")
configuration = {
    "localized-name": "Example",
    "supported-handle-types": dbus.Array(["generic"], variant_level=1),
    "maximum-calls-per-call-group": dbus.UInt32(1, variant_level=1),
}
path = dbus.Interface(bus.get_object(NAME, ROOT), NAME).RegisterProvider("/provider", configuration)
provider = dbus.Interface(bus.get_object(NAME, path), "org.opencallkit.ProviderHost1")
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, ring)
GLib.MainLoop().run()
