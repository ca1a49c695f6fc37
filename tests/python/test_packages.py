"""Densities of JAX, PyTorch and PyMC, each where it is installed."""

import importlib.util
import sys
import unittest
import unittest.mock
import warnings

import numpy as np

import manychain
from common import SMALL, density, same_bits


def has(package):
    return importlib.util.find_spec(package) is not None


def near(test, result, means, sds):
    """The summary of a run has these moments, within six of its own standard errors."""
    table = result.summary()
    for k, (mean, sd) in enumerate(zip(means, sds)):
        test.assertLess(abs(np.asarray(table["mean"])[k] - mean), 6 * np.asarray(table["mcse_mean"])[k])
        test.assertLess(abs(np.asarray(table["sd"])[k] - sd), 6 * np.asarray(table["mcse_sd"])[k])


class Missing(unittest.TestCase):
    def test_a_sentence(self):
        for package, function in (("jax", manychain.from_jax), ("torch", manychain.from_torch), ("pymc", manychain.from_pymc)):
            with unittest.mock.patch.dict(sys.modules, {package: None}), \
                    self.assertRaisesRegex(ImportError, rf"from_{package}\(\) needs the package {package}, .*pip install "):
                function(lambda x: x, *([3] if package != "pymc" else []))


class Padding(unittest.TestCase):
    def test_few_sizes(self):
        sizes = set()

        def noting(x):
            sizes.add(len(x))
            return density().logp_and_grad(x)
        padded = manychain._packages._padded(noting)
        plain = manychain.sample(density(), **dict(SMALL, chains=300))
        result = manychain.sample(manychain.Density(padded, 3), **dict(SMALL, chains=300))
        self.assertTrue(same_bits(result["q"], plain["q"]))
        self.assertLessEqual(sizes, {16, 32, 64, 128, 256, 512})


@unittest.skipUnless(has("jax"), "without jax")
class Jax(unittest.TestCase):
    def test_density(self):
        import jax
        compiled = []

        def normals(x):
            compiled.append(x.shape)
            return -0.5 * jax.numpy.sum(x**2 / jax.numpy.arange(1.0, 4.0))
        model = manychain.from_jax(normals, 3)
        self.assertEqual(repr(model), "Density(normals, dimension=3)")
        manychain.check_gradient(model)
        result = manychain.sample(model, seed=1)
        near(self, result, [0, 0, 0], np.sqrt([1, 2, 3]))
        self.assertLess(len(compiled), 12)
        again = manychain.sample(manychain.from_jax(normals, names=["a", "b", "c"]), seed=1, blocking=False).wait()
        self.assertTrue(same_bits(np.ascontiguousarray(again["b"]), np.ascontiguousarray(result["q"][..., 1])))

    def test_double_precision(self):
        import jax

        def shifted(x):  # single precision has seven digits
            return -0.5 * jax.numpy.sum((x - 1e-9)**2)
        logp, gradient = manychain.from_jax(shifted, 2).logp_and_grad(np.zeros((5, 2)))
        self.assertEqual((logp.dtype, gradient.dtype), (np.float64, np.float64))
        self.assertTrue(np.allclose(gradient, 1e-9, rtol=1e-12))
        self.assertEqual(jax.numpy.zeros(1).dtype, np.float64 if jax.config.jax_enable_x64 else np.float32)

    def test_precision_of_the_run(self):
        import jax
        types = set()

        def normals(x):
            types.add(str(x.dtype))
            return -0.5 * jax.numpy.sum((x - 0.3)**2 / jax.numpy.arange(1.0, 4.0))
        model = manychain.from_jax(normals, 3)
        logp, gradient = model.logp_and_grad(np.zeros((5, 3), np.float32))
        self.assertEqual((gradient.dtype, types), (np.float32, {"float32"}))
        single = manychain.sample(model, seed=1, precision="single")
        self.assertEqual(single["q"].dtype, np.float32)
        near(self, single, [0.3, 0.3, 0.3], np.sqrt([1, 2, 3]))
        double = manychain.sample(model, seed=1, precision="double")
        self.assertEqual(double["q"].dtype, np.float64)
        chosen = manychain.sample(model, seed=1)
        self.assertEqual(chosen.info["precision"], "single")
        self.assertTrue(chosen.info["precision_check"]["enough"])
        self.assertTrue(same_bits(chosen["q"], single["q"]))
        self.assertTrue(same_bits(manychain.sample(model, seed=1, blocking=False).wait()["q"], single["q"]))
        self.assertTrue(manychain.check(model))

    def test_doubles_that_the_function_holds(self):
        import jax
        for on in (False, True):
            with jax.enable_x64(on):
                scales = np.array([1.0, 2.0])
                for held in (scales, jax.numpy.asarray(scales)):
                    def normals(x, held=held):
                        return -0.5 * jax.numpy.sum((x / held)**2)
                    model = manychain.from_jax(jax.jit(normals) if held is scales else normals, 2)
                    for number in (np.float32, np.float64, np.float32):
                        with warnings.catch_warnings():
                            warnings.simplefilter("error")
                            logp, gradient = model.logp_and_grad(np.ones((3, 2), number))
                        self.assertTrue(np.allclose(logp, -0.625) and np.allclose(gradient, [-1, -0.25]))
                    result = manychain.sample(model, **SMALL)
                    self.assertEqual(result["q"].dtype, np.float32)

    def test_single_precision_that_is_not_enough(self):
        import jax

        def high(x):  # singles near 1e7 are a whole number apart
            return 1e7 - 0.5 * jax.numpy.sum(x**2)
        model = manychain.from_jax(high, 2)
        chosen = manychain.sample(model, seed=1)
        self.assertEqual(chosen.info["precision"], "double")
        self.assertFalse(chosen.info["precision_check"]["enough"])
        double = manychain.sample(model, seed=1, precision="double")
        self.assertTrue(same_bits(chosen["q"], double["q"]))


