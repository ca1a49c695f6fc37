#!/usr/bin/env python3
"""Posteriors of two or more modes, and what runs at the defaults say of them, with another sampler or --starts annealed.

    bench/modes/table.py build/bin/manychain [--seeds N] [--filter REGEX] [--sampler tempering] [--annealed] [--said]

A row a target; columns count seeds. wrong: the run is called converged, with warnings or without, and a mean or a standard
deviation is beyond four of its errors. right: converged, and none is. named: not converged, and the verdict names modes,
or chains on their way between them (missed modes, several modes, weighed modes, exchangeable labels, drift). other: not converged for
another reason. shares: with --annealed, of the runs that name two modes and whose share is known, those whose share is
within four standard errors. --said prints the first problem of each run. Standard library only.
"""
import argparse
import json
import math
import random
import re
import subprocess
import tempfile
import time
from pathlib import Path

HEADERS = [Path(__file__).resolve().parent / name for name in ("models.hpp", "many_modes.hpp")]


class Target:
    """`exact`: parameter, its mean and standard deviation (None: unknown); `share`: of the largest mode, or None; `equal`:
    pairs of parameters that have the same mean."""

    def __init__(self, model, data, exact, share=None, equal=()):
        self.model, self.data, self.exact, self.share, self.equal = model, data, exact, share, equal


def normals(*components):
    """Of (weight, sd, mean)."""
    d = len(components[0][2])
    exact = {}
    for i in range(d):
        mean = sum(w * m[i] for w, _, m in components)
        exact[f"x[{i + 1}]"] = (mean, math.sqrt(sum(w * (s * s + m[i] ** 2) for w, s, m in components) - mean * mean))
    data = {"K": len(components), "D": d, "log_w": [math.log(w) - d * math.log(s) for w, s, _ in components],
            "sd": [s for _, s, _ in components], "mean": [list(m) for _, _, m in components]}
    return Target("Normals", data, exact, max(w for w, _, _ in components) if len(components) == 2 else None)


def along(d, *first):
    return list(first) + [0] * (d - len(first))


def pair(d, share, widths, apart, seed=1):
    """Two modes, `apart` in all, in a direction by chance, the wide one at a point near the origin."""
    random_numbers = random.Random(seed)
    direction = [random_numbers.gauss(0, 1) for _ in range(d)]
    length = math.sqrt(sum(x * x for x in direction))
    begin = [random_numbers.uniform(-1, 1) for _ in range(d)]
    return normals((1 - share, widths[0], begin),
                   (share, widths[1], [b + apart * x / length for b, x in zip(begin, direction)]))


def on_a_grid(log_density, low, high, count=200001):
    """Mean and standard deviation by the trapezoidal rule."""
    xs = [low + (high - low) * (i + 0.5) / count for i in range(count)]
    logs = [log_density(x) for x in xs]
    top = max(logs)
    w = [math.exp(v - top) for v in logs]
    total = sum(w)
    mean = sum(a * x for a, x in zip(w, xs)) / total
    return mean, math.sqrt(sum(a * (x - mean) ** 2 for a, x in zip(w, xs)) / total)


def two_coefficients(columns, y, prior_sd, sigma):
    """The log evidence of y = a u + b v + noise, a, b ~ normal(0, prior_sd), apart from a constant."""
    u, v = columns
    p = 1 / prior_sd ** 2
    uu, vv = (sum(x * x for x in c) / sigma ** 2 + p for c in (u, v))
    uv = sum(x * z for x, z in zip(u, v)) / sigma ** 2
    uy, vy = (sum(x * z for x, z in zip(c, y)) / sigma ** 2 for c in (u, v))
    det = uu * vv - uv * uv
    return 0.5 * (vv * uy * uy - 2 * uv * uy * vy + uu * vy * vy) / det - 0.5 * math.log(det)


def sinusoid():
    random_numbers = random.Random(3)
    t = [round(random_numbers.uniform(0, 12), 3) for _ in range(14)]
    y = [round(0.7 * math.cos(2.2 * s) + random_numbers.gauss(0, 0.5), 3) for s in t]
    def log_density(f):
        return two_coefficients(([math.cos(f * s) for s in t], [math.sin(f * s) for s in t]), y, 1, 0.5)
    return Target("Sinusoid", {"N": len(t), "t": t, "y": y}, {"f": on_a_grid(log_density, 0, 5, 20001)})


