"""Diagnostics of draws, of whichever program."""

import ctypes
from collections.abc import Mapping
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from ._library import CDiagnostic, CSequences, library, require_own_threads, text
from ._settings import did_you_mean, encoded

Draws = Any  #: an array (chain, draw, ...), or a mapping of names to such arrays
Values = Any  #: a float, an array or a dictionary, by the draws: a union would ask every caller which


def _read() -> Dict[str, bool]:
    found = {}
    for index in range(library.diagnostic_count()):
        one = CDiagnostic()
        library.get_diagnostic(index, one)
        found[text(one.name)] = bool(one.of_probability)
    return found


_known = _read()  # each, with whether it is of a quantile


def _array(draws: Any) -> np.ndarray:
    """Draws as doubles, (chain, draw, ...)."""
    if {"chain", "draw"} <= set(getattr(draws, "dims", ())):  # an xarray.DataArray, in whatever order
        draws = draws.transpose("chain", "draw", ...)
    array = np.asarray(draws)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"draws: give an array of real numbers, not of {array.dtype}")
    if array.ndim < 2:
        raise ValueError(f"draws: the shape is {array.shape}; it must be (chain, draw, ...), and (1, draws) of one chain")
    return np.ascontiguousarray(array, dtype=np.float64)


def _each(draws: Draws, ask: Callable[[np.ndarray, CSequences], Any]) -> Any:
    """ask(draws, their view) of an array, or of each array of a mapping."""
    if isinstance(draws, Mapping):
        return {name: _each(draws[name], ask) for name in draws}
    array = _array(draws)
    variables = int(np.prod(array.shape[2:], dtype=np.int64))
    return ask(array, CSequences(array.ctypes.data, array.shape[0], array.shape[1], variables))


def _of_each_variable(draws: Draws, call: Callable[[CSequences, int], None]) -> Values:
    def ask(array: np.ndarray, view: CSequences) -> Any:
        results = np.empty(array.shape[2:])
        call(view, results.ctypes.data)
        return results if array.ndim > 2 else float(results)
    require_own_threads()
    return _each(draws, ask)


def _statistic(draws: Draws, family: str, kind: str, p: Optional[float]) -> Values:
    name = "rhat" if (family, kind) == ("rhat", "rank") else f"{family}_{kind}"
    if name not in _known:
        kinds = [one[len(family) + 1:] for one in _known if one.startswith(family + "_")]
        kinds = ["rank"] * (family == "rhat") + kinds
        raise ValueError(f'kind: there is no "{kind}"{did_you_mean(str(kind), kinds)}; there are {", ".join(kinds)}')
    if _known[name] != (p is not None):
        raise TypeError(f'p: give the probability of the quantile for kind "{kind}"' if p is None else
                        f'p: is for kind "quantile" alone, not for "{kind}"')
    return _of_each_variable(draws, lambda view, results: library.diagnose(
        encoded("kind", name), 0.0 if p is None else float(p), view, 0, results))


def rhat(draws: Draws, kind: str = "rank") -> Values:
    """Potential scale reduction of each element: about 1 where chains agree, NaN where it is not defined.

    ``draws``: shape (chain, draw, ...); the result has the shape (...), a float of a scalar. Of a mapping, a
    :class:`Result` for example, a dictionary. This holds for all functions of diagnostics. docs/diagnostics.md defines them.
    ``kind``: "rank", the larger of "bulk" and "folded" (Vehtari et al. 2021); "split"; or "plain", of whole chains.
    """
    return _statistic(draws, "rhat", kind, None)


