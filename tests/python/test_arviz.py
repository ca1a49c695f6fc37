"""ArviZ on results."""

import importlib.util
import sys
import types
import unittest
import unittest.mock

import arviz_stats
import numpy as np

import manychain
from common import SCHOOLS


class DataTree(unittest.TestCase):
    def test_summary_of_arviz_is_ours(self):
        named = dict(SCHOOLS, coords={"school": list("ABCDEFGH")}, dims={"theta": ["school"]})
        result = manychain.sample("eight_schools", named, seed=1, superchains=0, chains=64, draws=100, warmup=200,
                                  log_likelihood=10)
        tree = result.to_datatree()
        self.assertEqual(set(tree.children), {"posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data"})
        self.assertEqual(tree["posterior"]["theta"].dims, ("chain", "draw", "school"))
        self.assertTrue(np.array_equal(tree["posterior"]["theta"].values, result["theta"]))
        theirs = arviz_stats.summary(tree, round_to="none", ci_prob=0.9, ci_kind="eti")
        ours = result.summary()
        self.assertEqual(len(theirs), len(ours))
        for their_name, our_name, tolerance in (("mean", "mean", 1e-4), ("sd", "sd", 1e-3), ("r_hat", "rhat", 1e-3),
                                                ("ess_bulk", "ess_bulk", 2e-2)):
            their, our = theirs[their_name].to_numpy(float), ours[our_name].to_numpy()
            self.assertTrue(np.allclose(their, our, rtol=tolerance, atol=1e-4), (their_name, their, our))
        tail = arviz_stats.ess(tree, var_names=["theta"], method="tail", prob=(0.05, 0.95))["theta"].values
        self.assertTrue(np.allclose(tail, result.summary("theta")["ess_tail"], rtol=1e-6), tail)

    def test_statistics_of_draws_have_the_names_of_arviz(self):
        result = manychain.sample("eight_schools", chains=64, draws=20, seed=1)
        stats = result.to_datatree()["sample_stats"]
        self.assertEqual(set(stats.data_vars), {*result.sample_stats, "step_size", "n_steps"})
        for name, values in stats.data_vars.items():
            self.assertEqual(values.dims, ("chain", "draw"), name)
        for name, values in result.sample_stats.items():
            self.assertTrue(np.array_equal(stats[name].values, values), name)
        self.assertTrue(np.allclose(stats["step_size"], result.info["step_size"], rtol=1e-12))
        self.assertEqual(stats["n_steps"].dtype.kind, "i")
        self.assertTrue((stats["n_steps"] >= 1).all())

    def test_superchains_are_a_coordinate(self):
        tree = manychain.sample("eight_schools", seed=1).to_datatree()
        self.assertIn("superchain", tree["posterior"].coords)
        self.assertNotIn("superchain", tree["posterior"].data_vars)

    def test_inference_data_of_each_arviz(self):
        """ArviZ 1.3 has the old name for a DataTree."""
        result = manychain.sample("eight_schools", chains=8, warmup=50, draws=10, seed=1)
        new = types.SimpleNamespace(__version__="1.3.0", InferenceData=type(result.to_datatree()))
        with unittest.mock.patch.dict(sys.modules, {"arviz": new}):
            self.assertEqual(result.to_inference_data()["posterior"]["theta"].shape, (8, 10, 8))
        if importlib.util.find_spec("arviz"):
            self.assertEqual(result.to_inference_data()["posterior"]["theta"].shape, (8, 10, 8))


if __name__ == "__main__":
    unittest.main()
