"""Studies of a model that are no run: checks, the evidence, calibration."""

import html
import json
import math
import secrets
import warnings
from ctypes import byref, c_char_p, c_int
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._data import DataSource
from ._errors import SamplingFailed
from ._library import library, require_own_threads, text
from ._models import Asked, Bound, Density, Model, Wanted, model_of
from ._running import Held, Interrupts, Line, Progress, raise_first, watched, watcher_of

_Data = Union[DataSource, Sequence[DataSource], None]
_Watcher = Union[bool, Callable[[Progress], Any], None]


class Study:
    """The answer of a study: it prints as its table, which begins with a verdict."""

    def __init__(self, table: str, info: Dict[str, Any]) -> None:
        self.table = table  #: as the command line prints it
        self.info = info  #: the JSON object of the command line

    def __repr__(self) -> str:
        return self.table.rstrip("\n")

    def _repr_html_(self) -> str:
        headline, _, rest = self.table.rstrip("\n").partition("\n")
        return f"<div><p><b>{html.escape(headline)}</b></p><pre>{html.escape(rest)}</pre></div>"


class Check(Study):
    """The result of :func:`check`. True where nothing is wrong."""

    def __init__(self, passed: bool, table: str, info: Dict[str, Any]) -> None:
        super().__init__(table, info)
        self.passed = passed  #: nothing is wrong, and the gradient was found to be right

    def __bool__(self) -> bool:
        return self.passed


class Evidence(Study):
    """The result of :func:`evidence`. ``log_z`` is the logarithm of the integral of the density that the model writes."""

    def __init__(self, trusted: bool, table: str, info: Dict[str, Any]) -> None:
        super().__init__(table, info)
        self.trusted = trusted  #: the two ways agree, and nothing else speaks against the answer
        self.model: str = info["model"]
        self.log_z = _number(info["log_z"])
        self.error = _number(info["error"])  #: standard error of log_z
        self.agree: bool = info["agree"]  #: the two ways, within four standard errors
        self.warnings: List[str] = info["warnings"]
        self.seed: int = info["seed"]

    def bayes_factor(self, other: "Evidence") -> "BayesFactor":
        """Of this model to another one of the same data."""
        if not isinstance(other, Evidence):
            raise TypeError(f"other: give what evidence() returned for a model of the same data, not {type(other).__name__}")
        said = [f"{one.model}: {warning}" for one in (self, other) for warning in one.warnings]
        if self.info["as_written"] or other.info["as_written"]:
            said.append("A density is taken as it is written: the factor has a meaning if both have all constants.")
        return BayesFactor((self.model, other.model), self.log_z - other.log_z, math.hypot(self.error, other.error), said)


class BayesFactor(NamedTuple):
    """How much better one model foretold the data than another one."""
    models: Tuple[str, str]
    log: float  #: the difference of their log_z
    error: float  #: its standard error
    warnings: List[str]  #: what speaks against it

    @property
    def factor(self) -> float:
        return math.exp(self.log) if self.log < 700 else math.inf

    def __repr__(self) -> str:
        lines = [f"log Bayes factor of {self.models[0]} to {self.models[1]} = {self.log:.3f} +- {self.error:.3f}: a factor "
                 f"of {self.factor:.3g}"]
        return "\n".join(lines + ["Warning: " + warning for warning in self.warnings])


class CalibratedQuantity(NamedTuple):
    """The ranks of one quantity of :class:`Calibration`, and what their tests say (docs/models.md)."""
    ranks: np.ndarray  #: of the value that made the data among the draws, of each simulation, 0 to chains - 1
    mean_rank: float
    shift: float  #: of the posterior, in its standard deviations
    sd_factor: float  #: of the posterior's standard deviation; below 1: too narrow
    p_shift: float
    p_width: float
    p_shape: float
    p: float
    wrong: bool


class Calibration(Study):
    """The result of :func:`calibrate`. True where the model has passed."""

    def __init__(self, passed: bool, table: str, info: Dict[str, Any]) -> None:
        super().__init__(table, info)
        self.passed = passed  #: no quantity is wrong, and the runs have converged
        self.cancelled: bool = info["cancelled"]
        self.simulations: int = info["simulations"]  #: that were asked for
        self.used: int = info["used"]  #: whose ranks are counted
        self.chains: int = info["chains"]
        #: by name: "theta[1]", "log likelihood"
        self.quantities = {name: CalibratedQuantity(*(np.array(one["ranks"], dtype=np.int64) if field == "ranks" else
                                                      one[field] if field == "wrong" else _number(one[field])
                                                      for field in CalibratedQuantity._fields))
                           for name, one in info["quantities"].items()}

    @property
    def wrong(self) -> List[str]:
        """Names of quantities whose ranks are not those of a model that is right."""
        return [name for name, one in self.quantities.items() if one.wrong]

    def __bool__(self) -> bool:
        return self.passed


