#!/usr/bin/env python3
"""Nonlinear regressions with few rows, whose posteriors may have tails along curves, against quadrature.

    bench/tails/table.py build/bin/manychain [--sets N] [--seeds N] [--filter REGEX] [--wrong] [--sampling OPTION ...]

Each data set is simulated from a model of bench/tails/models.hpp. Given the parameters by which the mean is nonlinear,
one or two, its height h and constant c are normal: a grid over the former and these normals give means and standard
deviations.

plain, warned, not: runs whose verdict is "Converged", "Converged, with warnings", "NOT converged". Wrong: of the plain
and of the warned ones, those with a standard deviation that is off by more than 5 % and a mean or standard deviation
that is off by more than 4 of its MCSEs. Narrow, rare, unreached: runs with that finding. Seconds: of a run, the median.
--wrong lists the wrong ones. Needs numpy.
"""
import argparse
import json
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy

HEADER = Path(__file__).resolve().parent / "models.hpp"


def log_normal_density(x, mean, sd):
    return -0.5 * ((x - mean) / sd) ** 2 - numpy.log(sd * numpy.sqrt(2 * numpy.pi))


def marginal(y, columns, s, prior_sds):
    """For each point of a grid, with columns [point][row][coefficient]: the log density of y, and the mean and the sd of
    each coefficient, whose prior is N(0, prior_sd^2)."""
    precision = numpy.einsum("gnk,gnl->gkl", columns, columns) / s**2 + numpy.diag(1 / numpy.square(prior_sds))
    covariance = numpy.linalg.inv(precision)
    mean = numpy.einsum("gkl,gl->gk", covariance, numpy.einsum("gnk,n->gk", columns, y) / s**2)
    log_density = 0.5 * numpy.einsum("gk,gkl,gl->g", mean, precision, mean) + 0.5 * numpy.linalg.slogdet(covariance)[1]
    return log_density, mean, numpy.sqrt(numpy.einsum("gkk->gk", covariance))


def moments(weights, mean, sd=0.0):
    expected = (weights * mean).sum()
    return expected, numpy.sqrt((weights * (sd**2 + (mean - expected) ** 2)).sum())


def with_constant(f):
    return numpy.stack([f, numpy.ones_like(f)], 2)


class Decay:
    prior = (0, 3)

    def simulate(self, random):
        rows = random.integers(4, 8)
        x = numpy.linspace(0.3, random.choice([3, 6, 10]), rows)
        s = random.choice([0.1, 0.2, 0.4])
        mean = random.uniform(0.5, 2) * numpy.exp(-numpy.exp(random.uniform(-2, 1)) * x) + random.uniform(-0.5, 1)
        return x, mean, s

    def truth(self, x, y, s):
        log_k = numpy.linspace(-16, 16, 16001)
        f = numpy.exp(-numpy.exp(log_k)[:, None] * x)
        return {"log_k": log_k}, log_normal_density(log_k, *self.prior), marginal(y, with_constant(f), s, [3, 1])


class KnownDecay(Decay):
    prior = (-0.5, 1)


class Step:
    def simulate(self, random):
        x = numpy.linspace(0, 10, random.integers(6, 11))
        s = random.choice([0.15, 0.3, 0.6])
        steepness, place = numpy.exp(random.normal()), random.uniform(1, 9)
        return x, random.uniform(0.7, 2.5) / (1 + numpy.exp(-steepness * (x - place))) - 0.2, s

    def truth(self, x, y, s):
        m, log_k = (a.ravel() for a in numpy.meshgrid(numpy.linspace(-9, 19, 561), numpy.linspace(-8, 8, 161)))
        f = 1 / (1 + numpy.exp(-numpy.clip(numpy.exp(log_k)[:, None] * (x - m[:, None]), -700, 700)))
        prior = log_normal_density(m, 5, 3) + log_normal_density(log_k, 0, 1.5)
        return {"m": m, "log_k": log_k}, prior, marginal(y, with_constant(f), s, [2, 1])


class Peak:
    def simulate(self, random):
        x = numpy.linspace(0.5, 9.5, random.integers(6, 11))
        s = random.choice([0.2, 0.4, 0.7])
        place, width = random.uniform(1, 9), random.uniform(0.4, 1.5)
        return x, random.uniform(1, 2.5) * numpy.exp(-0.5 * ((x - place) / width) ** 2) + 0.2, s

    def truth(self, x, y, s):
        m, log_w = (a.ravel() for a in numpy.meshgrid((numpy.arange(500) + 0.5) / 50, numpy.linspace(-3.2, 3.2, 161)))
        w = numpy.exp(log_w)
        f = numpy.exp(-0.5 * ((x - m[:, None]) / w[:, None]) ** 2)
        return {"m": m, "w": w}, log_normal_density(log_w, 0, 0.7), marginal(y, with_constant(f), s, [2, 1])


