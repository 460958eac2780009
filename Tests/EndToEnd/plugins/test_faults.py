"""Third-party plugins: broken files, workers that crash, hang or misbehave."""

import os
import signal

from gi.repository import GLib

from plugins.case import SILENT, PluginTest
from support.messages import variants
from support.provider import Provider
from support.system import BUILD, CALL, PLUGIN, PROVIDER, ROOT, SYSTEM
from support.waiting import wait_until


class BadFiles(PluginTest):
    """Each is skipped, the bus shows the reason, and a valid plugin beside it works."""

    def check(self, name, reason):
        self.place("Smallest")
        self.wait_ready("Smallest")
        self.wait_for(name, "incompatible")
        self.assertIn(reason, self.property(self.plugin(name), "Error", PLUGIN))
        self.assertEqual(self.property(self.plugin(name), "Pid", PLUGIN), 0)

    def test_text(self):
        self.place("Text", b"I am no shared object\n" * 10)
        self.check("Text", "ELF")

    def test_empty(self):
        self.place("Empty", b"")
        self.check("Empty", "ELF")

    def test_truncated(self):
        """Truncated in its headers, behind its note, or in the sections at its end."""
        library = self.library()
        cuts = {f"Cut{number}": length for number, length in enumerate((16, 100, 1000, len(library) // 2,
                                                                       len(library) - 1))}
        for name, length in cuts.items():
            self.place(name, library[:length])
        for name, length in cuts.items():
            self.check(name, f"is cut off: {length} bytes")

    def test_other_architecture(self):
        data = bytearray(self.library())
        data[18:20] = (8).to_bytes(2, "little")
        self.place("Mips", bytes(data))
        self.check("Mips", "expected")

    def test_no_note(self):
        self.compile("NoNote", "/dev/null")
        self.check("NoNote", "note")

    def test_other_protocol(self):
        data = self.library()
        note = data.index(b"\x0c\0\0\0\x18\0\0\0\x01\0\0\0OpenCallKit\0") + 24
        self.place("Future", data[:note] + (99).to_bytes(4, "little") + data[note + 4:])
        self.check("Future", "99")

    def test_fifo(self):
        os.mkfifo(os.path.join(self.folder, "Fifo.so"))
        self.check("Fifo", "expected")

    def test_folder(self):
        os.mkdir(os.path.join(self.folder, "Folder.so"))
        self.check("Folder", "folder")

    def test_symlink_loop(self):
        os.symlink("Loop.so", os.path.join(self.folder, "Loop.so"))
        self.check("Loop", "symbolic links")

    def test_world_writable(self):
        path = os.path.join(self.folder, "Open.so")
        with open(path + ".new", "wb") as file:
            file.write(self.library())
        os.chmod(path + ".new", 0o777)
        os.rename(path + ".new", path)
        self.check("Open", "anybody can write")

    def test_no_entry(self):
        self.compile("NoEntry", SILENT, "-Dopencallkit_plugin_main=another_name")
        self.check("NoEntry", "entry")