class CrossValidation(Study):
    """The result of :func:`cross_validate`. The elpd is the expected log predictive density of new rows, a sum over rows."""

    def __init__(self, converged: bool, table: str, info: Dict[str, Any]) -> None:
        super().__init__(table, info)
        self.converged = converged  #: all fits have
        self.observed: str = info["observed"]  #: the variables whose elements are rows
        self.folds: int = info["folds"]
        self.fold = np.array(info["fold"], dtype=np.int64)  #: of each row: the one that leaves it out, from 0
        self.elpd, self.se = (_number(info["refitted"][key]) for key in ("elpd", "error"))
        self.rows = _numbers(info["refitted"]["rows"])  #: of each row, at the draws of the fit without it
        self.loo, self.loo_se = (_number(info["psis_loo"][key]) for key in ("elpd", "error"))  #: PSIS-LOO of the fit to all
        self.loo_rows = _numbers(info["psis_loo"]["rows"])
        self.khat = _numbers(info["psis_loo"]["khat"])  #: of each row: above 0.7 its loo_rows is not to be trusted


def _numbers(values: Sequence[Optional[float]]) -> np.ndarray:
    return np.array([_number(value) for value in values])


def _number(value: Optional[float]) -> float:
    return math.nan if value is None else float(value)


def _told(bound: Bound, call: Callable[..., None], *before: Any) -> Tuple[bool, str, Dict[str, Any]]:
    """A function of the library that says whether all is well, a table and JSON. Raises the exceptions of a density as they
    are."""
    well, table, info = c_int(), c_char_p(), c_char_p()
    try:
        call(*before, byref(well), byref(table), byref(info))
    except SamplingFailed:
        raise_first(bound.failures)
        raise
    raise_first(bound.failures)
    return bool(well.value), text(table.value), json.loads(text(info.value))


def check(model: Model, data: _Data = None) -> Check:
    """Looks for mistakes in a model, as ``manychain check`` does: gradient, Jacobians of constraints, terms that are not
    finite, parameters without use, precisions, backends. Model and data as of :func:`manychain.sample`."""
    require_own_threads()
    bound = model_of(model)._bind(data, Wanted(Asked()))
    return Check(*_told(bound, library.check_model, bound.pointer))


def check_gradient(model: Model, data: _Data = None) -> None:
    """Compares the gradient of a model with finite differences of its log density, at 20 random points. Raises
    SamplingFailed, with the parameter that is off most, where it is wrong, and where rounding hides whether it is.
    Model and data as of :func:`manychain.sample`."""
    require_own_threads()
    bound = model_of(model)._bind(data, Wanted(Asked()))
    try:
        library.check_model_gradient(bound.pointer)
    except SamplingFailed:
        raise_first(bound.failures)
        raise


def _studied(model: Model, data: _Data, settings: Dict[str, Any], progress: _Watcher,
             call: Callable[[Bound, Held], Tuple[bool, str, Dict[str, Any]]]) -> Tuple[bool, str, Dict[str, Any]]:
    """Returns what `call` returns, with the first Ctrl-C as the end of the study."""
    require_own_threads()
    watcher = watcher_of(progress, True)
    held = Held()
    for name, value in settings.items():
        if value is not None:
            held.set(name, value)
    with Interrupts() as interrupts:
        bound = model_of(model)._bind(data, Wanted(interrupts, int(settings["seed"]), settings.get("sampler"),
                                                   settings.get("precision"), watcher.tell if isinstance(watcher, Line) else None))
        failures: List[BaseException] = []
        try:
            told = watched(lambda: call(bound, held), held, watcher, interrupts, failures)
        except SamplingFailed:
            raise_first(failures)
            if interrupts.count:
                raise KeyboardInterrupt from None
            raise
        raise_first(failures)
    if interrupts.count > 1:
        raise KeyboardInterrupt
    return told


