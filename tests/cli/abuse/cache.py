"""The cache of compiled models under abuse: data that the model refuses, signals and kill -9 while it compiles, ten
readers at once, and every file of it damaged. Compiles one small model, twice: 25 s of processor time.

    cache.py PROGRAM FOLDER
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)

with open("mean.hpp", "w") as file:
    file.write(
        """#include "manychain/model.hpp"
template <class Number>
struct Mean {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += normal(mu, 0, 10);
    target += normal(y, mu, 1);
  }
};
"""
    )
with open("mean.json", "w") as file:
    json.dump({"N": 4, "y": [1, 2, 3, 4]}, file)
with open("misspelt.json", "w") as file:
    json.dump({"N": 4, "x": [1, 2, 3, 4]}, file)

failures = []


def expect(name, right, *shown):
    if not right:
        failures.append(name)
        print(name, *shown, sep="\n", flush=True)


def command(cache, data, output):
    line = [program, "sample", "mean.hpp", "--cache", cache, "--json", output, "--output", "none"]
    if data:
        line += ["--data", data]
    line += "--sampler metropolis --precision single --backend cpu --threads 1 --chains 64 --seed 1".split()
    return line + "--warmup 50 --draws 50".split()


def start(cache, output="out.json", data="mean.json", cores=None):
    return subprocess.Popen(
        command(cache, data, output),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=None if cores is None else lambda: os.sched_setaffinity(0, cores),
    )


def ended(process):
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def run(cache, data="mean.json", cores=None):
    return ended(start(cache, data=data, cores=cores))


def summary(path="out.json"):
    with open(path) as file:
        found = json.load(file)
    os.remove(path)
    del found["seconds"]
    return found


def kept(cache):
    """The files of a cache: programs, objects, and notes of headers that were read."""
    names = sorted(os.listdir(cache))
    objects, notes = ([n for n in names if n.endswith(ending)] for ending in (".o", ".note"))
    return [n for n in names if n not in objects and n not in notes], objects, notes


def damage(path, how):
    with open(path, "rb") as file:
        text = bytearray(file.read())
    if how == "cut":
        del text[len(text) // 2 :]
    elif how == "emptied":
        text.clear()
    else:  # in what the program runs: the middle of it
        text[len(text) // 2] ^= 0x10
    with open(path, "wb") as file:
        file.write(text)


# Data that do not fit are told by the unit that checks, and what it compiled is kept. On one core, where units compile
# one by one, the others have not even begun then; on several they are stopped.
one_core = {min(os.sched_getaffinity(0))}
for data, words in (
    ("misspelt.json", "manychain: misspelt.json: variable does not exist: y; the data have N, x\n"),
    ("", "manychain: variable does not exist: N; give its data by --data FILE.json\n"),
):
    status, out, err = run("cache", data, one_core)
    expect(f"refused {data}", status == 2 and err.endswith(words) and err.count("\n") == 2 and not out, status, err)
    expect(f"stopped {data}", [len(names) for names in kept("cache")] == [0, 1, 0], os.listdir("cache"))
refused = err.splitlines()[-1]

# Killed while it compiles: no compiler goes on to an object, and nobody is left who has its folder open.
with open(os.path.join(os.path.dirname(program), "../share/manychain/toolchain.txt")) as file:
    gcc = "version GNU" in file.read()


def ours(of):
    """Processes whose working directory lies in the folder `of`, with their command lines."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and int(entry) != os.getpid() and os.readlink(f"/proc/{entry}/cwd").startswith(of):
                with open(f"/proc/{entry}/cmdline") as file:
                    found.append(file.read().split("\0"))
        except OSError:
            pass  # it has ended
    return [words for words in found if words != [""]]  # nor one that nobody has waited for


def compiling():
    return any(
        "check.cpp" in words and ("cc1plus" in words[0] or not gcc) for words in ours(os.path.join(folder, "killed"))
    )


victim = start("killed")
while not compiling() and victim.poll() is None:
    time.sleep(0.01)
victim.kill()
ended(victim)
patience = time.monotonic() + 120
while ours(folder) and time.monotonic() < patience:
    time.sleep(0.01)
expect("kill -9: all have ended", not ours(folder), ours(folder))
left = [name for _, _, names in os.walk("killed") for name in names]
expect("kill -9: it was compiling", "check.cpp" in left, left)
expect("kill -9: no compiler went on", not any(name.endswith(".o") for name in left), left)

# Ended by a signal at some moments from the first on, between two compilers too: the status says so, and nothing is left.
for moment in (0, 0.1, 0.3, 0.8):
    shutil.rmtree("ended", ignore_errors=True)
    victim = start("ended")
    while not (os.path.isdir("ended") and os.listdir("ended")) and victim.poll() is None:
        time.sleep(0.001)
    time.sleep(moment)
    victim.terminate()
    status, out, err = ended(victim)
    expect(f"ended after {moment} s", status == 130 and not os.listdir("ended"), status, err, os.listdir("ended"))

# It is compiled; the check was already, and data are refused in the same words by what was compiled.
status, out, err = run("cache")
expect("filled", status == 0 and "Compiling" in err, status, err)
right = summary()
programs, objects, notes = kept("cache")
# The units: the check, the density in each precision, the sampler, the table.
expect("files", len(programs) == 1 and len(objects) == 5 and len(notes) == 1, programs, objects, notes)
status, out, err = run("cache", "")
expect("the same words", status == 2 and err == refused + "\n", status, err)

# Ten readers at once.
readers = [start("cache", f"{i}.json") for i in range(10)]
for i, reader in enumerate(readers):
    status, out, err = ended(reader)
    expect(f"reader {i}", status == 0 and "Compiling" not in err and summary(f"{i}.json") == right, status, err)

# A program that is damaged is linked again, once, whatever is wrong with it; three at once do not disturb each other.
for how in ("cut", "emptied", "flipped"):
    shutil.rmtree("damaged", ignore_errors=True)
    subprocess.run(["cp", "-a", "cache", "damaged"], check=True)
    damage(os.path.join("damaged", programs[0]), how)
    together = [start("damaged", f"{i}.json") for i in range(3 if how == "flipped" else 1)]
    for i, process in enumerate(together):
        status, out, err = ended(process)
        expect(f"program {how}", status == 0 and "Compiling" in err and summary(f"{i}.json") == right, status, err)
    status, out, err = run("damaged")
    expect(f"program {how}, healed", status == 0 and "Compiling" not in err and summary() == right, status, err)

# So are objects, each in its way, compiled again.
subprocess.run(["rm", "-rf", "damaged"], check=True)
subprocess.run(["cp", "-a", "cache", "damaged"], check=True)
os.remove(os.path.join("damaged", programs[0]))
for name, how in zip(objects + notes, ("cut", "emptied", "flipped", "cut")):
    damage(os.path.join("damaged", name), how)
status, out, err = run("damaged")
expect("objects", status == 0 and "Compiling" in err and summary() == right, status, err)
status, out, err = run("damaged")
expect("objects, healed", status == 0 and "Compiling" not in err and summary() == right, status, err)
for name in sum(kept("damaged"), []):  # no second file of what is the same, and each whole again
    with open(os.path.join("damaged", name), "rb") as one, open(os.path.join("cache", name), "rb") as other:
        expect(f"whole {name}", one.read() == other.read())

if failures:
    print(len(failures), "failures")
    sys.exit(1)
