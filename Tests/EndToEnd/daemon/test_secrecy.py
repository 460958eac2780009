"""What other programs of the user cannot see of the daemon, and what it leaves behind nowhere."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import unittest

import dbus
from gi.repository import GLib

from support.case import SystemTest
from support.messages import png
from support.provider import Provider
from support.scripted_host import ScriptedHost
from support.system import BUILD, PLUGINS, PROVIDER
from support.waiting import GIVE_UP, exited, wait_until

NOBODY = 65534


class Memory(unittest.TestCase):
    """The memory of each process that knows who calls whom."""

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="opencallkit-")
        self.addCleanup(self.home.cleanup)
        # The processes of root belong to root in any case.
        self.user = None if os.geteuid() else NOBODY
        if self.user:
            os.chown(self.home.name, NOBODY, NOBODY)

    def copied(self, path):
        """A copy that the other user reaches: the build may be in a folder that is closed to others, as root's is."""
        copy = os.path.join(self.home.name, os.path.basename(path))
        return shutil.copytree(path, copy) if os.path.isdir(path) else shutil.copy(path, copy)

    def assertPrivate(self, program, *arguments):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            os.set_inheritable(theirs.fileno(), True)
            words = [str(theirs.fileno()) if word == "LINK" else word for word in arguments]
            process = subprocess.Popen(
                [self.copied(f"{BUILD}/{program}"), *words], env={"HOME": self.home.name, "LC_ALL": "C.UTF-8"},
                user=self.user, pass_fds=[theirs.fileno()], stderr=subprocess.DEVNULL)
            try:
                wait_until(lambda: os.stat(f"/proc/{process.pid}/environ").st_uid == 0, f"{program} is readable",
                           every=0.01)
                with open(f"/proc/{process.pid}/limits", encoding="ascii") as limits:
                    self.assertRegex(limits.read(), r"Max core file size +0 +0 ")
                if self.user:
                    for name in ("mem", "environ", "maps"):
                        other = subprocess.run(["head", "-c", "1", f"/proc/{process.pid}/{name}"], user=self.user,
                                               capture_output=True, text=True, check=False, env={"LC_ALL": "C"})
                        self.assertIn("Permission denied", other.stderr, f"{program}: {name}")
            finally:
                process.kill()
                process.wait()

    def test_callkitd(self):
        self.assertPrivate("callkitd", "--address", f"unix:path={self.home.name}/none")

    def test_callkit_store(self):
        self.assertPrivate("callkit-store", "LINK")

    def test_callkit_contacts(self):
        self.assertPrivate("callkit-contacts", "LINK")

    def test_callkit_secrets(self):
        self.assertPrivate("callkit-secrets", "LINK")

    def test_callkit_desktop(self):
        self.assertPrivate("callkit-desktop", "--address", f"unix:path={self.home.name}/none")

    def test_a_worker_once_it_has_secrets(self):
        environment = {"HOME": self.home.name, "LC_ALL": "C.UTF-8"}
        account = ("7d3c1f0e-0000-4000-8000-000000000001", {"zoo": GLib.Variant("s", "Skansen")})

        def is_private(worker):
            with open(f"/proc/{worker}/limits", encoding="ascii") as limits:
                self.assertRegex(limits.read(), r"Max core file size +0 +0 ")
            return os.stat(f"/proc/{worker}/mem").st_uid == 0

        library = self.copied(f"{PLUGINS}/MonkeyCall.callplugin") + "/MonkeyCall.so"
        worker = self.copied(f"{BUILD}/callkit-worker")
        with ScriptedHost(library, environment, self.user, worker=worker) as host:
            host.wait_for("RegisterProvider")
            self.assertEqual(host.level, "full")
            host.set_accounts((*account, {}))
            if self.user:
                self.assertFalse(is_private(host.worker), "it is private without a secret")
            host.set_accounts((*account, {"pin": b"1234"}))
            self.assertTrue(is_private(host.worker))


class ConfigurationFile(unittest.TestCase):
    def test_a_number_in_the_wrong_file_is_not_quoted(self):
        with tempfile.TemporaryDirectory(prefix="opencallkit-") as home:
            os.mkdir(f"{home}/opencallkit")
            path = f"{home}/opencallkit/callkitd.conf"
            with open(path, "w", encoding="utf-8") as file:
                file.write("block +46701740605\n")
            ended = subprocess.run([f"{BUILD}/callkitd"], env={"XDG_CONFIG_HOME": home}, capture_output=True,
                                   text=True, check=False, timeout=GIVE_UP)
        self.assertEqual(ended.returncode, 64)
        self.assertIn(f"{path}:1: ", ended.stderr)
        self.assertNotIn("70174", ended.stderr)


class LargeMessages(SystemTest):
    def test_memory_of_a_large_message_is_given_back(self):
        def refused(size):
            self.assertRefused(self.start_call("x" * size), "InvalidArguments")
        refused(100_000)
        self.system.sync()
        before = self.system.memory()
        for size in (7 << 20, 3 << 20, 7 << 20):
            refused(size)
        wait_until(lambda: self.system.memory() - before < 1_024,
                   lambda: f"{self.system.memory() - before} KiB more than before", every=0.05)


class WithoutARuntimeFolder(SystemTest):
    def setUp(self):
        super().setUp()
        self.stop()
        del self.system.environment["XDG_RUNTIME_DIR"]
        self.system.environment["XDG_CACHE_HOME"] = f"{self.system.folder.name}/cache"
        self.system.forget_connections()
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def stop(self):
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "the name is still owned")

    def test_icons_have_a_private_place(self):
        picture = dbus.Array(png(), signature="y")
        provider = Provider(self.system, icon_template_image=picture)
        icon = str(self.system.get(provider.path, PROVIDER, "Icon"))
        place = f"{self.system.folder.name}/cache/opencallkit/run"
        self.assertEqual(os.path.dirname(os.path.dirname(icon)), place)
        self.assertTrue(os.path.exists(icon))
        self.assertEqual(stat.S_IMODE(os.stat(place).st_mode), 0o700)
        self.stop()
        self.assertFalse(os.path.exists(place))
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
