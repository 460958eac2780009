"""Plugins that take more than their share, and machines that confine less."""

import os
import shutil
import tempfile
import unittest

from plugins.case import UNPRIVILEGED
from plugins.consent import AskingTest
from support.system import BUILD, PLUGIN
from support.waiting import wait_until


class GreedyTest(AskingTest):
    deadlines = {"hello": 60_000}

    def take(self, mode):
        self.bundle(None, "Greedy", library=self.compiled("Greedy/greedy.c", f"-DMODE={mode}"))


class Bounds(GreedyTest):
    """The bounds where there are no control groups: the daemon looks at what a worker takes. It looks so
    seldom that a plugin has what it takes before it was busy for two periods."""

    arguments = ("--worker-ping-period", "1000")

    def exceeds(self, mode, reason):
        self.take(mode)
        self.wait_for("Greedy", "quarantined")
        self.assertIn(reason, self.shows("Greedy", "Error"))
        wait_until(lambda: self.told_of("Greedy", "Pid") == 0, "its worker runs on")

    def test_memory(self):
        self.exceeds("MEMORY", "MiB of memory, at most 512 MiB are allowed")

    def test_files_that_have_no_name(self):
        self.exceeds("NAMELESS", "MiB of memory, at most 512 MiB are allowed")

    def test_memory_of_a_process_without_its_first_thread(self):
        self.exceeds("HIDDEN_MEMORY", "MiB of memory, at most 512 MiB are allowed")

    def test_nameless_files_of_a_process_without_its_first_thread(self):
        self.exceeds("HIDDEN_NAMELESS", "MiB of memory, at most 512 MiB are allowed")

    def test_a_disk(self):
        self.exceeds("DISK", "MiB in its folders, at most 256 MiB are allowed; callctl plugins forget Greedy removes them")
        self.forget("Greedy").result()
        self.wait_for("Greedy", "starting")

    def test_many_files(self):
        folder = self.state_folder("Greedy")
        os.makedirs(folder, mode=0o700)
        for number in range(20_001):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
        self.exceeds("NOTHING", "more than 20000 files in its folders")
        self.forget("Greedy").result()
        self.wait_for("Greedy", "starting")
        self.assertEqual([name for name in os.listdir(folder) if name.isdigit()], [])

    def test_a_large_file(self):
        self.exceeds("LARGE_FILE", "3 crashes in 60 s, the last: was ended because it wrote a file that is too large")
        self.forget("Greedy").result()

    def test_who_takes_nothing_stays(self):
        self.bundle()
        self.take("NOTHING")
        self.wait_ready("Smallest")
        call = self.talk("Smallest")
        self.system.wait_logged("greedy has it")
        self.assertState(call, "active")
        self.assertEqual(self.told_of("Greedy", "State"), "starting")


class ProcessorTime(GreedyTest):
    arguments = ("--worker-ping-period", "300")

    @unittest.skipIf(os.geteuid(), "on a busy machine, only root's test can give the worker a processor")
    def test_processor_time_without_a_call(self):
        self.take("PROCESSOR")
        for _ in range(2):
            self.wait_for("Greedy", "starting")
            self.take_part_first(wait_until(lambda: self.told_of("Greedy", "Pid"), "it has no worker"))
            self.wait_for("Greedy", "quarantined")
            self.assertIn("% of a processor all the time, at most 75 % are allowed", self.shows("Greedy", "Error"))
            self.system.call(self.plugin("Greedy"), PLUGIN, "Restart").result()

    @staticmethod
    def take_part_first(pid):
        """Gives a process the processor that it wants, on a machine that is busy with other things."""
        os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(1))


