"""Pages of a million recents over the bus, what deleting costs, and the start of a daemon that has them.

The rows are written into the file that callkit-store has made; the rest is done over the bus, as any client does it.
A page is compared with what SQLite takes, in this process, to read all rows.
"""

import contextlib
import itertools
import os
import sqlite3
import time
from statistics import median

import dbus

from rows import DISK, THEIRS, in_turns
from tree import NAME, ROOT, Failure, Tree, kibibytes, until

RECENTS = f"{ROOT}/recents"
RECENTS1 = "org.opencallkit.Recents1"
ROWS = 1_000_000
CALLERS = 20_000
"""Different numbers in the rows, half of them with a name."""
ROUNDS = 15
STARTS = 20
SLOWEST = 10
OPENED, COMBINED = 30, 300
"""Per cent of a read of all rows, for a page of 50: of those that people open, and of any combination of conditions."""
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
    INSERT INTO recent (call, party, provider, direction, nameSource, video, started, connected, ended, duration,
                        reason, endedBy, filtered, filteredBy, screening, screeningReason, missed, open, read)
    SELECT printf('%08x-0000-4000-8000-%012x', n, n), 2 * (n * 7919 % {parties}) + (n % 3 = 0) + 1,
           iif(n % 1000 = 7, 'Rare', iif(n % 5 < 3, 'Alpha', 'Beta')), iif(n % 2, 'incoming', 'outgoing'),
           iif(n % 3, 'none', 'contacts'), 0, {first} + n * {minute}, iif(n % 10 = 1, 0, {first} + n * {minute} + 5),
           {first} + n * {minute} + 9, 4, iif(n % 10 = 1, 'unanswered', 'remote-ended'), 'remote', '', '', '', '',
           n % 10 = 1, 0, n % 100 <> 1
    FROM number
"""

TEXTS = {"": None, "frequent text": "person", "rare text": "Person 19997", "a number": "070-101 53",
         "two letters": "pe", "two letters, nobody's": "qx", "one digit": "7", "nobody's text": "somebody else"}
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


def took(action, *arguments, **options):
    """How many ms an action takes, and what it returns."""
    begin = time.monotonic()
    result = action(*arguments, **options)
    return (time.monotonic() - begin) * 1000, result


def combinations(rows):
    """Every page that conditions of each kind ask for together: what it is called, its offset and its conditions."""
    middle = FIRST + rows // 2 * MINUTE
    times = {"": {}, "some hours": {"since": middle, "until": middle + 50 * MINUTE},
             "the first half": {"until": middle}, "since late": {"since": FIRST + rows // 10 * 9 * MINUTE}}
    for (said, text), provider, direction, missed, (when, span), offset in itertools.product(
            TEXTS.items(), PROVIDERS, DIRECTIONS, MISSED, times.items(), OFFSETS):
        conditions = {"text": text, "provider-id": provider, "direction": direction, "missed": missed}
        conditions = {key: value for key, value in conditions.items() if value not in (None, "")}
        conditions.update((key, dbus.UInt64(value)) for key, value in span.items())
        words = [said, provider and f"by {provider}", direction, {True: "missed", False: "not missed"}.get(missed),
                 when, offset and f"after {offset}"]
        yield " ".join(filter(None, words)) or "all", offset, conditions


def scans(path):
    """What a read of all rows takes, in ms."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return [took(database.execute, "SELECT total(duration + connected) FROM recent")[0] for _ in range(ROUNDS)]


def measure_all(part, tree, scan):
    """Measures each combination once, and the slowest again: a single time may be another process's fault."""
    def once(case):
        return took(page, tree, case[1], **case[2])[0] * 100 / scan
    cases = list(combinations(ROWS))[::10 if part.quick else 1]
    shares = [once(case) for case in cases]
    part.row("any combination of conditions", shares, "%", COMBINED)
    slowest = sorted(zip(shares, range(len(cases))), reverse=True)[:SLOWEST]
    again = {number: [once(cases[number]) for _ in range(ROUNDS)] for _, number in slowest}
    worst = max(again, key=lambda number: median(again[number]))
    part.row("  the slowest", again[worst], "%", COMBINED)
    print(f"bench: the slowest page is {cases[worst][0]}")


