#!/usr/bin/python3
"""Measures pages of a million recents over the bus, and the start of a daemon that has them.

The rows are written into the file that callkit-store has made; all else is asked of the daemon as any client would.
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
LIMIT = 20
"""ms for a page of 50."""
FIRST = 1_700_000_000_000_000
MINUTE = 60_000_000

FILL = """
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {rows})
    INSERT INTO recent (call, provider, direction, handleType, handle, normalized, name, nameSource, video, started,
                        connected, ended, duration, reason, endedBy, filtered, filteredBy, screening, missed, open, read)
    SELECT printf('%08x-0000-4000-8000-%012x', n, n), iif(n % 1000 = 7, 'Rare', iif(n % 5 < 3, 'Alpha', 'Beta')),
           iif(n % 2, 'incoming', 'outgoing'), 'phone-number', printf('070-1%06d', n * 7919 % {parties}),
           printf('+46701%06d', n * 7919 % {parties}), iif(n % 3, '', printf('Person %d', n * 7919 % {parties})),
           iif(n % 3, 'none', 'contacts'), 0, {first} + n * {minute}, iif(n % 10 = 1, 0, {first} + n * {minute} + 5),
           {first} + n * {minute} + 9, 4, iif(n % 10 = 1, 'unanswered', 'remote-ended'), 'remote', '', '', '',
           n % 10 = 1, 0, n % 100 <> 1
    FROM number
"""

TEXT = "lower(handle || char(10) || recent.normalized || char(10) || name)"
FOLLOW = f"""
    INSERT INTO party (normalized, text) SELECT DISTINCT normalized, {TEXT} FROM recent;
    INSERT INTO providerNumber (provider) SELECT DISTINCT provider FROM recent;
    UPDATE recent SET
        party = (SELECT party.id FROM party WHERE text = {TEXT} AND party.normalized = recent.normalized),
        providerNumber = (SELECT number FROM providerNumber WHERE provider = recent.provider);
    UPDATE setting SET value = (SELECT count(*) FROM recent) WHERE name = 'count';
    UPDATE setting SET value = (SELECT count(*) FROM recent WHERE missed AND NOT read) WHERE name = 'unread';
"""
"""What follows from the rows: the store writes it with each of them."""

STARTS = 20

BLOCK = 2048
"""Rows in a block of those by which rows are found."""

TEXTS = {"": None, "frequent text": "person", "rare text": "Person 19997", "a number": "070-101 53", "two letters": "pe",
         "two letters, nobody's": "qx", "one digit": "7", "nobody's text": "somebody else"}
PROVIDERS = ("", "Alpha", "Rare", "Nobody")
DIRECTIONS = ("", "incoming", "outgoing")
MISSED = (None, True, False)
OFFSETS = (0, 1_000, 100_000, 900_000)


def fill(path, rows, parties):
    """Writes the rows, and what follows from them after them."""
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("PRAGMA synchronous = OFF")
        kept = database.execute("SELECT type, name, sql FROM sqlite_master WHERE tbl_name IN ('recent', 'party') "
                                "AND type IN ('index', 'trigger') AND sql IS NOT NULL").fetchall()
        for kind, name, _ in kept:
            database.execute(f"DROP {kind} {name}")
        database.execute("BEGIN")
        database.execute(FILL.format(rows=rows, parties=parties, first=FIRST, minute=MINUTE))
        for statement in FOLLOW.split(";\n"):
            database.execute(statement)
        for _, _, sql in kept:
            database.execute(sql)
        database.execute("COMMIT")
    database.close()


def blocks(path):
    """How many blocks the store has put together."""
    with sqlite3.connect(path) as database:
        return database.execute("SELECT count(*) FROM recentBlock").fetchone()[0]


def page(tree, offset=0, **conditions):
    values = dbus.Dictionary({key.replace("_", "-"): value for key, value in conditions.items()}, signature="sv")
    return tree.call(RECENTS, RECENTS1, "List", "a{sv}uu", values, dbus.UInt32(offset), dbus.UInt32(50))


def measure(tree, section, what, expected, offset=0, **conditions):
    """Pages over and over."""
    times = []
    for _ in range(ROUNDS):
        begin = time.monotonic()
        found = page(tree, offset, **conditions)
        times.append((time.monotonic() - begin) * 1000)
        if len(found) != expected:
            raise Failure(f"{what}: {len(found)} rows, expected {expected}")
    times.sort()
    row(what, f"{times[len(times) // 2]:.1f}", f"{times[-1]:.1f}", limit=f"{LIMIT}",
        verdict=section.verdict(what, times[len(times) // 2], LIMIT))


def combinations(rows):
    """Every page that conditions of each kind ask for together: what it is called, its offset and its conditions."""
    middle = FIRST + rows // 2 * MINUTE
    times = {"": {}, "some hours": {"since": middle, "until": middle + 50 * MINUTE}, "the first half": {"until": middle},
             "since late": {"since": FIRST + rows // 10 * 9 * MINUTE}}
    for (said, text), provider, direction, missed, (when, span), offset in itertools.product(
            TEXTS.items(), PROVIDERS, DIRECTIONS, MISSED, times.items(), OFFSETS):
        conditions = {"text": text, "provider": provider, "direction": direction, "missed": missed}
        conditions = {key: value for key, value in conditions.items() if value not in (None, "")}
        conditions.update((key, dbus.UInt64(value)) for key, value in span.items())
        words = [said, provider and f"by {provider}", direction, {None: "", True: "missed", False: "not missed"}[missed],
                 when, offset and f"after {offset}"]
        yield " ".join(filter(None, words)) or "all", offset, conditions


def measure_all(tree, section, rows):
    """Each combination once, and what was slow more often: that one time is too long may be another's fault."""
    def once():
        begin = time.monotonic()
        page(tree, offset, **conditions)
        return (time.monotonic() - begin) * 1000
    found = []
    for what, offset, conditions in combinations(rows):
        took = once()
        if took > LIMIT / 2:
            took = statistics.median(once() for _ in range(ROUNDS))
        found.append((took, what))
    found.sort(reverse=True)
    worst = found[0][0]
    row(f"all {len(found)} combinations", f"{statistics.median(took for took, _ in found):.1f}", f"{worst:.1f}",
        limit=f"{LIMIT}", verdict=section.verdict("all combinations", worst, LIMIT))
    for took, what in found[:5]:
        print(f"  {took:.1f} ms: {what}")


