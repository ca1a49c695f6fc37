"""Runs samplers of many chains beside manychain, on the same models, data and numbers of transitions.

Each run is a process of its own, on the cores that it is given. It samples twice: the first time counts from the
start of the process, so imports and compilation count; the second, with the same seed, is timed alone.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import tables

OWN = "manychain"


def smallest(outputs):
    """Of all outputs the smallest bulk ESS and the largest split R-hat, by ArviZ, and its seconds."""
    import arviz as az

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="More chains")  # it takes many chains for a transposed array
        draws = az.convert_to_dataset(outputs)
    ess = min(float(x.values.min()) for x in az.ess(draws, method="bulk").data_vars.values())
    rhat = max(float(x.values.max()) for x in az.rhat(draws, method="split").data_vars.values())
    return ess, rhat, time.perf_counter() - start


def means_of(outputs):
    return {name: [float(x) for x in draws.reshape(-1, *draws.shape[2:]).mean(0, dtype=float).ravel()]
            for name, draws in outputs.items()}  # fmt: skip


def worker(arguments):
    """Both runs of one sampler. Its figures go to standard output as one line of JSON."""
    import ensemble_models
    import ensemble_samplers

    name, sampler = arguments.worker
    model_class, *sizes = ensemble_models.MODELS[name]
    model = model_class()
    run = ensemble_samplers.SAMPLERS[sampler](model, *smaller(sizes, arguments.scale))
    first = run(arguments.seed)
    here = time.monotonic()
    start, of_processor = time.perf_counter(), time.process_time()
    second = run(arguments.seed)
    seconds, of_processor = time.perf_counter() - start, time.process_time() - of_processor
    if not (first == second).all():
        raise RuntimeError("the same seed gave other draws")
    outputs = model.outputs(first)
    ess, rhat, summary = smallest(outputs)
    figures = {"first_draws_at": here, "run": seconds, "processor": of_processor, "summary": summary, "ess": ess, "worst_rhat": rhat}
    print(json.dumps({**figures, "means": means_of(outputs)}))


def smaller(sizes, scale):
    chains, warmup, draws = sizes
    return chains, max(round(warmup * scale), 20), max(round(draws * scale), 20)


def bound_to(cores):
    """Cores 0 to cores - 1 of those there are; libraries count these when they start their threads."""
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    return lambda: os.sched_setaffinity(0, chosen)


def run_peer(arguments, name, sampler, cores, seed):
    command = [sys.executable, __file__, "--worker", name, sampler, "--seed", str(seed)]
    command += ["--scale", str(arguments.scale)]
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, preexec_fn=bound_to(cores), timeout=arguments.limit
        )
    except subprocess.TimeoutExpired:
        return {"seed": seed, "error": f"took longer than {arguments.limit:.0f} s"}
    if done.returncode != 0:
        return {"seed": seed, "error": tables.failure(done)}
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    figures["process"] = figures.pop("first_draws_at") - start
    figures["answer"] = figures["process"] + figures["summary"]
    return {"seed": seed, "error": "", **figures}


def run_manychain(arguments, name, sizes, cores, seed):
    """The process from start to end, its diagnostics included; then once more, for draws that ArviZ can read."""
    chains, warmup, draws = smaller(sizes, arguments.scale)
    with tempfile.TemporaryDirectory() as folder:
        figures, file = pathlib.Path(folder) / "figures.json", pathlib.Path(folder) / "draws.nc"
        command = [arguments.manychain, "sample", name, "--chains", str(chains), "--warmup", str(warmup)]
        command += ["--draws", str(draws), "--seed", str(seed), "--threads", str(cores), "--backend", "cpu"]
        command += arguments.manychain_options.split()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "preexec_fn": bound_to(cores)}
        start = time.monotonic()
        done = subprocess.run([*command, "--json", figures, "--output", "none"], **quiet)
        answer = time.monotonic() - start
        if done.returncode == 0:
            done = subprocess.run([*command, "--output", file], **quiet)
        if done.returncode != 0:
            return {"seed": seed, "error": f"status {done.returncode}: {done.stderr.decode().strip()}"}
        import xarray

        said = json.loads(figures.read_text())
        with xarray.open_dataset(file, group="posterior", engine="h5netcdf") as posterior:
            outputs = {str(variable): posterior[variable].values for variable in posterior.data_vars}
    ess, rhat, _ = smallest(outputs)
    seconds = said["seconds"]
    return {
        "seed": seed,
        "error": "",
        "answer": answer,
        "process": answer - seconds["diagnostics"],
        "run": seconds["warmup"] + seconds["sampling"],
        "summary": seconds["diagnostics"],
        "total": seconds["total"],
        "ess": ess,
        "own_ess": min(of["ess_bulk"] for of in said["parameters"].values()),
        "worst_rhat": rhat,
        "means": means_of(outputs),
    }


WIDTHS = [24, 7, 8, 11, 10, 10, 12, 9, 16, 16, 16, 10]
HEADING = ["sampler", "cores", "run", "processor", "process", "summary", "bulk ESS", "R-hat"]
HEADING += ["ESS/s answer", "ESS/s process", "ESS/s run", "means"]


def furthest(means, others):
    """The largest distance of a mean from the same of another sampler, absolute."""
    return max(abs(a - b) for name in means for a, b in zip(means[name], others[name]))


def print_case(case, others):
    ended = [run for run in case["runs"] if not run["error"]]
    if not ended:
        return tables.print_row([case["sampler"], case["cores"], case["runs"][0]["error"]], [24, 7, 40])

    def of(key, digits=2):
        return tables.number(tables.median([run[key] for run in ended]), digits)

    processor = tables.number(tables.median([run["processor"] for run in ended]), 2) if case["sampler"] != OWN else ""
    process = tables.median([run["ess"] / run["process"] for run in ended])
    answer = tables.median([run["ess"] / run["answer"] for run in ended])
    run = tables.median([run["ess"] / run["run"] for run in ended])
    gap = max(furthest(one["means"], others) for one in ended) if others else None
    cells = [case["sampler"], case["cores"], of("run"), processor, of("process"), of("summary"), of("ess", 0), of("worst_rhat", 4)]
    cells += [tables.number(answer, 0), tables.number(process, 0), tables.number(run, 0), tables.number(gap, 3)]
    tables.print_row(cells, WIDTHS)


NOTES = """Seconds, medians over the seeds. Run: warm-up and sampling, compiled before (that of
manychain_by_jax with its diagnostics); processor: its seconds of the processor, on a machine that others share. Process: from its start until
the draws of its first run are there, imports and compilation included. Summary: bulk ESS and split R-hat by ArviZ, or
manychain's diagnostics, which have tail ESS, quantiles and nested R-hat, too. Answer: process and summary.
Bulk ESS: the smallest of all outputs, by ArviZ for all. Means: the largest distance of one from manychain's first run."""


