#!/usr/bin/env python3
"""The posteriors of examples/posteriors in one table: time to compile the header, gradients and effective draws a second,
and how far means and sds are from the references, in double; and whether single precision does as well.

    bench/posteriors/table.py MANYCHAIN MANYCHAIN_POSTERIORS [OPTION...]

OPTIONs are those of manychain_posteriors; --filter also chooses what is compiled. The last line says whether all hold.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples" / "posteriors"
HEADERS = {
    "earnings-logearn_height": "logearn_height",
    "kidiq-kidscore_interaction": "kidscore_interaction",
    "mesquite-logmesquite": "logmesquite",
    "nes1972-nes": "nes",
    "diamonds-diamonds": "diamonds",
    "sblrc-blr": "linear_regression",
    "sblri-blr": "linear_regression",
    "arK-arK": "ar_k",
    "eight_schools-eight_schools_noncentered": "eight_schools",
    "garch-garch11": "garch",
    "hmm_example-hmm_example": "hmm_example",
    "low_dim_gauss_mix-low_dim_gauss_mix": "gauss_mix",
    "gp_pois_regr-gp_regr": "gp_regr",
    "german_credit_numeric_logistic_regression": "german_credit",
    "german_credit_numeric_sparse_logistic_regression": "german_credit_sparse",
    "brownian_motion_unknown_scales_missing_middle_observations": "brownian_motion",
    "synthetic_item_response_theory": "item_response",
    "stochastic_volatility_sp500": "stochastic_volatility",
}
MOST_Z, MOST_SD, MOST_RHAT = 5, 0.05, 1.01


def compile_seconds(manychain, header, folder):
    """Of `manychain build`, with nothing kept from before."""
    start = time.monotonic()
    subprocess.run([manychain, "build", EXAMPLES / f"{header}.hpp", "-o", folder / header, "--precision", "double",
                    "--no-cuda", "--cache", folder / f"{header}.cache"], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def runs(program, precision, options, folder):
    """{name: what it came to}, of one run of each posterior."""
    file = folder / f"{precision}.json"
    subprocess.run([program, "--seeds", "1", "--chains", "256", "--target-ess", "4000", "--draws", "10000", "--precision",
                    precision, "--json", file, *options], check=True, stdout=subprocess.DEVNULL)
    return {p["name"]: p["runs"][0] for p in json.loads(file.read_text())["posteriors"]}


def holds(run):
    """Rules of the issue's table: nested R-hat is part of `converged`."""
    return ("error" not in run and run["worst_nested_rhat"] < MOST_RHAT and run["worst_mean"]["errors"] < MOST_Z
            and run["worst_sd"]["relative"] < MOST_SD)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    manychain, program, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chosen = subprocess.run([program, "--list", *options], check=True, capture_output=True, text=True).stdout.split()
        chosen = [posterior for posterior in HEADERS if posterior in chosen]
        if not any(word.startswith("--filter") for word in options):
            options = options + ["--filter", "^(" + "|".join(chosen) + ")$"]
        compiled = {header: compile_seconds(manychain, header, folder) for header in {HEADERS[p] for p in chosen}}
        double, single = runs(program, "double", options, folder), runs(program, "single", options, folder)
    print(f"{'posterior':60}{'compile s':>10}{'gradients/s':>13}{'ESS/s':>10}{'R-hat':>8}{'worst z':>9}{'worst sd':>10}"
          f"{'seconds':>9}  single")
    wrong = []
    for posterior in chosen:
        run = double[posterior]
        if "error" in run:
            print(f"{posterior:60}{run['error']}")
            wrong.append(posterior)
            continue
        print(f"{posterior:60}{compiled[HEADERS[posterior]]:10.1f}{run['gradients_per_second']:13.3g}"
              f"{run['min_ess_bulk'] / run['seconds']:10.3g}{run['worst_nested_rhat']:8.4f}"
              f"{run['worst_mean']['errors']:9.2f}{100 * run['worst_sd']['relative']:9.1f}%{run['seconds']:9.2f}"
              f"  {'as well' if holds(single[posterior]) else 'NOT'}")
        if not holds(run):
            wrong.append(posterior)
    print(f"\nIn double, 256 chains, every bulk and tail ESS 4000 or more. Asked: |z| < {MOST_Z} of every mean, sds within "
          f"{100 * MOST_SD:.0f} %, nested R-hat < {MOST_RHAT}.")
    print("Single precision does as well on " + ", ".join(p for p in chosen if holds(single[p])) + ".")
    not_single = [p for p in chosen if not holds(single[p])]
    if not_single:
        print("Not on " + ", ".join(not_single) + ".")
    if wrong:
        sys.exit("Not as asked: " + ", ".join(wrong))
    print("All as asked.")


main()
