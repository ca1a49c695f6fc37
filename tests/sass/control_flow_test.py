"""Reading SASS, basic blocks, loops, and where the value of a register comes from."""

import sys
import unittest

from assemble import assemble
from control_flow import blocks_of, loops_of
from dataflow import counters, doubles, results, strides
from sass import Instruction, SassError, read_functions, read_instruction


def function(text):
    return read_functions(assemble(text))["kernel"]


def edges(text):
    return {
        block.address // 16: [after.address // 16 for after in block.successors] for block in blocks_of(function(text))
    }


class Reading(unittest.TestCase):
    def test_an_instruction(self):
        self.assertEqual(
            read_instruction("  /*9f0*/ @!UP1 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10] ;  /* 0x1 */"), None
        )
        self.assertEqual(
            read_instruction("  /*09f0*/ @!UP1 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10] ;  /* 0x1 */"),
            Instruction(0x9F0, "LDG.E.128.CONSTANT", ("R4", "desc[UR4][R2.64+0x10]"), "!UP1"),
        )
        self.assertEqual(read_instruction("/*12340*/ BRA 0x92c0;"), Instruction(0x12340, "BRA", ("0x92c0",)))
        self.assertEqual(read_instruction("/*0010*/ @PT EXIT ;"), Instruction(0x10, "EXIT", ()))

    def test_what_cannot_be_read(self):
        with self.assertRaisesRegex(SassError, "no instruction that is known"):
            read_instruction("/*0010*/ { FADD R1, R2, R3 }")
        with self.assertRaisesRegex(SassError, "not all instructions of kernel"):
            read_functions(line for line in assemble("NOP\nNOP\nNOP") if "0010" not in line)
        with self.assertRaisesRegex(SassError, "not all instructions of kernel"):
            read_functions(assemble(""))
        with self.assertRaisesRegex(SassError, "outside a function"):
            read_functions(assemble("NOP")[2:])

    def test_several_functions(self):
        self.assertEqual(
            {
                name: len(found)
                for name, found in read_functions([*assemble("NOP\nEXIT", "a"), *assemble("EXIT", "b")]).items()
            },
            {"a": 2, "b": 1},
        )


class Blocks(unittest.TestCase):
    def test_jumps(self):
        self.assertEqual(edges("@P0 BRA there\nNOP\nthere:\nEXIT"), {0: [1, 2], 1: [2], 2: []})
        self.assertEqual(edges("BRA there\nNOP\nthere:\nEXIT"), {0: [2], 2: []})  # what nothing reaches is left out
        self.assertEqual(edges("BRA P1, there\nNOP\nthere:\nEXIT"), {0: [1, 2], 1: [2], 2: []})
        self.assertEqual(edges("BRA.DIV UR4, there\nNOP\nthere:\nEXIT"), {0: [1, 2], 1: [2], 2: []})
        self.assertEqual(edges("@P0 EXIT\nEXIT"), {0: [1], 1: []})

    def test_threads_that_meet(self):
        self.assertEqual(
            edges("BSSY B0, there\n@P0 BRA other\nBSYNC B0\nother:\nNOP\nBSYNC B0\nNOP\nthere:\nEXIT"),
            {0: [2, 3], 2: [6], 3: [6], 6: []},
        )
        # A register used twice: each BSYNC goes where the BSSY before it says.
        self.assertEqual(
            edges("BSSY B0, a\nBSYNC B0\nNOP\na:\nBSSY B0, b\nBSYNC B0\nNOP\nb:\nEXIT"), {0: [3], 3: [6], 6: []}
        )

    def test_control_that_is_lost(self):
        for text in ("BRA 0x12345", "NOP", "BRX R2 -0x10"):
            with self.assertRaises(SassError):
                edges(text)


