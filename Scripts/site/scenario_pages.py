"""The scenario files on the site: what happens in each, in sentences, and the file itself."""

import glob
import os
import re

from links import escaped

FOLDER = os.path.join("Tests", "Scenarios", "Files")
ACTIONS = [(re.compile(pattern), said) for pattern, said in [
    (r"set-held (\S+) on\b", r"hold \1"),
    (r"set-held (\S+) off\b", r"resume \1"),
    (r"set-muted (\S+) on\b", r"mute \1"),
    (r"set-muted (\S+) off\b", r"unmute \1"),
    (r"set-group (\S+) with none\b", r"take \1 out of its group"),
    (r"set-group (\S+) with (\S+)", r"join \1 with \2"),
    (r"play-dtmf (\S+) (\S+)", r"send the digits \2 in \1"),
    (r"(start|answer|end) ([A-Z]\d*)\b", r"\1 \2"),
]]
"""What an action does, in words; another one stands as it is."""
WORD = re.compile(r'(?:[^\s"]|"[^"]*")+')
WITHIN = re.compile(r" by=\+(\d+)ms\b")
RULE = re.compile(r" rule=(\d+)")
LINES = [(re.compile(pattern), said) for pattern, said in [
    # What comes in.
    (r"register (\S+)(?P<rest>.*)", r"Provider \1 registers."),
    (r"incoming (\S+) (\S+)(?P<rest>.*)", r"\1 reports an incoming call, \2."),
    (r"ongoing (\S+) (\S+)(?P<rest>.*)", r"\1 reports a call that is connected already, \2."),
    (r"update (\S+) (\S+)(?P<rest>.*)", r"\1 reports a change of \2."),
    (r"connecting (\S+) (\S+)(?P<rest>.*)", r"\1 reports that \2 is being connected."),
    (r"connected (\S+) (\S+)(?P<rest>.*)", r"\1 reports that the far side has answered \2."),
    (r"ended (\S+) (\S+) (?:reason=)?(\S+)(?P<rest>.*)", r"\1 reports that \2 has ended: \3."),
    (r"lose (\S+)", r"Provider \1 dies."),
    (r"remove (\S+)", r"Provider \1 leaves."),
    (r"fulfil-all", r"Every provider does what it was asked to do."),
    (r"advance (\d+)", r"\1 ms pass."),
    (r"elapse (\d+)", r"\1 µs pass."),
    (r"timer (\S+)/(\S+)", r"The deadline *\1* of \2 passes."),
    (r"audio-released (\S+)", r"\1 has released the audio."),
    (r"do-not-disturb yes", r"The user turns Do Not Disturb on."),
    (r"do-not-disturb no", r"The user turns Do Not Disturb off."),
    (r"shut-down", r"The daemon is to shut down."),
    (r"check", r"All calls are listed."),
    (r"explain (\S+)", r"What led to the state of \1?"),
    # What follows.
    (r"arm (\S+)/(\S+) \+(\d+)ms", r"The deadline *\1* of \2 begins: \3 ms."),
    (r"disarm (\S+)/(\S+)", r"The deadline *\1* of \2 counts no longer."),
    (r"reply (#\d+) call (\S+)", r"The report is accepted, as call \2."),
    (r"reply (#\d+) performed\b(.*)", r"The request has succeeded."),
    (r"reply (#\d+) done\b(.*)", r"The report is accepted."),
    (r"reply (#\d+) error (.*)", r"It is refused: \2"),
    (r"added (\S+) state=(\S+)(?P<rest>.*)", r"Call \1 appears: **\2**"),
    (r"changed (\S+) state=(\S+)(?P<rest>.*)", r"\1 is **\2**"),
    (r"changed (\S+)(?P<rest>.*)", r"\1 changes:"),
    (r"removed (\S+)", r"The object of \1 disappears."),
    (r"active-call none", r"No call is active."),
    (r"active-call (\S+)", r"The active call is \1."),
    (r"ringing none", r"Nothing rings aloud."),
    (r"ringing (\S+)", r"\1 rings aloud."),
    (r"audio (none|waiting|releasing|preparing)\b(?P<rest>.*)", r"Nobody has the audio: \1"),
    (r"audio (\S+)", r"\1 has the audio."),
    (r"activate-audio (\S+) (\S+)", r"\1 gets the audio, for \2."),
    (r"deactivate-audio (\S+)", r"\1 is to release the audio."),
    (r"call-ended (\S+) (\S+) by (\S+)", r"\1 has ended: \2, by \3."),
    (r"resume-suggested (\S+)", r"The user is offered to resume \1."),
    (r"filtered (\S+) of (\S+): (.*)", r"Call \1 of \2 does not ring: \3."),
    (r"provider-added (\S+)", r"The object of provider \1 appears."),
    (r"provider-removed (\S+)", r"The object of provider \1 disappears."),
    (r"anomaly (\S+) (.*)", r"It is noted as the anomaly \1: \2."),
    (r"because (\S+) (.*)", r"\1: \2."),
    (r"timed-out (\S+) (.*)", r"\1 is told that the time is over: \2."),
    (r"look-up (\S+) (?P<rest>.*)", r"Who is the caller of \1? "),
]]
"""A line in words; one that none of these matches stands as it is."""


