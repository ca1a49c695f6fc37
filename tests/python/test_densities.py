"""Densities of Python and of C."""

import ctypes
import importlib.util
import traceback
import unittest
import unittest.mock

import numpy as np

import manychain
from common import SMALL, density, normals, same_bits

LOGP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double),
                        ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)


@LOGP
def normals_in_c(dimension, x, gradient, logp, user):
    values, slopes = normals(np.ctypeslib.as_array(x, (dimension,))[None, :])
    logp[0] = values[0]
    for i in range(dimension):
        gradient[i] = slopes[0, i]
    return 0


class Densities(unittest.TestCase):
    def test_names_of_all_elements_are_one_array(self):
        model = manychain.Density(normals, names=["mu", *(f"A[{i},{j}]" for i in (1, 2) for j in (1, 2, 3)), "b[1]", "b[3]"])
        result = manychain.sample(model, initial_values={"A": np.full((2, 3), 0.5)}, **SMALL)
        self.assertEqual({name: one.shape for name, one in result.quantities.items()},
                         {"mu": (), "A": (2, 3), "b[1]": (), "b[3]": ()})
        self.assertEqual(list(result.summary().index), model.names)
        tree = result.to_datatree()
        self.assertEqual(tree["posterior"]["A"].shape, (64, 20, 2, 3))
        self.assertTrue(np.array_equal(tree["posterior"]["A"].values, result["A"]))
        alone = manychain.sample(density(9), initial_values={"q": [0] + [0.5] * 6 + [0, 0]}, **SMALL)
        self.assertEqual(result["A"].shape, (64, 20, 2, 3))
        self.assertEqual(alone["q"].shape, (64, 20, 9))

    def test_all_points_at_once(self):
        sizes = []

        def counted(x):
            sizes.append(len(x))
            self.assertEqual((x.dtype, x.shape[1]), (np.float64, 3))
            self.assertTrue(np.isfinite(x).all())
            return normals(x)
        result = manychain.sample(manychain.Density(counted, names=["a", "b", "c"]), seed=1)
        self.assertEqual(result.chains, 256)
        self.assertEqual(max(sizes), 256)
        self.assertGreaterEqual(sum(sizes), result.info["gradients"])
        self.assertGreater(sum(sizes) / len(sizes), 100)
        self.assertTrue(result.converged)
        self.assertEqual(list(result), ["a", "b", "c"])
        variances = result.summary()["sd"] ** 2
        self.assertTrue(np.allclose(variances, [1, 2, 3], rtol=0.1), variances)
        self.assertEqual(result.notes, [])

    def test_draws_are_those_of_one_point_at_a_time(self):
        for sampler in ("hmc", "metropolis", "mala", "single_component", "ula"):
            for keep in (True, False):
                settings = dict(SMALL, sampler=sampler, threads=1, keep_draws=keep)
                together = manychain.sample(density(), **settings)
                alone = manychain.sample(manychain.CFunction(normals_in_c, 3), **settings)
                self.assertTrue(np.array_equal(together.summary().to_numpy(), alone.summary().to_numpy(), equal_nan=True),
                                (sampler, keep))
                self.assertEqual(together.info["gradients"], alone.info["gradients"])
                if keep:
                    self.assertTrue(same_bits(together["q"], alone["q"]), sampler)

    def test_more_chains_than_go_at_once(self):
        sizes = []

        def counted(x):
            sizes.append(len(x))
            return normals(x)
        settings = dict(SMALL, chains=5000, warmup=20, draws=2, threads=1)
        together = manychain.sample(manychain.Density(counted, 2), **settings)
        self.assertEqual(max(sizes), 4096)
        alone = manychain.sample(manychain.CFunction(normals_in_c, 2), **settings)
        self.assertTrue(same_bits(together["q"], alone["q"]))

    def test_points_outside_of_the_support_are_rejected(self):
        def half_normal(x):
            inside = x[:, 0] > 0
            return np.where(inside, -0.5 * x[:, 0] ** 2, -np.inf), np.where(inside[:, None], -x, np.nan)
        result = manychain.sample(manychain.Density(half_normal, 1), sampler="metropolis", seed=1, draws=200)
        self.assertGreater(result["q"].min(), 0)
        self.assertAlmostEqual(float(result["q"].mean()), np.sqrt(2 / np.pi), 1)
        for nowhere in (lambda x: (np.full(len(x), np.nan), x), lambda x: (np.zeros(len(x)), np.full_like(x, np.nan))):
            with self.assertRaisesRegex(manychain.SamplingFailed, "Initialization failed"):
                manychain.sample(manychain.Density(nowhere, 2), **SMALL)

    def test_exceptions_come_out_as_they_are(self):
        class Own(Exception):
            pass
        calls = []

        def fails_later(x):
            calls.append(len(x))
            if len(calls) > 30:
                raise Own("in call 31")
            return normals(x)
        try:
            manychain.sample(manychain.Density(fails_later, 2), **SMALL)
            self.fail("no exception")
        except Own as error:
            self.assertIn("fails_later", [frame.name for frame in traceback.extract_tb(error.__traceback__)])
        self.assertEqual(len(calls), 31)
        with self.assertRaises(SystemExit):
            manychain.sample(manychain.Density(lambda x: exit(3), 2), **SMALL)
        self.assertTrue(manychain.sample(density(), seed=1).converged)  # nothing is left behind

    def test_what_is_returned(self):
        wrong = [(lambda x: x, TypeError, "must return two arrays"),
                 (lambda x: (x, x), ValueError, r"log densities of shape \(64, 2\) for 64 points"),
                 (lambda x: (x[:, 0], x[:, 0]), ValueError, "gradients of shape"),
                 (lambda x: (x[:, 0], x.T), ValueError, "gradients of shape"),
                 (lambda x: (0.0, x), ValueError, r"log densities of shape \(\)"),
                 (lambda x: (x[:, 0] + 1j, x), TypeError, "complex128"),
                 (lambda x: (x[:, 0].astype(str), x), TypeError, "real numbers"),
                 (lambda x: None, TypeError, "not NoneType")]
        for function, error, words in wrong:
            with self.assertRaisesRegex(error, words):
                manychain.sample(manychain.Density(function, 2), **SMALL)
        for fine in (lambda x: [np.float32(normals(x)[0]), normals(x)[1].tolist()],
                     lambda x: (normals(x)[0], np.asfortranarray(normals(x)[1]))):
            self.assertEqual(manychain.sample(manychain.Density(fine, 2), **SMALL)["q"].shape, (64, 20, 2))

    def test_gradients_are_checked(self):
        manychain.check_gradient(density())
        manychain.check_gradient("eight_schools")
        with self.assertRaisesRegex(manychain.SamplingFailed, "the gradient is wrong: for b it says"):
            manychain.check_gradient(manychain.Density(lambda x: (normals(x)[0], normals(x)[1] * [1, 1.01]), names=["a", "b"]))
        with self.assertRaises(ZeroDivisionError):
            manychain.check_gradient(manychain.Density(lambda x: 1 / 0, 2))

    def test_points_belong_to_the_function(self):
        kept = []

        def keeps(x):
            kept.append((x, x.copy()))
            values = normals(x)
            x[:] = 0  # does no harm
            return values
        result = manychain.sample(manychain.Density(keeps, 3), **SMALL)
        self.assertTrue(same_bits(result["q"], manychain.sample(density(), **SMALL)["q"]))
        self.assertTrue(all((x == 0).all() for x, _ in kept))

    def test_a_run_within_a_density(self):
        inner = []

        def nests(x):
            if not inner:
                inner.append(manychain.sample(density(), **SMALL))
            return normals(x)
        outer = manychain.sample(manychain.Density(nests, 3), **SMALL)
        self.assertTrue(same_bits(outer["q"], inner[0]["q"]))

    def test_arguments(self):
        for arguments, error, words in (
                (dict(dimension=0), ValueError, "at least 1"), (dict(dimension=2.5), TypeError, "whole number"),
                (dict(), TypeError, "give the dimension"), (dict(names="ab"), TypeError, "sequence of names"),
                (dict(dimension=3, names=["a"]), ValueError, "there are 1"), (dict(names=[1]), TypeError, "a text"),
                (dict(dimension=1, gradient_values=-1), TypeError, "gradient_values")):
            with self.assertRaisesRegex(error, words):
                manychain.Density(normals, **arguments)
        with self.assertRaisesRegex(TypeError, "give a function"):
            manychain.Density(3, 1)
        with self.assertRaisesRegex(TypeError, "goes into Density"):
            manychain.sample(normals)
        with self.assertRaisesRegex(TypeError, "a model of PyMC goes into from_pymc"):
            manychain.sample(type("Model", (), {"__module__": "pymc.model.core"})())
        with self.assertRaisesRegex(TypeError, "goes into Density"):
            manychain.CFunction(normals, 2)
        with self.assertRaisesRegex(ValueError, "null pointer"):
            manychain.CFunction(0, 2)
        for result, arguments in ((ctypes.c_double, [ctypes.c_double]), (None, LOGP._argtypes_), (ctypes.c_int, LOGP._argtypes_[:4]),
                                  (ctypes.c_int, [ctypes.c_size_t, *[ctypes.c_double] * 3, ctypes.c_void_p])):
            with self.assertRaisesRegex(TypeError, r"function: it takes \(.*\) and returns .*; its type must be int f\("):
                manychain.CFunction(ctypes.CFUNCTYPE(result, *arguments)(lambda *given: 0), 2)
        with self.assertRaisesRegex(manychain.BadInput, "a, twice|a"):
            manychain.sample(manychain.Density(normals, names=["a", "a"]), **SMALL)
        with self.assertRaisesRegex(manychain.BadInput, "threads"):
            manychain.sample(density(), threads=2, **SMALL)
        with self.assertRaisesRegex(TypeError, "give none"):
            manychain.sample(density(), {"x": 1}, **SMALL)


