"""Data sets of models that are made for each: densities of Python and of C, Stan programs."""

import ctypes
import gc
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np
import pandas

import manychain
from common import PROGRAM, same_bits

FAKE = os.environ.get("MANYCHAIN_FAKE_STAN")
QUICK = {"chains": 64, "superchains": 8, "draws": 20, "warmup": 100, "seed": 7}
SETS = {"near": [0.5, 1.0], "far": [9.0, 10.0, 11.0], "wide": [-20.0, 20.0]}


def about(data, **more):
    """A normal mean of each number, known sds."""
    centre = np.asarray(data, dtype=float)
    return manychain.Density(lambda x: (-0.5 * ((x - centre)**2).sum(axis=1), centre - x), len(centre), **more)


class Densities(unittest.TestCase):
    def test_each_is_a_run_of_its_own(self):
        result = manychain.sample_sets(about, SETS, **QUICK)
        self.assertEqual((result.sampled, list(result)), (3, list(SETS)), result)
        for k, (name, data) in enumerate(SETS.items()):
            alone = {**QUICK, "seed": QUICK["seed"] + k}
            self.assertTrue(same_bits(result[name]["q"], manychain.sample(about(data), **alone)["q"]), name)
            self.assertLess(abs(result[name]["q"].mean(axis=(0, 1)) - data).max(), 0.3)
        with tempfile.TemporaryDirectory() as folder:
            result.save(os.path.join(folder, "sets.nc"))
            self.assertTrue(os.path.getsize(os.path.join(folder, "sets.nc")))

    def test_what_a_function_gets(self):
        seen = []

        def keeps(data):
            seen.append(data)
            return about([0.0])
        objects = [object(), "text", None]
        manychain.sample_sets(keeps, objects, **QUICK)
        self.assertEqual([id(one) for one in seen], [id(one) for one in objects])  # once each
        seen.clear()
        frame = pandas.DataFrame({"cell": ["b", "a", "b"], "y": [1, 2, 3], "word": ["u", "v", "w"]})
        result = manychain.sample_sets(keeps, frame, column="cell", **QUICK)
        self.assertEqual(list(result), ["b", "a"])
        self.assertEqual([list(one["word"]) for one in seen], [["u", "w"], ["v"]])

    def test_one_at_a_time_in_one_thread(self):
        inside, most = [0], [0]

        def density(data):
            def call(x):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1
                return -0.5 * (x**2).sum(axis=1), -x
            return manychain.Density(call, 1)
        manychain.sample_sets(density, range(6), **QUICK)
        self.assertEqual(most[0], 1)
        with self.assertRaisesRegex(manychain.BadInput, "threads: 2 is not allowed.*take 1"):
            manychain.sample_sets(density, range(6), **QUICK, threads=2)

    def test_refused_sets(self):
        def picky(data):
            if len(data) > 2:
                raise manychain.BadInput("three are too many \u2026")
            return about(data)
        result = manychain.sample_sets(picky, SETS, **QUICK)
        self.assertEqual((result.sampled, result.refused), (2, 1))
        self.assertEqual(result.sets["far"].said, "three are too many \u2026")
        with self.assertRaisesRegex(manychain.BadInput, "none of 1 data sets.*set 1: three are too many"):
            manychain.sample_sets(picky, [SETS["far"]], **QUICK)

    def test_exceptions_come_out(self):
        class Special(Exception):
            pass

        def raises(k):
            raise Special(k)

        def raises_later(k):
            return manychain.Density(lambda x: raises(k), 1) if k == 2 else about([0.0])
        for make in (raises, raises_later, lambda k: raises(k) if k == 2 else about([0.0])):
            with self.assertRaises(Special):
                manychain.sample_sets(make, range(4), **QUICK)
        with self.assertRaisesRegex(ValueError, "log densities of shape"):
            manychain.sample_sets(lambda k: manychain.Density(lambda x: (0.0, x), 1), range(2), **QUICK)
        self.assertTrue(manychain.sample_sets(about, SETS, **QUICK).sampled)

    def test_wrong_arguments(self):
        for error, words, model, sets, more in (
                (TypeError, "must return a Density or a CFunction, not int", lambda data: 3, [1], {}),
                (TypeError, "a Density has its data inside: give a function", about([0.0]), [1], {}),
                (TypeError, "not in str: read files before", about, "file.csv", {}),
                (TypeError, "not in int", about, 3, {}),
                (TypeError, "data: a function that makes densities", about, SETS, {"data": {"x": 1}}),
                (TypeError, "column: it says", about, SETS, {"column": "x"}),
                (manychain.BadInput, "there is no column cel; did you mean .cell", about, pandas.DataFrame({"cell": [1]}),
                 {"column": "cel"}),
                (manychain.BadInput, "there are no data sets", about, [], {})):
            with self.subTest(words), self.assertRaisesRegex(error, words):
                manychain.sample_sets(model, sets, **more)

    def test_compiled_functions_in_threads(self):
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, *[ctypes.POINTER(ctypes.c_double)] * 3, ctypes.c_void_p)
        threads = set()

        @prototype
        def normal(dimension, x, gradient, logp, user):
            threads.add(threading.get_ident())
            gradient[0], logp[0] = -x[0], -0.5 * x[0] * x[0]
            return 0
        result = manychain.sample_sets(lambda k: manychain.CFunction(normal, 1), range(4), **QUICK, threads=2)
        self.assertEqual(result.sampled, 4)
        self.assertGreater(len(threads), 1)
        one = manychain.sample_sets(lambda k: manychain.CFunction(normal, 1), range(4), **QUICK, threads=1)
        self.assertTrue(all(same_bits(result[name]["q"], one[name]["q"]) for name in result))

    def test_both_kinds_in_one_run(self):
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, *[ctypes.POINTER(ctypes.c_double)] * 3, ctypes.c_void_p)
        inside, most = [0], [0]

        @prototype
        def normal(dimension, x, gradient, logp, user):
            gradient[0], logp[0] = -x[0], -0.5 * x[0] * x[0]
            return 0

        def call(x):
            inside[0] += 1
            time.sleep(1e-4)  # others have the lock of Python meanwhile
            most[0] = max(most[0], inside[0])
            inside[0] -= 1
            return -0.5 * (x**2).sum(axis=1), -x
        result = manychain.sample_sets(lambda k: manychain.Density(call, 1) if k else manychain.CFunction(normal, 1), range(4),
                                       **QUICK, threads=2)
        self.assertEqual((result.sampled, most[0]), (4, 1), result)

    def test_nothing_is_kept(self):
        alive, most = weakref.WeakSet(), [0]
        gc.collect()
        gc.freeze()  # what other tests have imported need not be looked through again and again
        self.addCleanup(gc.unfreeze)

        def density(k):
            made = about([0.0])
            alive.add(made.logp_and_grad)
            gc.collect()
            most[0] = max(most[0], len(alive))
            return made
        result = manychain.sample_sets(density, range(30), **QUICK)
        self.assertEqual(result.sampled, 30)
        self.assertLess(most[0], 5)
        del result
        gc.collect()
        self.assertEqual(len(alive), 0)

    def test_beside_the_program(self):
        run = manychain.sample_sets(about, SETS, blocking=False, **QUICK)
        self.assertEqual(run.wait(60).sampled, 3)
        endless = manychain.sample_sets(about, SETS, blocking=False, **{**QUICK, "draws": 100000000, "chains": 16})
        endless.abort()
        self.assertTrue(endless.done)