class Scenario:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.name = os.path.basename(path).removesuffix(".scenario")
        head = [line[2:] for line in self.text.split("\n") if line.startswith("# ")]
        self.title = head[0]
        self.rules = next((re.findall(r"\d+", line) for line in head if line.startswith("rules:")), [])
        self.remarks = [line for line in head[1:] if not line.startswith("rules:")]
        body = "\n".join(line for line in self.text.split("\n") if not line.startswith("#"))
        self.blocks = [block.strip("\n").split("\n") for block in re.split(r"\n\s*\n", body.strip("\n"))]
        self.actions = {}
        """What a numbered action asks, and of whom."""

    def sentence(self, line):
        line = line.removeprefix("given ")
        if match := re.fullmatch(r"perform (a\d+) on (\S+): (.*)", line):
            number, provider, action = match.groups()
            within = WITHIN.search(action)
            asked = RULE.sub(r" (row \1)", self.in_words(WITHIN.split(action)[0]))
            self.actions[number] = provider, asked
            return f"{escaped(provider)} is asked to {asked}" + (f", within {within[1]} ms." if within else ".")
        if (match := re.fullmatch(r"(fulfil|fail) (a\d+)(.*)", line)) and match[2] in self.actions:
            provider, asked = self.actions[match[2]]
            done = "has done it" if match[1] == "fulfil" else "refuses"
            return f"{escaped(provider)} {done}: {asked}.{escaped(match[3])}"
        if match := re.fullmatch(r"request (client|provider) ([^:]*(?::\d[^:]*)?): (.*)", line):
            who = "A client" if match[1] == "client" else f"Provider {escaped(match[2])}"
            return f"{who} requests: {'; '.join(self.in_words(action) for action in match[3].split('; '))}."
        for pattern, said in LINES:
            if match := pattern.fullmatch(line):
                said = re.sub(r"\\(\d)", lambda group: escaped(match[int(group[1])] or ""), said)
                words = WORD.findall(match.groupdict().get("rest") or "")
                return said.rstrip(".") + ": " + ", ".join(f"`{word}`" for word in words) if words else said
        return f"`{line}`"

    @staticmethod
    def in_words(action):
        for pattern, said in ACTIONS:
            if match := pattern.match(action):
                return escaped(match.expand(said) + action[match.end():])
        return escaped(action)

    def page(self, row):
        """The page; `row` makes a link of the number of a row in the decision table."""
        shown = f"Shows {', '.join(row(rule) for rule in self.rules)} of the decision table." if self.rules else ""
        text = f"---\norphan: true\n---\n# {escaped(self.title)}\n\n"
        text += f"Scenario `{self.name}`, one of [all scenarios](index.md). {shown}\n\n"
        text += "".join(f"- `{remark}`\n" for remark in self.remarks)
        text += "\n## What happens\n\n"
        for block in self.blocks:
            split = block.index("----") if "----" in block else len(block)
            commands, effects = block[:split], block[split + 1:]
            given = [command.startswith("given ") for command in commands]
            label = "Before this: " if given and all(given) else ""
            said = [f"**{self.sentence(command).replace('**', '')}**" for command in commands]
            text += f"1. {label}" + "\\\n   ".join(said) + "\n"
            text += "".join(f"   - {self.sentence(effect)}\n" for effect in effects)
        return text + f"\n## The file\n\n```text\n{self.text.rstrip()}\n```\n"


def scenarios(root):
    """The scenarios by name, in the order of their names."""
    paths = sorted(glob.glob(os.path.join(root, FOLDER, "*.scenario")))
    found = [Scenario(path) for path in paths]
    return {scenario.name: scenario for scenario in found}


def index(found, rows, row):
    """The page that lists them, by the row of the decision table with whose number their names begin."""
    text = "# All scenarios\n\nEach is a file in `Tests/Scenarios/Files`; [Scenario files](../guide/scenarios.md) " \
        "explains the form. The tests play each in the core, in the real host and in the real daemon.\n"
    groups = {number: [] for number in rows}
    for name, scenario in found.items():
        groups.setdefault(name.split("-")[0].lstrip("0"), []).append(scenario)
    others = {"Other policies": groups.pop("policy", [])}
    others["Beside the table"] = [scenario for number in [*groups] if number not in rows
                                  for scenario in groups.pop(number)]
    for number, members in [*groups.items(), *others.items()]:
        text += f"\n## Row {number}\n\nThis is {row(number)} of the decision table.\n\n" if number in rows \
            else f"\n## {number}\n\n"
        text += "".join(f"- [{escaped(scenario.title)}]({scenario.name}.md)\n" for scenario in members)
    return text
