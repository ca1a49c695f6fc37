"""Models, settings and comparisons of the tests."""

import os
import subprocess

import numpy as np

import manychain

PROGRAM = os.environ.get("MANYCHAIN_PROGRAM")
SCHOOLS = {"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}
SMALL = {"chains": 64, "warmup": 100, "draws": 20, "seed": 1}


def normals(x):
    """Independent normals with variances 1, 2, ..."""
    variances = np.arange(1.0, x.shape[1] + 1)
    with np.errstate(over="ignore"):
        return -0.5 * (x**2 / variances).sum(axis=1), -x / variances


def command_line(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def density(dimension=3, **more):
    return manychain.Density(normals, dimension, **more)