def measure_opened(part, tree, scan):
    """The pages that people open, and those that follow as they scroll."""
    party = dbus.Struct(("phone-number", "+46701000077"))
    before = {"before": dbus.Int64(ROWS // 2)}
    for what, expected, conditions in (
            ("all", 50, {}), ("missed", 50, {"missed": True}), ("one provider", 50, {"provider-id": "Alpha"}),
            ("a rare provider's", 50, {"provider-id": "Rare"}), ("nobody's", 0, {"provider-id": "Nobody"}),
            ("one party", 50, {"handle": party}), ("text, frequent", 50, {"text": "person"}),
            ("text, rare", 17, {"text": "Person 19997"}), ("text, a number", 50, {"text": "070-101 53"}),
            ("text, none", 0, {"text": "somebody else"}), ("all, far down", 50, before),
            ("missed, far down", 50, {"missed": True, **before}),
            ("one provider, far down", 50, {"provider-id": "Alpha", **before}),
            ("text, frequent, far down", 50, {"text": "person", **before})):
        times = []
        for _ in range(part.times(ROUNDS)):
            duration, found = took(page, tree, **conditions)
            times.append(duration * 100 / scan)
            if len(found) != expected:
                raise Failure(f"{what}: {len(found)} rows, expected {expected}")
        part.row(f"page: {what}", times, "%", OPENED)


def measure_changes(part, tree, path):
    """What deleting takes, to the disk."""
    def change(what, member, signature="", *arguments):
        part.row(what, took(tree.call, RECENTS, RECENTS1, member, signature, *arguments, timeout=300)[0], "ms",
                 reason=DISK)
    # All calls of one name.
    calls = [dbus.Int64(found["id"]) for found in page(tree, text="Person 19997")]
    change("delete one", "Delete", "ax", dbus.Array([ROWS // 2], signature="x"))
    change("delete 100", "Delete", "ax", dbus.Array(range(ROWS // 2 + 1, ROWS // 2 + 101), signature="x"))
    change("delete a party", "Delete", "ax", dbus.Array(calls, signature="x"))
    left = ROWS - 101 - len(calls)
    for number in (1, 1_000, 100_000):
        left -= number
        change(f"retention, {number:,} rows", "SetRetention", "uu", dbus.UInt32(0), dbus.UInt32(left))
    days = dbus.UInt32((time.time() - (FIRST / 1e6 + ROWS // 5 * 60)) / 86_400)
    change("retention, by days", "SetRetention", "uu", days, dbus.UInt32(ROWS))
    change("clear", "Clear")
    for what, file in (("file after that", path), ("  its log", f"{path}-wal")):
        part.row(what, os.stat(file).st_size / 2**20, "MiB", reason="SQLite gives back space when it likes.")


def kept(tree):
    """Whether the store has opened its file."""
    try:
        page(tree)
    except dbus.DBusException:
        return False
    return True


@contextlib.contextmanager
def running(tree, command):
    """A daemon whose store has opened its file."""
    daemon = tree.service(NAME, *command)
    until(lambda: kept(tree), "the store")
    yield daemon
    daemon.terminate()
    daemon.wait()
    tree.processes.remove(daemon)
    until(lambda: not tree.bus.name_has_owner(NAME), "the name to be free")


def measure(part):
    command = [f"{part.build}/callkitd"]
    with Tree(f"{part.folder}/full") as tree, Tree(f"{part.folder}/empty") as empty:
        path = f"{tree.environment['XDG_DATA_HOME']}/opencallkit/recents.sqlite"
        with running(tree, command):
            pass
        fill(path, ROWS, CALLERS)
        with running(tree, command):
            pass
        part.row(f"file of {ROWS:,} rows", os.stat(path).st_size / ROWS, "B", 400)
        full, none = in_turns(part.times(STARTS), *(lambda each=each: each.moment("start", NAME, *command)
                                                    for each in (tree, empty)))
        part.compared("start to owned name", full, none, "that without rows", "ms", 1.3)
        with running(tree, command) as daemon:
            times = scans(path)
            part.row("read of all rows by SQLite", times, "ms", reason=THEIRS)
            measure_opened(part, tree, median(times))
            measure_all(part, tree, median(times))
            measure_changes(part, tree, path)
            store = tree.child(daemon.pid, "callkit-store")
            part.row("store, RSS", kibibytes(store, "status", "VmRSS") / 1024, "MiB", 64)
