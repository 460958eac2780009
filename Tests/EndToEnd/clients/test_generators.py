"""Code generators accept every public interface, and the code that they write compiles."""

import os
import re
import shlex
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from support import contract

GDBUS = ["gdbus-codegen", "--interface-prefix", "org.opencallkit.", "--c-namespace", "OpenCallKit"]


def run(*command, folder=None):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise AssertionError(f"{shlex.join(command)} ends with {done.returncode}\n{done.stdout}")
    return done.stdout


def flags(*packages):
    return shlex.split(run("pkg-config", "--cflags", *packages))


def words(text):
    """The text without spaces and marks: what a generator must not lose, however it sets it."""
    return re.sub(r"\W+", "", text)


class References(unittest.TestCase):
    """gdbus-codegen's references have every comment. It reads one only in its own form: the name first, then a line for
    an argument each, then the text."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-references-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.contract = contract.files()
        self.assertGreaterEqual(len(self.contract), 28)

    def references(self, kind, suffix):
        """What is written for each interface, by its name."""
        said = run("gdbus-codegen", f"--generate-{kind}", "reference", *contract.public_files(),
                   *contract.private_files(), folder=self.folder)
        self.assertEqual(said, "")
        for name in self.contract:
            with open(os.path.join(self.folder, f"reference-{name}.{suffix}"), encoding="utf-8") as file:
                yield name, file.read()

    def check(self, name, text, left_out=()):
        """The text has all comments of the interface, without the lines of the arguments that are `left_out`."""
        interface = self.contract[name]
        text = words(text)
        for element in [interface, *interface.members]:
            comment = element.documentation.strip()
            self.assertTrue(comment.startswith(f"{element.name}:"), f"{name}: {element.name} is not named first")
            for line in comment.removeprefix(f"{element.name}:").split("\n"):
                argument = re.match(r" +@([\w-]+): (.+)", line)
                if argument and (element.name, argument[1]) in left_out:
                    continue
                said = argument[2] if argument and argument[1] != "short_description" else line
                self.assertIn(words(said.replace("@short_description", "")), text, f"{name}: {element.name}")

    def test_docbook(self):
        for name, text in self.references("docbook", "xml"):
            document = ElementTree.fromstring(text)
            self.check(name, "".join(document.itertext()))

    def test_restructured_text(self):
        # It does not print what is said of the results of a method.
        for name, text in self.references("rst", "rst"):
            results = {(member.name, argument) for member in self.contract[name].of_kind("method")
                       for argument, _, direction in member.arguments if direction == "out"}
            self.check(name, text, results)


class Bindings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-bindings-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.files = contract.public_files()
        self.assertGreaterEqual(len(self.files), 12)

    def write(self, name, lines):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        return name

    def test_the_types_for_qt_are_written_in_the_files(self):
        run("/usr/bin/python3", os.path.join(contract.REPOSITORY, "Scripts", "qt_types.py"), "--check")

    def test_glib(self):
        said = run(*GDBUS, "--generate-c-code", "bindings", *self.files, folder=self.folder)
        self.assertEqual(said, "")
        run("gcc", "-Wall", "-Werror", *flags("gio-unix-2.0"), "-c", "bindings.c", folder=self.folder)
        symbols = run("nm", "--defined-only", "bindings.o", folder=self.folder)
        for interface in contract.interfaces(self.files).values():
            for method in interface.of_kind("method"):
                called = f"open_call_kit_{snake(interface.name.rsplit('.', 1)[1])}_call_{snake(method.name)}_sync"
                self.assertIn(f" {called}\n", symbols, f"{interface.name}.{method.name}")

    def test_qt_clients(self):
        self.compile_for_qt("-p", self.files)
        symbols = run("nm", "--demangle", "bindings.o", folder=self.folder)
        for interface in contract.interfaces(self.files):
            self.assertIn(f"OrgOpencallkit{interface.rsplit('.', 1)[1]}Interface::staticMetaObject", symbols)

    def test_qt_providers_screeners_and_audio_agents(self):
        served = [path for path in self.files if re.search(r"\.(ProviderDelegate1|Screener1|AudioAgent1)\.xml$", path)]
        self.assertEqual(len(served), 3)
        # The bodies of methods with several results are left to be written.
        self.compile_for_qt("-a", served, "-Wno-return-type")
        symbols = run("nm", "--demangle", "bindings.o", folder=self.folder)
        self.assertIn(" ProviderDelegate1Adaptor::Perform(", symbols)
        self.assertIn(" Screener1Adaptor::Screen(", symbols)
        self.assertIn(" AudioAgent1Adaptor::Prepare(", symbols)

    def compile_for_qt(self, option, files, *warnings):
        included = []
        for index, path in enumerate(files):
            self.assertEqual(run("qdbusxml2cpp", option, f"part{index}", path, folder=self.folder), "", path)
            run("moc", f"part{index}.h", "-o", f"part{index}_moc.cpp", folder=self.folder)
            included += [f"part{index}.cpp", f"part{index}_moc.cpp"]
        self.write("bindings.cpp", [f'#include "{name}"' for name in included])
        run("g++", "-fPIC", "-Wall", "-Werror", *warnings, *flags("Qt5DBus"), "-c", "bindings.cpp", folder=self.folder)


def snake(name):
    """gdbus-codegen's spelling: CallDTMF is call_dtmf."""
    words = ""
    for index, letter in enumerate(name):
        if letter.isupper() and index and (not name[index - 1].isupper() or name[index + 1:index + 2].islower()):
            words += "_"
        words += letter.lower()
    return words
