"""A plugin with accounts that misbehaves: `deaf` never answers SetAccounts, `flood` reports its account without end."""

import select
import socket
import sys

from gi.repository import Gio, GLib

ROOT = "/org/opencallkit/CallSystem1"
HOST = "org.opencallkit.WorkerHost1"
NONE = Gio.DBusCapabilityFlags.NONE
link = socket.socket(fileno=0)
serial = 0


def send(message):
    global serial
    serial += 1
    message.set_serial(serial)
    link.send(bytes(message.to_blob(NONE)))


def call(interface, member, arguments):
    message = Gio.DBusMessage.new_method_call(None, ROOT, interface, member)
    message.set_body(arguments)
    send(message)


def report(account, number):
    call(HOST, "ReportAccount", GLib.Variant("(ssss)", (account, "ready", "", f"Number {number}")))


def main(mode):
    call(HOST, "Hello", GLib.Variant("(uss)", (1, "0.1.0", "Python")))
    account, number = "", 0
    while True:
        if account and mode == "flood" and not select.select([link], [], [], 0)[0]:
            report(account, number)
            number += 1
            continue
        select.select([link], [], [])
        data = link.recv(1 << 17)
        if not data:
            return
        message = Gio.DBusMessage.new_from_blob(data, NONE)
        if message.get_message_type() != Gio.DBusMessageType.METHOD_CALL:
            continue
        if message.get_member() == "SetAccounts":
            accounts = message.get_body().unpack()[0]
            account = accounts[0][0] if accounts else ""
            if account:
                settings = {"localized-name": GLib.Variant("s", "Deaf"),
                            "key": GLib.Variant("s", account.replace("-", "_"))}
                call("org.opencallkit.CallSystem1", "RegisterProvider", GLib.Variant("(oa{sv})", (ROOT + "/deaf", settings)))
            if mode == "deaf":
                continue
        send(message.new_method_reply())


main(sys.argv[1])
