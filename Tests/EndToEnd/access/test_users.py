"""Users, and programs that keep their memory private: the daemon is that of a user without any rights beyond its own."""

import os
import subprocess
import unittest

from access.app import APP, bwrap, flatpak_info, start
from accounts.case import pipe_with
from support.case import SystemTest
from support.provider import Provider
from support.system import BUILD, IDENTITY
from support.waiting import exited

USER = 65534 if os.geteuid() == 0 else os.geteuid()
OTHER = 1


def as_user(user):
    """The beginning of a command line that runs the rest as a user."""
    if os.geteuid() == user:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


REACHES = subprocess.run([*as_user(USER), "test", "-x", f"{BUILD}/callkitd"], check=False).returncode == 0


@unittest.skipUnless(REACHES, f"{BUILD} is in a folder that is closed to other users, as root's is")
class Users(SystemTest):
    arguments = ("--log-level", "info")
    with_plugins = True
    wrapper = ["sh", "-c", f'chown {USER} "$HOME" && chmod 711 "$HOME" && exec {" ".join(as_user(USER))} "$@"', "sh"]
    policy = '<allow user="*"/>'

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.call = self.provider.incoming()

    def run_as(self, user, *command, descriptors=(), **environment):
        environment = {**self.system.environment, **environment}
        environment.pop("OPENCALLKIT_DEBUGGABLE", None)
        process = subprocess.Popen([*as_user(user), *command], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=descriptors)
        exited(process)
        with process.stdout, process.stderr:
            return process.returncode, process.stdout.read(), process.stderr.read()

    def test_the_users_own_program(self):
        status, _, errors = self.run_as(USER, f"{BUILD}/callctl", "answer")
        self.assertEqual(status, 0, errors)
        self.wait_state(self.call, "active")

    def test_a_program_that_keeps_its_memory_private(self):
        """callctl handles secrets then: /proc/PID/root is root's, and the mounts tell that it is in no sandbox."""
        status, _, errors = self.run_as(USER, f"{BUILD}/callctl", "accounts", "add", "MonkeyCall", "zoo=berlin", "--disabled")
        self.assertEqual(status, 0, errors)
        descriptor = pipe_with(b"4711")
        status, _, errors = self.run_as(USER, f"{BUILD}/callctl", "accounts", "secret", "berlin", "pin", "--secret-fd",
                                        str(descriptor), "--storage", "memory", descriptors=(descriptor,))
        os.close(descriptor)
        self.assertNotIn("AccessDenied", errors)
        self.assertEqual(status, 0, errors)
        self.assertIn("(program callctl, pid ", self.system.read_log())
        self.assertNotIn("unknown app", self.system.read_log())

    def refusal(self, *command, descriptors):
        """What callctl is told in a sandbox when it handles accounts."""
        process = start([*command, f"{BUILD}/callctl", "accounts", "add", "MonkeyCall", "zoo=a"], descriptors,
                        env=self.system.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        exited(process)
        with process.stderr:
            self.assertEqual(process.returncode, 1)
            return " ".join(process.stderr.read().split())

    def test_such_a_program_in_a_sandbox_of_the_system_is_a_strangers(self):
        """The system has made the sandbox, and the user's daemon may not look into it."""
        if os.geteuid():
            self.skipTest("only root can make such a sandbox")
        command, descriptors = bwrap(flatpak_info(), folders=[self.system.folder.name])
        told = self.refusal(*command, *as_user(USER), descriptors=descriptors)
        self.assertIn("(unknown app, program callctl, pid ", told)
        self.assertIn("its root folder cannot be read, so it counts as sandboxed, and nothing can be granted to it", told)

    def test_a_sandboxed_app(self):
        command, descriptors = bwrap(flatpak_info(), "--unshare-user", folders=[self.system.folder.name])
        told = self.refusal(*as_user(USER), *command, descriptors=descriptors)
        self.assertIn(f"{APP} is not allowed to call Accounts1.Schema", told)
        self.assertIn(f"callctl access grant {APP} administer", told)

    def test_root_is_the_user(self):
        if os.geteuid():
            self.skipTest("only root can be root")
        self.assertEqual(self.system.get(self.call, IDENTITY, "Handle"), ("generic", "somebody"))
        self.assertIn(f"pid {os.getpid()})", self.system.read_log())

    def test_another_user_is_a_stranger(self):
        if os.geteuid():
            self.skipTest("only root can be another user")
        status, _, errors = self.run_as(OTHER, f"{BUILD}/callctl", "answer")
        self.assertEqual(status, 1, errors)
        self.assertIn(f"it is a program of user {OTHER}", errors.replace("\n", " "))
        self.assertState(self.call, "ringing")
