#!/usr/bin/env python3
"""500 damaged files through the command line: a sentence or a result, never a crash, a hang or all the memory.

    mutated_files.py PROGRAM SOURCE FOLDER [--sanitized]

SOURCE is the project's own folder. Files are made from sound ones by a fixed seed: bits flipped, pieces deleted,
inserted, repeated and cut off, numbers replaced, brackets nested. What fails is kept in FOLDER with its command.
"""

import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import unicodedata

PROGRAM, SOURCE, FOLDER = (os.path.abspath(path) for path in sys.argv[1:4])
SANITIZED = "--sanitized" in sys.argv  # a sanitizer maps terabytes and takes its time
SECONDS = 300 if SANITIZED else 60  # of one command
MEMORY = 2 << 30  # bytes of address space
COUNTS = {"netcdf": 175, "csv": 112, "data": 100, "table": 38, "chain": 75}

NUMBERS = ["", "0", "-1", "2", "1e999", "-1e308", "1e-320", "NaN", "-Infinity", "nan", "inf", "null", "true", '"x"', "[]",
           "{}", "2147483648", "4294967297", "9007199254740993", "18446744073709551616", "1" + 400 * "0", "0.5", "1e9",
           "--3", "1.2.3", "0x10"]
WORDS = [b"[", b"]", b"{", b"}", b",", b":", b'"', b"\n", b"\r\n", b"\0", b"#", b"\xff\xfe", b"\\", b"-", b"e", b".1"]
FIELDS = [0, 1, 0x7F, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def piece(rng, content):
    begin = rng.randrange(len(content))
    return begin, min(len(content), begin + 1 + int(2 ** rng.uniform(0, 10)))


def flip(rng, content):
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def overwrite(rng, content):
    for _ in range(rng.choice([1, 1, 4])):
        content[rng.randrange(len(content))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])


def delete(rng, content):
    begin, end = piece(rng, content)
    del content[begin:end]


def insert(rng, content):
    at = rng.randrange(len(content) + 1)
    content[at:at] = rng.choice(WORDS) * rng.choice([1, 1, 2, 100]) if rng.random() < 0.7 else rng.randbytes(
        rng.randrange(1, 100))


def truncate(rng, content):
    del content[rng.randrange(len(content)):]


def repeat(rng, content):
    begin, end = piece(rng, content)
    at = rng.randrange(len(content) + 1)
    content[at:at] = content[begin:end] * rng.choice([1, 1, 3])


def move(rng, content):
    begin, end = piece(rng, content)
    part = content[begin:end]
    del content[begin:end]
    at = rng.randrange(len(content) + 1)
    content[at:at] = part


def field(rng, content):
    """A binary number, little-endian, that says something else: an extent, an address, a length."""
    width, code = rng.choice([(2, "<H"), (4, "<I"), (8, "<Q")])
    at = rng.randrange(max(len(content) - width, 1)) // 2 * 2
    value = rng.choice(FIELDS + [rng.getrandbits(64)]) % (1 << 8 * width)
    content[at:at + width] = struct.pack(code, value)


def blank(rng, content):
    """A sector that was lost."""
    at, length = rng.randrange(len(content)), rng.choice([4, 8, 16, 64, 512])
    content[at:at + length] = bytes([rng.choice([0, 0xFF])]) * length


def number(rng, content):
    found = [match.span() for match in re.finditer(rb"-?[0-9][0-9.eE+-]*", content)]
    for _ in range(rng.choice([1, 1, 2, 5])):
        if found:
            begin, end = found.pop(rng.randrange(len(found)))
            # From behind, so that the places of the others stay true.
            found = [span for span in found if span[1] <= begin]
            content[begin:end] = rng.choice(NUMBERS).encode()


def digit(rng, content):
    """Another number that is none to stumble over."""
    places = [i for i, byte in enumerate(content) if 48 <= byte < 58]
    if places:
        content[rng.choice(places)] = 48 + rng.randrange(10)


def nest(rng, content):
    depth = rng.choice([2, 3, 100, 100000])
    opening, closing = rng.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"[", b""), (b"", b"]")])
    begin, end = piece(rng, content)
    content[end:end] = closing * depth
    content[begin:begin] = opening * depth


BYTES = [flip, overwrite, delete, insert, truncate, repeat, move]
# HDF5 refuses at once what is shorter or longer than it was; most of its files keep their length.
MUTATIONS = {"netcdf": BYTES + 3 * [flip, overwrite, overwrite, field, field, blank, blank], "csv": BYTES + [number, number, number, digit],
             "data": BYTES + [number, number, number, digit, digit, nest],
             "table": BYTES + [number, number, number, digit],
             "chain": BYTES + [number, number, digit, digit, digit, nest]}


def read(*path):
    with open(os.path.join(SOURCE, *path), "rb") as file:
        return file.read()


def sampled(name, *options):
    """A file of draws that the program wrote."""
    path = os.path.join(FOLDER, name)
    subprocess.run([PROGRAM, "sample", *options, "--seed", "1", "--backend", "cpu", "--threads", "1", "--output", path],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, "rb") as file:
        return file.read()


