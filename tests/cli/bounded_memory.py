#!/usr/bin/env python3
"""A run that has more draws than memory for them has the bytes of one that holds them all.

    bounded_memory.py PROGRAM FOLDER

The draws take 205 MB. What a run in one go and one of parts, and the commands that read its store, take beside the
memory of the program is counted.
"""

import json
import os
import shutil
import subprocess
import sys

from store_files import require_same

PROGRAM, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = ["sample", "normal", "--data", "data.json", "--seed", "3", "--chains", "256", "--warmup", "40", "--backend", "cpu",
         "--threads", "2", "--draws", "2000"]
DRAWS = 256 * 2000 * (96 + 4) * 4  # bytes
LIMIT = 0.75 * DRAWS


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


def run(*words):
    """The bytes that a program had in memory at once."""
    # A process knows the largest of its children alone: each program has a parent of its own.
    counter = ("import resource, subprocess, sys\n"
               "status = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode\n"
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)\n"
               "sys.exit(status)\n")
    made = subprocess.run([sys.executable, "-c", counter, PROGRAM, *words], capture_output=True, text=True, timeout=250)
    require(made.returncode in (0, 4), f"{words}: status {made.returncode}\n{made.stderr}")
    return int(made.stdout)


def facts(name):
    """All of a summary but seconds."""
    with open(name, encoding="utf-8") as file:
        found = json.load(file)
    found.pop("seconds", None)
    return found


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    os.chdir(FOLDER)
    with open("data.json", "w", encoding="utf-8") as file:
        file.write('{"D": 96}')
    program = run("models")
    taken = {}
    whole = run(*MODEL, "--output", "whole.zarr", "--json", "whole.json") - program
    require(whole > DRAWS, f"a run that holds its draws takes {whole:.3g} bytes, and they take {DRAWS:.3g}")
    memory = ["--memory", "16"]
    taken["sample"] = run(*MODEL, "--output", "run.zarr", "--json", "run.json", *memory)
    require_same("run.zarr", "whole.zarr")
    require(facts("run.json") == facts("whole.json"), "a run that holds some of its draws has another summary")
    taken["resume"] = run("resume", "run.zarr", "--json", "again.json", *memory)
    require(facts("again.json") == facts("whole.json"), "read back, the summary is another one")

    run(*MODEL, "--output", "warm.zarr", "--warmup-only")
    parts = [f"warm.part-{k}-of-2.zarr" for k in (1, 2)]
    for k, part in enumerate(parts):
        taken[part] = run("resume", "warm.zarr", "--part", f"{k + 1}/2", "--output", part, *memory)
    taken["merge"] = run("merge", "merged.zarr", *parts, "--json", "merged.json", *memory)
    require_same("merged.zarr", "whole.zarr")
    require(facts("merged.json") == facts("whole.json"), "merged, the summary is another one")

    taken["summary"] = run("summary", "run.zarr", "--json", "read.json", *memory)
    run("summary", "run.zarr", "--json", "held.json")
    require(facts("read.json") == facts("held.json"), "summary gives another one if it holds some of the draws")
    taken["diagnose"] = run("diagnose", "run.zarr", *memory)
    taken["report"] = run("report", "run.zarr", *memory)
    for name, bytes_ in taken.items():
        print(f"{name}: {(bytes_ - program) / 1e6:.0f} MB beside the program's own {program / 1e6:.0f}")
    for name, bytes_ in taken.items():
        require(bytes_ - program < LIMIT, f"{name} takes {bytes_ - program:.3g} bytes, of draws that are {DRAWS:.3g}")
    shutil.rmtree(FOLDER)


main()
