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