def change():
    random_numbers = random.Random(5)
    t = [(i + 0.5) / 40 for i in range(40)]
    y = [round((0 if s < 0.3 else 0.6 if s < 0.7 else 1.4) + random_numbers.gauss(0, 0.5), 3) for s in t]
    def log_density(when):
        after = [1 / (1 + math.exp(min(-(s - when) / 0.002, 700))) for s in t]
        return two_coefficients(([1 - a for a in after], after), y, 3, 0.5)
    return Target("Change", {"N": len(t), "t": t, "y": y}, {"when": on_a_grid(log_density, 0, 1, 20001)})


def location():
    y = [-10.3, -10.1, -9.9, -9.8, 11.6, 12.0, 12.1, 12.3]
    def log_density(m):
        return -0.5 * (m / 100) ** 2 - sum(math.log1p(((v - m) / 0.2) ** 2) for v in y)
    return Target("Location", {"N": len(y), "y": y}, {"m": on_a_grid(log_density, -40, 40)})


def product():
    def log_density(x):  # y, given x, is normal
        return -0.5 * (x / 3) ** 2 - 0.5 * math.log(x * x + 0.01 / 9) - 0.5 * 64 / (0.01 + 9 * x * x)
    mean, sd = on_a_grid(log_density, -20, 20)
    return Target("Product", {}, {"x": (mean, sd), "y": (mean, sd)})


def labels(model):
    random_numbers = random.Random(7)
    y = [round(random_numbers.gauss(m, 1), 3) for m in (-6, 0, 5) for _ in range(12)]
    equal = {f"mu[{k}]": (sum(y) / len(y), None) for k in (1, 2, 3)}  # to about 0.3, by symmetry
    return Target(model, {"N": len(y), "y": y}, equal if model == "Labels" else {})


def decays():
    random_numbers = random.Random(9)
    t = [0.1 * (i + 1) for i in range(40)]
    y = [round(2 * math.exp(-0.3 * s) + 1.5 * math.exp(-3 * s) + random_numbers.gauss(0, 0.05), 3) for s in t]
    return Target("Decays", {"N": len(t), "t": t, "y": y}, {"k[1]": (1.65, None), "k[2]": (1.65, None)})


def factor():
    random_numbers = random.Random(11)
    loading = [1.5, -1.2, 0.8, 1.1, -0.9]
    rows = []
    for _ in range(20):
        score = random_numbers.gauss(0, 1)
        rows.append([round(l * score + random_numbers.gauss(0, 0.5), 3) for l in loading])
    return Target("Factor", {"N": 20, "J": 5, "y": rows}, {f"loading[{j}]": (0, None) for j in range(1, 6)})


def wells(d, tilt):
    up = 1 / (1 + math.exp(-tilt))
    exact = (2 * up - 1, math.sqrt(0.01 + 1 - (2 * up - 1) ** 2))
    return Target("Wells", {"D": d, "tilt": tilt}, {f"x[{i + 1}]": exact for i in range(d)})


def on_a_plane(log_density, names, x_ends, y_ends, count=400):
    """Means and standard deviations of two parameters by the midpoint rule."""
    xs, ys = ([a + (b - a) * (i + 0.5) / count for i in range(count)] for a, b in (x_ends, y_ends))
    logs = [[log_density(x, y) for y in ys] for x in xs]
    top = max(map(max, logs))
    w = [[math.exp(v - top) for v in row] for row in logs]
    def moments(values, weights):
        total = sum(weights)
        mean = sum(a * v for a, v in zip(weights, values)) / total
        return mean, math.sqrt(sum(a * (v - mean) ** 2 for a, v in zip(weights, values)) / total)
    return {names[0]: moments(xs, [sum(row) for row in w]), names[1]: moments(ys, [sum(col) for col in zip(*w)])}


def log_add(a, b):
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def students():
    mean = 0.8 * -2 + 0.2 * 6
    return Target("Students", {}, {f"x[{i}]": (mean, math.sqrt(5 / 3 + 0.16 * 64)) for i in (1, 2, 3)})


