"""Ctrl-C, progress, threads, forks, memory."""

import ctypes
import gc
import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import types
import unittest
import unittest.mock
import warnings

import numpy as np

import manychain
from common import SCHOOLS, SMALL, density, normals, same_bits

LONG = {"chains": 64, "warmup": 100, "draws": 1000000, "keep_draws": False, "seed": 1}


class Progress(unittest.TestCase):
    def test_shows_where_a_run_stands(self):
        seen = []
        result = manychain.sample("eight_schools", seed=1, progress=seen.append)
        self.assertEqual(seen[0].phase, "warmup")
        self.assertEqual(seen[-1].phase, "diagnostics")
        self.assertEqual(seen[-1].chains, result.chains)
        self.assertEqual([p.transitions for p in seen], sorted(p.transitions for p in seen))
        self.assertFalse(result.cancelled)
        self.assertTrue(same_bits(result["theta"], manychain.sample("eight_schools", seed=1, progress=False)["theta"]))

    def test_ends_a_run(self):
        def stop(p):
            return p.phase == "sampling" and p.transitions > 500
        result = manychain.sample("eight_schools", progress=stop, **dict(LONG, keep_draws=True, draws=20000))
        self.assertTrue(result.cancelled)
        self.assertLess(result.draws, 20000)
        whole = manychain.sample("eight_schools", **dict(LONG, keep_draws=True, draws=result.draws))
        self.assertTrue(same_bits(result["theta"], whole["theta"]))
        with self.assertRaisesRegex(manychain.SamplingFailed, "cancelled before the first draw"):
            manychain.sample("eight_schools", progress=lambda p: True, **LONG)

    def test_its_exceptions_come_out(self):
        with self.assertRaises(ZeroDivisionError):
            manychain.sample("eight_schools", progress=lambda p: 1 / 0, **LONG)
        with self.assertRaises(ZeroDivisionError):  # in the diagnostics
            manychain.sample("eight_schools", progress=lambda p: p.phase == "diagnostics" and 1 / 0, **SMALL)

    def test_line(self):
        stderr, sys.stderr = sys.stderr, io.StringIO()
        try:
            manychain.sample("eight_schools", progress=True, **SMALL)
            manychain.sample("eight_schools", **SMALL)  # no terminal, no line
            text = sys.stderr.getvalue()
        finally:
            sys.stderr = stderr
        self.assertRegex(text, r"\r\[=* *\] warm-up: ")
        self.assertTrue(text.endswith("\r"))
        self.assertLess(max(map(len, text.split("\r"))), shutil.get_terminal_size().columns)

    def test_bar_in_a_notebook(self):
        class Shell:
            kernel = None

        for shell, expected in ((Shell(), True), (object(), False), (None, False)):
            shown = []
            handle = types.SimpleNamespace(update=lambda what, raw: shown.append(what))

            def display(what, raw, display_id):
                shown.append(what)
                return handle
            modules = {"IPython": types.SimpleNamespace(get_ipython=lambda: shell),
                       "IPython.display": types.SimpleNamespace(display=display)}
            with unittest.mock.patch.dict(sys.modules, modules), unittest.mock.patch("sys.stderr", io.StringIO()):
                manychain.sample("eight_schools", **SMALL)
                self.assertEqual(sys.stderr.getvalue(), "")
            self.assertEqual(bool(shown), expected)
        with unittest.mock.patch("sys.stderr", io.StringIO()):
            bar = manychain._running.NotebookBar(sys.stderr, display)
            bar.tell("compiling a<b")
            bar(manychain.Progress("sampling", 30, 40, 64, 0, 2, 0.8, 0.1, 1.5, 1e3))
            bar.end()
            self.assertEqual(sys.stderr.getvalue(), "")
        self.assertEqual([one["text/html"] for one in shown], [
            "<div><code>compiling a&lt;b</code></div>",
            '<div><progress value="0.7500" max="1"></progress> <code>sampling: 30 of at most 40 transitions of 64 chains, 1.5 s, '
            "2 divergences</code></div>", ""])


class CtrlC(unittest.TestCase):
    """Sent by the progress callback to its own process: the handler runs before the callback goes on."""

    def send(self, phase, times=1):
        def progress(p):
            if p.phase == phase and p.transitions > 300 * (phase == "sampling"):
                for _ in range(times):
                    os.kill(os.getpid(), signal.SIGINT)
        return progress

    def setUp(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def tearDown(self):
        self.assertIs(signal.getsignal(signal.SIGINT), self.expected_handler())
        signal.signal(signal.SIGINT, self.before)

    def expected_handler(self):
        return signal.default_int_handler

    def test_keeps_the_draws(self):
        for model in ("eight_schools", density()):
            with self.assertWarnsRegex(RuntimeWarning, "interrupted"):
                result = manychain.sample(model, progress=self.send("sampling"), **LONG)
            self.assertTrue(result.cancelled)
            self.assertGreater(result.draws, 0)

    def test_before_the_first_draw(self):
        with self.assertRaises(KeyboardInterrupt):
            manychain.sample("eight_schools", progress=self.send("warmup"), **LONG)

    def test_twice(self):
        with self.assertRaises(KeyboardInterrupt):
            manychain.sample("eight_schools", progress=self.send("sampling", 2), **LONG)

    def test_twice_within_a_density(self):
        calls = []

        def interrupted(x):
            calls.append(1)
            if len(calls) == 300:
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)
            return normals(x)
        with self.assertRaises(KeyboardInterrupt):
            manychain.sample(manychain.Density(interrupted, 3), **LONG)
        self.assertEqual(len(calls), 300)

    def test_in_the_diagnostics(self):
        with self.assertWarnsRegex(RuntimeWarning, "interrupted"):
            result = manychain.sample("eight_schools", progress=self.send("diagnostics"), **SMALL)
        self.assertEqual(result.draws, 20)

    def test_another_handler_stays(self):
        heard = []
        signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
        self.expected_handler = lambda: own
        own = signal.getsignal(signal.SIGINT)
        result = manychain.sample("eight_schools", progress=self.send("diagnostics"), **SMALL)
        self.assertTrue(heard and not result.cancelled)

    def test_from_outside(self):
        program = ("import manychain, warnings\n"
                   "warnings.simplefilter('ignore')\n"
                   "tell = lambda p: p.phase == 'sampling' and print('sampling', flush=True)\n"
                   f"r = manychain.sample('eight_schools', progress=tell, **{LONG!r})\n"
                   "print('kept' if r.cancelled and r.draws else 'lost')\n")
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "sampling\n")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.read().split()[-1], "kept")
        self.assertEqual(process.returncode, 0)


