"""The leapfrog, its path and its loops are found in SASS written by hand, whose comments number what counts."""

import sys
import unittest

from assemble import assemble, data
from leapfrog import COUNTS, measure
from sass import SassError, read_functions


def measured(text):
    return measure(read_functions(assemble(text))["kernel"])


def changed(text, *changes):
    for old, new in changes:
        if text.count(old) != 1:
            raise AssertionError(f"{text.count(old)} times: {old}")
        text = text.replace(old, new)
    return text


def some(counts):
    return {what: count for what, count in counts.items() if count}


class Rows(unittest.TestCase):
    text = data("rows.sass")

    def test_an_ordinary_leapfrog(self):
        found = measured(self.text)
        self.assertEqual(some(found.counts()), {"all": 17, "fma": 2, "const": 1})
        self.assertEqual(tuple(found.counts()), COUNTS)

    def test_a_row_of_two_in_a_pass(self):
        found = measured(self.text)
        self.assertEqual([one.unroll for one in found.path.inner], [2])
        self.assertEqual(
            some(found.row_counts()), {"all": 8, "fma": 1.5, "mufu": 0.5, "load32": 1, "load64": 0.5, "load128": 0.5}
        )

    def test_one_instruction_more_is_one_more(self):
        self.assertEqual(measured(changed(self.text, ("// 2: a kick", "\nFMUL R19, R3, R4"))).counts()["all"], 18)
        self.assertEqual(
            measured(changed(self.text, ("FMUL R6, R6, R31", "FMUL R6, R6, R31\nFMUL R6, R6, R6"))).row_counts()["all"],
            8.5,
        )
        for place in ("FADD R8, R7, R24", "FFMA R5, R32, R20, R5", "MOV R2, 0x100", "FADD R7, R7, R8"):
            found = measured(changed(self.text, (place, place + "\nFMUL R41, R41, R41")))
            self.assertEqual((found.counts()["all"], found.row_counts()["all"]), (17, 8))

    def test_the_last_leapfrog_however_it_is_asked_for(self):
        right = measured(self.text)
        for test, jump in (("GE", "@!P0"), ("LT", "@P0"), ("NE", "@P0"), ("EQ", "@!P0")):
            for swap in (False, True):
                with self.subTest(test, swap=swap):
                    test = {"GE": "LE", "LT": "GT"}.get(test, test) if swap else test
                    found = measured(
                        changed(
                            self.text,
                            (
                                "ISETP.GE.U32.AND P0, PT, R10, R11, PT",
                                f"ISETP.{test}.U32.AND P0, PT, {'R11, R10' if swap else 'R10, R11'}, PT",
                            ),
                            ("@!P0 BRA gradient", f"{jump} BRA gradient"),
                        )
                    )
                    self.assertEqual((found.counts(), found.row_counts()), (right.counts(), right.row_counts()))

    def test_it_is_not_asked_for_by_what_the_ways_cost(self):
        # A row costs less where the value is computed, and still is none of an ordinary leapfrog.
        self.assertEqual(
            measured(changed(self.text, ("FFMA R6, R9, R30, R6", "FFMA R6, R9, R30, R6" + 40 * "\nNOP"))).row_counts()[
                "all"
            ],
            28,
        )

    def test_where_logic_hides_it_the_way_of_fewer_instructions_a_row(self):
        hidden = changed(
            self.text,
            (
                "ISETP.GE.U32.AND P0, PT, R10, R11, PT",
                "ISETP.GE.U32.AND P1, PT, R10, R11, PT\nPLOP3.LUT P0, PT, P1, PT, PT, 0x80, 0x0",
            ),
        )
        self.assertEqual(measured(hidden).row_counts(), measured(self.text).row_counts())
        self.assertEqual(
            measured(changed(hidden, ("@!P0 BRA gradient", "@P0 BRA gradient"))).row_counts(),
            measured(self.text).row_counts(),
        )

    def test_a_call_that_nothing_passes_by(self):
        called = changed(self.text, ("@!P1 BRA fast", "NOP"))
        # NOP stays, MOV, CALL and the ordinary way through the subroutine of 4 are added, the branch gone.
        found = measured(called)
        self.assertEqual(found.row_counts()["all"], (16 + 2 + 4) / 2)
        self.assertEqual(found.row_counts()["mufu"], 1)

    def test_rows_dealt_to_lanes(self):
        split = changed(self.text, ("R22, 0x2, RZ", "R22, 0x40, RZ"))
        self.assertEqual([one.unroll for one in measured(split).path.inner], [64])
        split = changed(split, ("BRA leapfrog ", "SHFL.BFLY PT, R40, R41, 0x10, 0x1f\nBRA leapfrog "))
        found = measured(split)
        self.assertEqual([one.unroll for one in found.path.inner], [2])
        self.assertEqual(found.counts()["shuffle"], 1)

    def test_counts_on_the_stack(self):
        spilled = changed(
            self.text,
            ("IADD3 R10, R10, 0x1, RZ", "LDL R41, [R1+0x8]\nIADD3 R41, R41, 0x1, RZ\nSTL [R1+0x8], R41"),
            ("ISETP.GE.U32.AND P0, PT, R10, R11, PT", "ISETP.GE.U32.AND P0, PT, R41, R11, PT"),
            ("ISETP.NE.AND P4, PT, R10, R11, PT", "LDL R42, [R1+0x8]\nISETP.NE.AND P4, PT, R42, R11, PT"),
            ("MOV R10, RZ", "STL [R1+0x8], RZ"),
        )
        found = measured(spilled)
        self.assertEqual((found.counts()["all"], found.counts()["local"]), (20, 3))
        self.assertEqual(found.branches_on_count, 1)

    def test_the_count_in_another_register(self):
        copied = changed(
            self.text,
            ("IADD3 R10, R10, 0x1, RZ", "IADD3 R41, R10, 0x1, RZ\nIMAD.MOV.U32 R10, RZ, RZ, R41"),
            ("ISETP.GE.U32.AND P0, PT, R10, R11, PT", "ISETP.GE.U32.AND P2, PT, R41, R11, PT"),
            ("@!P0 BRA gradient", "@!P2 BRA gradient"),
        )
        found = measured(copied)
        self.assertEqual((found.branches_on_count, found.row_counts()["all"]), (1, 8))

    def test_what_is_no_leapfrog(self):
        for message, *changes in (
            ("left at 2 places", ("FMUL R20, R3, R4  ", "@P5 BRA accept\nFMUL R20, R3, R4  ")),
            ("left at its end", ("@!P4 BRA accept", "NOP"), ("BRA leapfrog   ", "@P4 BRA leapfrog\nBRA accept")),
            ("0 loops of 0 levels", ("@!P0 BRA directions\n", "NOP\n")),
            (
                "no jump in the leapfrog loop depends on its count",
                ("ISETP.GE.U32.AND P0, PT, R10, R11", "ISETP.GE.U32.AND P0, PT, R9, R11"),
            ),
            ("no way through the loop", ("@!P0 BRA directions_end", "NOP")),
            ("no loop over transitions", ("@P3 BRA transition", "NOP")),
            ("jumps to a place that is not known", ("FMUL R6, R6, R31", "BRX R6 -0x100")),
            ("does not return", ("RET.REL.NODEC R2 0x0", "EXIT"), ("@!P1 BRA fast", "NOP")),
        ):
            with self.subTest(message), self.assertRaisesRegex(SassError, message):
                measured(changed(self.text, *changes))


