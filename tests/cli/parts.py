#!/usr/bin/env python3
"""A run in parts, killed at random moments and resumed, has the bytes of one that was never in parts.

    parts.py PROGRAM FOLDER

Warm-up once, parts side by side, a merge that is killed and begun again. Then a limit of time, the signal that batch
systems send before theirs, and what a user gets wrong.
"""

import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from store_files import chunks, require_same

PROGRAM, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
PARTS = 5
MODEL = ["sample", "eight_schools_centered", "--seed", "12", "--chains", "200", "--precision", "double", "--backend", "cpu",
         "--metric", "hierarchical", "--draws", "4000", "--save-warmup"]
BAD_INPUT, INTERRUPTED = 2, 130


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


def run(*words, expect=0):
    made = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=100)
    require(made.returncode == expect, f"{words}: status {made.returncode}, not {expect}\n{made.stdout}{made.stderr}")
    return made.stdout + made.stderr


def start(*words):
    return subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def path(name):
    return os.path.join(FOLDER, name)


def part(warm, number, rng, kills):
    """Samples a part; the process is killed so often, and each time another one goes on."""
    store = warm.replace(".zarr", f".part-{number}-of-{PARTS}.zarr")
    killed = 0
    while True:
        # By its own store, or as a batch system starts its task again.
        begun = os.path.exists(os.path.join(store, "manychain.state")) and killed % 2 == 0
        words = ["resume", store] if begun else ["resume", warm, "--part", f"{number}/{PARTS}"]
        process = start(*words, "--threads", "1")
        try:
            _, errors = process.communicate(timeout=rng.uniform(0.01, 0.15) if killed < kills else 100)
            require(process.returncode == 0, f"{words}: status {process.returncode}: {errors}")
            return killed
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            killed += 1


def test_parts():
    whole, warm, merged = path("whole.zarr"), path("warm.zarr"), path("merged.zarr")
    run(*MODEL, "--output", whole)
    said = run(*MODEL, "--warmup-only", "--output", warm)
    require("nothing is drawn yet" in said, said)
    before = chunks(warm, "manychain.state")
    rng = random.Random(3)
    killed = sum(part(warm, number, rng, 3) for number in range(1, PARTS + 1))
    parts = sorted(glob.glob(path("warm.part-*.zarr")))
    require(len(parts) == PARTS, f"parts: {parts}")
    require(chunks(warm, "manychain.state") == before, "sampling a part has changed the run that it is of")
    require(f"of {PARTS} parts 1 is missing: 2" in run("merge", merged, parts[0], *parts[2:], expect=BAD_INPUT),
            "a part is missing, and it is not said which")
    require(not os.path.exists(merged), "a merge that was refused has left a store")
    for _ in range(5):
        process = start("merge", merged, *parts)
        time.sleep(rng.uniform(0.0, 0.15))
        killed += process.poll() is None
        process.kill()
        process.communicate()
        if os.path.exists(merged):  # then it is whole
            require_same(merged, whole)
    rng.shuffle(parts)
    said = run("merge", warm, *parts, expect=BAD_INPUT)
    require("is the run that the parts were cut from" in said, said)
    run("resume", warm, "--part", "1/2", "--output", parts[0], expect=BAD_INPUT)
    said = run("merge", merged, *parts)
    require("Converged" in said, said)
    require_same(merged, whole)
    require(killed >= 3, f"only {killed} processes lived long enough to be killed")
    run("resume", merged, "--more", "50")
    run("resume", whole, "--more", "50")
    require_same(merged, whole)
    run("resume", warm)  # all chains, in the store of the warm-up
    run("resume", warm, "--more", "50")
    require_same(warm, whole)
    print(f"{killed} processes were killed.")


