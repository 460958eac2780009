"""What `make bench` measures, as rows: each has a limit or says why it has none, and all stand in one table.

Less is better in every row. Most are ratios within one run, since machines differ by a factor of three.
"""

import dataclasses
import hashlib
import json
import os
import platform
import statistics
import time

WIDTH = 42
"""Of a row's name: the table has 80 columns."""
ABSOLUTE = "It is a time of this machine: the ratio beside it has the limit."
THEIRS = "It is another program's, to compare with."
DISK = "It hangs on the disk."
TAIL = "What comes once in a hundred times hangs on what else the machine does."


@dataclasses.dataclass
class Row:
    """A figure that was measured in a part of the bench. It is the median of its repetitions, if there are any."""
    part: str
    name: str
    value: float
    unit: str
    limit: float | None = None
    """More is a fault, on any machine."""
    target: float | None = None
    """The figure that it is to reach. More is no fault, yet."""
    reason: str = ""
    """Why there is no limit."""
    middle: list | None = None
    """Between which figures the middle half of the repetitions lies."""

    def __post_init__(self):
        if (self.limit is None) != bool(self.reason):
            raise ValueError(f"{self.name}: it has either a limit or a reason for having none")
        if len(self.name) > WIDTH:
            raise ValueError(f"{self.name}: longer than {WIDTH}")

    @property
    def is_over(self):
        return self.limit is not None and self.value > self.limit

    @property
    def is_short(self):
        """Whether it has not reached its target."""
        return self.target is not None and self.value > self.target


class Part:
    """One part of the bench that runs: its arguments, and the rows that it has measured."""

    def __init__(self, name, build="", plugins="", folder="", quick=False):
        self.name, self.build, self.plugins, self.folder, self.quick = name, build, plugins, folder, quick
        self.rows = []
        self.unlimited = ""
        """Why the rows have no limits from here on."""

    def times(self, count):
        """How often something is repeated that a full run repeats so many times."""
        return max(3, count // 5) if self.quick else count

    def row(self, name, measured, unit="", limit=None, target=None, reason=""):
        """Adds a figure, or the median of several."""
        middle = None
        if isinstance(measured, list):
            if len(measured) > 1:
                middle = statistics.quantiles(measured, n=4, method="inclusive")[::2]
            measured = statistics.median(measured)
        if self.unlimited:
            limit, target, reason = None, None, self.unlimited
        if any((row.part, row.name) == (self.name, name) for row in self.rows):
            raise ValueError(f"{name}: there are two of it")
        self.rows.append(Row(self.name, name, measured, unit, limit, target, reason, middle))

    def compared(self, name, ours, theirs, what, unit, limit, target=None):
        """Two rows: what was measured in turns with `what`, and the ratio to that, turn by turn."""
        self.row(name, ours, unit, reason=ABSOLUTE)
        self.row(f"  to {what}", ratios(ours, theirs), "×", limit, target)


def in_turns(count, *measures):
    """What each of the measures returns, `count` times over: the order changes, so that the state of the machine is the
    same for all."""
    found = [[] for _ in measures]
    for turn in range(count):
        for measure, into in list(zip(measures, found))[::1 if turn % 2 else -1]:
            into.append(measure())
    return found


def ratios(ours, theirs):
    return [mine / other for mine, other in zip(ours, theirs)]


def early(samples):
    """The 10th percentile: what it takes if nothing else comes between, also on a machine that is busy."""
    return statistics.quantiles(samples, n=10, method="inclusive")[0]


def late(samples):
    """The 99th percentile."""
    return statistics.quantiles(samples, n=100, method="inclusive")[98]


def machine():
    """What must be the same in two runs that are compared."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":")[1].strip() for line in file if line.lower().startswith("model name")]
    with open("/etc/machine-id", "rb") as file:
        # It is not for others to see.
        name = hashlib.sha256(b"opencallkit-bench" + file.read()).hexdigest()[:12]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {"id": name, "processor": models[0] if models else platform.machine(),
            "processors": len(os.sched_getaffinity(0)), "memory": f"{memory:.0f} GiB"}


def run_of(rows, quick=False):
    """A whole run, as `--json` writes it."""
    return {"machine": machine(), "ended": time.strftime("%F %T"), "load": os.getloadavg()[2], "quick": quick,
            "rows": [dataclasses.asdict(row) for row in rows]}


def write(path, rows, quick=False):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(run_of(rows, quick), file, indent=1, ensure_ascii=False)


def number(value, unit=""):
    """Three digits that tell something."""
    digits = 0 if unit in ("", "B", "ns") and value == int(value) or abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def table(rows):
    """All rows as lines: those over their limits are marked, and those that are to become less."""
    reasons = list(dict.fromkeys(row.reason for row in rows if row.reason))
    lines = [f"{'limit':>64}{'to reach':>9}"]
    for row in rows:
        limit = f"({chr(97 + reasons.index(row.reason))})" if row.reason else f"{row.limit:g}"
        target = "" if row.target is None else f"{row.target:g}"
        mark = "OVER" if row.is_over else "more" if row.is_short else ""
        lines.append(f"{begin(row, row.value)}{row.unit:<4}{limit:>7}{target:>9} {mark}".rstrip())
    lines = headed(lines, rows)
    lines += ["", *(f"({chr(97 + index)}) {reason}" for index, reason in enumerate(reasons))]
    return lines + ["", f"{len(rows)} rows: {sum(row.is_over for row in rows)} OVER their limits, "
                    f"{sum(row.is_short for row in rows)} more than the figures that they are to reach"]


def headed(lines, rows):
    """The lines of a table, its heading first, with one more before the rows of each part."""
    found, parts = lines[:1], [row.part for row in rows]
    for line, part, last in zip(lines[1:], parts, [None, *parts]):
        found += [line] if part == last else ["", part, line]
    return found


def begin(row, *values):
    """How its line begins."""
    return f"  {row.name:<{WIDTH}}" + "".join(f"{number(value, row.unit):>8} " for value in values)


def status(rows, failures=()):
    """What a run exits with."""
    return 1 if failures or any(row.is_over for row in rows) else 0
