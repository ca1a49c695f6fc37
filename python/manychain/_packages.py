"""Densities of other packages: JAX, PyTorch, PyMC."""

import importlib
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._models import Density


def _needed(package: str, function: str, install: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{function}() needs the package {package}, which cannot be imported ({error}): "
                          f"pip install {install}", name=package) from error


def _padded(together: Callable[[np.ndarray], Tuple[Any, Any]]) -> Callable[[np.ndarray], Tuple[np.ndarray, np.ndarray]]:
    """`together` for a power of two of points, with the first one again and again behind the others: chains that wait leave
    as many points as there are others, and a compiler that makes code for each number of points would never end."""
    def evaluate(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        points = len(x)
        size = max(16, 1 << (points - 1).bit_length())
        more = np.concatenate([x, np.broadcast_to(x[:1], (size - points, x.shape[1]))])
        logp, gradient = together(more)
        return np.asarray(logp)[:points], np.asarray(gradient)[:points]
    return evaluate


def _named(density: Density, function: Any) -> Density:
    density.logp_and_grad.__name__ = getattr(function, "__name__", type(function).__name__)  # type: ignore[attr-defined]
    return density


def from_jax(log_density: Callable[[Any], Any], dimension: Optional[int] = None, *, names: Optional[Sequence[str]] = None,
             gradient_values: int = 0) -> Density:
    """A :class:`Density` of a JAX function of one point: ``log_density(x)`` gets x of shape (dimension,) on the unconstrained
    scale and returns a scalar. Its gradient comes from JAX, for all chains in one compiled call, in double precision whatever
    ``jax_enable_x64`` says; arrays that it holds keep their own. ``dimension``, ``names``, ``gradient_values`` as of Density.
    """
    jax = _needed("jax", "from_jax", "jax")
    double = (jax if hasattr(jax, "enable_x64") else importlib.import_module("jax.experimental")).enable_x64
    compiled = jax.jit(jax.vmap(jax.value_and_grad(log_density)))

    def together(x: np.ndarray) -> Tuple[Any, Any]:
        with double(True):
            logp, gradient = compiled(x)
            return np.asarray(logp), np.asarray(gradient)
    return _named(Density(_padded(together), dimension, names=names, gradient_values=gradient_values), log_density)


def from_torch(log_density: Callable[[Any], Any], dimension: Optional[int] = None, *, names: Optional[Sequence[str]] = None,
               device: Any = None, gradient_values: int = 0) -> Density:
    """A :class:`Density` of a PyTorch function of one point: ``log_density(x)`` gets a tensor of shape (dimension,), float64,
    on ``device`` (None: the CPU), on the unconstrained scale, and returns a scalar. ``torch.func`` computes it and its gradient
    at all points together, so that it must be a function without side effects. Needs PyTorch 2.0 or later.
    ``dimension``, ``names``, ``gradient_values`` as of Density."""
    torch = _needed("torch", "from_torch", "torch")
    evaluate = torch.func.vmap(torch.func.grad_and_value(log_density))

    def together(x: np.ndarray) -> Tuple[Any, Any]:
        gradient, logp = evaluate(torch.from_numpy(x).to(device) if device is not None else torch.from_numpy(x))
        return logp.detach().cpu().numpy(), gradient.detach().cpu().numpy()
    return _named(Density(together, dimension, names=names, gradient_values=gradient_values), log_density)


class PyMCDensity(Density):
    """The log density of a PyMC model, which :func:`from_pymc` makes. ``posterior()`` gives the draws PyMC's names."""

    def __init__(self, model: Any, gradient_values: int = 0) -> None:
        pytensor = importlib.import_module("pytensor")
        start = model.initial_point()
        self._model, self._parameters = model, list(model.value_vars)
        self._shapes: List[Tuple[int, ...]] = [np.shape(start[value.name]) for value in self._parameters]
        others = [value.name for value in self._parameters if value.dtype not in ("float64", "float32")]
        if others:
            raise TypeError(f"model: {', '.join(others)} of PyMC's model has discrete values; marginalise them")
        names = [value.name + (f"[{','.join(str(k + 1) for k in at)}]" if at else "")
                 for value, shape in zip(self._parameters, self._shapes) for at in np.ndindex(shape)]
        point = pytensor.tensor.vector("point", dtype="float64")
        logp = pytensor.graph.replace.graph_replace(model.logp(), dict(zip(self._parameters, self._parts(point))), strict=False)
        points = pytensor.tensor.matrix("points", dtype="float64")
        both = pytensor.graph.replace.vectorize_graph([logp, pytensor.grad(logp, point)], {point: points})
        super().__init__(pytensor.function([points], both), names=names, gradient_values=gradient_values)

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
        point = pytensor.tensor.vector("point", dtype="float64")
        outputs = pytensor.graph.replace.graph_replace(wanted, dict(zip(self._parameters, self._parts(point))), strict=False)
        points = pytensor.tensor.matrix("points", dtype="float64")
        compute = pytensor.function([points], pytensor.graph.replace.vectorize_graph(outputs, {point: points}))
        draws = np.concatenate([np.asarray(result[name], dtype=np.float64).reshape(result.chains, result.draws, -1)
                                for name in result], axis=-1)
        flat = compute(draws.reshape(-1, draws.shape[-1]))
        return {one.name: values.reshape(draws.shape[:2] + values.shape[1:]) for one, values in zip(wanted, flat)}


def from_pymc(model: Any, *, gradient_values: int = 0) -> PyMCDensity:
    """A :class:`Density` of a PyMC 5 model with continuous parameters: its compiled log density and gradient, at all chains in
    one call. The draws are PyMC's unconstrained values (``tau_log__``), and ``density.posterior(result)`` gives them the names
    and scales of the model."""
    _needed("pymc", "from_pymc", "pymc")
    if not hasattr(model, "value_vars") or not hasattr(model, "initial_point"):
        raise TypeError(f"model: give a pymc.Model, not {type(model).__name__}")
    return PyMCDensity(model, gradient_values)
