"""The leapfrog, its path and its loops are found in SASS written by hand, whose comments number what counts."""

import sys
import unittest

from assemble import assemble, data
from leapfrog import COUNTS, EXCHANGE_COUNTS, measure
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

    def test_rows_dealt_to_threads(self):
        split = changed(
            self.text,
            ("IADD3 R22, R22, 0x2, RZ", "IADD3 R22, R22, UR7, RZ"),
            ("S2R R1, SR_TID.X", "S2R R1, SR_TID.X\nULDC UR7, c[0x0][0x0]"),
        )
        self.assertEqual([one.unroll for one in measured(split).path.inner], [1])
        self.assertEqual(measured(split).row_counts()["all"], 16)

    def test_an_exchange(self):
        # On either side of the last test, as in the code; that of the value has more of them.
        exchange = """
            MOV R50, 0x1
            {0}:
            SHFL.BFLY PT, R51, R5, R50, 0x1f
            FADD R5, R5, R51
            ISETP.GE.AND P0, PT, R50, 0x10, PT
            IMAD.SHL.U32 R50, R50, 0x2, RZ
            @!P0 BRA {0}
            """
        text = changed(
            self.text,
            ("@!P0 BRA value_rows\n        BRA again", "@!P0 BRA value_rows\n{}{}BRA again"),
            ("@!P0 BRA rows\n", "@!P0 BRA rows\nISETP.EQ.AND P0, PT, R52, 0x1, PT\n@P0 BRA again\n{}"),
        )
        found = measured(text.format(*(exchange.format(f"exchange_{name}") for name in "abc")))
        self.assertEqual(some(found.exchange_counts()), {"all": 25, "shuffle": 5})
        self.assertEqual(found.counts()["all"], 17 + 3)
        self.assertEqual((found.counts()["shuffle"], found.row_counts()["all"]), (0, 8))

    def test_an_exchange_without_a_loop(self):
        found = measured(changed(self.text, ("BRA leapfrog ", "SHFL.BFLY PT, R40, R41, 0x10, 0x1f\nBRA leapfrog ")))
        self.assertEqual((found.counts()["shuffle"], some(found.exchange_counts())), (0, {"all": 2, "shuffle": 1}))

    def test_an_exchange_that_one_thread_passes_by(self):
        # A way of more instructions than the one past it.
        exchange = """
            ISETP.EQ.AND P0, PT, R52, 0x1, PT
            @P0 BRA again
            SHFL.BFLY PT, R51, R5, 0x1, 0x1f
            FADD R5, R5, R51
            """
        text = changed(self.text, ("@!P0 BRA rows\n", "@!P0 BRA rows\n" + exchange))
        found = measured(text)
        self.assertEqual(some(found.exchange_counts()), {"all": 2, "shuffle": 1})
        self.assertEqual((found.counts()["all"], found.row_counts()["all"]), (17 + 2, 8))
        # A chain of a model without rows has one thread.
        found = measured(changed(text, ("@!P0 BRA rows\n", "NOP\n"), ("@!P0 BRA value_rows\n", "NOP\n")))
        self.assertEqual(some(found.exchange_counts()), {})

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
            (
                "0x20: 1 leapfrog loop is left at the end",
                ("@!P4 BRA accept", "NOP"),
                ("BRA leapfrog   ", "@P4 BRA leapfrog\nBRA accept"),
            ),
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


