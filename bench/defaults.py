#!/usr/bin/env python3
"""The table by which defaults are chosen: variants of the settings on the built-in models and on the posteriors of
bench/posteriors, from several seeds.

  bench/defaults.py --manychain build/bin/manychain --posteriors build/bin/manychain_posteriors [--seeds 5] [--json FILE]

The first two tables have runs as long as they make themselves: the share that converges, seconds of a whole process,
gradients of a chain, warm-up included. The third, which no load of the machine changes, has runs of 200 draws of each
chain after 300 transitions: the smallest bulk ESS per gradient, warm-up included, relative to that of the default; before:
what was the default before chains learnt from each other. Medians over the seeds. Standard library only."""

import argparse
import json
import math
import operator
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

MODELS = ["normal", "correlated_normal", "ill_conditioned_normal", "banana", "funnel", "rosenbrock", "eight_schools",
          "eight_schools_centered", "linear_regression", "logistic_regression"]



def schools(count, sigma):
    """Schools whose effects differ by 5 about 4; with a large sigma they say little of that."""
    y = [4 + 5 * math.sqrt(2) * math.sin(7 * j) + sigma * math.sqrt(2) * math.sin(11 * j) for j in range(count)]
    return {"J": count, "y": y, "sigma": [sigma] * count}


WITH_DATA = {f"normal_{d}": ("normal", {"D": d}) for d in (15, 20, 25, 64, 200)}
WITH_DATA.update({f"{model}_{count}_{sigma}": (model, schools(count, sigma))
                  for model in ("eight_schools", "eight_schools_centered") for count in (30, 100) for sigma in (2.5, 12)})



def rows(count, columns):
    """A logistic regression on standard normal columns: from 262 144 numbers on a default run has fewer chains."""
    random_numbers = random.Random(count)
    x = [[round(random_numbers.gauss(0, 1), 4) for _ in range(columns)] for _ in range(count)]
    slopes = [0.5 * math.cos(3 * j) for j in range(columns)]
    y = [int(random_numbers.random() < 1 / (1 + math.exp(-0.3 - sum(map(operator.mul, row, slopes))))) for row in x]
    return {"N": count, "D": columns, "X": x, "y": y}


LARGE = {f"logistic_regression_{count}_rows": count for count in (20000, 40000, 80000, 200000)}

LENGTHS = {
    "default": "",
    "32 chains": "--chains 32 --superchains 8",
    "64 chains": "--chains 64",
    "256 chains": "--chains 256",
    "1024 chains": "--chains 1024",
    "warmup 300": "--warmup 300",
    "300 + 400": "--chains 1024 --warmup 300 --draws 400",
    "double": "--precision double",
}
STARTS = {
    "default": "",
    "uniform": "--starts uniform",
    "init 0.01": "--starts uniform --init 0.01",
    "init 10": "--starts uniform --init 10",
    "pathfinder": "--starts pathfinder",
}
METHODS = {
    "default": "",
    "before": "--metric diagonal --integrator leapfrog --starts uniform --trajectory 2.8",
    "diagonal": "--metric diagonal",
    "fisher": "--metric fisher",
    "low_rank": "--metric low_rank",
    "dense": "--metric dense",
    "leapfrog": "--integrator leapfrog",
    "two_stage": "--integrator two_stage",
    "chees": "--adaptation chees",
    "snaper": "--adaptation snaper",
}
FIXED = "--warmup 300 --draws 200"


def run_model(program, model, data, options, seed, limit):
    command = [program, "sample", model, "--output", "none", "--json", "-", "--seed", str(seed)] + options.split()
    if data:
        command += ["--data", data]
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=limit, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    seconds = time.perf_counter() - begin
    summary = json.loads(done.stdout)
    ess = [of["ess_bulk"] for of in summary["parameters"].values()]
    return {"converged": summary["converged"], "seconds": seconds, "gradients": summary["gradients"] / summary["chains"],
            "ess": math.nan if None in ess else min(ess), "chains": summary["chains"]}


