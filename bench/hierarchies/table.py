#!/usr/bin/env python3
"""Centred hierarchies by the constant metric of `auto` and by the metric that depends on position.

    bench/hierarchies/table.py build/bin/manychain [--seeds N] [--draws N]

A row for each model and metric: runs that converged without a divergence, divergences of a million transitions, the
smallest bulk ESS over all gradients (warm-up included), seconds of the whole process, and the mean of the scale that
makes the neck over all seeds with its standard error. Default settings; --draws asks for a fixed number of draws, so
that the sampling outweighs the warm-up.
"""
import argparse
import json
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNS = [("Funnel", None, "omega"), ("Schools", "schools", "tau"), ("RandomSlopes", "random_slopes", "tau_a"),
        ("Horseshoe", "horseshoe", "tau"), ("StochasticVolatility", "stochastic_volatility", "sigma"),
        ("Groups", "groups", "tau"), ("Groups", "groups_alike", "tau"), ("Groups", "groups_of_20", "tau")]


def run(program, model, data, metric, seed, draws):
    words = [program, "sample", str(HERE / "models.hpp"), "--class", model, "--metric", metric, "--seed", str(seed),
             "--output", "none", "--json", "-"]
    if data:
        words += ["--data", str(HERE / "data" / f"{data}.json")]
    if draws:
        words += ["--draws", str(draws)]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--draws", type=int)
    given = options.parse_args()
    print(f"{given.seeds} seeds" + (f", {given.draws} draws of each chain" if given.draws else ", defaults"))
    print("| model | metric | converged, no divergence | divergences, ppm | ESS a gradient | s | mean of the scale |")
    print("|---|---|---|---|---|---|---|")
    for model, data, scale in RUNS:
        for metric in ("low_rank", "auto", "hierarchical"):
            runs = [run(given.program, model, data, metric, seed, given.draws) for seed in range(1, given.seeds + 1)]
            clean = sum(r["converged"] and r["divergences"] == 0 for r in runs)
            ppm = statistics.mean(1e6 * r["divergences"] / (r["draws"] * r["chains"] * r["thin"]) for r in runs)
            per_gradient = statistics.median(
                min(p["ess_bulk"] or 0 for p in r["parameters"].values()) / r["gradients"] for r in runs)
            means = [r["parameters"][scale]["mean"] for r in runs]
            error = statistics.stdev(means) / len(means)**0.5 if len(means) > 1 else float("nan")
            print(f"| {data or 'funnel'} | {metric} | {clean} of {given.seeds} | {ppm:.0f} | {per_gradient:.1e} | "
                  f"{statistics.median(r['seconds']['total'] for r in runs):.2f} | "
                  f"{scale} {statistics.mean(means):.3f} +- {error:.3f} |", flush=True)


if __name__ == "__main__":
    main()
