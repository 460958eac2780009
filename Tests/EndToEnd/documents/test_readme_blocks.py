"""The blocks of the README and of the guide beside callctl's commands (desktop/test_guide.py), the smallest plugin
(ReadmeTests.swift) and the smallest client (clients/test_examples.py): each runs as it is printed, and none is left
out."""

import os
import re
import shlex
import subprocess
import unittest

from daemon.program import leave
from support.case import SystemTest
from support.directories import DirectoryTest
from support.monitor import Monitor
from support.provider import Provider
from support.system import BUILD, REPOSITORY, ROOT, SYSTEM, System


def text(*path):
    with open(os.path.join(REPOSITORY, *path), encoding="utf-8") as file:
        return file.read()


README, GUIDE = text("README.md"), text("docs", "guide.md")
TEXT = README + GUIDE
FENCED = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def lines():
    """The lines of the indented blocks, without the picture of the architecture, which is indented further."""
    return re.findall(r"^    (\S.*)$", FENCED.sub("", TEXT), re.MULTILINE)


def commands(program):
    found = [shlex.split(line, comments=True) for line in lines() if line.split()[0] == program]
    assert found, program
    return found


class Blocks(unittest.TestCase):
    def test_every_line_has_a_test(self):
        tested = {"callctl", "callkitd", "dbus-monitor", "make"}
        # These need a repository's address, a session of systemd, or are lines of the configuration file.
        others = {"git", "systemctl", "#", "policy", "deadline", "contacts"}
        self.assertLessEqual({line.split()[0] for line in lines()}, tested | others)
        for page, languages in ((README, ["text", "swift", "python"]), (GUIDE, ["swift"])):
            self.assertEqual([language for language, _ in FENCED.findall(page)], languages)

    def test_the_readme_can_be_read_at_once(self):
        self.assertLessEqual(len(README.splitlines()), 160)

    def test_every_target_exists(self):
        with open(os.path.join(REPOSITORY, "Makefile"), encoding="utf-8") as file:
            text = file.read()
        parts = re.search(r"^PARTS := (.*)$", text, re.MULTILINE)[1].split()
        targets = re.findall(r"^([\w-]+):", text, re.MULTILINE) + [f"test-{part}" for part in parts]
        named = {words[1] for words in commands("make")} | set(re.findall(r"`make (\w+)", TEXT))
        self.assertGreaterEqual(named, {"demo", "try", "test", "install", "uninstall", "help"})
        self.assertLessEqual(named, set(targets))

    def test_the_unit_that_systemctl_starts_is_installed(self):
        for words in commands("systemctl"):
            self.assertTrue(os.path.exists(os.path.join(REPOSITORY, "dbus", f"{words[-1]}.service.in")))


class Daemon(SystemTest):
    def test_its_options(self):
        for words in commands("callkitd"):
            record = os.path.join(self.system.folder.name, "record")
            with self.subTest(command=" ".join(words)), System(
                    *(record if word == "FILE" else word for word in words[1:])) as system:
                self.assertEqual(system.get(ROOT, SYSTEM, "Policy"), "ios" if "--policy" in words else "desktop")
                self.assertEqual(os.path.exists(record), "--record" in words)

    def test_its_configuration_file(self):
        file, = re.findall(r"^    # ~/\.config/opencallkit/callkitd\.conf\n((?:    .+\n)+)", TEXT, re.MULTILINE)
        folder = os.path.join(self.system.folder.name, "config", "opencallkit")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "callkitd.conf"), "w", encoding="utf-8") as copy:
            copy.write(re.sub("(?m)^    ", "", file))
        leave(self.system)
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.assertEqual(self.property(ROOT, "Policy", SYSTEM), "ios")
        self.assertEqual(self.property(ROOT, "Deadlines", SYSTEM)["answer"], 8000)


class Watching(SystemTest):
    def test_the_line_shows_signals_only_and_nobody(self):
        words, = commands("dbus-monitor")
        provider = Provider(self.system)
        monitor = Monitor(self.system, words[1])
        self.addCleanup(monitor.close)
        call = provider.incoming(handle=("phone-number", "+15557770123"), localized_caller_name="Zacharias")
        provider.remote_end(call).result()
        text = monitor.text("member=InterfacesRemoved")
        for member in ("InterfacesAdded", "PropertiesChanged", "CallEnded"):
            self.assertIn(f"member={member}", text)
        self.assertNotRegex(text, "(?m)^(method|error)")
        for identity in ("Zacharias", "5557770123"):
            self.assertNotIn(identity, text)


class CallDirectory(DirectoryTest):
    arguments = ("--deadline", "load=30000", "--region", "SE")

    def test_it_blocks_and_names_callers(self):
        self.build("Spam", next(code for language, code in FENCED.findall(TEXT) if "class Spam" in code))
        self.wait_extension("Spam")
        self.enable("Spam")
        self.assertEqual(self.blocked("+46900111222"), (True, "Spam"))
        self.assertEqual(self.identified("+46812345678"), ("Dentist", "Spam"))
        self.assertEqual(self.blocked("+46812345678"), (False, ""))

    def build(self, name, code):
        """Compiles a plugin with the SDK of the build folder, and puts it into the folder of plugins."""
        work = os.path.join(self.system.folder.name, name)
        os.mkdir(work)
        with open(os.path.join(work, f"{name}.swift"), "w", encoding="utf-8") as file:
            file.write(code)
        with open(os.path.join(BUILD, "TutorialDirectory.product", "Objects.LinkFileList"), encoding="utf-8") as file:
            objects = [line for line in file if "/TutorialDirectory.build/" not in line]
        with open(os.path.join(work, "objects"), "w", encoding="utf-8") as file:
            file.writelines(objects)
        flags = subprocess.run(["pkg-config", "--cflags-only-I", "dbus-1"], check=True, capture_output=True, text=True)
        includes = [word for flag in flags.stdout.split() for word in ("-Xcc", flag)]
        for module in ("CDBus", "CSystem"):
            includes += ["-I", os.path.join(REPOSITORY, "Sources", "Ground", module)]
        done = subprocess.run(
            ["swiftc", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-module-name", name,
             "-I", os.path.join(BUILD, "Modules"), *includes, "-emit-library", "-o", f"{name}.so", f"{name}.swift",
             "-ldbus-1", "-Xlinker", "@objects"],
            cwd=work, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(os.path.join(work, f"{name}.so"), "rb") as file:
            self.place(name, file.read())


del DirectoryTest, SystemTest
