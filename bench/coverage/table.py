#!/usr/bin/env python3
"""Coverage of the intervals of runs that stop by themselves.

    bench/coverage/table.py build/bin/manychain [--data-sets 1000] [--jobs 2] [--together]

Parameters are drawn from the prior and data from the model; each data set is sampled at the defaults, which end a run
once its verdict is converged. 90 % intervals from the 5 % to the 95 % quantile of exact posteriors cover 90 % of the
true values, and the errors of posterior means have mean zero (Cook, Gelman and Rubin 2006; Talts and others 2018), over
all data sets. A row for each quantity: what share of the intervals covers, what lies below and above them, z of the
first, and z of the mean error. Runs that have not converged count as all others do, and are shown. With --together all
data sets of a model are sampled by one `manychain sample --data-sets`, with the defaults of that.
"""
import argparse
import json
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent


def schools(rng):
    sigma = numpy.array([15, 10, 16, 11, 9, 11, 10, 18.0])
    mu, tau = rng.normal(0, 5), abs(rng.normal(0, 5))
    theta = rng.normal(mu, tau, 8)
    return {"J": 8, "sigma": sigma, "y": rng.normal(theta, sigma)}, {"mu": mu, "tau": tau, "theta[1]": theta[0]}


def groups(rng):
    mu, tau, sigma = rng.normal(0, 2), abs(rng.normal(0, 1)), abs(rng.normal(0, 1))
    theta = rng.normal(mu, tau, 30)
    g = numpy.repeat(numpy.arange(30), 3)
    return ({"N": 90, "J": 30, "g": g + 1, "y": rng.normal(theta[g], sigma)},
            {"mu": mu, "tau": tau, "sigma": sigma, "theta[1]": theta[0]})


def linear(rng):
    X, beta, sigma = rng.normal(size=(30, 5)), rng.normal(size=5), abs(rng.normal(0, 1))
    return ({"N": 30, "P": 5, "X": X, "y": rng.normal(X @ beta, sigma)}, {"beta[1]": beta[0], "sigma": sigma})


def logistic(rng):
    X, beta = rng.normal(size=(50, 5)), rng.normal(size=5)
    return ({"N": 50, "P": 5, "X": X, "y": rng.binomial(1, 1 / (1 + numpy.exp(-X @ beta)))},
            {"beta[1]": beta[0], "beta[2]": beta[1]})


MODELS = {"Schools": schools, "Groups": groups, "Linear": linear, "Logistic": logistic}


def plain(data):
    return {name: numpy.asarray(value).tolist() for name, value in data.items()}


def sampled(program, model, k):
    """The run of data set k, and the true values."""
    data, truth = MODELS[model](numpy.random.default_rng([k, len(model)]))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(plain(data), file)
        file.flush()
        words = [program, "sample", str(HERE / "models.hpp"), "--class", model, "--data", file.name, "--seed", str(k),
                 "--threads", "1", "--output", "none", "--json", "-"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not done.stdout.startswith(b"{"):
        raise SystemExit(f"{model}, data set {k}: {done.stderr.decode()}")
    return json.loads(done.stdout), truth


def sampled_together(program, model, count):
    """The runs of data sets 1 to `count`, and the true values; the seconds of processors are printed."""
    drawn = [MODELS[model](numpy.random.default_rng([k, len(model)])) for k in range(1, count + 1)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sets.json")
        file.write_text(json.dumps([plain(data) for data, _ in drawn]))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = [program, "sample", str(HERE / "models.hpp"), "--class", model, "--data-sets", str(file), "--seed", "1",
                 "--output", "none", "--json", "-"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout.startswith(b"{"):
        raise SystemExit(f"{model}: {done.stderr.decode()}")
    print(f"{model}: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f} s of processors",
          file=sys.stderr)
    runs = json.loads(done.stdout)["sets"]
    for run in runs:
        if run["state"] != "sampled":
            raise SystemExit(f"{model}, data set {run['name']}: {run['said']}")
    return [({"parameters": run["summary"], "warnings": [], "converged": run["converged"]}, truth)
            for run, (_, truth) in zip(runs, drawn)]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--data-sets", type=int, default=1000)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--models", nargs="*", default=list(MODELS))
    options.add_argument("--together", action="store_true")
    given = options.parse_args()
    print(f"{given.data_sets} data sets of each model, defaults" + given.together * " of --data-sets")
    print("| model | quantity | covered by 90 % | z | below, above | z of the mean error | not converged | warned |")
    print("|---|---|---|---|---|---|---|---|")
    for model in given.models:
        if given.together:
            sampled_together(given.program, model, 1)  # compiles
            runs = sampled_together(given.program, model, given.data_sets)
        else:
            sampled(given.program, model, 0)  # compiles
            with ThreadPoolExecutor(given.jobs) as pool:
                runs = list(pool.map(lambda k: sampled(given.program, model, k), range(1, given.data_sets + 1)))
        n = len(runs)
        failed, warned = sum(not run["converged"] for run, _ in runs), sum(bool(run["warnings"]) for run, _ in runs)
        for name in runs[0][1]:
            rows = [(run["parameters"][name], truth[name]) for run, truth in runs]
            below = sum(true < row["q5"] for row, true in rows) / n
            above = sum(true > row["q95"] for row, true in rows) / n
            errors = numpy.array([row["mean"] - true for row, true in rows])
            covered = 1 - below - above
            print(f"| {model} | {name} | {100 * covered:.1f} % | {(covered - 0.9) / (0.09 / n)**0.5:.1f} | "
                  f"{100 * below:.1f} %, {100 * above:.1f} % | {errors.mean() / (errors.std(ddof=1) / n**0.5):.1f} | "
                  f"{failed} | {warned} |", flush=True)


if __name__ == "__main__":
    main()
