#!/usr/bin/env python3
"""Errors of hierarchies at the default settings, in units of the standard errors that runs report.

    bench/hierarchies/errors.py build/bin/manychain [--seeds N] [--cases NAME ...] [--references FILE.json]

A row for each model and data set. The truth is by quadrature (exact.py), or by four long runs of a form that samples
well (references.hpp), whose error is that of their mean. z is a run's mean or sd less that of the truth, over
sqrt(mcse^2 + error^2); its rms over all quantities and seeds is one if runs are as precise as they say. The largest
error is that of a mean, in posterior sds. Common to seeds: the mean z of a scale over seeds, times the root of their
number, which is standard normal where runs have no error in common; of the scales the largest. Plain: converged
without a warning; warned: converged with one. Wrong: plain, and the mean or the sd of a scale has |z| > 5.
"""
import argparse
import json
import math
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy

import exact

HERE = Path(__file__).resolve().parent


def many_groups():
    """10 000 groups of three."""
    rng = numpy.random.default_rng(10000)
    g = numpy.repeat(numpy.arange(10000), 3)
    y = rng.normal(rng.normal(2, 0.5, 10000)[g], 1).round(4)
    return {"N": len(y), "J": 10000, "g": (g + 1).tolist(), "y": y.tolist()}


def rates_alike():
    """30 rates of 0.3, 20 trials each."""
    y = numpy.random.default_rng(30).binomial(20, 0.3, 30)
    return {"J": 30, "n": [20] * 30, "y": y.tolist()}


def errors_in_both():
    """30 points of a line, both coordinates with errors."""
    rng = numpy.random.default_rng(5)
    x = rng.normal(1, 1, 30)
    observed, y = x + rng.normal(0, 0.4, 30), 0.5 + 0.8 * x + rng.normal(0, 0.4, 30)
    return {"N": 30, "x_observed": observed.round(2).tolist(), "y": y.round(2).tolist()}


def factor():
    """Four items of 50 people, the first one precise."""
    rng = numpy.random.default_rng(3)
    y = numpy.outer(rng.normal(size=50), [1, 0.8, 0.6, 0.5]) + rng.normal(size=(50, 4)) * [0.3, 0.5, 0.7, 0.6]
    return {"N": 50, "y": y.round(2).tolist()}


def with_basis(data):
    """That of Bym2Reference: phi = basis z has the precision matrix of phi in Bym2."""
    N = data["N"]
    node1, node2 = numpy.array(data["node1"]) - 1, numpy.array(data["node2"]) - 1
    Q = numpy.full((N, N), 1 / (0.001 * N)**2)
    numpy.add.at(Q, (node1, node1), 1)
    numpy.add.at(Q, (node2, node2), 1)
    numpy.add.at(Q, (node1, node2), -1)
    numpy.add.at(Q, (node2, node1), -1)
    values, vectors = numpy.linalg.eigh(Q)
    return {**data, "basis": (vectors / values**0.5).tolist()}


