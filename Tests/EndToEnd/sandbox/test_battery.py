"""What a hostile plugin can do in its sandbox: every attempt of the battery, at every level, with each permission.

The table is exact in both directions: an attempt that gets through though it should not fails the test, and so does one
that is denied though the table says it gets through.
"""

import functools
import os
import unittest

from sandbox.battery import Targets
from sandbox.host import Attack
from sandbox.table import GAPS, HIDDEN, IS_NEEDED_GUARD, NONE, expected
from support.reservations import reserve

ORDINARY_USERS = range(60_600, 61_184)
"""These belong to nobody, so that they have no processes here."""

NO_NAMESPACES, NO_LANDLOCK = ("without", "namespaces"), ("without", "landlock")
VERSIONS = (1, 2, 3, 4, 5)
"""Those of Landlock before the one that bounds signals and abstract sockets."""

PERMISSIONS = ((), ("network",), ("audio",), ("network", "audio"))
REACHED_ONLY_BY_ESCAPE = ("session-bus", "system-bus", "daemon-socket", "wayland", "pipewire", "agent", "x11",
                          "x11-abstract", "unix-path", "unix-abstract", "race-path", "race-abstract", "journal",
                          "datagram-path", "datagram-abstract", "packets-path")
"""The victim's sockets that nothing grants."""


@functools.cache
def ordinary_user():
    """Somebody who has no processes here, and whom no other test is at this time."""
    return next(user for user in ORDINARY_USERS if reserve("user", user))


def users():
    """Who runs the plugins: everybody whom this process can be."""
    return (0, ordinary_user()) if os.geteuid() == 0 else (os.geteuid(),)


def granting(permissions, targets):
    """The lines of the policy for these permissions."""
    pulse, inside = f"{targets.folder}/runtime/pulse", "/run/opencallkit/pulse"
    audio = [("socket", pulse, inside, "native"), ("environment", "GRANTED_SOCKET", f"{inside}/native"),
             ("environment-at-landlock", "GRANTED_SOCKET", f"{pulse}/native")]
    lines = {"network": [("network",)], "audio": audio, "files": [("read", f"{targets.folder}/runtime/files")]}
    return [line for permission in permissions for line in lines[permission]]


class SandboxTest(unittest.TestCase):
    maxDiff = None

    def attack(self, user, permissions=(), terms=(), **options):
        with Targets(user) as targets:
            attack = Attack(targets, [*granting(permissions, targets), *terms], **options)
        self.assertTrue(attack.report.is_complete, f"the battery has not come to its end: {attack.said}")
        return attack

    def assertThrough(self, attack, through):
        escaped, refused = attack.report.unexpected(through)
        self.assertEqual(escaped, {}, "these get through")
        self.assertEqual(refused, {}, "these are denied now: take them off the table")

    def check(self, level, user, permissions=(), terms=(), **options):
        """Asserts that exactly what the table lists gets through."""
        with self.subTest(level=level, user=user, permissions=permissions, terms=terms):
            attack = self.attack(user, permissions, terms, **options)
            has_guard = ["guard"] in attack.confined
            self.assertEqual(attack.reached_level, level)
            through = expected(level, permissions, has_guard=has_guard, is_root=user == 0,
                               is_host_open=user == os.geteuid() != 0)
            self.assertThrough(attack, through | (set() if has_guard else HIDDEN))
            # A guard that only tells what is denied reads no addresses.
            is_read = has_guard and (("report-denied",) not in terms or level == "full" and IS_NEEDED_GUARD)
            gaps = GAPS[level] | ({"threads"} if user == 0 else set()) | ({"memory"} if is_read else set())
            self.assertEqual(attack.gaps, gaps)
            sockets = attack.report.reached["sockets"]
            self.assertEqual({name: sockets[name] for name in REACHED_ONLY_BY_ESCAPE if sockets[name]}, {})
            return attack

    def test_full(self):
        for user in users():
            for permissions in PERMISSIONS:
                self.check("full", user, permissions)

    def test_full_with_older_landlock(self):
        for version in VERSIONS:
            for permissions in ((), ("audio",), ("network", "audio")):
                self.check("full", users()[-1], permissions, [("landlock-abi", str(version))])
        self.check("full", users()[0], ("network", "audio"), [("landlock-abi", "5")])

    def test_full_without_landlock(self):
        for user in users():
            for permissions in PERMISSIONS:
                self.check("full", user, permissions, [NO_LANDLOCK])

    def test_landlock(self):
        for user in users():
            for permissions in PERMISSIONS:
                self.check("landlock", user, permissions, [NO_NAMESPACES])

    def test_older_landlock(self):
        for version in VERSIONS:
            for permissions in ((), ("network", "audio")):
                self.check("landlock", users()[-1], permissions, [NO_NAMESPACES, ("landlock-abi", str(version))])
        self.check("landlock", users()[0], ("network", "audio"), [NO_NAMESPACES, ("landlock-abi", "5")])

    def test_system_calls_alone(self):
        for user in users():
            for permissions in PERMISSIONS:
                self.check("syscalls", user, permissions, [NO_NAMESPACES, NO_LANDLOCK])

    def test_with_a_report_of_denials(self):
        """What is denied is told to the host, and is denied all the same."""
        reporting = ("report-denied",)
        self.check("landlock", users()[-1], (), [reporting, NO_NAMESPACES, ("landlock-abi", "1")])
        self.check("syscalls", users()[-1], (), [reporting, NO_NAMESPACES, NO_LANDLOCK])
        attack = self.check("full", users()[-1], ("network", "audio"), [reporting])
        told = {line[1] for line in attack.confined if line[0] == "denied"}
        self.assertLessEqual({"file", "socket", "ptrace", "kill", "clone"}, told)

    def test_with_files(self):
        for terms in ((), (NO_LANDLOCK,), (NO_NAMESPACES,)):
            for permissions in (("files",), ("files", "audio")):
                self.check("landlock" if NO_NAMESPACES in terms else "full", users()[-1], permissions, terms)

    def test_with_devices(self):
        """Of a granted device nearly all requests are allowed; none of them helps."""
        for terms in ((), (NO_LANDLOCK,), (NO_NAMESPACES,)):
            level = "landlock" if NO_NAMESPACES in terms else "full"
            self.check(level, users()[-1], (), [("device", "/dev/full"), *terms])

    def test_where_namespaces_are_forbidden(self):
        """In a container that lets nobody make more namespaces."""
        wrapper = ("bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--")
        for permissions in PERMISSIONS:
            attack = self.check("landlock", users()[-1], permissions, wrapper=wrapper)
            self.assertIn(["failed", "unshare", "ENOSPC"], attack.confined)

    def test_without_a_sandbox_the_battery_gets_through(self):
        # As an ordinary user alone: what root could do here would harm the machine.
        attack = self.attack(users()[-1], level="none")
        self.assertEqual(attack.reached_level, "none")
        self.assertEqual(NONE - attack.report.through, set())
        self.assertGreater(len(attack.report.lines), 280)
