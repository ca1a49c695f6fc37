#!/usr/bin/env python3
"""Runs the Python of docs/arviz.md, block by block, on the file of the run that the page begins with. What it computes
is held to what manychain says of that file. Runs with ArviZ 0.x and 1.x.

    arviz_page.py PROGRAM PAGE FOLDER

Exit status 77 where this Python has no ArviZ, or nothing to draw with.
"""

import json
import os
import re
import shlex
import subprocess
import sys

FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OF_A_VERSION = re.compile(r"# ArviZ ([01])\.x\n")


def blocks_of(page, text):
    """[(version or "", compiled block)]. A traceback has the line of the page."""
    blocks = []
    for fence in FENCE.finditer(text):
        of = OF_A_VERSION.match(fence[1])
        lines_before = text.count("\n", 0, fence.start(1))
        blocks.append((of[1] if of else "", compile("\n" * lines_before + fence[1], page, "exec")))
    assert {version for version, _ in blocks} == {"", "0", "1"}, "blocks for both versions, and for each"
    return blocks


def said(program, *arguments, status=0):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          universal_newlines=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


def require_close(what, ours, theirs, tolerance):
    assert len(ours) == len(theirs), what
    error = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
    assert error < tolerance, (what, error)


def check_numbers(names, program):
    """Each of the page's numbers against that of `manychain summary`, and what the page says of them."""
    np, az, column = names["np"], names["az"], names["column"]
    rows = json.loads(said(program, "summary", "eight_schools.nc", "--json", "-"))
    own = {key: [row[key] for row in rows["parameters"].values()] for key in
           ("rhat", "rhat_nested", "ess_bulk", "ess_tail", "mcse_mean")}
    assert rows["converged"] and rows["superchains"] == 16 and len(own["rhat"]) == 18, rows

    require_close("nested R-hat", column(names["nested"]), own["rhat_nested"], 1e-9)
    require_close("MCSE", column(names["mcse"]), own["mcse_mean"], 1e-9)
    # ArviZ folds draws in the precision that they have.
    require_close("R-hat", column(names["rhat"]), own["rhat"], 1e-3)
    require_close("bulk ESS", column(names["ess_bulk"]), own["ess_bulk"], 1e-5)
    require_close("tail ESS", column(names["ess_tail"]), own["ess_tail"], 1e-5)
    assert max(own["rhat"]) > 1.02 and max(own["rhat_nested"]) < 1.01, own
    assert max(own["ess_bulk"]) > 18991 or names["draws"] != 20, own["ess_bulk"]

    table = names["table"]
    assert list(table.index[:3]) == ["mu", "tau", "theta_trans[0]"] and len(table) == 18, table
    assert not {"r_hat", "superchain"} & set(table.columns), table
    require_close("a column of the table", table["r_nested"], own["rhat_nested"], 1e-9)

    merged, posterior = names["merged"], names["posterior"]
    for number in (0, 3, 15):
        of_one = np.sort(posterior["theta"].values[names["superchain"] == number], axis=None)
        assert np.array_equal(np.sort(merged["theta"].sel(chain=number), axis=None), of_one), number
    assert np.array_equal(merged["mu"].values[5, :16], posterior["mu"].values[5::16, 0])
    differences = column(az.rhat(merged)) - own["rhat_nested"]
    assert abs(differences).max() < 0.005, differences
    tails = [az.loo(names["data"], **given).pareto_k.values for given in ({"reff": 1.0}, {})]
    assert np.array_equal(names["loo"].pareto_k, tails[0]) and not np.array_equal(tails[0], tails[1]), tails


def check_odd_draws(names, program):
    """An odd number of draws, whose middle one is in no half, and superchains that differ in size."""
    said(program, "sample", "eight_schools", "--seed", "2", "--chains", "70", "--superchains", "16", "--draws", "7",
         "--output", "odd.nc")
    posterior = names["xr"].load_dataset("odd.nc", group="posterior")
    rows = json.loads(said(program, "summary", "odd.nc", "--json", "-"))["parameters"]
    nested = names["of_superchains"](names["rhat_nested"], posterior)
    require_close("nested R-hat", names["column"](nested), [row["rhat_nested"] for row in rows.values()], 1e-9)


def check_files(names, program):
    """Files that ArviZ has written are read as the page says."""
    data, verdict = names["data"], said(program, "diagnose", "eight_schools.nc")
    assert "every nested R-hat < 1.01" in verdict, verdict
    data.to_netcdf("kept.nc")
    assert said(program, "diagnose", "kept.nc").split("\n", 1)[1] == verdict.split("\n", 1)[1]
    order = names["np"].argsort(names["superchain"], kind="stable")
    changed = {"another order": {"chain": order}, "fewer draws": {"draw": slice(10)}, "fewer chains": {"chain": slice(64)}}
    for what, part in changed.items():
        kept = names["posterior"].isel(part)
        kept.to_netcdf("part.nc", group="posterior")
        words = said(program, "diagnose", "part.nc", status=4)
        assert "- R-hat: not below 1.01" in words, (what, words)
        assert kept["superchain"].values.max() == 15


def main(program, page, folder):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    blocks = blocks_of(page, text)  # the mistakes of syntax in them are found without ArviZ, too
    try:
        import arviz
        import matplotlib
    except ModuleNotFoundError:
        sys.exit(77)
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    command = shlex.split(re.search(r"^    manychain (sample eight_schools .*)$", text, re.MULTILINE)[1])
    said(program, *command)
    names, version = {"__name__": "page"}, arviz.__version__[0]
    for of, block in blocks:
        if of in ("", version):
            exec(block, names)
            plt.close("all")
    check_numbers(names, program)
    if version == "1":
        theirs, ours = names["column"](names["nested_of_arviz"]), names["column"](names["nested"])
        assert abs(theirs - ours).max() < 0.01 and theirs.max() < 1.01, (theirs, ours)
        assert names["converged"] and arviz.diagnose(names["data"], show_diagnostics=False)
    check_odd_draws(names, program)
    check_files(names, program)
    print("ArviZ", arviz.__version__)


if __name__ == "__main__":
    main(*sys.argv[1:])
