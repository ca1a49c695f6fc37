"""The wheel, installed without anything else of the source tree."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import manychain
from common import SMALL, same_bits

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "wheel.py"
PROGRAM = f"""
import manychain, numpy, sys
assert manychain.__file__.startswith(sys.argv[1]), manychain.__file__
numpy.save(sys.argv[2], manychain.sample("eight_schools", **{SMALL!r})["theta"])
"""


@unittest.skipUnless(os.environ.get("MANYCHAIN_LIBRARY"), "without the path of the library")
class Wheel(unittest.TestCase):
    def test_installs_and_samples(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, SCRIPT, os.environ["MANYCHAIN_LIBRARY"], folder], check=True,
                           stdout=subprocess.DEVNULL)
            wheel, = pathlib.Path(folder).glob("*.whl")
            self.assertLess(wheel.stat().st_size, 30e6)
            installed, draws = os.path.join(folder, "installed"), os.path.join(folder, "theta.npy")
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                            "--no-deps", "--target", installed, wheel], check=True)
            variables = {name: value for name, value in os.environ.items() if name != "MANYCHAIN_LIBRARY"}
            variables["PYTHONPATH"] = installed
            subprocess.run([sys.executable, "-c", PROGRAM, installed, draws], env=variables, cwd=folder, check=True)
            self.assertTrue(same_bits(np.load(draws), np.ascontiguousarray(manychain.sample("eight_schools", **SMALL)["theta"])))


if __name__ == "__main__":
    unittest.main()
