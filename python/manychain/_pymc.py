"""Densities of PyMC's models, and draws as its users know them."""

import importlib
from typing import Any, Dict, List, Tuple

import numpy as np

from ._models import Density
from ._packages import needed
from ._result import has_inference_data

_AT_ONCE = 256  # draws: a quantity may need large matrices


class PyMCDensity(Density):
    """The log density of a PyMC model, which :func:`from_pymc` makes. ``posterior()`` and ``to_datatree()`` give the draws
    PyMC's names."""

    def __init__(self, model: Any, gradient_values: int = 0) -> None:
        pytensor = importlib.import_module("pytensor")
        start = model.initial_point()
        self._model, self._parameters = model, list(model.value_vars)
        if not self._parameters:
            raise TypeError("model: PyMC's model has no parameters that are not observed")
        self._shapes: List[Tuple[int, ...]] = [np.shape(start[value.name]) for value in self._parameters]
        others = [value.name for value in self._parameters if value.dtype not in ("float64", "float32")]
        if others:
            raise TypeError(f"model: {', '.join(others)} of PyMC's model has discrete values; marginalise them")
        names = [value.name + (f"[{','.join(str(k + 1) for k in at)}]" if at else "")
                 for value, shape in zip(self._parameters, self._shapes) for at in np.ndindex(shape)]
        point, (logp,) = self._of_a_point([model.logp()])
        points = pytensor.tensor.matrix("points", dtype="float64")
        both = pytensor.graph.replace.vectorize_graph([logp, pytensor.grad(logp, point)], {point: points})
        compiled = pytensor.function([points], both)

        def logp_and_grad(x: np.ndarray) -> Any:
            with np.errstate(all="ignore"):  # points far away are no mistake: what is not finite is rejected
                return compiled(x)
        super().__init__(logp_and_grad, names=names, gradient_values=gradient_values)

    def _of_a_point(self, outputs: List[Any]) -> Tuple[Any, List[Any]]:
        """A vector, and the outputs as functions of it."""
        pytensor = importlib.import_module("pytensor")
        point = pytensor.tensor.vector("point", dtype="float64")
        found = pytensor.graph.replace.graph_replace(outputs, dict(zip(self._parameters, self._parts(point))), strict=False)
        return point, _without_exceptions(found)

    def _parts(self, point: Any) -> List[Any]:
        """The values of a point, in their shapes and types."""
        parts, at = [], 0
        for value, shape in zip(self._parameters, self._shapes):
            size = int(np.prod(shape, dtype=np.int64))
            parts.append(point[at:at + size].reshape(shape).astype(value.dtype))
            at += size
        return parts

    def posterior(self, result: Any) -> Dict[str, np.ndarray]:
        """The draws of ``sample()`` under the names of the model, parameters on their constrained scale and deterministic
        ones: each (chain, draw, ...)."""
        pytensor = importlib.import_module("pytensor")
        names = {one.name for one in [*self._model.free_RVs, *self._model.deterministics]}
        wanted = [one for one in self._model.unobserved_value_vars if one.name in names]
        point, outputs = self._of_a_point(wanted)
        points = pytensor.tensor.matrix("points", dtype="float64")
        compute = pytensor.function([points], pytensor.graph.replace.vectorize_graph(outputs, {point: points}))
        draws = np.concatenate([np.asarray(result[name], dtype=np.float64).reshape(result.chains, result.draws, -1)
                                for name in result], axis=-1)
        flat = draws.reshape(-1, draws.shape[-1])
        with np.errstate(all="ignore"):
            parts = [compute(flat[at:at + _AT_ONCE]) for at in range(0, max(len(flat), 1), _AT_ONCE)]
        return {one.name: np.concatenate([part[k] for part in parts]).reshape(draws.shape[:2] + parts[0][k].shape[1:])
                for k, one in enumerate(wanted)}

    def to_datatree(self, result: Any) -> Any:
        """The xarray.DataTree of a result with PyMC's names, dimensions and coordinates in ``posterior``, ``observed_data`` and
        ``constant_data``; ``unconstrained_posterior`` has the draws as they were made. Needs xarray and netCDF4 or h5netcdf."""
        import xarray
        tree = result.to_datatree()
        drawn = tree["posterior"].to_dataset()
        tree["unconstrained_posterior"] = xarray.DataTree(drawn)
        chains = {name: drawn[name] for name in drawn.coords if set(drawn[name].dims) <= {"chain", "draw"}}
        tree["posterior"] = xarray.DataTree(self._dataset(self.posterior(result), chains, drawn.attrs))
        observed = {one.name: _value_of(self._model.rvs_to_values[one]) for one in self._model.observed_RVs}
        constant = {one.name: _value_of(one) for one in self._model.data_vars}
        for group, values in (("observed_data", observed), ("constant_data", constant)):
            if values:
                tree[group] = xarray.DataTree(self._dataset(values, {}, {}))
        return tree

    def to_inference_data(self, result: Any) -> Any:
        """The same as an arviz.InferenceData of ArviZ 0.x; of ArviZ 1.x, which has none, a DataTree."""
        import arviz
        tree = self.to_datatree(result)
        if not has_inference_data(arviz):
            return tree
        return arviz.InferenceData(**{name: group.to_dataset() for name, group in tree.children.items()})

    def _dataset(self, values: Dict[str, np.ndarray], chains: Dict[str, Any], attributes: Any) -> Any:
        import xarray
        before = ("chain", "draw") if chains else ()
        variables, coords = {}, dict(chains)
        for name, array in values.items():
            shape = np.shape(array)[len(before):]
            given = list(self._model.named_vars_to_dims.get(name) or ())
            dims = [str(given[k]) if k < len(given) and given[k] is not None else f"{name}_dim_{k}" for k in range(len(shape))]
            for dim, size in zip(dims, shape):
                labels = self._model.coords.get(dim)
                coords[dim] = np.arange(size) if labels is None or len(labels) != size else np.asarray(labels)
            variables[name] = ((*before, *dims), array)
        return xarray.Dataset(variables, coords, attributes)


