#!/usr/bin/env python3
"""Counts how often default settings converge on each posterior of examples/posteriors, and how far answers are from references.

    bench/posteriors/seeds.py MANYCHAIN [--seeds N] [--first N] [--filter REGEX] [OPTION...]

Each seed is a run of `manychain sample` of the header, as a user starts it; OPTIONs are those of that command.

plain, warned, not: seeds whose verdict is "Converged", "Converged, with warnings" and "NOT converged"; a run that fails is
one of the last. z: root mean squares over quantities and seeds of the errors of means and of sds, in units of both MCSEs;
near 1 where the answer is right. The MCSE of a reference's sd is that of normal draws, which is too small where tails are
heavy. errors: the largest of a mean in sds of the reference, and of an sd. Gradients: of a chain, warm-up included, and
seconds: those of the processor, of all threads of a process, the header compiled before; medians. A row ends with the
quantity of the largest |z| in a plain run, where that is above 4. Below the table: what the verdicts say, and how often."""

import argparse
import collections
import json
import math
import pathlib
import re
import resource
import statistics
import subprocess

from table import EXAMPLES, HEADERS

DATA = EXAMPLES / "data"
# Posteriors that share the data of another, by the beginning of their names; others have a file of their own name.
SHARED = {
    "earnings": "earnings-logearn_height",
    "kidiq-": "kidiq-kidscore_interaction",
    "kidiq_with_mom_work": "kidiq_with_mom_work",
    "mesquite": "mesquite-logmesquite",
    "eight_schools": "eight_schools-eight_schools_noncentered",
    "german_credit_numeric": "german_credit_numeric",
}
REFERENCES = {"eight_schools-eight_schools_centered": "eight_schools-eight_schools_noncentered"}


def data_of(posterior):
    """Its file of data."""
    shared = [file for start, file in SHARED.items() if posterior.startswith(start)]
    return DATA / f"{(shared or [posterior])[0]}.json"


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(program, posterior, seed, options):
    """The JSON of `manychain sample`, and the seconds of the processor that it took."""
    before = processor_seconds()
    done = subprocess.run([program, "sample", EXAMPLES / f"{HEADERS[posterior]}.hpp", "--data", data_of(posterior), "--seed",
                           str(seed), "--output", "none", "--json", "-", *options], capture_output=True, text=True)
    seconds = processor_seconds() - before
    if not done.stdout.startswith("{"):
        return {"error": done.stderr.strip().split("\n")[-1], "seconds": seconds}
    return {**json.loads(done.stdout), "seconds": seconds}


def compared(of, reference):
    """Errors of a run by quantity: of the mean in both MCSEs and in sds, of the sd in both MCSEs and relative."""
    errors = {}
    for name, truth in reference.items():
        found = {key: math.nan if value is None else value for key, value in of["parameters"][name].items()}
        mean, sd = found["mean"] - truth["mean"], found["sd"] - truth["sd"]
        mcse_sd = math.hypot(found["mcse_sd"], truth["mcse_mean"] / math.sqrt(2))
        errors[name] = (mean / math.hypot(found["mcse_mean"], truth["mcse_mean"]), mean / truth["sd"], sd / mcse_sd,
                        sd / truth["sd"])
    return errors


def root_mean_square(values):
    """NaN if a number is not finite, or there are none."""
    return math.sqrt(statistics.fmean(value * value for value in values)) if values else math.nan


def largest(values):
    values = [abs(value) for value in values]
    return math.nan if not values or any(map(math.isnan, values)) else max(values)


def of_posterior(runs, reference):
    """The row of a posterior, what was said of its runs, and the largest |z| of the plain ones with its quantity."""
    ended = [run for run in runs if "error" not in run]
    errors = [compared(run, reference) for run in ended]
    converged = [run for run in ended if run["converged"]]
    plain = sum(not run["warnings"] for run in converged)
    mean_z, mean_error, sd_z, sd_error = zip(*(of for run in errors for of in run.values())) if errors else [()] * 4
    gradients = statistics.median(run["gradients"] / run["chains"] for run in ended) if ended else math.nan
    row = (f"{plain:7}{len(converged) - plain:8}{len(runs) - len(converged):5}{root_mean_square(mean_z):8.2f}"
           f"{root_mean_square(sd_z):7.2f}{largest(mean_error):9.3f}{100 * largest(sd_error):7.1f}%{gradients:11.0f}"
           f"{statistics.median(run['seconds'] for run in runs):9.2f}")
    said = collections.Counter()
    for of in runs:
        said.update([of["error"]] if "error" in of else of["problems"] + of["warnings"])
    worst = [max((max(abs(of[0]), abs(of[2])), name) for name, of in errors_of.items())
             for run, errors_of in zip(ended, errors) if run["converged"] and not run["warnings"]]
    return row, said, max(worst, default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="MANYCHAIN")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--filter", default="")
    args, options = parser.parse_known_args()
    print(f"{'posterior':60}{'plain':>7}{'warned':>8}{'not':>5}{'z mean':>8}{'z sd':>7}{'mean err':>9}{'sd err':>8}"
          f"{'gradients':>11}{'seconds':>9}")
    said_of = {}
    for posterior in HEADERS:
        if not re.search(args.filter, posterior):
            continue
        run(args.program, posterior, args.first, [*options, "--warmup", "2", "--draws", "2"])  # compiles the header
        runs = [run(args.program, posterior, seed, options) for seed in range(args.first, args.first + args.seeds)]
        reference = json.loads((DATA / f"{REFERENCES.get(posterior, posterior)}.reference.json").read_text())
        row, said_of[posterior], worst = of_posterior(runs, reference)
        print(f"{posterior:60}{row}" + (f"  ({worst[1]} {worst[0]:.1f})" if worst and worst[0] > 4 else ""), flush=True)
    for posterior, said in said_of.items():
        for text, times in said.most_common():
            print(f"\n{posterior}, {times} times: {text}", end="")
    print()


if __name__ == "__main__":
    main()
