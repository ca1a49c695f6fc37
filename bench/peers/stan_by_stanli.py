#!/usr/bin/env python3
"""Stan programs by stanli, and the headers of the same densities, on the posteriors of posteriordb, against their references.

    PYTHONPATH=python python3 bench/peers/stan_by_stanli.py [--seed N] [--filter TEXT] [--seconds S] [--without-headers] [--compiled FOLDER]

With --compiled the first of them also run as libraries of machine code with BridgeStan's interface, and the last column is how long
their compiler took. It needs the packages stanli, numpy and pandas, and httpstan for these. Programs are those of models/, and
for linear regressions beside them what the table below says. Each run is a process of its own, of defaults, that is ended after S seconds. Headers are compiled before, for single
precision. A mean is right within five standard errors, an sd within 5 % or five standard
errors, as `manychain test` has it.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import stan_models

HEADERS = stan_models.HERE.parents[1] / "examples" / "posteriors"
YEARS = [f"nes{year}-nes" for year in (1976, 1984, 1992, 1996)]
# Header of the same density, where it has another name than the program.
OTHER_HEADERS = {"eight_schools_noncentered": "eight_schools", "blr": "linear_regression"}
HALF_CAUCHY = "sigma ~ cauchy(0, 2.5);"
CENTRED, SCALED = "{0} - mean({0})", "({0} - mean({0})) / (2 * sd({0}))"
VOLUME, AREA = "log(diam1 .* diam2 .* canopy_height)", "log(diam1 .* diam2)"
# Name: data, response, columns beside the constant, prior.
REGRESSIONS = {
    "log10earn_height": ("earnings", "log10(earn)", ["height"], ""),
    "logearn_height_male": ("earnings", "log(earn)", ["height", "male"], ""),
    "logearn_interaction_z": ("earnings", "log(earn)", ["(height - mean(height)) / sd(height)", "male", "x1 .* x2"], ""),
    "logearn_logheight_male": ("earnings", "log(earn)", ["log(height)", "male"], ""),
    "kidscore_momhs": ("kidiq", "kid_score", ["mom_hs"], HALF_CAUCHY),
    "kidscore_momiq": ("kidiq", "kid_score", ["mom_iq"], HALF_CAUCHY),
    "kidscore_momhsiq": ("kidiq", "kid_score", ["mom_hs", "mom_iq"], HALF_CAUCHY),
    "kidscore_interaction_c": ("kidiq_with_mom_work", "kid_score",
                               [CENTRED.format("mom_hs"), CENTRED.format("mom_iq"), "x1 .* x2"], ""),
    "kidscore_interaction_z": ("kidiq_with_mom_work", "kid_score",
                               [SCALED.format("mom_hs"), SCALED.format("mom_iq"), "x1 .* x2"], ""),
    "logmesquite_logvolume": ("mesquite", "log(weight)", [VOLUME], ""),
    "logmesquite_logva": ("mesquite", "log(weight)", [VOLUME, AREA, "group"], ""),
    "logmesquite_logvash": ("mesquite", "log(weight)",
                            [VOLUME, AREA, "log(diam1 ./ diam2)", "log(total_height)", "group"], ""),
}
VARIABLES = {"earnings": ["earn", "height", "male"], "kidiq": ["kid_score", "mom_hs", "mom_iq"],
             "kidiq_with_mom_work": ["kid_score", "mom_hs", "mom_iq"],
             "mesquite": ["weight", "diam1", "diam2", "canopy_height", "total_height", "group"]}


def regression(name):
    """The program of a linear regression."""
    data, response, columns, prior = REGRESSIONS[name]
    lines = ["data {", "  int<lower=1> N;", *(f"  vector[N] {one};" for one in VARIABLES[data]), "}", "transformed data {",
             f"  vector[N] response = {response};",
             *(f"  vector[N] x{k} = {column};" for k, column in enumerate(columns, 1)), "}", "parameters {",
             f"  vector[{len(columns) + 1}] beta;", "  real<lower=0> sigma;", "}", "model {", *([f"  {prior}"] if prior else []),
             "  response ~ normal(beta[1]" + "".join(f" + beta[{k + 1}] * x{k}" for k in range(1, len(columns) + 1)) + ", sigma);",
             "}"]
    return "\n".join(lines) + "\n"


def posteriors():
    """Name: program, header, data, references."""
    found = {}
    for name, (program, data) in stan_models.POSTERIORS.items():
        found[name] = ((stan_models.HERE / "models" / f"{program}.stan").read_text(), OTHER_HEADERS.get(program, program), data)
    for name in YEARS:
        found[name] = ((stan_models.HERE / "models" / "nes.stan").read_text(), "nes", name)
    for name, (data, *_) in REGRESSIONS.items():
        found[f"{data}-{name}"] = (regression(name), name, f"{data}-{name}")
    return found


def data_file(name):
    """That of the posterior, else that of its data, which may have the name of another posterior."""
    own, shared = stan_models.DATA / f"{name}.json", stan_models.DATA / f"{name.split('-')[0]}.json"
    if own.exists() or shared.exists():
        return own if own.exists() else shared
    return next(path for path in sorted(stan_models.DATA.glob(f"{name.split('-')[0]}-*.json")) if "reference" not in path.name)


WORKER = """
import json, sys, time
begin = time.perf_counter()
import manychain
imported = time.perf_counter()
more = json.loads(sys.argv[4])
result = manychain.sample(sys.argv[1], sys.argv[2], seed=int(sys.argv[3]), progress=False, **more)
end = time.perf_counter()
table = result.summary()
print(json.dumps({"seconds": end - imported, "converged": result.converged, "chains": result.chains, "found": {row: [float(table["mean"][row]), float(table["sd"][row]),
                  float(table["mcse_mean"][row]), float(table["mcse_sd"][row])] for row in table.index}}))
