#!/usr/bin/python3
"""Measures pages of a million recents over the bus, and the start of a daemon that has them.

The rows are written into the file that callkit-store has made; all else is asked of the daemon as any client would.
"""

import argparse
import os
import sqlite3
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
           iif(n % 2, 'incoming', 'outgoing'), 'phone-number', printf('070-1%06d', n * 7919 % 20000),
           printf('+46701%06d', n * 7919 % 20000), iif(n % 3, '', printf('Person %d', n * 7919 % 20000)),
           iif(n % 3, 'none', 'contacts'), 0, {first} + n * {minute}, iif(n % 10 = 1, 0, {first} + n * {minute} + 5),
           {first} + n * {minute} + 9, 4, iif(n % 10 = 1, 'unanswered', 'remote-ended'), 'remote', '', '', '',
           n % 10 = 1, 0, n % 100 <> 1
    FROM number
"""


def fill(path, rows):
    """Writes the rows, and the indices after them."""
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("PRAGMA synchronous = OFF")
        kept = database.execute("SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'recent' "
                                "AND type IN ('index', 'trigger') AND sql IS NOT NULL").fetchall()
        database.execute("BEGIN")
        for kind, name, _ in kept:
            database.execute(f"DROP {kind} {name}")
        database.execute(FILL.format(rows=rows, first=FIRST, minute=MINUTE))
        for _, _, sql in kept:
            database.execute(sql)
        database.execute("INSERT INTO recentText (recentText) VALUES ('rebuild')")
        database.execute("COMMIT")
    database.close()


def page(tree, offset=0, **conditions):
    values = dbus.Dictionary({key.replace("_", "-"): value for key, value in conditions.items()}, signature="sv")
    return tree.call(RECENTS, RECENTS1, "List", "a{sv}uu", values, dbus.UInt32(offset), dbus.UInt32(50))


def measure(tree, section, what, expected, offset=0, limited=True, **conditions):
    """Pages over and over. Without a limit are those for which rows without end have to be passed over."""
    times = []
    for _ in range(ROUNDS):
        begin = time.monotonic()
        found = page(tree, offset, **conditions)
        times.append((time.monotonic() - begin) * 1000)
        if len(found) != expected:
            raise Failure(f"{what}: {len(found)} rows, expected {expected}")
    times.sort()
    limit = LIMIT if limited else None
    row(what, f"{times[len(times) // 2]:.1f}", f"{times[-1]:.1f}", limit=f"{limit or ''}",
        verdict=section.verdict(what, times[len(times) // 2], limit))


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


def run(build, rows, folder):
    with Tree(folder) as tree:
        section = Section(tree)
        section.limited = True
        command = [f"{build}/callkitd"]
        before = tree.measure("moments", "start", 10, NAME, *command)[0] / 1e6
        daemon = tree.service(NAME, *command)
        until(lambda: kept(tree), "the store")
        stop(tree, daemon)
        begin = time.monotonic()
        path = f"{tree.environment['XDG_DATA_HOME']}/opencallkit/recents.sqlite"
        fill(path, rows)
        print(f"{rows} rows in {time.monotonic() - begin:.0f} s, {os.stat(path).st_size / 1e6:.0f} MB; ms over the bus")
        after = tree.measure("moments", "start", 10, NAME, *command)[0] / 1e6
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
        measure(tree, section, "one provider, deep", 50, rows // 2, limited=False, provider="Alpha")
        measure(tree, section, "a rare provider's", 50, provider="Rare")
        measure(tree, section, "nobody's", 0, provider="Nobody")
        measure(tree, section, "provider and direction, none", 0, provider="Rare", direction="outgoing")
        measure(tree, section, "missed", 50, missed=True)
        measure(tree, section, "missed, one provider", 50, missed=True, provider="Alpha")
        measure(tree, section, "some hours long ago", 50, since=dbus.UInt64(middle), until=dbus.UInt64(middle + 50 * MINUTE - 1))
        measure(tree, section, "missed until long ago", 50, missed=True, until=dbus.UInt64(middle))
        measure(tree, section, "text, frequent", 50, text="person")
        measure(tree, section, "text, rare", 17, limited=False, text="Person 19997")
        measure(tree, section, "text, a number", 50, text="070-101 53")
        measure(tree, section, "text, none", 0, text="somebody else")
        measure(tree, section, "text and provider", 50, text="person", provider="Beta")
        measure(tree, section, "text of two letters", 50, text="Pe")
        measure(tree, section, "text of two letters, none", 0, limited=False, text="qx")
        measure(tree, section, "one party", 50, handle=dbus.Struct(("phone-number", "+46701000077")))
        store = next(int(pid) for pid in open(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read().split())
        row("store's RSS, MB", f"{kibibytes(f'/proc/{store}/status', 'VmRSS') * 1024 / 1e6:.1f}")
        return section.broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is broken")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and callkit-store, release")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compile_programs(folder)
        broken = run(os.path.abspath(options.build), options.rows, folder)
    if broken:
        print(f"over the limit: {', '.join(broken)}")
    return 1 if options.check and broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, dbus.DBusException) as failure:
        sys.exit(f"bench: {failure}")