class Threads(unittest.TestCase):
    def test_two_runs_at_once(self):
        def run(model, seed, into):
            with warnings.catch_warnings():
                into[seed] = manychain.sample(model, **dict(SMALL, draws=200, seed=seed))
        for model, name in (("eight_schools", "theta"), (density(), "q")):
            together, alone = {}, {}
            threads = [threading.Thread(target=run, args=(model, seed, together)) for seed in (1, 2, 3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for seed in (1, 2, 3):
                run(model, seed, alone)
                self.assertTrue(same_bits(together[seed][name], alone[seed][name]))

    def test_errors_of_threads_are_apart(self):
        caught = {}

        def run(number):
            try:
                manychain.sample("eight_schools", **{"chains": 64, "thin": 0} if number % 2 else {"chains": 64, "draws": 0})
            except manychain.BadInput as error:
                caught[number] = str(error)
        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number in range(8):
            self.assertTrue(caught[number].startswith("thin" if number % 2 else "draws"))

    def test_other_threads_run_meanwhile(self):
        counted = []
        ended = threading.Event()

        def count():
            while not ended.wait(0.001):
                counted.append(1)
        thread = threading.Thread(target=count)
        thread.start()
        try:
            seconds = manychain.sample("logistic_regression", chains=512, draws=300, threads=1, seed=1).seconds["total"]
        finally:
            ended.set()
            thread.join()
        self.assertGreater(len(counted), 20 * seconds)


class Forks(unittest.TestCase):
    def child(self, program):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_refused_after_a_run(self):
        text = self.child("""
import manychain, os, sys
result = manychain.sample("normal", chains=64, warmup=50, draws=10, seed=1)
before = result[next(iter(result))].sum()
child = os.fork()
if child == 0:
    assert result[next(iter(result))].sum() == before
    for refused in (lambda: manychain.sample("normal"), lambda: result.save("draws.nc")):
        try:
            refused()
            os._exit(1)
        except manychain.Error as error:
            print(error, flush=True)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
        self.assertEqual(text.count("this process was forked from one that had sampled"), 2)

    def test_right_before_the_first_run(self):
        self.child("""
import manychain, os, sys
child = os.fork()
few = dict(chains=64, warmup=50, draws=10, seed=1)
result = manychain.sample("normal", **few)
assert result.draws == 10
if child == 0:
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")


class Memory(unittest.TestCase):
    def test_arrays_outlive_their_result(self):
        arrays = [manychain.sample("eight_schools", **dict(SMALL, seed=seed))["theta"] for seed in range(5)]
        parts = [array[3, :, 2:4] for array in arrays]
        copies = [part.copy() for part in parts]
        del arrays
        gc.collect()
        for _ in range(5):  # whatever was freed is used again
            manychain.sample("eight_schools", **dict(SMALL, seed=9))
        for part, copy in zip(parts, copies):
            self.assertTrue(np.array_equal(part, copy))

    def test_a_thousand_runs(self):
        def fails(x):
            raise ZeroDivisionError

        def some(count):
            for k in range(count):
                few = dict(chains=64, warmup=40, draws=10, seed=k, threads=None if k % 5 == 0 else 1)  # those of one are cheap
                model, data = (("eight_schools", SCHOOLS), (density(), None))[k % 2]
                result = manychain.sample(model, data, initial_values=None if k % 2 else {"mu": 1.0}, **few)
                kept = result[next(iter(result))], result.summary(), result.info, result.verdict
                del result, kept
                if k % 20 == 0:
                    for wrong in (manychain.Density(fails, 2), "no model"):
                        try:
                            manychain.sample(wrong, **few)
                        except (ZeroDivisionError, ValueError):
                            pass
        gc.disable()  # no cycles: memory goes when the last reference does
        try:
            some(60)
            before = allocated(), resident()
            some(1000)
            grown = allocated() - before[0], resident() - before[1]
        finally:
            gc.enable()
        self.assertLess(grown[0], 60e3, "bytes")  # the settings of these runs alone are 150 kB
        self.assertLess(grown[1], 3 << 20, "bytes")


class MallInfo(ctypes.Structure):
    """The result of mallinfo2(3)."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


def allocated():
    """Bytes that this thread has of malloc(), as glibc 2.33 and later tell; else 0."""
    ask = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if ask is None:
        return 0
    ask.restype = MallInfo
    info = ask()
    return info.uordblks + info.hblkhd


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


if __name__ == "__main__":
    unittest.main()
