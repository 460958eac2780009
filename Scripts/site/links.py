"""Markdown for the site: links between its pages, and what of a text is not markup."""

import os
import re

FENCE = re.compile(r"^ *(```+|~~~+)")
SPAN = re.compile(r"(!?\[(?:[^\]`]|`[^`]*`)*\]\()([^)\s]+)\)|`([^`]+)`|(<img src=\")([^\"]+)\"")
"""A link or a picture, code, and a picture in HTML."""


def relative(page, to):
    """The link from one page of the site to another, or to a file; both are paths from its root."""
    return os.path.relpath(to, os.path.dirname(page) or ".")


def escaped(text):
    """The text, with none of it taken for markup."""
    return re.sub(r"([\\`*_<>\[\]|#~$&{}])", r"\\\1", text)


def code(text):
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def slugs(titles):
    """The anchors of headings, in their order on a page."""
    seen, found = {}, []
    for title in titles:
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.append(f"{slug}-{count}" if count else slug)
    return found


class Links:
    """The pages of the site by the files of the repository that they come from, and by the names that texts have for
    them: `docs/parity.md`, `06-third-call`, `org.opencallkit.Call1`."""

    def __init__(self, root):
        self.root = root
        self.pages = {}
        self.names = {}
        self.files = {}
        """Files that pages show, such as pictures, and where they are on the site."""

    def add(self, page, path=None, names=()):
        if path:
            self.pages[path] = page
        for name in [*names, *([path] if path else [])]:
            self.names[name] = page

    def target(self, page, path, target):
        """Where a link of the file `path` leads on the page that is made of it; None for an address elsewhere."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return None
        target, mark, anchor = target.partition("#")
        source = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if source in self.pages:
            return relative(page, self.pages[source]) + ".md" + mark + anchor
        if not os.path.isfile(os.path.join(self.root, source)):
            raise SystemExit(f"site: {path} links to {target}, which is not there")
        if source.endswith(".md"):
            raise SystemExit(f"site: {path} links to {target}, of which Scripts/site/pages.py makes no page")
        self.files[source] = os.path.join("files", os.path.basename(source))
        return relative(page, self.files[source])

    def named(self, page, name):
        """A link to what the name in code means, or the name."""
        to = self.names.get(name)
        return f"[`{name}`]({relative(page, to)}.md)" if to and to != page else f"`{name}`"

    def rewritten(self, page, path, text):
        """The Markdown of a file, with links for the page that is made of it."""
        def span(match):
            opening, target, name, picture, source = match.groups()
            if name is not None:
                return self.named(page, name) if "\n" not in name else match[0]
            if source is not None:
                return f'{picture}{self.target(page, path, source) or source}"'
            return f"{opening}{self.target(page, path, target) or target})"

        def pieces():
            """Runs of lines that are text, and of those that are code."""
            kind, lines, fence = "text", [], None
            for line in text.split("\n"):
                mark = FENCE.match(line)
                if fence is None and mark:
                    yield kind, lines
                    kind, lines, fence = "code", [line], mark[1]
                elif fence is not None and line.strip() == fence:
                    yield "code", [*lines, line]
                    kind, lines, fence = "text", [], None
                elif fence is None and line.startswith("    ") != (kind == "indented") and line:
                    yield kind, lines
                    kind, lines = "indented" if line.startswith("    ") else "text", [line]
                else:
                    lines.append(line)
            yield kind, lines

        return "\n".join(SPAN.sub(span, "\n".join(lines)) if kind == "text" else "\n".join(lines)
                         for kind, lines in pieces() if lines)
