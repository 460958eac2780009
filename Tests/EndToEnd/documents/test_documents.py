"""docs/README.md lists every document and every article once."""

import glob
import os
import re
import unittest

from support.system import REPOSITORY

ARTICLES = "Sources/SDK/OpenCallKit/OpenCallKit.docc"


def files(folder, besides):
    """The Markdown files in a folder of the repository, relative to it, without the page `besides`."""
    paths = glob.glob(os.path.join(REPOSITORY, folder, "*.md"))
    return {os.path.relpath(path, REPOSITORY) for path in paths} - {os.path.join(folder, besides)}


class Documents(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(REPOSITORY, "docs", "README.md"), encoding="utf-8") as file:
            self.text = file.read()

    def test_the_index_is_complete(self):
        rows = re.findall(r"(?m)^\| \[[^]]+\]\(([^)]+)\) \| .+ \|$", self.text)
        listed = [os.path.normpath(os.path.join("docs", link)) for link in rows]
        self.assertEqual(len(listed), len(set(listed)), "a page is listed twice")
        others = {os.path.join("dbus", "README.md"), "CONTRIBUTING.md"}
        self.assertEqual(set(listed), files("docs", "README.md") | files(ARTICLES, "OpenCallKit.md") | others)

    def test_each_page_is_listed_by_its_title(self):
        for title, link in re.findall(r"(?m)^\| \[([^]]+)\]\(([^)]+)\)", self.text):
            with open(os.path.join(REPOSITORY, "docs", link), encoding="utf-8") as file:
                heading = file.readline().strip().removeprefix("# ")
            self.assertEqual(title, heading)

    def test_there_is_a_section_for_each_kind_of_reader(self):
        self.assertEqual(re.findall(r"(?m)^## (.*)$", self.text),
                         ["At the desktop", "Write an app", "Write a plugin", "Watch the bus", "Work on OpenCallKit"])


class Promises(unittest.TestCase):
    """docs/trust.md names the tests that hold each promise."""

    def test_each_promise_has_tests_that_exist(self):
        with open(os.path.join(REPOSITORY, "docs", "trust.md"), encoding="utf-8") as file:
            table = file.read().partition("\n| promise | tests |\n|---|---|\n")[2]
        rows = re.findall(r"(?m)^\| (.+?) \| (.+) \|$", table)
        self.assertEqual(len(rows), len(table.splitlines()))
        for promise, tests in rows:
            with self.subTest(promise):
                named = 0
                for part in tests.split("; "):
                    place, names = re.fullmatch(r"(scenarios|`[a-z_]+/test_[a-z_]+\.py`:) ((?:`[a-z0-9_-]+`(?:, )?)+)", part).groups()
                    for name in re.findall(r"`([^`]+)`", names):
                        named += 1
                        self.assertTrue(self.exists(place, name), f"there is no {name} in {place}")
                self.assertGreater(named, 0)

    def exists(self, place, name):
        if place == "scenarios":
            return os.path.exists(os.path.join(REPOSITORY, "Tests", "Scenarios", "Files", f"{name}.scenario"))
        with open(os.path.join(REPOSITORY, "Tests", "EndToEnd", place.strip("`:")), encoding="utf-8") as file:
            return f"    def {name}(self" in file.read()
