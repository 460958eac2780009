"""Nothing that a plugin starts outside the sandbox outlives its worker, and the worker learns nothing of the session that
it needs not know."""

import os
import signal
from unittest import mock

from plugins.case import PluginTest
from support.puppet import Puppet
from support.store import children, program
from support.waiting import exited, wait_gone, wait_until

SECRETS = {
    "SSH_AUTH_SOCK": "/run/user/1000/keyring/ssh", "AWS_SECRET_ACCESS_KEY": "x", "GITHUB_TOKEN": "x",
    "GLIBC_TUNABLES": "glibc.malloc.check=0", "LD_LIBRARY_PATH": "/nonexistent", "WAYLAND_DISPLAY": "wayland-0",
    "DISPLAY": ":0", "XAUTHORITY": "/nonexistent", "XDG_SESSION_ID": "1", "GPG_AGENT_INFO": "x", "MALLOC_CHECK_": "0",
    "PYTHONPATH": "/nonexistent", "NODE_OPTIONS": "--x", "NOTIFY_SOCKET": "/nonexistent/notify",
}
NEEDED = {"LANG": "C.UTF-8", "TZ": "Europe/Stockholm", "TMPDIR": "/tmp"}
SOCKETS = {"PULSE_SERVER": "unix:/nonexistent", "PIPEWIRE_REMOTE": "/nonexistent"}
"""What leads to sockets; XDG_RUNTIME_DIR and DBUS_SYSTEM_BUS_ADDRESS do so as well."""
CONFINED = {"HOME", "USER", "LOGNAME", "PATH", "TMPDIR", "LANG", "LANGUAGE", "LC_ALL", "TZ", "XDG_CACHE_HOME",
            "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_STATE_HOME",
            "CFFIXED_USER_HOME", "LLVM_PROFILE_FILE", "SWIFT_BACKTRACE", "DBUS_FATAL_WARNINGS"}
ALLOWED = CONFINED | set(SOCKETS) | {"XDG_RUNTIME_DIR", "DBUS_SYSTEM_BUS_ADDRESS", "SSL_CERT_DIR", "SSL_CERT_FILE"}


class Leftovers(PluginTest):
    """A plugin that leaves twenty daemons behind, each in a session of its own."""

    arguments = ("--no-sandbox", "Puppet")
    deadlines = {"hello": 600_000}

    def family(self):
        """The processes that have loaded the plugin."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/maps", encoding="utf-8", errors="replace") as file:
                    if f"{self.folder}/Puppet.so" in file.read():
                        found.append(int(name))
            except OSError:
                continue
        return found

    def setUp(self):
        super().setUp()
        self.puppet = Puppet(self, "Puppet", "-DCHILDREN=20")
        wait_until(lambda: len(self.family()) == 21, lambda: f"its family is {self.family()}", every=0.05)
        self.old = self.family()

    def assertGone(self):
        for pid in self.old:
            wait_gone(pid, "was left behind")

    def test_they_end_when_it_is_disabled(self):
        self.set_enabled("Puppet", False)
        self.assertGone()

    def test_they_end_with_the_file(self):
        os.unlink(f"{self.folder}/Puppet.so")
        self.assertGone()

    def test_they_end_when_the_worker_is_killed(self):
        self.puppet.introduce()
        self.wait_ready("Puppet")
        pid = int(self.told_of("Puppet", "Pid"))
        self.assertIn(pid, self.old, "the pid is not the worker's")
        os.unlink(f"{self.folder}/Puppet.so")
        os.kill(pid, signal.SIGKILL)
        self.assertGone()
        self.system.wait_logged("ended 20 processes that were left behind")

    def test_they_end_when_the_daemon_is_killed(self):
        os.rename(f"{self.folder}/Puppet.so", f"{self.folder}/Puppet.away")
        self.system.daemon.kill()
        exited(self.system.daemon)
        self.assertGone()
        wait_until(lambda: not self.system.owner, "its name stays")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_they_end_with_the_daemon(self):
        self.system.daemon.terminate()
        exited(self.system.daemon)
        os.rename(f"{self.folder}/Puppet.so", f"{self.folder}/Puppet.away")
        self.assertGone()
        wait_until(lambda: not self.system.owner, "its name stays")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def test_a_guard_that_hangs_is_ended(self):
        """The worker ends with it; what was left behind is beyond a plugin that attacks its own guard."""
        self.puppet.introduce()
        self.wait_ready("Puppet")
        pid = int(self.told_of("Puppet", "Pid"))
        guard = next(child for child in children(self.system.daemon.pid) if pid in children(child))
        for child in self.old:
            if child != pid:
                os.kill(child, signal.SIGKILL)
        os.kill(guard, signal.SIGSTOP)
        self.set_enabled("Puppet", False)
        wait_gone(pid, "is still there")
        wait_until(lambda: self.told_of("Puppet", "Pid") == 0, "its worker stays")


class Environment(PluginTest):
    def setUp(self):
        with mock.patch.dict(os.environ, {**SECRETS, **NEEDED, **SOCKETS}):
            super().setUp()

    @staticmethod
    def variables(pid):
        with open(f"/proc/{pid}/environ", encoding="utf-8") as file:
            return dict(entry.split("=", 1) for entry in file.read().split("\0") if entry)

    def test_plugins_and_helpers_get_what_they_need(self):
        self.place("Smallest")
        self.wait_ready("Smallest")
        self.wait_store()
        worker = int(self.told_of("Smallest", "Pid"))
        store = next(pid for pid in children(self.system.daemon.pid) if program(pid) == "callkit-store")
        for pid, libraries, needed, allowed in (
                (worker, self.folder, set(NEEDED), CONFINED),
                (store, None, {*NEEDED, *SOCKETS, "XDG_RUNTIME_DIR"}, ALLOWED)):
            variables = self.variables(pid)
            # For the loader: where the libraries beside the plugin are.
            self.assertEqual(variables.pop("LD_LIBRARY_PATH", None), libraries)
            names = set(variables)
            self.assertLessEqual(needed | {"HOME", "PATH"}, names)
            self.assertEqual({name for name in names - allowed if not name.startswith("OPENCALLKIT_")}, set())
