#!/usr/bin/env python3
"""Data sets whose run is killed at random moments and goes on, or is in parts, have the answers of the unbroken run.

    kept_sets.py PROGRAM FOLDER

Summaries are compared as JSON, files of NetCDF byte by byte: these may differ in the time at which they were made and in
checksums of HDF5 over that, 4 bytes a group.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys

PROGRAM, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
BAD_INPUT, FAILED, INTERRUPTED = 2, 3, 130
SETS = 120
SAMPLE = ["sample", "eight_schools", "--data-sets", "sets.jsonl", "--seed", "3", "--threads", "1", "--log-likelihood", "2"]


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


def run(*words, expect=0):
    made = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=100)
    require(made.returncode == expect, f"{words}: status {made.returncode}, not {expect}\n{made.stdout}{made.stderr}")
    return made.stdout + made.stderr


def killed(seconds, *words):
    """True if the process lived long enough to be killed."""
    process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


def write_sets(name):
    rng = random.Random(1)
    with open(name, "w", encoding="utf-8") as file:
        for k in range(SETS):
            schools = rng.choice([3, 8, 8])
            data = {"J": schools, "y": [rng.gauss(5, 10) for _ in range(schools)],
                    "sigma": [rng.uniform(8, 18) for _ in range(schools)]}
            if k == 17:
                data["sigma"][0] = -1  # the model refuses it
            file.write(json.dumps(data) + "\n")


def answers(name):
    with open(name, encoding="utf-8") as file:
        found = json.load(file)
    found.pop("seconds")
    for one in found["sets"]:
        one.pop("seconds", None)
    return found


def require_same(name):
    mine, whole = answers(name + ".json"), answers("whole.json")
    require(mine == whole, f"{name}: other answers than those of the unbroken run")
    dates = re.compile(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d")
    files = []
    for path in (name + ".nc", "whole.nc"):
        with open(path, "rb") as file:
            files.append(dates.sub(b"date", file.read()))
    require(len(files[0]) == len(files[1]), f"{name}.nc: another size than that of the unbroken run")
    differ = sum(a != b for a, b in zip(*files))
    require(differ <= 4 * 4, f"{name}.nc: {differ} bytes differ")


def test_kills():
    rng, kills = random.Random(5), 0
    for k in range(2):
        name = f"killed{k}"
        begin = [*SAMPLE, "--output", f"{name}.nc", "--checkpoint", f"{name}.sets", "--every", "0"]
        for _ in range(8):
            words = ["resume", f"{name}.sets", "--threads", "1"] if os.path.exists(f"{name}.sets") else begin
            kills += killed(rng.uniform(0.02, 0.25), *words)
        if not os.path.exists(f"{name}.sets"):
            run(*begin)
        run("resume", f"{name}.sets", "--threads", "1", "--json", f"{name}.json")
        require_same(name)
    require(kills >= 4, f"only {kills} processes lived long enough to be killed")
    said = run("resume", "killed0.sets", "--threads", "1", "--json", "killed0.json")
    require(f"{SETS} of {SETS} data sets have an answer" in said, said)
    require_same("killed0")
    print(f"{kills} processes were killed.")


def test_time():
    said = run(*SAMPLE, "--output", "limited.nc", "--checkpoint", "limited.sets", "--time-limit", "0.1", expect=INTERRUPTED)
    require("To go on: manychain resume limited.sets" in said, said)
    run("resume", "limited.sets", "--threads", "1", "--json", "limited.json")
    require_same("limited")


def test_parts():
    parts = [f"part{k}.sets" for k in (1, 2, 3)]
    for k, part in enumerate(parts, 1):
        said = run(*SAMPLE, "--part", f"{k}/3", "--checkpoint", part)
        require(f"part {k}/3: 0 of 40 data sets have an answer" in said, said)
    said = run(*SAMPLE, "--part", "2/3", "--checkpoint", parts[1])  # the job is started again
    require("part 2/3: 40 of 40 data sets have an answer" in said, said)
    require(not os.path.exists("eight_schools.nc"), "a part has written a file of draws")
    said = run("merge", "merged.nc", parts[2], parts[0], expect=BAD_INPUT)
    require("40 of 120 data sets have no answer, the first of them the one with number 41" in said, said)
    require("give each part once" in run("merge", "merged.nc", *parts, parts[0], expect=BAD_INPUT), "a part twice")
    run(*SAMPLE[:-2], "--part", "2/3", "--checkpoint", "foreign.sets")
    said = run("merge", "merged.nc", parts[0], "foreign.sets", parts[2], expect=BAD_INPUT)
    require("foreign.sets: is of another run than part1.sets" in said, said)
    require(not os.path.exists("merged.nc"), "a merge that was refused has left a file")
    run("merge", "merged.nc", parts[2], parts[0], parts[1], "--threads", "1", "--json", "merged.json")
    require_same("merged")


def test_refusals():
    for words, why in [
            (("--part", "1/3"), "--part needs --checkpoint"),
            (("--part", "1/500", "--checkpoint", "no.sets"), "120 data sets are fewer than 500 parts"),
            (("--part", "4/3", "--checkpoint", "no.sets"), "4/3 is no part"),
            (("--save-warmup", "--checkpoint", "killed0.sets"), "leave it out"),
            (("--checkpoint", "whole.json"), "whole.json: there is such a file"),
            (("--folds", "3", "--checkpoint", "no.sets"), "--folds is for one data set")]:
        said = run(*SAMPLE, *words, expect=BAD_INPUT)
        require(why in said, f"{words}: {said}")
    said = run("sample", "eight_schools", "--data-sets", "sets.jsonl", "--part", "1/3", "--checkpoint", "no.sets",
               expect=BAD_INPUT)
    require("--part needs --seed" in said, said)
    said = run("sample", "normal", "--part", "1/3", expect=BAD_INPUT)
    require("--part is for --data-sets" in said, said)
    require(os.path.getsize("killed0.sets") > 100000, "a run that was refused has begun its file anew")
    said = run("resume", "killed0.sets", "--more", "5", expect=BAD_INPUT)
    require("--more: killed0.sets has data sets" in said, said)
    with open("changed.sets", "wb") as file, open("killed1.sets", "rb") as whole:
        file.write(whole.read().replace(b"killed1", b"killed9", 1))
    said = run("resume", "changed.sets", expect=BAD_INPUT)
    require("changed.sets: is damaged at its beginning" in said, said)
    with open("sets.jsonl", "a", encoding="utf-8") as file:
        file.write("\n")
    said = run("resume", "killed0.sets", expect=BAD_INPUT)
    require("sets.jsonl: has changed since the run began" in said, said)
    require(not os.path.exists("no.sets"), "a run that was refused has left a file")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    os.chdir(FOLDER)
    write_sets("sets.jsonl")
    run(*SAMPLE, "--output", "whole.nc", "--json", "whole.json")
    test_kills()
    test_time()
    test_parts()
    test_refusals()
    os.chdir("/")
    shutil.rmtree(FOLDER)
    print("Right.")


main()
