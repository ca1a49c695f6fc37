#!/usr/bin/env python3
"""Coverage of the intervals of runs that stop by themselves.

    bench/coverage/table.py build/bin/manychain [--data-sets 1000] [--jobs 2] [--together] [--models Slopes Items]

Parameters are drawn from the prior and data from the model; each data set is sampled at the defaults, which end a run
once its verdict is converged. 90 % intervals from the 5 % to the 95 % quantile of exact posteriors cover 90 % of the
true values, posterior medians lie above half of them, and the errors of posterior means have mean zero (Cook, Gelman
and Rubin 2006; Talts and others 2018), over all data sets. A row for each quantity: what share of the intervals
covers, what lies below and above them, and z of the covered, of those below the median, and of the mean error. Runs
that have not converged count as all others do, and are shown; why they have not goes to stderr. With --together all
data sets of a model are sampled by one `manychain sample --data-sets`, with the defaults of that. --keep FOLDER keeps
data and results.
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

from simulate import MODELS, NO_MEAN

HERE = Path(__file__).resolve().parent


def plain(data):
    return {name: numpy.asarray(value).tolist() for name, value in data.items()}


def drawn(model, k):
    """Data set k, and the true values."""
    return MODELS[model][1](numpy.random.default_rng([k, len(model)]))


def header(model):
    return str(HERE / MODELS[model][0])


def sampled(program, model, k):
    """The run of data set k, and the true values."""
    data, truth = drawn(model, k)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(plain(data), file)
        file.flush()
        words = [program, "sample", header(model), "--class", model, "--data", file.name, "--seed", str(k),
                 "--threads", "1", "--output", "none", "--json", "-"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not done.stdout.startswith(b"{"):
        raise SystemExit(f"{model}, data set {k}: {done.stderr.decode()}")
    return json.loads(done.stdout), truth


def sampled_together(program, model, count, threads, keep=None):
    """The runs of data sets 1 to `count`, and the true values; the seconds of processors are printed."""
    sets = [drawn(model, k) for k in range(1, count + 1)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(keep or folder, f"{model}.json")
        file.write_text(json.dumps([plain(data) for data, _ in sets]))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = [program, "sample", header(model), "--class", model, "--data-sets", str(file), "--seed", "1",
                 "--threads", str(threads), "--output", "none", "--json", "-"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout.startswith(b"{"):
        raise SystemExit(f"{model}: {done.stderr.decode()}")
    print(f"{model}: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f} s of processors",
          file=sys.stderr)
    if keep:
        Path(keep, f"{model}.result.json").write_bytes(done.stdout)
    runs = [{"parameters": run["summary"] if run["state"] == "sampled" else None, "warnings": [],
             "problems": [run["said"]], "converged": run["state"] == "sampled" and run["converged"]}
            for run in json.loads(done.stdout)["sets"]]
    return [(run, truth) for run, (_, truth) in zip(runs, sets)]


def speak_of(model, runs):
    """Writes to stderr why runs have not converged, and what they warn of."""
    for k, (run, _) in enumerate(runs, 1):
        for said in run["problems"] * (not run["converged"]) + run["warnings"]:
            print(f"{model}, data set {k}: {said}", file=sys.stderr)


def row(name, runs):
    """The cells of quantity `name`."""
    rows = [(run["parameters"][name], truth[name]) for run, truth in runs]
    n = len(rows)
    below = sum(true < cell["q5"] for cell, true in rows) / n
    above = sum(true > cell["q95"] for cell, true in rows) / n
    half = sum(true < cell["q50"] for cell, true in rows) / n
    errors = numpy.array([cell["mean"] - true for cell, true in rows])
    covered = 1 - below - above
    return [f"{100 * covered:.1f} %", f"{(covered - 0.9) / (0.09 / n)**0.5:.1f}",
            f"{100 * below:.1f} %, {100 * above:.1f} %",
            f"{(half - 0.5) / (0.25 / n)**0.5:.1f}", f"{errors.mean() / (errors.std(ddof=1) / n**0.5):.1f}"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--data-sets", type=int, default=1000)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--models", nargs="*", default=list(MODELS))
    options.add_argument("--together", action="store_true")
    options.add_argument("--keep", metavar="FOLDER")
    given = options.parse_args()
    print(f"{given.data_sets} data sets of each model, defaults" + given.together * " of --data-sets")
    print("| model | quantity | covered by 90 % | z | below, above | z of the median | z of the mean error | "
          "not converged | warned |")
    print("|---|---|---|---|---|---|---|---|---|")
    for model in given.models:
        if given.together:
            sampled_together(given.program, model, 1, given.jobs)  # compiles
            runs = sampled_together(given.program, model, given.data_sets, given.jobs, given.keep)
        else:
            sampled(given.program, model, 0)  # compiles
            with ThreadPoolExecutor(given.jobs) as pool:
                runs = list(pool.map(lambda k: sampled(given.program, model, k), range(1, given.data_sets + 1)))
        speak_of(model, runs)
        failed, warned = sum(not run["converged"] for run, _ in runs), sum(bool(run["warnings"]) for run, _ in runs)
        runs = [(run, truth) for run, truth in runs if run["parameters"]]
        for name in runs[0][1]:
            cells = row(name, runs)
            if (model, name) in NO_MEAN:
                cells[-1] = "-"
            print("| " + " | ".join([model, name, *cells, str(failed), str(warned)]) + " |", flush=True)


if __name__ == "__main__":
    main()
