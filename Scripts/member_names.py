#!/usr/bin/python3
"""Writes the names of members that both sides of an interface spell, from dbus/*.xml, into Swift files.
member_names.py writes the files; --check fails if one differs from the XML."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = "// {title}\n// Written by `make fmt` from dbus/*.xml.\n\n"
FILES = [
    ("Sources/Core/CallModel/CallProperty.swift", "CallProperty", "The names of a call's properties.", [
        (None, None, ["Call1 property", "CallIdentity1 property"])]),
    ("Sources/Core/CallModel/ProviderProperty.swift", "ProviderProperty", "The names of a provider's properties.", [
        (None, None, ["Provider1 property"])]),
    ("Sources/Wire/CallWire/ProviderMember.swift", "ProviderMember",
     "The names of the provider protocol's methods, as both sides spell them.", [
        ("Delegate", "Members of ProviderDelegate1, host to provider.", ["ProviderDelegate1"]),
        ("Accounts", "The member of AccountsDelegate1, host to worker.", ["private/AccountsDelegate1"]),
        ("Worker", "The member of WorkerDelegate1, host to worker.", ["private/WorkerDelegate1"]),
        ("Host", "Members of ProviderHost1, provider to host.", ["ProviderHost1"]),
        ("Directory", "Members of DirectoryHost1, directory to store.", ["private/DirectoryHost1"]),
        ("System", "Members of CallSystem1 and WorkerHost1 that providers use, at the root object.",
         ["private/WorkerHost1", "CallSystem1 method RegisterProvider RequestTransaction"])]),
    ("Sources/Wire/CallWire/PrivateMember.swift", "PrivateMember",
     "The names of the methods that only programs of OpenCallKit call.", [
        ("Store", "Members of Store1, from callkitd to callkit-store and, the signal, back.", ["private/Store1"]),
        ("Contacts", "Methods of ContactsHost1, from callkit-contacts to callkit-store.", ["private/ContactsHost1"]),
        ("Secrets", "Members of Secrets1, from callkitd to callkit-secrets and, the signal, back.",
         ["private/Secrets1"]),
        ("Screener", "The method of Screener1, from callkitd to a client that screens calls.", ["Screener1"]),
        ("AudioAgent", "The methods of AudioAgent1, from callkitd to the audio agent.", ["AudioAgent1"])]),
]
"""Of each file: its type, its title, and its groups: a nested type, what it has, and of which interfaces: all members,
or those of one kind, or those that are named."""


def names(source):
    interface, kind, *wanted = (source if " " in source else source + " (?:method|signal|property)").split()
    folder, name = os.path.split(interface)
    with open(os.path.join(ROOT, "dbus", folder, f"org.opencallkit.{name}.xml"), encoding="utf-8") as file:
        found = re.findall(rf'<{kind} name="(\w+)"', file.read())
    if missing := set(wanted) - set(found):
        sys.exit(f"member_names.py: {interface} has no {kind} {', '.join(sorted(missing))}")
    return [member for member in found if not wanted or member in wanted]


def constants(sources, indent):
    members = [member for source in sources for member in names(source)]
    return "".join(f'{indent}public static let {member[0].lower()}{member[1:]} = "{member}"\n' for member in members)


def text(name, title, groups):
    parts = []
    for group, meaning, sources in groups:
        if group is None:
            parts.append(constants(sources, "    "))
        else:
            parts.append(f"    /// {meaning}\n    public enum {group} {{\n{constants(sources, ' ' * 8)}    }}\n")
    return HEAD.format(title=title) + f"public enum {name} {{\n" + "\n".join(parts) + "}\n"


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("usage: member_names.py [--check]")
    stale = []
    for path, name, title, groups in FILES:
        wanted, place = text(name, title, groups), os.path.join(ROOT, path)
        present = None
        if os.path.exists(place):
            with open(place, encoding="utf-8") as file:
                present = file.read()
        if wanted != present:
            stale.append(path)
            if not check:
                with open(place, "w", encoding="utf-8") as file:
                    file.write(wanted)
    if check and stale:
        sys.exit(f"member_names.py: not as in dbus/*.xml: {', '.join(stale)}; run make fmt")


if __name__ == "__main__":
    main()