def rhat_nested(draws: Draws, superchains: Union[int, Sequence[int]], *, ranked: bool = True) -> Values:
    """Nested R-hat (Margossian et al. 2024), for many short chains: superchains that started at one point each are compared.

    ``superchains``: a label for each chain, or their number K if chain c belongs to superchain c mod K, as in runs of
    manychain. Their sizes may differ by one chain. ``ranked``: of rank-normalised draws and of their folded form, the larger,
    by halves, as the verdict takes it; False: of the draws as they are. Draws and result as of :func:`rhat`.
    """
    require_own_threads()

    def ask(array: np.ndarray, view: CSequences) -> Any:
        labels = _labels(superchains, len(array))
        results = np.empty(array.shape[2:])
        library.rhat_nested(view, labels, int(ranked), 0, results.ctypes.data)
        return results if array.ndim > 2 else float(results)
    return _each(draws, ask)


def _labels(superchains: Any, chains: int) -> Any:
    if not isinstance(superchains, bool) and hasattr(superchains, "__index__"):
        count = superchains.__index__()
        if count < 1:
            raise ValueError(f"superchains: {count} is not allowed; give their number, or a label for each chain")
        given: List[int] = [chain % count for chain in range(chains)]
    else:
        names = np.asarray(superchains)
        if names.shape != (chains,):
            raise ValueError(f"superchains: the shape of the labels is {names.shape} for {chains} chains; give one for each")
        given = np.unique(names, return_inverse=True)[1].tolist()
    return (ctypes.c_size_t * chains)(*given)


def ess(draws: Draws, kind: str = "bulk", p: Optional[float] = None) -> Values:
    """Effective number of draws, of all chains together.

    ``kind``: "bulk", of the rank-normalised draws; "tail", the smaller of those of the quantiles at 5 % and 95 %; "mean",
    "sd", "median"; "quantile" at ``p``; or "plain", of whole chains. Draws and result as of :func:`rhat`.
    """
    return _statistic(draws, "ess", kind, p)


def ess_tail(draws: Draws) -> Values:
    """``ess(draws, "tail")``."""
    return ess(draws, "tail")


def mcse(draws: Draws, kind: str = "mean", p: Optional[float] = None) -> Values:
    """Monte Carlo standard error of the "mean", the "sd", the "median" or the "quantile" at ``p``, in the unit of the draws.
    Draws and result as of :func:`rhat`."""
    return _statistic(draws, "mcse", kind, p)


def pareto_khat(draws: Draws) -> Values:
    """Shape k of a generalised Pareto distribution fitted to both tails, the larger: moments of orders below 1 / k exist. As
    pareto_khat() of the R package posterior. Draws and result as of :func:`rhat`."""
    return _of_each_variable(draws, lambda view, results: library.diagnose(b"pareto_khat", 0.0, view, 0, results))


def autocorrelation(draws: Draws, max_lag: Optional[int] = None) -> Any:
    """Autocorrelations at the lags 0 to ``max_lag`` (default: draws - 1), about each chain's own mean, averaged over the
    chains: shape (..., max_lag + 1). Draws as of :func:`rhat`."""
    require_own_threads()

    def ask(array: np.ndarray, view: CSequences) -> np.ndarray:
        most = array.shape[1] - 1 if max_lag is None else max_lag
        if isinstance(most, bool) or not hasattr(most, "__index__") or not 0 <= most.__index__() < array.shape[1]:
            raise ValueError(f"max_lag: {most!r} is not allowed; give a whole number below the number of draws, "
                             f"{array.shape[1]}")
        results = np.empty((*array.shape[2:], most.__index__() + 1))
        library.autocorrelation(view, most.__index__(), results.ctypes.data)
        return results
    return _each(draws, ask)


def ebfmi(energy: Any) -> np.ndarray:
    """Energy Bayesian fraction of missing information of each chain: ``energy`` has the shape (chain, draw), the result
    (chain,). Below 0.3 the momenta are too small for the tails of the energy."""
    require_own_threads()
    array = _array(energy)
    if array.ndim != 2:
        raise ValueError(f"energy: the shape is {array.shape}; it must be (chain, draw)")
    results = np.empty(len(array))
    library.ebfmi(CSequences(array.ctypes.data, array.shape[0], array.shape[1], 1), results.ctypes.data)
    return results
