"""The reference of the bus on the site: a page per interface, from the comments in dbus/*.xml."""

import glob
import os
import re
import textwrap
import xml.etree.ElementTree as ElementTree

KINDS = {"method": "Methods", "signal": "Signals", "property": "Properties"}
ACCESS = {"read": "", "readwrite": "can be set", "write": "can only be set"}
EMITS = "org.freedesktop.DBus.Property.EmitsChangedSignal"
CHANGES = {"true": "", "invalidates": "its changes are announced without the value",
           "false": "it changes without a signal", "const": "it never changes"}
TERM = re.compile(r"(?:`[^`]+`(?:(?:, | or | and )`[^`]+`)*(?: \d+(?:, `[^`]+` \d+)*)?|Rule \d+|Served by|Path|Callers"
                  r"|Errors|@[\w-]+): ")
"""How a paragraph begins that explains one thing out of several."""


class Comment:
    """A comment in the form that gdbus-codegen reads: the name, a line for an argument each, and paragraphs."""

    def __init__(self, name, text):
        text = textwrap.dedent(text.strip("\n") if text.startswith("\n") else text.strip())
        text = text.strip().removeprefix(f"{name}:").strip("\n")
        self.arguments, self.paragraphs = {}, []
        lines = text.split("\n")
        while lines and (match := re.match(r" *@([\w-]+): (.*)", lines[0])):
            self.arguments[match[1]] = match[2]
            lines.pop(0)
        for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
            if said := " ".join(paragraph.split()):
                self.paragraphs.append(said)


class Interface:
    def __init__(self, element, comment):
        self.name = element.get("name")
        self.comment = Comment(self.name, comment)
        self.brief = self.comment.arguments.get("short_description", "").rstrip(".")
        self.members = []
        comment = ""
        for child in element:
            if child.tag is ElementTree.Comment:
                comment = child.text
            elif child.tag in KINDS:
                self.members.append((child, Comment(child.get("name"), comment)))
                comment = ""


def interfaces(root):
    """The public interfaces by name."""
    found = {}
    for path in sorted(glob.glob(os.path.join(root, "dbus", "*.xml"))):
        parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
        comment = ""
        for element in ElementTree.parse(path, parser).getroot():
            if element.tag is ElementTree.Comment:
                comment = element.text
            elif element.tag == "interface":
                found[element.get("name")] = Interface(element, comment)
    return found


def signature(member):
    """How the member is written."""
    name = member.get("name")
    if member.tag == "property":
        return f"{name} {member.get('type')}"
    shown = {"in": [], "out": []}
    for argument in member.findall("arg"):
        direction = argument.get("direction", "in" if member.tag == "method" else "out")
        shown[direction].append(f"{argument.get('name')} {argument.get('type')}")
    if member.tag == "signal":
        return f"{name}({', '.join(shown['out'])})"
    return f"{name}({', '.join(shown['in'])}) → ({', '.join(shown['out'])})"


class Reference:
    """Markdown of the interfaces, with links between them."""

    def __init__(self, found, lists_page):
        self.found = found
        self.lists_page = lists_page
        """The interface whose comment has the lists of errors."""

    def marked(self, name, text):
        """A text of the interface `name`: code stays code, names of interfaces are links, nothing else is markup."""
        parts = re.split(r"(`[^`]*`)", text)
        for index, part in enumerate(parts):
            if index % 2 == 0:
                part = re.sub(r"([\\*_<>\[\]|#~$&{}])", r"\\\1", part)
                part = re.sub(r"@(\w[\w-]*)", r"`\1`", part)
                part = re.sub(r"org\.opencallkit\.\w+",
                              lambda match: f"[{match[0]}]({match[0]}.md)"
                              if match[0] in self.found and match[0] != name else match[0], part)
                parts[index] = part
        return "".join(parts)

    def paragraphs(self, name, comment):
        """The paragraphs; those that explain one thing each are a list."""
        text, listed = "", False
        for said in comment.paragraphs:
            if said.startswith("Errors: "):
                text += "\n" + self.errors(name, said) + "\n"
                continue
            if term := TERM.match(said):
                head = term[0].rstrip(": ")
                head = self.marked(name, head) if "`" in head or head.startswith("@") else f"**{head}**"
                text += ("" if listed else "\n") + f"- {head}: {self.marked(name, said[term.end():])}\n"
                listed = True
            elif re.fullmatch(r"`[^`]+`|@[\w-]+:", said):
                text += ("" if listed else "\n") + f"- {self.marked(name, said.rstrip(':'))}\n"
                listed = True
            else:
                text += f"\n{self.marked(name, said)}\n"
                listed = False
        return text + "\n"

    def errors(self, name, said):
        """`Errors:`, with links to the lists that it names."""
        shown = []
        for error in said.removeprefix("Errors: ").split(", "):
            linked = error.endswith("Errors")
            to = "" if name == self.lists_page else f"{self.lists_page}.md"
            shown.append(f"[`{error}`]({to}#lists-of-errors)" if linked else f"`{error}`")
        return f"**Errors:** {', '.join(shown)}"

    def page(self, name):
        interface = self.found[name]
        text = f"# {name}\n\n"
        if interface.brief:
            text += self.marked(name, interface.brief[0].upper() + interface.brief[1:] + ".") + "\n"
        shown = self.paragraphs(name, interface.comment)
        if name == self.lists_page:
            before, mark, after = shown.partition("\nLists of errors,")
            shown = f"{before}\n## Lists of errors\n\nLists of errors,{after}" if mark else shown
        text += shown
        for kind, heading in KINDS.items():
            members = [(member, comment) for member, comment in interface.members if member.tag == kind]
            if members:
                text += f"## {heading}\n\n"
            for member, comment in members:
                text += f"### {member.get('name')}\n\n```text\n{signature(member)}\n```\n\n{self.facts(member)}"
                for argument, said in comment.arguments.items():
                    text += f"- `{argument}`: {self.marked(name, said)}\n"
                text += self.paragraphs(name, comment)
        return text

    def facts(self, member):
        """What the attributes of a property say."""
        if member.tag != "property":
            return ""
        emits = {note.get("name"): note.get("value") for note in member.findall("annotation")}.get(EMITS, "true")
        said = [fact for fact in (ACCESS[member.get("access")], CHANGES[emits]) if fact]
        return f"*{'; '.join(said)}*\n\n" if said else ""

    def index(self):
        """A list of the interfaces with all their members."""
        text = "## Interfaces and members\n\n"
        for name, interface in self.found.items():
            links = " ".join(f"[{member.get('name')}]({name}.md#{member.get('name').lower()})"
                             for member, _ in interface.members)
            text += f"- [{name}]({name}.md): {self.marked('', interface.brief)}<br>{links}\n"
        return text + "\n```{toctree}\n:hidden:\n\n" + "\n".join(self.found) + "\n```\n"
