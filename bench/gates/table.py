#!/usr/bin/env python3
"""Posteriors of posteriordb by the usual gates: rank R-hat at most 1.01, bulk and tail ESS at least 400 for every
quantity, and no divergence, all by ArviZ from the file of draws. 16 chains of 1000 draws, warm-up as by default.

    bench/gates/table.py build/bin/manychain [--seeds N] [--chains N] [--draws N] [--filter REGEX] [--sampling OPTION ...]

The 17 posteriors of oWALNUTS' study posteriordb_bench_v5 (github.com/dhruv575/oWALNUTS), which has what CmdStan, nutpie
and oWALNUTS pass with four chains of 1000 draws after 1000: cells of three seeds each, in the columns oW, CS and np.
Two have simulated data (simulate.py), for those of posteriordb are not in the project; the columns are on posteriordb's.

A row a posterior; of R-hat the largest, of ESS the smallest over quantities and seeds. Plain, warned, not: seeds whose
verdict is "Converged", "Converged, with warnings", "NOT converged". Gradients: of a chain, warm-up included; seconds: of
a process, the header compiled before. Medians. Needs arviz and netCDF4.
"""
import argparse
import json
import re
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

warnings.simplefilter("ignore", FutureWarning)
import arviz  # noqa: E402
import xarray

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, OWN = ROOT / "examples" / "posteriors", ROOT / "bench" / "gates"

# Name: header, data, seeds that pass with oWALNUTS, CmdStan and nutpie.
POSTERIORS = {
    "eight_schools-eight_schools_noncentered": ("eight_schools", "eight_schools-eight_schools_noncentered", (3, 3, 0)),
    "eight_schools-eight_schools_centered":
        ("eight_schools_centered", "eight_schools-eight_schools_noncentered", (0, 0, 0)),
    "diamonds-diamonds": ("diamonds", "diamonds-diamonds", (3, 3, 0)),
    "earnings-logearn_interaction": ("logearn_interaction", "earnings-logearn_height", (3, 3, 3)),
    "mesquite-logmesquite_logvash": ("logmesquite_logvash", "mesquite-logmesquite", (3, 3, 3)),
    "kidiq-kidscore_momhsiq": ("kidscore_momhsiq", "kidiq-kidscore_interaction", (3, 3, 3)),
    "sblrc-blr": ("linear_regression", "sblrc-blr", (3, 2, 3)),
    "nes2000-nes": ("nes", "nes2000-nes", (3, 3, 3)),
    "arK-arK": ("ar_k", "arK-arK", (3, 3, 3)),
    "arma-arma11": ("arma11", "arma-arma11", (3, 1, 1)),
    "garch-garch11": ("garch", "garch-garch11", (3, 3, 3)),
    "gp_pois_regr-gp_pois_regr": ("gp_pois_regr", "gp_pois_regr-gp_regr", (3, 0, 0)),
    "hmm_example-hmm_example": ("hmm_example", "hmm_example-hmm_example", (3, 3, 3)),
    "hmm_drive_0, simulated data": ("hmm_drive_0", "hmm_drive_0.simulated", (2, 2, 3)),
    "one_comp_mm_elim_abs, simulated data": ("one_comp_mm_elim_abs", "one_comp_mm_elim_abs.simulated", (1, 1, 0)),
    "hudson_lynx_hare-lotka_volterra": ("09_lotka_volterra", "hudson_lynx_hare-lotka_volterra", (3, 3, 0)),
    "mcycle_gp-accel_gp": ("accel_gp", "mcycle_gp-accel_gp", (0, 0, 0)),
}


def found(name, *folders):
    """The file of that name in the first folder that has one."""
    return next(folder / name for folder in folders if (folder / name).exists())


def run(program, seed, args):
    with tempfile.TemporaryDirectory() as folder:
        draws = Path(folder) / "draws.nc"
        start = time.monotonic()
        process = subprocess.run([*program, "--seed", str(seed), "--chains", str(args.chains), "--draws", str(args.draws),
                                  "--output", draws, "--json", Path(folder) / "run.json", *args.sampling],
                                 capture_output=True, text=True)
        seconds = time.monotonic() - start
        if not draws.exists():
            raise SystemExit(process.stdout + process.stderr)
        said = json.loads((Path(folder) / "run.json").read_text())
        posterior = xarray.load_dataset(draws, group="posterior")
        divergences = int(xarray.load_dataset(draws, group="sample_stats")["diverging"].sum())

    def extreme(statistic, of):
        return of(float(of(values.values.ravel())) for values in statistic.data_vars.values())
    rhat = extreme(arviz.rhat(posterior, method="rank"), max)
    bulk = extreme(arviz.ess(posterior, method="bulk"), min)
    tail = extreme(arviz.ess(posterior, method="tail"), min)
    return {"passes": rhat <= 1.01 and bulk >= 400 and tail >= 400 and divergences == 0, "rhat": rhat, "bulk": bulk,
            "tail": tail, "divergences": divergences, "seconds": seconds, "said": said}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manychain")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--chains", type=int, default=16)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--filter", default="")
    parser.add_argument("--sampling", nargs=argparse.REMAINDER, default=[], help="further options of manychain sample")
    args = parser.parse_args()
    print(f"{'posterior':42}{'pass':>7}{'oW':>4}{'CS':>4}{'np':>4}{'R-hat':>8}{'bulk':>8}{'tail':>8}{'diverg.':>8}"
          f"{'plain':>6}{'warned':>7}{'not':>4}{'gradients':>10}{'seconds':>8}")
    cells = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (header, data, others) in POSTERIORS.items():
            if not re.search(args.filter, name):
                continue
            program = Path(folder) / header
            subprocess.run([args.manychain, "build", found(f"{header}.hpp", OWN / "models", EXAMPLES, ROOT / "examples"),
                            "-o", program, "--no-cuda"], check=True, capture_output=True)
            data = found(f"{data}.json", OWN / "data", EXAMPLES / "data")
            runs = [run([program, "sample", "--data", data], seed, args) for seed in range(1, args.seeds + 1)]
            cells += len(runs)
            passed += sum(run["passes"] for run in runs)
            plain = sum(not run["said"]["problems"] and not run["said"]["warnings"] for run in runs)
            not_converged = sum(bool(run["said"]["problems"]) for run in runs)
            print(f"{name:42}{sum(run['passes'] for run in runs):4}/{len(runs):<2}" + "".join(f"{n:4}" for n in others) +
                  f"{max(run['rhat'] for run in runs):8.4f}{min(run['bulk'] for run in runs):8.0f}"
                  f"{min(run['tail'] for run in runs):8.0f}{sum(run['divergences'] for run in runs):8}{plain:6}"
                  f"{len(runs) - plain - not_converged:7}{not_converged:4}"
                  f"{statistics.median(run['said']['gradients'] / args.chains for run in runs):10.0f}"
                  f"{statistics.median(run['seconds'] for run in runs):8.2f}", flush=True)
    print(f"\n{passed} of {cells}")


if __name__ == "__main__":
    main()