@unittest.skipUnless(FAKE, "without a library of BridgeStan's interface")
class Stan(unittest.TestCase):
    SETS = [{"location": 3.0}, {"loction": 1}, {"location": -4.0}]

    def test_each_is_a_run_of_its_own(self):
        result = manychain.sample_sets(manychain.StanModel(FAKE), self.SETS, **QUICK)
        self.assertEqual((result.sampled, result.refused), (2, 1), result)
        self.assertIn("variable does not exist", result.sets["2"].said)
        for k in (0, 2):
            alone = {**QUICK, "seed": QUICK["seed"] + k}
            self.assertTrue(same_bits(result[str(k + 1)]["mu"], manychain.sample(FAKE, self.SETS[k], **alone)["mu"]))

    def test_none_is_taken(self):
        with self.assertRaisesRegex(manychain.BadInput, "none of 1 data sets; the first, set 1: .*variable does not exist"):
            manychain.sample_sets(FAKE, [{"y": 1}])
        with self.assertRaisesRegex(manychain.BadInput, "no_such.so"):
            manychain.sample_sets("./no_such.so", self.SETS)

    @unittest.skipUnless(PROGRAM, "without the command line")
    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "sets.json").write_text('[{"location": 3}, {"location": -4}]')
            done = subprocess.run([PROGRAM, "sample", "--stan", FAKE, "--data-sets", "sets.json", "--seed", "7", "--chains", "64",
                                   "--warmup", "100", "--draws", "20", "--show", "mu"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, "of 2 data sets have converged")
            self.assertEqual([path.suffix for path in pathlib.Path(folder).iterdir() if path.name != "sets.json"], [".nc"])
        both = manychain.sample_sets(FAKE, [{"location": 3}, {"location": -4}], **QUICK)
        self.assertEqual(both.sampled, 2)


if __name__ == "__main__":
    unittest.main()
