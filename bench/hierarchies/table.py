#!/usr/bin/env python3
"""Centred hierarchies by the constant metric of `auto` and by the metric that depends on position.

    bench/hierarchies/table.py build/bin/manychain [--seeds N] [--draws N | --sampling]

A row for each model and metric: runs that converged without a divergence, divergences of a million transitions, the
smallest bulk ESS over all gradients (warm-up included), seconds of the whole process, and the mean of the scale that
makes the neck over all seeds with its standard error. Default settings; --draws asks for a fixed number of draws, so
that the sampling outweighs the warm-up.

--sampling leaves the warm-up out: 1024 chains, 400 transitions of warm-up, the smallest bulk ESS of 200 draws over the
gradients of these 200 transitions (those of a run of 204 draws less those of 4). A row for each model at the defaults.
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


def run(program, model, data, metric, seed, draws, *options):
    words = [program, "sample", str(HERE / "models.hpp"), "--class", model, "--metric", metric, "--seed", str(seed),
             "--output", "none", "--json", "-", *options]
    if data:
        words += ["--data", str(HERE / "data" / f"{data}.json")]
    if draws:
        words += ["--draws", str(draws)]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def sampling(program, seeds):
    """The table of --sampling: medians and ranges over the seeds."""
    print(f"{seeds} seeds, 1024 chains, warm-up 400, sampling alone")
    print("| model | divergences of 204 800 transitions | gradients a transition | ESS a gradient | slowest |")
    print("|---|---|---|---|---|")
    for model, data, _ in RUNS[:5]:
        divergences, lengths, ratios, slowest = [], [], [], []
        for seed in range(1, seeds + 1):
            size = ("--chains", "1024", "--warmup", "400")
            short = run(program, model, data, "auto", seed, 4, *size)
            long = run(program, model, data, "auto", seed, 204, *size)
            used = long["gradients"] - short["gradients"]
            ess, name = min((row["ess_bulk"] or 0, name) for name, row in long["parameters"].items())
            divergences.append(long["divergences"])
            lengths.append(used / 204800)
            ratios.append(ess / 204 * 200 / used)
            slowest.append(name)
        print(f"| {data or 'funnel'} | {statistics.median(divergences):.0f} ({min(divergences)} to {max(divergences)}) | "
              f"{statistics.median(lengths):.1f} | {statistics.median(ratios):.1e} ({min(ratios):.1e} to {max(ratios):.1e}) | "
              f"{statistics.mode(slowest)} |", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--draws", type=int)
    options.add_argument("--sampling", action="store_true")
    given = options.parse_args()
    if given.sampling:
        sampling(given.program, given.seeds)
        return
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
