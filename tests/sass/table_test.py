"""The kept table: what is written is read, and what has risen, fallen, come and gone is told."""

import sys
import unittest

from table import COLUMNS, TableError, compare, read_table, show, write_table


def row(**counts):
    """Of ones and zeros: `leap_fma=20` stands for leap.fma."""
    values = {one: "-" if one == "unroll" else 0.0 for one in COLUMNS}
    values.update({what.replace("_", ".", 1): count for what, count in counts.items()})
    if not set(values) == set(COLUMNS):
        raise AssertionError(counts)
    return values


def verdicts(kept, now):
    return {(what, verdict) for _, what, _, _, verdict in compare({"k": row(**kept)}, {"k": row(**now)})}


class Table(unittest.TestCase):
    def test_what_is_written_is_read(self):
        rows = {
            "Normal<float,10>": row(registers=92.0, leap_fma=20.0, row_all=7.5, unroll="16,4,-"),
            "Banana<double>": row(spilled="-"),
        }
        text = write_table(rows, "13.0.88", "sm_90")
        self.assertEqual(read_table(text), (rows, "13.0.88", "sm_90"))
        self.assertEqual(text.splitlines()[-2].split()[0], "Banana<double>")  # in order
        self.assertEqual(len(text.splitlines()), 5 + 2)

    def test_what_is_no_table(self):
        text = write_table({"k": row()}, "13.0.88", "sm_90")
        for wrong in (
            "",
            text.replace("leap.fma", "leap.mad"),
            text.replace("nvcc", "gcc"),
            text + "k 1 2\n",
            text + text.splitlines()[-1],
        ):
            with self.assertRaises(TableError):
                read_table(wrong)

    def test_a_rise_of_more_than_5_percent(self):
        self.assertEqual(verdicts({"leap_all": 100.0}, {"leap_all": 105.0}), {("leap.all", "")})
        self.assertEqual(verdicts({"leap_all": 100.0}, {"leap_all": 105.1}), {("leap.all", "more")})
        self.assertEqual(verdicts({"row_mufu": 0.0}, {"row_mufu": 1.0}), {("row.mufu", "more")})
        self.assertEqual(verdicts({"registers": 241.0}, {"registers": 255.0}), {("registers", "more")})
        self.assertEqual(verdicts({"leap_all": 100.0}, {"leap_all": 100.0}), set())

    def test_a_fall(self):
        self.assertEqual(verdicts({"leap_all": 100.0}, {"leap_all": 95.0}), {("leap.all", "")})
        self.assertEqual(verdicts({"leap_all": 100.0}, {"leap_all": 94.0}), {("leap.all", "less")})

    def test_any_rise_of_stack_and_spills(self):
        for what in ("stack", "spilled", "leap_local", "row_local", "exchange_local"):
            self.assertEqual(verdicts({what: 1000.0}, {what: 1001.0}), {(what.replace("_", "."), "more")})

    def test_spills_that_nobody_told(self):
        self.assertEqual(verdicts({"spilled": "-"}, {"spilled": 8.0}), set())
        self.assertEqual(verdicts({"spilled": 0.0}, {"spilled": "-"}), set())

    def test_wider_loads_are_no_rise(self):
        self.assertEqual(
            verdicts({"row_load32": 26.0}, {"row_load32": 2.0, "row_load128": 6.0}), {("row.loads", "less")}
        )
        self.assertEqual(
            verdicts({"row_load32": 2.0, "row_load128": 6.0}, {"row_load32": 26.0}), {("row.loads", "more")}
        )
        self.assertEqual(verdicts({"row_load32": 4.0}, {"row_load128": 4.0}), {("row.bytes", "more")})
        self.assertEqual(
            verdicts({"leap_load64": 4.0}, {"leap_load64": 5.0}), {("leap.loads", "more"), ("leap.bytes", "more")}
        )

    def test_kernels_that_come_and_go(self):
        self.assertEqual(
            [(one[0], one[-1]) for one in compare({"a": row(), "b": row()}, {"b": row(), "c": row()})],
            [("a", "missing"), ("c", "new")],
        )

    def test_what_is_shown(self):
        lines = show(
            compare({"k": row(leap_all=100.0, unroll="1")}, {"k": row(leap_all=110.0, row_mufu=2.0, unroll="2")})
        )
        self.assertEqual(
            [line.split() for line in lines],
            [
                ["kernel", "count", "kept", "now", "change"],
                ["k", "unroll", "1", "2"],
                ["k", "leap.all", "100", "110", "+10.0", "%", "more"],
                ["k", "row.mufu", "0", "2", "+2", "more"],
            ],
        )


if __name__ == "__main__":
    sys.exit(unittest.main())
