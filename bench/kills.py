#!/usr/bin/env python3
"""Kills at random moments, random splits into parts, random numbers of ranks: the numbers are those of the unbroken run.

    kills.py PROGRAM PROGRAM_OF_RANKS FOLDER [SEED [DRAWS]]

The first program is manychain, the second manychain-mpi. DRAWS of each chain, 800 unless given. Chunks of stores may be cut
otherwise: numbers are compared.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

PROGRAM, RANKED, FOLDER = (os.path.abspath(path) for path in sys.argv[1:4])
RNG = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
DRAWS = sys.argv[5] if len(sys.argv) > 5 else "800"
BYTES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8, "bool": 1}
MODEL = ["sample", "eight_schools_centered", "--seed", "11", "--chains", "256", "--warmup", "800", "--draws", DRAWS,
         "--precision", "double", "--backend", "cpu", "--save-warmup"]


def path(name):
    return os.path.join(FOLDER, name)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def numbers(store):
    """The bytes of each array of draws, row by row of chains; of others their chunks."""
    found = {}
    with open(os.path.join(store, "zarr.json"), encoding="utf-8") as file:
        arrays = json.load(file)["consolidated_metadata"]["metadata"]
    for name, array in arrays.items():
        if array["node_type"] != "array":
            continue
        shape, chunk = array["shape"], array["chunk_grid"]["configuration"]["chunk_shape"]
        if array["dimension_names"][:2] != ["chain", "draw"]:
            where = os.path.join(store, name)
            # The numbers of draws are written ahead, to the end of their chunk.
            if not name.endswith("/draw"):
                found[name] = b"".join(read(os.path.join(where, c)) for c in sorted(os.listdir(where)) if c != "zarr.json")
            continue
        element = BYTES[array["data_type"]]
        for extent in shape[2:]:
            element *= extent
        rows = [bytearray() for _ in range(shape[0])]
        for block in range(-(-shape[1] // chunk[1])):
            for column in range(-(-shape[0] // chunk[0])):
                at = os.path.join(store, name, ".".join(map(str, ["c", column, block] + [0] * (len(shape) - 2))))
                if not os.path.exists(at):
                    if array["fill_value"] == "NaN":
                        sys.exit(f"{at} is missing")
                    continue  # one number for all
                data = read(at)
                width = chunk[1] * element
                keep = min(chunk[1], shape[1] - block * chunk[1]) * element
                for c in range(min(chunk[0], shape[0] - column * chunk[0])):
                    rows[column * chunk[0] + c] += data[c * width:c * width + keep]
        found[name] = b"".join(bytes(row) for row in rows)
    return found


WHOLE = {}


def require_whole(store, what):
    mine = numbers(store)
    if sorted(mine) != sorted(WHOLE):
        sys.exit(f"{what}: {store} has other variables: {sorted(set(mine) ^ set(WHOLE))}")
    for name, data in WHOLE.items():
        if mine[name] != data:
            sys.exit(f"{what}: {store}/{name} differs")


def command(words, ranks=0):
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), RANKED]
    return (mpirun if ranks else [PROGRAM]) + words


def start(words, ranks=0):
    return subprocess.Popen(command(words, ranks), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def run(words, ranks=0, status=(0, 1)):
    made = subprocess.run(command(words, ranks), capture_output=True, text=True, timeout=500)
    if made.returncode not in status:
        sys.exit(f"{words}, {ranks} ranks: status {made.returncode}\n{made.stdout}{made.stderr}")
    return made.stdout + made.stderr


def children(pid):
    """The ranks of an mpirun."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(entry))
        except (FileNotFoundError, ProcessLookupError, NotADirectoryError, IsADirectoryError):
            pass
    return found


def phase_of(store):
    try:
        with open(os.path.join(store, "zarr.json"), encoding="utf-8") as file:
            about = json.load(file)["attributes"]["manychain_store"]
        return "sampling" if about["draws"] > 0 else "warm-up"
    except FileNotFoundError:
        return "before warm-up"


