"""The files in dbus/ as data."""

import functools
import glob
import os
import re
import xml.etree.ElementTree as ElementTree

END_TO_END = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder of these tests, from which their helpers are imported."""
REPOSITORY = os.path.dirname(os.path.dirname(END_TO_END))
EMITS = "org.freedesktop.DBus.Property.EmitsChangedSignal"
QT_TYPE = "org.qtproject.QtDBus.QtTypeName"
"""Annotations for qdbusxml2cpp, which only the files have; Scripts/qt_types.py writes them."""
MEMBERS = ("method", "property", "signal")


class Member:
    """A method, property or signal, with all that an equal one must have."""

    def __init__(self, element, documentation=""):
        self.kind = element.tag
        self.name = element.get("name")
        self.documentation = documentation
        self.type = element.get("type", "")
        self.access = element.get("access", "")
        default = "out" if self.kind == "signal" else "in"
        self.arguments = [(arg.get("name"), arg.get("type"), arg.get("direction", default))
                          for arg in element.findall("arg")]
        self.annotations = sorted(
            (note.get("name"), note.get("value")) for note in element.findall("annotation")
            if (note.get("name"), note.get("value")) != (EMITS, "true") and not note.get("name").startswith(QT_TYPE))

    @property
    def facts(self):
        return self.kind, self.name, self.type, self.access, self.arguments, self.annotations

    def signature(self, direction):
        return "".join(type for _, type, towards in self.arguments if towards == direction)

    @property
    def errors(self):
        """The errors of the member's `Errors:` list, and those of the lists that it names; None if it has none."""
        listed = self.listed_errors
        return listed and list(dict.fromkeys(error for name in listed for error in error_lists().get(name, [name])))

    @property
    def listed_errors(self):
        """The names in the member's `Errors:` list, as they stand there; None if it has none."""
        found = re.search(r"Errors:(.*)\Z", self.documentation, re.DOTALL)
        return None if not found else [name.strip() for name in found.group(1).split(",") if name.strip()]


class Interface:
    def __init__(self, element, documentation=""):
        self.name = element.get("name")
        self.documentation = documentation
        self.members = []
        comment = ""
        for child in element:
            if child.tag is ElementTree.Comment:
                comment = child.text or ""
            elif child.tag in MEMBERS:
                self.members.append(Member(child, comment))
                comment = ""

    def of_kind(self, kind):
        return [member for member in self.members if member.kind == kind]


def parse(text):
    """The interfaces in an introspection document, by name."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    found, comment = {}, ""
    for element in ElementTree.fromstring(text, parser=parser):
        if element.tag is ElementTree.Comment:
            comment = element.text or ""
        elif element.tag == "interface":
            found[element.get("name")] = Interface(element, comment)
    return found


def public_files():
    """The paths of the files that are installed."""
    return sorted(glob.glob(os.path.join(REPOSITORY, "dbus", "*.xml")))


def private_files():
    """The paths of the protocols that no bus carries."""
    return sorted(glob.glob(os.path.join(REPOSITORY, "dbus", "private", "*.xml")))


def interfaces(paths):
    """Every interface in these files, by name."""
    interfaces = {}
    for name in paths:
        with open(name, encoding="utf-8") as file:
            interfaces.update(parse(file.read()))
    return interfaces


def files():
    """Every interface of the contract, by name."""
    return interfaces(public_files() + private_files())


@functools.cache
def error_lists():
    """The lists of errors that `Errors:` names, which the comment of CallSystem1 has."""
    root = interfaces(public_files())["org.opencallkit.CallSystem1"]
    found = re.findall(r"(?m)^ *`(\w+Errors)`: ((?:[\w.]+,\s+)*[\w.]+)$", root.documentation)
    return {name: errors.replace(",", " ").split() for name, errors in found}


def error_names():
    """The closed list of error names, read from its source file."""
    path = os.path.join(REPOSITORY, "Sources", "Core", "CallModel", "CallError.swift")
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r'case \w+ = "(\w+)"', file.read()))
