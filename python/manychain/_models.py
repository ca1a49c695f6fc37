"""Models: built-in ones by name, densities of Python and of C, Stan models."""

import ctypes
import os
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._data import Data, DataSource, for_stan
from ._errors import BadInput
from ._library import Batch, CBuiltin, library, path_bytes, text
from ._settings import did_you_mean, encoded


class BuiltinModel(NamedTuple):
    """A model that the library brings."""
    name: str
    description: str
    carries_data: bool  #: it can be sampled without data


def models() -> List[BuiltinModel]:
    """The built-in models: ``manychain.sample(name)``."""
    found = []
    for index in range(library.builtin_count()):
        one = CBuiltin()
        library.get_builtin(index, one)
        found.append(BuiltinModel(text(one.name), text(one.description), bool(one.carries_data)))
    return found


class _Bound:
    """Owns a model of the library, and what must live as long as it. `failures`: exceptions of a Python density."""

    def __init__(self) -> None:
        self.pointer = ctypes.c_void_p()
        self.kept: List[Any] = []
        self.failures: List[BaseException] = []

    def __del__(self) -> None:
        if self.pointer:
            library.model_free(self.pointer)


def _dimension_and_names(dimension: Optional[int], names: Optional[Sequence[str]]) -> Tuple[int, Optional[List[str]]]:
    if isinstance(names, str):
        raise TypeError(f"names: give a sequence of names, not the text {names!r}")
    listed = None if names is None else list(names)
    if listed is not None and not all(isinstance(name, str) for name in listed):
        raise TypeError("names: give a text for each dimension")
    if dimension is None:
        if listed is None:
            raise TypeError("give the dimension of the density, or a name for each of its parameters")
        dimension = len(listed)
    if isinstance(dimension, bool) or not hasattr(dimension, "__index__"):
        raise TypeError(f"dimension: give a whole number, not {dimension!r}")
    dimension = dimension.__index__()
    if dimension < 1:
        raise BadInput(f"dimension: {dimension} is not allowed; it must be at least 1")
    if listed is not None and len(listed) != dimension:
        raise BadInput(f"names: there are {len(listed)} for a density of dimension {dimension}")
    return dimension, listed


def _c_names(names: Optional[List[str]]) -> Any:
    if names is None:
        return None
    return (ctypes.c_char_p * len(names))(*(encoded("a name of a parameter", name) for name in names))