def sound_files():
    """Of each kind: file content, and the model that takes it."""
    run = ["--chains", "4", "--warmup", "10", "--draws", "20"]
    return {
        "netcdf": [(sampled("hmc.nc", "eight_schools", *run, "--log-likelihood", "20"), None),
                   (sampled("double.nc", "funnel", *run, "--precision", "double"), None),
                   (sampled("walk.nc", "normal", *run, "--sampler", "metropolis"), None)],
        "csv": [(b"".join(read("tests/data/diagnostics", name).splitlines(True)[:lines]), None)
                for name, lines in [("bern1.csv", 120), ("bern2.csv", 1100), ("blocker.1.csv", 60)]],
        "data": [(read("data", model + ".json"), model)
                 for model in ["eight_schools", "eight_schools_centered", "normal", "linear_regression"]] +
                [(json.dumps({**json.loads(read("data", "eight_schools.json")),
                              **json.loads(read("tests/cli/schools.json"))}).encode(), "eight_schools")],
        "table": [(b'"","school","y","sigma"\r\n' + b"".join(b'"%d","a, ""b""\r\n",%d,%d.5\r\n' % (i, i - 3, 9 + i)
                                                          for i in range(8)), "eight_schools")],
        "chain": [(text.encode(), None) for text in [
            '{"transition_matrix": [[0.4, 0.6], [0.5, 0.5]], "states": ["rain", "sun"], "initial": [1, 0]}',
            '{"transition_matrix": [[0.5, 0.25, 0.25], [0, 1, 0], [0, 0, 1]]}',
            '{"transition_matrix": [[1, 0], [0, 1]], "states": ["x0", "x1"], "initial": [0.5, 0.5]}',
            '{"transition_matrix": [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0.5, 0, 0.5, 0]],\n'
            ' "states": ["a", "b", "c", "d"]}']],
    }


def commands(kind, path, model):
    if kind in ("netcdf", "csv"):
        return [["summary", path, "--threads", "1"], ["diagnose", path, "--threads", "1", "--json", "-"],
                ["report", path, "--threads", "1", "--rows", "5", "-o", "-"]]
    if kind in ("data", "table"):
        beside = ["--data", os.path.join(SOURCE, "tests/cli/schools.json")] if kind == "table" else []
        return [["sample", model, "--data", path, *beside, "--chains", "8", "--warmup", "5", "--draws", "5", "--seed", "1",
                 "--backend", "cpu", "--threads", "1", "--output", "none"]]
    return [["markov", path, "--steps", "7", "--json", "-", "--simulate", "3", "--seed", "1"]]


def fault_of(status, out, err):
    """What is wrong with how a command ended, or nothing."""
    if SANITIZED and "AddressSanitizer: allocator is out of memory" in err:
        return None  # it cannot throw std::bad_alloc, which would end in a sentence
    if status not in (0, 2, 3, 4):
        return f"exit status {status}"
    lines = err.split("\n")
    if SANITIZED and any("libhdf5" in line or "libnetcdf" in line for line in lines):
        lines = lines[-2:]  # what it finds in the child process where HDF5 reads, before that ends
    elif "Sanitizer" in err or "runtime error" in err:
        return "a sanitizer has found something"
    if status in (2, 3) and not (len(lines) >= 2 and lines[-1] == "" and re.match("manychain: .{10}", lines[-2])):
        return "no sentence on stderr"
    if status == 2 and len(lines) != 2:
        return "a refusal is one line"
    if status in (2, 3) and (len(lines[-2]) > 1100 or any(unicodedata.category(c) == "Cc" for c in lines[-2])):
        return "its sentence is not one that can be read"
    if status == 4 and "NOT converged" not in out + err and "Converged, with warnings" not in out + err:
        return "status 4 without a verdict"
    return None


def check(kind, index, sound):
    rng = random.Random(f"{kind} {index}")
    content, model = rng.choice(sound)
    content = bytearray(content)
    applied = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        mutation = rng.choice(MUTATIONS[kind])
        applied.append(mutation.__name__)
        if content:
            mutation(rng, content)
    ending = {"netcdf": "nc", "csv": "csv", "table": "csv"}.get(kind, "json")
    path = os.path.join(FOLDER, f"{kind}_{index}.{ending}")
    with open(path, "wb") as file:
        file.write(content)
    statuses, faults = [], []
    for command in commands(kind, path, model):
        try:
            done = subprocess.run([PROGRAM, *command], capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
            statuses.append(done.returncode)
            err = done.stderr.decode(errors="replace")
            fault = fault_of(done.returncode, done.stdout.decode(errors="replace"), err)
        except subprocess.TimeoutExpired:
            fault, err = f"it takes more than {SECONDS} s", ""
        if fault:
            faults.append(f"{' '.join(applied)}: manychain {' '.join(command)}: {fault}\n{err[:2000]}")
    if not faults:
        os.remove(path)
    return kind, statuses, faults


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    os.chdir(FOLDER)
    sound = sound_files()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # of this process, and so of all that it starts
    seen, failures = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(check, kind, i, sound[kind]) for kind in COUNTS for i in range(COUNTS[kind])]
        for job in jobs:
            kind, statuses, faults = job.result()
            seen.update((kind, status) for status in statuses)
            failures += len(faults)
            for fault in faults:
                print(fault)
    for kind, count in COUNTS.items():
        ends = {status: seen[kind, status] for status in sorted({s for k, s in seen if k == kind})}
        print(f"{kind}: {count} files; commands by exit status: {ends}")
        if not 0 < ends.get(2, 0) < sum(ends.values()):
            print(f"{kind}: all of them are refused, or none: nothing is tested")
            failures += 1
    left = [name for name in os.listdir(FOLDER) if "partial" in name or name.startswith("core")]
    if left:
        print("left behind:", left)
    return 1 if failures or left else 0


if __name__ == "__main__":
    sys.exit(main())
