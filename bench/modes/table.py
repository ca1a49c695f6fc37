#!/usr/bin/env python3
"""Posteriors of two or more modes, and what runs at the defaults and runs with --starts annealed say of them.

    bench/modes/table.py build/bin/manychain [--seeds N] [--filter REGEX] [--annealed] [--said]

A row a target; columns count seeds. wrong: the run is called converged, with warnings or without, and a mean or a standard
deviation is beyond four of its errors. right: converged, and none is. named: not converged, and the verdict names modes
(missed modes, several modes, weighed modes, exchangeable labels). other: not converged for another reason. shares: with --annealed, of the runs
that name two modes and whose share is known, those whose share is within four standard errors. --said prints the first
problem of each run. Standard library only.
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

HEADER = Path(__file__).resolve().parent / "models.hpp"


class Target:
    """`exact`: parameter, its mean and standard deviation (None: unknown); `share`: of the largest mode, or None."""

    def __init__(self, model, data, exact, share=None):
        self.model, self.data, self.exact, self.share = model, data, exact, share


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


def grid_of_25():
    random_numbers = random.Random(13)
    weights = [random_numbers.uniform(0.2, 1) for _ in range(25)]
    total = sum(weights)
    return normals(*((w / total, 0.3, [6 * (k % 5) - 12, 6 * (k // 5) - 12]) for k, w in enumerate(weights)))


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
}

NAMED = ("Missed modes", "Several modes", "Weighed modes", "Exchangeable labels")


def wrong(target, parameters):
    for name, (mean, sd) in target.exact.items():
        said = parameters[name]
        # Means that rest on a symmetry are known to 0.5.
        beyond = 0.5 if sd is None and target.model in ("Labels", "Decays") else 0
        if abs(said["mean"] - mean) > 4 * said["mcse_mean"] + beyond + 1e-6:
            return f"{name} {said['mean']:.3g}, not {mean:.3g}"
        if sd is not None and abs(said["sd"] - sd) > 4 * said["mcse_sd"] + 0.01 * sd:
            return f"{name} +- {said['sd']:.3g}, not {sd:.3g}"
    return ""


def share_of(notes):
    shares = [(float(a), float(b)) for a, b in re.findall(r"([\d.e-]+) \+- ([\d.e-]+) % of", " ".join(notes))]
    return max(shares) if len(shares) == 2 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manychain")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--filter", default="")
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
            program = folder / target.model
            if not program.exists():
                subprocess.run([args.manychain, "build", HEADER, "--class", target.model, "-o", program, "--no-cuda"],
                               check=True, capture_output=True)
            data = Path(temporary) / "data.json"
            data.write_text(json.dumps(target.data))
            counts, seconds, of_shares, good_shares = [0, 0, 0, 0], 0, 0, 0
            for seed in range(1, args.seeds + 1):
                command = [program, "sample", "--seed", str(seed), "--output", "none", "--json", "-"]
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
