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
    jax = needed("jax", "from_jax", "jax")
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
    torch = needed("torch", "from_torch", "torch")
    evaluate = torch.func.vmap(torch.func.grad_and_value(log_density))

    def together(x: np.ndarray) -> Tuple[Any, Any]:
        gradient, logp = evaluate(torch.from_numpy(x).to(device) if device is not None else torch.from_numpy(x))
        return logp.detach().cpu().numpy(), gradient.detach().cpu().numpy()
    return _named(Density(together, dimension, names=names, gradient_values=gradient_values), log_density)