def lines():
    random_numbers = random.Random(21)
    x = [round(random_numbers.uniform(-2, 2), 3) for _ in range(30)]
    y = [round((1 + 2 * a if random_numbers.random() < 0.5 else -1 - 1.5 * a) + random_numbers.gauss(0, 0.4), 3) for a in x]
    return Target("Lines", {"N": 30, "x": x, "y": y}, {}, equal=(("a[1]", "a[2]"), ("b[1]", "b[2]")))


def hidden():
    random_numbers = random.Random(4)
    x = [round(random_numbers.uniform(-2, 2), 3) for _ in range(15)]
    y = [round(1.2 * math.tanh(1.5 * a + 0.4) + random_numbers.gauss(0, 0.3), 3) for a in x]
    return Target("Hidden", {"N": 15, "x": x, "y": y}, {"w": (0, None), "v": (0, None), "b": (0, None)})


def rates():
    random_numbers = random.Random(6)
    t = [i + 0.5 for i in range(40)]
    y = [round((0 if s < 10 else 0.9 if s < 28 else 1.9) + random_numbers.gauss(0, 1), 3) for s in t]
    def log_density(when):
        after = [1 / (1 + math.exp(min((when - s) / 0.3, 700))) for s in t]
        return two_coefficients(([1 - a for a in after], after), y, 3, 1)
    return Target("Rates", {"N": 40, "t": t, "y": y}, {"when": on_a_grid(log_density, 0, 40, 8001)})


def alias():
    random_numbers = random.Random(8)
    t = list(range(20))
    y = [round(math.cos(1.9 * s + 0.5) + random_numbers.gauss(0, 0.5), 3) for s in t]
    def log_density(f):
        columns = [math.cos(f * s) for s in t], [math.sin(f * s) for s in t]
        return two_coefficients(columns, y, 2, 0.5) - 0.5 * ((f - 2) / 2) ** 2
    return Target("Alias", {"N": 20, "t": t, "y": y}, {"f": on_a_grid(log_density, 0, 6.283185307, 30001)})


def known_shares():
    random_numbers = random.Random(10)
    y = [round(random_numbers.gauss(0 if random_numbers.random() < 0.6 else 2.5, 1), 3) for _ in range(25)]
    def log_density(a, b):
        return -0.02 * (a * a + b * b) + sum(log_add(math.log(0.6) - 0.5 * (v - a) ** 2, math.log(0.4) - 0.5 * (v - b) ** 2)
                                             for v in y)
    return Target("KnownShares", {"N": 25, "y": y}, on_a_plane(log_density, ("m[1]", "m[2]"), (-6, 8), (-6, 8), 200))


def flip_flop():
    random_numbers = random.Random(12)
    t = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12]
    y = [round(2.5 * (math.exp(-0.4 * s) - math.exp(-2 * s)) + random_numbers.gauss(0, 0.1), 3) for s in t]
    def log_density(u, v):
        p, q = math.exp(u), math.exp(v) * (1 + 1e-9)
        column = [p / (p - q) * (math.exp(-q * s) - math.exp(-p * s)) for s in t]
        precision = 1 / 25 + sum(c * c for c in column) / 0.01
        along = sum(c * z for c, z in zip(column, y)) / 0.01
        return -0.5 * (u * u + v * v) / 2.25 + 0.5 * along * along / precision - 0.5 * math.log(precision)
    return Target("FlipFlop", {"N": 10, "t": t, "y": y}, on_a_plane(log_density, ("u", "v"), (-2.2, 2.3), (-2.2, 2.3)))


def in_a_plane(model, log_density, ends):
    return lambda: Target(model, {}, on_a_plane(log_density, ("x", "y"), ends, ends))


def moons(x, y):
    return -0.5 * ((math.hypot(x, y) - 2) / 0.2) ** 2 + log_add(math.log(0.75) - 0.5 * ((x - 2) / 0.4) ** 2,
                                                               math.log(0.25) - 0.5 * ((x + 2) / 0.4) ** 2)


