#!/usr/bin/python3
"""Writes manual pages of files, formats and the bus, from the documents and from dbus/*.xml, with lowdown.

Usage: format-pages.py DATE SHARE
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Scripts" / "site"))
import bus_pages

# Of each page: its name and section, what it is, and the parts of documents that it has: a document, and the heading of
# the part, or nothing for the whole.
PAGES = {
    ("callkitd.conf", 5): ("options of callkitd in a file", [("docs/guide.md", "Configure the daemon")]),
    ("callkit-desktop.conf", 5): ("settings of the desktop agent", [("docs/desktop.md", "Settings")]),
    ("callkit-plugin", 5): (
        "Plugin.ini, permissions and bounds of plugins",
        [("docs/plugins.md", "Its sandbox and its permissions"), ("docs/plugins.md", "Its bounds"),
         ("docs/plugins.md", "Which file is loaded")]),
    ("callkit-accounts", 5): ("accounts.ini, and where accounts are kept", [("docs/accounts.md", "For plugin authors"),
                                                                             ("docs/accounts.md", "Where secrets are")]),
    ("callkit-scenario", 5): ("files of inputs and effects", [("docs/scenarios.md", "")]),
}
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def part(document, heading):
    """A part of a document, without its heading; its own parts are one level higher."""
    text = (ROOT / document).read_text(encoding="utf-8")
    if heading:
        found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.S | re.M)
        if not found:
            sys.exit(f"format-pages.py: {document} has no part \"{heading}\"")
        text = found.group(1).replace("\n### ", "\n## ")
    else:
        text = text.split("\n", 1)[1]
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    return LINK.sub(lambda link: " ".join(link.group(1).split()), text).strip()


def about_of(comment):
    """A comment of the contract as Markdown."""
    arguments = [f"- *{name}*: {said}" for name, said in comment.arguments.items() if name != "short_description"]
    text = "\n\n".join((["\n".join(arguments)] if arguments else []) + comment.paragraphs)
    return re.sub(r"(`[^`]*`)|_", lambda match: match[1] or r"\_", text)


def bus():
    """The reference of the bus, in the form of PAGES but with the texts themselves."""
    for name, interface in bus_pages.interfaces(ROOT).items():
        text = f"## DESCRIPTION\n\n{about_of(interface.comment)}\n"
        for kind, title in bus_pages.KINDS.items():
            own = [(member, about) for member, about in interface.members if member.tag == kind]
            if own:
                text += f"\n## {title.upper()}\n"
            for member, about in own:
                text += f"\n### {bus_pages.signature(member)}\n\n{about_of(about)}\n"
        yield name, interface.brief or "an interface of the session bus", text


def write(share, date, name, section, what, text):
    head = f"## NAME\n\n{name} -- {what}\n\n"
    done = subprocess.run(
        ["lowdown", "-s", "-tman", "--out-no-smarty", "-M", f"title={name}", "-M", f"section={section}", "-M", f"date={date}",
         "-M", "source=OpenCallKit", "-M", "volume=OpenCallKit"],
        input=head + text, capture_output=True, text=True, check=True)
    folder = Path(share, "man", f"man{section}")
    folder.mkdir(parents=True, exist_ok=True)
    # Cells of tables are too narrow for lines that end where the column does.
    page = done.stdout.replace("T{\n", "T{\n.ad l\n")
    if "\n.TS" in page:
        # The first line that tells man to run tbl.
        page = "'\\\" t\n" + page
    (folder / f"{name}.{section}").write_text(page, encoding="utf-8")


def main(date, share):
    for (name, section), (what, parts) in PAGES.items():
        text = "\n\n".join(f"## {(heading or 'Description').upper()}\n\n{part(document, heading)}" for document, heading in parts)
        write(share, date, name, section, what, text + "\n")
    for name, what, text in bus():
        write(share, date, name, 5, what, text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