# Name: header, class, data, truth (a function of data, or a class of references.hpp), scales, what has no variance.
CASES = {
    "funnel": ("models", "Funnel", None, lambda _: {"omega": (0, 3)}, "omega", ""),
    "schools": ("models", "Schools", "schools", exact.schools, "tau", ""),
    "groups of 3": ("models", "Groups", "groups", exact.groups, "tau|sigma", ""),
    "groups of 3, non-centred": ("models", "GroupsNonCentred", "groups", exact.groups, "tau|sigma", ""),
    "20 groups, tau near 0": ("models", "Groups", "groups_alike", exact.groups, "tau|sigma", ""),
    "20 groups, tau near 0, non-centred": ("models", "GroupsNonCentred", "groups_alike", exact.groups, "tau|sigma", ""),
    "groups of 20": ("models", "Groups", "groups_of_20", exact.groups, "tau|sigma", ""),
    "groups of 20, non-centred": ("models", "GroupsNonCentred", "groups_of_20", exact.groups, "tau|sigma", ""),
    "groups of 3, by hand": ("by_hand", "GroupsByHand", "groups", exact.groups, "tau|sigma", ""),
    "20 groups, tau near 0, by hand": ("by_hand", "GroupsByHand", "groups_alike", exact.groups, "tau|sigma", ""),
    "batches, precisions": ("precisions", "Batches", "dyes", exact.precisions, "sigma_batches", "tau_batches"),
    "30 rates alike": ("by_hand", "Rates", rates_alike, exact.rates, "theta.*", "kappa"),
    "random slopes": ("models", "RandomSlopes", "random_slopes", exact.random_slopes, "tau_a|tau_b", ""),
    "random slopes, non-centred": ("models", "RandomSlopesNonCentred", "random_slopes", exact.random_slopes,
                                   "tau_a|tau_b", ""),
    "three levels": ("structured", "ThreeLevels", "three_levels", exact.three_levels, "tau_.*|sigma", ""),
    "horseshoe": ("models", "Horseshoe", "horseshoe", "HorseshoeReference", "tau", "lambda.*"),
    "stochastic volatility": ("models", "StochasticVolatility", "stochastic_volatility",
                              "StochasticVolatilityReference", "sigma", ""),
    "Gaussian process": ("structured", "GaussianProcess", "gaussian_process", exact.gaussian_process,
                         "rho|alpha|sigma", ""),
    "Gaussian process, rough": ("structured", "RoughGaussianProcess", "gaussian_process", exact.rough_gaussian_process,
                                "rho|alpha|sigma", ""),
    "BYM2": ("structured", "Bym2", "scotland", "Bym2Reference", "sigma|rho", ""),
    "radon": ("structured", "Radon", "radon", exact.radon, r"tau.*|sigma", ""),
    "reaction times in ms": ("unscaled", "ReactionTimes", "reaction_times", exact.reaction_times, "tau.*|sigma", ""),
    "local trend": ("unscaled", "LocalTrend", "local_trend", exact.local_trend, "sigma.*", ""),
    "errors in both variables": ("met_data", "ErrorsInBoth", errors_in_both, "ErrorsInBothReference", "tau|sx|sy", ""),
    "factor": ("met_data", "Factor", factor, "FactorReference", "psi.*", ""),
    "10 000 groups": ("models", "Groups", many_groups, exact.groups, "tau|sigma", ""),
    "10 000 groups, non-centred": ("models", "GroupsNonCentred", many_groups, exact.groups, "tau|sigma", ""),
}


