"""Files under abuse: two writers of one file, closed outputs, signals at 20 moments of a run, outputs over other things.

    files.py PROGRAM FOLDER
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

PROGRAM, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ONE_THREAD = ["--seed", "1", "--backend", "cpu", "--threads", "1"]
CHEAP = ["sample", "eight_schools", "--chains", "64", "--warmup", "20", "--draws", "20", *ONE_THREAD]
# Sampling and diagnostics take about as long, some tenths of a second.
LONGER = ["sample", "normal", "--chains", "64", "--warmup", "200", "--draws", "1000", "--thin", "20", *ONE_THREAD,
          "--output", "draws.nc"]
# Ten seconds, if nobody interrupts it.
LONGEST = [word if word != "20" else "2000" for word in LONGER]


def started(*words, **how):
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
    return subprocess.Popen([PROGRAM, *words], **how)


def run(*words, **how):
    process = started(*words, **how)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def expect_whole(name):
    status, _, err = run("diagnose", name)
    assert status in (0, 4), err


def expect_no_parts(name):
    """Nothing is left of files that never became whole. The process that wrote one may outlive the run by a moment."""
    for _ in range(100):
        parts = [found for found in os.listdir(".") if found != name and found.startswith(name)]
        if not parts:
            return
        time.sleep(0.1)
    raise AssertionError(parts)


def two_writers():
    """Both say that they wrote it; it is whole, and nothing lies beside it. (When the part had a fixed name, 1 of 8
    rounds left a whole file.)"""
    for _ in range(5):
        writers = [started("sample", "normal", "--chains", "512", "--warmup", "20", "--draws", "400", "--backend", "cpu",
                           "--threads", "1", "--seed", seed, "--output", "same.nc", "--json", "same.json")
                   for seed in "12"]
        for writer in writers:
            out, err = writer.communicate(timeout=120)
            assert writer.returncode == 0 and "\nDraws: same.nc (" in out, out + err
        status, out, err = run("summary", "same.nc")
        assert status == 0 and "512 chains of 400 draws" in out, err
        with open("same.json") as file:
            assert json.load(file)["draws"] == 400
        expect_no_parts("same.nc")
        expect_no_parts("same.json")
        os.remove("same.nc")
        os.remove("same.json")


def closed_outputs():
    """Nobody listens: the files are written all the same."""
    def files_are_there():
        expect_whole("closed.nc")
        with open("closed.json") as file:
            assert file.read().endswith("}\n")
        os.remove("closed.nc")
        os.remove("closed.json")

    quiet = [*CHEAP, "--output", "closed.nc", "--json", "closed.json"]
    # | head -1, of stdout, of both streams, and of a reader that has gone before the start.
    for lines, both in ((1, False), (1, True), (0, False)):
        process = started(*quiet, stderr=subprocess.STDOUT if both else subprocess.DEVNULL)
        for _ in range(lines):
            process.stdout.readline()
        process.stdout.close()
        status = process.wait(timeout=120)
        assert status == -signal.SIGPIPE, status
        files_are_there()

    def without(*streams):
        def close():
            for stream in streams:
                os.close(stream)
        return {"stdin": subprocess.DEVNULL, "preexec_fn": close}

    for streams in ((1,), (2,), (0, 1, 2)):
        status, _, err = run(*quiet, **without(*streams))
        assert status == (3 if 1 in streams else 0), (streams, status)
        assert streams != (1,) or err.endswith("manychain: the standard output cannot be written: Bad file descriptor\n")
        files_are_there()
    # A run without a file ends with its reader.
    process = started("models")
    process.stdout.close()
    assert process.wait(timeout=120) == -signal.SIGPIPE

    # If the parent process ignores SIGPIPE, the write fails. (Python would restore the signal.)
    ignored = {"restore_signals": False, "preexec_fn": lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)}
    for words in (quiet, ["models"]):
        process = started(*words, **ignored)
        process.stdout.close()
        err, status = process.stderr.read(), process.wait(timeout=120)
        assert status == 3, (words, status)
        assert err.endswith("manychain: the standard output cannot be written: Broken pipe\n"), err
        if words is quiet:
            files_are_there()


def signalled(sent, wait, begun=False, words=LONGER):
    """Sends the signals after wait(process). There is a whole file, or none. A run that has begun catches them; before,
    and when all is written, one may end it. Returns True if draws of an interrupted run were kept."""
    process = started(*words, start_new_session=True)
    wait(process)
    for one in sent:
        if process.poll() is None:
            os.killpg(process.pid, one)  # the process that writes the file is of the group
    out, err = process.communicate(timeout=120)
    there, status = os.path.exists("draws.nc"), process.returncode
    said = "\nDraws: draws.nc (" in out
    if status in (0, 130, -sent[0]) and said:
        assert there
    else:  # before the run was there, or before its first draw
        ended_early = status == -sent[0] and not begun
        assert ended_early or (status == 130 and err.startswith("manychain: ")), (sent, status, out, err)
        assert not there and not said
    if there:
        expect_whole("draws.nc")
        os.remove("draws.nc")
    expect_no_parts("draws.nc")
    return there and status == 130


def signals():
    """At each moment: the signal finds a run that keeps its draws, one that has none yet, or one that has ended."""
    begin = time.monotonic()
    assert run(*LONGER)[0] == 0
    seconds = time.monotonic() - begin
    os.remove("draws.nc")
    # As timeout(1) and shells do, SIGTERM and SIGHUP come twice.
    kinds = [(signal.SIGINT,), (signal.SIGTERM,) * 2, (signal.SIGHUP,) * 2]
    for moment in range(20):
        signalled(kinds[moment % 3], lambda _, wait=(moment + 0.5) / 20 * seconds: time.sleep(wait))

    def kept_after(kind, seconds):
        def wait(process):
            process.stdout.readline()  # the header, just before the first transition
            time.sleep(seconds)

        return signalled(kind, wait, begun=True, words=LONGEST)

    # One of each kind must find a run with draws, however slow the machine is.
    for kind in kinds:
        assert any(kept_after(kind, seconds) for seconds in (0.1, 0.4, 1.6, 6.4)), kind

    # Under nohup(1) nobody hangs up.
    process = started(*LONGER, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(seconds / 2)
    if process.poll() is None:
        process.send_signal(signal.SIGHUP)
    assert process.communicate(timeout=120)[0] and process.returncode == 0


def outputs_over_other_things():
    """An output replaces what its command writes, and nothing else, under whatever name: refused before the first draw,
    with nothing changed."""
    with open("mine.json", "w") as file:
        file.write('{"J": 2, "y": [28, 8], "sigma": [15, 10]}')
    with open("start.json", "w") as file:
        file.write('{"mu": 1, "tau": 2}')
    with open("model.hpp", "w") as file:
        file.write("// a model")
    os.chmod("model.hpp", 0o755)  # a program, by its mode
    os.symlink("mine.json", "link.json")
    os.link("mine.json", "hard.json")
    os.makedirs("folder")
    assert run(*CHEAP, "--output", "draws.nc", "--json", "run.json")[0] == 0
    with open("draws.nc", "rb") as file:
        whole = file.read()
    with open("damaged.nc", "wb") as file:
        file.write(whole[:100])
    with open("other.nc", "wb") as file:  # NetCDF of no draws
        file.write(b"CDF\1" + bytes(28))

    def contents():
        found = {}
        for name in os.listdir("."):
            if os.path.isfile(name):
                with open(name, "rb") as file:
                    found[name] = file.read()
        return found

    before = contents()
    read, kind = "cannot be written: it is a file that is read", "there is such a file, and it is no "
    for words, why in (
            (["--data", "mine.json", "--output", "mine.json"], "mine.json: " + read),
            (["--data", "mine.json", "--output", "./folder/../mine.json"], read),
            (["--data", "link.json", "--output", "mine.json"], read),
            (["--data", "mine.json", "--output", "link.json"], read),
            (["--data", "mine.json", "--output", "hard.json"], read),
            (["--data", "mine.json", "--output", "none", "--json", "link.json"], read),
            (["--init", "start.json", "--output", "start.json"], read),
            (["--output", "mine.json"], "mine.json: " + kind + "file of draws; --output names another"),
            (["--output", "link.json"], kind + "file of draws"),
            (["--output", "run.json"], kind + "file of draws"),
            (["--output", "damaged.nc"], kind + "file of draws"),
            (["--output", "other.nc"], kind + "file of draws"),
            (["--output", "none", "--json", "mine.json"], kind + "JSON object of manychain; --json names another"),
            (["--output", "none", "--json", "draws.nc"], kind + "JSON object of manychain"),
            (["--output", "new", "--json", "./new"], "--json and --output name the same file ./new")):
        status, out, err = run(*CHEAP, *words)
        assert (status, out) == (2, "") and why in err and err.count("\n") == 1, (words, status, out, err)
        assert contents() == before, words
    for words, why in (
            (["sample", "./model.hpp", "--output", "model.hpp"], read),  # before it is compiled
            (["sample", "./model.hpp", "--json", "model.hpp"], read),
            (["build", "./model.hpp", "--output", "model.hpp"], read),
            (["build", "./model.hpp", "--output", "mine.json"], kind + "program; --output names another"),
            (["check", "eight_schools", "--json", "mine.json"], kind + "JSON object of manychain"),
            (["check", "eight_schools", "--data", "mine.json", "--json", "mine.json"], read),
            (["test", "eight_schools", "--reference", "run.json", "--json", "run.json"], read),
            (["summary", "draws.nc", "--json", "draws.nc"], read),
            (["diagnose", "draws.nc", "--json", "mine.json"], kind + "JSON object of manychain"),
            (["report", "draws.nc", "-o", "draws.nc"], read),
            (["report", "draws.nc", "-o", "run.json"], kind + "report; --output names another"),
            (["new", "mine"], "mine.json: it exists, and is not written over; choose another name")):
        status, out, err = run(*words)
        assert (status, out) == (2, "") and why in err and err.count("\n") == 1, (words, status, out, err)
        assert contents() == before, words
    # A file of its own kind, or an empty one, is replaced.
    with open("empty", "w"):
        pass
    for words in (["--output", "draws.nc", "--json", "run.json"], ["--output", "empty"]):
        status, _, err = run(*CHEAP, "--seed", "2", *words)
        assert status == 0, err
        expect_whole(words[1])
    with open("run.json") as file:
        assert json.load(file)["seed"] == 2


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for test in (two_writers, closed_outputs, signals, outputs_over_other_things):
        os.makedirs(os.path.join(FOLDER, test.__name__))
        os.chdir(os.path.join(FOLDER, test.__name__))
        begin = sum(os.times()[2:4])
        test()
        print(f"{test.__name__}: {sum(os.times()[2:4]) - begin:.1f} s of processor time")


if __name__ == "__main__":
    main()
