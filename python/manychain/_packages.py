"""Densities of JAX and of PyTorch."""

import importlib
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

from ._models import Density


def needed(package: str, function: str, install: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{function}() needs the package {package}, which cannot be imported ({error}): "
                          f"pip install {install}", name=package) from error


_AtAll = Callable[[np.ndarray], Tuple[np.ndarray, np.ndarray]]


def _padded(together: _AtAll) -> _AtAll:
    """`together` for a power of two of points, with the first one again and again behind the others: chains that wait leave
    as many points as there are others, and a compiler that makes code for each number of points would never end."""
    def evaluate(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        points = len(x)
        size = max(16, 1 << (points - 1).bit_length())
        if size > points:
            more = np.empty((size, x.shape[1]), x.dtype)
            more[:points], more[points:] = x, x[0]
            x = more
        logp, gradient = together(x)
        return logp[:points], gradient[:points]
    return evaluate


class CompiledDensity(Density):
    """The density of another package, which computes in the precision of the points that it gets: float64 or float32."""

    def __init__(self, at_all: _AtAll, function: Any, dimension: Optional[int], names: Optional[Sequence[str]],
                 gradient_values: int) -> None:
        setattr(at_all, "__name__", getattr(function, "__name__", type(function).__name__))
        super().__init__(at_all, dimension, names=names, gradient_values=gradient_values)


    def _takes_single(self, precision: Optional[str]) -> bool:
        return True


class TorchDensity(CompiledDensity):
    """PyTorch multiplies no matrix of doubles by a vector of singles: a function that holds doubles may take double alone."""

    def _takes_single(self, precision: Optional[str]) -> bool:
        if precision in (None, "auto"):
            try:
                self.logp_and_grad(np.zeros((1, self.dimension), np.float32))
            except RuntimeError:
                return False
        return True


class JaxDensity(CompiledDensity):
    """JAX changes no array, and what it returns is done with the points."""

    def _computed(self, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        return self._evaluate(x)


def from_jax(log_density: Callable[[Any], Any], dimension: Optional[int] = None, *, names: Optional[Sequence[str]] = None,
             gradient_values: int = 0) -> Density:
    """A :class:`Density` of a JAX function of one point: ``log_density(x)`` gets x of shape (dimension,) on the unconstrained
    scale and returns a scalar. Its gradient comes from JAX, for all chains in one compiled call.

    The setting ``precision`` of the run says in which precision x is: "double", "single", or "auto", which compares both at the
    posterior, and compiles both for it. It is called as with ``jax_enable_x64``: arrays that it holds keep their type, and doubles among
    them, which NumPy's are, make all that they meet double. Arrays of float32 are what single precision is faster with.
    ``dimension``, ``names``, ``gradient_values`` as of Density.
    """
    jax = needed("jax", "from_jax", "jax")
    double = (jax if hasattr(jax, "enable_x64") else importlib.import_module("jax.experimental")).enable_x64
    compiled = jax.jit(jax.vmap(jax.value_and_grad(log_density)))

    def together(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        with double(True):  # of singles, too: JAX 0.10 mixes the precisions of arrays of NumPy that a function meets with and without
            logp, gradient = compiled(x)
            return np.asarray(logp), np.asarray(gradient)
    return JaxDensity(_padded(together), log_density, dimension, names, gradient_values)


def from_torch(log_density: Callable[[Any], Any], dimension: Optional[int] = None, *, names: Optional[Sequence[str]] = None,
               device: Any = None, gradient_values: int = 0) -> Density:
    """A :class:`Density` of a PyTorch function of one point: ``log_density(x)`` gets a tensor of shape (dimension,) on ``device``
    (None: the CPU), on the unconstrained scale, and returns a scalar; it is float64, or float32 where the setting ``precision`` of
    the run is "single", or "auto" finds that enough. A function that multiplies it by matrices of float64 takes float64 alone, which
    PyTorch refuses to mix: ``auto`` finds that out at x = 0. ``torch.func`` computes it and its gradient at all points together, so that it
    must be a function without side effects. Needs PyTorch 2.0 or later. ``dimension``, ``names``, ``gradient_values`` as of
    Density."""
    torch = needed("torch", "from_torch", "torch")
    evaluate = torch.func.vmap(torch.func.grad_and_value(log_density))

    def together(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        points = torch.from_numpy(x)
        gradient, logp = evaluate(points.to(device) if device is not None else points)
        return logp.detach().cpu().numpy(), gradient.detach().cpu().numpy()
    return TorchDensity(together, log_density, dimension, names, gradient_values)
