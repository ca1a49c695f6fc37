#!/usr/bin/env python3
"""How often default settings converge on each posterior of bench/posteriors, and how far the answers are from the references.

    bench/posteriors/seeds.py MANYCHAIN_POSTERIORS [OPTION...]

OPTIONs are those of manychain_posteriors: --seeds 20, --seed 1 and --filter REGEX, and settings.

plain, warned, not: seeds whose verdict is "Converged", "Converged, with warnings" and "NOT converged"; a run that fails is
one of the last. z: root mean squares over quantities and seeds of the errors of means and of sds, in units of both MCSEs;
near 1 where the answer is right. The MCSE of a reference's sd is that of normal draws, which is too small where tails are
heavy. errors: the largest of a mean in sds of the reference, and of an sd. Gradients: of a chain, warm-up included, and
seconds: of a process; medians. Below the table: what the verdicts say, and how often."""

import collections
import math
import statistics
import sys

from table import names, runs


def root_mean_square(values):
    """Of numbers; NaN if one is not finite (null in the file), or there are none."""
    values = [math.nan if value is None else value for value in values]
    return math.sqrt(statistics.fmean(value * value for value in values)) if values else math.nan


def largest(values):
    values = [math.nan if value is None else abs(value) for value in values]
    return math.nan if not values or any(map(math.isnan, values)) else max(values)


def of_posterior(of):
    """The row of a posterior, and what was said of its runs."""
    ended = [run for run in of if "error" not in run]
    converged = [run for run in ended if not run["problems"]]
    plain = sum(not run["warnings"] for run in converged)
    quantities = [quantity for run in ended for quantity in run["quantities"].values()]
    mean_z, mean_error, sd_z, sd_error = ([quantity[key] for quantity in quantities]
                                          for key in ("mean_z", "mean_error", "sd_z", "sd_error"))
    gradients = statistics.median(run["gradients_per_chain"] for run in ended) if ended else math.nan
    row = (f"{plain:7}{len(converged) - plain:8}{len(of) - len(converged):5}{root_mean_square(mean_z):8.2f}"
           f"{root_mean_square(sd_z):7.2f}{largest(mean_error):9.3f}{100 * largest(sd_error):7.1f}%{gradients:11.0f}"
           f"{statistics.median(run['seconds'] for run in of):9.2f}")
    said = collections.Counter()
    for run in of:
        said.update([run["error"]] if "error" in run else run["problems"] + run["warnings"])
    return row, said


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    program, options = sys.argv[1], sys.argv[2:]
    print(f"{'posterior':60}{'plain':>7}{'warned':>8}{'not':>5}{'z mean':>8}{'z sd':>7}{'mean err':>9}{'sd err':>8}"
          f"{'gradients':>11}{'seconds':>9}")
    said_of = {}
    for posterior in names(program, options):
        row, said_of[posterior] = of_posterior(runs(program, posterior, options))
        print(f"{posterior:60}{row}", flush=True)
    for posterior, said in said_of.items():
        for text, times in said.most_common():
            print(f"\n{posterior}, {times} times: {text}", end="")
    print()


if __name__ == "__main__":
    main()