def test_compressed():
    """Parts of a compressed store are compressed as it is, and merge to the bytes of the whole run."""
    whole, warm, merged = path("whole-gzip.zarr"), path("warm-gzip.zarr"), path("merged-gzip.zarr")
    run(*MODEL, "--compression", "gzip", "--output", whole)
    run(*MODEL, "--compression", "gzip", "--warmup-only", "--output", warm)
    for k in (1, 2):
        run("resume", warm, "--part", f"{k}/2")
    run("merge", merged, *sorted(glob.glob(path("warm-gzip.part-*.zarr"))))
    require_same(merged, whole)
    plain = path("plain.zarr")
    run(*MODEL, "--output", plain)
    require(chunks(plain)["posterior/mu/c.0.0"] != chunks(whole)["posterior/mu/c.0.0"], "the store is not compressed")
    said = run("sample", "normal", "--compression", "gzip", "--output", path("no.nc"), expect=BAD_INPUT)
    require("--compression is for a Zarr store" in said, said)
    said = run("sample", "normal", "--compression", "zip", "--output", path("no.zarr"), expect=BAD_INPUT)
    require("there is no zip; there are none and gzip" in said, said)


def test_time():
    """A limit of time, and SIGUSR1, end a run with its draws."""
    long = ["sample", "eight_schools", "--seed", "1", "--chains", "64", "--draws", "20000", "--thin", "2000"]
    store = path("limited.zarr")
    said = run(*long, "--time-limit", "1", "--output", store, expect=INTERRUPTED)
    require(f"manychain resume {store}" in said, said)
    said = run("resume", store, "--time-limit", "0.5", expect=INTERRUPTED)
    require("draws of each chain" in said, said)
    # The limit ends the search for starts, or the choice of the precision before it, if there is one to make: behind that
    # there is something to go on from.
    early = [*long, "--time-limit", "1e-6", "--output"]
    said = run(*early, path("early.zarr"), expect=INTERRUPTED)
    require("--time-limit: 1e-06 seconds were over before the first draw" in said, said)
    said = run(*early, path("chosen.zarr"), "--precision", "double", expect=INTERRUPTED)
    require("--time-limit: 1e-06 seconds were over before the first draw" in said and "manychain resume" in said, said)
    run("sample", "normal", "--time-limit", "0", expect=BAD_INPUT)
    process = start(*long, "--output", path("signalled.zarr"))
    time.sleep(1)
    process.send_signal(signal.SIGUSR1)
    _, errors = process.communicate(timeout=100)
    require(process.returncode == INTERRUPTED and "manychain resume" in errors, f"SIGUSR1: {process.returncode} {errors}")


def test_mistakes():
    warm = path("default.zarr")
    run("sample", "normal", "--seed", "1", "--warmup-only", "--output", warm)
    for words, why in [
            ((warm, "--part", "1/2"), "give the number of draws"),
            ((warm, "--part", "3/2", "--draws", "5"), "3/2 is no part"),
            ((warm, "--part", "half", "--draws", "5"), "half is no part"),
            ((warm, "--part", "1/2", "--draws", "5", "--output", path("part.nc")), "is stored as NAME.zarr"),
            ((warm, "--part", "1/2", "--draws", "5", "--output", warm), "default.zarr"),
            ((warm, "--output", path("else.zarr")), "a run goes on in its own store")]:
        said = run("resume", *words, expect=BAD_INPUT)
        require(why in said, f"resume {words}: {said}")
    said = run("sample", "normal", "--warmup-only", "--output", path("warm.nc"), expect=BAD_INPUT)
    require("--warmup-only needs a store" in said, said)
    run("resume", warm, "--part", "1/2", "--draws", "5", "--output", path("a.zarr"))
    for words, why in [((path("m.zarr"), warm), "is no part"),
                       ((path("m.nc"), path("a.zarr")), "the merged run is a store"),
                       ((path("a.zarr"), path("a.zarr")), "a.zarr"),
                       ((path("m.zarr"), path("none.zarr")), "none.zarr"),
                       ((path("m.zarr"), path("a.zarr"), path("a.zarr")), "part 1 is there 2 times")]:
        said = run("merge", *words, expect=BAD_INPUT)
        require(why in said, f"merge {words}: {said}")
        require(not os.path.exists(path("m.zarr")), f"merge {words} has left a store")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    test_parts()
    test_compressed()
    test_time()
    test_mistakes()
    shutil.rmtree(FOLDER)


main()
