#!/usr/bin/env python3
"""Compiles a Stan program to a library with the interface of BridgeStan, and samples it by the command line.

    real_stan.py MANYCHAIN ROOT FOLDER

By BridgeStan's Makefile where its sources are ($BRIDGESTAN, or the newest below ~/.bridgestan, where the packages of
Python, R and Julia keep them; nothing is downloaded), or with the headers of Stan that the package httpstan of PyPI
brings and bench/peers/stan_bridge.cpp. Where there is neither, or no compiler, status 77: skipped. MANYCHAIN_STAN_PYTHON
names another Python that has httpstan: "pip install httpstan" into a venv is all that is needed, 45 MB and a minute of one
core for the model.
"""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77

# The answer is known: with a normal likelihood of known scale and a normal prior, mu ~ N(m, s), and y_rep ~ N(m, s^2 + 1).
# The diagonal of C is 1 but for rounding, and likely has no tail ESS; the run ends nevertheless.
PROGRAM = """
data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  cholesky_factor_corr[2] L;
  matrix<lower=0>[2, 3] tau;
  simplex[3] shares;
  corr_matrix[3] C;
  array[2] tuple(real, vector[2]) pairs;
}
transformed parameters {
  real twice = 2 * mu;
}
model {
  mu ~ normal(0, 2);
  y ~ normal(mu, 1);
  L ~ lkj_corr_cholesky(2);
  for (i in 1:2) for (j in 1:3) tau[i, j] ~ exponential(i + 10 * j);
  shares ~ dirichlet([2, 3, 5]');
  C ~ lkj_corr(2);
  for (i in 1:2) {
    pairs[i].1 ~ normal(i, 1);
    for (j in 1:2) pairs[i].2[j] ~ normal(10 * i + j, 1);
  }
}
generated quantities {
  real y_rep = normal_rng(mu, 1);
  int<lower=0, upper=1> likely = bernoulli_rng(0.98);
}
"""
DATA = {"N": 4, "y": [1.0, 2.0, 0.5, 2.5]}


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def version_of(folder):
    """bridgestan-2.10.0 is newer than bridgestan-2.9.0."""
    return [int(part) for part in re.findall(r"\d+", folder.name)]


def by_bridgestan(stan):
    """The library, or why there is none. A BridgeStan that is there and does not work ends the test."""
    given = os.environ.get("BRIDGESTAN")
    found = sorted(pathlib.Path.home().glob(".bridgestan/bridgestan-*/"), key=version_of)
    sources = pathlib.Path(given) if given else found[-1] if found else None
    if not sources:
        return None, "no BridgeStan ($BRIDGESTAN, ~/.bridgestan)"
    if not (sources / "Makefile").exists():
        sys.exit(f"{sources}: it has no Makefile of BridgeStan")
    if not (sources / "bin" / "stanc").exists():
        return None, f"{sources} has no bin/stanc, which BridgeStan downloads when it compiles a first model"
    made = stan.with_name(stan.stem + "_model.so")
    subprocess.run([os.environ.get("MAKE", "make"), "STAN_THREADS=true", made], cwd=sources, check=True)
    return made, ""


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


def mistakes(sample, folder):
    """What is wrong with the refusal of wrong data: one line, in Stan's words."""
    data = folder / "mistake.json"
    data.write_text(json.dumps({"N": 4, "y": [1.0, 2.0]}))
    ran = subprocess.run(sample + [data], capture_output=True, text=True, check=False)
    said = ran.stderr.strip()
    right = ran.returncode == 2 and "\n" not in said and "mistake.json: mismatch in dimension" in said and "y" in said
    return [] if right else [f"wrong data: status {ran.returncode}: {said}"]


def threads(sample, result):
    """The same draws, whatever the number of threads."""
    ran = subprocess.run(sample + ["--threads", "1"], capture_output=True, text=True, check=True)
    return [] if json.loads(ran.stdout)["parameters"] == result["parameters"] else ["--threads 1 has other draws"]


def main():
    other = os.environ.pop("MANYCHAIN_STAN_PYTHON", None)
    if other:
        os.execv(other, [other] + sys.argv)
    manychain, root, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    if not shutil.which(os.environ.get("CXX", "g++")):
        skip("no compiler")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stan, data = folder / "known.stan", folder / "known.json"
    stan.write_text(PROGRAM)
    data.write_text(json.dumps(DATA))
    library, reason = by_bridgestan(stan)
    if not library:
        library, other_reason = by_httpstan(stan, folder, root)
        if not library:
            skip(f"{reason}; {other_reason}")
    sample = [manychain, "sample", "--stan", library, "--seed", "1", "--json", "-", "--output", "none", "--data"]
    ran = subprocess.run(sample + [data], capture_output=True, text=True, check=False)
    print(ran.stderr)
    if ran.returncode != 0:
        sys.exit(f"exit status {ran.returncode}")
    result = json.loads(ran.stdout)
    wrong = [] if result["converged"] else ["the run has not converged"]
    if not result["reached_target"]:
        wrong.append("the run did not end at its target ESS")
    wrong += mistakes(sample, folder) + threads(sample + [data], result)
    variance = 1 / (1 / 4 + DATA["N"])
    mean = variance * sum(DATA["y"])
    expected = {"mu": (mean, math.sqrt(variance)), "twice": (2 * mean, 2 * math.sqrt(variance)),
                "y_rep": (mean, math.sqrt(variance + 1)), "L[2,1]": (0, None), "L[1,2]": (0, 0), "L[1,1]": (1, 0)}
    for i in (1, 2):
        for j in (1, 2, 3):
            expected[f"tau[{i},{j}]"] = (1 / (i + 10 * j), 1 / (i + 10 * j))
    for k, a in enumerate((2, 3, 5), 1):
        expected[f"shares[{k}]"] = (a / 10, math.sqrt(a * (10 - a) / (10 * 10 * 11)))
    for i in (1, 2):
        expected[f"pairs.{i}:1"] = (i, 1)
        for j in (1, 2):
            expected[f"pairs.{i}:2[{j}]"] = (10 * i + j, 1)
    expected["C[1,1]"] = expected["C[3,3]"] = (1, 0)
    expected["C[1,3]"] = (0, math.sqrt(1 / 6))  # (C + 1) / 2 ~ Beta(5/2, 5/2)
    expected["likely"] = (0.98, None)
    # 30 means at |z| < 5; standard deviations within 8 %, five standard errors of that of an exponential at an ESS of 8000.
    # False alarms below 1e-4. A transposed array is off by nine standard deviations and more.
    for name, (m, sd) in expected.items():
        row = result["parameters"][name]
        far = abs(row["mean"] - m) > 5 * (row["mcse_mean"] or 0) + 1e-12
        if far or (sd is not None and abs(row["sd"] - sd) > 0.08 * sd):
            wrong.append(f"{name}: mean {row['mean']}, sd {row['sd']}; expected {m}, {sd}")
    if not any("Constants of the model: 5 of" in note for note in result["notes"]):
        wrong.append(f"the constants of L and C are not known: {result['notes']}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"Right: {library}")


if __name__ == "__main__":
    main()
