#!/usr/bin/env python3
"""Opens Zarr stores with zarr-python, xarray and ArviZ: one that is whole, against the NetCDF file of the same seed to
the bit, and one that grows, while it grows and after kill -9.

    zarr_stores.py PROGRAM UNIT_IO ENVIRONMENT FOLDER

ENVIRONMENT is the one of tests/python/environment.py, FOLDER is for the stores. Exit status 77, a skipped test, where
the packages cannot be had.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import warnings

KILLS, LOOKS, DRAWS = 20, 10, 3000


def same_as_netcdf(program):
    import arviz_base
    import arviz_stats
    import numpy as np
    import xarray
    import zarr
    command = [program, "sample", "eight_schools", "--data", os.path.join(os.path.dirname(__file__), "schools.json"),
               "--data", "eight_schools.json", "--chains", "64", "--warmup", "100", "--draws", "50", "--seed", "1",
               "--backend", "cpu", "--threads", "1", "--log-likelihood", "20", "--save-warmup"]
    with open("eight_schools.json", "w", encoding="utf-8") as data:
        data.write('{"y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}')
    for name in ("run.nc", "run.zarr"):
        subprocess.run([*command, "--output", name], check=True, stdout=subprocess.DEVNULL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store = xarray.open_datatree("run.zarr", engine="zarr")
        labels = xarray.open_zarr("run.zarr", group="posterior")["school"].values
    assert list(labels) == list("ABCDEFGH"), labels
    file = xarray.open_datatree("run.nc", engine="h5netcdf")
    subprocess.run([*command, "--output", "packed.zarr", "--compression", "gzip"], check=True, stdout=subprocess.DEVNULL)
    packed = xarray.open_datatree("packed.zarr", engine="zarr")
    assert "GzipCodec" in repr(zarr.open_group("packed.zarr", mode="r")["posterior/theta"].metadata.codecs)
    unconsolidated = {name: xarray.open_zarr("run.zarr", group=name, consolidated=False) for name in file.children}
    assert set(store.children) == set(file.children) and "log_likelihood" in file.children
    assert file["warmup_posterior"]["theta"].shape == (64, 100, 8) and "lp" in file["warmup_sample_stats"]
    for name in file.children:
        ours, theirs = store[name].to_dataset(), file[name].to_dataset()
        assert set(ours.variables) == set(theirs.variables) and set(ours.coords) == set(theirs.coords), name
        assert list(ours.attrs) == list(theirs.attrs), name
        for key, value in ours.attrs.items():
            assert key in ("created_at", "sampling_time", "manychain_run") or value == theirs.attrs[key], (name, key)
        for variable in ours.variables:
            a, b, c = ours[variable], theirs[variable], unconsolidated[name][variable]
            d = packed[name][variable]
            assert a.dtype == d.dtype and a.values.tobytes() == d.values.tobytes() or a.dtype.kind in "OUT", (name, variable)
            assert a.dims == b.dims, (name, variable, a.dims, b.dims)
            if b.dtype.kind not in "OUT":  # words, whose type depends on the version of NumPy
                assert a.dtype == b.dtype and a.values.tobytes() == b.values.tobytes(), (name, variable)
            assert np.array_equal(a.values, b.values) and np.array_equal(a.values, c.values), (name, variable)
    assert list(zarr.open_group("run.zarr", mode="r")["posterior/theta"].shape) == [64, 50, 8]
    tables = [arviz_stats.summary(arviz_base.convert_to_datatree(tree), var_names=["mu", "theta"])
              for tree in (store, file)]
    assert tables[0].equals(tables[1])
    words = [subprocess.run([program, "summary", name], check=True, capture_output=True).stdout
             for name in ("run.nc", "run.zarr")]
    assert words[0] == words[1]


def expected(draws, variable):
    import numpy as np
    return np.arange(draws)[None, :] + 1000.0 * variable + np.arange(64)[:, None] / 1024


def look(least):
    """The draws that a reader finds, which must be a whole prefix of all variables, at least `least`."""
    import numpy as np
    import xarray
    import zarr
    tree = xarray.open_datatree("grown.zarr", engine="zarr")
    there = {variable: tree["posterior"][variable].values for variable in ("mu", "theta", "m", "total")}
    there["lp"] = tree["sample_stats"]["lp"].values
    draws = there["mu"].shape[1]
    assert draws >= least, (draws, least)
    assert np.array_equal(tree["posterior"]["draw"].values, np.arange(draws))
    for name, variable, element in (("mu", 0, ()), ("theta", 2, (1,)), ("m", 7, (1, 1)), ("total", 8, ()), ("lp", 0, ())):
        values = there[name][(slice(None), slice(None), *element)]
        assert np.array_equal(values, expected(draws, variable)), name
    # Each by its own zarr.json: a prefix as well, perhaps a longer one.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # files of the store that are not Zarr's
        values = zarr.open_group("grown.zarr", mode="r", use_consolidated=False)["posterior/mu"][:]
    assert values.shape[1] >= draws and np.array_equal(values, expected(values.shape[1], 0))
    return draws


def stamp():
    """That of the last append."""
    try:
        return os.stat("grown.zarr/zarr.json").st_mtime_ns
    except FileNotFoundError:
        return 0


def wait_for_append(process, before):
    """A busy machine takes its time to start a process."""
    end = time.monotonic() + 20
    while stamp() == before and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def growing(program, unit_io):
    rng = random.Random(5)
    variables = dict(os.environ, MANYCHAIN_STORE="grown.zarr")
    writer = [unit_io, "--gtest_also_run_disabled_tests", "--gtest_filter=ZarrWriter.*"]
    there, looks = 0, set()
    for k in range(KILLS):
        before = stamp()
        process = subprocess.Popen(writer, env=variables, stdout=subprocess.DEVNULL)
        if k % 4 > 0:  # the others may be killed before they have begun
            wait_for_append(process, before)
        time.sleep(rng.uniform(0.01, 0.2))
        if os.path.exists("grown.zarr") and len(looks) < LOOKS:
            there = look(there)  # while it grows
            looks.add(there)
        process.kill()
        assert process.wait() in (0, -9), process.returncode
        if os.path.exists("grown.zarr"):
            done = subprocess.run([program, "summary", "grown.zarr"], capture_output=True, text=True)
            assert done.returncode == (0 if look(0) > 0 else 2), done.stderr
            there = 0  # draws behind the state may go when it is opened again
    subprocess.run(writer, env=dict(variables, MANYCHAIN_TO_THE_END="1"), stdout=subprocess.DEVNULL, check=True)
    assert look(DRAWS) == DRAWS
    assert len(looks) > 2, looks
    assert not [name for _, _, names in os.walk("grown.zarr") for name in names if name.endswith(".partial")]


def main(program, unit_io, environment, folder):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
    import environment as of_python
    python, why = of_python.environment(pathlib.Path(environment))
    if python is None:
        print("skipped: no environment with zarr:", why.strip())
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return subprocess.run([python, "-B", os.path.abspath(__file__), "inside", program, unit_io], cwd=folder).returncode


if __name__ == "__main__":
    if sys.argv[1] == "inside":
        same_as_netcdf(sys.argv[2])
        growing(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
