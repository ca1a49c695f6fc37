"""Thousands of Markov chains at once.

    >>> import manychain
    >>> result = manychain.sample("eight_schools", seed=1)
    >>> result.converged
    True
    >>> result["theta"].shape  # (chain, draw, school)
    (256, 20, 8)

docs/python.md begins with more of these.
"""

from ._device import DeviceArray
from ._diagnostics import autocorrelation, ebfmi, ess, ess_tail, mcse, pareto_khat, rhat, rhat_nested
from ._errors import BadInput, CompileError, Error, SamplingFailed
from ._handle import Run
from ._library import library as _library
from ._library import text as _text
from ._models import BuiltinModel, CFunction, Density, HeaderModel, StanModel, models
from ._packages import from_jax, from_torch
from ._pymc import from_pymc
from ._result import Draws, Finding, Quantity, Result
from ._run import merge, resume, sample
from ._running import Progress
from ._sets import SetFacts, SetResult, SetsResult, SetsRun, sample_sets
from ._settings import Setting, settings
from ._studies import (BayesFactor, CalibratedQuantity, Calibration, Check, CrossValidation, Evidence, calibrate, check, check_gradient,
                       cross_validate, evidence)
from ._table import Table

__version__ = _text(_library.version())

__all__ = ["BadInput", "BayesFactor", "BuiltinModel", "CFunction", "CalibratedQuantity", "Calibration", "Check", "CompileError",
           "CrossValidation", "Density", "DeviceArray", "Draws", "Error", "Evidence", "Finding", "HeaderModel", "Progress", "Quantity", "Result", "Run", "SamplingFailed",
           "SetFacts", "SetResult", "SetsResult", "SetsRun", "Setting", "StanModel", "Table", "__version__", "autocorrelation", "calibrate", "check", "check_gradient", "cross_validate", "ebfmi",
           "ess", "ess_tail", "evidence", "from_jax", "from_pymc", "from_torch", "mcse", "merge", "models", "pareto_khat",
           "resume", "rhat", "rhat_nested", "sample", "sample_sets", "settings"]
