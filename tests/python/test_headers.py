"""Headers of models, compiled and loaded in this process."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import h5netcdf
import numpy as np
import pandas

import manychain
from common import PROGRAM, command_line, same_bits

HEADER = """#include "manychain/model.hpp"
template <class Number>
struct Centred {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto centre = target.real("centre");
    target += normal(centre, 0, 10);
    target += normal(y, centre, 2);
  }
};
"""
DATA = {"N": 3, "y": [0.5, 1.0, 3.0]}
RUN = {"chains": 64, "draws": 20, "seed": 3, "precision": "single"}


@unittest.skipUnless(PROGRAM, "without the command line, whose headers are noted beside it")
class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        variables = unittest.mock.patch.dict(os.environ, MANYCHAIN_CACHE=str(cls.folder / "cache"))
        variables.start()
        cls.addClassCleanup(variables.stop)
        cls.header = cls.folder / "centred.hpp"
        cls.header.write_text(HEADER)
        cls.result = manychain.sample(cls.header, DATA, **RUN)

    def test_draws_of_the_command_line(self):
        (self.folder / "data.json").write_text('{"N": 3, "y": [0.5, 1.0, 3.0]}')
        draws = self.folder / "draws.nc"
        command_line("sample", self.header, "--data", self.folder / "data.json", "--chains", 64, "--draws", 20, "--seed", 3,
                     "--precision", "single", "--output", draws)
        with h5netcdf.File(draws, "r") as file:
            theirs = np.asarray(file["posterior"]["centre"])
        self.assertTrue(same_bits(theirs, np.ascontiguousarray(self.result["centre"])))
        self.assertEqual(self.result.model, "centred")

    def test_is_compiled_once(self):
        begin = time.monotonic()
        again = manychain.sample(str(self.header), DATA, **RUN)
        self.assertLess(time.monotonic() - begin, 2)  # a compiler takes more
        self.assertTrue(same_bits(again["centre"], self.result["centre"]))

    def test_a_data_frame(self):
        frame = pandas.DataFrame({"who": ["a", "b", "c"], "y": DATA["y"]})  # N is the number of rows
        for data in (frame, [frame, {"N": 3}]):
            self.assertTrue(same_bits(manychain.sample(self.header, data, **RUN)["centre"], self.result["centre"]))
        with self.assertRaisesRegex(manychain.BadInput, "two columns who"):
            manychain.sample(self.header, pandas.concat([frame, frame], axis=1), **RUN)

    def test_is_compiled_for_the_sampler(self):
        result = manychain.sample(self.header, DATA, **dict(RUN, sampler="metropolis"))
        self.assertEqual(result.info["sampler"], "metropolis")

    def test_a_text(self):
        model = manychain.HeaderModel(HEADER)
        self.assertTrue(same_bits(manychain.sample(model, DATA, **RUN)["centre"], self.result["centre"]))
        self.assertEqual(pathlib.Path(model.path).read_text(), HEADER)
        self.assertEqual(manychain.HeaderModel(HEADER).path, model.path)

    def test_errors(self):
        wrong = HEADER.replace("normal(centre", "nrmal(centre")
        with self.assertRaises(manychain.CompileError) as caught:
            manychain.sample(manychain.HeaderModel(wrong), DATA, **RUN)
        self.assertIn("nrmal", caught.exception.words)
        words, _, sentence = str(caught.exception).rpartition("\n")
        self.assertEqual(words, caught.exception.words.rstrip())
        self.assertRegex(sentence, "model.hpp:13: there is no nrmal: did you mean normal")
        for model, expected in ((self.folder / "none.hpp", "there is no such header"),
                                (manychain.HeaderModel(self.header, class_name="Centre"), "did you mean Centred")):
            with self.assertRaisesRegex(manychain.BadInput, expected) as caught:
                manychain.sample(model, DATA, **RUN)
            self.assertNotIsInstance(caught.exception, manychain.CompileError)
        with self.assertRaisesRegex(manychain.BadInput, "variable does not exist: N"):
            manychain.sample(self.header, {"x": 1}, **RUN)
        with self.assertRaisesRegex(TypeError, "header"):
            manychain.HeaderModel(3)
        with unittest.mock.patch.dict(os.environ, MANYCHAIN_SHARE=str(self.folder)), \
                self.assertRaisesRegex(manychain.BadInput, "without it no model is compiled"):
            manychain.sample(self.header, DATA, **RUN)

    def test_a_library_alone(self):
        library = self.folder / "alone" / "lib" / "libmanychain.so"
        library.parent.mkdir(parents=True)
        shutil.copy(os.environ["MANYCHAIN_LIBRARY"], library)
        program = ("import manychain, sys\ntry:\n    manychain.sample(sys.argv[1])\n"
                   "except manychain.BadInput as error:\n    print(error)\n")
        done = subprocess.run([sys.executable, "-c", program, self.header], stdout=subprocess.PIPE, text=True, check=True,
                              env=dict(os.environ, MANYCHAIN_LIBRARY=str(library)))
        self.assertIn(f"there is no folder share/manychain above {library.parent.resolve()}; ", done.stdout)

    def test_check(self):
        check = manychain.check(self.header, DATA)
        self.assertTrue(check and check.passed)
        self.assertTrue(repr(check).startswith("Right: model centred"), repr(check))
        self.assertEqual(check.info["dimension"], 1)

    def test_ctrl_c_ends_the_compiler(self):
        header = self.folder / "slow.hpp"
        header.write_text(HEADER + "// another one\n")
        program = ("import manychain, os, signal, sys\n"
                   "tell = lambda line: (print(line, flush=True), os.kill(os.getpid(), signal.SIGINT))\n"
                   "manychain._running.Line.tell = lambda self, line: tell(line)\n"
                   f"manychain.sample(sys.argv[1], {DATA!r}, progress=True, **{RUN!r})\n")
        done = subprocess.run([sys.executable, "-c", program, header], capture_output=True, text=True, timeout=60)
        self.assertRegex(done.stdout, "Compiling .*slow.hpp")
        self.assertNotIn("Linking", done.stdout)
        self.assertIn("KeyboardInterrupt", done.stderr)
        self.assertEqual(done.returncode, -signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
