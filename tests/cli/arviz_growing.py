#!/usr/bin/env python3
"""Opens the Zarr store of a run with ArviZ at random moments while it grows, plain and compressed.

    arviz_growing.py PROGRAM FOLDER

By a Python that has ArviZ, 0.x or 1.x, and zarr; without them the exit status is 77, a skipped test.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings

LOOKS, INTERRUPTED = 10, 130
warnings.simplefilter("ignore")
try:
    import arviz
    import numpy as np
    import xarray
    import zarr  # the engine of xarray
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
if not hasattr(xarray, "open_datatree") or int(zarr.__version__.split(".")[0]) < 3:
    print("skipped: version 3 of the format needs newer zarr and xarray")
    sys.exit(77)


def opened(store):
    """What ArviZ takes: DataTree, which its 0.x turns into InferenceData."""
    tree = xarray.open_datatree(store, engine="zarr")
    return arviz.from_datatree(tree) if hasattr(arviz, "from_datatree") else tree


def draws_of(data):
    found = {name: np.asarray(data["posterior"][name].values) for name in ("mu", "theta")}
    found["lp"] = np.asarray(data["sample_stats"]["lp"].values)
    counts = {values.shape[1] for values in found.values()}
    assert len(counts) == 1, f"variables differ in draws: {counts}"
    assert all(np.isfinite(values).all() for values in found.values()), "draws that are not there"
    return found


def stamp(store):
    try:
        return os.stat(os.path.join(store, "zarr.json")).st_mtime_ns
    except FileNotFoundError:
        return 0


def looks_at(program, store, compression):
    rng = random.Random(7)
    # Many more draws than it has time for: it is ended when all has been seen.
    process = subprocess.Popen([program, "sample", "eight_schools", "--chains", "64", "--warmup", "100", "--draws", "10000000",
                                "--thin", "200", "--seed", "3", "--threads", "1", "--backend", "cpu", "--every", "0",
                                "--output", store, "--compression", compression],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        seen, before = [], 0
        while len(seen) < LOOKS:
            while stamp(store) == before:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.002)
            before = stamp(store)
            time.sleep(rng.uniform(0, 0.1))
            data = opened(store)
            if data["posterior"].sizes["draw"] == 0:
                continue
            seen.append(draws_of(data))
        assert process.poll() is None, "the run ended while it was looked at"
        assert len(arviz.summary(opened(store), var_names=["mu", "theta"])) == 9
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == INTERRUPTED, process.returncode
    whole = draws_of(opened(store))
    for one in seen:
        for name, values in one.items():
            assert np.array_equal(values, whole[name][:, :values.shape[1]]), name
    assert len({one["mu"].shape[1] for one in seen}) > 2, "it did not grow"


if __name__ == "__main__":
    program, folder = (os.path.abspath(path) for path in sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for compression in ("none", "gzip"):
        looks_at(program, os.path.join(folder, f"{compression}.zarr"), compression)
    shutil.rmtree(folder)