class Components(unittest.TestCase):
    text = data("components.sass")

    def test_an_ordinary_leapfrog(self):
        self.assertEqual(some(measured(self.text).counts()), {"all": 16, "const": 1})

    def test_the_loops_on_its_way(self):
        # Not that of the value, which comes before the gradient: the count of leapfrogs decides.
        found = measured(self.text)
        self.assertEqual([(len(one.instructions), one.unroll) for one in found.path.inner], [(8, 4), (4, 1), (7, None)])
        self.assertEqual(
            some(found.row_counts()), {"all": 8 / 4 + 4 + 7, "fma": 4 / 4 + 1, "load128": 0.25, "load32": 1, "store": 1}
        )

    def test_where_logic_hides_the_last_leapfrog_fewer_loops_are_no_fault(self):
        hidden = changed(
            self.text,
            (
                "ISETP.LT.U32.AND P0, PT, R10, R11, PT",
                "ISETP.LT.U32.AND P2, PT, R10, R11, PT\nPLOP3.LUT P0, PT, P2, PT, PT, 0x80, 0x0",
            ),
        )
        self.assertEqual(measured(hidden).row_counts(), measured(self.text).row_counts())

    def test_other_loops_of_the_kernel(self):
        nest = "a:\nNOP\nb:\nNOP\nc:\nNOP\n@P0 BRA c\nNOP\n@P1 BRA b\nNOP\n@P2 BRA a\n"
        found = measured(changed(self.text, ("S2R R1, SR_TID.X", f"S2R R1, SR_TID.X\n{nest}")))
        self.assertEqual(found.counts(), measured(self.text).counts())

    def test_the_loop_over_directions_is_the_deepest(self):
        self.assertEqual(measured(self.text).directions.height, 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
