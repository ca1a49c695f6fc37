#!/usr/bin/env python3
"""Opens a file of draws with ArviZ, as its users do: groups, names of dimensions, leave-one-out cross-validation, a
summary, plots. Of ArviZ 0.x and 1.x.

    with_arviz.py PROGRAM MODEL.hpp NAMES.json FOLDER

MODEL.hpp is predicted_schools.hpp, NAMES.json has coords and dims of the eight schools. Exit status 77 where this Python
has no ArviZ.
"""

import json
import os
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
    subprocess.run([program, "sample", model, "--data", "table.csv", "--data", "names.json", "--chains", "64",
                    "--warmup", "200", "--draws", "50", "--seed", "1", "--backend", "cpu", "--threads", "1",
                    "--precision", "single", "--log-likelihood", "50", "--output", "draws.nc", "--cache", "cache"],
                   check=True, stdout=subprocess.DEVNULL)
    data = arviz.from_netcdf("draws.nc")
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
        tree = xarray.open_datatree("draws.nc")
        assert abs(get(arviz.loo(tree)) - get(ours)) < 1e-6
        summary_and_plots(tree)


if __name__ == "__main__":
    main(*sys.argv[1:])
