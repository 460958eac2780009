"""The rows of `make bench`, their limits, and the comparison of two runs, without a daemon."""

import os
import subprocess
import sys
import tempfile
import unittest

from support import contract

BENCHMARKS = os.path.join(contract.REPOSITORY, "Benchmarks")
sys.path.append(BENCHMARKS)

import bench  # noqa: E402
import compare  # noqa: E402
import rows  # noqa: E402


def part(*measured, name="daemon", **options):
    """A part with these rows: the name, what was measured, and the figures of each."""
    made = rows.Part(name, **options)
    for what, value, figures in measured:
        made.row(what, value, "×", **figures)
    return made


def run(*measured, **options):
    return rows.run_of(part(*measured).rows, **options)


class Rows(unittest.TestCase):
    def test_over_the_limit_fails(self):
        made = part(("start", 8.1, {"limit": 8})).rows
        self.assertEqual(rows.status(made), 1)
        self.assertRegex("\n".join(rows.table(made)), r"start +8\.10 × +8 +OVER")

    def test_at_the_limit_passes(self):
        self.assertEqual(rows.status(part(("start", 8, {"limit": 8})).rows), 0)

    def test_over_the_target_is_shown_and_passes(self):
        made = part(("Answer", 1.79, {"limit": 2.2, "target": 1.6})).rows
        self.assertEqual(rows.status(made), 0)
        self.assertRegex("\n".join(rows.table(made)), r"Answer +1\.79 × +2\.2 +1\.6 more")

    def test_over_the_limit_of_a_target_fails(self):
        self.assertEqual(rows.status(part(("Answer", 2.3, {"limit": 2.2, "target": 1.6})).rows), 1)

    def test_a_part_that_did_not_end_fails(self):
        self.assertEqual(rows.status([], ["sip: no Kamailio"]), 1)

    def test_without_a_limit_it_says_why(self):
        made = part(("clear", 900, {"reason": rows.DISK}), ("echo", 20, {"reason": rows.ABSOLUTE}),
                    ("delete", 9, {"reason": rows.DISK})).rows
        self.assertEqual(rows.status(made), 0)
        text = "\n".join(rows.table(made))
        self.assertRegex(text, r"clear .*\(a\)\n.*echo .*\(b\)\n.*delete .*\(a\)\n")
        self.assertIn(f"(a) {rows.DISK}", text)
        for figures in ({}, {"target": 1}, {"limit": 1, "reason": rows.DISK}):
            with self.assertRaises(ValueError):
                part(("clear", 900, figures))

    def test_limits_count_only_where_they_are_meant(self):
        made = part()
        made.unlimited = "The scheduler decides."
        made.row("Answer", 9, "×", 2.2, 1.6)
        row, = made.rows
        self.assertEqual((row.limit, row.target, row.reason), (None, None, "The scheduler decides."))

    def test_two_rows_of_one_name_are_refused(self):
        with self.assertRaises(ValueError):
            part(("Answer", 1, {"limit": 2}), ("Answer", 1, {"limit": 2}))

    def test_repetitions(self):
        row, = part(("Answer", [9, 1, 2, 3, 4], {"limit": 3})).rows
        self.assertEqual((row.value, row.middle, row.is_over), (3, [2, 4], False))

    def test_a_ratio_is_that_of_the_turns(self):
        made = part()
        made.compared("start", [2, 30, 4], [1, 10, 4], "C", "ms", 2)
        self.assertEqual([(row.value, row.limit) for row in made.rows], [(4, None), (2, 2)])

    def test_turns_change_their_order(self):
        order = []
        found = rows.in_turns(2, lambda: order.append("a") or 1, lambda: order.append("b") or 2)
        self.assertEqual((found, order), ([[1, 1], [2, 2]], ["b", "a", "a", "b"]))

    def test_it_fits_into_80_columns(self):
        made = part(("x" * rows.WIDTH, 123_456.7, {"limit": 1234.5, "target": 1234.5})).rows
        for lines in (rows.table(made), compare.lines(rows.run_of(made), rows.run_of(made))):
            self.assertLessEqual(max(map(len, lines)), 80, lines)
        with self.assertRaises(ValueError):
            part(("x" * (rows.WIDTH + 1), 1, {"limit": 1}))


class Comparison(unittest.TestCase):
    def marks(self, one, other):
        both, _ = compare.pairs(run(*one), run(*other))
        return [compare.mark(*pair) for pair in both]

    def test_marks_what_is_beyond_the_noise(self):
        def measured(*times):
            return ("Answer", list(times), {"limit": 9})
        before = [measured(2, 2.1, 2.2, 2.3, 2.4)]
        self.assertEqual(self.marks(before, [measured(2.5, 2.6, 2.7, 2.8, 2.9)]), ["MORE"])
        self.assertEqual(self.marks(before, [measured(1, 1.1, 1.2, 1.3, 1.4)]), ["less"])
        self.assertEqual(self.marks(before, [measured(2.1, 2.2, 2.3, 2.4, 2.5)]), [""])

    def test_once_has_no_noise(self):
        self.assertEqual(self.marks([("RSS", 20, {"limit": 24}), ("kept", 0, {"limit": 64})],
                                    [("RSS", 21, {"limit": 24}), ("kept", 0, {"limit": 64})]), ["?", ""])

    def test_names_what_only_one_of_them_has(self):
        both = ("echo", 1, {"limit": 2})
        text = compare.lines(run(both, ("old", 1, {"limit": 2})), run(both))
        self.assertIn("only in one of them: daemon: old", text)

    def test_refuses_two_machines(self):
        other = run()
        other["machine"] = {**other["machine"], "processor": "Another One"}
        with self.assertRaisesRegex(compare.Refusal, "runs of two machines: .*; and .*Another One"):
            compare.lines(run(), other)

    def test_refuses_a_quick_run_beside_a_full_one(self):
        with self.assertRaisesRegex(compare.Refusal, "quick"):
            compare.lines(run(), run(quick=True))

    def test_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [f"{folder}/a.json", f"{folder}/b.json"]
            rows.write(files[0], part(("echo", [1, 2, 3], {"limit": 9})).rows, False)
            rows.write(files[1], part(("echo", [4, 5, 6], {"limit": 9})).rows, False)
            done = subprocess.run([sys.executable, f"{BENCHMARKS}/compare.py", *files], capture_output=True, text=True,
                                  check=True)
            self.assertRegex(done.stdout, r"echo +2\.00 +5\.00 × +2\.50 MORE")
            rows.write(files[1], [], True)
            done = subprocess.run([sys.executable, f"{BENCHMARKS}/compare.py", *files], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr[:9]), (1, "compare: "))


class Parts(unittest.TestCase):
    def test_each_has_a_module(self):
        found = {name[:-3] for name in os.listdir(f"{BENCHMARKS}/parts") if name.endswith(".py")}
        self.assertEqual(found - {"loading"}, set(bench.PARTS))

    def test_a_failure_keeps_the_rows_and_is_told(self):
        found, failure = bench.run("nothing", "", "", False)
        self.assertEqual(found, [])
        self.assertIn("nothing", failure)