def _without_exceptions(outputs: List[Any]) -> List[Any]:
    """The graphs with PyMC's checks of parameters as values: one point out of bounds must not end the run of all."""
    pytensor = importlib.import_module("pytensor")
    check = importlib.import_module("pymc.logprob.utils").CheckParameterValue
    graph = pytensor.graph.fg.FunctionGraph(outputs=outputs, clone=False)
    for node in graph.toposort():
        if isinstance(node.op, check):
            value, *conditions = node.inputs
            outside = -np.inf if node.op.can_be_replaced_by_ninf else np.nan
            checked = pytensor.tensor.switch(pytensor.tensor.all(conditions), value, outside).astype(value.dtype)
            graph.replace(node.outputs[0], checked, import_missing=True)
    return list(graph.outputs)


def _value_of(variable: Any) -> np.ndarray:
    if hasattr(variable, "get_value"):
        return variable.get_value()
    return np.asarray(variable.data if hasattr(variable, "data") else variable.eval())


def from_pymc(model: Any, *, gradient_values: int = 0) -> PyMCDensity:
    """A :class:`Density` of a model of PyMC 5 or 6 with continuous parameters: its compiled log density and gradient, at all chains in
    one call. The draws are PyMC's unconstrained values (``tau_log__``); ``density.to_datatree(result)`` gives them the names,
    scales, dimensions and coordinates of the model, and ``density.posterior(result)`` is a dictionary of arrays."""
    needed("pymc", "from_pymc", "pymc")
    if not hasattr(model, "value_vars") or not hasattr(model, "initial_point"):
        raise TypeError(f"model: give a pymc.Model, not {type(model).__name__}")
    return PyMCDensity(model, gradient_values)
