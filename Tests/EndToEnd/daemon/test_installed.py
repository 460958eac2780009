"""The daemon as `make install` installs it, started by the bus."""

import json
import os
import re
import signal
import subprocess
import tempfile

from daemon.program import leave
from support.case import SystemTest
from support.messages import variants
from support.provider import Provider
from support.system import BUILD, NAME, PEER, PLUGIN, RECENTS, RECENTS1, REPOSITORY, ROOT, SYSTEM
from support.waiting import wait_gone, wait_until


class Installed(SystemTest):
    """The files that `make install` puts below a prefix, started by the first request on the bus."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-installed-")
        self.addCleanup(folder.cleanup)
        self.prefix = folder.name
        self.install(BUILD, "", self.prefix)
        self.assertEqual(self.plugins(), ["Cellular.callplugin", "ListDirectory.callplugin", "SIP.callplugin"])
        self.install("--samples", BUILD, "", self.prefix)
        self.assertIn("Hotline.callplugin", self.plugins())
        self.services = f"{self.prefix}/share/dbus-1/services"
        super().setUp()
        leave(self.system)

    def tearDown(self):
        pid = self.activated()
        os.kill(pid, signal.SIGTERM)
        wait_gone(pid, "the daemon that the bus started")

    def install(self, *arguments):
        subprocess.run(["sh", "Scripts/install.sh", *arguments], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)

    def plugins(self):
        return sorted(os.listdir(f"{self.prefix}/lib/opencallkit/plugins"))

    def activated(self):
        return int(self.system.bus.call_blocking(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            "s", (NAME,)))

    def test_the_phone_has_one_name_and_one_icon(self):
        with open(f"{self.prefix}/share/applications/org.opencallkit.Phone.desktop", encoding="utf-8") as file:
            entry = dict(line.strip().split("=", 1) for line in file if "=" in line)
        self.assertEqual((entry["Name"], entry["Icon"]), ("Phone", "org.opencallkit.Phone"))
        self.assertNotIn("NoDisplay", entry, "desktops have no settings for what they do not show")
        self.assertEqual(entry["X-GNOME-UsesNotifications"], "true")
        for place in ("scalable/apps/org.opencallkit.Phone.svg", "symbolic/apps/org.opencallkit.Phone-symbolic.svg"):
            self.assertTrue(os.path.getsize(f"{self.prefix}/share/icons/hicolor/{place}"))
        with open(f"{self.services}/org.opencallkit.Phone.Window.service", encoding="utf-8") as file:
            program = re.search("(?m)^Exec=([^ ]*)", file.read()).group(1)
        self.assertTrue(os.access(program, os.X_OK), program)
        self.assertEqual(sorted(os.listdir(f"{self.prefix}/share/locale")), ["de", "sv"])
        self.system.call(ROOT, PEER, "Ping").result()

    def test_the_first_request_starts_it_and_its_plugins(self):
        output = self.system.run("busctl", "--user", "call", NAME, ROOT, SYSTEM, "StartCall", "s",
                                 "tel:+15550100")
        self.assertEqual(output.status, 0, output.errors)
        pid = self.activated()
        self.assertEqual(os.readlink(f"/proc/{pid}/exe"), f"{self.prefix}/bin/callkitd")
        self.assertEqual(self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Path"),
                         f"{self.prefix}/lib/opencallkit/plugins/Hotline.callplugin")
        worker = self.system.get(f"{ROOT}/plugins/Hotline", PLUGIN, "Pid")
        self.assertEqual(os.readlink(f"/proc/{worker}/exe"), f"{self.prefix}/libexec/opencallkit/callkit-worker")
        for number in (pid, worker):
            with open(f"/proc/{number}/maps", encoding="utf-8") as file:
                runtime = {line.split()[-1] for line in file if "libswiftCore" in line}
            self.assertEqual(runtime, {f"{self.prefix}/lib/opencallkit/swift/libswiftCore.so"})
        listed = self.system.run(f"{self.prefix}/bin/callctl", "list", "--json")
        self.assertEqual([call["object"] for call in json.loads(listed.text)], [output.text.split('"')[1]])
        self.install("--remove", "", self.prefix)
        left = [os.path.join(folder, name) for folder, _, names in os.walk(self.prefix) for name in names]
        self.assertEqual([path for path in left if not path.endswith("mimeinfo.cache")], [])


class Sessions(Installed):
    """A daemon that the bus started does not outlive it: the next session's daemon gets the recents."""

    def test_the_next_session_has_the_recents(self):
        folder = f"{self.system.folder.name}/config/opencallkit"
        os.makedirs(folder)
        with open(f"{folder}/callkitd.conf", "w", encoding="utf-8") as file:
            file.write("bus-timeout = 300\n")
        self.system.call(ROOT, PEER, "Ping").result()
        self.wait_store()
        provider = Provider(self.system)
        provider.remote_end(provider.incoming()).result()
        wait_until(lambda: [row for row in self.rows() if not row["open"]], "there is no recent")
        rows, first = self.rows(), self.activated()
        self.system.restart_bus_only()
        wait_gone(first, "the daemon of a bus that is gone")
        self.system.call(ROOT, PEER, "Ping").result()
        self.wait_store()
        self.assertNotEqual(self.activated(), first)
        self.assertEqual(self.rows(), rows)

    def rows(self):
        return self.system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), 0, 10).result()
