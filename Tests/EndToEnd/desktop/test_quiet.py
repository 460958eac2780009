"""The desktop's own Do Not Disturb: read from real services, told to the daemon."""

import os
import subprocess

import dbus
import dbus.service

from desktop.case import DesktopTest, dconf_service
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

    def run_client(self, *command, **environment):
        subprocess.run(command, env={**self.system.environment, **environment}, check=True, timeout=GIVE_UP,
                       capture_output=True)


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

    def test_gnome(self):
        environment = {"XDG_CURRENT_DESKTOP": "GNOME", "XDG_DATA_DIRS": "/usr/local/share:/usr/share",
                       "GSETTINGS_BACKEND": "dconf"}
        self.spawn(dconf_service(), **environment)
        self.wait_name("ca.desrt.dconf")
        set_value = ["gsettings", "set", "org.gnome.desktop.notifications", "show-banners"]
        self.run_client(*set_value, "false", **environment)
        self.start_agent(**environment)
        self.wait_sources("GNOME")
        self.run_client(*set_value, "true", **environment)
        self.wait_sources()
        self.run_client(*set_value, "false", **environment)
        self.wait_sources("GNOME")