def main():
    sizes = {"normal": (1024, 500, 1000), "eight_schools": (1024, 500, 1000), "logistic_regression": (256, 500, 500)}
    samplers = ["jax_by_hand", "tfp_chees", "tfp_snaper", "blackjax_chees", "blackjax_meads"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(sizes), help="default: %(default)s")
    others = "there are manychain_by_jax, manychain_by_jax_double, numpyro_nuts and blackjax_nuts, too (default: %(default)s)"
    parser.add_argument("--samplers", default=",".join(samplers), help=others)
    parser.add_argument("--cores", default="2,1", help="numbers of cores, each a run (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: %(default)s)")
    parser.add_argument("--manychain", metavar="PROGRAM", help="manychain, to run beside")
    parser.add_argument("--manychain-options", default="", metavar="'OPTIONS'", help="of manychain sample")
    parser.add_argument("--limit", type=float, default=600, help="seconds of a process (default: %(default)s)")
    parser.add_argument("--scale", type=float, default=1, help="of warm-up and draws, for trying (default: 1)")
    parser.add_argument("--json", metavar="FILE", help="write all runs there, too")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return worker(arguments)
    contenders = ([OWN] if arguments.manychain else []) + [s for s in arguments.samplers.split(",") if s]
    cores = [int(count) for count in arguments.cores.split(",")]
    facts = tables.machine()
    asked = {"seeds": arguments.seeds, "seed": arguments.seed, "scale": arguments.scale}
    tables.print_title("ensembles.py", asked, arguments, facts)
    found = []
    for name in arguments.models.split(","):
        cases = [{"sampler": s, "cores": count, "runs": []} for count in cores for s in contenders]
        for seed in range(arguments.seed, arguments.seed + arguments.seeds):
            for case in cases:  # in turn, so that a machine that drifts misleads all alike
                if case["sampler"] == OWN:
                    case["runs"].append(run_manychain(arguments, name, sizes[name], case["cores"], seed))
                elif not any(run["error"] for run in case["runs"]):
                    case["runs"].append(run_peer(arguments, name, case["sampler"], case["cores"], seed))
        chains, warmup, draws = smaller(sizes[name], arguments.scale)
        print(f"{name}: {chains} chains, {warmup} + {draws} transitions\n")
        tables.print_row(HEADING, WIDTHS)
        own = cases[0]["runs"][0].get("means") if cases[0]["sampler"] == OWN else None
        for case in cases:
            print_case(case, own)
        print(flush=True)
        found.append({"model": name, "chains": chains, "warmup": warmup, "draws": draws, "cases": cases})
    print(NOTES)
    for case in (case for model in found for case in model["cases"]):
        for run in case["runs"]:
            run.pop("means", None)
    tables.write(
        arguments.json,
        {
            "program": "bench/peers/ensembles.py",
            "machine": facts,
            "settings": asked,
            "manychain_options": arguments.manychain_options if arguments.manychain else None,
            "models": found,
        },
    )


if __name__ == "__main__":
    main()
