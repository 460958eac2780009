"""The pages of the site have all that they are made of, and its check finds what is wrong with a site. `make docs` builds
it, with DocC and Sphinx, and runs the check."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import contract
from support.system import REPOSITORY

SCRIPTS = os.path.join(REPOSITORY, "Scripts", "site")
sys.path.append(SCRIPTS)

import bus_pages  # noqa: E402
import links  # noqa: E402
import pages  # noqa: E402
import scenario_pages  # noqa: E402


def words(text):
    """The text without spaces and marks."""
    return re.sub(r"\W+", "", re.sub(r"\]\([^)]*\)|org\.opencallkit\.\w+", "", text))


class BusReference(unittest.TestCase):
    def setUp(self):
        self.found = bus_pages.interfaces(REPOSITORY)
        self.reference = bus_pages.Reference(self.found, pages.LISTS)
        self.contract = contract.interfaces(contract.public_files())

    def test_every_interface_has_a_page_with_all_members(self):
        self.assertEqual(set(self.found), set(self.contract))
        for name, interface in self.contract.items():
            page = self.reference.page(name)
            headings = re.findall(r"(?m)^### (\w+)$", page)
            self.assertEqual(sorted(headings), sorted(member.name for member in interface.members), name)
            for member in interface.members:
                for argument, type, _ in member.arguments:
                    self.assertIn(f"{argument} {type}", page, f"{name}.{member.name}")

    def test_a_page_has_every_comment(self):
        for name, interface in self.contract.items():
            page = words(self.reference.page(name))
            for member in interface.members:
                said = member.documentation.strip().removeprefix(f"{member.name}:")
                for paragraph in re.split(r"\n\s*(?:\n|(?=@))", said):
                    self.assertIn(words(paragraph), page, f"{name}.{member.name}")

    def test_the_index_links_to_everything(self):
        index = self.reference.index()
        for name, interface in self.contract.items():
            self.assertIn(f"]({name}.md)", index)
            for member in interface.members:
                self.assertIn(f"]({name}.md#{member.name.lower()})", index)


class Scenarios(unittest.TestCase):
    def setUp(self):
        self.found = scenario_pages.scenarios(REPOSITORY)
        self.assertGreater(len(self.found), 250)

    def test_a_page_has_each_line_in_words_and_the_file(self):
        for name, scenario in self.found.items():
            page = scenario.page(str)
            told, _, file = page.partition("## What happens")[2].partition("## The file")
            self.assertIn(scenario.text.rstrip(), file, name)
            lines = [line for line in scenario.text.split("\n")
                     if line and line != "----" and not line.startswith("#")]
            self.assertEqual(len([line for line in told.split("\n") if line]), len(lines), name)

    def test_most_lines_are_sentences(self):
        said = [line for scenario in self.found.values() for line in scenario.page(str).split("\n")
                if line.startswith("   - ")]
        bare = [line for line in said if re.fullmatch(r" +- `[^`]*`", line)]
        self.assertLess(len(bare), len(said) / 10)

    def test_what_a_call_goes_through(self):
        page = self.found["06-answer-holds-other-provider"].page(str)
        for sentence in ("A client requests: answer B.", "Hotline is asked to hold A (row 6), within 5000 ms.",
                         "Hotline has done it: hold A (row 6).", "A is **held**: `held-by=arbiter`, `held-for=B`"):
            self.assertIn(sentence, page)


class Texts(unittest.TestCase):
    def setUp(self):
        self.links = links.Links(REPOSITORY)
        self.links.add("guide/parity", "docs/parity.md")
        self.links.add("scenarios/08-third-call", names=["08-third-call"])

    def rewritten(self, text):
        return self.links.rewritten("guide/guide", "docs/guide.md", text)

    def test_links_and_names_of_files_lead_to_pages(self):
        self.assertEqual(self.rewritten("[a](parity.md#b) `docs/parity.md` `08-third-call` `other`"),
                         "[a](parity.md#b) [`docs/parity.md`](parity.md) "
                         "[`08-third-call`](../scenarios/08-third-call.md) `other`")

    def test_code_stays(self):
        for text in ("```\n`08-third-call`\n```", "    [a](parity.md) `08-third-call`", "[a](https://example.org)"):
            self.assertEqual(self.rewritten(text), text)

    def test_a_link_to_nothing_is_refused(self):
        for target, reason in (("nothing.md", "is not there"), ("../README.md", "makes no page")):
            with self.assertRaisesRegex(SystemExit, f"docs/guide.md links to {target}, .*{reason}"):
                self.rewritten(f"[a]({target})")


class Documents(unittest.TestCase):
    def test_all_that_a_document_links_to_is_on_the_site(self):
        with tempfile.TemporaryDirectory(prefix="opencallkit-site-") as folder:
            site = pages.Site(folder, folder)
            site.guide()
            site.start()
            for page in ("index", "readme", "contributing", "security", "guide/parity", "bus/index"):
                self.assertTrue(os.path.isfile(os.path.join(folder, f"{page}.md")), page)


class Check(unittest.TestCase):
    """Scripts/site/check.py, with small sites."""

    def check(self, **files):
        with tempfile.TemporaryDirectory(prefix="opencallkit-site-") as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name.replace("_", ".")), "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run(["/usr/bin/python3", os.path.join(SCRIPTS, "check.py"), folder],
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, "pages are missing in any case")
        lines = done.stderr.replace("site: ", "").splitlines()
        return [line for line in lines if not line.startswith("there is no ")], lines

    def test_a_site_without_fault(self):
        wrong, _ = self.check(index_html='<a href="b.html#c">b</a><a href="#d">d</a><p id="d"><img src="e.png">'
                              '<a href="https://example.org">f</a>', b_html='<h1 id="c">', e_png="")
        self.assertEqual(wrong, [])

    def test_links_that_lead_nowhere(self):
        wrong, _ = self.check(index_html='<a href="b.html">b</a><a href="c.html#d">c</a><a href="#e">e</a>',
                              c_html='<img src="f.png">')
        self.assertEqual(sorted(wrong), ["c.html links to f.png, which is not there",
                                         "index.html links to #e, a place that the page does not have",
                                         "index.html links to b.html, which is not there",
                                         "index.html links to c.html#d, a place that the page does not have"])

    def test_what_is_loaded_from_elsewhere(self):
        wrong, _ = self.check(index_html='<script src="https://example.org/a.js"></script>',
                              a_css="body { background: url(https://example.org/b.png); }",
                              b_css="@import url(/c.css);", c_css="@import 'd.css';", d_css="")
        self.assertEqual(sorted(wrong), ["a.css loads something from elsewhere", "b.css loads something from elsewhere",
                                         "index.html loads https://example.org/a.js"])

    def test_pages_that_are_missing(self):
        _, lines = self.check(index_html="")
        for page in ("guide/parity.html", "bus/org.opencallkit.Call1.html", "scenarios/08-third-call.html",
                     "articles/writeaprovider.html", "sdk/opencallkit/cxprovider.html", "search.html"):
            self.assertIn(f"there is no {page}", lines)
        self.assertNotIn("there is no index.html", lines)