class EndsApart(unittest.TestCase):
    text = data("ends_apart.sass")
    # A model whose terms are not dealt has exchanges, and no rows.
    no_rows = changed(text, ("@!P0 BRA rows\n", "NOP\n"), ("@P0 BRA dealt", "NOP"))

    def test_an_ordinary_leapfrog(self):
        found = measured(self.text)
        self.assertEqual(some(found.counts()), {"all": 15, "fma": 2})
        self.assertEqual(found.branches_on_count, 0)

    def test_a_dealt_row(self):
        found = measured(self.text)
        self.assertEqual([(one.is_exchange, one.unroll) for one in found.path.inner], [(False, 1), (True, None)])
        self.assertEqual(len(found.rows), 1)
        self.assertEqual(some(found.row_counts()), {"all": 6, "fma": 1, "mufu": 1, "load128": 1})

    def test_five_passes_of_an_exchange(self):
        # Not by the way of a warp that has diverged.
        found = measured(self.text)
        self.assertEqual(some(found.exchange_counts()), {"all": 45, "shuffle": 10})
        self.assertEqual(tuple(found.exchange_counts()), EXCHANGE_COUNTS)
        spilled = changed(self.text, ("FADD R5, R32, R5", "FADD R5, R32, R5\nSTL [R1+0x8], R5"))
        self.assertEqual(some(measured(spilled).exchange_counts()), {"all": 50, "shuffle": 10, "local": 5})

    def test_one_thread_where_there_are_no_rows(self):
        # Neither 8 nor 9; the loop's six instructions are now in the leapfrog.
        found = measured(self.no_rows)
        self.assertEqual((found.counts()["all"], found.path.inner), (15 - 2 + 6, []))
        self.assertEqual(some(found.exchange_counts()), {})

    def test_one_instruction_more(self):
        for place, leapfrog, row, exchange in (
            ("FFMA R6, R5, R20, R6             // 1: a drift", 1, 0, 0),
            ("MUFU.EX2 R9, R5", 0, 1, 0),
            ("FADD R6, R33, R6", 0, 0, 5),
            ("FMUL R5, R5, 0.03125             // 9", 1, 0, 0),
            ("FFMA R5, R36, R20, R5", 0, 0, 0),  # directions
            ("MOV R40, R6", 0, 0, 0),  # a diverged warp
            ("FSEL R39, R20, 0.38636666536331176758, !P2", 0, 0, 0),  # two stages
            ("MUFU.LG2 R9, R5", 0, 0, 0),  # the value
        ):
            with self.subTest(place):
                found = measured(changed(self.text, (place, place + "\nNOP")))
                self.assertEqual(
                    (found.counts()["all"], found.row_counts()["all"], found.exchange_counts()["all"]),
                    (15 + leapfrog, 6 + row, 45 + exchange),
                )

    def test_two_stages_ask_for_odd_counts(self):
        right = measured(self.text).counts()
        for change in (
            ("LOP3.LUT R38, R10, 0x1", "LOP3.LUT P2, RZ, R10, 0x1"),
            ("LOP3.LUT R38, R10, 0x1", "MOV R37, R10\nLOP3.LUT R38, R37, 0x1"),
            ("LOP3.LUT R38, R10, 0x1", "R2UR UR6, R10\nULOP3.LUT UR5, UR6, 0x1"),
            ("FSEL R39", 60 * "NOP\n" + "FSEL R39"),  # whichever is longer
        ):
            with self.subTest(change):
                self.assertEqual(measured(changed(self.text, change)).counts(), right)
        # This asks whether something else than the count is odd.
        asks = ("MOV R22, R1                      // 5", "MOV R22, R1\nLOP3.LUT R41, R1, 0x1, RZ, 0xc0, !PT")
        self.assertEqual(measured(changed(self.text, asks)).counts()["all"], 16)

    def test_the_loop_over_directions_is_the_last(self):
        for text in (self.text, self.no_rows):
            self.assertEqual(measured(text).directions.header.instructions[0].opcode, "LD.E")

    def test_by_how_much_the_rows_move(self):
        def unroll(*changes):
            return [one.unroll for one in measured(changed(self.text, *changes)).rows]

        add = "IADD3 R22, R45, R22, RZ\n        ISETP.GE.AND P0, PT, R22, R21, PT\n   @!P0 BRA rows"
        load = "LDC R45, c[0x0][RZ]"
        for other in ("IADD3 R22, R22, R45, RZ", "IMAD.IADD R22, R45, 0x1, R22", "IMAD.IADD R22, R22, 0x1, R45"):
            self.assertEqual(unroll((add, add.replace("IADD3 R22, R45, R22, RZ", other))), [1], other)
        for other in ("LDC R45, c[0x0][0x0]", "MOV R45, c[0x0][0x0]", "ULDC UR9, c[0x0][0x0]\nMOV R45, UR9"):
            self.assertEqual(unroll((load, other)), [1], other)
        self.assertEqual(unroll((load, "LDC R44, c[0x0][0x0]\nSHF.L.U32 R45, R44, 0x1, RZ")), [None])
        self.assertEqual(unroll((load, "LDC R45, c[0x0][0x4]")), [None])
        self.assertEqual(unroll((add, add.replace("R22, R45, R22, RZ", "R22, R22, 0x1, RZ"))), [1])
        self.assertEqual(unroll((add, add.replace("R22, R45, R22, RZ", "R22, R22, 0x2, RZ"))), [2])
        # A step that the loop itself changes.
        self.assertEqual(unroll((add, "IADD3 R45, R45, R24, RZ\n" + add)), [None])

    def test_what_is_no_leapfrog(self):
        odd = "LOP3.LUT R38, R10, 0x1, RZ, 0xc0, !PT"
        exchange = "SHF.L.U32 R34, R34, 0x1, RZ"
        for message, *changes in (
            ("1 leapfrog loop is left at the end", ("@!P1 BRA two_stages_leapfrog", "NOP")),
            ("0 leapfrog loops ask whether their count is odd", (odd, "LOP3.LUT R38, R10, 0x2, RZ, 0xc0, !PT")),
            ("2 leapfrog loops ask", ("MOV R22, R1  ", odd.replace("R38", "R41") + "\nMOV R22, R1  ")),
            ("left at 2 places", ("FMUL R5, R5, 0.03125", "@P4 BRA accept\nFMUL R5, R5, 0.03125")),
            (
                "0 loops without SHFL at the end",
                ("@!P0 BRA directions\n", "NOP\n"),
                ("@!P0 BRA rows\n", "NOP\n"),
            ),
            ("not between threads 1, 2, 4", (exchange, "IADD3 R34, R34, 0x1, RZ")),
            ("not between threads 1, 2, 4", (exchange, "SHF.L.U32 R34, R34, 0x2, RZ")),
            ("not between threads 1, 2, 4", (exchange, "SHF.R.U32.HI R34, RZ, 0x1, R34")),
            ("SHFL.DOWN in a loop", ("exchanged:", "SHFL.DOWN PT, R33, R6, R34, 0x1f\nexchanged:")),
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