"""


def sampled(model, data, options, **settings):
    """What the worker found; text where it failed or was ended."""
    command = [sys.executable, "-c", WORKER, model, data, str(options.seed), json.dumps(settings)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return f"not done in {options.seconds} s"
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1]
    return json.loads(done.stdout)


def errors(found, reference):
    """The largest |z| of a mean, the largest error of an sd, and whether all are right."""
    z = sd = 0.0
    right = True
    for name, of in reference.items():
        mean, deviation, error, sd_error = found[name]
        off = abs(deviation / of["sd"] - 1)
        z, sd = max(z, abs(mean - of["mean"]) / math.hypot(error, of["mcse_mean"])), max(sd, off)
        right = right and z < 5 and off < max(0.05, 5 * sd_error / of["sd"])
    return z, sd, right


def shown(one, reference):
    if isinstance(one, str):
        return f"{one[-42:]:>42}"
    z, sd, right = errors(one["found"], reference)
    state = ("right" if right else "WRONG") if one["converged"] else "not converged"
    return f"{one['seconds']:8.2f} s {one['chains']:5} {z:5.1f} {100 * sd:5.1f} % {state:>14}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--filter", default="")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--without-headers", action="store_true")
    parser.add_argument("--compiled", metavar="FOLDER", help="programs as machine code, too, by the Stan that httpstan brings")
    options = parser.parse_args()
    print(f"# {time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before, seed {options.seed}")
    print("# of a program by stanli, and of the header: seconds from the call to the result, chains, largest |z| of a mean, error of an sd")
    with tempfile.TemporaryDirectory() as folder:
        for name, (program, header, data) in posteriors().items():
            if options.filter not in name:
                continue
            path = os.path.join(folder, f"{header}.stan")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            reference = json.loads((stan_models.DATA / f"{data}.reference.json").read_text())
            stan = sampled(path, str(data_file(data)), options)
            own = ""
            if not options.without_headers:
                of_header = [str(HEADERS / f"{header}.hpp"), str(data_file(data)), options]
                sampled(*of_header, precision="single", draws=1, warmup=1)  # compiles it
                own = shown(sampled(*of_header, precision="single"), reference)
            if options.compiled and name in stan_models.POSTERIORS:
                begin = time.perf_counter()
                library = stan_models.compile_for_nutpie(name, options.compiled)
                compiling = time.perf_counter() - begin
                own += f" {shown(sampled(str(library), str(data_file(data)), options), reference)} {compiling:6.0f} s"
            print(f"{name:44} {shown(stan, reference)} {own}", flush=True)


if __name__ == "__main__":
    main()
