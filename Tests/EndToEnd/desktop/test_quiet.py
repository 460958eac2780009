"""The desktop's own Do Not Disturb: read from real services, told to the daemon."""

import os
import subprocess

import dbus
import dbus.service

from desktop.case import DESKTOP, DESKTOP_PATH, DesktopTest, dconf_service
from desktop.notification_servers import NAME, PATH, Dunst, Mako, Xfce
from support.provider import Provider
from support.system import PROPERTIES, ROOT, SYSTEM
from support.waiting import GIVE_UP, wait_until


class QuietTest(DesktopTest):
    policy = '\n    <allow user="*"/>'

    def sources(self):
        return [str(source) for source in self.system.get(ROOT, SYSTEM, "QuietSources")]

    def wait_sources(self, *expected):
        wait_until(lambda: self.sources() == list(expected), lambda: f"{self.sources()}, not {expected}", every=0.05)

    def part(self, name="do-not-disturb"):
        parts = self.system.get(DESKTOP_PATH, DESKTOP, "Parts", name=DESKTOP)
        return next((bool(part["ready"]), str(part["text"])) for part in parts if part["name"] == name)

    def wait_part(self, ready, text, name="do-not-disturb"):
        wait_until(lambda: self.part(name) == (ready, text), lambda: f"{self.part(name)}, not {text}", every=0.05)

    def run_client(self, *command, **environment):
        subprocess.run(command, env={**self.system.environment, **environment}, check=True, timeout=GIVE_UP,
                       capture_output=True)


class Swaync(dbus.service.Object):
    """As swaync tells, of which there are two signals: an old one and that of 0.8."""

    INTERFACE = "org.erikreider.swaync.cc"

    def __init__(self, connection):
        self.name = dbus.service.BusName(self.INTERFACE, connection)
        super().__init__(connection, "/org/erikreider/swaync/cc")
        self.dnd = False

    @dbus.service.method(INTERFACE, in_signature="", out_signature="b")
    def GetDnd(self):
        return self.dnd

    @dbus.service.signal(INTERFACE, signature="ubb")
    def Subscribe(self, count, dnd, is_open):
        pass

    @dbus.service.signal(INTERFACE, signature="ubbb")
    def SubscribeV2(self, count, dnd, is_open, inhibited):
        pass


class Budgie(dbus.service.Object):
    """As Budgie tells since 10.6."""

    INTERFACE = "org.buddiesofbudgie.budgie.Dispatcher"

    def __init__(self, connection):
        self.name = dbus.service.BusName("org.budgie_desktop.Notifications", connection)
        super().__init__(connection, "/org/budgie_desktop/Notifications")
        self.dnd = False

    @dbus.service.method(INTERFACE, in_signature="", out_signature="b")
    def GetDoNotDisturb(self):
        return self.dnd

    @dbus.service.signal(INTERFACE, signature="b")
    def DoNotDisturbChanged(self, value):
        self.dnd = bool(value)


class Plasma(dbus.service.Object):
    """As Plasma tells; it does not run without a desktop."""

    def __init__(self, connection):
        self.name = dbus.service.BusName(NAME, connection)
        super().__init__(connection, PATH)
        self.inhibited = False

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        if (interface, name) != (NAME, "Inhibited"):
            raise dbus.DBusException("no such property", name="org.freedesktop.DBus.Error.InvalidArgs")
        return self.inhibited

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

    def inhibit(self, inhibited):
        self.inhibited = inhibited
        self.PropertiesChanged(NAME, {"Inhibited": inhibited}, [])


