#!/usr/bin/env python3
"""What splitting integrators of Hamilton's equations are worth on normal posteriors, exactly: acceptance rate per gradient,
relative to the leapfrog at a rate of 0.88.

  bench/integrators.py [--dimensions 10,20,50,100,200,1000]

On a normal with frequency w (one over the standard deviation in the coordinates of the metric) a step is a 2 x 2 matrix;
n steps are its power P, whose expected error of the energy is (|P|_F^2 - 2) / 2. Summed over dimensions to mu, the
acceptance rate is erfc(sqrt(mu) / 2) (Neal 2011, section 5.4.4). Trajectories have lengths 0.28, 0.56, ..., 2.8, as jitter
makes them. `even`: all frequencies one; `spread`: ten, from 1 to sqrt(10). Standard library only."""

import argparse
import math

NORM, GAUSS = 0.1931833275037836, 0.21178
THREE_B, THREE_A = 0.11888010966548, 0.29619504261126
FOUR_B, FOUR_A, FOUR_MIDDLE = 0.071353913450279725904, 0.191667800000000000000, 0.268548791161230105820

# Kicks and drifts in turn, a kick first (Blanes, Casas and Sanz-Serna 2014, section 3).
INTEGRATORS = {
    "leapfrog": [0.5, 1, 0.5],
    "two_stage": [NORM, 0.5, 1 - 2 * NORM, 0.5, NORM],
    "two_stage, for normals": [GAUSS, 0.5, 1 - 2 * GAUSS, 0.5, GAUSS],
    "three stages": [THREE_B, THREE_A, 0.5 - THREE_B, 1 - 2 * THREE_A, 0.5 - THREE_B, THREE_A, THREE_B],
    "four stages": [FOUR_B, FOUR_A, FOUR_MIDDLE, 0.5 - FOUR_A, 1 - 2 * FOUR_B - 2 * FOUR_MIDDLE, 0.5 - FOUR_A, FOUR_MIDDLE,
                    FOUR_A, FOUR_B],
}
RATES = [0.65, 0.8, 0.88, 0.93]
LENGTHS = [0.28 * j for j in range(1, 11)]


def product(a, b):
    return (a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3])


def power(a, n):
    result = (1, 0, 0, 1)
    while n:
        if n & 1:
            result = product(a, result)
        a, n = product(a, a), n >> 1
    return result


def step(parts, h):
    m = (1, 0, 0, 1)
    for k, c in enumerate(parts):
        m = product((1, 0, -c * h, 1) if k % 2 == 0 else (1, c * h, 0, 1), m)
    return m


def acceptance_and_gradients(parts, h, frequencies):
    """Means over the trajectories. None where the integrator is unstable."""
    steps = [(step(parts, h * w), weight) for w, weight in frequencies]
    if any(abs(m[0] + m[3]) >= 2 for m, _ in steps):
        return None
    acceptance = gradients = 0
    for length in LENGTHS:
        n = max(1, math.ceil(length / h))
        mu = sum(weight * (sum(x * x for x in power(m, n)) - 2) / 2 for m, weight in steps)
        acceptance += math.erfc(math.sqrt(max(mu, 0)) / 2) / len(LENGTHS)
        gradients += n * (len(parts) // 2) / len(LENGTHS)
    return acceptance, gradients


def efficiencies(parts, frequencies):
    """At the longest steps below which every shorter one has that acceptance rate, too."""
    found, h = {}, 0.05
    while h < 4:
        both = acceptance_and_gradients(parts, h, frequencies)
        for rate in RATES:
            if both and both[0] >= rate and not found.get((rate, "ended")):
                found[rate] = both[0] / both[1]
            elif rate in found:
                found[rate, "ended"] = True
        h *= 1.03
    return [found.get(rate, math.nan) for rate in RATES]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", default="10,20,50,100,200,1000")
    dimensions = [int(word) for word in parser.parse_args().dimensions.split(",")]
    print(f"{'dimensions':10} {'':7} {'':24}" + "".join(f"{rate:>8}" for rate in RATES))
    for d in dimensions:
        spectra = {"even": [(1.0, d)], "spread": [(10 ** (k / 18), d / 10) for k in range(10)]}
        for name, frequencies in spectra.items():
            unit = efficiencies(INTEGRATORS["leapfrog"], frequencies)[RATES.index(0.88)]
            for integrator, parts in INTEGRATORS.items():
                cells = "".join(f"{x / unit:8.2f}" for x in efficiencies(parts, frequencies))
                print(f"{d:<10} {name:7} {integrator:24}{cells}")


if __name__ == "__main__":
    main()