def run(program, header, model, data, seed, *more):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(data or {}, file)
        file.flush()
        words = [program, "sample", str(HERE / f"{header}.hpp"), "--class", model, "--seed", str(seed), "--output",
                 "none", "--json", "-", *more, *(["--data", file.name] if data else [])]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not done.stdout.startswith(b"{"):
        raise SystemExit(f"{model}, seed {seed}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def truth(program, data, how):
    """Name -> (mean, sd, error of the mean, error of the sd), and a smallest ESS."""
    if callable(how):
        return {name: (*moments, 0, 0) for name, moments in how(data).items()}, math.inf
    if how == "Bym2Reference":
        data = with_basis(data)
    long = "--draws", "1000", "--warmup", "1000", "--target-acceptance", "0.95"
    runs = [run(program, "references", how, data, seed, *long) for seed in range(101, 105)]
    found = {}
    for name in runs[0]["parameters"]:
        rows = [r["parameters"][name] for r in runs]
        means, sds = [row["mean"] for row in rows], [row["sd"] for row in rows]
        found[name] = (statistics.mean(means), statistics.mean(sds), statistics.stdev(means) / 2,
                       statistics.stdev(sds) / 2)
    return found, sum(min(p["ess_bulk"] or 0 for p in r["parameters"].values()) for r in runs)


def compared(result, reference, infinite):
    """z of means and of sds, and errors of means in sds, by name."""
    means, sds, errors = {}, {}, {}
    for name, row in result["parameters"].items():
        if name not in reference or not row["sd"] or re.fullmatch(infinite, name):
            continue
        mean, sd, mean_error, sd_error = reference[name]
        errors[name] = abs(row["mean"] - mean) / sd
        for z, value, true, mcse, error in ((means, row["mean"], mean, row["mcse_mean"], mean_error),
                                            (sds, row["sd"], sd, row["mcse_sd"], sd_error)):
            z[name] = (value - true) / math.hypot(mcse, error) if mcse else math.nan
    return means, sds, errors


def rms(values):
    return statistics.fmean(v * v for v in values)**0.5


def row(name, runs, reference, ess, scales, infinite, verbose):
    all_means, all_sds, largest, wrong, shifts = [], [], 0, 0, {}
    for result in runs:
        means, sds, errors = compared(result, reference, infinite)
        plain = result["converged"] and not result["warnings"]
        bad = [n for n in means if re.fullmatch(scales, n) and not max(abs(means[n]), abs(sds[n])) <= 5]
        wrong += plain and bool(bad)
        for n in means:
            if re.fullmatch(scales, n):
                shifts.setdefault(n, []).append(means[n])
        all_means += means.values()
        all_sds += sds.values()
        largest = max(largest, *errors.values())
        if verbose:
            print(f"    seed {result['seed']}: rms z {rms(means.values()):.2f}, {rms(sds.values()):.2f};",
                  "; ".join(f"{n} {means[n]:.1f}, {sds[n]:.1f}" for n in means if re.fullmatch(scales, n)),
                  "; worst", max(means, key=lambda n: abs(means[n])), f"{max(map(abs, means.values())):.1f},",
                  max(sds, key=lambda n: abs(sds[n])), f"{max(map(abs, sds.values())):.1f};", result["converged"],
                  result["divergences"], result["problems"], result["warnings"], result["metric_leaves"], flush=True)
    plain = sum(r["converged"] and not r["warnings"] for r in runs)
    warned = sum(r["converged"] and bool(r["warnings"]) for r in runs)
    at, z = max(((n, sum(v) / len(v)**0.5) for n, v in shifts.items()), key=lambda item: abs(item[1]))
    shift = f"{at} {z:.1f}"
    known = "exact" if ess == math.inf else f"ESS {ess:.0f}"
    print(f"| {name} | {known} | {len(runs)} | {len(all_means) // len(runs)} | {rms(all_means):.2f} | "
          f"{rms(all_sds):.2f} | {largest:.2f} | {shift} | {plain} | {warned} | {len(runs) - plain - warned} | "
          f"{wrong} | {statistics.median(r['seconds']['total'] for r in runs):.2f} |", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--cases", nargs="*", default=list(CASES))
    options.add_argument("--references", type=Path, help="truths are read from there, and new ones are kept")
    options.add_argument("--verbose", action="store_true", help="a line for each run")
    options.add_argument("--sampling", nargs=argparse.REMAINDER, default=[], help="further options of manychain sample")
    given = options.parse_args()
    known = json.loads(given.references.read_text()) if given.references and given.references.exists() else {}
    print("| model | truth | seeds | quantities | rms z, means | rms z, sds | largest error, sds | common to seeds | "
          "plain | warned | not converged | wrong | s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name in given.cases:
        header, model, source, how, scales, infinite = CASES[name]
        data = json.loads((HERE / "data" / f"{source}.json").read_text()) if isinstance(source, str) else None
        data = source() if callable(source) else data
        if name not in known:
            known[name] = truth(given.program, data, how)
        if given.references:
            given.references.write_text(json.dumps(known))
        runs = [run(given.program, header, model, data, seed, *given.sampling) for seed in range(1, given.seeds + 1)]
        row(name, runs, *known[name], scales, infinite, given.verbose)


if __name__ == "__main__":
    main()