class SourceTests(QuietTest):
    def test_dunst(self):
        Dunst(self).start()
        self.start_agent()
        self.run_client("dunstctl", "set-paused", "true")
        self.wait_sources("dunst")
        # Who is quiet is not rung.
        alpha = Provider(self.system)
        alpha.report_incoming().wait()
        self.wait_told("CallFiltered")
        self.run_client("dunstctl", "set-paused", "false")
        self.wait_sources()

    def test_a_source_that_goes_is_quiet_no_longer(self):
        dunst = Dunst(self).start()
        self.run_client("dunstctl", "set-paused", "true")
        self.start_agent()
        self.wait_sources("dunst")
        dunst.kill()
        self.wait_sources()

    def test_the_daemon_is_told_again_when_it_returns(self):
        Dunst(self).start()
        self.run_client("dunstctl", "set-paused", "true")
        self.start_agent()
        self.wait_sources("dunst")
        self.system.daemon.kill()
        self.system.daemon.wait()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.wait_sources("dunst")
        self.agent.kill()
        self.agent.wait()
        self.wait_sources()

    def test_xfce(self):
        Xfce(self).start()
        self.start_agent()
        set_value = ["xfconf-query", "-c", "xfce4-notifyd", "-p", "/do-not-disturb", "-n", "-t", "bool", "-s"]
        self.run_client(*set_value, "true")
        self.wait_sources("Xfce")
        self.run_client(*set_value, "false")
        self.wait_sources()

    def test_plasma(self):
        plasma = Plasma(self.system.connect())
        self.start_agent()
        plasma.inhibit(True)
        self.wait_sources("KDE")
        plasma.inhibit(False)
        self.wait_sources()

    def test_mako(self):
        mako = Mako(self)
        with open(f"{mako.folder}/config", "w", encoding="utf-8") as file:
            file.write("[mode=do-not-disturb]\ninvisible=1\n")
        os.makedirs(f"{mako.folder}/mako")
        os.rename(f"{mako.folder}/config", f"{mako.folder}/mako/config")
        mako.start()
        mako.run("makoctl", "mode", "-s", "do-not-disturb")
        self.start_agent()
        self.wait_sources("mako")

    def test_swaync(self):
        swaync = Swaync(self.system.connect())
        swaync.dnd = True
        self.start_agent(XDG_CURRENT_DESKTOP="sway")
        self.wait_sources("swaync")
        swaync.dnd = False
        swaync.Subscribe(dbus.UInt32(0), False, False)
        self.wait_sources()
        swaync.dnd = True
        swaync.SubscribeV2(dbus.UInt32(0), True, False, False)
        self.wait_sources("swaync")
        self.wait_part(True, "on: swaync")


class DconfTests(QuietTest):
    """Desktops that keep it in dconf. The schemas of those that are not installed here are the test's own."""

    SCHEMAS = {
        "org.cinnamon.desktop.notifications": ("/org/cinnamon/desktop/notifications/", "display-notifications", "true"),
        "org.mate.NotificationDaemon": ("/org/mate/notification-daemon/", "do-not-disturb", "false"),
        "io.elementary.notifications": ("/io/elementary/notifications/", "do-not-disturb", "false"),
    }

    def begin(self, desktop):
        folder = f"{self.system.folder.name}/schemas/glib-2.0/schemas"
        os.makedirs(folder)
        for schema, (path, key, default) in self.SCHEMAS.items():
            with open(f"{folder}/{schema}.gschema.xml", "w", encoding="utf-8") as file:
                file.write(f'''<schemalist><schema id="{schema}" path="{path}">
                    <key name="{key}" type="b"><default>{default}</default></key></schema></schemalist>''')
        subprocess.run(["glib-compile-schemas", folder], check=True, capture_output=True)
        # Of schemas that are installed, the installed ones count.
        self.dconf = {"XDG_CURRENT_DESKTOP": desktop, "GSETTINGS_BACKEND": "dconf",
                      "XDG_DATA_DIRS": f"/usr/local/share:/usr/share:{self.system.folder.name}/schemas"}
        self.spawn(dconf_service(), **self.dconf)
        self.wait_name("ca.desrt.dconf")

    def set(self, schema, key, value):
        self.run_client("gsettings", "set", schema, key, value, **self.dconf)

    def follows(self, desktop, schema, key, name, quiet="true", loud="false"):
        self.begin(desktop)
        self.set(schema, key, quiet)
        self.start_agent(**self.dconf)
        self.wait_sources(name)
        self.set(schema, key, loud)
        self.wait_sources()
        self.wait_part(True, f"off: {name}")
        self.set(schema, key, quiet)
        self.wait_sources(name)
        self.wait_part(True, f"on: {name}")

    def test_gnome(self):
        self.follows("ubuntu:GNOME", "org.gnome.desktop.notifications", "show-banners", "GNOME", "false", "true")

    def test_cinnamon(self):
        self.follows("X-Cinnamon", "org.cinnamon.desktop.notifications", "display-notifications", "Cinnamon", "false",
                     "true")

    def test_mate(self):
        self.follows("MATE", "org.mate.NotificationDaemon", "do-not-disturb", "MATE")

    def test_pantheon(self):
        self.follows("Pantheon", "io.elementary.notifications", "do-not-disturb", "Pantheon")

    def test_budgie_has_its_own_and_not_that_of_gnome(self):
        self.begin("Budgie:GNOME")
        self.set("org.gnome.desktop.notifications", "show-banners", "false")
        budgie = Budgie(self.system.connect())
        self.start_agent(**self.dconf)
        self.wait_part(True, "off: Budgie")
        self.assertEqual(self.sources(), [])
        budgie.DoNotDisturbChanged(True)
        self.wait_sources("Budgie")
        self.wait_part(True, "on: Budgie")
        budgie.DoNotDisturbChanged(False)
        self.wait_sources()

    def test_notifications_that_gnome_and_budgie_do_not_show(self):
        schema = "org.gnome.desktop.notifications.application"
        place = f"{schema}:/org/gnome/desktop/notifications/application/org-opencallkit-phone/"
        for desktop, name in (("GNOME", "GNOME"), ("Budgie:GNOME", "Budgie")):
            with self.subTest(desktop=desktop):
                if desktop == "GNOME":
                    self.begin(desktop)
                self.dconf["XDG_CURRENT_DESKTOP"] = desktop
                self.set(place, "enable", "false")
                self.start_agent(**self.dconf)
                self.wait_part(False, f"{name} shows none: they are switched off in its settings", "notifications")
                self.set(place, "enable", "true")
                wait_until(lambda: "switched off" not in self.part("notifications")[1], "still off", every=0.05)
                self.set(place, "show-banners", "false")
                self.wait_part(False, f"{name} shows none: they are switched off in its settings", "notifications")
                self.set(place, "show-banners", "true")
                self.agent.terminate()
                self.agent.wait()


