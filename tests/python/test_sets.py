"""Many data sets in one run: draws of the command line, what is refused, Ctrl-C; parts of a run; arrays by DLPack."""

import gc
import json
import os
import pathlib
import pickle
import shutil
import signal
import tempfile
import time
import unittest
import unittest.mock

import numpy as np
import pandas

import manychain
from common import PROGRAM, SCHOOLS, SMALL, command_line, same_bits

FEW = {"J": 3, "y": [1.5, 2, 3], "sigma": [1, 2, 1]}
TWO_Y = {"J": 3, "y": [1, 2], "sigma": [1, 1, 1]}
SETS = {"all": SCHOOLS, "bad": TWO_Y, "few": FEW}
QUICK = {"chains": 64, "draws": 20, "warmup": 100, "seed": 7}


def without_times(info):
    if isinstance(info, dict):
        return {key: without_times(one) for key, one in info.items() if key != "seconds"}
    return [without_times(one) for one in info] if isinstance(info, list) else info


class Sets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = manychain.sample_sets("eight_schools", SETS, **QUICK)

    def test_answers(self):
        result = self.result
        self.assertEqual((result.sampled, result.refused, result.failed, result.left_out, len(result)), (2, 1, 0, 0, 3))
        self.assertEqual((list(result), "few" in result, "one" in result), (["all", "bad", "few"], True, False))
        self.assertFalse(result.converged or result.cancelled or result.draws_left_out)
        self.assertEqual(result.worst_first[0], "bad")
        self.assertRegex(result.problems["bad"], "y, declared [(]3[)], found [(]2[)]")
        bad = result.sets["bad"]
        self.assertEqual((bad.state, bad.converged, bad.seed, bad.draws), ("refused", False, 8, 0))
        self.assertTrue(np.isnan([bad.largest_rhat, bad.smallest_ess, bad.seconds]).all())
        with self.assertRaisesRegex(manychain.BadInput, "set bad: .* it was refused"):
            result["bad"]
        with self.assertRaisesRegex(KeyError, 'no data set .*did you mean "few"'):
            result["fw"]
        self.assertRegex(repr(result), "^[0-9] of 3 data sets have converged")
        self.assertRegex(result._repr_html_(), "<b>[0-9] of 3 data sets have converged")
        self.assertEqual(result.info["refused"], 1)
        with self.assertRaisesRegex(TypeError, "cannot be pickled"):
            pickle.dumps(result)

    def test_each_is_a_run_of_its_own(self):
        for k, (name, data) in enumerate(SETS.items()):
            if name == "bad":
                continue
            alone = manychain.sample("eight_schools", data, **{**QUICK, "seed": 7 + k}, superchains=8, precision="double")
            ours = self.result[name]
            self.assertTrue(all(same_bits(ours[q], alone[q]) for q in alone))
            pandas.testing.assert_frame_equal(ours.summary(), alone.summary(), check_exact=True)
            self.assertEqual((ours.converged, ours.chains, ours.draws, ours.facts.seed), (alone.converged, 64, 20, 7 + k))
            self.assertEqual(ours.quantities, alone.quantities)
            self.assertRegex(ours.verdict, "^(Converged|NOT converged: )")

    def test_summary(self):
        table = self.result.summary()
        self.assertEqual(list(table.index), self.result.worst_first)
        self.assertEqual(list(table.columns[:7]), ["state", "converged", "largest_rhat", "smallest_ess", "draws", "divergences",
                                                   "mu_mean"])
        self.assertEqual(table.loc["few", "mu_mean"], self.result["few"].summary().loc["mu", "mean"])
        self.assertTrue(np.isnan(table.loc["bad", "mu_mean"]) and table.loc["bad", "state"] == "refused")
        table = self.result.summary(["theta", "tau"])
        self.assertEqual(table.shape, (3, 6 + 2 * 9))
        self.assertTrue(np.isnan(table.loc["few", "theta[4]_sd"]) and table.loc["all", "theta[8]_sd"] > 0)
        with self.assertRaisesRegex(KeyError, "no data set has 'nu'"):
            self.result.summary(["tau", "nu"])

    def test_summary_without_pandas(self):
        with unittest.mock.patch("importlib.util.find_spec", return_value=None):
            table = self.result.summary("tau")
        self.assertIsInstance(table, manychain.Table)
        self.assertEqual(table.loc["bad", "state"], "refused")
        self.assertEqual(table.loc["few", "tau_sd"], self.result["few"].summary().loc["tau", "sd"])
        self.assertRegex(repr(table), "(?s)state .*bad +refused +0 +nan .*all +sampled ")

    def test_arrays_outlive_the_result(self):
        made = manychain.sample_sets("eight_schools", [FEW], **QUICK)
        theta = made["1"]["theta"]
        before = theta.copy()
        del made
        gc.collect()
        self.assertTrue(same_bits(theta.copy(), before) and not theta.flags.writeable)

    @unittest.skipUnless(PROGRAM, "without the command line")
    def test_as_on_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file, theirs, out = (pathlib.Path(folder) / name for name in ("sets.json", "theirs.nc", "theirs.json"))
            file.write_text(json.dumps(SETS))
            (file.parent / "start.json").write_text('{"mu": 2}')
            command_line("sample", "eight_schools", "--data-sets", file, "--seed", 7, "--output", theirs, "--json", out,
                         "--log-likelihood", 10, "--init", file.parent / "start.json")
            ours = manychain.sample_sets("eight_schools", file, seed=7, log_likelihood=10, initial_values={"mu": 2})
            self.assertIn("--init FILE.json", ours.info["settings"])
            self.assertEqual(without_times(ours.info), without_times(json.loads(out.read_text())))
            import xarray
            with xarray.open_datatree(theirs) as tree:
                tree = tree.load()
            mine = ours.to_datatree()
            for group in ("data_sets", "summary", "posterior", "log_likelihood"):
                self.assertEqual(list(mine[group]), list(tree[group]))
                for name in tree[group]:
                    a, b = mine[group][name], tree[group][name]
                    self.assertTrue(a.dims == b.dims and (a.dtype.kind == "U" and list(a.values) == list(b.values) or
                                                          same_bits(a.values, b.values)), name)
            self.assertEqual(mine["log_likelihood"]["y"].shape, (64, 10, 3, 8))
            self.assertEqual(mine["posterior"]["theta"].dims, ("chain", "draw", "set", "theta_dim_0"))
            with self.assertRaisesRegex(manychain.BadInput, "take NAME.nc"):
                ours.save(os.path.join(folder, "sets.zarr"))

    def test_sources(self):
        by_json = manychain.sample_sets("eight_schools", json.dumps(SETS), **QUICK)
        by_number = manychain.sample_sets("eight_schools", (SCHOOLS, json.dumps(TWO_Y), FEW), **QUICK)
        for made, name in ((by_json, "few"), (by_number, "3")):
            self.assertEqual(list(made)[2], name)
            self.assertTrue(same_bits(made[name]["theta"], self.result["few"]["theta"]))

    def test_data_of_all_sets(self):
        common = {key: SCHOOLS[key] for key in ("J", "sigma")}
        made = manychain.sample_sets("eight_schools", {"x": {"y": SCHOOLS["y"]}}, data=common, **QUICK)
        self.assertTrue(same_bits(made["x"]["theta"], self.result["all"]["theta"]))
        with self.assertRaisesRegex(manychain.BadInput, "none of 1 data sets; the first, set x: .*J"):
            manychain.sample_sets("eight_schools", {"x": FEW}, data=common, **QUICK)

    def test_draws_that_take_too_much(self):
        made = manychain.sample_sets("eight_schools", [FEW, SCHOOLS], memory=0.05, **QUICK)
        self.assertTrue(made.draws_left_out)
        with self.assertRaisesRegex(manychain.BadInput, "none were kept"):
            made["1"]["theta"]
        self.assertEqual(made["1"].summary().shape, (8, 12))
        made = manychain.sample_sets("eight_schools", [FEW], memory=0, **QUICK)
        self.assertEqual((made.draws_left_out, made["1"].draws), (False, 0))

    def test_what_cannot_be(self):
        refused = [
            (TypeError, "no name of a file and no JSON, but float", "eight_schools", [1.5], {}),
            (TypeError, "data_sets: give a mapping of names", "eight_schools", 7, {}),
            (TypeError, "column: it says of which set", "eight_schools", [FEW], {"column": "x"}),
            (TypeError, "column: give the name of the column", "eight_schools", pandas.DataFrame({"y": [1.0]}), {}),
            (TypeError, 'no setting "chain"; did you mean "chains"', "eight_schools", [FEW], {"chain": 3}),
            (ValueError, "y is no rectangular array", "eight_schools", [{"J": 1, "y": [[1], [1, 2]]}], {}),
            (manychain.BadInput, "there are no data sets", "eight_schools", [], {}),
            (manychain.BadInput, "takes none of 2 data sets; the first, set 1: ", "eight_schools", [TWO_Y, TWO_Y], {}),
            (manychain.BadInput, "unknown model: eight_school", "eight_school", [FEW], {}),
            (manychain.BadInput, "set 3: it stands twice", "eight_schools", {3: FEW, "3": FEW}, {}),
            (manychain.BadInput, "^keep_draws: .* leave it out", "eight_schools", [FEW], {"keep_draws": False}),
            (manychain.BadInput, "draw_bytes: -", "eight_schools", [FEW], {"memory": -1}),
            (manychain.BadInput, "no_such.json", "eight_schools", "no_such.json", {}),
            (manychain.BadInput, "no_such.stan: cannot be read", "no_such.stan", [FEW], {}),
            (TypeError, "a Density has its data inside", manychain.Density(lambda x: x, 1), [FEW], {}),
        ]
        for kind, words, model, sets, more in refused:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                manychain.sample_sets(model, sets, **{**QUICK, **more})

    def test_progress(self):
        seen = []
        made = manychain.sample_sets("eight_schools", [FEW] * 3, progress=lambda p: seen.append(tuple(p)[:4]), **QUICK)
        self.assertEqual(seen[-1], ("data sets", 3, 3, 0))
        self.assertEqual(made.sampled, 3)
        with self.assertRaises(ZeroDivisionError):
            manychain.sample_sets("eight_schools", [FEW] * 3, progress=lambda p: 1 / 0, **QUICK)

    def test_without_waiting(self):
        with manychain_run([SCHOOLS] * 3) as run:
            self.assertIsInstance(run, manychain.SetsRun)
            self.assertEqual(run.wait(60).sampled, 3)
            self.assertIs(run.inspect(), run.wait(60))
        with manychain_run([SCHOOLS] * 5000) as run:
            while run.progress is None or run.progress.transitions < 3:
                time.sleep(0.01)
            so_far = run.inspect(60)
            made = run.stop(60)
            self.assertTrue(made.cancelled and made.left_out > 0)
        self.assertGreaterEqual(len(so_far), 3)
        self.assertEqual((so_far.sampled, so_far.left_out, so_far.cancelled), (len(so_far), 0, False))
        self.assertRegex(str(so_far), "onverged")
        for name in so_far:
            self.assertEqual(so_far.sets[name], made.sets[name])
            self.assertEqual(list(so_far[name].summary().index), list(made[name].summary().index))
        self.assertEqual(so_far.info["settings"], made.info["settings"])

    def test_ctrl_c_keeps_what_is_done(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            sent = []

            def once(p):
                if p.transitions >= 2 and not sent:
                    sent.append(p.transitions)
                    os.kill(os.getpid(), signal.SIGINT)
            with self.assertWarnsRegex(RuntimeWarning, "interrupted: the result has the [0-9]+ of 5000 data sets that had"):
                made = manychain.sample_sets("eight_schools", [FEW] * 5000, progress=once, **QUICK)
            self.assertTrue(made.cancelled and 2 <= made.sampled < 5000 and made.left_out == 5000 - made.sampled)
            self.assertEqual(made["1"].draws, 20)
            self.assertIn("the run ended before it", made.problems["5000"])
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
            with self.assertRaises(KeyboardInterrupt):
                manychain.sample_sets("eight_schools", [SCHOOLS] * 5000, draws=100000, chains=64, seed=1,
                                      progress=lambda p: os.kill(os.getpid(), signal.SIGINT))
        finally:
            signal.signal(signal.SIGINT, before)


class manychain_run:
    """A handle that is aborted if a test fails."""

    def __init__(self, sets):
        self.run = manychain.sample_sets("eight_schools", sets, blocking=False, **QUICK)

    def __enter__(self):
        return self.run

    def __exit__(self, *exception):
        self.run.abort()


class Folds(unittest.TestCase):
    def test_as_on_the_command_line(self):
        found = manychain.cross_validate("linear_regression", folds=3, seed=1)
        self.assertEqual((found.observed, found.folds, found.converged), ("y", 3, True))
        self.assertEqual(sorted(set(found.fold)), [0, 1, 2])
        self.assertAlmostEqual(found.elpd, found.rows.sum())
        self.assertAlmostEqual(found.loo, found.loo_rows.sum())
        self.assertTrue(abs(found.elpd - found.loo) < 3 * found.se and 0 < found.loo_se and found.khat.max() < 0.7)
        self.assertRegex(repr(found), "^3 folds of [0-9]+ rows of y")
        if PROGRAM:
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "folds.json"
                command_line("sample", "linear_regression", "--folds", 3, "--seed", 1, "--json", out)
                self.assertEqual(without_times(found.info), without_times(json.loads(out.read_text())))

    def test_what_cannot_be(self):
        with self.assertRaisesRegex(manychain.BadInput, "a row whose parameter is its own"):
            manychain.cross_validate("eight_schools", folds=4)
        with self.assertRaisesRegex(manychain.BadInput, "folds: 1 is not allowed"):
            manychain.cross_validate("linear_regression", folds=1)
        with self.assertRaisesRegex(TypeError, "folds: give a whole number"):
            manychain.cross_validate("linear_regression", folds=2.5)
        with self.assertRaisesRegex(TypeError, 'no setting "chain"'):
            manychain.cross_validate("linear_regression", chain=4)
        with self.assertRaises(ZeroDivisionError):
            manychain.cross_validate("linear_regression", progress=lambda p: 1 / 0)
        with self.assertRaises(manychain.BadInput):
            manychain.cross_validate(manychain.Density(lambda x: (-0.5 * (x**2).sum(axis=1), -x), 2))

    def test_ctrl_c(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                manychain.cross_validate("linear_regression", draws=1000, thin=1000, target_ess=1e6,  # minutes
                                         progress=lambda p: os.kill(os.getpid(), signal.SIGINT))
        finally:
            signal.signal(signal.SIGINT, before)


class Parts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.warm = self.folder / "warm.zarr"
        self.result = manychain.sample("eight_schools", output=self.warm, warmup_only=True, **SMALL)

    def test_parts_make_the_whole(self):
        self.assertEqual((self.result.draws, self.result.converged, self.result["mu"].shape), (0, False, (64, 0)))
        self.assertRegex(self.result.verdict, "^Not judged: warm-up has ended")
        self.assertTrue(np.isnan(self.result.summary().to_numpy()).all())
        alone = manychain.sample("eight_schools", **SMALL)
        first = manychain.resume(self.warm, part=(1, 3))
        self.assertTrue((self.folder / "warm.part-1-of-3.zarr").is_dir())
        self.assertRegex(first.verdict, "^Not judged: part 1 of 3")
        self.assertTrue(np.isnan(first.summary().to_numpy()).all() and not first.converged)
        self.assertTrue(same_bits(first["theta"], np.asarray(alone["theta"][:len(first["theta"])])))
        again = manychain.resume(self.warm, part=(1, 3))  # one that has ended goes on
        self.assertTrue(same_bits(again["theta"], first["theta"]))
        third = self.folder / "third.zarr"
        manychain.resume(self.warm, part=[3, 3], output=third)
        if PROGRAM:  # the command line's part is ours
            command_line("resume", self.warm, "--part", "2/3")
        else:
            manychain.resume(self.warm, part=(2, 3))
        whole = manychain.merge(self.folder / "whole.zarr", [third, *sorted(self.folder.glob("warm.part-*-of-3.zarr"))])
        self.assertTrue(same_bits(whole["theta"], alone["theta"]))
        pandas.testing.assert_frame_equal(whole.summary(), alone.summary(), check_exact=True)
        with self.assertRaisesRegex(manychain.BadInput, "another run is there"):
            manychain.resume(self.warm, part=(2, 4), output=third)

    def test_what_cannot_be(self):
        for part in (3, "3/16", (1, 2, 3), (1.5, 2), (True, 2), (-1, 2)):
            with self.assertRaisesRegex(TypeError, "part: give two whole numbers"):
                manychain.resume(self.warm, part=part)
        for part in ((0, 2), (3, 2)):
            with self.assertRaisesRegex(manychain.BadInput, "part: [0-9] of 2 is none"):
                manychain.resume(self.warm, part=part)
        with self.assertRaisesRegex(TypeError, "only a part has another one"):
            manychain.resume(self.warm, output=self.folder / "other.zarr")
        with self.assertRaisesRegex(TypeError, "give its output, too"):
            manychain.sample("eight_schools", warmup_only=True)
        self.assertEqual(sorted(one.name for one in self.folder.iterdir()), ["warm.zarr"])


class Arrays(unittest.TestCase):
    def test_dlpack(self):
        """NumPy's arrays speak it: without a copy, and for readers alone."""
        result = manychain.sample("eight_schools", **SMALL)
        theta = result["theta"]
        if np.lib.NumpyVersion(np.__version__) < "2.1.0":
            self.skipTest("NumPy before 2.1 gives away no array that is read-only")
        taken = np.from_dlpack(theta)
        self.assertTrue(np.shares_memory(taken, theta) and same_bits(taken, theta))
        self.assertEqual(taken.__array_interface__["data"][0], theta.__array_interface__["data"][0])
        self.assertEqual((taken.strides, taken.flags.writeable), (theta.strides, False))
        before = theta.copy()
        del result, theta
        gc.collect()
        self.assertTrue(same_bits(taken.copy(), before))
        with self.assertRaises(BufferError):  # to a version without read-only arrays
            taken.__dlpack__()


if __name__ == "__main__":
    unittest.main()
