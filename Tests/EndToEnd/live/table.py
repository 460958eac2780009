"""The table of docs/desktop.md: what the scenes have shown, desktop by desktop. As a program, writes it.

Rows of desktops that were not played since the results were deleted stay as they are.
"""

import json
import os
import re

REPOSITORY = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
RESULTS = os.path.join(REPOSITORY, ".build", "live")
PAGE = os.path.join(REPOSITORY, "docs", "desktop.md")
BEGIN, END = "<!-- The tests write this table: make test-desktops-live. -->", "<!-- The table ends. -->"
COLUMNS = ("shown", "answered", "silenced", "quiet", "ended")


def keep(desktop, name, column, reason):
    """- reason: why it failed; "" if it did not."""
    os.makedirs(RESULTS, exist_ok=True)
    row = f"{desktop.name} {desktop.version}"
    with open(os.path.join(RESULTS, f"{row}.{name}.json".replace("/", "-")), "w", encoding="utf-8") as file:
        json.dump({"row": row, "name": name, "column": column, "reason": reason}, file)


def results():
    """The cells of each desktop that was played."""
    rows = {}
    for name in sorted(os.listdir(RESULTS)) if os.path.isdir(RESULTS) else []:
        with open(os.path.join(RESULTS, name), encoding="utf-8") as file:
            result = json.load(file)
        rows.setdefault(result["row"], {}).setdefault(result["column"], []).append(result)
    return {row: [cell(columns.get(column, [])) for column in COLUMNS] for row, columns in rows.items()}


def cell(scenes):
    """yes, what went wrong, or a dash."""
    if not scenes:
        return "–"
    failed = [scene["name"].removeprefix("test_").replace("_", " ") for scene in scenes if scene["reason"]]
    return f"not: {', '.join(failed)}" if failed else "yes"


def written(text):
    """The page with the table."""
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    rows = {cells[0]: cells[1:] for cells in (
        [cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"(?m)^\|.*\|$", old)[2:])}
    rows.update(results())
    lines = [f"| desktop | {' | '.join(COLUMNS)} |", f"|{'---|' * (len(COLUMNS) + 1)}"]
    lines += [f"| {' | '.join([row, *cells])} |" for row, cells in sorted(rows.items())]
    return before + "\n".join([BEGIN, "", *lines, "", END]) + after


if __name__ == "__main__":
    with open(PAGE, encoding="utf-8") as file:
        page = written(file.read())
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)
