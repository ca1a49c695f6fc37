#!/usr/bin/env python3
"""Opens a file of draws with ArviZ, as its users do: groups, names of dimensions, superchains, leave-one-out
cross-validation, a summary, plots. Of ArviZ 0.x and 1.x.

    with_arviz.py PROGRAM MODEL.hpp NAMES.json FOLDER

MODEL.hpp is predicted_schools.hpp, NAMES.json has coords and dims of the eight schools. Exit status 77 where this Python
has no ArviZ.
"""

import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys

try:
    import arviz
    import numpy as np
    import xarray
except ImportError:
    sys.exit(77)

Y = np.array([28, 8, -3, 7, -1, 1, 18, 12])
SIGMA = np.array([15, 10, 16, 11, 9, 11, 10, 18])


def with_log_likelihood(values, posterior):
    groups = {"posterior": posterior, "log_likelihood": {"y": values}}
    try:
        return arviz.from_dict(**groups)  # 0.x
    except TypeError:
        return arviz.from_dict(groups)  # 1.x


numbers = itertools.count()


def copy_of(path):
    """To be opened once. HDF5 crashes on labels that are words, in the second opening of a file, if the first has ended
    (H5Dget_create_plist, of their fill value)."""
    return shutil.copy(path, f"copy{next(numbers)}.nc")


def superchains_are_a_coordinate(path, has_superchains):
    """With each program that xarray reads by. They are no quantity, and quantities have no attribute of it left."""
    groups = {"posterior": {"mu", "tau", "theta_trans", "theta"}, "posterior_predictive": {"y_rep"},
              "log_likelihood": {"y"},
              "sample_stats": {"lp", "acceptance_rate", "energy", "diverging", "step_size", "n_steps"}}
    opened = [arviz.from_netcdf(copy_of(path))]
    for engine, needs in (("netcdf4", "netCDF4"), ("h5netcdf", "h5py")):
        if engine in xarray.backends.list_engines() and importlib.util.find_spec(needs):
            copy = {name: copy_of(path) for name in groups}
            opened.append({name: xarray.open_dataset(copy[name], group=name, engine=engine) for name in groups})
    for data in opened:
        for name, variables in groups.items():
            group = data[name]
            assert set(group.data_vars) == variables, (name, list(group.data_vars))
            assert ("superchain" in group.coords) == has_superchains, (name, list(group.coords))
            if has_superchains:
                superchain = group["superchain"]
                assert superchain.dims == ("chain",) and superchain.dtype.kind == "i", superchain
                assert np.array_equal(superchain, np.arange(64) % 16), superchain
            assert all("coordinates" not in group[one].attrs for one in variables), name
    rows = ["mu", "tau"] + [f"{name}[{school}]" for name in ("theta_trans", "theta") for school in "ABCDEFGH"]
    assert list(arviz.summary(opened[0]).index) == rows


def summary_and_plots(data):
    posterior = data["posterior"]
    table = arviz.summary(data, var_names=["mu", "theta"], round_to="none")
    names = ["mu"] + [f"theta[{school}]" for school in "ABCDEFGH"]
    assert list(table.index) == names, table
    means = [posterior["mu"].values.mean()] + list(posterior["theta"].values.mean(axis=(0, 1)))
    assert np.allclose(table["mean"].astype(float), means, rtol=1e-5), table
    assert (table["ess_bulk"].astype(float) > 400).all(), table
    assert (table["r_hat"].astype(float) < 1.05).all(), table
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    arviz.plot_forest(data, var_names=["theta"])
    arviz.plot_trace(data, var_names=["mu"])


def main(program, model, names, folder):
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    with open("table.csv", "w", encoding="utf-8") as table:
        table.write("y,sigma\n" + "".join(f"{y},{s}\n" for y, s in zip(Y, SIGMA)))
    with open(names, encoding="utf-8") as file:
        named = json.load(file)
    named["dims"]["y_rep"] = ["school"]
    with open("names.json", "w", encoding="utf-8") as file:
        json.dump(named, file)
    command = [program, "sample", model, "--data", "table.csv", "--data", "names.json", "--chains", "64", "--draws", "50",
               "--seed", "1", "--backend", "cpu", "--threads", "1", "--precision", "single", "--log-likelihood", "50",
               "--cache", "cache"]
    for options in (["--warmup", "200", "--output", "draws.nc"],
                    ["--warmup", "50", "--superchains", "0", "--output", "alone.nc"]):
        subprocess.run(command + options, check=True, stdout=subprocess.DEVNULL)
    superchains_are_a_coordinate("draws.nc", True)
    superchains_are_a_coordinate("alone.nc", False)
    data = arviz.from_netcdf(copy_of("draws.nc"))
    posterior, rows = data["posterior"], data["log_likelihood"]["y"]
    assert posterior["theta"].dims == ("chain", "draw", "school"), posterior["theta"].dims
    assert rows.dims == ("chain", "draw", "school"), rows.dims
    assert list(posterior["school"].values) == list("ABCDEFGH")
    assert np.array_equal(data["observed_data"]["y"].values, Y)
    assert np.array_equal(data["constant_data"]["sigma"].values, SIGMA)
    assert float(data["observed_data"]["y"].sel(school="C")) == -3

    theta = posterior["theta"].values.astype(float)
    again = data["posterior_predictive"]["y_rep"]
    assert again.dims == ("chain", "draw", "school"), again.dims
    assert "y_rep" not in posterior
    standard = (again.values - theta) / SIGMA  # 25 600 of them, independent: six standard errors
    assert abs(standard.mean()) < 6 / 160 and abs(standard.std() - 1) < 6 / 226, (standard.mean(), standard.std())

    known = -0.5 * ((Y - theta) / SIGMA) ** 2 - np.log(SIGMA) - 0.5 * np.log(2 * np.pi)
    # theta and the log likelihood are each rounded to single precision once.
    error = np.abs(known - rows.values).max()
    assert error < 2e-6, error
    assert rows.values.std() > 0.1  # no constant passes

    ours = arviz.loo(data)
    independent = arviz.loo(with_log_likelihood(known, {name: posterior[name].values for name in ("mu", "tau", "theta")}),
                            reff=1.0)
    ours_at_one = arviz.loo(data, reff=1.0)
    get = lambda loo: float(getattr(loo, "elpd_loo", None) if hasattr(loo, "elpd_loo") else loo.elpd)
    assert abs(get(ours_at_one) - get(independent)) < 1e-4, (ours_at_one, independent)
    assert abs(get(ours) - get(ours_at_one)) < 0.05, (ours, ours_at_one)

    summary_and_plots(data)
    if not arviz.__version__.startswith("0."):  # 1.x: a file is a tree of xarray
        tree = xarray.open_datatree(copy_of("draws.nc"))
        assert abs(get(arviz.loo(tree)) - get(ours)) < 1e-6
        summary_and_plots(tree)


if __name__ == "__main__":
    main(*sys.argv[1:])
