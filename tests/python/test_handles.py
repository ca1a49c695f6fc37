"""Runs in threads of their own: sample(blocking=False)."""

import gc
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np

import manychain
from common import SMALL, density, normals, same_bits

LONG = {"chains": 64, "warmup": 100, "draws": 1000000, "keep_draws": False, "seed": 1}


def begun(model="eight_schools", **more):
    return manychain.sample(model, blocking=False, **dict(LONG, **more))


def when(run, phase):
    """Waits until the run is in that phase, some transitions on."""
    end = time.monotonic() + 30
    while not (run.progress and run.progress.phase == phase and run.progress.transitions > 200 * (phase == "sampling")):
        if time.monotonic() > end:
            raise TimeoutError(repr(run))
        time.sleep(0.01)


class Handles(unittest.TestCase):
    def test_wait(self):
        run = manychain.sample("eight_schools", blocking=False, **SMALL)
        result = run.wait()
        self.assertTrue(run.done)
        self.assertIs(run.wait(0), result)
        self.assertIs(run.stop(), result)
        run.abort()
        self.assertIs(run.wait(), result)
        self.assertFalse(result.cancelled)
        self.assertEqual(repr(run), "<manychain.Run: done>")
        self.assertEqual(run.progress.phase, "diagnostics")
        self.assertTrue(same_bits(result["theta"], manychain.sample("eight_schools", **SMALL)["theta"]))

    def test_stop_keeps_the_draws(self):
        run = begun(keep_draws=True, draws=200000)
        when(run, "sampling")
        self.assertFalse(run.done)
        self.assertRegex(repr(run), "<manychain.Run: sampling, [0-9]+ of at most 200100 transitions of 64 chains, ")
        with self.assertRaisesRegex(TimeoutError, "goes on after 0.01 s"):
            run.wait(0.01)
        result = run.stop()
        self.assertTrue(result.cancelled)
        whole = manychain.sample("eight_schools", **dict(LONG, keep_draws=True, draws=result.draws))
        self.assertTrue(same_bits(result["theta"], whole["theta"]))

    def test_stop_before_the_first_draw(self):
        run = begun(warmup=1000000)
        when(run, "warmup")
        with self.assertRaisesRegex(manychain.SamplingFailed, "stopped before its first draw"):
            run.stop()

    def test_abort(self):
        for model in ("eight_schools", density()):
            run = begun(model)
            when(run, "sampling")
            run.abort()
            self.assertTrue(run.done)
            self.assertEqual(repr(run), "<manychain.Run: aborted>")
            with self.assertRaisesRegex(manychain.Error, "aborted"):
                run.wait()
            run.abort()
            self.assertEqual(repr(run), "<manychain.Run: aborted>")

    def test_progress_of_the_user(self):
        seen = []
        run = manychain.sample("eight_schools", blocking=False, progress=seen.append, **SMALL)
        run.wait()
        self.assertEqual(seen[-1], run.progress)
        ended = manychain.sample("eight_schools", blocking=False, **dict(LONG, keep_draws=True),
                                 progress=lambda p: p.phase == "sampling" and p.transitions > 300).wait()
        self.assertTrue(ended.cancelled)

    def test_errors(self):
        with self.assertRaises(manychain.BadInput):  # what is known before it begins
            begun("no_such_model")
        run = begun(chains=64, thin=0)
        for _ in range(2):
            with self.assertRaisesRegex(manychain.BadInput, "thin"):
                run.wait()
        self.assertEqual(repr(run), "<manychain.Run: failed>")

        def fails(x):
            raise ZeroDivisionError("by the density")
        with self.assertRaisesRegex(ZeroDivisionError, "by the density"):
            begun(manychain.Density(fails, 2)).wait()
        with self.assertRaises(ZeroDivisionError):
            manychain.sample("eight_schools", blocking=False, progress=lambda p: 1 / 0, **SMALL).wait()

    def test_density_in_its_thread(self):
        threads = set()

        def noting(x):
            threads.add(threading.current_thread().name)
            return normals(x)
        manychain.sample(manychain.Density(noting, 2), blocking=False, **SMALL).wait()
        self.assertEqual(threads, {"manychain"})

    def test_several(self):
        runs = [manychain.sample("eight_schools", blocking=False, **dict(SMALL, seed=seed)) for seed in (1, 2, 3)]
        for seed, run in zip((1, 2, 3), runs):
            alone = manychain.sample("eight_schools", **dict(SMALL, seed=seed))
            self.assertTrue(same_bits(run.wait()["theta"], alone["theta"]))

    def test_one_that_nobody_has_is_aborted(self):
        run = begun()
        when(run, "sampling")
        task = run._task
        del run
        gc.collect()
        self.assertTrue(task.ended.wait(10))
        self.assertTrue(task.aborted)

    def test_nothing_is_left_behind(self):
        gc.disable()  # no cycles: memory goes when the last reference does
        try:
            for model in ("eight_schools", density()):
                run = manychain.sample(model, blocking=False, **SMALL)
                run.inspect()
                run.wait()
                run._task.thread.join()
                task = weakref.ref(run._task)
                del run
                self.assertIsNone(task())
        finally:
            gc.enable()

    def test_inspect(self):
        run = begun(keep_draws=True, draws=200000)
        when(run, "sampling")
        first = run.inspect()
        second = run.inspect(timeout=30)
        theta = first["theta"]
        self.assertTrue(0 < first.draws <= second.draws)
        self.assertEqual(theta.shape, (64, first.draws, 8))
        self.assertFalse(theta.flags.writeable)
        self.assertEqual(repr(first), f"64 chains of {first.draws} draws: mu, tau, theta_trans, theta")
        lp = first.sample_stats["lp"]
        copies, count = (theta.copy(), lp.copy()), first.draws
        del first
        gc.collect()
        result = run.stop()
        self.assertIs(run.inspect(), result)
        self.assertTrue(same_bits(np.ascontiguousarray(result["theta"][:, :second.draws]),
                                  np.ascontiguousarray(second["theta"])))
        for array, copy, whole in zip((theta, lp), copies, (result["theta"], result.sample_stats["lp"])):
            self.assertTrue(np.array_equal(array, copy) and np.array_equal(array, whole[:, :count]))
        whole = manychain.sample("eight_schools", **dict(LONG, keep_draws=True, draws=count))
        self.assertTrue(np.array_equal(whole["theta"], theta))  # it has changed no draw
        self.assertEqual(set(manychain.rhat(second)), set(result))

    def test_inspect_before_the_first_draw(self):
        run = begun(density(), warmup=1000000, keep_draws=True, draws=10)
        when(run, "warmup")
        found = run.inspect()
        self.assertEqual((found.draws, found["q"].shape, found["q"].dtype), (0, (64, 0, 3), np.float64))
        self.assertEqual(found.sample_stats["diverging"].shape, (64, 0))
        run.abort()
        with self.assertRaisesRegex(manychain.Error, "aborted"):
            run.inspect()
        with self.assertRaisesRegex(TypeError, "cannot be pickled"):
            pickle.dumps(found)

    def test_inspect_a_run_without_draws(self):
        run = begun()
        when(run, "sampling")
        with self.assertRaisesRegex(manychain.BadInput, "keep_draws"):
            run.inspect()
        self.assertFalse(run.done)
        run.abort()

    def test_inspect_by_several_threads_until_it_ends(self):
        run = begun(density(), keep_draws=True, draws=2000)
        seen = []

        def look():
            while not run.done:
                seen.append(run.inspect().draws)
        threads = [threading.Thread(target=look) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(run.wait().draws, 2000)
        self.assertTrue(seen and max(seen) <= 2000)

    def test_inspect_draws_that_the_store_has(self):
        with tempfile.TemporaryDirectory() as folder:
            run = begun(keep_draws=True, draws=20000, output=os.path.join(folder, "run.zarr"), memory=1)
            when(run, "sampling")
            found = run.inspect()
            result = run.stop()
            self.assertTrue(0 < found.draws <= result.draws)
            self.assertTrue(np.array_equal(found["theta"], result["theta"][:, :found.draws]))

    def test_no_pickle(self):
        run = manychain.sample("eight_schools", blocking=False, **SMALL)
        with self.assertRaisesRegex(TypeError, "cannot be pickled"):
            pickle.dumps(run)
        run.wait()


class Processes(unittest.TestCase):
    def child(self, program):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_fork(self):
        text = self.child(f"""
import manychain, os, sys
run = manychain.sample("eight_schools", blocking=False, **{LONG!r})
child = os.fork()
if child == 0:
    for refused in (run.wait, run.stop, run.abort, run.inspect, lambda: run.done, lambda: run.progress):
        try:
            refused()
            os._exit(1)
        except manychain.Error as error:
            print(error, run, flush=True)
    sys.exit(0)  # must not wait for the run
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
run.abort()
sys.exit(code)
""")
        self.assertEqual(text.count("a fork has none of its threads"), 6)
        self.assertEqual(text.count("<manychain.Run of another process>"), 6)

    def test_end_of_the_interpreter(self):
        for model in ("'eight_schools'", "manychain.Density(lambda x: (-(x**2).sum(axis=1) / 2, -x), 3)"):
            begin = time.monotonic()
            self.child("import manychain, time\n"
                       f"run = manychain.sample({model}, blocking=False, **{LONG!r})\ntime.sleep(0.3)\n")
            self.assertLess(time.monotonic() - begin, 20)

    def test_ctrl_c_in_wait(self):
        text = self.child(f"""
import manychain, os, signal, threading
run = manychain.sample("eight_schools", blocking=False, **{LONG!r})
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    run.wait()
except KeyboardInterrupt:
    print("interrupted", run.done)
result = run.stop()
print(result.cancelled)
""")
        self.assertEqual(text.split(), ["interrupted", "False", "True"])


if __name__ == "__main__":
    unittest.main()