@unittest.skipUnless(has("torch"), "without torch")
class Torch(unittest.TestCase):
    def test_density(self):
        import torch
        variances = torch.arange(1.0, 4.0)

        def normals(x):
            return -0.5 * (x**2 / variances).sum()
        for device, precision in ((None, "double"), ("cpu", "double"), (None, "single")):
            model = manychain.from_torch(normals, 3, device=device)
            manychain.check_gradient(model)
            near(self, manychain.sample(model, seed=1, precision=precision), [0, 0, 0], np.sqrt([1, 2, 3]))
        chosen = manychain.sample(manychain.from_torch(normals, 3), seed=1)
        self.assertEqual((chosen["q"].dtype, chosen.info["precision_check"]["enough"]), (np.float32, True))

    def test_a_matrix_of_doubles(self):
        import torch
        scales = torch.diag(torch.tensor([1.0, 2.0], dtype=torch.float64))
        model = manychain.from_torch(lambda x: -0.5 * ((scales @ x)**2).sum(), 2)
        result = manychain.sample(model, seed=1)
        self.assertEqual(result["q"].dtype, np.float64)
        near(self, result, [0, 0], [1, 0.5])
        self.assertTrue(manychain.check(model))
        with self.assertRaisesRegex(RuntimeError, "dtype"):
            manychain.sample(model, precision="single")

    def test_exceptions_of_the_function(self):
        def wrong(x):
            raise RuntimeError("by the density")
        with self.assertRaisesRegex(RuntimeError, "by the density"):
            manychain.sample(manychain.from_torch(wrong, 2))


