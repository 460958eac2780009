"""What goes wrong while a worker starts or ends: the file that was checked, the policy, the guard, the host."""

import os
import select
import shutil
import unittest

from sandbox.battery import DIRECTORY_LIBRARY, Report, Targets
from sandbox.host import Worker
from support.waiting import GIVE_UP

LEVELS = ((), (("without", "landlock"),), (("without", "namespaces"),))


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(number) for number in file.read().split()]


class RaceTest(unittest.TestCase):
    def setUp(self):
        self.targets = Targets(os.geteuid())
        self.addCleanup(self.targets.__exit__)
        self.folder = self.targets.folder
        self.state = f"{self.folder}/state"

    def start(self, terms=(), demand="syscalls", **options):
        policy = [("demand", demand), ("read", f"{self.folder}/bundle"), ("read", f"{self.folder}/worker"),
                  ("write", self.state), ("environment", "HOME", self.state), *terms]
        worker = Worker(f"{self.folder}/worker/callkit-worker", f"{self.folder}/bundle/Battery.so", policy, **options)
        self.addCleanup(worker.__exit__)
        return worker

    def wait_ended(self, descriptor):
        """Waits until this process, told by its descriptor, has ended."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        self.assertTrue(poll.poll(GIVE_UP * 1_000), "it runs on")
        os.close(descriptor)


class ExchangedBundle(RaceTest):
    """The library is exchanged after it was checked: the file that was checked is loaded, or none."""

    def test_the_checked_file_is_loaded(self):
        library = f"{self.folder}/bundle/Battery.so"

        def exchange():
            # This one has another entry.
            shutil.copy(DIRECTORY_LIBRARY, f"{library}.new")
            os.rename(f"{library}.new", library)
        for number, terms in enumerate(LEVELS):
            with self.subTest(terms=terms):
                shutil.copy(f"{self.folder}/outside/library.so", library)
                self.state = f"{self.folder}/state-{number}"
                os.mkdir(self.state)
                self.targets.write(self.state, only="check")
                status, said = self.start(terms, before_policy=exchange).end()
                self.assertEqual((status, said), (0, ""))
                self.assertTrue(Report(self.targets, self.state).is_complete)


class NotConfined(RaceTest):
    """Without the sandbox that is demanded, no code of the plugin runs."""

    NOT_CONFINED = 68
    NO_NAMESPACES, NO_LANDLOCK = ("without", "namespaces"), ("without", "landlock")

    def check(self, terms, **options):
        self.targets.write(self.state)
        status, said = self.start(terms, **options).end()
        self.assertEqual(status, self.NOT_CONFINED, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertFalse(os.path.exists(f"{self.state}/report"))

    def test_a_level_that_cannot_be_had(self):
        self.check([self.NO_NAMESPACES], demand="full")
        self.check([self.NO_NAMESPACES, self.NO_LANDLOCK], demand="full")
        self.check([self.NO_NAMESPACES, self.NO_LANDLOCK], demand="landlock")

    def test_a_policy_that_is_not_understood(self):
        for line in (("everything",), ("network", "yes"), ("demand", "none"), ("write", "state"), ("",),
                     ("write", "/tmp/../etc"), ("read", "/tmp//x"), ("read", "/\0/etc"), ("without", "seccomp"),
                     ("socket", "/tmp", "/run/x", "../bus"), ("landlock-abi", "-1")):
            with self.subTest(line=line):
                self.check([line])


class Ends(RaceTest):
    """Nothing of a worker outlives its host or its guard."""

    def check(self, *terms):
        self.targets.write(self.state, only="check", stay="1")
        worker = self.start(terms)
        worker.wait_confined()
        process = (children(worker.process.pid) or [worker.process.pid])[0]
        self.assertEqual(process != worker.process.pid, "socket" in [term[0] for term in terms])
        return worker, os.pidfd_open(process)

    def guarded(self):
        return ("without", "namespaces"), ("socket", f"{self.folder}/runtime/pulse", "/run/opencallkit/pulse", "native")

    def test_a_guard_is_killed(self):
        worker, descriptor = self.check(*self.guarded())
        worker.process.kill()
        self.wait_ended(descriptor)

    def test_a_guard_is_asked_to_end(self):
        worker, descriptor = self.check(*self.guarded())
        worker.process.terminate()
        self.wait_ended(descriptor)
        self.assertEqual(worker.process.wait(GIVE_UP), -9)

    def test_the_host_hangs_up(self):
        for terms in ((), self.guarded()):
            worker, descriptor = self.check(*terms)
            worker.link.close()
            self.wait_ended(descriptor)
