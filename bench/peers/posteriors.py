"""Runs nutpie or PyStan, as they are by default, on the posteriors of bench/posteriors.

Each program is compiled first, and no time of that counts. Each run is a process of its own.
"""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import stan_models
import tables

ASKED_RHAT, ASKED_ESS = 1.01, 400
ALLOWED_MEAN, ALLOWED_SD = 5, 0.05  # as bench/posteriors


def chosen_settings(options, names):
    """What was asked for; nothing else is passed, so that the defaults are those of the library."""
    return {name: value for name, value in zip(names, options) if value is not None}


def start_pystan(folder):
    """PyStan keeps its models, and the draws of each seed, in a folder of the user: here in one of the benchmark."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "pystan")


def build_pystan(name, seed):
    import stan

    return stan.build(stan_models.program(name), data=stan_models.data(name), random_seed=seed)


def forget_draws(folder):
    """Else PyStan reads the draws of a seed from its cache, and samples nothing."""
    for fits in (folder / "pystan").glob("httpstan/*/models/*/fits"):
        shutil.rmtree(fits)


def sample_nutpie(name, seed, options, folder):
    import nutpie
    from nutpie import _lib
    from nutpie.compile_stan import CompiledStanModel

    library = _lib.StanLibrary(str(stan_models.library(name, folder)))
    model = CompiledStanModel(
        code="", library=library, dims={}, _coords={}, model_name=name, model=None, data=None
    ).with_data(**stan_models.data(name))
    settings = chosen_settings(options, ["chains", "tune", "draws"])
    start = time.perf_counter()
    trace = nutpie.sample(model, seed=seed, progress_bar=False, **settings)
    seconds = time.perf_counter() - start
    return trace, seconds, None


def sample_pystan(name, seed, options, folder):
    model = build_pystan(name, seed)
    settings = chosen_settings(options, ["num_chains", "num_warmup", "num_samples"])
    start = time.perf_counter()
    fit = model.sample(**settings)
    seconds = time.perf_counter() - start
    own = [re.search(rb"([0-9.e+-]+) seconds \(Total\)", said) for said in fit.stan_outputs]
    return fit, seconds, [float(found[1]) for found in own if found]


def worker(arguments):
    """One run. Its figures go to standard output as one line of JSON."""
    import arviz as az

    folder = pathlib.Path(arguments.folder)
    if arguments.library == "pystan":
        start_pystan(folder)
    options = (arguments.chains, arguments.warmup, arguments.draws)
    sample = {"nutpie": sample_nutpie, "pystan": sample_pystan}[arguments.library]
    drawn, seconds, own = sample(arguments.worker, arguments.seed, options, folder)
    start = time.perf_counter()
    if arguments.library == "pystan":
        drawn = az.from_pystan(posterior=drawn)
    rhat, bulk, tail = (
        az.rhat(drawn),
        az.ess(drawn, method="bulk"),
        az.ess(drawn, method="tail"),
    )
    summary = time.perf_counter() - start

    def all_of(statistic):
        return [float(x) for variable in statistic.data_vars.values() for x in variable.values.ravel()]

    posterior = drawn.posterior
    outcome = {
        "seed": arguments.seed,
        "error": "",
        "sampling": seconds,
        "summary": summary,
        "chain_seconds": own,
        "chains": int(posterior.sizes["chain"]),
        "draws": int(posterior.sizes["draw"]),
        "worst_rhat": worst(all_of(rhat), max),
        "min_ess_bulk": worst(all_of(bulk), min),
        "min_ess_tail": worst(all_of(tail), min),
        "divergences": int(drawn.sample_stats["diverging"].sum()),
    }
    outcome["converged"] = (
        holds(outcome["worst_rhat"], lambda x: x < ASKED_RHAT)
        and holds(outcome["min_ess_bulk"], lambda x: x > ASKED_ESS)
        and holds(outcome["min_ess_tail"], lambda x: x > ASKED_ESS)
    )
    outcome.update(compare(posterior, az.mcse(drawn), stan_models.reference(arguments.worker)))
    print(json.dumps(outcome))


def worst(values, of):
    """None where a value is NaN: it must never look like an agreement."""
    return None if any(math.isnan(x) for x in values) else of(values)


def holds(value, condition):
    return value is not None and condition(value)


def compare(posterior, errors, reference):
    worst_mean = worst_sd = ("", 0.0)
    for name, of in reference.items():
        variable, _, index = name.partition("[")
        element = [...] if not index else [..., int(index[:-1]) - 1]
        draws = posterior[variable].values[tuple(element)] if index else posterior[variable].values
        error = float(errors[variable].values[int(index[:-1]) - 1] if index else errors[variable].values)
        mean = abs(draws.mean() - of["mean"]) / math.hypot(error, of["mcse_mean"])
        sd = abs(draws.std(ddof=1) / of["sd"] - 1)
        worst_mean = max(worst_mean, (name, float(mean)), key=lambda x: math.inf if math.isnan(x[1]) else x[1])
        worst_sd = max(worst_sd, (name, float(sd)), key=lambda x: math.inf if math.isnan(x[1]) else x[1])
    return {
        "worst_mean": {"of": worst_mean[0], "errors": worst_mean[1]},
        "worst_sd": {"of": worst_sd[0], "relative": worst_sd[1]},
        "means_agree": worst_mean[1] < ALLOWED_MEAN,
        "sds_agree": worst_sd[1] < ALLOWED_SD,
    }


def run_once(arguments, name, seed):
    """A new process: its figures, and its seconds from start to end, imports included."""
    if arguments.library == "pystan":
        forget_draws(pathlib.Path(arguments.folder))
    command = [sys.executable, __file__, "--library", arguments.library, "--folder", arguments.folder]
    command += ["--worker", name, "--seed", str(seed)]
    for option in ("chains", "warmup", "draws"):
        if getattr(arguments, option) is not None:
            command += [f"--{option}", str(getattr(arguments, option))]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        return {"seed": seed, "error": tables.failure(done), "converged": False, "process": seconds}
    return {**json.loads(done.stdout.strip().splitlines()[-1]), "process": seconds}


def run_manychain(arguments, name):
    """The same posterior by manychain_posteriors, in the same minutes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "figures.json"
        command = [arguments.manychain, "--filter", f"^{re.escape(name)}$", "--seeds", str(arguments.seeds)]
        command += ["--seed", str(arguments.seed), "--json", path, *arguments.manychain_options.split()]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(path.read_text())["posteriors"][0]