def kept(tree):
    """The store has opened its file."""
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
        # What the store puts together as calls come and go, it puts together now.
        page(tree, rows, text="person")
        until(lambda: blocks(path) >= rows // BLOCK, "the blocks")
        stop(tree, daemon)
        print(f"{rows} rows of {parties} callers in {filled:.0f} s, blocks in {time.monotonic() - begin:.1f} s, "
              f"{os.stat(path).st_size / 1e6:.0f} MB; ms over the bus")
        before, after = starts(tree, command, folder)
        row("start to owned name", f"{after:.1f}", floor=f"{before:.1f}", limit=f"{before + 5:.1f}",
            verdict=section.verdict("start", after, before + 5))
        daemon = tree.service(NAME, *command)
        begin = time.monotonic()
        until(lambda: kept(tree), "the store")
        row("name to first page", f"{(time.monotonic() - begin) * 1000:.1f}")
        row("", "median", "worst", limit="limit")
        middle = FIRST + rows // 2 * MINUTE
        measure(tree, section, "newest", 50)
        for part, name in ((4, "a quarter"), (2, "half")):
            measure(tree, section, f"after {name} of all", 50, rows // part)
        measure(tree, section, "oldest", 50, rows - 50)
        measure(tree, section, "one provider", 50, provider="Alpha")
        measure(tree, section, "one provider, deep", 50, rows // 2, provider="Alpha")
        measure(tree, section, "a rare provider's", 50, provider="Rare")
        measure(tree, section, "nobody's", 0, provider="Nobody")
        measure(tree, section, "provider and direction, none", 0, provider="Rare", direction="outgoing")
        measure(tree, section, "missed", 50, missed=True)
        measure(tree, section, "missed, one provider", 50, missed=True, provider="Alpha")
        measure(tree, section, "some hours long ago", 50, since=dbus.UInt64(middle), until=dbus.UInt64(middle + 50 * MINUTE - 1))
        measure(tree, section, "missed until long ago", 50, missed=True, until=dbus.UInt64(middle))
        measure(tree, section, "text, frequent", 50, text="person")
        measure(tree, section, "text, rare", 17, text="Person 19997")
        measure(tree, section, "text, a number", 50, text="070-101 53")
        measure(tree, section, "text, none", 0, text="somebody else")
        measure(tree, section, "text and provider", 50, text="person", provider="Beta")
        measure(tree, section, "text of two letters", 50, text="Pe")
        measure(tree, section, "text of two letters, none", 0, text="qx")
        measure(tree, section, "one party", 50, handle=dbus.Struct(("phone-number", "+46701000077")))
        measure_all(tree, section, rows)
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