def evidence(model: Model, data: _Data = None, *, chains: Optional[int] = None, warmup: Optional[int] = None,
             draws: Optional[int] = None, thin: Optional[int] = None, seed: Optional[int] = None,
             threads: Optional[int] = None, progress: _Watcher = None) -> Evidence:
    """The evidence, log Z: the integral of a model's density, by two ways, as ``manychain evidence`` finds it
    (docs/mixtures.md). ``evidence(a).bayes_factor(evidence(b))`` compares two models of the same data.

    ``model``, ``data``: as of :func:`manychain.sample`; not a Stan program, whose density lacks constants. Functions of
    Python, a Density, are called in another thread, one at a time.
    ``chains``: particles, and as many chains: 1024 unless told otherwise, 256 where a gradient is expensive. ``warmup``,
    ``draws``, ``thin``, ``threads``: of the chains, docs/settings.md. The seed is a new one unless it is given.
    ``progress``: as of ``sample()``; if it returns True the study ends, with SamplingFailed. Ctrl-C is a KeyboardInterrupt.

    Raises BadInput for a model without gradient or with whole numbers among its parameters.
    """
    settings = {"chains": chains, "warmup": warmup, "draws": draws, "thin": thin, "threads": threads,
                "seed": secrets.randbits(32) if seed is None else seed}
    return Evidence(*_studied(model, data, settings, progress,
                              lambda bound, held: _told(bound, library.evidence, bound.pointer, held.pointer)))


def calibrate(model: Model, data: _Data = None, *, simulations: int = 100, sampler: Optional[str] = None,
              chains: Optional[int] = None, warmup: Optional[int] = None, draws: Optional[int] = None,
              target_ess: Optional[float] = None, seed: Optional[int] = None, precision: Optional[str] = None,
              threads: Optional[int] = None, progress: _Watcher = None) -> Calibration:
    """Is a model, together with its sampler, what it says? Simulation-based calibration, as ``manychain test`` does it
    (docs/models.md): parameters are drawn from the prior, data from the model's predictions at these, the posterior of each of
    these ``simulations`` data is sampled, and the ranks of the parameters among its draws must be uniform.

    ``model``, ``data``: as of :func:`manychain.sample`, of a model that predicts its data. The other settings are those of the
    posteriors, docs/settings.md; the seed is a new one unless it is given.
    ``progress``: as of ``sample()``; posteriors that are done are ``transitions`` of phase "calibration". If it returns True, and
    at the first Ctrl-C, the study ends, and tells what the posteriors until then say (``cancelled`` is True).

    Raises BadInput where the model cannot be tested, or :func:`check` finds its gradient or a Jacobian wrong.
    """
    settings = {"sampler": sampler, "chains": chains, "warmup": warmup, "draws": draws, "target_ess": target_ess,
                "precision": precision, "threads": threads, "seed": secrets.randbits(32) if seed is None else seed}
    if isinstance(simulations, bool) or not hasattr(simulations, "__index__") or simulations.__index__() < 1:
        raise TypeError(f"simulations: give a whole number from 20 on, not {simulations!r}")
    found = Calibration(*_studied(model, data, settings, progress, lambda bound, held: _told(
        bound, library.calibrate, bound.pointer, simulations.__index__(), held.pointer)))
    if found.cancelled:
        warnings.warn(f"the study was ended: it has the ranks of {found.used} of {found.simulations} posteriors",
                      RuntimeWarning, stacklevel=2)
    return found


def cross_validate(model: Model, data: _Data = None, *, folds: int = 10, progress: _Watcher = None,
                   **settings: Any) -> CrossValidation:
    """Cross-validation by refitting, as ``manychain sample --folds`` does it (docs/data_sets.md): the rows of the model's
    ``observe()`` are dealt to ``folds`` parts at random, and the rows of each are predicted by a fit to all others. PSIS-LOO of a
    fit to all rows stands beside it. As many folds as rows leave one out each time.

    ``model``, ``data``: as of :func:`manychain.sample`; a built-in model or a header. Settings are those of ``sample()``; the seed
    is a new one unless it is given.
    ``progress``: as of ``sample()``; fits that are done are ``transitions`` of phase "folds". If it returns True the study ends,
    with SamplingFailed. Ctrl-C is a KeyboardInterrupt.

    Raises BadInput where rows of the model cannot be left out, with the reason.
    """
    if isinstance(folds, bool) or not hasattr(folds, "__index__") or folds.__index__() < 0:
        raise TypeError(f"folds: give a whole number from 2 on, not {folds!r}")
    if settings.get("seed") is None:
        settings["seed"] = secrets.randbits(32)
    return CrossValidation(*_studied(model, data, settings, progress, lambda bound, held: _told(
        bound, library.cross_validate, bound.pointer, folds.__index__(), held.pointer)))