class Saturation:
    def simulate(self, random):
        x = numpy.linspace(0.2, random.choice([1, 2, 5]), random.integers(4, 8))
        s = random.choice([0.05, 0.1, 0.3])
        return x, random.uniform(1, 3) * x / (numpy.exp(1.2 * random.normal()) + x), s

    def truth(self, x, y, s):
        log_k = numpy.linspace(-12, 12, 12001)
        f = x / (numpy.exp(log_k)[:, None] + x)
        return {"log_k": log_k}, log_normal_density(log_k, 0, 2), marginal(y, f[:, :, None], s, [5])


MODELS = {model.__name__: model() for model in (Decay, KnownDecay, Step, Peak, Saturation)}


def answer(model, x, y, s):
    """The mean and standard deviation of each parameter."""
    grid, log_prior, (log_density, mean, sd) = model.truth(x, y, s)
    weights = numpy.exp(log_prior + log_density - (log_prior + log_density).max())
    weights /= weights.sum()
    known = {name: moments(weights, values) for name, values in grid.items()}
    for k, name in enumerate("hc"[: mean.shape[1]]):
        known[name] = moments(weights, mean[:, k], sd[:, k])
    return known


def wrong_by(result, known):
    """The largest error in MCSEs, and the largest of an sd in parts of it."""
    by_mcse = by_part = 0.0
    for name, (mean, sd) in known.items():
        found = result["parameters"][name]
        by_mcse = max(by_mcse, abs(found["mean"] - mean) / found["mcse_mean"], abs(found["sd"] - sd) / found["mcse_sd"])
        by_part = max(by_part, abs(found["sd"] / sd - 1))
    return by_mcse, by_part


def verdict_of(result):
    return "not" if not result["converged"] else "warned" if result["warnings"] else "plain"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manychain")
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--filter", default="")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--sampling", nargs=argparse.REMAINDER, default=[])
    args = parser.parse_args()
    print(f"{'model':12s} {'plain':>6s} {'wrong':>6s} {'warned':>7s} {'wrong':>6s} {'not':>5s} {'narrow':>7s} {'rare':>5s} "
          f"{'unreached':>10s} {'seconds':>8s}")
    for name, model in MODELS.items():
        if not re.search(args.filter, name):
            continue
        count = dict.fromkeys(("plain", "warned", "not", "Narrow tail", "Rare tail", "Unreached tail"), 0)
        wrong, listed, seconds = {"plain": 0, "warned": 0, "not": 0}, [], []
        for number in range(args.sets):
            random = numpy.random.default_rng(1000 + number)
            x, mean, s = model.simulate(random)
            x = numpy.round(x, 2)
            y = numpy.round(mean + s * random.normal(size=len(x)), 2)
            known = answer(model, x, y, s)
            with tempfile.TemporaryDirectory() as folder:
                data = Path(folder) / "data.json"
                data.write_text(json.dumps({"N": len(x), "x": x.tolist(), "y": y.tolist(), "s": float(s)}))
                for seed in range(1, args.seeds + 1):
                    done = subprocess.run(
                        [args.manychain, "sample", HEADER, "--class", name, "--data", data, "--seed", str(seed),
                         "--output", "none", "--json", "-", *args.sampling], capture_output=True, text=True, check=False)
                    result = json.loads(done.stdout)
                    verdict = verdict_of(result)
                    count[verdict] += 1
                    seconds.append(result["seconds"]["total"])
                    for finding in ("Narrow tail", "Rare tail", "Unreached tail"):
                        count[finding] += f"{finding}: " in json.dumps(result)
                    by_mcse, by_part = wrong_by(result, known)
                    if by_mcse > 4 and by_part > 0.05:
                        wrong[verdict] += 1
                        listed.append(f"  data set {number}, seed {seed}, {verdict}: {by_mcse:.1f} MCSEs, an sd by "
                                      f"{100 * by_part:.0f} %")
        print(f"{name:12s} {count['plain']:6d} {wrong['plain']:6d} {count['warned']:7d} {wrong['warned']:6d} "
              f"{count['not']:5d} {count['Narrow tail']:7d} {count['Rare tail']:5d} {count['Unreached tail']:10d} "
              f"{statistics.median(seconds):8.3f}", flush=True)
        if args.wrong:
            print("\n".join(listed), flush=True)


if __name__ == "__main__":
    main()
