"""The packages that `make deb` builds, in a Debian that has no Swift toolchain: installed, used, upgraded, removed."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from packages.root import PACKAGES, DebianRoot, packages
from sip.certificates import DOMAIN, Certificates
from sip.phones import Baresip
from sip.server import Kamailio
from support.waiting import wait_until

NAMES = ("opencallkit", "opencallkit-cellular", "opencallkit-sip", "opencallkit-phone", "opencallkit-samples")
# Bytes of everything installed but the samples: a quarter of what was installed when each program had its own runtime.
LARGEST = 68 << 20


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("debootstrap"), "to make a root takes root and debootstrap")
@unittest.skipUnless(os.path.isdir(PACKAGES), "make deb has not built packages")
class Packages(unittest.TestCase):
    def setUp(self):
        self.root = DebianRoot.copy()
        self.addCleanup(self.root.remove)
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-packages-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def install(self, files):
        for file in files:
            shutil.copy(file, f"{self.root.path}/tmp")
        names = [f"/tmp/{os.path.basename(file)}" for file in files]
        return self.root.run("apt-get", "install", "-qq", "--no-install-recommends", *names)

    def calls(self):
        return json.loads(self.root.callctl("list", "--json"))

    def wait_state(self, state):
        wait_until(lambda: [call for call in self.calls() if call["state"] == state], f"no call is {state}")

    def later(self):
        """The packages with a higher version."""
        files = []
        for file in packages(*NAMES):
            name = os.path.basename(file).split("_")[0]
            subprocess.run(["dpkg-deb", "-R", file, f"{self.folder}/{name}"], check=True)
            control = f"{self.folder}/{name}/DEBIAN/control"
            with open(control, encoding="utf-8") as read:
                text = read.read()
            version = next(line for line in text.splitlines() if line.startswith("Version: ")).split()[1]
            with open(control, "w", encoding="utf-8") as write:
                write.write(text.replace(f"Version: {version}", f"Version: {version}+later")
                            .replace(f"(= {version})", f"(= {version}+later)"))
            files.append(f"{self.folder}/{name}_later.deb")
            subprocess.run(["dpkg-deb", "-Znone", "-b", f"{self.folder}/{name}", files[-1]], check=True, stdout=subprocess.DEVNULL)
        return files

    def kept(self):
        """What the user has made, and each upgrade must keep."""
        root = self.root
        recents = [(call["handle"], call["provider-id"]) for call in json.loads(root.callctl("recents", "--json"))]
        accounts = [account["settings"] for account in json.loads(root.callctl("accounts", "--json"))]
        return recents, accounts, root.callctl("blocked"), root.callctl("favorites")

    def test_from_the_first_installation_to_the_removal(self):
        root = self.root
        self.install(packages(*NAMES))
        size = sum(os.path.getsize(path) for path in self.files() if not os.path.islink(path))
        self.assertLessEqual(size, LARGEST)
        root.begin_session()
        root.callctl("action", "MonkeyCall", "simulate-incoming", "handle=generic:bananas")
        self.wait_state("ringing")
        root.callctl("answer")
        self.wait_state("active")
        self.check_runtime()
        root.callctl("end")
        self.call_by_sip()
        root.callctl("block", "+46701740605")
        root.callctl("favorites", "add", "generic:bananas", "Bananas")
        before = self.kept()
        self.assertEqual(len(before[1]), 1)
        told = self.install(self.later())
        self.assertIn("callkitd of user still runs the former version", told)
        self.assertEqual(self.kept(), before)
        root.end_session()
        root.begin_session()
        self.assertEqual(self.kept(), before)
        root.end_session()
        root.run("apt-get", "purge", "-qq", *NAMES)
        self.assertEqual([path for path in self.files() if "/doc/" not in path], [])
        self.assertTrue(os.path.isfile(f"{root.path}/home/user/.local/share/opencallkit/recents.sqlite"))

    def test_a_plugin_of_a_stranger(self):
        """Written from the template, built where the packages are all that is known of OpenCallKit, and called."""
        root = self.root
        subprocess.run(["dpkg-deb", "-x", packages("opencallkit-dev")[0], f"{self.folder}/dev"], check=True)
        self.install(packages("opencallkit"))
        subprocess.run([f"{root.path}/usr/bin/callctl", "plugin", "new", "Walkie", "--sdk",
                        f"{self.folder}/dev/usr/share/opencallkit/OpenCallKit"], cwd=self.folder, check=True)
        for step in ("build", "test", "bundle"):
            done = subprocess.run(["make", step], cwd=f"{self.folder}/Walkie", capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        bundle = f"{self.folder}/Walkie/.build/Walkie.callplugin"
        self.assertLessEqual(os.path.getsize(f"{bundle}/Walkie.so"), 4 << 20)
        # Not in /tmp, to which all may write.
        shutil.copytree(bundle, f"{root.path}/opt/Walkie.callplugin")
        root.begin_session()
        self.assertIn("certified, ", root.callctl("certify", "/opt/Walkie.callplugin"))
        root.callctl("plugins", "install", "/opt/Walkie.callplugin")
        root.callctl("start", "--provider", "Walkie", "generic:somebody")
        self.wait_state("active")
        self.check_runtime()
        root.callctl("end")

    def files(self):
        """All files outside the user's home with our name in their path, but the samples."""
        found = []
        for top in ("etc", "usr"):
            for folder, _, names in os.walk(f"{self.root.path}/{top}"):
                found += [f"{folder}/{name}" for name in names if "callkit" in f"{folder}/{name}".replace(self.root.path, "")]
        return [path for path in found if "MonkeyCall" not in path and "Hotline" not in path]

    def check_runtime(self):
        """One Swift runtime serves the daemon and the plugins."""
        for name in ("callkitd", "callkit-worker"):
            for number in self.root.processes(name):
                with open(f"/proc/{number}/maps", encoding="utf-8") as file:
                    used = {line.split()[-1] for line in file if "libswiftCore" in line}
                self.assertLessEqual(used, {"/usr/lib/opencallkit/swift/libswiftCore.so"})
        self.assertTrue(self.root.processes("callkitd"))

    def call_by_sip(self):
        passwords = {"alice": "alice-secret", "bob": "bob-secret"}
        server = Kamailio(f"{self.folder}/server", passwords, Certificates(f"{self.folder}/certificates").good()).start()
        self.addCleanup(server.stop)
        phone = Baresip(f"{self.folder}/bob", "bob", server, password=passwords["bob"], codecs=("PCMA",),
                        is_automatic=True, frequency=440).start()
        self.addCleanup(phone.stop)
        root = self.root
        root.callctl("accounts", "add", "SIP", "user=alice", f"domain={DOMAIN}", "transport=udp",
                     f"proxy={server.uri()}", "--storage", "memory")
        account = json.loads(root.callctl("accounts", "--json"))[0]
        root.callctl("accounts", "secret", account["id"], "password", "--secret-fd", "0", given=passwords["alice"])
        wait_until(lambda: json.loads(root.callctl("accounts", "--json"))[0]["state"] == "ready", "SIP is not registered")
        root.callctl("start", f"sip:bob@{DOMAIN}")
        self.wait_state("active")
        root.callctl("end")
