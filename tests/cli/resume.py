#!/usr/bin/env python3
"""Runs that are killed at random moments and resumed have the bytes of one that was not.

    resume.py PROGRAM FOLDER

Every file of the store is compared: chunks of draws and statistics, data, coordinates. Only the attributes that say
when, where and in how many seconds differ. Then what a user meets beside: more draws, signals, changed files.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from store_files import require_same

PROGRAM, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
KILLS = 10
SAMPLE = ["sample", "eight_schools_centered", "--seed", "11", "--chains", "128", "--draws", "2500", "--precision", "double",
          "--backend", "cpu", "--metric", "hierarchical", "--save-warmup"]
INTERRUPTED, BAD_INPUT, FAILED = 130, 2, 3


def run(*words, expect=0):
    made = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=100)
    if made.returncode != expect:
        sys.exit(f"{words}: status {made.returncode}, not {expect}\n{made.stdout}{made.stderr}")
    return made.stdout + made.stderr


def start(*words):
    return subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


def killed_run(store, rng, seconds):
    """Starts a run, and kills it and those that go on, KILLS times; returns how many there were to kill."""
    killed = 0
    process = start(*SAMPLE, "--threads", "1", "--output", store)
    for k in range(KILLS):
        try:
            process.wait(timeout=rng.uniform(0, seconds))
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        state = os.path.join(store, "manychain.state")
        words = ["resume", store, "--threads", str(1 + k % 2)]
        if not os.path.exists(state):  # it had hardly begun
            shutil.rmtree(store, ignore_errors=True)
            words = [*SAMPLE, "--output", store]
        process = start(*words)
    _, errors = process.communicate(timeout=100)
    require(process.returncode == 0, f"{store}: resumed with status {process.returncode}: {errors}")
    return killed


def summary(store):
    made = subprocess.run([PROGRAM, "summary", store, "--json", "-"], capture_output=True, text=True, check=True)
    return json.loads(made.stdout)


def test_kills(whole, seconds):
    rng = random.Random(5)
    killed = 0
    for k in range(2):
        store = os.path.join(FOLDER, f"killed{k}.zarr")
        if k == 1:
            SAMPLE.extend(("--compression", "gzip"))
            whole = os.path.join(FOLDER, "compressed.zarr")
            run(*SAMPLE, "--output", whole)
        killed += killed_run(store, rng, seconds / (2 + 2 * k))
        require_same(store, whole)
        said = [summary(path) for path in (store, whole)]
        for one in said:
            one.pop("files", None)
        require(said[0] == said[1], f"{store}: another summary than that of the unbroken run")
    del SAMPLE[-2:]
    require(killed >= KILLS // 2, f"only {killed} processes lived long enough to be killed")
    print(f"{killed} processes were killed.")


def test_ended(whole):
    said = run("resume", whole)
    require("nothing left to sample" in said, f"a run that had ended: {said}")
    run("resume", whole, "--draws", "7", expect=BAD_INPUT)
    run("resume", os.path.join(FOLDER, "none.zarr"), expect=BAD_INPUT)
    said = run("resume", __file__, expect=BAD_INPUT)
    require("is a file, not a store" in said, said)


def test_signal(whole):
    """SIGTERM ends a run that is stored, and it is said how to go on."""
    store = os.path.join(FOLDER, "ended.zarr")
    for _ in range(5):  # a run that ends before the signal comes shows nothing
        process = start(*SAMPLE, "--threads", "1", "--output", store)
        while process.poll() is None and not os.path.exists(os.path.join(store, "manychain.state")):
            time.sleep(0.01)
        process.terminate()
        _, errors = process.communicate(timeout=100)
        if process.returncode != 0:
            break
        shutil.rmtree(store)
    require(process.returncode == INTERRUPTED, f"SIGTERM: status {process.returncode}: {errors}")
    require(f"manychain resume {store}" in errors, f"SIGTERM: it is not said how to go on: {errors}")
    run("resume", store)
    require_same(store, whole)


def test_killed_in_warmup():
    """A warm-up of several seconds that is killed goes on where it was, and may end there."""
    model = ["sample", "logistic_regression", "--seed", "4", "--chains", "64", "--warmup", "6000", "--draws", "30",
             "--backend", "cpu"]
    whole, store = os.path.join(FOLDER, "long.zarr"), os.path.join(FOLDER, "killed.zarr")
    run(*model, "--output", whole)
    process = start(*model, "--every", "0", "--output", store)
    state, before = os.path.join(store, "manychain.state"), 3000  # bytes: there are no chains in it yet
    for _ in range(600):
        time.sleep(0.02)
        if os.path.exists(state) and os.path.getsize(state) > before:
            break
    process.kill()
    process.communicate()
    said = run("resume", store, "--warmup-only")
    require("goes on in warm-up" in said and "nothing is drawn yet" in said, said)
    run("resume", store, "--warmup-only", expect=BAD_INPUT)
    said = run("resume", store)
    require("goes on behind 0 draws" in said, said)
    require_same(store, whole)


def test_checkpoint(keep):
    """A run in one file, killed at random and ended by a limit of time, is the unbroken one: its table, and its draws."""
    name = os.path.join(FOLDER, keep)
    model = ["sample", "eight_schools", "--seed", "8", "--chains", "64", "--warmup", "400", "--draws", "1500", "--thin", "10",
             "--backend", "cpu", "--keep", keep]

    def outputs(which):
        return ["--output", f"{name}-{which}.nc" if keep == "all" else "none"] if which == "whole" or keep == "all" else []

    run(*model, *outputs("whole"), "--json", f"{name}-whole.json")
    rng, file = random.Random(3), f"{name}.checkpoint"
    begin = [*model, *(outputs("broken") or ["--output", "none"]), "--checkpoint", file, "--every", "0", "--threads", "1"]
    killed = 0
    for k in range(8):
        words = ["resume", file, "--every", "0", "--threads", str(1 + k % 2)] if os.path.exists(file) else begin
        process = start(*words)
        try:
            process.wait(timeout=rng.uniform(0.02, 0.2))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            killed += 1
    require(killed >= 2 and os.path.exists(file), f"{name}: only {killed} processes lived long enough to be killed")
    run("resume", file, "--json", f"{name}-broken.json")
    whole, broken = (json.load(open(f"{name}-{which}.json", encoding="utf-8")) for which in ("whole", "broken"))
    for one in (whole, broken):
        for fact in ("seconds", "device", "files"):
            one.pop(fact, None)
    require(whole == broken, f"{name}: another summary than that of the unbroken run: {whole} {broken}")
    if keep == "none":
        said = run("resume", file, "--more", "5", expect=BAD_INPUT)
        require("keeps no draws" in said, said)
    else:
        said = run("resume", file, "--more", "5", "--time-limit", "0.000001", expect=INTERRUPTED)
        require(f"manychain resume {file}" in said, f"it is not said how to go on: {said}")
        run("resume", file, "--output", f"{name}-more.nc")
        require(os.path.exists(f"{name}-more.nc"), "no draws where --output says")
        run("resume", file, "--more", "5", "--output", f"{name}-more.zarr")
        require(stored_draws(f"{name}-more.zarr") == 1505, "another number of draws in the store that --output names")
        said = run(*begin[:-4], "--output", f"{name}.zarr", "--checkpoint", file, expect=BAD_INPUT)
        require("keeps the run already" in said, said)
    with open(f"{name}.txt", "w", encoding="utf-8") as other:
        other.write("a letter")
    run("sample", "normal", "--checkpoint", f"{name}.txt", expect=BAD_INPUT)


def stored_draws(store):
    """How many draws of each chain a reader finds."""
    try:
        with open(os.path.join(store, "zarr.json"), encoding="utf-8") as file:
            return json.load(file)["attributes"]["manychain_store"]["draws"]
    except FileNotFoundError:
        return 0


def test_vanished():
    """The folder is renamed while the run goes on: it says so, and ends with its summary."""
    store = os.path.join(FOLDER, "here.zarr")
    process = start("sample", "eight_schools", "--seed", "1", "--chains", "64", "--draws", "20000", "--thin", "2000",
                    "--every", "1", "--output", store)
    for _ in range(100):
        time.sleep(0.1)
        if stored_draws(store) > 0:
            break
    os.rename(store, os.path.join(FOLDER, "elsewhere.zarr"))
    time.sleep(2.5)
    process.terminate()
    _, errors = process.communicate(timeout=100)
    require(process.returncode == FAILED and "here.zarr: cannot be written" in errors, f"{process.returncode}: {errors}")
    summary(os.path.join(FOLDER, "elsewhere.zarr"))


def test_changed_data():
    data, store = os.path.join(FOLDER, "data.json"), os.path.join(FOLDER, "data.zarr")
    with open(data, "w", encoding="utf-8") as file:
        json.dump({"J": 2, "y": [1.0, 2.0], "sigma": [1.0, 1.0]}, file)
    run("sample", "eight_schools", "--data", data, "--chains", "64", "--draws", "10", "--output", store)
    run("resume", store, "--more", "5")
    with open(data, "a", encoding="utf-8") as file:
        file.write("\n")
    said = run("resume", store, "--more", "5", expect=BAD_INPUT)
    require("data.json: has changed since the run began" in said, said)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    whole = os.path.join(FOLDER, "whole.zarr")
    began = time.monotonic()
    run(*SAMPLE, "--threads", "1", "--output", whole)
    seconds = time.monotonic() - began
    test_kills(whole, seconds)
    test_signal(whole)
    test_ended(whole)
    test_killed_in_warmup()
    test_checkpoint("all")
    test_checkpoint("none")
    test_vanished()
    test_changed_data()
    shutil.rmtree(FOLDER)
    print("Right.")


main()
