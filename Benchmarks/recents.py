#!/usr/bin/python3
"""Measures pages of a million recents over the bus, what deleting costs, and the start of a daemon that has them.

The rows are written into the file that callkit-store has made; the rest is done over the bus, as any client does it.
"""

import argparse
import itertools
import os
import sqlite3
import statistics
import sys
import tempfile
import time

import dbus

from bench import Section, row
from tree import NAME, ROOT, Failure, Tree, compile_programs, kibibytes, until

RECENTS = f"{ROOT}/recents"
RECENTS1 = "org.opencallkit.Recents1"
ROUNDS = 15
OPENED, COMBINED = 30, 300
"""ms for a page of 50: of those that people open, and of any combination of conditions."""
FIRST = 1_700_000_000_000_000
MINUTE = 60_000_000

PARTIES = """
    WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < {parties} - 1),
         named (yes) AS (VALUES (0), (1))
    INSERT INTO party (id, handleType, handle, normalized, name, text)
    SELECT 2 * n + yes + 1, 'phone-number', printf('070-1%06d', n), printf('+46701%06d', n),
           iif(yes, printf('Person %d', n), ''),
           printf('070-1%06d%s+46701%06d%s%s', n, char(10), n, char(10), iif(yes, printf('person %d', n), ''))
    FROM number, named
"""
"""Each number with a name and without."""

RECENT = """
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {rows})
    INSERT INTO recent (call, party, provider, direction, nameSource, video, started, connected, ended, duration, reason,
                        endedBy, filtered, filteredBy, screening, screeningReason, missed, open, read)
    SELECT printf('%08x-0000-4000-8000-%012x', n, n), 2 * (n * 7919 % {parties}) + (n % 3 = 0) + 1,
           iif(n % 1000 = 7, 'Rare', iif(n % 5 < 3, 'Alpha', 'Beta')), iif(n % 2, 'incoming', 'outgoing'),
           iif(n % 3, 'none', 'contacts'), 0, {first} + n * {minute}, iif(n % 10 = 1, 0, {first} + n * {minute} + 5),
           {first} + n * {minute} + 9, 4, iif(n % 10 = 1, 'unanswered', 'remote-ended'), 'remote', '', '', '', '',
           n % 10 = 1, 0, n % 100 <> 1
    FROM number
"""

STARTS = 20

TEXTS = {"": None, "frequent text": "person", "rare text": "Person 19997", "a number": "070-101 53", "two letters": "pe",
         "two letters, nobody's": "qx", "one digit": "7", "nobody's text": "somebody else"}
PROVIDERS = ("", "Alpha", "Rare", "Nobody")
DIRECTIONS = ("", "incoming", "outgoing")
MISSED = (None, True, False)
OFFSETS = (0, 1_000, 100_000, 900_000)


def fill(path, rows, parties):
    """Writes the rows, and then their indices."""
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("PRAGMA synchronous = OFF")
        indices = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'recent' "
                                   "AND sql IS NOT NULL").fetchall()
        for name, _ in indices:
            database.execute(f"DROP INDEX {name}")
        database.execute("BEGIN")
        database.execute(PARTIES.format(parties=parties))
        database.execute(RECENT.format(rows=rows, parties=parties, first=FIRST, minute=MINUTE))
        for _, sql in indices:
            database.execute(sql)
        database.execute("COMMIT")
    database.close()


def page(tree, offset=0, **conditions):
    values = dbus.Dictionary({key.replace("_", "-"): value for key, value in conditions.items()}, signature="sv")
    return tree.call(RECENTS, RECENTS1, "List", "a{sv}uu", values, dbus.UInt32(offset), dbus.UInt32(50))


