"""Models: built-in ones by name, headers, densities of Python and of C, Stan models."""

import ctypes
import hashlib
import importlib.util
import os
import tempfile
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._data import Data, DataSets, DataSource, for_stan
from ._errors import BadInput, CompileError, Error
from ._library import Batch, CBuiltin, CCompile, CompileWatch, library, path_bytes, text
from ._settings import did_you_mean, encoded
from ._stanli import compiled_here, with_manifest
from ._toolkit import cache_of_models, share_of_models


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


class Asked:
    """The wish that a run end, as a signal or another thread has it."""

    def __init__(self) -> None:
        self.count = 0  #: 1: and keep its draws; 2: at once


class Wanted(NamedTuple):
    """The run that a model is bound for."""
    asked: Asked
    seed: int = 0
    sampler: Optional[str] = None  #: None: the default
    precision: Optional[str] = None
    tell: Optional[Callable[[str], Any]] = None  #: hears of a compiler
    failures: Optional[List[BaseException]] = None  #: of all densities of the run; None: the density has its own


class Bound:
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
    """Numbers of the library as an array, for the length of a call."""

    def __init__(self, number: str, address: int, shape: Tuple[int, ...], read_only: bool) -> None:
        self.__array_interface__ = {"version": 3, "typestr": number, "shape": shape, "data": (address, read_only)}


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

    def _computed(self, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Log densities and gradients at points in memory of the library, which is used again after the call."""
        return self._evaluate(np.array(x))

    def _takes_single(self, precision: Optional[str]) -> bool:
        """The function takes float32, too. `precision`: of the run."""
        return False

    def _bind(self, data: Any, wanted: Wanted) -> Bound:
        if data is not None:
            raise TypeError("data: a Density has its own; give none")
        bound = Bound()
        if wanted.failures is not None:
            bound.failures = wanted.failures
        functions = [self._function("<f8", wanted.asked, bound.failures)]
        in_single = self._takes_single(wanted.precision)
        if in_single:
            functions.append(self._function("<f4", wanted.asked, bound.failures))
        bound.kept += functions
        make = library.batch_model_of_precisions if in_single else library.batch_model
        make(self.dimension, _c_names(self.names), *functions, None, self.gradient_values, bound.pointer)
        return bound

    def _function(self, number: str, asked: Asked, failures: List[BaseException]) -> Any:
        """What the library calls with points of this type, without a reference to the model that keeps it: that would be a cycle."""

        def call(points: int, dimension: int, positions: int, log_densities: int, gradients: int, user: Any) -> int:
            try:
                if asked.count > 1:
                    raise KeyboardInterrupt
                logp, gradient = self._computed(np.asarray(_Memory(number, positions, (points, dimension), True)))
                np.asarray(_Memory(number, log_densities, (points,), False))[:] = logp
                np.asarray(_Memory(number, gradients, (points, dimension), False))[:] = gradient
                return 0
            except BaseException as failure:  # nothing may leave a callback of C
                failures.append(failure)
                return 1

        return Batch(call)


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
        _require_type(function)
        self.address = _address("function", function)
        if not self.address:
            raise BadInput("function: give a function, not a null pointer")
        self.user_address = None if user is None else _address("user", user)
        self.dimension, self.names = _dimension_and_names(dimension, names)
        self.gradient_values = _gradient_values(gradient_values)

    def __repr__(self) -> str:
        return f"CFunction({self.function!r}, dimension={self.dimension})"

    def _bind(self, data: Any, wanted: Wanted) -> Bound:
        if data is not None:
            raise TypeError("data: a CFunction gets them by `user`; give none")
        bound = Bound()
        bound.kept += [self.function, self.user]
        library.logp_model(self.dimension, _c_names(self.names), self.address, self.user_address, self.gradient_values,
                           bound.pointer)
        return bound


def _require_type(function: Any) -> None:
    """A function of another type would read and write where it likes. An address and a function of a library say nothing."""
    typed = function.ctypes if isinstance(getattr(function, "address", None), int) and hasattr(function, "ctypes") else function
    arguments, returned = getattr(typed, "argtypes", None), getattr(typed, "restype", None)
    if arguments is None:
        return
    whole = tuple(getattr(ctypes, f"c_{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64))
    if len(arguments) != 5 or arguments[0] not in whole or returned not in whole or {
            ctypes.c_double, ctypes.c_float} & set(arguments):
        names = ", ".join(one.__name__ for one in arguments)
        raise TypeError(f"function: it takes ({names}) and returns {getattr(returned, '__name__', None)}; its type must be "
                        "int f(size_t dimension, const double *x, double *gradient, double *logp, void *user)")


def _address(what: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(getattr(value, "address", None), int):  # numba.cfunc
        return value.address
    try:
        return ctypes.cast(value, ctypes.c_void_p).value or 0
    except (ctypes.ArgumentError, TypeError):
        raise TypeError(f"{what}: give a function pointer of ctypes, a numba.cfunc or an address, not "
                        f"{type(value).__name__}; a function of Python goes into Density(), one of numba.njit into numba.cfunc"
                        if what == "function" else
                        f"{what}: give an address or a pointer of ctypes, not {type(value).__name__}") from None


class StanModel:
    """A Stan model: the source of a program, ``"model.stan"``, or the shared library into which BridgeStan 2 has compiled one.
    Its data are those of :func:`manychain.sample`: a mapping, the name of a file of CmdStan's JSON, or JSON.

    A program is compiled by the package stanli, in milliseconds and without a C++ compiler: that of this Python, else of a
    Python that the environment variable MANYCHAIN_STANLI names, or that the PATH has. MANYCHAIN_STANLI comes first.
    """

    def __init__(self, library: "str | os.PathLike[str]") -> None:
        if not isinstance(library, (str, os.PathLike)):
            raise TypeError(f"library: give the name of a file, not {type(library).__name__}")
        self.library = library

    def __repr__(self) -> str:
        return f"StanModel({os.fspath(self.library)!r})"

    def _bind(self, data: Optional[DataSource], wanted: Wanted) -> Bound:
        bound = Bound()
        file = path_bytes(self.library)
        here = file.endswith(b".stan") and not os.environ.get("MANYCHAIN_STANLI") and importlib.util.find_spec("stanli")
        if isinstance(data, DataSets):
            runtime, manifest = compiled_here(file) if here else (file, None)
            library.stan_model_of_sets(runtime, None if manifest is None else manifest.encode(), data.pointer, bound.pointer)
            return bound
        json_of_data = for_stan(data)
        if here:
            runtime, manifest = compiled_here(file)
            file, json_of_data = runtime, with_manifest(manifest, file, json_of_data)
        library.stan_model(file, json_of_data, wanted.seed, bound.pointer)
        return bound


class HeaderModel:
    """A model that a C++ header has (docs/models.md), compiled for the CPU and loaded into this process.

    ``header``: the name of a file, ``"radon.hpp"``, or the text of one, of several lines. ``class_name``: which model, if it
    has several. ``cache``: the folder of what is compiled; None for that of the command line (MANYCHAIN_CACHE, else manychain
    in XDG_CACHE_HOME or in ~/.cache). A header that was compiled before, here or by ``manychain sample``, is loaded at once.
    One that has changed is compiled again; code stays in memory until the process ends.

    It needs a C++ compiler: that of a wheel's user, what the environment variable CXX names, g++ or clang++ of the PATH, or the one
    that ``pip install manychain[compiler]`` brings; else the one that the library was built with. Beside a library of a build tree
    lies the folder share/manychain that says so; the environment variable MANYCHAIN_SHARE names another. Sampling raises
    :class:`CompileError` if it does not compile.
    """

    def __init__(self, header: "str | os.PathLike[str]", *, class_name: Optional[str] = None,
                 cache: "str | os.PathLike[str] | None" = None) -> None:
        if not isinstance(header, (str, os.PathLike)):
            raise TypeError(f"header: give the name or the text of one, not {type(header).__name__}")
        self.class_name, self.cache = class_name, cache
        self.text = header if isinstance(header, str) and "\n" in header else None
        self._path = None if self.text is not None else header

    def __repr__(self) -> str:
        return f"HeaderModel({'a text' if self.text is not None else repr(os.fspath(self.path))})"

    @property
    def path(self) -> "str | os.PathLike[str]":
        """The file that is compiled: that of a text lies in the cache."""
        return self._path if self._path is not None else _kept_text(self.text or "", self.cache)

    def _bind(self, data: Optional[DataSource], wanted: Wanted) -> Bound:
        if library.header_model is None:
            raise BadInput("the shared library compiles no headers: it was built without the command line")
        bound = Bound()
        failures: List[BaseException] = []

        def watch(line: Optional[bytes], user: Any) -> int:
            try:
                if line is not None and wanted.tell is not None:
                    wanted.tell(text(line))
                return int(wanted.asked.count > 0)
            except BaseException as failure:  # nothing may leave a callback of C
                failures.append(failure)
                return 1

        callback = CompileWatch(watch)
        held = data if isinstance(data, DataSets) else None if data is None else Data(data)
        load = library.header_model_of_sets if isinstance(data, DataSets) else library.header_model
        given = CCompile(watch=ctypes.cast(callback, ctypes.c_void_p))
        for name, value in (("class_name", self.class_name), ("samplers", wanted.sampler), ("precision", wanted.precision)):
            if value is not None:
                setattr(given, name, encoded(name, value))
        share = share_of_models(self.cache)
        for name, folder in (("cache", self.cache), ("share", share)):
            if folder:
                setattr(given, name, path_bytes(folder))
        try:
            load(path_bytes(self.path), given, None if held is None else held.pointer, bound.pointer)
        except Error as error:
            if failures:
                raise failures.pop()
            if wanted.asked.count > 0:
                raise KeyboardInterrupt from None
            words = text(library.compiler_words())
            if not words:
                raise (held.explained(error) if isinstance(held, Data) else error) from None
            raise CompileError(str(error).replace("stands in manychain_compiler_words()", "stands above"), words) from None
        return bound


def _kept_text(header: str, cache: "str | os.PathLike[str] | None") -> str:
    """A file with this text, always the same one, so that what is compiled of it is found again."""
    content = header.encode("utf-8")
    place = os.path.join(cache_of_models(cache), "headers", hashlib.sha256(content).hexdigest()[:32])
    path = os.path.join(place, "model.hpp")
    os.makedirs(place, exist_ok=True)
    if not os.path.exists(path):
        number, partial = tempfile.mkstemp(dir=place)
        with os.fdopen(number, "wb") as file:
            file.write(content)
        os.replace(partial, path)
    return path


class _Builtin:
    def __init__(self, name: str) -> None:
        self.name = name

    def _bind(self, data: Optional[DataSource], wanted: Wanted) -> Bound:
        bound = Bound()
        held = None if data is None or isinstance(data, DataSets) else Data(data)
        try:
            if isinstance(data, DataSets):
                library.builtin_model_of_sets(encoded("model", self.name), data.pointer, bound.pointer)
            else:
                library.builtin_model(encoded("model", self.name), None if held is None else held.pointer, bound.pointer)
        except BadInput as error:
            names = [one.name for one in models()]
            if self.name in names:
                raise (held.explained(error) if held else error) from None
            raise BadInput(str(error) + did_you_mean(self.name, names)) from None
        return bound


Model = Union[str, "os.PathLike[str]", Density, CFunction, HeaderModel, StanModel]


def model_of(model: Model) -> Any:
    """The object with _bind() for this model."""
    if isinstance(model, str) and not set(model) & set("./\n"):  # as on the command line
        return _Builtin(model)
    if isinstance(model, (str, os.PathLike)):
        return StanModel(model) if os.fspath(model).endswith((".stan", ".so")) else HeaderModel(model)
    if isinstance(model, (Density, CFunction, HeaderModel, StanModel)):
        return model
    package = type(model).__module__.partition(".")[0]
    hint = "; a model of PyMC goes into from_pymc(model)" if package == "pymc" else \
        "; a function of arrays goes into Density(function, dimension)" if callable(model) else ""
    raise TypeError("model: give the name of a built-in model or of a header, a Density, a CFunction, a HeaderModel or a "
                    f"StanModel, not {type(model).__name__}{hint}")
