"""What both scripts say of a machine and of a table."""

import importlib.metadata
import json
import os
import pathlib
import platform
import re
import statistics

PACKAGES = ["arviz", "blackjax", "httpstan", "jax", "jaxlib", "numpy", "numpyro", "nutpie", "pystan", "tfp-nightly"]


def machine():
    """The processor, the cores that this process may use, the load before the run, and the versions of packages."""
    name = platform.processor()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []:
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    installed = {d.metadata["Name"].lower(): d.version for d in importlib.metadata.distributions()}
    versions = {package: installed[package] for package in PACKAGES if package in installed}
    return {
        "processor": name,
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "packages": versions,
    }


def print_title(script, asked, arguments, facts):
    """The options that were given or are defaults of ours, without paths, then the machine and the packages."""
    options = [f"--{key} {value}" for key, value in asked.items() if value not in (None, "")]
    if arguments.manychain and arguments.manychain_options:
        options.append(f"--manychain-options '{arguments.manychain_options}'")
    print(f"## {script} {' '.join(options)}\n")
    print(f"{facts['processor']}, {facts['cores']} cores, load {facts['load']} before; Python {facts['python']},")
    print(", ".join(f"{name} {version}" for name, version in facts["packages"].items()) + "\n", flush=True)


def failure(done):
    """Why a process failed: the last line that names an exception."""
    lines = done.stderr.strip().splitlines() or ["no message"]
    named = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Exit|Interrupt)\b", line)]
    return f"status {done.returncode}: {(named or lines)[-1]}"


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def print_row(cells, widths):
    print("".join(f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(cells, widths))))


def write(path, document):
    if path:
        pathlib.Path(path).write_text(json.dumps(document, indent=2) + "\n")
