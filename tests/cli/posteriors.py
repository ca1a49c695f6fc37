#!/usr/bin/env python3
"""Some posteriors of examples/posteriors, compiled and sampled as a user does, against their references: means within five
standard errors and sds within 5 %, in double, from 256 chains (`make posteriors` has all). Seeds are fixed; at an ESS of
4000 an sd has an error of 1.1 %, that of the reference 0.7 %, so that a right program fails one of these 10 comparisons
with a probability below 3e-4, and a mean wrong by 0.15 sd is found with a probability above 0.99.

    posteriors.py MANYCHAIN EXAMPLES FOLDER
"""

import json
import math
import pathlib
import subprocess
import sys

POSTERIORS = {"garch": "garch-garch11", "hmm_example": "hmm_example-hmm_example"}


def main():
    manychain, examples, folder = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    wrong = 0
    for header, data in POSTERIORS.items():
        run = subprocess.run([manychain, "sample", examples / f"{header}.hpp", "--data", examples / "data" / f"{data}.json",
                              "--precision", "double", "--backend", "cpu", "--chains", "256", "--seed", "1", "--target-ess",
                              "4000", "--output", "none", "--json", "-", "--cache", folder],
                             check=True, stdout=subprocess.PIPE, text=True)
        result = json.loads(run.stdout)
        reference = json.loads((examples / "data" / f"{data}.reference.json").read_text())
        if not result["converged"]:
            print(f"{header}: has not converged")
            wrong += 1
        for name, of in reference.items():
            got = result["parameters"][name]
            z = (got["mean"] - of["mean"]) / math.hypot(got["mcse_mean"], of["mcse_mean"])
            sd = got["sd"] / of["sd"] - 1
            right = abs(z) < 5 and abs(sd) < 0.05
            print(f"{header:12} {name:12} z {z:6.2f}  sd {100 * sd:5.1f} %{'' if right else '  WRONG'}")
            wrong += not right
    sys.exit(wrong > 0)


main()
