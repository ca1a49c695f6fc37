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
    "earnings-log10earn_height": "log10earn_height",
    "earnings-logearn_height_male": "logearn_height_male",
    "earnings-logearn_logheight_male": "logearn_logheight_male",
    "earnings-logearn_interaction_z": "logearn_interaction_z",
    "kidiq-kidscore_interaction": "kidscore_interaction",
    "kidiq-kidscore_momhs": "kidscore_momhs",
    "kidiq-kidscore_momiq": "kidscore_momiq",
    "kidiq-kidscore_momhsiq": "kidscore_momhsiq",
    "kidiq_with_mom_work-kidscore_interaction_c": "kidscore_interaction_c",
    "kidiq_with_mom_work-kidscore_interaction_z": "kidscore_interaction_z",
    "mesquite-logmesquite": "logmesquite",
    "mesquite-logmesquite_logvolume": "logmesquite_logvolume",
    "mesquite-logmesquite_logva": "logmesquite_logva",
    "mesquite-logmesquite_logvash": "logmesquite_logvash",
    "nes1972-nes": "nes",
    "nes1976-nes": "nes",
    "nes1984-nes": "nes",
    "nes1992-nes": "nes",
    "nes1996-nes": "nes",
    "diamonds-diamonds": "diamonds",
    "sblrc-blr": "linear_regression",
    "sblri-blr": "linear_regression",
    "arK-arK": "ar_k",
    "eight_schools-eight_schools_noncentered": "eight_schools",
    "eight_schools-eight_schools_centered": "eight_schools_centered",
    "garch-garch11": "garch",
    "hmm_example-hmm_example": "hmm_example",
    "low_dim_gauss_mix-low_dim_gauss_mix": "gauss_mix",
    "gp_pois_regr-gp_regr": "gp_regr",
    "mcycle_gp-accel_gp": "accel_gp",
    "german_credit_numeric_logistic_regression": "german_credit",
    "german_credit_numeric_sparse_logistic_regression": "german_credit_sparse",
    "brownian_motion_unknown_scales_missing_middle_observations": "brownian_motion",
    "synthetic_item_response_theory": "item_response",
    "stochastic_volatility_sp500": "stochastic_volatility",
}
OPTIONS = ["--seeds", "1", "--chains", "256", "--target-ess", "4000", "--draws", "10000"]
# The sd of 501 parameters within 5 % each asks for more draws; 4 800 outputs of 10 000 draws would be 103 GB.
OPTIONS_OF = {
    "synthetic_item_response_theory": ["--target-ess", "12000"],
    "stochastic_volatility_sp500": ["--draws", "300"],
}
MOST_Z, MOST_SD, MOST_RHAT = 5, 0.05, 1.01


def compile_seconds(manychain, header, folder):
    """Of `manychain build`, with nothing kept from before."""
    start = time.monotonic()
    subprocess.run([manychain, "build", EXAMPLES / f"{header}.hpp", "-o", folder / header, "--precision", "double",
                    "--no-cuda", "--cache", folder / f"{header}.cache"], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def names(program, options):
    """The posteriors that --filter chooses."""
    return subprocess.run([program, "--list", *options], check=True, capture_output=True, text=True).stdout.split()


def runs(program, posterior, options):
    """What the runs of a posterior came to, one for each seed."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "runs.json"
        subprocess.run([program, *options, "--json", file, "--filter", f"^{posterior}$"], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(file.read_text())["posteriors"][0]["runs"]


def run(program, posterior, precision, options):
    """What one run in a precision came to."""
    given = [*OPTIONS, *OPTIONS_OF.get(posterior, []), "--precision", precision, *options]
    return runs(program, posterior, given)[0]


def holds(of):
    """Whether a run converged, and found what the reference says."""
    return ("error" not in of and of["worst_nested_rhat"] < MOST_RHAT and of["worst_mean"]["errors"] < MOST_Z
            and of["worst_sd"]["relative"] < MOST_SD)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    manychain, program, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chosen = set(names(program, options))
        chosen = [posterior for posterior in HEADERS if posterior in chosen]
        compiled = {header: compile_seconds(manychain, header, folder) for header in {HEADERS[p] for p in chosen}}
    double, single = ({p: run(program, p, precision, options) for p in chosen} for precision in ("double", "single"))
    print(f"{'posterior':60}{'compile s':>10}{'gradients/s':>13}{'ESS/s':>10}{'R-hat':>8}{'worst z':>9}{'worst sd':>10}"
          f"{'seconds':>9}  single")
    wrong = []
    for posterior in chosen:
        of = double[posterior]
        if "error" in of:
            print(f"{posterior:60}{of['error']}")
            wrong.append(posterior)
            continue
        print(f"{posterior:60}{compiled[HEADERS[posterior]]:10.1f}{of['gradients_per_second']:13.3g}"
              f"{of['min_ess_bulk'] / of['seconds']:10.3g}{of['worst_nested_rhat']:8.4f}"
              f"{of['worst_mean']['errors']:9.2f}{100 * of['worst_sd']['relative']:9.1f}%{of['seconds']:9.2f}"
              f"  {'as well' if holds(single[posterior]) else 'NOT'}")
        if not holds(of):
            wrong.append(posterior)
    print(f"\nIn double, 256 chains, every bulk and tail ESS 4000 or more (item response 12 000). Asked: |z| < {MOST_Z} of "
          f"every mean, sds within {100 * MOST_SD:.0f} %, nested R-hat < {MOST_RHAT}.")
    print("Single precision does as well on " + ", ".join(p for p in chosen if holds(single[p])) + ".")
    not_single = [p for p in chosen if not holds(single[p])]
    if not_single:
        print("Not on " + ", ".join(not_single) + ".")
    if wrong:
        sys.exit("Not as asked: " + ", ".join(wrong))
    print("All as asked.")


if __name__ == "__main__":
    main()