def kill_runs(kills, seconds):
    """Runs that are killed again and again; ranks of some of them, where one rank is killed."""
    killed, phases, rank_kills, slowest = 0, {}, 0, 0.0
    while killed < kills:
        store = path(f"killed{killed}.zarr")
        for step in range(100):
            ranks = RNG.choice([0, 0, 0, 2, 3])
            every = RNG.choice([[], ["--every", "0"]])
            begun = os.path.exists(os.path.join(store, "manychain.state"))
            if not begun:
                shutil.rmtree(store, ignore_errors=True)
            words = (["resume", store] if begun else [*MODEL, "--output", store]) + every
            process = start(words, ranks)
            try:
                process.wait(timeout=RNG.uniform(0, seconds * (3 if ranks else 1)))
            except subprocess.TimeoutExpired:
                phase = phase_of(store)
                ranks_there = children(process.pid) if ranks else []
                if ranks and len(ranks_there) < ranks:
                    process.kill()  # they have hardly begun
                elif ranks:
                    os.kill(RNG.choice(ranks_there), signal.SIGKILL)
                    began = time.monotonic()
                    process.wait(timeout=30)
                    slowest = max(slowest, time.monotonic() - began)
                    rank_kills += 1
                else:
                    process.kill()
                _, errors = process.communicate(timeout=60)
                if ranks and process.returncode == 0:
                    break
                killed += 1
                phases[phase] = phases.get(phase, 0) + 1
                if killed >= kills:
                    begun = os.path.exists(os.path.join(store, "manychain.state"))
                    run(["resume", store] if begun else [*MODEL, "--output", store])
                    break
                continue
            _, errors = process.communicate()
            if process.returncode not in (0, 1):
                sys.exit(f"{words}: status {process.returncode}: {errors}")
            break
        if not os.path.exists(os.path.join(store, "zarr.json")):
            run([*MODEL, "--output", store])
        require_whole(store, "kills")
        shutil.rmtree(store)
    print(f"{killed} kills of runs: last stored {phases}; {rank_kills} of one rank among several, which ended the others "
          f"within {slowest:.1f} s", flush=True)


def splits(count, merge_kills):
    warm = path("warm.zarr")
    run([*MODEL, "--warmup-only", "--output", warm])
    killed, part_kills, ns = 0, 0, []
    for k in range(count):
        n = RNG.randint(1, 12)
        ns.append(n)
        parts = []
        for part in RNG.sample(range(1, n + 1), n):
            store = path(f"split{k}-{part}.zarr")
            words = ["resume", warm, "--part", f"{part}/{n}", "--output", store]
            if RNG.random() < 0.3:
                process = start(words)
                try:
                    process.wait(timeout=RNG.uniform(0.05, 0.4))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    part_kills += 1
            run(words)
            parts.append(store)
        merged = path(f"merged{k}.zarr")
        while killed < merge_kills * (k + 1) / count:
            process = start(["merge", merged, *parts])
            try:
                process.wait(timeout=RNG.uniform(0.02, 0.5))
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
                if os.path.exists(merged):
                    require_whole(merged, "a merge that was killed")
        run(["merge", merged, *parts])
        require_whole(merged, f"split into {n}")
        for store in [merged, *parts]:
            shutil.rmtree(store)
    print(f"{count} splits into {ns} parts; {part_kills} parts and {killed} merges were killed", flush=True)


def rank_counts(count):
    said = []
    for k in range(count):
        store, ranks, then = path(f"ranks{k}.zarr"), RNG.randint(1, 7), RNG.choice([0, 1, 2, 3, 5])
        if RNG.random() < 0.5:
            run([*MODEL, "--output", store], ranks)
            said.append(str(ranks))
        else:
            where = RNG.choice([["--warmup-only"], ["--draws", str(RNG.randint(1, 700))]])
            model = [word for word in MODEL]
            if where[0] == "--draws":
                model[model.index("--draws") + 1] = where[1]
                where = []
            run([*model, *where, "--output", store], ranks)
            run(["resume", store, "--draws", DRAWS], then)
            said.append(f"{ranks} then {then}")
        require_whole(store, f"{said[-1]} ranks")
        shutil.rmtree(store)
    print(f"{count} numbers of ranks: {', '.join(said)}", flush=True)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    began = time.monotonic()
    run([*MODEL, "--output", path("whole.zarr")])
    seconds = time.monotonic() - began
    WHOLE.update(numbers(path("whole.zarr")))
    print(f"the unbroken run took {seconds:.1f} s; {len(WHOLE)} variables, {sum(map(len, WHOLE.values())) / 1e6:.0f} MB", flush=True)
    kill_runs(40, seconds)
    splits(20, 10)
    rank_counts(20)
    shutil.rmtree(FOLDER)
    print(f"Right, in {time.monotonic() - began:.0f} s.")


main()
