"""Wrong arguments are exceptions with a sentence, before the first draw."""

import copy
import os
import pickle
import typing
import unittest

import numpy as np
import pandas

import manychain
import manychain._setting_types as types
from common import SCHOOLS, SMALL


class OnADevice:
    """As an array of CuPy."""

    def __array__(self, *arguments, **named):
        raise TypeError("call get()")


class Errors(unittest.TestCase):
    def refuses(self, error, words, *arguments, **settings):
        with self.assertRaisesRegex(error, words) as caught:
            manychain.sample(*arguments, **settings)
        self.assertNotIn("Settings::", str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_settings(self):
        refused = [
            (dict(chain=3), TypeError, 'no setting "chain"; did you mean "chains"'),
            (dict(coords={}), TypeError, "coords stands in the data"),
            (dict(dta={}), TypeError, 'did you mean "data"'),
            (dict(num_chains=4), TypeError, 'did you mean "chains"'),  # words of other programs
            (dict(tune=100), TypeError, 'did you mean "warmup"'),
            (dict(random_seed=1), TypeError, 'did you mean "seed"'),
            (dict(cores=4), TypeError, 'did you mean "threads"'),
            (dict(blocking="no"), TypeError, "blocking: give True or False, not 'no'"),
            (dict(every="often", output="run.zarr"), TypeError, "every: give a number, not 'often'"),
            (dict(memory=None, output="run.zarr"), TypeError, "memory: give a number, not None"),
            (dict(chains=3.0), TypeError, "chains: give a whole number, not 3.0"),
            (dict(seed=np.array([0, 1])), TypeError, "seed: give a whole number, not array"),
            (dict(chains="many"), TypeError, "chains: give a whole number"),
            (dict(chains=True), TypeError, "chains: give a whole number"),
            (dict(chains=-1), ValueError, 'chains: "-1" is not a whole number from 0'),
            (dict(chains=2**70), ValueError, "chains"),
            (dict(draws=0), ValueError, "draws: 0 is not allowed; it must be at least 1"),
            (dict(step_size=float("nan")), ValueError, "step_size: nan is not allowed"),
            (dict(step_size=[1]), TypeError, "step_size: give a number"),
            (dict(target_acceptance=1.5), ValueError, "between 0 and 1"),
            (dict(metric="lowrank"), ValueError, "did you mean low_rank"),
            (dict(metric=3), TypeError, "metric: give one of the words auto, diagonal"),
            (dict(keep_draws="some"), ValueError, "neither true nor false"),
            (dict(keep_draws=1), TypeError, "True or False"),
            (dict(schedule=(1, 2)), TypeError, "three numbers"),
            (dict(sampler="nuts"), ValueError, "there is no sampler nuts; there are hmc, "),
            (dict(sampler="a\0b"), ValueError, "null character"),
            (dict(superchains=1000, chains=64), ValueError, "superchains"),
            (dict(progress=3), TypeError, "progress"),
            (dict(initial_points=np.zeros(3)), ValueError, r"must be \(chains, 10\)"),
            (dict(initial_points=np.full((64, 10), np.nan), chains=64), ValueError, "every value must be finite"),
            (dict(initial_points=np.full((64, 10), "a")), TypeError, "real numbers"),
            (dict(initial_points=np.zeros((63, 10)), chains=64), ValueError, "initial_points: there are 63 points for 64 chains"),
            (dict(initial_points=[[1, 2], [3]]), ValueError, "initial_points: the points differ in length"),
            (dict(initial_values=[]), ValueError, "initial_values: there are none"),
            (dict(initial_values={"mu": "a"}), TypeError, "initial_values: mu is the text 'a'"),
            (dict(initial_values={"nu": 1.0}), ValueError, "nu"),
            (dict(initial_values={"tau": -1.0}), ValueError, "tau"),
            (dict(initial_values=3), TypeError, "initial_values: give a mapping .* not int"),
        ]
        for settings, error, words in refused:
            with self.subTest(**settings):
                self.refuses(error, words, "eight_schools", **settings)

    def test_numpy_scalars_and_none(self):
        result = manychain.sample("normal", chains=np.int32(64), warmup=np.uint8(50), draws=None, thin=None,
                                  target_ess=np.float32(400), keep_sample_stats=np.True_, seed=np.int64(3), step_size="auto")
        self.assertEqual((result.chains, result.seed), (64, 3))

    def test_data(self):
        refused = [
            (dict(SCHOOLS, y=["a"] * 8), TypeError, r"y\[1\] is the text 'a': give real numbers"),
            (dict(SCHOOLS, J="8"), TypeError, "J is the text '8'"),
            (dict(SCHOOLS, y=np.array(["1"] * 8, dtype=object)), TypeError, r"y\[1\] is the text '1'"),
            (dict(SCHOOLS, y=pandas.Series(list("abababab"))), TypeError, r"y\[1\] is the text 'a'.* as a pandas.Categorical"),
            (dict(SCHOOLS, y=np.array([b"a"] * 8)), TypeError, r"y\[1\] is the text b'a'"),
            (dict(SCHOOLS, y=pandas.Categorical(["a", None] * 4)), TypeError, r"y\[2\] is missing: a model has no missing values"),
            (dict(SCHOOLS, y=pandas.to_datetime(pandas.Series(["2020-01-01"] * 8))), TypeError,
             r"array of datetime64\[.*\]: give times as real numbers, for example days since the first, \(y - y.min"),
            (dict(SCHOOLS, y=[1.0, pandas.NA] * 4), TypeError, r"y\[2\] is <NA>: a model has no missing values"),
            (dict(SCHOOLS, y=OnADevice()), TypeError, "y is of type OnADevice, which does not become an array: call get"),
            (dict(SCHOOLS, J=2**70 + 1), ValueError, "beyond 2"),
            (dict(SCHOOLS, dims=["school"]), TypeError, "dims: give a mapping, not list"),
            (dict(SCHOOLS, y=pandas.Series([1, None] * 4, dtype="Int64")), ValueError, r"y\[2\] is nan; a model has no missing values"),
            (dict(SCHOOLS, y={1, 2}), TypeError, "y is of type set: give real numbers, as a list"),
            (dict(SCHOOLS, y=[1.0, None] * 4), TypeError, r"y\[2\] is None: a model has no missing values"),
            (dict(SCHOOLS, y=np.ma.array([1.0] * 8, mask=[0] * 7 + [1])), TypeError, "y has masked values"),
            (dict(SCHOOLS, y=[[1, 2], [3]]), ValueError, "y"),
            (dict(SCHOOLS, y=1j), TypeError, "real numbers"),
            (dict(SCHOOLS, y=[1.0, 2.0]), ValueError, "y"),
            (dict(SCHOOLS, J=7.5), ValueError, "J"),
            (dict(SCHOOLS, sigma=[float("nan")] * 8), ValueError, "sigma"),
            (dict(SCHOOLS, J=2**60 + 1), ValueError, "beyond 2"),
            ([pandas.DataFrame({"y": list("abababab"), "sigma": 1.0}), {"J": 8}], ValueError,
             r"not exist: y; the data have J, N, sigma; y\[1\] is the text 'a'"),
            ({1: 2}, TypeError, "names are texts"),
            ({}, ValueError, "variable does not exist"),
            ("/no/such/file.json", ValueError, "/no/such/file.json"),
            ('{"J": ', ValueError, "."),
            ("", ValueError, "the text is empty: give the name of a file"),
            (3, TypeError, "mapping of names"),
            (dict(SCHOOLS, coords={"school": ["a"]}, dims={"theta": ["school"]}), ValueError, "school"),
        ]
        for data, error, words in refused:
            with self.subTest(data=data):
                self.refuses(error, words, "eight_schools", data)

    def test_models(self):
        self.refuses(ValueError, 'unknown model: eight_school; .*did you mean "eight_schools"', "eight_school")
        self.refuses(ValueError, "null character", "a\0b")
        self.refuses(TypeError, "not int", 3)
        self.refuses(ValueError, "/no/such.so", manychain.StanModel("/no/such.so"))
        self.refuses(TypeError, "file", manychain.StanModel("/no/such.so"), 3)
        with self.assertRaises(TypeError):
            manychain.StanModel(3)

    def test_errors_are_of_both_kinds(self):
        self.assertTrue(issubclass(manychain.BadInput, ValueError) and issubclass(manychain.BadInput, manychain.Error))
        self.assertTrue(issubclass(manychain.SamplingFailed, RuntimeError))

    def test_results_are_not_pickled(self):
        result = manychain.sample("normal", **SMALL)
        with self.assertRaisesRegex(TypeError, "save"):
            pickle.dumps(result)
        self.assertIs(copy.copy(result), result)
        self.assertIs(copy.deepcopy({"fit": result})["fit"], result)

    def test_errors_come_out_of_other_processes(self):
        """An exception that cannot be unpickled ends a process pool, or lets it wait for ever."""
        for error in (manychain.Error("a"), manychain.BadInput("b"), manychain.SamplingFailed("c"),
                      manychain.CompileError("model.hpp:3: it is wrong", "error: wrong\n")):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), vars(again)), (type(error), str(error), vars(error)))
        self.assertEqual(str(again), "error: wrong\nmodel.hpp:3: it is wrong")

    def test_what_a_process_sends_back(self):
        result = manychain.sample("normal", **SMALL)
        for part in (result.info, result.findings, result.quantities, result.verdict, result.summary(), result["x"], manychain.rhat(result),
                     manychain.check("normal"), manychain.HeaderModel("line.hpp")):
            self.assertEqual(repr(pickle.loads(pickle.dumps(part))), repr(part))

    def test_results(self):
        result = manychain.sample("normal", **SMALL)
        with self.assertRaisesRegex(TypeError, "names: give a name or a sequence of names, not 3"):
            result.summary(3)
        with self.assertRaisesRegex(manychain.BadInput, "save.. writes NetCDF .* not .csv"):
            result.save("draws.csv")
        self.assertFalse(os.path.exists("draws.csv"))

    def test_types_are_those_of_the_table(self):
        kinds = {"whole": types.Whole, "real": types.Real, "flag": types.Flag, "word": types.Word, "schedule": types.Schedule}
        self.assertEqual(typing.get_type_hints(types.Settings),
                         {one.name: kinds[one.kind] for one in manychain.settings().values()})


if __name__ == "__main__":
    unittest.main()
