"""The program, with cuobjdump, nvcc and c++filt made up: what it counts, what fails, what is skipped."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

from assemble import assemble, data
from binary_tools import hmc_kernel, name_kernels, spills
from count_sass import main
from table import read_table

NAME = (
    "void manychain::cuda::(anonymous namespace)::advance_kernel<manychain::models::{model}, "
    "manychain::cuda::{sampler}, "
    "{rest}>(manychain::models::{model}, manychain::ChainArrays<float>, manychain::Block, long, long, float*)"
)
HMC = "Hmc<manychain::cuda::MetropolisRule, manychain::cuda::Splitting>"

CUOBJDUMP = """#!{python}
import sys
arguments = sys.argv[1:]
if "-res-usage" in arguments:
    print(open(arguments[-1]).read())
else:
    print(open(arguments[-1] + ".sass").read())
"""
USAGE = """
Fatbin elf code:
================
arch = sm_90

Resource usage:
 Common:
  GLOBAL:0
 Function kernel:
  REG:{registers} STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:896 TEXTURE:0 SURFACE:0 SAMPLER:0
"""
PTXAS = """ptxas info    : Compiling entry function 'kernel' for 'sm_80'
    96 bytes stack frame, 10 bytes spill stores, 10 bytes spill loads
ptxas info    : Compiling entry function 'kernel' for 'sm_90'
ptxas info    : Function properties for kernel
    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Function properties for __internal_accurate_pow
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""