class ClosedFolders(GreedyTest):
    """Who owns a folder can close it even to itself, and open it again."""

    arguments = ("--worker-ping-period", "300")
    wrapper = UNPRIVILEGED

    def closed(self, mode, count):
        """A folder of the plugin with these rights, and files in it."""
        folder = f"{self.state_folder('Greedy')}/closed"
        os.makedirs(folder, mode=0o700)
        for number in range(count):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
        os.chmod(folder, mode)

    def test_files_in_a_folder_that_is_not_searched_are_counted(self):
        for mode in (0o400, 0):
            with self.subTest(mode=oct(mode)):
                self.closed(mode, 20_001)
                self.take("NOTHING")
                self.wait_for("Greedy", "quarantined")
                self.assertIn("files in its folders", self.shows("Greedy", "Error"))
                self.forget("Greedy").result()
                self.assertFalse(os.path.exists(f"{self.state_folder('Greedy')}/closed"))
                shutil.rmtree(f"{self.own}/Greedy.callplugin")
                wait_until(lambda: self.plugin("Greedy") not in self.system.objects, "the plugin stays")

    def test_a_folder_that_cannot_be_written_is_removed(self):
        for mode in (0o500, 0o400):
            with self.subTest(mode=oct(mode)):
                self.closed(mode, 2)
                self.take("NOTHING")
                self.wait_for("Greedy", "starting")
                self.forget("Greedy").result()
                self.assertFalse(os.path.exists(f"{self.state_folder('Greedy')}/closed"))


