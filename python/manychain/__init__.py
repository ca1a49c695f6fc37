"""Thousands of Markov chains at once.

    >>> import manychain
    >>> result = manychain.sample("eight_schools", seed=1)
    >>> result.converged
    True
    >>> result["theta"].shape  # (chain, draw, school)
    (256, 20, 8)

docs/python.md begins with more of these.
"""

from ._errors import BadInput, Error, SamplingFailed
from ._library import library as _library
from ._library import text as _text
from ._models import BuiltinModel, CFunction, Density, StanModel, models
from ._result import Finding, Quantity, Result
from ._run import Progress, check_gradient, sample
from ._settings import Setting, settings
from ._table import Table

__version__ = _text(_library.version())

__all__ = ["BadInput", "BuiltinModel", "CFunction", "Density", "Error", "Finding", "Progress", "Quantity", "Result",
           "SamplingFailed", "Setting", "StanModel", "Table", "__version__", "check_gradient", "models", "sample", "settings"]
