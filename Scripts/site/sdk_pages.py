"""The SDK on the site: DocC resolves and checks the symbols, the comments and the articles; these pages show what it
found. A type has a page, with its members; a module has one, with all that is no type."""

import glob
import json
import os

from links import code, escaped, relative, slugs

OWN_PAGE = {"Class", "Structure", "Enumeration", "Protocol"}
ARTICLES = "Sources/SDK/OpenCallKit/OpenCallKit.docc"


class Archive:
    """What DocC wrote, by the identifiers of symbols and articles."""

    def __init__(self, folder, links):
        self.links = links
        self.found = {}
        for path in sorted(glob.glob(os.path.join(folder, "data", "documentation", "**", "*.json"), recursive=True)):
            with open(path, encoding="utf-8") as file:
                read = json.load(file)
            self.found[read["identifier"]["url"]] = read
        self.places = {}
        """The page and the anchor of each."""

    def heading(self, identifier):
        return self.found[identifier]["metadata"].get("roleHeading", "")

    def parts(self, identifier):
        return self.found[identifier]["variants"][0]["paths"][0].split("/")[2:]

    def members(self, identifier):
        """The groups of what belongs to a symbol: title, identifiers."""
        for section in self.found[identifier].get("topicSections", []):
            own = [name for name in section["identifiers"] if name in self.found
                   and self.heading(name) not in {"API Collection", "Article"}]
            if own:
                yield section["title"], own

    def place(self):
        """Gives every symbol and article its page."""
        for identifier, read in self.found.items():
            parts = self.parts(identifier)
            heading = self.heading(identifier)
            if heading == "Article":
                self.places[identifier] = f"articles/{parts[-1]}", None
            elif heading == "Framework":
                self.places[identifier] = f"sdk/{parts[0]}/index", None
            elif heading in OWN_PAGE:
                self.places[identifier] = f"sdk/{parts[0]}/{'.'.join(parts[1:])}", None
        for identifier in [name for name in self.found if self.heading(name) in OWN_PAGE | {"Framework"}]:
            titles, owners = [self.found[identifier]["metadata"]["title"]], [None]
            for title, names in self.members(identifier):
                titles.append(title)
                owners.append(None)
                for name in names:
                    if name not in self.places:
                        titles.append(self.found[name]["metadata"]["title"])
                        owners.append(name)
            for slug, owner in zip(slugs(titles), owners):
                if owner:
                    self.places[owner] = self.places[identifier][0], slug

    def pages(self):
        """The Markdown of all pages, by their names."""
        self.place()
        for identifier, (page, anchor) in self.places.items():
            if anchor is None:
                yield page, Page(self, identifier, page).text()


