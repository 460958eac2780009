#!/usr/bin/python3
"""Compares two runs of `make bench` on one machine: `compare.py A.json B.json`.

A row is marked if the middle halves of its repetitions, in one run and in the other, have nothing in common. Rows that
were measured once have no repetitions: `?` says that they differ.
"""

import argparse
import json
import sys

from rows import Row, begin, headed


class Refusal(Exception):
    """The runs cannot be compared."""


def mark(a, b):
    """What has become of a row, beyond the noise."""
    if a.middle is None or b.middle is None:
        return "" if a.value == b.value else "?"
    return "MORE" if b.middle[0] > a.middle[1] else "less" if b.middle[1] < a.middle[0] else ""


def pairs(a, b):
    """The rows that both runs have, and the names of those that one of them has."""
    if a["machine"] != b["machine"]:
        one, other = (", ".join(map(str, run["machine"].values())) for run in (a, b))
        raise Refusal(f"these are runs of two machines: {one}; and {other}")
    if a["quick"] != b["quick"]:
        raise Refusal("one of the runs was quick, and the other was not")
    first, second = ({(row["part"], row["name"]): Row(**row) for row in run["rows"]} for run in (a, b))
    both = [(row, second[key]) for key, row in first.items() if key in second]
    return both, sorted(first.keys() ^ second.keys())


def lines(a, b):
    both, alone = pairs(a, b)
    found = [f"{'A':>52}{'B':>9}{'B / A':>11}"]
    for one, other in both:
        ratio = f"{other.value / one.value:.2f}" if one.value else "1.00" if one.value == other.value else ""
        found.append(f"{begin(one, one.value, other.value)}{one.unit:<4}{ratio:>6} {mark(one, other)}".rstrip())
    found = [f"{name}: {run['ended']}, load {run['load']:.1f}" for name, run in (("A", a), ("B", b))] \
        + headed(found, [one for one, _ in both])
    found += ["", *(f"only in one of them: {part}: {name.strip()}" for part, name in alone)]
    marks = [mark(*pair) for pair in both]
    found.append(f"{len(both)} rows; beyond the noise: {marks.count('MORE')} MORE, {marks.count('less')} less; "
                 f"{marks.count('?')} differ, measured once (?)")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A.json", type=argparse.FileType())
    parser.add_argument("b", metavar="B.json", type=argparse.FileType())
    options = parser.parse_args()
    try:
        print("\n".join(lines(json.load(options.a), json.load(options.b))))
    except Refusal as refusal:
        sys.exit(f"compare: {refusal}")


if __name__ == "__main__":
    main()