@unittest.skipUnless(has("pymc"), "without pymc")
class PyMC(unittest.TestCase):
    def model(self):
        import pymc
        with pymc.Model() as model:
            mu = pymc.Normal("mu", 0, 5)
            tau = pymc.HalfCauchy("tau", 5)
            z = pymc.Normal("z", 0, 1, shape=(2, 4))
            theta = pymc.Deterministic("theta", mu + tau * z)
            pymc.Normal("y", theta, [[15, 10, 16, 11], [9, 11, 10, 18]], observed=[[28, 8, -3, 7], [-1, 1, 18, 12]])
        return model

    def test_density(self):
        model = self.model()
        density = manychain.from_pymc(model)
        self.assertEqual(density.names[:4], ["mu", "tau_log__", "z[1,1]", "z[1,2]"])
        x = np.random.default_rng(1).normal(size=(5, 10))
        logp, gradient = density.logp_and_grad(x)
        theirs, slopes = model.compile_logp(), model.compile_dlogp()
        for k in range(5):
            point = {"mu": x[k, 0], "tau_log__": x[k, 1], "z": x[k, 2:].reshape(2, 4)}
            self.assertTrue(np.allclose(logp[k], theirs(point), rtol=1e-12))
            self.assertTrue(np.allclose(gradient[k], slopes(point), rtol=1e-9))
        result = manychain.sample(density, seed=1)
        self.assertTrue(result.converged)
        posterior = density.posterior(result)
        self.assertEqual(set(posterior), {"mu", "tau", "z", "theta"})
        self.assertEqual(posterior["theta"].shape, (result.chains, result.draws, 2, 4))
        self.assertTrue(np.allclose(posterior["theta"], posterior["mu"][..., None, None]
                                    + posterior["tau"][..., None, None] * posterior["z"]))
        ours = manychain.sample("eight_schools", seed=1).summary("mu")
        error = np.hypot(float(np.asarray(ours["mcse_mean"])[0]), manychain.mcse(posterior["mu"]))
        self.assertLess(abs(posterior["mu"].mean() - float(np.asarray(ours["mean"])[0])), 6 * error)

    def test_a_point_out_of_bounds(self):
        """It ends neither the call nor the run: PyMC's checks of parameters are values, of each point its own."""
        import pymc
        with pymc.Model() as model:
            s = pymc.HalfNormal("s", 1)
            pymc.Normal("y", 0, s, observed=[0.5, -1.0])
        density = manychain.from_pymc(model)
        logp, gradient = density.logp_and_grad(np.array([[0.0], [-800.0], [0.5]]))  # s = 0
        self.assertEqual(np.isfinite(logp).tolist(), [True, False, True])
        self.assertTrue(np.isfinite(gradient[[0, 2]]).all())
        theirs = model.compile_logp()
        self.assertTrue(np.allclose(logp[[0, 2]], [theirs({"s_log__": 0.0}), theirs({"s_log__": 0.5})], rtol=1e-12))
        self.assertTrue(manychain.sample(density, seed=1).converged)

    def test_names_of_its_users(self):
        import pymc
        x = np.array([-1.0, 0.0, 0.5, 2.0])
        with pymc.Model(coords={"group": ["north", "south"], "row": [10, 20, 30, 40]}) as model:
            slopes = pymc.Normal("slopes", 0, 1, dims="group")
            given = pymc.Data("x", x, dims="row")
            pymc.Deterministic("line", slopes[:, None] * given, dims=("group", "row"))
            weights = pymc.Dirichlet("weights", np.ones(3))
            pymc.Normal("y", slopes[0] * given + weights[1], 1, observed=x + 1, dims="row")
        density = manychain.from_pymc(model)
        result = manychain.sample(density, **SMALL)
        tree = density.to_datatree(result)
        posterior = tree["posterior"]
        self.assertEqual(posterior["slopes"].dims, ("chain", "draw", "group"))
        self.assertEqual(posterior["line"].dims, ("chain", "draw", "group", "row"))
        self.assertEqual(posterior["weights"].dims, ("chain", "draw", "weights_dim_0"))
        self.assertEqual(posterior["group"].values.tolist(), ["north", "south"])
        self.assertEqual(posterior["superchain"].dims, ("chain",))
        self.assertTrue(np.array_equal(posterior["line"], posterior["slopes"].values[..., None] * x))
        self.assertTrue(np.allclose(posterior["weights"].sum("weights_dim_0"), 1))
        self.assertEqual(tree["observed_data"]["y"].dims, ("row",))
        self.assertTrue(np.array_equal(tree["observed_data"]["y"], x + 1))
        self.assertTrue(np.array_equal(tree["constant_data"]["x"], x))
        self.assertTrue(np.array_equal(tree["unconstrained_posterior"]["slopes"], result["slopes"]))
        self.assertEqual(tree["sample_stats"]["diverging"].shape, (64, 20))
        if has("arviz"):
            data = density.to_inference_data(result)
            self.assertEqual(set(data.groups() if callable(data.groups) else data.children),
                             {"posterior", "unconstrained_posterior", "sample_stats", "observed_data", "constant_data"})

    def test_discrete_values(self):
        import pymc
        with pymc.Model() as model:
            pymc.Poisson("count", 3)
        with self.assertRaisesRegex(TypeError, "count of PyMC's model has discrete values"):
            manychain.from_pymc(model)
        with self.assertRaisesRegex(TypeError, "give a pymc.Model"):
            manychain.from_pymc(3)
        with self.assertRaisesRegex(TypeError, "no parameters that are not observed"):
            manychain.from_pymc(pymc.Model())


if __name__ == "__main__":
    unittest.main()
