"""Reads a keyring as any program of the user can, without encryption: the test asks, nobody else listens."""

import dbus

SERVICE = "org.freedesktop.Secret.Service"
NAME = "org.freedesktop.secrets"
PATH = "/org/freedesktop/secrets"
ATTRIBUTES = {"service": "org.opencallkit"}


def secrets_in_keyring(system):
    """All secrets of OpenCallKit, by account and key."""
    service = dbus.Interface(system.bus.get_object(NAME, PATH, introspect=False), SERVICE)
    _, session = service.OpenSession("plain", "", signature="sv")
    items, locked = service.SearchItems(dbus.Dictionary(ATTRIBUTES, signature="ss"), signature="a{ss}")
    if locked:
        raise AssertionError(f"{len(locked)} items are locked")
    found = {}
    for path, secret in service.GetSecrets(items, session, signature="aoo").items():
        item = dbus.Interface(system.bus.get_object(NAME, path, introspect=False), "org.freedesktop.DBus.Properties")
        try:
            attributes = item.Get("org.freedesktop.Secret.Item", "Attributes", signature="ss")
        except dbus.DBusException:
            # It was removed meanwhile.
            continue
        place = (str(attributes["account"]), str(attributes["key"]))
        if place in found:
            raise AssertionError(f"{place} is there twice")
        found[place] = bytes(bytearray(secret[2]))
    return found


def put_into_keyring(system, account, key, secret):
    """Does what any other program may do: puts an item there that looks like OpenCallKit's."""
    service = dbus.Interface(system.bus.get_object(NAME, PATH, introspect=False), SERVICE)
    _, session = service.OpenSession("plain", "", signature="sv")
    collection = system.bus.get_object(NAME, service.ReadAlias("default", signature="s"), introspect=False)
    attributes = dbus.Dictionary({**ATTRIBUTES, "account": account, "key": key}, signature="ss")
    values = dbus.Dictionary({"org.freedesktop.Secret.Item.Label": "x", "org.freedesktop.Secret.Item.Attributes": attributes},
                             signature="sv")
    value = (session, dbus.ByteArray(b""), dbus.ByteArray(secret), "text/plain")
    dbus.Interface(collection, "org.freedesktop.Secret.Collection").CreateItem(
        values, value, True, signature="a{sv}(oayays)b")
