#!/usr/bin/python3
"""Checks the site: check.py SITE_DIR. Each link leads to a page and, if it names one, to a place on it; nothing is
loaded from elsewhere; and each document, interface, article, scenario and type of the SDK has a page."""

import glob
import html.parser
import os
import re
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOADED = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src", "object": "data"}
"""What a browser loads by itself."""
EXPECTED = [("docs/*.md", "guide/{}.html"), ("dbus/*.xml", "bus/{}.html"),
            ("Tests/Scenarios/Files/*.scenario", "scenarios/{}.html"),
            ("Sources/SDK/OpenCallKit/OpenCallKit.docc/*.md", "articles/{}.html")]


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(value for key, value in attributes.items() if key == "id" or (tag == "a" and key == "name"))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag in LOADED and attributes.get(LOADED[tag]):
            self.loaded.append(attributes[LOADED[tag]])


def missing(site):
    """The pages that are not there."""
    wanted = ["index.html", "search.html", "sdk/opencallkit/index.html", "sdk/opencallkit/cxprovider.html"]
    for pattern, page in EXPECTED:
        names = [os.path.basename(path).rsplit(".", 1)[0] for path in glob.glob(os.path.join(ROOT, pattern))]
        if not names:
            yield pattern
        wanted += [page.format(name.lower() if page.startswith("articles") else name) for name in names
                   if name not in {"README", "OpenCallKit"}]
    for page in wanted:
        if not os.path.isfile(os.path.join(site, page)):
            yield page


def broken(site):
    """The links that lead nowhere, and what would be loaded from elsewhere."""
    pages = {path: Page(path) for path in glob.glob(os.path.join(site, "**", "*.html"), recursive=True)}
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        for link in page.links + page.loaded:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    yield f"{name} loads {link}"
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) \
                if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not os.path.isfile(target):
                yield f"{name} links to {link}, which is not there"
            elif anchor and target in pages and anchor not in pages[target].ids:
                yield f"{name} links to {link}, a place that the page does not have"
    for path in glob.glob(os.path.join(site, "**", "*.css"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if re.search(r"url\(['\"]?(?:https?:|/)", text):
            yield f"{os.path.relpath(path, site)} loads something from elsewhere"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = [f"there is no {page}" for page in missing(sys.argv[1])] + list(broken(sys.argv[1]))
    for line in wrong:
        print(f"site: {line}", file=sys.stderr)
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
