#!/usr/bin/env python3
"""Compiles a Stan program to a library with the interface of BridgeStan, and samples it by the command line.

    real_stan.py MANYCHAIN ROOT FOLDER

By the package bridgestan of PyPI where its sources are ($BRIDGESTAN, or below ~/.bridgestan: nothing is downloaded), or
with the headers of Stan that the package httpstan brings and bench/peers/stan_bridge.cpp. Where there is neither, or no
compiler, status 77: skipped. MANYCHAIN_STAN_PYTHON names another Python that has one of them.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77

# The answer is known: with a normal likelihood of known scale and a normal prior, mu ~ N(m, s), and y_rep ~ N(m, s^2 + 1).
PROGRAM = """
data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  cholesky_factor_corr[2] L;
  matrix<lower=0>[2, 3] tau;
}
transformed parameters {
  real twice = 2 * mu;
}
model {
  mu ~ normal(0, 2);
  y ~ normal(mu, 1);
  L ~ lkj_corr_cholesky(2);
  for (i in 1:2) for (j in 1:3) tau[i, j] ~ exponential(i + 10 * j);
}
generated quantities {
  real y_rep = normal_rng(mu, 1);
}
"""
DATA = {"N": 4, "y": [1.0, 2.0, 0.5, 2.5]}


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def by_bridgestan(stan, folder):
    """The library, or why there is none."""
    try:
        import bridgestan
        from bridgestan.compile import verify_bridgestan_path
        from bridgestan.download import CURRENT_BRIDGESTAN
    except ImportError as error:
        return None, f"no bridgestan ({error})"
    sources = os.environ.get("BRIDGESTAN") or os.fspath(CURRENT_BRIDGESTAN)
    try:
        verify_bridgestan_path(sources)
    except ValueError:
        return None, "bridgestan without its sources, which a first compile_model() downloads"
    return bridgestan.compile_model(stan, make_args=["STAN_THREADS=true"]), ""


def by_httpstan(stan, folder, root):
    try:
        import httpstan
    except ImportError as error:
        return None, f"no httpstan ({error})"
    home = pathlib.Path(httpstan.__file__).parent
    translated, made = folder / "known.hpp", folder / "known_model.so"
    subprocess.run([home / "stanc", "--name", "known_model", "--o", translated, stan], check=True)
    command = [os.environ.get("CXX", "g++"), "-O1", "-std=c++17", "-fPIC", "-shared", "-w", "-DSTAN_THREADS"]
    command += ["-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS", "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION"]
    command += ["-D_GLIBCXX_USE_CXX11_ABI=0", f'-DMODEL_FILE="{translated}"', f"-I{home / 'include'}"]
    command += [root / "bench" / "peers" / "stan_bridge.cpp", "-o", made, f"-L{home / 'lib'}"]
    command += [f"-Wl,-rpath,{home / 'lib'}", "-lsundials_cvodes", "-lsundials_idas", "-lsundials_nvecserial", "-ltbb"]
    subprocess.run(command, check=True)
    return made, ""


def main():
    other = os.environ.pop("MANYCHAIN_STAN_PYTHON", None)
    if other:
        os.execv(other, [other] + sys.argv)
    manychain, root, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if not shutil.which(os.environ.get("CXX", "g++")):
        skip("no compiler")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stan, data = folder / "known.stan", folder / "known.json"
    stan.write_text(PROGRAM)
    data.write_text(json.dumps(DATA))
    library, reason = by_bridgestan(stan, folder)
    if not library:
        library, other_reason = by_httpstan(stan, folder, root)
        if not library:
            skip(f"{reason}; {other_reason}")
    ran = subprocess.run(
        [manychain, "sample", "--stan", library, "--data", data, "--seed", "1", "--json", "-", "--output", "none"],
        capture_output=True, text=True, check=False)
    print(ran.stderr)
    if ran.returncode != 0:
        sys.exit(f"exit status {ran.returncode}")
    result = json.loads(ran.stdout)
    wrong = [] if result["converged"] else ["the run has not converged"]
    variance = 1 / (1 / 4 + DATA["N"])
    mean = variance * sum(DATA["y"])
    expected = {"mu": (mean, math.sqrt(variance)), "twice": (2 * mean, 2 * math.sqrt(variance)),
                "y_rep": (mean, math.sqrt(variance + 1)), "L[2,1]": (0, None), "L[1,2]": (0, 0), "L[1,1]": (1, 0)}
    for i in (1, 2):
        for j in (1, 2, 3):
            expected[f"tau[{i},{j}]"] = (1 / (i + 10 * j), 1 / (i + 10 * j))
    # 16 figures at |z| < 5, or 6 % of a standard deviation at an ESS of 10 000 and more: false alarms below 1e-4.
    for name, (m, sd) in expected.items():
        row = result["parameters"][name]
        far = abs(row["mean"] - m) > 5 * (row["mcse_mean"] or 0) + 1e-12
        if far or (sd is not None and abs(row["sd"] - sd) > 0.06 * sd):
            wrong.append(f"{name}: mean {row['mean']}, sd {row['sd']}; expected {m}, {sd}")
    if not any("Constants of the model: 2 of" in note for note in result["notes"]):
        wrong.append(f"the constants of L are not known: {result['notes']}")
    if wrong:
        sys.exit("\n".join(wrong))
    print("Right.")


if __name__ == "__main__":
    main()
