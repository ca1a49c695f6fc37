"""Diagnostics of anybody's draws."""

import unittest

import arviz_stats
import numpy as np
import xarray

import manychain


def autoregressive(chains=8, draws=120, variables=3, seed=1):
    """Correlated draws; the chains of the last variable differ in location, those of the last but one in scale."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(chains, draws, variables))
    for t in range(1, draws):
        x[:, t] += 0.5 * x[:, t - 1]
    x[..., -1] += np.arange(chains)[:, None] / chains
    x[..., -2] *= 1 + np.arange(chains)[:, None] / chains
    return x


class Diagnostics(unittest.TestCase):
    x = autoregressive()

    def theirs(self, function, **more):
        data = xarray.Dataset({"x": (("chain", "draw", "k"), self.x)})
        return getattr(arviz_stats, function)(data, **more)["x"].values

    def near(self, ours, theirs, tolerance=1e-6):
        self.assertEqual(ours.shape, theirs.shape)
        self.assertTrue(np.allclose(ours, theirs, rtol=tolerance), (ours, theirs))

    def test_rhat_is_arviz(self):
        for kind, method in (("rank", "rank"), ("bulk", "z_scale"), ("folded", "folded"), ("split", "split"),
                             ("plain", "identity")):
            self.near(manychain.rhat(self.x, kind), self.theirs("rhat", method=method))
        self.near(manychain.rhat(self.x), manychain.rhat(self.x, "rank"))

    def test_ess_is_arviz(self):
        for kind in ("bulk", "mean", "sd", "median"):
            self.near(manychain.ess(self.x, kind), self.theirs("ess", method=kind))
        self.near(manychain.ess(self.x), self.theirs("ess", method="bulk"))
        self.near(manychain.ess_tail(self.x), self.theirs("ess", method="tail", prob=(0.05, 0.95)))
        self.near(manychain.ess(self.x, "plain"), self.theirs("ess", method="identity"))
        self.near(manychain.ess(self.x, "quantile", 0.2), self.theirs("ess", method="quantile", prob=0.2))

    def test_mcse_is_arviz(self):
        for kind in ("mean", "median"):
            self.near(manychain.mcse(self.x, kind), self.theirs("mcse", method=kind), 1e-5)
        self.near(manychain.mcse(self.x, "quantile", 0.2), self.theirs("mcse", method="quantile", prob=0.2), 1e-5)

    def test_mcse_of_the_sd_is_by_its_own_ess(self):  # ArviZ has that of the mean
        theirs = self.theirs("mcse", method="sd") * np.sqrt(self.theirs("ess", method="mean") / manychain.ess(self.x, "sd"))
        self.near(manychain.mcse(self.x, "sd"), theirs, 1e-5)

    def test_rhat_nested(self):
        labels = [c % 4 for c in range(8)]
        plain = manychain.rhat_nested(self.x, 4, ranked=False)
        self.near(plain, self.theirs("rhat_nested", superchain_ids=labels, method="identity"))
        ranked = manychain.rhat_nested(self.x, 4)
        self.near(manychain.rhat_nested(self.x, labels), ranked)
        self.near(manychain.rhat_nested(self.x, ["abcd"[c] for c in labels]), ranked)
        self.assertGreater(manychain.rhat_nested(self.x, [0, 0, 1, 1, 2, 2, 3, 3])[2], ranked[2])

    def test_halves_of_superchains_are_compared(self):  # ArviZ puts them together
        drift = np.random.default_rng(1).normal(size=(8, 100)) + np.linspace(0, 2, 100)
        theirs = arviz_stats.rhat_nested(xarray.Dataset({"x": (("chain", "draw"), drift)}), superchain_ids=[0, 1] * 4,
                                         method="rank")["x"].values
        self.assertLess(theirs, 1.01)
        self.assertGreater(manychain.rhat_nested(drift, 2), 1.1)

    def test_energies(self):
        energies = self.x[..., 0]
        steps = (np.diff(energies, axis=1)**2).sum(axis=1)
        self.near(manychain.ebfmi(energies), steps / ((energies - energies.mean(axis=1, keepdims=True))**2).sum(axis=1))

    def test_autocorrelation(self):
        ours = manychain.autocorrelation(self.x, 3)
        self.assertEqual(ours.shape, (3, 4))
        about = self.x - self.x.mean(axis=1, keepdims=True)
        lag = [(about[:, k:] * about[:, :120 - k]).sum(axis=(0, 1)) for k in range(4)]
        self.near(ours, np.transpose(lag) / lag[0][:, None])
        self.assertEqual(manychain.autocorrelation(self.x).shape, (3, 120))

    def test_khat(self):
        heavy = np.random.default_rng(2).standard_t(2, size=(4, 2000))
        self.assertGreater(manychain.pareto_khat(heavy), 0.3)  # 1/2 of so many
        self.assertLess(manychain.pareto_khat(np.random.default_rng(2).normal(size=(4, 2000))), 0.2)

    def test_a_run(self):
        result = manychain.sample("eight_schools", chains=64, draws=100, superchains=8, seed=1)
        table = result.summary()
        for ours, column in ((manychain.rhat_nested(result, 8), "rhat_nested"), (manychain.ess(result), "ess_bulk"),
                             (manychain.rhat(result), "rhat"), (manychain.ess_tail(result), "ess_tail")):
            self.assertEqual(set(ours), set(result))
            self.near(np.concatenate([np.ravel(ours[name]) for name in result]), table[column].to_numpy())

    def test_shapes(self):
        alone = manychain.rhat(self.x[..., 0])
        self.assertIsInstance(alone, float)
        self.assertEqual(alone, manychain.rhat(self.x)[0])
        self.assertEqual(manychain.rhat(self.x.reshape(8, 120, 3, 1)).shape, (3, 1))
        self.assertEqual(manychain.rhat(self.x[..., :0]).shape, (0,))
        self.assertEqual(manychain.rhat(self.x.astype(np.float32)).shape, (3,))
        self.near(manychain.rhat(np.asfortranarray(self.x)), manychain.rhat(self.x))
        turned = xarray.DataArray(self.x.T, dims=("k", "draw", "chain"))
        self.near(manychain.rhat(turned), manychain.rhat(self.x))
        self.assertTrue(np.isnan(manychain.rhat(np.zeros((4, 100)))))
        self.assertTrue(np.isnan(manychain.ess(self.x[:, :0])).all())
        broken = self.x.copy()
        broken[3, 4, 1] = np.nan
        self.assertEqual(np.isnan(manychain.rhat(broken)).tolist(), [False, True, False])

    def test_many_variables_by_all_threads(self):
        x = np.random.default_rng(1).normal(size=(4, 50, 300))
        together = manychain.ess(x)
        for k in (0, 1, 157, 299):
            self.assertEqual(together[k], manychain.ess(x[..., k]))

    def test_refusals(self):
        x = self.x
        for error, words, call in (
                (ValueError, r"the shape is \(120,\)", lambda: manychain.rhat(x[0, :, 0])),
                (ValueError, 'there is no "foled"; did you mean "folded"', lambda: manychain.rhat(x, "foled")),
                (TypeError, "give the probability", lambda: manychain.ess(x, "quantile")),
                (TypeError, "alone", lambda: manychain.mcse(x, "mean", 0.5)),
                (manychain.BadInput, "is not a probability", lambda: manychain.ess(x, "quantile", 2)),
                (ValueError, "for 8 chains", lambda: manychain.rhat_nested(x, [0, 1])),
                (ValueError, "superchains: 0", lambda: manychain.rhat_nested(x, 0)),
                (manychain.BadInput, "may differ by one", lambda: manychain.rhat_nested(x, [0] * 7 + [1])),
                (ValueError, "below the number of draws, 120", lambda: manychain.autocorrelation(x, 120)),
                (ValueError, r"must be \(chain, draw\)", lambda: manychain.ebfmi(x)),
                (TypeError, "real numbers", lambda: manychain.rhat(x.astype(str)))):
            with self.assertRaisesRegex(error, words):
                call()


if __name__ == "__main__":
    unittest.main()
