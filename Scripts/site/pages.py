#!/usr/bin/python3
"""Writes the pages of the site as Markdown, for Sphinx: pages.py DOCC_ARCHIVE OUT_DIR

The guide comes from docs/*.md, and so do the start page and the navigation: docs/README.md lists every page. The other
pages come from the comments in dbus/*.xml, from the scenario files, and from what DocC read of the SDK.
"""

import glob
import os
import re
import shutil
import sys

import bus_pages
import scenario_pages
import sdk_pages
from links import Links

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LISTS = "org.opencallkit.CallSystem1"
"""The interface whose comment has the lists of errors."""
MODULES = {"opencallkit": ("Write a plugin", "OpenCallKit", "the reference of the SDK, with CallKit's classes"),
           "opencallkittestkit": ("Write a plugin", "OpenCallKitTestKit", "the reference of the test kit"),
           "opencallkitport": ("Write an app", "OpenCallKitPort",
                               "the reference of what iOS call code needs beside CallKit")}
ROW = re.compile(r"^\| (\d+) \|", re.MULTILINE)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Site:
    def __init__(self, archive, out):
        self.out = out
        self.scenarios = scenario_pages.scenarios(ROOT)
        self.interfaces = bus_pages.interfaces(ROOT)
        self.links = Links(ROOT)
        self.archive = sdk_pages.Archive(archive, self.links)
        self.links.add("index", "docs/README.md")
        self.links.add("readme", "README.md")
        for page, path in (("contributing", "CONTRIBUTING.md"), ("changes", "CHANGELOG.md"), ("license", "LICENSE"),
                           ("security", "SECURITY.md"), ("bus/index", "dbus/README.md")):
            self.links.add(page, path)
        for path in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
            name = os.path.basename(path)
            if name != "README.md":
                self.links.add(f"guide/{name.removesuffix('.md')}", f"docs/{name}", names=[name])
        for path in glob.glob(os.path.join(ROOT, sdk_pages.ARTICLES, "*.md")):
            name = os.path.basename(path).removesuffix(".md")
            if name != "OpenCallKit":
                self.links.add(f"articles/{name.lower()}", f"{sdk_pages.ARTICLES}/{name}.md")
        for name in self.interfaces:
            self.links.add(f"bus/{name}", f"dbus/{name}.xml", names=[name, f"{name}.xml"])
        for name in self.scenarios:
            self.links.add(f"scenarios/{name}", names=[name])

    def write(self, page, text):
        path = os.path.join(self.out, page + ".md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def row(self, number):
        return f'<a href="../guide/arbitration.html#row-{number}">row {number}</a>'

    def guide(self):
        for path, page in self.links.pages.items():
            if not path.endswith(".md") or path.startswith(sdk_pages.ARTICLES) or page == "index":
                continue
            text = self.links.rewritten(page, path, read(path))
            if page == "guide/arbitration":
                text = ROW.sub(r'| <span id="row-\1"></span>\1 |', text)
            if page == "bus/index":
                text += "\n" + bus_pages.Reference(self.interfaces, LISTS).index()
            self.write(page, text)
        self.write("license", f"# License\n\n```text\n{read('LICENSE').rstrip()}\n```\n")

    def start(self):
        """The start page: the sections of docs/README.md as lists, which are the navigation too."""
        text = self.links.rewritten("index", "docs/README.md", read("docs/README.md"))
        sections = {}
        lines, section = [], ""
        for line in text.split("\n"):
            if line.startswith("## "):
                section = line[3:]
                sections[section] = []
            if match := re.match(r"\| \[([^\]]+)\]\(([^)]+)\) \| (.*) \|$", line):
                title, to, said = match.groups()
                sections[section].append(to.removesuffix(".md"))
                lines.append(f"- [{title}]({to}): {said}")
            elif not line.startswith("|"):
                lines.append(line)
        text = "\n".join(lines)
        extra = [(section, title, f"sdk/{module}/index", said) for module, (section, title, said) in MODULES.items()]
        extra += [("Watch the bus", "All scenarios", "scenarios/index",
                   "what the daemon does in each case, step by step"),
                  ("At the desktop", "Security", "security", "what counts as a security hole, and how to report one"),
                  ("Work on OpenCallKit", "What has changed", "changes", "the changes of each version"),
                  ("Work on OpenCallKit", "License", "license", "the Apache License, version 2.0")]
        for section, title, page, said in extra:
            sections[section].append(f"SDK: {title} <{page}>" if page.startswith("sdk/") else page)
            text = re.sub(rf"(## {section}\n(?:(?!## ).*\n)*- .*\n)", rf"\g<1>- [{title}]({page}.md): {said}\n", text)
        text += "\n```{toctree}\n:hidden:\n\nWhat OpenCallKit is <readme>\n```\n"
        for section, pages in sections.items():
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {section}\n\n" + "\n".join(pages) + "\n```\n"
        self.write("index", text)

    def all(self):
        self.guide()
        self.start()
        reference = bus_pages.Reference(self.interfaces, LISTS)
        for name in self.interfaces:
            self.write(f"bus/{name}", reference.page(name))
        for name, scenario in self.scenarios.items():
            self.write(f"scenarios/{name}", scenario.page(self.row))
        rows = ROW.findall(read("docs/arbitration.md"))
        self.write("scenarios/index", scenario_pages.index(self.scenarios, rows, self.row))
        for page, text in self.archive.pages():
            self.write(page, text)
        for path, to in self.links.files.items():
            target = os.path.join(self.out, to)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, path), target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Site(*sys.argv[1:]).all()
