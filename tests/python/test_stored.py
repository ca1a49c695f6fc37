"""Runs that are stored while they go on, and go on from there."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import xarray
import zarr

import manychain
from common import PROGRAM, SCHOOLS, density, same_bits

RUN = {"chains": 64, "warmup": 100, "draws": 200, "seed": 1}


class Stores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "run.zarr"

    def stopped(self, *model, **more):
        """A run that was ended in the middle, and its number of draws."""
        result = manychain.sample(*model, output=self.store, every=0.01, progress=lambda p: p.phase == "sampling" and
                                  p.transitions > 120, **{**RUN, "draws": 20000, **more})
        self.assertTrue(result.cancelled)
        return result.draws

    def test_bits_of_a_whole_run(self):
        whole = manychain.sample("eight_schools", **dict(RUN, draws=1000))
        before = self.stopped("eight_schools")
        self.assertLess(before, 1000)
        result = manychain.resume(self.store, draws=1000)
        self.assertEqual((result.draws, result.cancelled), (1000, False))
        self.assertTrue(same_bits(result["theta"], whole["theta"]))
        self.assertEqual(result.summary().to_string(), whole.summary().to_string())
        opened = xarray.open_zarr(self.store, group="posterior", consolidated=False)["theta"].values
        self.assertTrue(np.array_equal(opened, result["theta"]))
        more = manychain.resume(self.store, more=50, threads=1)
        self.assertEqual(more.draws, 1050)
        self.assertTrue(np.array_equal(more["theta"][:, :1000], whole["theta"]))
        again = manychain.resume(self.store)  # nothing is left to sample
        self.assertTrue(same_bits(again["theta"], more["theta"]))

    def test_compressed(self):
        whole = manychain.sample("eight_schools", output=self.store, compression="gzip", **RUN)
        self.assertEqual(zarr.open_array(self.store / "posterior/theta", mode="r").compressors[0].to_dict()["name"], "gzip")
        opened = xarray.open_zarr(self.store, group="posterior", consolidated=False)["theta"].values
        self.assertTrue(np.array_equal(opened, whole["theta"]))
        more = manychain.resume(self.store, more=50)
        self.assertTrue(np.array_equal(more["theta"][:, :200], whole["theta"]))
        with self.assertRaisesRegex(manychain.BadInput, "compression: there is no zip"):
            manychain.sample("eight_schools", output=self.store, compression="zip", **RUN)
        with self.assertRaisesRegex(TypeError, "give its output, too"):
            manychain.sample("eight_schools", compression="gzip", **RUN)

    def test_one_file(self):
        file = self.folder / "run.checkpoint"
        for keep in (True, False):
            whole = manychain.sample("eight_schools", keep_draws=keep, **RUN)
            ended = manychain.sample("eight_schools", checkpoint=file, every=0.01, keep_draws=keep, blocks_per_second=1000000,
                                     progress=lambda p: p.transitions > 150, **RUN)
            self.assertTrue(ended.cancelled)
            result = manychain.resume(file, threads=1)
            self.assertEqual(result.summary().to_string(), whole.summary().to_string())
            if keep:
                self.assertTrue(same_bits(result["theta"], whole["theta"]))
        self.assertEqual(os.listdir(self.folder), [file.name])
        with self.assertRaises(TypeError):
            manychain.sample("eight_schools", checkpoint=file, output=self.store, **RUN)
        with self.assertRaises(TypeError):
            manychain.sample("eight_schools", checkpoint=3, **RUN)

    def test_draws_that_are_in_the_store_alone(self):
        whole = manychain.sample("eight_schools", **RUN)
        result = manychain.sample("eight_schools", output=self.store, memory=0.1, **RUN)
        self.assertEqual(result.draws, whole.draws)
        self.assertEqual(result.summary().to_string(), whole.summary().to_string())
        for name in ("mu", "theta"):
            self.assertTrue(same_bits(result[name], whole[name]))
        self.assertTrue(same_bits(result.sample_stats["lp"], whole.sample_stats["lp"]))
        more = manychain.resume(self.store, more=50, memory=0.1)
        self.assertEqual(more.draws, 250)
        self.assertTrue(np.array_equal(more["theta"][:, :200], whole["theta"]))

    def test_a_limit_of_time(self):
        before = self.stopped("eight_schools")
        result = manychain.resume(self.store, time_limit=0.001)
        self.assertTrue(result.cancelled)
        self.assertTrue(before <= result.draws < 20000)

    def test_log_likelihoods_of_a_run_that_has_ended(self):
        manychain.sample("eight_schools", output=self.store, **dict(RUN, draws=20))
        self.assertFalse(os.path.exists(os.path.join(self.store, "log_likelihood")))
        manychain.resume(self.store, log_likelihood=5)
        self.assertTrue(os.path.exists(os.path.join(self.store, "log_likelihood", "y")))

    def test_a_model_that_is_given(self):
        whole = manychain.sample(density(), **dict(RUN, draws=300))
        self.stopped(density())
        with self.assertRaisesRegex(TypeError, "does not say where it is; give model and data"):
            manychain.resume(self.store)
        with self.assertRaises(manychain.BadInput):
            manychain.resume(self.store, "eight_schools")
        run = manychain.resume(self.store, density(), draws=300, blocking=False)
        self.assertTrue(same_bits(run.wait()["q"], whole["q"]))

    def test_data(self):
        whole = manychain.sample("eight_schools", SCHOOLS, **dict(RUN, draws=300))
        self.stopped("eight_schools", SCHOOLS)
        with self.assertRaisesRegex(TypeError, "give model and data"):
            manychain.resume(self.store)
        with self.assertRaises(manychain.BadInput):
            manychain.resume(self.store, "eight_schools", dict(SCHOOLS, y=[0] * 8), draws=300)
        result = manychain.resume(self.store, "eight_schools", SCHOOLS, draws=300)
        self.assertTrue(same_bits(result["theta"], whole["theta"]))

    @unittest.skipUnless(os.environ.get("MANYCHAIN_FAKE_STAN"), "without a library of BridgeStan's interface")
    def test_a_stan_model_has_its_seed(self):
        model, data = manychain.StanModel(os.environ["MANYCHAIN_FAKE_STAN"]), {"location": 3}
        whole = manychain.sample(model, data, **dict(RUN, seed=7, draws=300))
        self.stopped(model, data, seed=7)
        result = manychain.resume(self.store, model, data, draws=300)
        for name in ("mu", "noise"):
            self.assertTrue(same_bits(result[name], whole[name]))

    def test_from_a_file(self):
        (self.folder / "schools.json").write_text(str(SCHOOLS).replace("'", '"'))
        whole = manychain.sample("eight_schools", SCHOOLS, **dict(RUN, draws=300))
        with contextlib.chdir(self.folder) if hasattr(contextlib, "chdir") else contextlib.nullcontext():
            self.stopped("eight_schools", "schools.json" if hasattr(contextlib, "chdir") else self.folder / "schools.json")
        self.assertTrue(same_bits(manychain.resume(self.store, draws=300)["theta"], whole["theta"]))

    @unittest.skipUnless(PROGRAM, "without the command line")
    def test_with_the_command_line(self):
        whole = manychain.sample("eight_schools", **RUN)
        self.stopped("eight_schools")
        subprocess.run([PROGRAM, "resume", self.store, "--draws", "500"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.assertEqual(manychain.resume(self.store).draws, 500)
        other = self.folder / "other.zarr"
        subprocess.run([PROGRAM, "sample", "eight_schools", "--chains", "64", "--warmup", "100", "--draws", "100", "--seed",
                        "1", "--output", other], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(same_bits(manychain.resume(other, draws=200)["theta"], whole["theta"]))

    def test_killed(self):
        program = ("import manychain, sys\n"
                   "tell = lambda p: print(p.phase, p.transitions, flush=True)\n"
                   "manychain.sample('eight_schools', output=sys.argv[1], every=0.01, progress=tell, "
                   f"**{dict(RUN, draws=200000)!r})\n")
        with subprocess.Popen([sys.executable, "-c", program, self.store], stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                phase, transitions = line.split()
                if phase == "sampling" and int(transitions) > 200:
                    process.send_signal(signal.SIGKILL)
                    break
        opened = xarray.open_zarr(self.store, group="posterior", consolidated=False)["theta"].values
        draws = opened.shape[1] + 10
        result = manychain.resume(self.store, draws=draws)
        whole = manychain.sample("eight_schools", **dict(RUN, draws=draws))
        self.assertTrue(same_bits(result["theta"], whole["theta"]))

    def test_refusals(self):
        for error, words, call in (
                (manychain.BadInput, "ends in .zarr", lambda: manychain.sample("normal", output="draws.nc", **RUN)),
                (manychain.BadInput, "seconds", lambda: manychain.sample("normal", output=self.store, every=0, **RUN)),
                (TypeError, "output", lambda: manychain.sample("normal", output=3, **RUN)),
                (manychain.BadInput, "keep_draws",
                 lambda: manychain.sample("normal", output=self.store, keep_draws=False, **RUN)),
                (ValueError, "more", lambda: manychain.resume(self.store, more=0)),
                (manychain.BadInput, "run.zarr", lambda: manychain.resume(self.store))):
            with self.assertRaisesRegex(error, words):
                call()
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
