"""The bus reference in HTML: every interface and every member of dbus/*.xml is in it, and no link is broken."""

import html.parser
import os
import subprocess
import tempfile
import unittest

from support import contract


class Page(html.parser.HTMLParser):
    """The ids, the links and the text of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.text = [], [], ""
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])

    def handle_data(self, data):
        self.text += data


class BusReference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="opencallkit-")
        cls.addClassCleanup(cls.folder.cleanup)
        script = os.path.join(contract.REPOSITORY, "Scripts", "bus-reference.py")
        subprocess.run(["/usr/bin/python3", script, cls.folder.name], check=True, stdout=subprocess.DEVNULL)
        cls.pages = {name: Page(os.path.join(cls.folder.name, name)) for name in os.listdir(cls.folder.name)}

    def test_every_interface_has_a_page_with_all_members(self):
        interfaces = contract.interfaces(contract.public_files())
        self.assertEqual(set(self.pages), {f"{name}.html" for name in interfaces} | {"index.html"})
        for name, interface in interfaces.items():
            page = self.pages[f"{name}.html"]
            self.assertEqual(sorted(page.ids), sorted(member.name for member in interface.members), name)
            for member in interface.members:
                for line in member.documentation.split("\n"):
                    self.assertIn(line.strip(), page.text, f"{name}.{member.name}")
                for argument, type, _ in member.arguments:
                    self.assertIn(f"{argument} {type}", page.text, f"{name}.{member.name}")

    def test_no_link_is_broken(self):
        for name, page in self.pages.items():
            for link in page.links:
                file, _, anchor = link.partition("#")
                self.assertIn(file, self.pages, f"{name} links to {link}")
                if anchor:
                    self.assertIn(anchor, self.pages[file].ids, f"{name} links to {link}")

    def test_the_index_links_to_everything(self):
        links = set(self.pages["index.html"].links)
        for name, interface in contract.interfaces(contract.public_files()).items():
            self.assertIn(f"{name}.html", links)
            for member in interface.members:
                self.assertIn(f"{name}.html#{member.name}", links)