class Misbehaviour(PluginTest):
    """A worker that fails loses its own calls and nothing else."""

    def misbehave(self, how):
        self.place("Misbehaving")
        self.place("Smallest")
        self.wait_ready("Misbehaving")
        self.wait_ready("Smallest")
        other = self.talk("Smallest")
        self.system.call(other, CALL, "SetHeld", "b", True).wait()
        call = self.talk("Misbehaving", conflict="end")
        pid = self.told_of("Misbehaving", "Pid")
        smallest = self.told_of("Smallest", "Pid")
        self.system.call(self.provider("Misbehaving"), PROVIDER, "PerformCustomAction", "sa{sv}", how, variants({}))
        self.wait_told("CallEnded", call, "provider-crashed", "provider")
        wait_until(lambda: self.told_of("Misbehaving", "State") == "ready"
                   and self.told_of("Misbehaving", "Pid") != pid, "it is not back")
        self.assertEqual(self.told_of("Misbehaving", "Restarts"), 1)
        self.assertEqual(self.told_of("Smallest", "Pid"), smallest)
        self.system.wait_ready("Misbehaving")
        self.talk("Misbehaving")

    def test_an_app_does_not_get_the_id_of_a_plugin(self):
        apps = [Provider(self.system, name, f"/app/{number}") for number, name in enumerate(("Smallest", "app_Smallest", ""))]
        self.assertEqual([app.path.rsplit("/", 1)[1] for app in apps], ["app_Smallest", "app_app_Smallest", "app_"])
        self.place("Smallest")
        self.wait_ready("Smallest")
        wait_until(lambda: self.system.shown(self.provider("Smallest"), "State") == "ready", "the plugin has no provider")
        self.assertEqual(self.system.get(self.provider("Smallest"), PROVIDER, "Plugin"), self.plugin("Smallest"))

    def test_segmentation_fault(self):
        self.misbehave("segfault")

    def test_trap(self):
        self.misbehave("trap")
        self.assertRegex(self.system.read_log(), "warning.* plugin Misbehaving: its worker ended by signal [45] "
                         r"\(SIG(ILL|TRAP)\): Fatal error: Index out of range; it is started again")

    def test_exit(self):
        self.misbehave("exit")

    def test_hang(self):
        self.misbehave("hang")

    def test_garbage(self):
        self.misbehave("garbage")

    def test_removed_while_it_hangs(self):
        path = self.place("Misbehaving")
        self.wait_ready("Misbehaving")
        descriptor = os.pidfd_open(int(self.told_of("Misbehaving", "Pid")))
        self.addCleanup(os.close, descriptor)
        ended = []
        GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, descriptor, GLib.IOCondition.IN, lambda *_: ended.append(True))
        self.system.call(self.provider("Misbehaving"), PROVIDER, "PerformCustomAction", "sa{sv}", "hang", variants({}))
        os.unlink(path)
        wait_until(lambda: ended, "its process goes on")

    def test_enabling_a_plugin_that_crashes_again_fails(self):
        """callctl waits for the outcome."""
        self.compile("Crash", SILENT, "-DCRASH")
        self.wait_for("Crash", "quarantined")
        output = self.system.run(f"{BUILD}/callctl", "plugins", "enable", "Crash")
        self.assertEqual((output.status, output.text), (1, ""))
        self.assertIn("callctl: Crash is quarantined again: 3 crashes in 60 s", output.errors)

    def test_three_crashes_and_quarantine(self):
        self.place("Misbehaving")
        for _ in range(3):
            self.wait_ready("Misbehaving")
            pid = self.told_of("Misbehaving", "Pid")
            os.kill(int(pid), signal.SIGSEGV)
            wait_until(lambda: self.told_of("Misbehaving", "Pid") != pid, "it goes on")
        self.wait_for("Misbehaving", "quarantined")
        self.assertIn("3", self.told_of("Misbehaving", "Error"))
        self.set_enabled("Misbehaving", True)
        self.wait_ready("Misbehaving")


class Storms(PluginTest):
    # So few that the slowest machine has more.
    arguments = ("--updates-per-second", "5")

    def test_changes_without_end(self):
        self.place("Misbehaving")
        self.place("Smallest")
        self.wait_ready("Misbehaving")
        self.wait_ready("Smallest")
        kept = self.talk("Smallest")
        provider = self.provider("Misbehaving")
        self.system.call(provider, PROVIDER, "PerformCustomAction", "sa{sv}", "storm", variants({})).result()
        wait_until(lambda: self.told_of("Misbehaving", "State") == "quarantined", "it is not quarantined")
        self.assertIn("over 5 updates a second", self.told_of("Misbehaving", "Error"))
        self.assertEqual(len(self.system.told("Anomaly", "update-storm", provider)), 1)
        self.system.wait_logged("plugin Misbehaving is quarantined")
        self.assertEqual(self.system.get(ROOT, SYSTEM, "Health")["quarantined"], ["Misbehaving"])
        doctor = self.system.run(f"{BUILD}/callctl", "doctor")
        self.assertEqual(doctor.status, 1)
        self.assertRegex(doctor.text, r"plugin Misbehaving is quarantined: its provider Misbehaving reported")
        self.assertIn("callctl plugins restart Misbehaving", " ".join(doctor.text.split()))
        self.assertEqual(self.system.get(kept, CALL, "State"), "active")


class IdleHang(PluginTest):
    arguments = ("--worker-ping-period", "100")

    def test_a_stopped_worker_is_found_and_named(self):
        """Nothing is asked of it but whether it is alive."""
        self.place("Smallest")
        self.wait_ready("Smallest")
        pid = self.told_of("Smallest", "Pid")
        os.kill(int(pid), signal.SIGSTOP)
        wait_until(lambda: self.told_of("Smallest", "Pid") not in (0, pid)
                   and self.told_of("Smallest", "State") == "ready", "it is not started again")
        self.assertEqual(self.told_of("Smallest", "Restarts"), 1)
        self.assertRegex(self.system.read_log(),
                         "warning.* plugin Smallest: its worker hung: a ping was not answered in 2000 ms; it is started again")


class NoHello(PluginTest):
    deadlines = {"hello": 200}

    def test_worker_that_never_says_hello(self):
        self.compile("Silent", SILENT)
        self.wait_for("Silent", "quarantined")
        self.assertIn("hello", self.told_of("Silent", "Error"))
