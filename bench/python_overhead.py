#!/usr/bin/env python3
"""Time that Python and ctypes add to default runs of the built-in models.

    MANYCHAIN_LIBRARY=build/lib/libmanychain.so PYTHONPATH=python bench/python_overhead.py [RUNS]

Each run has another seed. Its time is that from the call to the verdict; the time within manychain_sample_model() is taken
off it. Medians of RUNS (100) runs, or of those that end in ten seconds.
"""

import statistics
import sys
import time

import manychain

RUNS, SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100, 10
EIGHT_SCHOOLS = {"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}
library = sys.modules["manychain._library"].library
of_library = library.sample_model
within = 0.0


def timed(*arguments):
    global within
    begin = time.perf_counter()
    try:
        return of_library(*arguments)
    finally:
        within = time.perf_counter() - begin


library.sample_model = timed


def row(name, data=None):
    runs, begin = [], time.perf_counter()
    while len(runs) < RUNS and time.perf_counter() - begin < SECONDS:
        start = time.perf_counter()
        result = manychain.sample(name, data, seed=len(runs) + 1, progress=False)
        result.verdict  # a property
        whole = time.perf_counter() - start
        runs.append((whole, whole - within))
        del result
    whole, added = (statistics.median(column) * 1e3 for column in zip(*runs))
    print(f"{name + (', data of Python' if data else ''):34} {len(runs):4} runs of {whole:7.2f} ms, {added:5.3f} ms of Python: "
          f"{100 * added / (whole - added):.1f} %", flush=True)


for model in manychain.models():
    row(model.name)
row("eight_schools", EIGHT_SCHOOLS)
