#!/usr/bin/python3
"""Annotates the public bus interfaces with the C++ types that qdbusxml2cpp does not know by itself: dictionaries,
structs and most arrays. qt_types.py writes the annotations into dbus/*.xml; --check fails if a file lacks them."""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANNOTATION = "org.qtproject.QtDBus.QtTypeName"
BASIC = {"y": "uchar", "b": "bool", "n": "short", "q": "ushort", "i": "int", "u": "uint", "x": "qlonglong",
         "t": "qulonglong", "d": "double", "s": "QString", "o": "QDBusObjectPath", "g": "QDBusSignature",
         "h": "QDBusUnixFileDescriptor", "v": "QDBusVariant"}
KNOWN = {"ay": "QByteArray", "as": "QStringList", "a{sv}": "QVariantMap"}
"""Types that Qt has a name for."""
NEEDLESS = set(BASIC) | {"ay", "as", "ao"}
"""Types that qdbusxml2cpp knows."""


def first_of(signature):
    """The signature's first complete type, and the rest."""
    if signature[0] == "a":
        element, rest = first_of(signature[1:])
        return "a" + element, rest
    if signature[0] not in "({":
        return signature[0], signature[1:]
    depth = 0
    for end, letter in enumerate(signature):
        depth += (letter in "({") - (letter in ")}")
        if depth == 0:
            return signature[:end + 1], signature[end + 1:]
    raise ValueError(f"{signature} is not a complete type")


def types(signature):
    found = []
    while signature:
        first, signature = first_of(signature)
        found.append(first)
    return found


def name(signature):
    """The C++ type for a D-Bus type. All of them are types that Qt marshals once they are registered."""
    if signature in BASIC:
        return BASIC[signature]
    if signature in KNOWN:
        return KNOWN[signature]
    if signature.startswith("a{"):
        key, value = types(signature[2:-1])
        return f"QMap<{name(key)},{name(value)}>"
    if signature.startswith("a"):
        return f"QList<{name(signature[1:])}>"
    members = types(signature[1:-1])
    if len(members) != 2:
        raise ValueError(f"{signature} has {len(members)} members; Qt has a type for two, and a{{sv}} can grow")
    return "QPair<{},{}>".format(*map(name, members))


def annotated(text):
    """The interface with its annotations; those that it has are replaced."""
    kept = [line for line in text.split("\n") if ANNOTATION not in line]
    lines, pending, counts = [], [], {}
    for line in kept:
        if re.match(r"\s*<(method|signal) ", line):
            pending, counts = [], {"In": 0, "Out": 0}
            default = "out" if "<signal " in line else "in"
        if re.match(r"\s*</(method|signal)>", line):
            lines += pending
        lines.append(line)
        signature = re.search(r'\stype="([^"]+)"', line)
        if not signature or signature.group(1) in NEEDLESS:
            if re.match(r"\s*<arg ", line):
                counts[direction(line, default)] += 1
            continue
        if re.match(r"\s*<property ", line):
            lines.append(note(ANNOTATION, signature.group(1)))
        elif re.match(r"\s*<arg ", line):
            way = direction(line, default)
            pending.append(note(f"{ANNOTATION}.{way}{counts[way]}", signature.group(1)))
            counts[way] += 1
    return "\n".join(lines)


def direction(line, default):
    found = re.search(r'\sdirection="(in|out)"', line)
    return (found.group(1) if found else default).capitalize()


def note(annotation, signature):
    value = name(signature).replace("<", "&lt;").replace(">", "&gt;")
    return f'      <annotation name="{annotation}" value="{value}"/>'


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("usage: qt_types.py [--check]")
    stale = []
    for path in sorted(glob.glob(os.path.join(ROOT, "dbus", "*.xml"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            wanted = annotated(text)
        except ValueError as error:
            sys.exit(f"qt_types.py: {os.path.relpath(path, ROOT)}: {error}")
        if wanted != text:
            stale.append(os.path.relpath(path, ROOT))
            if not check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(wanted)
    if check and stale:
        sys.exit(f"qt_types.py: without the annotations for Qt: {', '.join(stale)}; run make fmt")


if __name__ == "__main__":
    main()