def posterior_names(program):
    return subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def run_posterior(program, name, options, seed, limit):
    command = [program, "--filter", "^" + name + "$", "--seeds", "1", "--seed", str(seed), "--limit", str(limit),
               "--json", "/dev/stderr"] + options.split()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    run = json.loads(done.stderr)["posteriors"][0]["runs"][0]
    if "error" in run:
        return None
    # No gradient of these posteriors is expensive: 256 chains.
    chains = int(dict(zip(options.split(), options.split()[1:])).get("--chains", 256))
    return {"converged": run["converged"], "seconds": run["seconds"], "gradients": run["gradients_per_chain"],
            "ess": math.nan if run["min_ess_bulk"] is None else run["min_ess_bulk"], "chains": chains}


def median(runs, of):
    values = [of(run) for run in runs if run]
    return statistics.median(values) if values else math.nan


def number(x):
    return "-" if math.isnan(x) else f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def length_cell(runs, _):
    share = sum(1 for run in runs if run and run["converged"])
    return f"{share}/{len(runs)} {number(median(runs, lambda r: r['seconds']))} " \
           f"{number(median(runs, lambda r: r['gradients']))}"


def efficiency(runs):
    return median(runs, lambda r: r["ess"] / (r["gradients"] * r["chains"]))


def method_cell(runs, default):
    here = efficiency(runs)
    return number(here) if default is runs else number(here / efficiency(default))


def table(title, variants, cell, cases, seeds, limit, fixed=""):
    print(f"\n{title}\n")
    print(f"{'':36}" + "".join(f"{name:>20}" for name in variants))
    all_runs = {}
    for name, run in cases:
        runs = {variant: [run(f"{fixed} {options}".strip(), seed, limit) for seed in range(1, seeds + 1)]
                for variant, options in variants.items()}
        print(f"{name:36}" + "".join(f"{cell(of, runs['default']):>20}" for of in runs.values()), flush=True)
        all_runs[name] = runs
    return all_runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manychain", required=True, help="the program manychain")
    parser.add_argument("--posteriors", help="the program manychain_posteriors; without it built-in models alone")
    parser.add_argument("--large", action="store_true", help="large data, too, of which default runs have fewer chains")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a run counts as failed")
    parser.add_argument("--filter", default="", help="models and posteriors with these letters in their names alone")
    parser.add_argument("--tables", default="lengths,starts,methods", help="which of these")
    parser.add_argument("--json", help="write all runs there, too")
    chosen = parser.parse_args()

    folder = tempfile.TemporaryDirectory()
    cases = [(model, lambda o, s, l, m=model: run_model(chosen.manychain, m, "", o, s, l)) for model in MODELS]
    for name, (model, data) in WITH_DATA.items():
        path = os.path.join(folder.name, name + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)
        cases.append((name, lambda o, s, l, m=model, d=path: run_model(chosen.manychain, m, d, o, s, l)))
    for name, count in LARGE.items() if chosen.large else ():
        path = os.path.join(folder.name, name + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rows(count, 10), file)
        cases.append((name, lambda o, s, l, d=path: run_model(chosen.manychain, "logistic_regression", d, o, s, l)))
    if chosen.posteriors:
        cases += [(name, lambda o, s, l, n=name: run_posterior(chosen.posteriors, n, o, s, l))
                  for name in posterior_names(chosen.posteriors)]
    cases = [case for case in cases if chosen.filter in case[0]]
    if not cases:
        sys.exit("defaults.py: --filter: no name matches")

    heading = "runs that converge, seconds of a process, gradients of a chain"
    kinds = {
        "lengths": ("How long a run is: " + heading, LENGTHS, length_cell, ""),
        "starts": ("Where chains start: " + heading, STARTS, length_cell, ""),
        "methods": ("Smallest bulk ESS per gradient; of variants relative to the default (" + FIXED + ")", METHODS,
                    method_cell, FIXED),
    }
    tables = {kind: table(title, variants, cell, cases, chosen.seeds, chosen.limit, fixed)
              for kind, (title, variants, cell, fixed) in kinds.items() if kind in chosen.tables.split(",")}
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(tables, file)


if __name__ == "__main__":
    main()