class Names(unittest.TestCase):
    def test_the_kernels_that_are_counted(self):
        model = "LogisticRegression<float, 25>"
        self.assertEqual(
            hmc_kernel(NAME.format(model=model, sampler=HMC, rest="false, float")), ("LogisticRegression<float,25>", ())
        )
        # Whatever arguments come to it.
        self.assertEqual(
            hmc_kernel(NAME.format(model=model, sampler=HMC, rest="false, 32, float")),
            ("LogisticRegression<float,25>", ("32",)),
        )
        self.assertEqual(
            hmc_kernel(NAME.format(model=model, sampler=HMC, rest="false, float, true")),
            ("LogisticRegression<float,25>", ("true",)),
        )

    def test_as_either_program_writes_it(self):
        name = NAME.format(model="LogisticRegression<float, (int)25>", sampler=HMC, rest="(bool)0, (int)32, float")
        name = name.replace("(anonymous namespace)", "<unnamed>")
        self.assertEqual(hmc_kernel(name), ("LogisticRegression<float,25>", ("32",)))
        self.assertIsNone(hmc_kernel(name.replace("(bool)0", "(bool)1")))

    def test_the_others(self):
        for name in (
            NAME.format(model="Normal<float, 10>", sampler=HMC, rest="true, float"),
            NAME.format(
                model="Normal<float, 10>", sampler="Mala<manychain::cuda::MetropolisRule>", rest="false, float"
            ),
            NAME.format(model="Normal<float, 10>", sampler=HMC, rest="false, float").replace("advance", "initialise"),
            NAME.format(model="Normal<float, 10>", sampler=HMC, rest="false, float").replace("advance", "re_advance"),
            "_Z3foov",
        ):
            self.assertIsNone(hmc_kernel(name), name)

    def test_further_arguments_tell_kernels_of_one_model_apart(self):
        self.assertEqual(
            name_kernels({"a": ("M", ("1",)), "b": ("M", ("32",)), "c": ("N", ("32",))}),
            {"a": "M,1", "b": "M,32", "c": "N"},
        )

    def test_spills(self):
        self.assertEqual(spills(PTXAS, "sm_90"), {"kernel": 40})


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("cuobjdump", CUOBJDUMP.replace("{python}", sys.executable))
        self.write("nvdisasm", "")
        shown = NAME.format(model="M<float>", sampler=HMC, rest="false, float")
        self.demangler(f"while read name; do echo '{shown}'; done")
        self.nvcc("13.0.88")
        self.build(data("rows.sass"))
        self.run_main("--update")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), 0o755)

    def nvcc(self, release):
        self.write("nvcc", f"#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V{release}'\n")

    def demangler(self, command):
        for name in ("cu++filt", "c++filt"):
            self.write(name, f"#!/bin/sh\n{command}\n")

    def build(self, sass, registers=60):
        self.write("m.o", USAGE.format(registers=registers))
        self.write("m.o.sass", "\n".join(assemble(sass)))
        self.write("m.o.ptxas", PTXAS)

    def run_main(self, *arguments):
        self.output = io.StringIO()
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}:/usr/bin:/bin"}), contextlib.redirect_stdout(
            self.output
        ):
            return main([*arguments, "--nvcc", self.path("nvcc"), "--table", self.path("table"), self.path("m.o")])

    def says(self, status, *words, arguments=()):
        self.assertEqual(self.run_main(*arguments), status, self.output.getvalue())
        for word in words:
            self.assertIn(word, self.output.getvalue())

    def test_the_table(self):
        with open(self.path("table"), encoding="utf-8") as file:
            rows, release, architecture = read_table(file.read())
        self.assertEqual((release, architecture), ("13.0.88", "sm_90"))
        self.assertEqual(list(rows), ["M<float>"])
        self.assertEqual(
            {what: rows["M<float>"][what] for what in ("registers", "spilled", "leap.all", "row.all", "unroll")},
            {"registers": 60, "spilled": 40, "leap.all": 17, "row.all": 8, "unroll": "2"},
        )

    def test_an_exchange_in_the_table(self):
        self.build(data("ends_apart.sass"))
        self.run_main("--update")
        with open(self.path("table"), encoding="utf-8") as file:
            row = read_table(file.read())[0]["M<float>"]
        self.assertEqual(
            {what: row[what] for what in ("leap.all", "unroll", "row.all", "exchange.all", "exchange.shuffle")},
            {"leap.all": 15, "unroll": "1", "row.all": 6, "exchange.all": 45, "exchange.shuffle": 10},
        )
        self.build(data("ends_apart.sass").replace("FADD R6, R33, R6", "FADD R6, R33, R6\nNOP"))
        self.says(1, "exchange.all", "+11.1 %", "more")

    def test_the_same_build_passes(self):
        self.says(0, "1 kernels: 0 counts have risen")

    def test_more_instructions_fail(self):
        self.build(data("rows.sass").replace("FMUL R6, R6, R31", "FMUL R6, R6, R31\nFMUL R6, R6, R31"))
        self.says(1, "row.all", "+6.2 %", "more", "--update")

    def test_more_registers_fail(self):
        self.build(data("rows.sass"), registers=64)
        self.says(1, "registers")

    def test_fewer_are_told_and_renewed(self):
        self.build(data("rows.sass").replace("FMUL R6, R6, R31", ""))
        self.says(0, "less", "--update")
        self.run_main("--update")
        self.says(0, "0 have fallen")

    def test_a_part_passes_over_models_that_it_lacks(self):
        with open(self.path("table"), encoding="utf-8") as file:
            table = file.read()
        row = next(line for line in table.splitlines() if line.startswith("M<float>"))
        self.write("table", f"{table}{row.replace('M<', 'N<')}\n")
        self.says(1, "N<float>", "missing")
        self.says(0, "1 kernels: 0 counts have risen", arguments=["--part"])
        self.write("table", f"{table}{row.replace('M<float>', 'M<float,8>')}\n")
        self.says(1, "M<float,8>", "missing", "with all models", arguments=["--part"])
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            self.run_main("--part", "--update")

    def test_what_is_skipped(self):
        self.nvcc("13.1.80")
        self.says(77, "skipped: the table was made with nvcc 13.0.88 for sm_90, and this is nvcc 13.1.80")
        self.nvcc("13.0.88")
        self.write("m.o", "\nFatbin ptx code:\narch = sm_90\n")
        self.says(77, "skipped: the build has no code for sm_90")
        self.write("m.o", USAGE.format(registers=60).replace("sm_90", "sm_80"))
        self.says(77, "skipped: the build has no code for sm_90")
        os.remove(self.path("cuobjdump"))
        if not os.path.exists("/usr/bin/cuobjdump"):
            with mock.patch("importlib.util.find_spec", return_value=None):
                self.says(77, "skipped: there is no cuobjdump")

    def test_what_cannot_be_counted_fails(self):
        self.build("EXIT")
        self.says(1, "FAILED: M<float>: no loop over transitions")
        self.demangler("cat")
        self.says(1, "FAILED: of 1 kernels for sm_90 none is advance_kernel")
        self.write("cuobjdump", "#!/bin/sh\necho broken >&2\nexit 3\n")
        self.says(1, "FAILED: cuobjdump", "broken")
        os.remove(self.path("m.o"))
        self.says(1, "FAILED: there is no file")
        os.remove(self.path("table"))
        self.says(1, "FAILED")


if __name__ == "__main__":
    sys.exit(unittest.main())
