"""Densities of JAX and of PyTorch."""

import importlib
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

from ._errors import BadInput
from ._models import Density


def needed(package: str, function: str, install: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{function}() needs the package {package}, which cannot be imported ({error}): "
                          f"pip install {install}", name=package) from error


def _padded(together: Callable[[np.ndarray, Any], Tuple[np.ndarray, np.ndarray]]) -> Callable[[np.ndarray, Any], Tuple[np.ndarray, np.ndarray]]:
    """`together` for a power of two of points, with the first one again and again behind the others: chains that wait leave
    as many points as there are others, and a compiler that makes code for each number of points would never end."""
    def evaluate(x: np.ndarray, number: Any) -> Tuple[np.ndarray, np.ndarray]:
        points = len(x)
        size = max(16, 1 << (points - 1).bit_length())
        if size > points or x.dtype != number:
            more = np.empty((size, x.shape[1]), number)
            more[:points], more[points:] = x, x[0]
        else:
            more = x
        logp, gradient = together(more, number)
        return logp[:points], gradient[:points]
    return evaluate


class CompiledDensity(Density):
    """The density of another package, in a precision of its own. Gradients are compared with differences in double precision."""

    def __init__(self, at_all: Callable[[np.ndarray, Any], Tuple[Any, Any]], function: Any, dimension: Optional[int],
                 names: Optional[Sequence[str]], precision: str, gradient_values: int) -> None:
        if precision not in ("single", "double"):
            raise BadInput(f"precision: give \"single\" or \"double\", not {precision!r}")
        number = np.float32 if precision == "single" else np.float64

        def logp_and_grad(x: np.ndarray) -> Tuple[Any, Any]:
            with np.errstate(over="ignore"):  # a point beyond single precision is rejected
                return at_all(x, number)
        logp_and_grad.__name__ = getattr(function, "__name__", type(function).__name__)
        super().__init__(logp_and_grad, dimension, names=names, gradient_values=gradient_values)
        self.precision = precision
        self._at_all = at_all

    def _in_double(self) -> Density:
        return Density(lambda x: self._at_all(x, np.float64), self.dimension, names=self.names)


class JaxDensity(CompiledDensity):
    """JAX changes no array, and what it returns is done with the points."""

    def _computed(self, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        return self._evaluate(x)


def from_jax(log_density: Callable[[Any], Any], dimension: Optional[int] = None, *, names: Optional[Sequence[str]] = None,
             precision: str = "double", gradient_values: int = 0) -> Density:
    """A :class:`Density` of a JAX function of one point: ``log_density(x)`` gets x of shape (dimension,) on the unconstrained
    scale and returns a scalar. Its gradient comes from JAX, for all chains in one compiled call.

    ``precision``: "double", whatever ``jax_enable_x64`` says (arrays that the function holds keep their own), or "single", which is
    faster and rounds log densities to seven digits: one that is a million has an error of a tenth, and chains accept less. The
    sampler's own numbers are doubles. ``dimension``, ``names``, ``gradient_values`` as of Density.
    """
    jax = needed("jax", "from_jax", "jax")
    double = (jax if hasattr(jax, "enable_x64") else importlib.import_module("jax.experimental")).enable_x64
    compiled = jax.jit(jax.vmap(jax.value_and_grad(log_density)))

    def together(x: np.ndarray, number: Any) -> Tuple[Any, Any]:
        with double(number is np.float64):
            logp, gradient = compiled(x)
            return np.asarray(logp), np.asarray(gradient)
    return JaxDensity(_padded(together), log_density, dimension, names, precision, gradient_values)


def from_torch(log_density: Callable[[Any], Any], dimension: Optional[int] = None, *, names: Optional[Sequence[str]] = None,
               device: Any = None, precision: str = "double", gradient_values: int = 0) -> Density:
    """A :class:`Density` of a PyTorch function of one point: ``log_density(x)`` gets a tensor of shape (dimension,), float64, or
    float32 with ``precision="single"``, on ``device`` (None: the CPU), on the unconstrained scale, and returns a scalar.
    ``torch.func`` computes it and its gradient at all points together, so that it must be a function without side effects. Needs
    PyTorch 2.0 or later. ``dimension``, ``names``, ``precision``, ``gradient_values`` as of :func:`from_jax`."""
    torch = needed("torch", "from_torch", "torch")
    evaluate = torch.func.vmap(torch.func.grad_and_value(log_density))

    def together(x: np.ndarray, number: Any) -> Tuple[Any, Any]:
        points = torch.from_numpy(x.astype(number, copy=False))
        gradient, logp = evaluate(points.to(device) if device is not None else points)
        return logp.detach().cpu().numpy(), gradient.detach().cpu().numpy()
    return CompiledDensity(together, log_density, dimension, names, precision, gradient_values)