def compile_all(arguments, names):
    folder = pathlib.Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        start = time.perf_counter()
        if arguments.library == "nutpie":
            stan_models.compile_for_nutpie(name, folder)
        else:
            build = [sys.executable, __file__, "--library", "pystan", "--folder", arguments.folder, "--build", name]
            done = subprocess.run(build, capture_output=True, text=True, cwd=folder)  # objects fall where it runs
            if done.returncode != 0:
                sys.exit(f"{name}: {done.stderr}")
        seconds = time.perf_counter() - start
        if seconds > 10:
            print(f"compiled {name}: {seconds:.0f} s", file=sys.stderr, flush=True)


WIDTHS = [40, 10, 7, 7, 10, 10, 9, 9, 9, 8, 8, 6]
HEADING = "posterior converged means sds sampling +summary process worst R-hat bulk tail div.".split()


def print_line(line, beside):
    runs = line["runs"]
    ended = [run for run in runs if not run["error"]]

    def of(key, digits=2):
        return tables.number(tables.median([run[key] for run in ended]), digits)

    def count(key):
        return f"{sum(bool(run.get(key)) for run in runs)}/{len(runs)}"

    both = tables.median([run["sampling"] + run["summary"] for run in ended])
    worst_process = max((run["process"] for run in ended), default=None)
    cells = [line["name"], count("converged"), count("means_agree"), count("sds_agree"), of("sampling")]
    cells += [tables.number(both), of("process"), tables.number(worst_process), of("worst_rhat", 4)]
    cells += [of("min_ess_bulk", 0), of("min_ess_tail", 0), of("divergences", 0)]
    widths = list(WIDTHS)
    if beside:
        own = line["manychain"]
        good = round(own["converged"] * len(own["runs"]))
        cells += [f"{good}/{len(own['runs'])}", tables.number(own["seconds"]["median"])]
        widths += [11, 9]
    tables.print_row(cells, widths)
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", choices=["nutpie", "pystan"], required=True)
    parser.add_argument("--folder", default="build/peers", help="where compiled models lie (default: %(default)s)")
    parser.add_argument("--filter", default="", help="only posteriors in whose name this regular expression is found")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each posterior (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: %(default)s)")
    parser.add_argument("--chains", type=int, help="default: that of the library")
    parser.add_argument("--warmup", type=int, help="default: that of the library")
    parser.add_argument("--draws", type=int, help="default: that of the library")
    parser.add_argument("--manychain", metavar="PROGRAM", help="manychain_posteriors, to run beside")
    parser.add_argument("--manychain-options", default="", metavar="'OPTIONS'", help="of that program")
    parser.add_argument("--compile-only", action="store_true", help="compile the models and end")
    parser.add_argument("--json", metavar="FILE", help="write all runs there, too")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--build", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return worker(arguments)
    if arguments.build:
        start_pystan(pathlib.Path(arguments.folder))
        return build_pystan(arguments.build, 1) and None
    arguments.folder = str(pathlib.Path(arguments.folder).resolve())
    names = [name for name in stan_models.POSTERIORS if re.search(arguments.filter, name)]
    if not names:
        sys.exit(f"--filter: no name matches {arguments.filter}")
    compile_all(arguments, names)
    if arguments.compile_only:
        return
    facts = tables.machine()
    asked = {key: getattr(arguments, key) for key in ("library", "chains", "warmup", "draws", "seeds", "seed")}
    tables.print_title("posteriors.py", {**asked, "filter": arguments.filter}, arguments, facts)
    heading = HEADING + (["manychain", "seconds"] if arguments.manychain else [])
    tables.print_row(heading, WIDTHS + [11, 9])
    lines = []
    for name in names:
        line = {"name": name, "runs": []}
        for seed in range(arguments.seed, arguments.seed + arguments.seeds):
            line["runs"].append(run_once(arguments, name, seed))
        if arguments.manychain:
            line["manychain"] = run_manychain(arguments, name)
        print_line(line, arguments.manychain)
        lines.append(line)
    for line in lines:
        for run in line["runs"]:
            if run["error"]:
                print(f"\n{line['name']}, seed {run['seed']}: {run['error']}", end="")
            elif not (run["means_agree"] and run["sds_agree"]):
                mean, sd = run["worst_mean"], run["worst_sd"]
                print(
                    f"\n{line['name']}, seed {run['seed']}{', CONVERGED' if run['converged'] else ''}: furthest from "
                    f"the reference are the mean of {mean['of']} ({mean['errors']:.1f} errors) and the sd of "
                    f"{sd['of']} ({100 * sd['relative']:.1f} %)",
                    end="",
                )
    print(
        f"\n\nConverged: every R-hat < {ASKED_RHAT}, every bulk and tail ESS > {ASKED_ESS}. Seconds are medians: of "
        "sampling alone, model compiled\nand libraries loaded before; with R-hat, bulk and tail ESS of ArviZ; of the "
        "process from start to end, median and largest."
    )
    tables.write(
        arguments.json,
        {
            "program": "bench/peers/posteriors.py",
            "machine": facts,
            "settings": {**asked, "filter": arguments.filter},
            "manychain_options": arguments.manychain_options if arguments.manychain else None,
            "asked": {"rhat": ASKED_RHAT, "ess": ASKED_ESS},
            "allowed": {"mean_in_errors": ALLOWED_MEAN, "sd_relative": ALLOWED_SD},
            "posteriors": lines,
        },
    )


if __name__ == "__main__":
    main()
