#!/usr/bin/env python3
"""The table by which defaults are chosen: variants of the settings on the built-in models and on the posteriors of
bench/posteriors, from several seeds.

  bench/defaults.py --manychain build/bin/manychain --posteriors build/bin/manychain_posteriors [--seeds 5] [--json FILE]

Two tables. The first has runs as long as they make themselves: the share that converges, seconds of a whole process,
gradients of a chain, warm-up included. The second has runs of 200 draws of each chain after 300 transitions: the smallest
bulk ESS per gradient, warm-up included, relative to that of the default. Medians over the seeds. Standard library only."""

import argparse
import json
import math
import statistics
import subprocess
import sys
import time

MODELS = ["normal", "correlated_normal", "ill_conditioned_normal", "banana", "funnel", "rosenbrock", "eight_schools",
          "eight_schools_centered", "linear_regression", "logistic_regression"]

LENGTHS = {
    "default": "",
    "64 chains": "--chains 64",
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
    "diagonal": "--metric diagonal",
    "low_rank": "--metric low_rank",
    "dense": "--metric dense",
    "two_stage": "--integrator two_stage",
    "chees": "--adaptation chees",
    "snaper": "--adaptation snaper",
}
FIXED = "--warmup 300 --draws 200"


def run_model(program, model, options, seed, limit):
    command = [program, "sample", model, "--output", "none", "--json", "-", "--seed", str(seed)] + options.split()
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
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a run counts as failed")
    parser.add_argument("--filter", default="", help="models and posteriors with these letters in their names alone")
    parser.add_argument("--json", help="write all runs there, too")
    chosen = parser.parse_args()

    cases = [(model, lambda o, s, l, m=model: run_model(chosen.manychain, m, o, s, l)) for model in MODELS]
    if chosen.posteriors:
        cases += [(name, lambda o, s, l, n=name: run_posterior(chosen.posteriors, n, o, s, l))
                  for name in posterior_names(chosen.posteriors)]
    cases = [case for case in cases if chosen.filter in case[0]]
    if not cases:
        sys.exit("defaults.py: --filter: no name matches")

    heading = "runs that converge, seconds of a process, gradients of a chain"
    tables = {
        "lengths": table("How long a run is: " + heading, LENGTHS, length_cell, cases, chosen.seeds, chosen.limit),
        "starts": table("Where chains start: " + heading, STARTS, length_cell, cases, chosen.seeds, chosen.limit),
        "methods": table("Smallest bulk ESS per gradient; of variants relative to the default (" + FIXED + ")", METHODS,
                         method_cell, cases, chosen.seeds, chosen.limit, FIXED),
    }
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(tables, file)


if __name__ == "__main__":
    main()
