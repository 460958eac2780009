"""A portal of the desktop out of a script, which does what the documentation of xdg-desktop-portal says."""

import dbus
import dbus.lowlevel
import dbus.service

from support.waiting import wait_until

PORTAL = "org.freedesktop.portal.Desktop"
PORTAL_PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
REGISTRY = "org.freedesktop.host.portal.Registry"
REQUEST = "org.freedesktop.portal.Request"
SESSION = "org.freedesktop.portal.Session"


class Portal(dbus.service.Object):
    """Keeps what it is asked. Its user agrees (0), refuses (1), or takes their time (None)."""

    def __init__(self, test, answer=0, has_registry=True):
        self.test = test
        self.link = test.system.connect()
        self.answer = answer
        self.has_registry = has_registry
        self.asked = []
        """The methods that were called, in order."""
        self.application = None
        self.session = self.client = None
        self.shortcuts = {}
        self.link.add_message_filter(self.take_close)
        super().__init__(self.link, PORTAL_PATH)
        self.name = dbus.service.BusName(PORTAL, self.link, do_not_queue=True)

    def leave(self):
        self.remove_from_connection()
        self.test.system.connections.remove(self.link)
        self.link.close()

    def take_close(self, _, message):
        if message.get_interface() == SESSION and message.get_member() == "Close":
            self.asked.append("Close")
            self.session = None
            return dbus.lowlevel.HANDLER_RESULT_HANDLED
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def tell(self, path, interface, member, signature, *values):
        """A signal to the client alone, as portals send them."""
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        message.set_destination(self.client)
        message.append(*values, signature=signature)
        self.link.send_message(message)

    def respond(self, options, results):
        handle = f"{PORTAL_PATH}/request/{self.client[1:].replace('.', '_')}/{options['handle_token']}"
        code = self.answer or 0

        def respond():
            self.tell(handle, REQUEST, "Response", "ua{sv}", code, dbus.Dictionary(results if code == 0 else {}, signature="sv"))
        return dbus.ObjectPath(handle), respond

    @dbus.service.method(REGISTRY, in_signature="sa{sv}")
    def Register(self, application, _):
        if not self.has_registry:
            raise dbus.DBusException("no such interface", name="org.freedesktop.DBus.Error.UnknownMethod")
        self.asked.append("Register")
        self.application = str(application)

    @dbus.service.method(SHORTCUTS, in_signature="a{sv}", out_signature="o", sender_keyword="sender",
                         async_callbacks=("reply", "_"))
    def CreateSession(self, options, reply, _, sender):
        self.asked.append("CreateSession")
        self.client = sender
        self.session = f"{PORTAL_PATH}/session/{sender[1:].replace('.', '_')}/{options['session_handle_token']}"
        asked, self.answer = self.answer, 0
        handle, respond = self.respond(options, {"session_handle": self.session})
        self.answer = asked
        reply(handle)
        respond()

    @dbus.service.method(SHORTCUTS, in_signature="oa(sa{sv})sa{sv}", out_signature="o", async_callbacks=("reply", "_"))
    def BindShortcuts(self, session, shortcuts, parent, options, reply, _):
        assert session == self.session, session
        assert parent == "", parent
        self.asked.append("BindShortcuts")
        self.shortcuts = {str(key): {str(name): str(value) for name, value in values.items()} for key, values in shortcuts}
        handle, respond = self.respond(options, {"shortcuts": self.bound()})
        reply(handle)
        if self.answer is not None:
            respond()

    def bound(self):
        return dbus.Array([(key, dbus.Dictionary({"description": values["description"],
                                                  "trigger_description": values["preferred_trigger"].title()}, signature="sv"))
                           for key, values in self.shortcuts.items()], signature="(sa{sv})")

    def wait_bound(self, times=1):
        wait_until(lambda: self.asked.count("BindShortcuts") == times, lambda: f"asked: {self.asked}")

    def press(self, key, session=None):
        self.tell(PORTAL_PATH, SHORTCUTS, "Activated", "osta{sv}", dbus.ObjectPath(session or self.session), key,
                  dbus.UInt64(1), dbus.Dictionary({}, signature="sv"))

    def change(self, key, trigger):
        """The user chooses another key in the desktop's settings."""
        keys = dbus.Array([(key, dbus.Dictionary({"trigger_description": trigger}, signature="sv"))],
                          signature="(sa{sv})")
        self.tell(PORTAL_PATH, SHORTCUTS, "ShortcutsChanged", "oa(sa{sv})", dbus.ObjectPath(self.session), keys)
