"""A login manager as whole desktops need it: a session, its user and seat, and locks that come by signals."""

import dbus
import dbus.service

from support import login_manager
from support.login_manager import MANAGER, PROPERTIES, SESSION, SESSION_PATH

USER_PATH = "/org/freedesktop/login1/user/_0"
SEAT_PATH = "/org/freedesktop/login1/seat/seat0"
DISPLAY_MANAGER = "org.gnome.DisplayManager"


class Values(dbus.service.Object):
    """An object that has properties only."""

    def __init__(self, connection, path, interface, values):
        self.interface, self.values = interface, values
        super().__init__(connection, path)

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.values[name]

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.values if interface == self.interface else {}

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, values, invalidated):
        pass


class Session(Values):
    def __init__(self, connection, kind):
        super().__init__(connection, SESSION_PATH, SESSION, {
            "Id": "1", "User": dbus.Struct((dbus.UInt32(0), dbus.ObjectPath(USER_PATH)), signature="uo"),
            "Seat": dbus.Struct(("seat0", dbus.ObjectPath(SEAT_PATH)), signature="so"), "Name": "root", "Type": kind,
            "Class": "user", "Active": True, "State": "active", "Remote": False, "LockedHint": False, "Display": "",
            "IdleHint": False, "VTNr": dbus.UInt32(1), "Desktop": "", "TTY": ""})

    @dbus.service.method(SESSION, in_signature="b")
    def SetLockedHint(self, is_locked):
        self.values["LockedHint"] = bool(is_locked)
        self.PropertiesChanged(SESSION, {"LockedHint": bool(is_locked)}, [])

    @dbus.service.method(SESSION, in_signature="b")
    def SetIdleHint(self, is_idle):
        pass

    @dbus.service.method(SESSION, in_signature="s")
    def SetType(self, kind):
        pass

    @dbus.service.method(SESSION, in_signature="b")
    def TakeControl(self, force):
        raise dbus.DBusException("There is no screen", name="org.freedesktop.DBus.Error.AccessDenied")

    @dbus.service.signal(SESSION)
    def Lock(self):
        pass

    @dbus.service.signal(SESSION)
    def Unlock(self):
        pass


def refusing(name):
    """A question whether the machine can do something; it cannot."""
    def method(self):
        return "no"
    method.__name__ = name
    return dbus.service.method(MANAGER, in_signature="", out_signature="s")(method)


class LiveLogin(login_manager.Login):
    """One session, whoever asks. Nothing can be suspended."""

    def __init__(self, test, bus, kind):
        super().__init__(test, bus, allowed=("sleep:idle", "idle"))
        self.session.remove_from_connection()
        self.session = Session(self.link, kind)
        session = dbus.Struct(("1", dbus.ObjectPath(SESSION_PATH)), signature="so")
        self.parts = [
            Values(self.link, USER_PATH, "org.freedesktop.login1.User", {
                "Display": session, "Sessions": dbus.Array([session], signature="(so)"), "State": "active",
                "UID": dbus.UInt32(0), "Name": "root"}),
            Values(self.link, SEAT_PATH, "org.freedesktop.login1.Seat", {
                "Id": "seat0", "ActiveSession": session, "CanGraphical": True, "CanTTY": True,
                "CanMultiSession": True, "Sessions": dbus.Array([session], signature="(so)")}),
            # GNOME locks the screen only where there is a display manager.
            Values(self.link, "/org/gnome/DisplayManager/Manager", "org.gnome.DisplayManager.Manager",
                   {"Version": "48.0"})]
        self.display_manager = dbus.service.BusName(DISPLAY_MANAGER, self.link, do_not_queue=True)

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        return super().Inhibit(what if what in self.allowed else "idle", who, why, mode)

    @dbus.service.method(MANAGER, in_signature="s", out_signature="o")
    def GetSession(self, name):
        return dbus.ObjectPath(SESSION_PATH)

    @dbus.service.method(MANAGER, in_signature="u", out_signature="o")
    def GetSessionByPID(self, pid):
        return dbus.ObjectPath(SESSION_PATH)

    @dbus.service.method(MANAGER, in_signature="u", out_signature="o")
    def GetUser(self, user):
        return dbus.ObjectPath(USER_PATH)

    @dbus.service.method(MANAGER, in_signature="s", out_signature="o")
    def GetSeat(self, name):
        return dbus.ObjectPath(SEAT_PATH)

    @dbus.service.method(MANAGER, in_signature="", out_signature="a(susso)")
    def ListSessions(self):
        return [("1", dbus.UInt32(0), "root", "seat0", dbus.ObjectPath(SESSION_PATH))]

    CanSuspend, CanHibernate, CanHybridSleep = map(refusing, ("CanSuspend", "CanHibernate", "CanHybridSleep"))
    CanPowerOff, CanReboot, CanHalt = map(refusing, ("CanPowerOff", "CanReboot", "CanHalt"))
    CanSuspendThenHibernate = refusing("CanSuspendThenHibernate")

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.GetAll(interface)[name]

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return {"PreparingForSleep": False, "PreparingForShutdown": False, "BlockInhibited": "", "LidClosed": False,
                "Docked": False, "IdleHint": False, "OnExternalPower": True}