def grid_of_25():
    random_numbers = random.Random(13)
    weights = [random_numbers.uniform(0.2, 1) for _ in range(25)]
    total = sum(weights)
    return normals(*((w / total, 0.3, [6 * (k % 5) - 12, 6 * (k // 5) - 12]) for k, w in enumerate(weights)))


def spread(count, d, width, seed):
    """Modes with weights within a factor of four, by chance in a box of 10 or 40."""
    random_numbers = random.Random(seed)
    weights = [random_numbers.uniform(0.5, 2) for _ in range(count)]
    far = 40 if d == 2 else 10
    return [(w / sum(weights), width, [random_numbers.uniform(-far, far) for _ in range(d)]) for w in weights]


def students_in(d):
    modes = spread(10, d, 1, 16)
    exact = {}
    for i in range(d):
        mean = sum(w * m[i] for w, _, m in modes)
        exact[f"x[{i + 1}]"] = (mean, math.sqrt(5 / 3 + sum(w * (m[i] - mean) ** 2 for w, _, m in modes)))
    data = {"K": len(modes), "D": d, "log_w": [math.log(w) for w, _, _ in modes], "mean": [m for _, _, m in modes]}
    return Target("ManyStudents", data, exact)


# Kou, Zhou and Wong 2006, Annals of Statistics 34, 1581: table 1.
TWENTY = ((2.18, 5.76), (8.67, 9.59), (4.24, 8.48), (8.41, 1.68), (3.93, 8.82), (3.25, 3.47), (1.70, 0.50), (4.59, 5.60),
          (6.91, 5.81), (6.87, 5.40), (5.41, 2.65), (2.70, 7.88), (4.98, 3.70), (1.14, 2.39), (8.33, 9.50), (4.93, 1.50),
          (1.83, 0.09), (2.26, 0.31), (5.54, 6.86), (1.69, 8.11))


def double_wells(d):
    exact = {f"x[{i + 1}]": on_a_grid(lambda x: -x ** 4 + 6 * x * x + 0.5 * x, -4, 4, 20001) for i in range(d)}
    return Target("DoubleWells", {"D": d}, exact)


def rastrigin(d):
    exact = on_a_grid(lambda x: -0.5 * x * x + 5 * math.cos(2 * math.pi * x), -5.12, 5.12, 20001)
    return Target("Rastrigin", {"D": d}, {f"x[{i + 1}]": exact for i in range(d)})


TARGETS = {
    "2 d, widths 1 and 0.1, 14 sds": normals((0.5, 1, [-5, -5]), (0.5, 0.1, [5, 5])),
    "2 d, widths 1 and 0.01, 14 sds": normals((0.5, 1, [-5, -5]), (0.5, 0.01, [5, 5])),
    "2 d, widths 1 and 0.03, 30 sds": pair(2, 0.3, (1, 0.03), 30),
    "2 d, widths 0.01 and 1, 8 sds, at the narrow": normals((0.5, 0.01, [0, 0]), (0.5, 1, [8, 1])),
    "2 d, 1 %, 8 sds": pair(2, 0.01, (1, 1), 8),
    "2 d, 10 %, width 0.1, 8 sds": pair(2, 0.1, (1, 0.1), 8),
    "3 d, widths 1 and 0.3, 20 sds": pair(3, 0.5, (1, 0.3), 20),
    "5 d, widths 1 and 0.1, 9 sds": pair(5, 0.5, (1, 0.1), 9),
    "5 d, widths 1 and 0.3, 9 sds": pair(5, 0.5, (1, 0.3), 9),
    "5 d, 100 sds": pair(5, 0.5, (1, 1), 100),
    "10 d, four modes to 1 %": normals((0.5, 1, along(10)), (0.4, 1, along(10, 12)), (0.09, 1, along(10, 0, -10)),
                                       (0.01, 1, along(10, 0, 0, 9))),
    "10 d, widths 1 and 0.5, 15 sds": pair(10, 0.5, (1, 0.5), 15),
    "10 d, 1 %, 8 sds": pair(10, 0.01, (1, 1), 8),
    "10 d, width 0.1 within 1": normals((0.5, 1, along(10)), (0.5, 0.1, [0.5] * 10)),
    "10 d, widths 0.2 and 1, one centre": normals((0.5, 1, along(10)), (0.5, 0.2, along(10))),
    "20 d, widths 1 and 0.7, 15 sds": pair(20, 0.3, (1, 0.7), 15),
    "50 d, 5 %, 8 sds": pair(50, 0.05, (1, 1), 8),
    "50 d, widths 1 and 0.8, 12 sds": pair(50, 0.5, (1, 0.8), 12),
    "100 d, 1 %, 10 sds": pair(100, 0.01, (1, 1), 10),
    "100 d, 20 %, 30 sds": pair(100, 0.2, (1, 1), 30),
    "100 d, widths 1 and 0.5, 40 sds": pair(100, 0.5, (1, 0.5), 40),
    "2 d, 25 modes": grid_of_25(),
    "a ring and 20 %": Target("Ring", {"log_w": math.log(0.2), "log_rest": math.log(0.8) - math.log(2 * math.pi)},
                              {"x": (6, math.sqrt(0.8 * (50 + 0.005) + 0.2 * 900.01 - 36))}),
    "two rings": Target("TwoRings", {}, {"x[1]": (12, None)}),
    "a funnel and a spike": Target("FunnelAndSpike", {}, {"v": (4, math.sqrt(0.5 * 2.25 + 0.5 * 64.01 - 16)),
                                                          "x[1]": (-5, None)}),
    "labels of three": labels("Labels"),
    "labels of three, ordered": labels("OrderedLabels"),
    "a sinusoid's frequency": sinusoid(),
    "a change": change(),
    "Cauchy, two clusters": location(),
    "both ends of an interval": Target("Ends", {}, {"p": (0.3 * 2 / 202 + 0.7 * 2000 / 2020, None)}),
    "signs of a product": product(),
    "two decays": decays(),
    "signs of a factor": factor(),
    "a field, 16": Target("Field", {"D": 16, "tilt": 0}, {f"x[{i}]": (0, None) for i in (1, 8)}),
    "wells, 8": wells(8, 0.4),
    "4 d, 97 %, 6.5 sds, from the other": normals((0.03, 1, [0, 0, 0, 0]), (0.97, 1, [0, 0, 4.6, 4.6])),
    "2 d, three in a row": normals((0.5, 1, [-6, 0]), (0.2, 1, [0, 0]), (0.3, 1, [6, 0])),
    "2 d, four corners": normals((0.4, 0.5, [-3, -3]), (0.3, 0.5, [-3, 3]), (0.2, 0.5, [3, -3]), (0.1, 0.5, [3, 3])),
    "Student's t, two": students(),
    "two lines": lines(),
    "a ring around a blob": Target("Blob", {}, {name: (0, math.sqrt(0.7 * 8.02 + 0.3 * 0.25)) for name in ("x", "y")}),
    "two bananas": Target("Bananas", {}, {"x": (2.1, math.sqrt(1 + 0.65 * 0.35 * 36)), "y": (-0.75, None)}),
    "a hidden unit": hidden(),
    "one of two times": rates,
    "a frequency and its alias": alias,
    "known shares": known_shares,
    "two rates that flip": flip_flop,
    "two half moons": in_a_plane("Moons", moons, (-4, 4)),
    "Himmelblau's function": in_a_plane("Himmelblau",
                                        lambda x, y: -0.1 * ((x * x + y - 11) ** 2 + (x + y * y - 7) ** 2), (-6, 6)),
    "an egg crate": in_a_plane("EggCrate", lambda x, y: 5 * math.log(2 + math.cos(x / 2) * math.cos(y / 2)) + 0.03 * x,
                               (0, 31.41592654)),
    "10 d, ten modes": normals(*spread(10, 10, 1, 14)),
    "30 d, ten modes": normals(*spread(10, 30, 1, 17)),
    "10 d, ten Student's t": students_in(10),
    "30 d, ten Student's t": students_in(30),
    "2 d, 20 modes": normals(*((1 / 20, 0.1, m) for m in TWENTY)),
    "2 d, 40 modes": normals(*spread(40, 2, 1.3, 15)),
    "double wells, 4": double_wells(4),
    "double wells, 16": double_wells(16),
    "Rastrigin's function, 2": rastrigin(2),
    "Rastrigin's function, 8": rastrigin(8),
    "two shells, 5": Target("Shells", {}, {"x[1]": (-1.4, None), "x[2]": (0, None)}),
}

def header_of(model):
    return next(header for header in HEADERS if f"struct {model} " in header.read_text())


NAMED = ("Missed modes", "Several modes", "Weighed modes", "Exchangeable labels", "Drift")


def wrong(target, parameters):
    for name, (mean, sd) in target.exact.items():
        said = parameters[name]
        # Means that rest on a symmetry are known to 0.5.
        beyond = 0.5 if sd is None and target.model in ("Labels", "Decays") else 0
        if abs(said["mean"] - mean) > 4 * said["mcse_mean"] + beyond + 1e-6:
            return f"{name} {said['mean']:.3g}, not {mean:.3g}"
        if sd is not None and abs(said["sd"] - sd) > 4 * said["mcse_sd"] + 0.01 * sd:
            return f"{name} +- {said['sd']:.3g}, not {sd:.3g}"
    for a, b in ((parameters[a], parameters[b]) for a, b in target.equal):
        if abs(a["mean"] - b["mean"]) > 4 * (a["mcse_mean"] + b["mcse_mean"]):
            return f"{a['mean']:.3g} and {b['mean']:.3g}, which are equal"
    return ""


def share_of(notes):
    shares = [(float(a), float(b)) for a, b in re.findall(r"([\d.e-]+) \+- ([\d.e-]+) % of", " ".join(notes))]
    return max(shares) if len(shares) == 2 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manychain")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--filter", default="")
    parser.add_argument("--sampler", default="hmc")
    parser.add_argument("--annealed", action="store_true")
    parser.add_argument("--said", action="store_true")
    parser.add_argument("--programs", help="a folder that has or will have the compiled targets")
    args = parser.parse_args()
    print(f"{'target':46}{'wrong':>6}{'right':>6}{'named':>6}{'other':>6}" + (f"{'shares':>8}" if args.annealed else "") +
          f"{'seconds':>9}")
    totals = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(args.programs or temporary)
        for name, target in TARGETS.items():
            if not re.search(args.filter, name):
                continue
            target = target() if callable(target) else target
            program = folder / (target.model if args.sampler == "hmc" else f"{target.model}-{args.sampler}")
            if not program.exists():
                subprocess.run([args.manychain, "build", header_of(target.model), "--class", target.model, "-o", program, "--no-cuda",
                                "--sampler", args.sampler],
                               check=True, capture_output=True)
            data = Path(temporary) / "data.json"
            data.write_text(json.dumps(target.data))
            counts, seconds, of_shares, good_shares = [0, 0, 0, 0], 0, 0, 0
            for seed in range(1, args.seeds + 1):
                command = [program, "sample", "--seed", str(seed), "--output", "none", "--json", "-", "--sampler", args.sampler]
                command += ["--data", data] if target.data else []
                command += ["--starts", "annealed"] if args.annealed else []
                begin = time.monotonic()
                done = subprocess.run(command, capture_output=True, text=True)
                seconds += time.monotonic() - begin
                if not done.stdout:
                    raise SystemExit(f"{name}: {done.stderr}")
                said = json.loads(done.stdout)
                fault = wrong(target, said["parameters"])
                texts = said["problems"] + said["notes"]
                column = (0 if fault else 1) if not said["problems"] else 2 if any(
                    text.startswith(NAMED) for text in texts) else 3
                counts[column] += 1
                totals[column] += 1
                share = share_of(said["notes"])
                if share and target.share:
                    of_shares += 1
                    good_shares += abs(share[0] - 100 * target.share) < 4 * share[1]
                if args.said:
                    print(f"  {seed}: {said['draws']} draws; {fault}; {(texts or [''])[0][:200]}; {said['modes']}")
            print(f"{name:46}" + "".join(f"{n:6}" for n in counts) +
                  (f"{good_shares:5}/{of_shares:<2}" if args.annealed else "") +
                  f"{seconds / args.seeds:9.2f}", flush=True)
    print(f"\n{'all':46}" + "".join(f"{n:6}" for n in totals))


if __name__ == "__main__":
    main()