class Loops(unittest.TestCase):
    def test_loops_in_loops(self):
        loops = loops_of(
            blocks_of(
                function("NOP\na:\nNOP\nb:\nNOP\n@P0 BRA b\nc:\nNOP\n@P0 BRA c\n@P1 BRA a\nd:\nNOP\n@P2 BRA d\nEXIT")
            )
        )
        self.assertEqual(
            [(loop.header.address // 16, loop.height, loop.instructions, len(loop.children)) for loop in loops],
            [(1, 2, 6, 2), (2, 1, 2, 0), (4, 1, 2, 0), (7, 1, 2, 0)],
        )
        self.assertEqual([loop.parent and loop.parent.header.address // 16 for loop in loops], [None, 1, 1, None])

    def test_two_ways_back_are_one_loop(self):
        loops = loops_of(blocks_of(function("a:\nNOP\n@P0 BRA a\nNOP\n@P1 BRA a\nEXIT")))
        self.assertEqual([(loop.instructions, [one.address // 16 for one in loop.exits]) for loop in loops], [(4, [2])])

    def test_two_ways_in(self):
        with self.assertRaisesRegex(SassError, "more than one place"):
            loops_of(blocks_of(function("@P0 BRA b\na:\nNOP\nb:\nNOP\n@P1 BRA a\nEXIT")))


class Values(unittest.TestCase):
    def test_results(self):
        for text, expected in (
            ("ISETP.NE.AND P4, PT, R95, R2, PT", {"P4"}),
            ("ISETP.EQ.OR P0, P1, R95, RZ, !P4", {"P0", "P1"}),
            ("IADD3 R4, P1, R4, 0x64, RZ", {"R4", "P1"}),
            ("IADD3.X R5, RZ, R7, RZ, P1, !PT", {"R5"}),
            ("LOP3.LUT P0, RZ, R12, 0x2, RZ, 0xc0, !PT", {"P0"}),
            ("SHFL.BFLY PT, R4, R5, 0x10, 0x1f", {"R4"}),
            ("LDG.E.128 R4, desc[UR10][R12.64]", {"R4", "R5", "R6", "R7"}),
            ("LDC.64 R4, c[0x0][0x210]", {"R4", "R5"}),
            ("STG.E.64 desc[UR10][R12.64], R4", set()),
            ("STL [R1+0x8], R4", {"[R1+0x8]"}),
            ("MUFU.RCP R4, R6", {"R4"}),
            ("DFMA R2, R4, R6, R8", {"R2", "R3"}),
            ("DSETP.GEU.AND P1, PT, R2, R4, PT", {"P1"}),
            ("F2F.F32.F64 R2, R4", {"R2"}),
            ("F2F.F64.F32 R2, R4", {"R2", "R3"}),
            ("FSEL R2, R3, -R4, !P4", {"R2"}),
            ("SEL R2, RZ, 0x1, P2", {"R2"}),
            ("IMAD.WIDE.U32 R2, R5, UR4, R2", {"R2", "R3"}),
            ("CS2R R2, SRZ", {"R2", "R3"}),
            ("UISETP.GE.AND UP0, UPT, UR4, UR5, UPT", {"UP0"}),
            ("VOTE.ANY R2, PT, P0", {"R2"}),
            ("FCHK P0, R5, R6", {"P0"}),
            ("R2P PR, R12, 0x7f", {f"P{number}" for number in range(7)}),
            ("EXIT", set()),
        ):
            self.assertEqual(results(read_instruction(f"/*0000*/ {text} ;")), expected, text)

    def counted(self, text):
        loop = loops_of(blocks_of(function(text)))[0]
        return sorted(counters(loop, loop.exits[0]).values())

    def test_counters(self):
        self.assertEqual(
            self.counted("a:\nIADD3 R1, R1, 0x4, RZ\nISETP.GE.AND P0, PT, R1, R2, PT\n@!P0 BRA a\nEXIT"), [4]
        )
        self.assertEqual(
            self.counted("a:\nVIADD R1, R1, 0xffffffff\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA a\nEXIT"), [-1]
        )
        self.assertEqual(
            self.counted("a:\nUIADD3 UR4, UR4, 0x1, URZ\nUISETP.NE.AND UP0, UPT, UR4, UR5, UPT\n@UP0 BRA a\nEXIT"), [1]
        )
        # Compared before it is counted, in a copy.
        self.assertEqual(
            self.counted("a:\nISETP.GE.AND P0, PT, R1, R2, PT\nIADD3 R3, R1, 0x1, RZ\nMOV R1, R3\n@!P0 BRA a\nEXIT"),
            [1],
        )

    def test_what_does_not_count(self):
        negated = "a:\nIADD3 R1, -R1, 0x4, RZ\nISETP.GE.AND P0, PT, R1, R2, PT\n@!P0 BRA a\nEXIT"
        self.assertEqual(self.counted(negated), [])
        # Set anew in each pass; of another sign each time; of floating point; compared with what came in.
        self.assertEqual(
            self.counted("a:\nMOV R1, RZ\nIADD3 R1, R1, 0x4, RZ\nISETP.GE.AND P0, PT, R1, R2, PT\n@!P0 BRA a\nEXIT"), []
        )
        self.assertEqual(self.counted("a:\nFADD R1, R1, 1\nFSETP.GE.AND P0, PT, R1, R2, PT\n@!P0 BRA a\nEXIT"), [])
        self.assertEqual(self.counted("a:\nNOP\nISETP.GE.AND P0, PT, R1, R2, PT\n@!P0 BRA a\nEXIT"), [])

    def test_steps_in_a_register(self):
        def strides_of(*lines):
            text = "\n".join(["a:", *lines, "ISETP.GE.AND P0, PT, R1, R2, PT", "@!P0 BRA a", "EXIT"])
            loop = loops_of(blocks_of(function(text)))[0]
            return sorted({step for _, _, step in strides(loop, loop.exits[0])})

        for line in ("IADD3 R1, R1, R3, RZ", "IADD3 R1, R3, R1, RZ", "IMAD.IADD R1, R3, 0x1, R1"):
            self.assertEqual(strides_of(line), ["R3"], line)
        self.assertEqual(strides_of("IADD3 R1, R1, UR7, RZ"), ["UR7"])
        self.assertEqual(strides_of("IADD3 R4, R1, R3, RZ", "MOV R1, R4"), ["R3"])
        for line in (
            "IADD3 R1, R1, 0x1, RZ",
            "IADD3 R1, -R1, R3, RZ",
            "IADD3 R1, R1, R3, R4",
            "IMAD.IADD R1, R3, 0x1, -R1",
            "IMAD R1, R3, 0x2, R1",
            "IADD3.X R1, R1, R3, RZ, P1, !PT",
            "IADD3 R1, R5, R3, RZ",
        ):
            self.assertEqual(strides_of(line), [], line)
        self.assertEqual(strides_of("IADD3 R3, R3, R4, RZ", "IADD3 R1, R1, R3, RZ"), [])  # not the same in each pass

    def test_what_doubles_itself(self):
        def found(line):
            loop = loops_of(blocks_of(function(f"a:\n{line}\n@!P0 BRA a\nEXIT")))[0]
            return doubles(loop, loop.header, 0)

        for line in ("SHF.L.U32 R1, R1, 0x1, RZ", "IMAD.SHL.U32 R1, R1, 0x2, RZ", "USHF.L.U32 UR4, UR4, 0x1, URZ"):
            self.assertTrue(found(line), line)
        for line in (
            "SHF.L.U32 R1, R1, 0x2, RZ",
            "SHF.L.U32 R1, R2, 0x1, RZ",
            "SHF.R.U32.HI R1, RZ, 0x1, R1",
            "IMAD.SHL.U32 R1, R1, 0x4, RZ",
            "IADD3 R1, R1, 0x1, RZ",
        ):
            self.assertFalse(found(line), line)


if __name__ == "__main__":
    sys.exit(unittest.main())
