#!/usr/bin/python3
"""Writes the reference of the bus as HTML: one page per interface and an index, from the comments in dbus/*.xml.

Usage: bus-reference.py OUT_DIR
"""

import glob
import html
import os
import re
import sys
import textwrap
import xml.etree.ElementTree as ElementTree

CONTRACT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dbus")
KINDS = {"method": "Methods", "signal": "Signals", "property": "Properties"}
STYLE = """
body { max-width: 60em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif; color: #222; background: #fff; }
pre { white-space: pre-wrap; font: 14px/1.45 monospace; } code { font: 14px monospace; }
h3 { margin-bottom: 0; border-top: 1px solid #ccc; padding-top: 1em; } a { color: #05a; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b; } a { color: #8bf; } }
"""


def interfaces():
    """The interfaces in dbus/*.xml by name: the comment at the top, and the members with their comments."""
    found = {}
    for path in sorted(glob.glob(os.path.join(CONTRACT, "*.xml"))):
        parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
        comment = ""
        for element in ElementTree.parse(path, parser).getroot():
            if element.tag is ElementTree.Comment:
                comment = element.text
            elif element.tag == "interface":
                found[element.get("name")] = dedent(comment), members(element)
    return found


def members(interface):
    found, comment = [], ""
    for child in interface:
        if child.tag is ElementTree.Comment:
            comment = child.text
        elif child.tag in KINDS:
            found.append((child, dedent(comment)))
            comment = ""
    return found


def dedent(comment):
    return textwrap.dedent(comment or "").strip()


def signature(member):
    name = member.get("name")
    if member.tag == "property":
        access = {"read": "", "readwrite": ", can be set", "write": ", can only be set"}[member.get("access")]
        return f"{name} {member.get('type')}{access}"
    shown = {"in": [], "out": []}
    for argument in member.findall("arg"):
        direction = argument.get("direction", "in" if member.tag == "method" else "out")
        shown[direction].append(f"{argument.get('name')} {argument.get('type')}")
    if member.tag == "signal":
        return f"{name}({', '.join(shown['out'])})"
    return f"{name}({', '.join(shown['in'])}) → ({', '.join(shown['out'])})"


def linked(text, names):
    """The text as HTML. Names of interfaces are links to their pages."""
    def link(match):
        return f'<a href="{match[0]}.html">{match[0]}</a>' if match[0] in names else match[0]
    return re.sub(r"org\.opencallkit\.\w+", link, html.escape(text))


def page(title, body):
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
            f"<style>{STYLE}</style></head><body>\n<h1>{html.escape(title)}</h1>\n{body}</body></html>\n")


def interface_page(name, comment, own, names):
    body = f'<p><a href="index.html">All interfaces</a></p>\n<pre>{linked(comment, names)}</pre>\n'
    for kind, heading in KINDS.items():
        of_kind = [(member, text) for member, text in own if member.tag == kind]
        if of_kind:
            body += f"<h2>{heading}</h2>\n"
        for member, text in of_kind:
            body += (f'<h3 id="{member.get("name")}"><code>{html.escape(signature(member))}</code></h3>\n'
                     f"<pre>{linked(text, names)}</pre>\n")
    return page(name, body)


def index_page(found):
    rows = ""
    for name, (comment, own) in found.items():
        summary = " ".join(comment.split("\n\n")[0].split()).removeprefix(f"{name}: ")
        links = " ".join(f'<a href="{name}.html#{m.get("name")}">{m.get("name")}</a>' for m, _ in own)
        rows += f'<h3><a href="{name}.html">{name}</a></h3>\n<p>{html.escape(summary)}</p>\n<p>{links}</p>\n'
    return page("OpenCallKit on D-Bus", rows)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    found = interfaces()
    pages = {name: interface_page(name, *content, found) for name, content in found.items()}
    for name, text in {**pages, "index": index_page(found)}.items():
        with open(os.path.join(sys.argv[1], f"{name}.html"), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"bus reference: {len(found)} interfaces in {sys.argv[1]}")


if __name__ == "__main__":
    main()