def _gradient_values(value: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        raise TypeError(f"gradient_values: give a whole number from 0 on, not {value!r}")
    return value.__index__()


class _Memory:
    """Doubles of the library as an array, for the length of a call."""

    def __init__(self, address: int, shape: Tuple[int, ...], read_only: bool) -> None:
        self.__array_interface__ = {"version": 3, "typestr": "<f8", "shape": shape, "data": (address, read_only)}


class Density:
    """A log density of NumPy arrays, computed at the points of all chains in one call.

    ``logp_and_grad(x)`` gets ``x`` of shape (points, dimension), float64, an array of its own, on the unconstrained scale,
    and returns the log densities, shape (points,), up to a constant, and their gradients, shape (points, dimension). The
    values at a point must not depend on the other points. A log density or a gradient that is not finite rejects the
    proposal of that point. It is called in the thread that calls :func:`manychain.sample`; an exception ends the run, and
    comes out of ``sample()`` as it is.

    ``dimension`` or ``names``: how many parameters there are, or a name for each (default: q[1], q[2], ...).
    ``gradient_values``: about how many numbers a gradient at one point reads, from which the default number of chains
    follows; 0: 256 chains.
    """

    def __init__(self, logp_and_grad: Callable[[np.ndarray], Tuple[Any, Any]], dimension: Optional[int] = None, *,
                 names: Optional[Sequence[str]] = None, gradient_values: int = 0) -> None:
        if not callable(logp_and_grad):
            raise TypeError(f"logp_and_grad: give a function, not {type(logp_and_grad).__name__}")
        self.logp_and_grad = logp_and_grad
        self.dimension, self.names = _dimension_and_names(dimension, names)
        self.gradient_values = _gradient_values(gradient_values)

    def __repr__(self) -> str:
        name = getattr(self.logp_and_grad, "__name__", type(self.logp_and_grad).__name__)
        return f"Density({name}, dimension={self.dimension})"

    def _values(self, what: str, values: Any, shape: Tuple[int, ...]) -> np.ndarray:
        array = np.asarray(values)
        if array.shape != shape:
            raise ValueError(f"logp_and_grad returned {what} of shape {array.shape} for {shape[0]} points of dimension "
                             f"{self.dimension}; they must have the shape {shape}")
        if array.dtype.kind not in "biuf":
            raise TypeError(f"logp_and_grad returned {what} of type {array.dtype}; they must be real numbers")
        return array

    def _evaluate(self, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        returned = self.logp_and_grad(x)
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise TypeError("logp_and_grad must return two arrays, the log densities and their gradients, not "
                            f"{type(returned).__name__}")
        points = len(x)
        return (self._values("log densities", returned[0], (points,)),
                self._values("gradients", returned[1], (points, self.dimension)))

    def _bind(self, data: Any, seed: int, interrupted: Callable[[], bool]) -> _Bound:
        if data is not None:
            raise TypeError("data: a Density has its own; give none")
        bound = _Bound()
        failures = bound.failures  # a reference to `bound` in what it keeps would be a cycle

        def call(points: int, dimension: int, positions: int, log_densities: int, gradients: int, user: Any) -> int:
            try:
                if interrupted():
                    raise KeyboardInterrupt
                logp, gradient = self._evaluate(np.array(_Memory(positions, (points, dimension), True)))
                np.asarray(_Memory(log_densities, (points,), False))[:] = logp
                np.asarray(_Memory(gradients, (points, dimension), False))[:] = gradient
                return 0
            except BaseException as failure:  # nothing may leave a callback of C
                failures.append(failure)
                return 1

        function = Batch(call)
        bound.kept.append(function)
        library.batch_model(self.dimension, _c_names(self.names), function, None, self.gradient_values, bound.pointer)
        return bound


class CFunction:
    """A log density that is a compiled function, called once for each point, by several threads at once and without the
    interpreter's lock::

        int f(size_t dimension, const double *x, double *gradient, double *logp, void *user);

    It writes log density and gradient and returns 0, or anything else to reject the proposal. ``function``: a function
    pointer of ctypes, a ``numba.cfunc``, or an address; ``user``: an address that is passed on. Both are kept as long as the
    model. ``dimension``, ``names`` and ``gradient_values`` as of :class:`Density`, but that 0 means 32 chains.
    """

    def __init__(self, function: Any, dimension: Optional[int] = None, *, names: Optional[Sequence[str]] = None,
                 user: Any = None, gradient_values: int = 0) -> None:
        self.function = function
        self.user = user
        self.address = _address("function", function)
        if not self.address:
            raise BadInput("function: give a function, not a null pointer")
        self.user_address = None if user is None else _address("user", user)
        self.dimension, self.names = _dimension_and_names(dimension, names)
        self.gradient_values = _gradient_values(gradient_values)

    def __repr__(self) -> str:
        return f"CFunction({self.function!r}, dimension={self.dimension})"

    def _bind(self, data: Any, seed: int, interrupted: Callable[[], bool]) -> _Bound:
        if data is not None:
            raise TypeError("data: a CFunction gets them by `user`; give none")
        bound = _Bound()
        bound.kept += [self.function, self.user]
        library.logp_model(self.dimension, _c_names(self.names), self.address, self.user_address, self.gradient_values,
                           bound.pointer)
        return bound


def _address(what: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(getattr(value, "address", None), int):  # numba.cfunc
        return value.address
    try:
        return ctypes.cast(value, ctypes.c_void_p).value or 0
    except (ctypes.ArgumentError, TypeError):
        raise TypeError(f"{what}: give a function pointer of ctypes, a numba.cfunc or an address, not "
                        f"{type(value).__name__}; a function of Python goes into Density()" if what == "function" else
                        f"{what}: give an address or a pointer of ctypes, not {type(value).__name__}") from None


class StanModel:
    """A Stan model that BridgeStan 2 has compiled into the shared library ``library``. Its data are those of
    :func:`manychain.sample`: a mapping, the name of a file of CmdStan's JSON, or JSON."""

    def __init__(self, library: "str | os.PathLike[str]") -> None:
        if not isinstance(library, (str, os.PathLike)):
            raise TypeError(f"library: give the name of a file, not {type(library).__name__}")
        self.library = library

    def __repr__(self) -> str:
        return f"StanModel({os.fspath(self.library)!r})"

    def _bind(self, data: Optional[DataSource], seed: int, interrupted: Callable[[], bool]) -> _Bound:
        bound = _Bound()
        library.stan_model(path_bytes(self.library), for_stan(data), seed, bound.pointer)
        return bound


class _Builtin:
    def __init__(self, name: str) -> None:
        self.name = name

    def _bind(self, data: Optional[DataSource], seed: int, interrupted: Callable[[], bool]) -> _Bound:
        bound = _Bound()
        try:
            if data is None:
                library.builtin_model(encoded("model", self.name), None, bound.pointer)
            else:
                held = Data(data)
                library.builtin_model(encoded("model", self.name), held.pointer, bound.pointer)
        except BadInput as error:
            names = [one.name for one in models()]
            if self.name in names:
                raise
            raise BadInput(str(error) + did_you_mean(self.name, names)) from None
        return bound


Model = Union[str, Density, CFunction, StanModel]


def model_of(model: Model) -> Any:
    """The object with _bind() for this model."""
    if isinstance(model, str):
        return _Builtin(model)
    if isinstance(model, (Density, CFunction, StanModel)):
        return model
    hint = "; a function of arrays goes into Density(function, dimension)" if callable(model) else ""
    raise TypeError("model: give the name of a built-in model, a Density, a CFunction or a StanModel, not "
                    f"{type(model).__name__}{hint}")