def unified():
    """Where the control groups of version 2 are mounted; nothing if they are not."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        mounts = [line.split() for line in file]
    return next((fields[4] for fields in mounts if fields[fields.index("-") + 1] == "cgroup2"), None)


@unittest.skipUnless(unified() and os.access(unified(), os.W_OK), "takes a control group of its own")
class Groups(GreedyTest):
    """A daemon that was handed a control group, with the controllers that this machine has there. Without namespaces,
    nothing else bounds the threads."""

    arguments = ("--log-level", "info", "--sandbox-without", "namespaces")

    def setUp(self):
        self.group = tempfile.mkdtemp(prefix="opencallkit-", dir=unified())
        self.addCleanup(self.remove_group)
        self.wrapper = ("sh", "-c", f'echo $$ > {self.group}/cgroup.procs && exec "$0" "$@"')
        super().setUp()

    def remove_group(self):
        for folder, _, _ in os.walk(self.group, topdown=False):
            os.rmdir(folder)

    def read(self, name):
        with open(os.path.join(self.group, name), encoding="ascii") as file:
            return file.read().split()

    def needs_controllers(self):
        offered = self.read("cgroup.controllers")
        if not {"memory", "pids", "cpu"} <= set(offered):
            self.skipTest(f"version 2 of the control groups has these controllers here: {' '.join(offered) or 'none'}")

    def test_a_worker_is_bounded(self):
        self.needs_controllers()
        self.bundle()
        self.wait_ready("Smallest")
        self.assertEqual(self.read("callkitd/cgroup.procs")[0], str(self.pid))
        self.assertEqual(self.read("plugin-Smallest/cgroup.procs"), [str(self.shows("Smallest", "Pid"))])
        self.assertEqual(self.read("plugin-Smallest/memory.max"), [str(512 << 20)])
        self.assertEqual(self.read("plugin-Smallest/pids.max"), ["128"])
        self.assertEqual(self.read("plugin-Smallest/cpu.weight"), ["20"])

    def test_without_controllers_a_worker_is_watched(self):
        if {"memory", "pids"} <= set(self.read("cgroup.controllers")):
            self.skipTest("version 2 of the control groups has controllers here")
        self.bundle()
        self.wait_ready("Smallest")
        self.system.wait_logged("workers have no control groups, and are watched instead")
        self.assertIn(str(self.shows("Smallest", "Pid")), self.read("cgroup.procs"))

    def test_the_kernel_ends_a_worker_that_takes_too_much_memory(self):
        self.needs_controllers()
        self.take("MEMORY")
        self.wait_for("Greedy", "quarantined")
        self.assertEqual(self.shows("Greedy", "Error"),
                         "its worker was ended by the kernel: it took more than 512 MiB of memory")
        wait_until(lambda: not os.path.exists(f"{self.group}/plugin-Greedy"), "its group is still there")

    def test_a_group_goes_with_its_worker(self):
        self.needs_controllers()
        self.take("NOTHING")
        first = self.running("Greedy")
        self.system.call(self.plugin("Greedy"), PLUGIN, "Restart").result()
        # The second worker's group has the name of the first one's.
        self.running("Greedy", besides=first)
        shutil.rmtree(os.path.join(self.own, "Greedy.callplugin"))
        wait_until(lambda: not os.path.exists(f"{self.group}/plugin-Greedy"), "its group is still there")

    def test_threads_are_bounded(self):
        self.needs_controllers()
        self.take("THREADS")
        self.system.wait_logged("greedy has 128 threads")

    def running(self, name, besides=0):
        """The number of the worker, once the daemon shows another one than `besides`."""
        wait_until(lambda: self.told_of(name, "Pid") not in (None, 0, besides), "it is not started")
        return self.told_of(name, "Pid")


class Unconfined(AskingTest):
    arguments = ("--no-sandbox", "Smallest", "--no-sandbox", "Other")

    def test_it_is_shown_and_in_the_log(self):
        self.bundle(self.asks("network"))
        self.wait_for("Smallest", "needs-consent")
        self.grant("Smallest", "network").result()
        self.wait_ready("Smallest")
        self.assertEqual(self.shows("Smallest", "Sandbox"), "none")
        self.system.wait_logged("plugin Smallest runs without a sandbox")
        self.bundle(name="Third")
        self.wait_ready("Third")
        self.assertIn(self.shows("Third", "Sandbox"), ("full", "landlock"))

    def test_it_is_not_kept(self):
        self.bundle()
        self.wait_ready("Smallest")
        self.assertEqual(self.shows("Smallest", "Sandbox"), "none")
        self.system.arguments = self.system.arguments[:2]
        self.restart_daemon()
        self.wait_ready("Smallest")
        self.assertIn(self.shows("Smallest", "Sandbox"), ("full", "landlock"))

    def test_no_file_turns_the_sandbox_off(self):
        self.system.daemon.terminate()
        self.system.daemon.wait()
        folder = os.path.join(self.system.folder.name, "config", "opencallkit")
        os.makedirs(folder, exist_ok=True)
        for line in ("no-sandbox = Smallest\n", "sandbox-without = landlock\n"):
            with open(os.path.join(folder, "callkitd.conf"), "w", encoding="utf-8") as file:
                file.write(line)
            output = self.system.run(f"{BUILD}/callkitd", "--address", self.system.address)
            self.assertEqual(output.status, 64)
            self.assertIn("unknown key", output.errors)
        os.unlink(os.path.join(folder, "callkitd.conf"))
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.start_daemon()
        self.pid = self.system.daemon.pid


class WithoutNamespaces(AskingTest):
    arguments = ("--sandbox-without", "namespaces")

    def test_landlock_confines(self):
        self.bundle(self.asks("network"))
        self.wait_for("Smallest", "needs-consent")
        self.grant("Smallest", "network").result()
        self.wait_ready("Smallest")
        self.assertEqual(self.shows("Smallest", "Sandbox"), "landlock")
        self.assertIn("file-names", self.words("Smallest", "SandboxGaps"))
        self.system.wait_logged("plugin Smallest is confined at the level landlock")


class WithoutBoth(AskingTest):
    arguments = ("--sandbox-without", "namespaces", "--sandbox-without", "landlock")

    def test_the_users_plugins_do_not_start_and_packaged_ones_do(self):
        self.bundle()
        self.bundle(name="Packaged", folder=self.folder)
        self.wait_ready("Packaged")
        self.assertEqual(self.shows("Packaged", "Sandbox"), "syscalls")
        self.assertIn("file-contents", self.words("Packaged", "SandboxGaps"))
        self.wait_for("Smallest", "incompatible")
        self.assertIn("this machine cannot confine it", self.shows("Smallest", "Error"))
        self.assertIn("plugins in the user's folder need namespaces or Landlock", self.shows("Smallest", "Error"))
        self.assertEqual(self.shows("Smallest", "Pid"), 0)