class CFunctions(unittest.TestCase):
    def test_one_that_writes_nothing(self):
        with self.assertRaisesRegex(manychain.SamplingFailed, "log density is -?nan"):
            manychain.sample(manychain.CFunction(LOGP(lambda *given: 0), 2), **SMALL)

    @unittest.skipUnless(importlib.util.find_spec("numba"), "without numba")
    def test_numba(self):
        import numba
        types = numba.types
        doubles = types.CPointer(types.double)

        @numba.cfunc(types.intc(types.uintp, doubles, doubles, doubles, types.voidptr))
        def of_numba(dimension, x, gradient, logp, user):
            logp[0] = 0.0
            for i in range(dimension):
                logp[0] -= 0.5 * x[i] * x[i]
                gradient[i] = -x[i]
            return 0
        model = manychain.CFunction(of_numba, 3, gradient_values=3)
        manychain.check_gradient(model)
        result = manychain.sample(model, seed=1, threads=2)
        self.assertTrue(result.converged)
        same = manychain.sample(manychain.CFunction(of_numba.address, 3, gradient_values=3), seed=1, threads=1)
        self.assertTrue(same_bits(result["q"], same["q"]))

        @numba.cfunc(types.intc(types.uintp, doubles, doubles, doubles, types.voidptr))
        def failing(dimension, x, gradient, logp, user):
            if x[0] > -3:
                raise ValueError("no")  # Numba prints it, and returns 0
            return 0
        with unittest.mock.patch("sys.unraisablehook"), self.assertRaisesRegex(manychain.SamplingFailed, "log density is -?nan"):
            manychain.sample(manychain.CFunction(failing, 3), **SMALL)
        with self.assertRaisesRegex(TypeError, "its type must be"):
            manychain.CFunction(numba.cfunc(types.double(types.double))(lambda x: x), 1)
        with self.assertRaisesRegex(TypeError, "numba.njit into numba.cfunc"):
            manychain.CFunction(numba.njit(lambda x: x), 1)


if __name__ == "__main__":
    unittest.main()