class FileTests(QuietTest):
    """Desktops that keep it in a file, which may not be there yet, nor its folder."""

    def write(self, name, text):
        path = f"{self.system.environment['XDG_CONFIG_HOME']}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(f"{path}.new", path)
        return path

    def follows(self, desktop, name, file, quiet, loud):
        self.start_agent(XDG_CURRENT_DESKTOP=desktop)
        self.wait_part(True, f"off: {name}")
        path = self.write(file, quiet)
        self.wait_sources(name)
        self.write(file, loud)
        self.wait_sources()
        self.write(file, quiet)
        self.wait_sources(name)
        os.unlink(path)
        self.wait_sources()

    def test_lxqt(self):
        self.follows("LXQt", "LXQt", "lxqt/notifications.conf", "[General]\ndoNotDisturb=true\nplacement=top-right\n",
                     "[General]\ndoNotDisturb=false\n\n[Other]\ndoNotDisturb=true\n")

    def test_cosmic(self):
        self.follows("COSMIC", "COSMIC", "cosmic/com.system76.CosmicNotifications/v1/do_not_disturb", "true", "false")

    def test_notifications_that_plasma_does_not_show(self):
        self.start_agent(XDG_CURRENT_DESKTOP="KDE")
        off = "[Applications][org.opencallkit.Phone]\nSeen=true\nShowPopups=false\n"
        self.write("plasmanotifyrc", f"[Applications][org.example.Mail]\nShowPopups=true\n\n{off}")
        self.wait_part(False, "KDE shows none: they are switched off in its settings", "notifications")
        self.write("plasmanotifyrc", off.replace("false", "true"))
        wait_until(lambda: "switched off" not in self.part("notifications")[1], "still off", every=0.05)


class UnknownTests(QuietTest):
    """What is not known is said."""

    def test_a_desktop_that_nobody_knows(self):
        self.start_agent(XDG_CURRENT_DESKTOP="Enlightenment")
        self.assertEqual(self.part(), (False, "no Do Not Disturb is known for Enlightenment"))

    def test_a_desktop_that_nobody_knows_with_a_server_that_tells(self):
        self.start_agent(XDG_CURRENT_DESKTOP="i3")
        self.assertEqual(self.part(), (False, "no Do Not Disturb is known for i3"))
        dunst = Dunst(self).start()
        self.wait_part(True, "off: dunst")
        dunst.kill()
        self.wait_part(False, "no Do Not Disturb is known for i3")

    def test_the_setting_of_another_desktop_does_not_count_as_its_own(self):
        Xfce(self).start()
        self.start_agent(XDG_CURRENT_DESKTOP="Enlightenment")
        self.run_client("xfconf-query", "-c", "xfce4-notifyd", "-p", "/do-not-disturb", "-n", "-t", "bool", "-s", "false")
        self.wait_part(False, "off: Xfce; no Do Not Disturb is known for Enlightenment")

    def test_a_desktop_whose_setting_cannot_be_read(self):
        # There is no such schema.
        self.start_agent(XDG_CURRENT_DESKTOP="MATE", XDG_DATA_DIRS="/nowhere")
        self.assertEqual(self.part(), (False, "the Do Not Disturb of MATE cannot be read"))

    def test_no_desktop(self):
        self.start_agent(XDG_CURRENT_DESKTOP="")
        self.assertEqual(self.part(), (False, "no desktop that tells"))