class Page:
    def __init__(self, archive, identifier, page):
        self.archive = archive
        self.identifier = identifier
        self.page = page

    def text(self):
        read = self.archive.found[self.identifier]
        title = read["metadata"]["title"]
        heading = self.archive.heading(self.identifier)
        if heading == "Article":
            return f"# {escaped(title)}\n\n{self.described(read)}\n"
        if heading == "Framework":
            return f"# {title}\n\n{self.described(read)}\n\n{self.groups()}\n"
        module = read["metadata"]["modules"][0]["name"]
        above = f"{heading} of [{module}](index.md)"
        return (f"---\norphan: true\n---\n# {code(title)}\n\n{above}\n\n{self.described(read)}\n\n"
                f"{self.conforms(read)}{self.groups()}\n")

    def conforms(self, read):
        """The protocols of the SDK that a type conforms to."""
        names = [self.link(name, read["references"]) for section in read.get("relationshipsSections", [])
                 if section["type"] == "conformsTo" for name in section["identifiers"] if name in self.archive.places]
        return f"Conforms to {', '.join(names)}.\n\n" if names else ""

    def groups(self):
        text = ""
        references = self.archive.found[self.identifier]["references"]
        for title, names in self.archive.members(self.identifier):
            text += f"## {escaped(title)}\n\n"
            for name in names:
                read = self.archive.found[name]
                if self.archive.places[name][1] is None:
                    text += f"- {self.link(name, references)}: {self.inline(read.get('abstract', []), read)}\n"
                else:
                    text += f"\n### {code(read['metadata']['title'])}\n\n{self.described(read, inner=True)}\n"
            text += "\n"
        return text

    def described(self, read, inner=False):
        """The abstract, the declaration, the parameters and the discussion."""
        text = self.inline(read.get("abstract", []), read) + "\n\n"
        for section in read.get("primaryContentSections", []):
            if section["kind"] == "declarations":
                tokens = section["declarations"][0]["tokens"]
                text = f"```swift\n{''.join(token['text'] for token in tokens)}\n```\n\n" + text
            elif section["kind"] == "parameters":
                for parameter in section["parameters"]:
                    text += f"- {code(parameter['name'])}: {self.blocks(parameter['content'], read, '  ').strip()}\n"
                text += "\n"
            elif section["kind"] == "content":
                text += self.blocks(section["content"], read, inner=inner)
        return text.strip() + "\n"

    def link(self, identifier, references):
        reference = references.get(identifier, {})
        title = reference.get("title", identifier.rsplit("/", 1)[-1])
        if identifier not in self.archive.places:
            url = reference.get("url", "")
            if url.startswith("http"):
                return f"[{escaped(title)}]({url})"
            return code(title)
        page, anchor = self.archive.places[identifier]
        shown = escaped(title) if self.archive.heading(identifier) in {"Article", "Framework"} else code(title)
        if page == self.page and anchor is None:
            return shown
        to = "" if page == self.page else relative(self.page, page) + ".md"
        return f"[{shown}]({to}{'#' + anchor if anchor else ''})"

    def inline(self, parts, read):
        text = ""
        for part in parts:
            kind = part["type"]
            if kind == "text":
                text += escaped(part["text"])
            elif kind == "codeVoice":
                named = self.archive.links.named(self.page, part["code"])
                text += named if named.startswith("[") else code(part["code"])
            elif kind == "reference":
                text += self.link(part["identifier"], read["references"])
            elif kind in {"strong", "emphasis"}:
                mark = "**" if kind == "strong" else "*"
                text += mark + self.inline(part["inlineContent"], read) + mark
            else:
                raise SystemExit(f"site: DocC has text of the kind {kind}, which is not known")
        return text.replace("\n", " ").strip()

    def blocks(self, blocks, read, indent="", inner=False):
        text = ""
        for block in blocks:
            kind = block["type"]
            if kind == "paragraph":
                said = self.inline(block["inlineContent"], read)
            elif kind == "heading":
                if block["text"] in {"Discussion", "Overview"}:
                    continue
                title = escaped(block["text"])
                said = f"**{title}**" if inner else f"{'#' * (block['level'] - 1)} {title}"
            elif kind == "codeListing":
                lines = "\n".join(indent + line if line else line for line in block["code"])
                said = f"```{block.get('syntax') or 'text'}\n{lines}\n{indent}```"
            elif kind in {"unorderedList", "orderedList"}:
                mark = "- " if kind == "unorderedList" else "1. "
                deeper = indent + " " * len(mark)
                said = f"\n{indent}".join(mark + self.blocks(item["content"], read, deeper).strip()
                                          for item in block["items"])
            elif kind == "aside":
                said = f"**{block.get('name') or block['style'].capitalize()}:** " \
                    + self.blocks(block["content"], read, indent).strip()
            elif kind == "table":
                rows = [[self.blocks(cell, read).strip().replace("\n", " ") for cell in row] for row in block["rows"]]
                rows.insert(1, ["---"] * len(rows[0]))
                said = f"\n{indent}".join("| " + " | ".join(row) + " |" for row in rows)
            else:
                raise SystemExit(f"site: DocC has a block of the kind {kind}, which is not known")
            text += f"{indent}{said}\n\n"
        return text
