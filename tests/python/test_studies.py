"""Studies of a model: the evidence, calibration, parts of a run."""

import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import numpy as np
import pandas

import manychain
from common import PROGRAM, density, same_bits

HEADER = """#include "manychain/model.hpp"
template <class Number>
struct Centred {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto centre = target.real("centre");
    target += normal(centre, 0, PRIOR);
    target.observe("y", normal(y, centre, 2));
    target.predict("y_rep", N, [&](int) { return normal_distribution(centre, Number(PREDICTED)); });
  }
};
"""
DATA = {"N": 3, "y": [0.5, 1.0, 3.0]}
SMALL = {"chains": 128, "seed": 3}


def log_evidence(prior):
    """Of HEADER: y has the covariance 4 I + prior^2."""
    covariance = 4 * np.eye(3) + prior**2
    y = np.array(DATA["y"])
    return -0.5 * (y @ np.linalg.solve(covariance, y) + np.linalg.slogdet(2 * np.pi * covariance)[1])


def without_times(info):
    """The JSON of a study but for what the clock says."""
    return {key: [without_times(one) for one in value] if key in ("models", "sets", "fits") else value
            for key, value in info.items() if key != "seconds"}


@unittest.skipUnless(PROGRAM, "without the command line")
class Headers(unittest.TestCase):
    """Against `manychain evidence` and `manychain test`."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "data.json").write_text(json.dumps(DATA))
        cls.wide, cls.narrow = cls.folder / "wide.hpp", cls.folder / "narrow.hpp"
        cls.wide.write_text(HEADER.replace("PRIOR", "10").replace("PREDICTED", "2"))
        cls.narrow.write_text(HEADER.replace("PRIOR", "1").replace("PREDICTED", "6"))

    def of_command_line(self, *words, data=("--data", "data.json")):
        """Exit status and JSON. Pictures of progress and tables go to stderr."""
        done = subprocess.run([PROGRAM, *map(str, words), *data, "--json", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, cwd=self.folder, timeout=300)
        return done.returncode, without_times(json.loads(done.stdout))

    def test_evidence_of_two_headers(self):
        status, both = self.of_command_line("evidence", "wide.hpp", "narrow.hpp", "--chains", 128, "--seed", 3)
        self.assertEqual(status, 0)
        found = [manychain.evidence(header, DATA, **SMALL) for header in (self.wide, self.narrow)]
        self.assertEqual([without_times(one.info) for one in found],
                         [dict(one, manychain=both["manychain"]) for one in both["models"]])
        for one, prior in zip(found, (10, 1)):
            self.assertTrue(one.trusted and one.agree and one.seed == 3)
            self.assertLess(abs(one.log_z - log_evidence(prior)), 4 * one.error)
        factor = found[0].bayes_factor(found[1])
        self.assertEqual((factor.log, factor.error), (both["log_bayes_factor"], both["error"]))
        self.assertEqual(factor.warnings, [])
        self.assertLess(abs(factor.log - log_evidence(10) + log_evidence(1)), 4 * factor.error)
        self.assertRegex(repr(factor), "^log Bayes factor of wide to narrow"
                         " = -1.[0-9]+ [+]- 0.[0-9]+: a factor of 0.[0-9]+$")
        with self.assertRaisesRegex(TypeError, "give what evidence"):
            found[0].bayes_factor(factor)

    def test_calibration(self):
        for header, passes in ((self.wide, True), (self.narrow, False)):
            status, theirs = self.of_command_line("test", header.name, "--simulations", 40, "--chains", 64, "--seed", 5)
            ours = manychain.calibrate(header, DATA, simulations=40, chains=64, seed=5)
            self.assertEqual(without_times(ours.info), theirs)
            self.assertEqual((status, bool(ours), ours.passed), (not passes, passes, passes))
            self.assertEqual((ours.used, ours.simulations, ours.chains, ours.cancelled), (40, 40, 64, False))
            self.assertEqual(ours.wrong, [] if passes else ["centre", "log likelihood"])
            centre = ours.quantities["centre"]
            self.assertEqual((centre.ranks.shape, centre.wrong), ((40,), not passes))
            self.assertTrue(0 <= centre.ranks.min() and centre.ranks.max() < 64)
            self.assertAlmostEqual(centre.mean_rank, theirs["quantities"]["centre"]["mean_rank"])
            self.assertRegex(repr(ours), "^Passed" if passes else "^WRONG")
            self.assertRegex(ours._repr_html_(), "<b>(Passed|WRONG)[^\n]*</b></p><pre>")

    def test_calibration_that_ends(self):
        seen = []

        def progress(p):
            seen.append((p.phase, p.transitions, p.total))
            return p.transitions >= 20
        with self.assertWarnsRegex(RuntimeWarning, "was ended: it has the ranks of [0-9]* of 100000 posteriors"):
            found = manychain.calibrate(self.wide, DATA, simulations=100000, chains=64, seed=5, progress=progress)
        self.assertTrue(found.cancelled and 20 <= found.used < 100000 and not found)
        self.assertEqual({(phase, total) for phase, _, total in seen}, {("calibration", 100000)})


    def test_data_sets_of_a_table(self):
        """A data frame is what a file of it is."""
        frame = pandas.DataFrame({"y": [0.5, 2, 1, -1e-3, 7], "group": ["b", "a", "b", "b", "a"], "who": list("vwxyz")})
        frame.to_csv(self.folder / "sets.csv", index=False)
        few = ("--chains", 64, "--draws", 20, "--warmup", 100, "--seed", 3)
        status, theirs = self.of_command_line("sample", "wide.hpp", "--data-sets", "sets.csv", "--set-column", "group", *few, "--output",
                                              "none", data=())
        ours = [manychain.sample_sets(self.wide, one, column="group", chains=64, draws=20, warmup=100, seed=3)
                for one in (frame, self.folder / "sets.csv")]
        for one in ours:
            self.assertEqual((status, without_times(one.info)), (0, theirs))
            self.assertEqual(list(one), ["b", "a"])
            self.assertEqual([q.shape for q in one["b"].quantities.values()], [(), (3,)])
        self.assertTrue(same_bits(ours[0]["a"]["centre"], ours[1]["a"]["centre"]))
        for words, wrong in (("no column grop; did you mean \"group\"", dict(column="grop")), ("give the name", dict(column=3)),
                             ("row 1 has nothing in column gone", dict(column="gone"))):
            with self.assertRaisesRegex((manychain.BadInput, TypeError), words):
                manychain.sample_sets(self.wide, frame.assign(gone=["x", None, "x", "x", "x"]), **wrong)
        with self.assertRaisesRegex(manychain.BadInput, "none of 2 data sets; the first, set b: variable does not exist: y"):
            manychain.sample_sets(self.wide, frame.drop(columns="y"), column="group")
        with self.assertRaises(manychain.CompileError):
            manychain.sample_sets(HEADER.replace("PRIOR", "10 +"), [DATA])

    def test_folds(self):
        status, theirs = self.of_command_line("sample", "wide.hpp", "--folds", 3, "--seed", 3)
        ours = manychain.cross_validate(self.wide, DATA, folds=3, seed=3)
        self.assertEqual((status, without_times(ours.info)), (0, theirs))
        self.assertEqual((ours.elpd, ours.se, ours.loo), tuple(theirs[key][what] for key, what in (
            ("refitted", "elpd"), ("refitted", "error"), ("psis_loo", "elpd"))))


class Evidence(unittest.TestCase):
    def test_of_a_density(self):
        found = manychain.evidence(density(), **SMALL)
        self.assertLess(abs(found.log_z - 1.5 * math.log(2 * math.pi) - 0.5 * math.log(6)), 4 * found.error)
        self.assertEqual(repr(found), found.table.rstrip("\n"))
        self.assertRegex(found._repr_html_(), "^<div><p><b>log Z = ")
        self.assertRegex(repr(found.bayes_factor(found)), "= 0.000 .*\nWarning: A density is taken as it is written")

    def test_errors(self):
        with self.assertRaises(ZeroDivisionError):
            manychain.evidence(manychain.Density(lambda x: 1 / 0, 3), **SMALL)
        with self.assertRaisesRegex(manychain.BadInput, "chains"):
            manychain.evidence("eight_schools", chains=-1)
        with self.assertRaisesRegex(manychain.BadInput, "nothing predicts it"):
            manychain.calibrate("eight_schools")
        with self.assertRaisesRegex(TypeError, "simulations"):
            manychain.calibrate("eight_schools", simulations=2.5)
        with self.assertRaises(ZeroDivisionError):
            manychain.evidence("eight_schools", progress=lambda p: 1 / 0)
        with self.assertRaisesRegex(manychain.SamplingFailed, "cancelled"):
            manychain.evidence("eight_schools", progress=lambda p: True)

    def test_ctrl_c(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                manychain.evidence("eight_schools", progress=lambda p: os.kill(os.getpid(), signal.SIGINT))
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        finally:
            signal.signal(signal.SIGINT, before)


@unittest.skipUnless(PROGRAM, "without the command line, which makes parts")
class Parts(unittest.TestCase):
    def test_merge(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)

        def run(*words):
            subprocess.run([PROGRAM, *words], check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run("sample", "eight_schools", "--seed", "1", "--chains", "64", "--draws", "30", "--warmup-only", "--output", "warm.zarr")
        for part in ("1/2", "2/2"):
            run("resume", "warm.zarr", "--part", part)
        parts = [pathlib.Path(folder) / f"warm.part-{k}-of-2.zarr" for k in (2, 1)]
        whole = pathlib.Path(folder) / "whole.zarr"
        with self.assertRaisesRegex(manychain.BadInput, "part"):
            manychain.merge(whole, parts[:1])
        self.assertFalse(whole.exists())
        with self.assertRaisesRegex(manychain.BadInput, "is the run that the parts were cut from"):
            manychain.merge(os.path.join(folder, "warm.zarr"), parts)
        for wrong, given in ((TypeError, str(parts[0])), (manychain.BadInput, [])):
            with self.assertRaisesRegex(wrong, "parts"):
                manychain.merge(whole, given)
        with self.assertRaisesRegex(manychain.BadInput, "ends in .zarr"):
            manychain.merge(os.path.join(folder, "whole.nc"), parts)
        result = manychain.merge(whole, parts)
        alone = manychain.sample("eight_schools", chains=64, draws=30, seed=1)
        self.assertTrue(same_bits(result["theta"], alone["theta"]))
        self.assertEqual(result.summary().to_string(), alone.summary().to_string())
        self.assertEqual(manychain.resume(whole, more=10).draws, 40)


if __name__ == "__main__":
    unittest.main()
