"""Runs of built-in and Stan models: draws are those of the command line, and what the result says of them."""

import json
import os
import pathlib
import tempfile
import unittest

import numpy as np
import pandas
import xarray

import manychain
from manychain._data import for_stan
from common import PROGRAM, SCHOOLS, SMALL, command_line, same_bits


class LikeTheCommandLine(unittest.TestCase):
    def compare(self, result, options, model="eight_schools"):
        with tempfile.TemporaryDirectory() as folder:
            file, summary = os.path.join(folder, "draws.nc"), os.path.join(folder, "summary.json")
            command_line("sample", *([model] if model else []), "--output", file, "--json", summary, *options)
            groups = {name: xarray.load_dataset(file, group=name, engine="h5netcdf") for name in ("posterior", "sample_stats")}
            said = json.loads(pathlib.Path(summary).read_text())
        self.assertEqual(set(groups["posterior"].data_vars), set(result))
        for name in result:
            self.assertTrue(same_bits(groups["posterior"][name].values, np.ascontiguousarray(result[name])), name)
        for name, values in result.sample_stats.items():
            stored = groups["sample_stats"][name].values
            self.assertTrue(np.array_equal(stored.astype(values.dtype), values), name)
        rows = result.summary()
        for name, row in said.pop("parameters").items():
            for column, value in row.items():
                ours = rows.loc[name, column]
                self.assertTrue(value == ours or value is None and not np.isfinite(ours), (name, column, value, ours))
        info = result.info
        for key in said:
            if key not in ("seconds", "problems", "warnings", "notes"):  # texts spell settings as options there
                self.assertEqual(said[key], info[key], key)

    def test_defaults(self):
        result = manychain.sample("eight_schools", seed=7)
        self.assertEqual(result["theta"].dtype, np.float32)
        self.compare(result, ["--seed", 7])

    def test_settings(self):
        result = manychain.sample("eight_schools", chains=100, draws=30, warmup=80, precision="double", metric="dense",
                                  superchains=10, thin=2, target_acceptance=0.9, seed=3)
        self.assertEqual(result["theta"].shape, (100, 30, 8))
        self.assertEqual(result["theta"].dtype, np.float64)
        self.compare(result, ["--chains", 100, "--draws", 30, "--warmup", 80, "--precision", "double", "--metric", "dense",
                              "--superchains", 10, "--thin", 2, "--target-acceptance", 0.9, "--seed", 3])

    def test_data(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "schools.json")
            pathlib.Path(file).write_text(json.dumps(SCHOOLS))
            self.compare(manychain.sample("eight_schools", SCHOOLS, **SMALL),
                         ["--data", file, "--chains", 64, "--warmup", 100, "--draws", 20, "--seed", 1])

    @unittest.skipUnless(os.environ.get("MANYCHAIN_FAKE_STAN"), "without a library of BridgeStan's interface")
    def test_stan(self):
        library = os.environ["MANYCHAIN_FAKE_STAN"]
        if not os.path.exists(library):
            self.skipTest("the library is not built")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "data.json")
            pathlib.Path(file).write_text('{"location": 3}')
            result = manychain.sample(manychain.StanModel(library), {"location": 3}, **SMALL)
            self.compare(result, ["--stan", library, "--data", file, "--chains", 64, "--warmup", 100, "--draws", 20,
                                  "--seed", 1], model=None)
            self.assertTrue(same_bits(result["A"], manychain.sample(manychain.StanModel(library), file, **SMALL)["A"]))


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = manychain.sample("eight_schools", seed=1)

    def test_verdict(self):
        result = self.result
        self.assertTrue(result.converged)
        self.assertEqual(result.problems, [])
        self.assertTrue(result.verdict.startswith("Converged: every nested R-hat < 1.01"))
        self.assertTrue(repr(result).startswith("Converged: "))
        self.assertIn("<b>Converged: ", result._repr_html_())
        self.assertIn("theta[8]", result._repr_html_())
        self.assertEqual((result.model, result.seed, result.cancelled), ("eight_schools", 1, False))
        self.assertEqual(result["theta"].shape, (result.chains, result.draws, 8))

    def test_not_converged(self):
        result = manychain.sample("eight_schools", chains=64, warmup=3, draws=5, seed=1)
        self.assertFalse(result.converged)
        self.assertTrue(result.problems)
        self.assertTrue(result.verdict.startswith("NOT converged:"))
        self.assertIn(result.problems[0], result.verdict)
        self.assertNotIn("Settings::", result.verdict + repr(result) + str(result.info))

    def test_arrays(self):
        result = self.result
        self.assertEqual(list(result), ["mu", "tau", "theta_trans", "theta"])
        self.assertEqual(result["mu"].shape, (256, result.draws))
        self.assertFalse(result["mu"].flags.writeable)
        self.assertTrue(np.shares_memory(result["mu"], result["mu"]))
        theta = result["mu"][..., None] + result["tau"][..., None] * result["theta_trans"]
        self.assertLess(np.abs(theta - result["theta"]).max(), 1e-4)
        self.assertEqual(result.quantities["theta"].kind, "derived")
        self.assertEqual(result.sample_stats["diverging"].dtype, bool)
        with self.assertRaisesRegex(KeyError, "did you mean"):
            result["thet"]

    def test_summary(self):
        table = self.result.summary()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertEqual(list(table.index[:3]), ["mu", "tau", "theta_trans[1]"])
        self.assertAlmostEqual(table.loc["mu", "mean"], float(self.result["mu"].mean(dtype=np.float64)), 5)
        self.assertAlmostEqual(table.loc["theta[3]", "sd"], float(self.result["theta"][..., 2].std(dtype=np.float64, ddof=1)), 4)
        self.assertEqual(list(self.result.summary("theta").index), [f"theta[{k}]" for k in range(1, 9)])
        self.assertEqual(list(self.result.summary(["tau", "theta[2]"]).index), ["tau", "theta[2]"])
        own = manychain.Table(table.index, table.columns, table.values)
        self.assertEqual(own.loc["mu", "mean"], table.loc["mu", "mean"])
        self.assertEqual(own["sd"][1], table["sd"].iloc[1])
        self.assertEqual(len(repr(own).splitlines()), 1 + len(table))
        with self.assertRaisesRegex(KeyError, 'did you mean "theta"'):
            self.result.summary("thera")

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            self.result.report(page)
            self.assertEqual(os.listdir(folder), ["page.html"])
            text = pathlib.Path(page).read_text()
            self.assertTrue(text.startswith("<!"))
            self.assertIn("Converged", text)
            with self.assertRaisesRegex(manychain.BadInput, "/no/such/folder"):
                self.result.report("/no/such/folder/page.html")

    def test_saved_file_has_the_verdict(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "draws.nc"
            self.result.save(file)
            command_line("diagnose", file)
            store = pathlib.Path(folder) / "draws.zarr"
            self.result.save(store)
            self.assertTrue((store / "zarr.json").is_file())
            command_line("diagnose", store)

    def test_without_draws(self):
        result = manychain.sample("normal", keep_draws=False, chains=64, warmup=100, draws=200, seed=1)
        self.assertTrue(np.isfinite(result.summary()["mean"]).all())
        with self.assertRaisesRegex(manychain.BadInput, "none were kept"):
            result[next(iter(result))]
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(manychain.BadInput):
            result.save(os.path.join(folder, "draws.nc"))

    def test_seed_is_new_and_repeats(self):
        first, second = (manychain.sample("normal", chains=64, warmup=50, draws=5) for _ in range(2))
        self.assertNotEqual(first.seed, second.seed)
        again = manychain.sample("normal", chains=64, warmup=50, draws=5, seed=first.seed)
        name = next(iter(first))
        self.assertTrue(same_bits(first[name], again[name]))

    def test_forms_of_data(self):
        with tempfile.TemporaryDirectory() as folder:
            table, rest = os.path.join(folder, "schools.csv"), os.path.join(folder, "rest.json")
            pathlib.Path(table).write_text("y,sigma\n" + "".join(f"{y},{s}\n" for y, s in zip(SCHOOLS["y"], SCHOOLS["sigma"])))
            pathlib.Path(rest).write_text('{"J": 8}')
            forms = [SCHOOLS, json.dumps(SCHOOLS), [table, pathlib.Path(rest)], [{"J": np.int32(8)}, table],
                     {name: np.array(value) for name, value in SCHOOLS.items()}]
            draws = [manychain.sample("eight_schools", form, **SMALL)["theta"] for form in forms]
        for other in draws[1:]:
            self.assertTrue(same_bits(draws[0], other))

    def test_data_frames_of_others(self):
        """Stand-ins for frames of Polars and PyArrow, which tests do without."""
        class Column:
            def __init__(self, name, values):
                self.name, self.values = name, values

            def __array__(self, *arguments, **named):
                return np.asarray(self.values)

        columns = [Column("y", SCHOOLS["y"]), Column("sigma", SCHOOLS["sigma"]), Column("who", list("abcdefgh"))]
        count = {"__len__": lambda self: 8}
        polars = type("Polars", (), {"columns": ["y", "sigma", "who"], "get_columns": lambda self: columns, **count})()
        arrow = type("Arrow", (), {"columns": columns, "column_names": ["y", "sigma", "who"], **count})()
        draws = manychain.sample("eight_schools", SCHOOLS, **SMALL)["theta"]
        for frame in (polars, arrow):
            self.assertTrue(same_bits(draws, manychain.sample("eight_schools", [frame, {"J": 8}], **SMALL)["theta"]))
            with self.assertRaisesRegex(manychain.BadInput, "not exist: J; the data have N, sigma, y"):
                manychain.sample("eight_schools", frame)

    def test_categories(self):
        words = ["low", "high", "mid", "low", "mid", "high", "low", "mid"]
        level = pandas.Categorical(words, ["low", "mid", "high"], ordered=True)
        codes = [1, 3, 2, 1, 2, 3, 1, 2]
        draws = manychain.sample("eight_schools", dict(SCHOOLS, y=codes), **SMALL)["theta"]
        for given in (level, pandas.Series(level)):
            self.assertTrue(same_bits(draws, manychain.sample("eight_schools", dict(SCHOOLS, y=given), **SMALL)["theta"]))
        schools = pandas.Categorical(list("hgfedcba"), list("abcdefgh"))  # their words label a dimension of that name
        frame = pandas.DataFrame({"y": SCHOOLS["y"], "sigma": SCHOOLS["sigma"], "school": schools})
        tree = manychain.sample("eight_schools", [frame, {"J": 8, "dims": {"theta": ["school"]}}], **SMALL).to_datatree()
        self.assertEqual(tree["posterior"]["theta"].coords["school"].values.tolist(), list("abcdefgh"))

    def test_data_frames_for_stan(self):
        frame = pandas.DataFrame({"y": [1.0, 2.0], "g": pandas.Categorical(["v", "u"]), "n": pandas.array([3, 4], dtype="Int64"),
                                  "note": ["a", "b"]})
        made = for_stan([frame, {"K": 2}])
        self.assertEqual(made, b'{"y": [1.0, 2.0], "g": [2, 1], "n": [3, 4], "K": 2, "N": 2}')
        with self.assertRaisesRegex(manychain.BadInput, "K is given twice"):
            for_stan([{"K": 2}, {"K": 2}])
        with self.assertRaisesRegex(TypeError, "not DataFrame, str"):
            for_stan([frame, "rest.json"])

    def test_starting_points(self):
        points = np.linspace(-1, 1, 64 * 10).reshape(64, 10)
        few = dict(chains=64, warmup=0, draws=1, step_size=1e-6, trajectory=1e-6, seed=1, precision="double")
        result = manychain.sample("eight_schools", initial_points=points, **few)
        self.assertLess(np.abs(result["mu"][:, 0] - points[:, 0]).max(), 1e-4)
        values = [{"mu": 1.5, "tau": 0.5}, {"mu": -2.5, "tau": 2.0}]
        result = manychain.sample("eight_schools", initial_values=values, **few)
        self.assertLess(np.abs(result["mu"][:, 0] - np.tile([1.5, -2.5], 32)).max(), 1e-4)
        self.assertLess(np.abs(result["tau"][:, 0] - np.tile([0.5, 2.0], 32)).max(), 1e-4)

    def test_lists(self):
        self.assertIn("eight_schools", [model.name for model in manychain.models()])
        settings = manychain.settings()
        self.assertEqual(settings["thin"].default, "1")
        self.assertIn("dense", settings["metric"].words)
        self.assertIn("target_ess", manychain.sample.__doc__)
        self.assertEqual(manychain.__version__, manychain.sample("normal", **SMALL).info["manychain"])


if __name__ == "__main__":
    unittest.main()
