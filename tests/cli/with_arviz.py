#!/usr/bin/env python3
"""Opens a file of draws with ArviZ, as its users do: groups, names of dimensions, leave-one-out cross-validation.

    with_arviz.py PROGRAM NAMES.json FOLDER

NAMES.json has coords and dims of the eight schools. Exit status 77 where this Python has no ArviZ.
"""

import os
import subprocess
import sys

try:
    import arviz
    import numpy as np
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


def main(program, names, folder):
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    with open("table.csv", "w", encoding="utf-8") as table:
        table.write("y,sigma\n" + "".join(f"{y},{s}\n" for y, s in zip(Y, SIGMA)))
    subprocess.run([program, "sample", "eight_schools", "--data", "table.csv", "--data", names, "--chains", "64",
                    "--warmup", "200", "--draws", "50", "--seed", "1", "--backend", "cpu", "--threads", "1",
                    "--log-likelihood", "50", "--output", "draws.nc"], check=True, stdout=subprocess.DEVNULL)
    data = arviz.from_netcdf("draws.nc")
    posterior, rows = data["posterior"], data["log_likelihood"]["y"]
    assert posterior["theta"].dims == ("chain", "draw", "school"), posterior["theta"].dims
    assert rows.dims == ("chain", "draw", "school"), rows.dims
    assert list(posterior["school"].values) == list("ABCDEFGH")
    assert np.array_equal(data["observed_data"]["y"].values, Y)
    assert np.array_equal(data["constant_data"]["sigma"].values, SIGMA)
    assert float(data["observed_data"]["y"].sel(school="C")) == -3

    theta = posterior["theta"].values.astype(float)
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


if __name__ == "__main__":
    main(*sys.argv[1:])
