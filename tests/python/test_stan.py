"""Stan programs that the package stanli compiles: a stand-in of the package, and the package where it is installed."""

import importlib.util
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import manychain
from common import PROGRAM, SCHOOLS, SMALL, same_bits

STAND_IN = """
def build_id():
    return "1"
def stan_to_mir(code, include_paths=None):
    if "wrong" in code:
        raise RuntimeError("Syntax error")
    return code
"""
PROGRAM_OF_SCHOOLS = """
data { int<lower=0> J; array[J] real y; array[J] real<lower=0> sigma; }
parameters { real mu; real<lower=0> tau; vector[J] theta_tilde; }
transformed parameters { vector[J] theta = mu + tau * theta_tilde; }
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta_tilde ~ normal(0, 1);
  y ~ normal(theta, sigma);
}
"""


@unittest.skipUnless(os.environ.get("MANYCHAIN_FAKE_STAN"), "without a library of BridgeStan's interface")
class StandIn(unittest.TestCase):
    """Its runtime is that library."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "stanli" / "_bin").mkdir(parents=True)
        (self.folder / "stanli" / "__init__.py").write_text(STAND_IN)
        (self.folder / "stanli" / "_bin" / "libstanli.so").symlink_to(os.environ["MANYCHAIN_FAKE_STAN"])
        (self.folder / "fake.stan").write_text("parameters { real mu; }")
        (self.folder / "wrong.stan").write_text("wrong")
        (self.folder / "data.json").write_text('{"location": 3}')
        self.expected = manychain.sample(manychain.StanModel(os.environ["MANYCHAIN_FAKE_STAN"]), {"location": 3}, **SMALL)

    def run_python(self, program, **variables):
        path = os.environ.get("PYTHONPATH", "")
        variables = dict(os.environ, PYTHONPATH=f"{self.folder}:{path}", PYTHONDONTWRITEBYTECODE="1", **variables)
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", f"import manychain\n{program}"], env=variables,
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_in_this_python_and_in_another(self):
        for variables in ({}, {"MANYCHAIN_STANLI": sys.executable}):
            for number, data in enumerate(({"location": 3}, "data.json", '{"location": 3}')):
                self.run_python("import numpy\n"
                                f"result = manychain.sample('./fake.stan', {data!r}, **{SMALL!r})\n"
                                f"numpy.save('mu{number}.npy', result['mu'])", **variables)
                self.assertTrue(np.array_equal(np.load(self.folder / f"mu{number}.npy"), self.expected["mu"]))

    def test_in_a_child_where_amx_is_permitted(self):
        text = self.run_python("import numpy, sys\nimport manychain._stanli\n"
                               "manychain._stanli.amx_is_permitted = lambda: True\n"
                               f"result = manychain.sample('fake.stan', 'data.json', **{SMALL!r})\n"
                               "numpy.save('mu.npy', result['mu'])\n"
                               "try:\n    manychain.sample('wrong.stan')\nexcept manychain.BadInput as error:\n    print(error)\n"
                               "print('stanli' in sys.modules)")
        self.assertEqual(text.splitlines(), ["wrong.stan: stanli: Syntax error", "False"])
        self.assertTrue(np.array_equal(np.load(self.folder / "mu.npy"), self.expected["mu"]))

    @unittest.skipUnless(platform.machine() == "x86_64", "AMX is of x86-64")
    def test_the_permission_is_seen(self):
        text = self.run_python("import ctypes\nfrom manychain._stanli import amx_is_permitted\n"
                               "refused = ctypes.CDLL(None).syscall(158, 0x1023, 18)\n"
                               "print(not refused, amx_is_permitted())")
        granted, seen = text.split()
        self.assertEqual(seen, granted)

    def test_errors(self):
        for variables in ({}, {"MANYCHAIN_STANLI": sys.executable}):
            text = self.run_python("for file, data in (('wrong.stan', None), ('none.stan', None), ('fake.stan', 'none.json'), "
                                   "('fake.stan', None)):\n"
                                   "    try:\n        manychain.sample(file, data)\n"
                                   "    except manychain.BadInput as error:\n        print(error)\n", **variables)
            wrong, none, data, missing = text.splitlines()
            self.assertEqual(wrong, "wrong.stan: stanli: Syntax error")
            self.assertIn("none.stan: cannot be read: No such file", none)
            self.assertIn("none.json: cannot be read: No such file", data)
            self.assertIn("variable does not exist", missing)

    @unittest.skipUnless(PROGRAM, "without the command line")
    def test_command_line(self):
        variables = dict(os.environ, PYTHONPATH=str(self.folder), MANYCHAIN_STANLI=sys.executable)
        done = subprocess.run([PROGRAM, "sample", "--stan", "fake.stan", "--data", "data.json", "--chains", "64", "--warmup",
                               "100", "--draws", "20", "--seed", "1"], env=variables, cwd=self.folder, capture_output=True,
                              text=True, check=True)
        self.assertIn("Draws: fake.nc", done.stdout)

    def test_without(self):
        with unittest.mock.patch.dict(os.environ, PATH=str(self.folder)), \
                unittest.mock.patch("importlib.util.find_spec", lambda name: None), \
                self.assertRaisesRegex(manychain.BadInput, "fake.stan: .* pip install stanli"):
            manychain.sample(self.folder / "fake.stan")


@unittest.skipUnless(importlib.util.find_spec("stanli"), "without stanli")
class Stanli(unittest.TestCase):
    def test_schools(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "schools.stan"
            path.write_text(PROGRAM_OF_SCHOOLS)
            result = manychain.sample(path, SCHOOLS, seed=1)
            with unittest.mock.patch.dict(os.environ, MANYCHAIN_STANLI=sys.executable):
                other = manychain.sample(path, SCHOOLS, seed=1)
            path.write_text(PROGRAM_OF_SCHOOLS.replace("normal(0, 5)", "nrmal(0, 5)"))
            with self.assertRaisesRegex(manychain.BadInput, "(?s)schools.stan: stanli: .*nrmal"):
                manychain.sample(path, SCHOOLS)
        self.assertTrue(same_bits(result["theta"], other["theta"]))
        self.assertTrue(result.converged, result)
        self.assertEqual(result.model, "schools")
        ours = manychain.sample("eight_schools", seed=1)
        for name in ("mu", "theta"):
            error = np.hypot(manychain.mcse(result[name]), manychain.mcse(ours[name]))
            self.assertTrue(np.all(np.abs(np.mean(result[name], axis=(0, 1)) - np.mean(ours[name], axis=(0, 1))) < 6 * error))


if __name__ == "__main__":
    unittest.main()