def measure(tree, section, limit, what, expected, offset=0, **conditions):
    """Lists a page over and over."""
    times = []
    for _ in range(ROUNDS):
        begin = time.monotonic()
        found = page(tree, offset, **conditions)
        times.append((time.monotonic() - begin) * 1000)
        if len(found) != expected:
            raise Failure(f"{what}: {len(found)} rows, expected {expected}")
    times.sort()
    row(what, f"{times[len(times) // 2]:.1f}", f"{times[-1]:.1f}", limit=f"{limit}",
        verdict=section.verdict(what, times[len(times) // 2], limit))


def combinations(rows):
    """Every page that conditions of each kind ask for together: what it is called, its offset and its conditions."""
    middle = FIRST + rows // 2 * MINUTE
    times = {"": {}, "some hours": {"since": middle, "until": middle + 50 * MINUTE}, "the first half": {"until": middle},
             "since late": {"since": FIRST + rows // 10 * 9 * MINUTE}}
    for (said, text), provider, direction, missed, (when, span), offset in itertools.product(
            TEXTS.items(), PROVIDERS, DIRECTIONS, MISSED, times.items(), OFFSETS):
        conditions = {"text": text, "provider-id": provider, "direction": direction, "missed": missed}
        conditions = {key: value for key, value in conditions.items() if value not in (None, "")}
        conditions.update((key, dbus.UInt64(value)) for key, value in span.items())
        words = [said, provider and f"by {provider}", direction, {None: "", True: "missed", False: "not missed"}[missed],
                 when, offset and f"after {offset}"]
        yield " ".join(filter(None, words)) or "all", offset, conditions


def measure_all(tree, section, rows):
    """Measures each combination once, and slow ones again: a single time may be another process's fault."""
    def once():
        begin = time.monotonic()
        page(tree, offset, **conditions)
        return (time.monotonic() - begin) * 1000
    found = []
    for what, offset, conditions in combinations(rows):
        took = once()
        if took > COMBINED / 2:
            took = statistics.median(once() for _ in range(ROUNDS))
        found.append((took, what))
    found.sort(reverse=True)
    worst = found[0][0]
    row(f"all {len(found)} combinations", f"{statistics.median(took for took, _ in found):.1f}", f"{worst:.1f}",
        limit=f"{COMBINED}", verdict=section.verdict("all combinations", worst, COMBINED))
    for took, what in found[:5]:
        print(f"  {took:.1f} ms: {what}")


def measure_opened(tree, section, rows):
    """The pages that people open, and those that follow as they scroll."""
    party = dbus.Struct(("phone-number", "+46701000077"))
    for what, expected, conditions in (
            ("all", 50, {}), ("missed", 50, {"missed": True}), ("one provider", 50, {"provider-id": "Alpha"}),
            ("a rare provider's", 50, {"provider-id": "Rare"}), ("nobody's", 0, {"provider-id": "Nobody"}),
            ("one party", 50, {"handle": party}), ("text, frequent", 50, {"text": "person"}),
            ("text, rare", 17, {"text": "Person 19997"}), ("text, a number", 50, {"text": "070-101 53"}),
            ("text, none", 0, {"text": "somebody else"})):
        measure(tree, section, OPENED, what, expected, **conditions)
    middle = dbus.Int64(rows // 2)
    for what, conditions in (("all", {}), ("missed", {"missed": True}), ("one provider", {"provider-id": "Alpha"}),
                             ("text, frequent", {"text": "person"})):
        measure(tree, section, OPENED, f"{what}, far down", 50, before=middle, **conditions)


def measure_combined(tree, section, rows):
    """Some pages of several conditions, or after many rows."""
    middle = FIRST + rows // 2 * MINUTE
    for what, expected, offset, conditions in (
            ("after half of all", 50, rows // 2, {}), ("oldest", 50, rows - 50, {}),
            ("one provider, deep", 50, rows // 2, {"provider-id": "Alpha"}),
            ("provider and direction, none", 0, 0, {"provider-id": "Rare", "direction": "outgoing"}),
            ("missed, one provider", 50, 0, {"missed": True, "provider-id": "Alpha"}),
            ("some hours long ago", 50, 0, {"since": dbus.UInt64(middle), "until": dbus.UInt64(middle + 50 * MINUTE - 1)}),
            ("missed until long ago", 50, 0, {"missed": True, "until": dbus.UInt64(middle)}),
            ("text and provider", 50, 0, {"text": "person", "provider-id": "Beta"}),
            ("text of two letters", 50, 0, {"text": "Pe"}), ("text of two letters, none", 0, 0, {"text": "qx"})):
        measure(tree, section, COMBINED, what, expected, offset, **conditions)


def measure_changes(tree, rows, path):
    """What deleting takes, to the disk."""
    def change(what, member, signature="", *arguments):
        begin = time.monotonic()
        tree.call(RECENTS, RECENTS1, member, signature, *arguments, timeout=300)
        row(what, f"{(time.monotonic() - begin) * 1000:.1f}")
    # All calls of one name.
    calls = [dbus.Int64(found["id"]) for found in page(tree, text="Person 19997")]
    change("delete one", "Delete", "ax", dbus.Array([rows // 2], signature="x"))
    change("delete 100", "Delete", "ax", dbus.Array(range(rows // 2 + 1, rows // 2 + 101), signature="x"))
    change("delete a party", "Delete", "ax", dbus.Array(calls, signature="x"))
    left = rows - 101 - len(calls)
    for number in (1, 1_000, 100_000):
        left -= number
        change(f"retention, {number} rows", "SetRetention", "uu", dbus.UInt32(0), dbus.UInt32(left))
    days = dbus.UInt32((time.time() - (FIRST / 1e6 + rows // 5 * 60)) / 86_400)
    change(f"retention, {days} days", "SetRetention", "uu", days, dbus.UInt32(rows))
    change("clear", "Clear")
    print(f"  {os.stat(path).st_size / 1e6:.0f} MB, WAL {os.stat(path + '-wal').st_size / 1e6:.0f} MB")


def kept(tree):
    """Whether the store has opened its file."""
    try:
        page(tree)
    except dbus.DBusException:
        return False
    return True


def stop(tree, daemon):
    daemon.terminate()
    daemon.wait()
    tree.processes.remove(daemon)
    until(lambda: not tree.bus.name_has_owner(NAME), "the name to be free")


def starts(tree, command, folder):
    """How many ms a daemon takes from its start until it owns the name, without and with the rows: medians, in turns."""
    empty = f"{folder}/empty"
    os.makedirs(empty)
    compile_programs(empty)
    with Tree(empty) as other:
        times = [[each.measure("moments", "start", 1, NAME, *command)[0] / 1e6 for each in (other, tree)]
                 for _ in range(STARTS)]
    return (statistics.median(column) for column in zip(*times))


def run(build, rows, parties, folder):
    with Tree(folder) as tree:
        section = Section(tree)
        section.limited = True
        command = [f"{build}/callkitd"]
        daemon = tree.service(NAME, *command)
        until(lambda: kept(tree), "the store")
        stop(tree, daemon)
        begin = time.monotonic()
        path = f"{tree.environment['XDG_DATA_HOME']}/opencallkit/recents.sqlite"
        fill(path, rows, parties)
        filled = time.monotonic() - begin
        begin = time.monotonic()
        daemon = tree.service(NAME, *command)
        until(lambda: kept(tree), "the store")
        stop(tree, daemon)
        print(f"{rows} rows of {parties} callers in {filled:.0f} s, {os.stat(path).st_size / 1e6:.0f} MB; ms over the bus")
        before, after = starts(tree, command, folder)
        row("start to owned name", f"{after:.1f}", floor=f"{before:.1f}", limit=f"{before + 5:.1f}",
            verdict=section.verdict("start", after, before + 5))
        daemon = tree.service(NAME, *command)
        begin = time.monotonic()
        until(lambda: kept(tree), "the store")
        row("name to first page", f"{(time.monotonic() - begin) * 1000:.1f}")
        row("", "median", "worst", limit="limit")
        measure_opened(tree, section, rows)
        measure_combined(tree, section, rows)
        measure_all(tree, section, rows)
        measure_changes(tree, rows, path)
        store = next(int(pid) for pid in open(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read().split())
        row("store's RSS, MB", f"{kibibytes(f'/proc/{store}/status', 'VmRSS') * 1024 / 1e6:.1f}")
        return section.broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is broken")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--callers", type=int, default=20_000, help="different numbers in the rows, half of them with a name")
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and callkit-store, release")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compile_programs(folder)
        broken = run(os.path.abspath(options.build), options.rows, options.callers, folder)
    if broken:
        print(f"over the limit: {', '.join(broken)}")
    return 1 if options.check and broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, dbus.DBusException) as failure:
        sys.exit(f"bench: {failure}")
