"""manychain.sample()."""

import ctypes
import inspect
import secrets
import signal
import sys
import threading
import warnings
from collections.abc import Mapping
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, TextIO, Union

import numpy as np

from ._data import DataSource, as_json
from ._errors import SamplingFailed
from ._library import CProgress, Watch, library, require_own_threads, text
from ._models import Model, model_of
from ._result import Result
from ._settings import as_text, encoded, settings


class Progress(NamedTuple):
    """The state of a run between two blocks of transitions."""
    phase: str  #: "warmup", "sampling" or "diagnostics"
    transitions: int  #: of each chain: done, warm-up included
    total: int  #: to be done at most, warm-up included
    chains: int
    stuck_chains: int  #: at this moment
    divergences: int  #: so far, of the phase
    acceptance_rate: float
    step_size: float
    seconds: float  #: since the run began
    transitions_per_second: float  #: of all chains together


class _Line:
    """One line on a terminal, written over again and again."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.width = stream, 0

    def __call__(self, p: Progress) -> None:
        words = {"warmup": "warm-up"}.get(p.phase, p.phase)
        line = f"{words}: {p.transitions} of at most {p.total} transitions of {p.chains} chains, {p.seconds:.1f} s"
        if p.divergences:
            line += f", {p.divergences} divergences"
        self.stream.write("\r" + line.ljust(self.width))
        self.stream.flush()
        self.width = len(line)

    def end(self) -> None:
        if self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()


class _Interrupts:
    """Counts Ctrl-C while a run goes on, in the main thread, where Python's own handler would raise KeyboardInterrupt."""

    def __init__(self) -> None:
        self.count = 0
        self.installed = False

    def __enter__(self) -> "_Interrupts":
        if threading.current_thread() is threading.main_thread() and signal.getsignal(
                signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._hear)
            self.installed = True
        return self

    def _hear(self, number: int, frame: Any) -> None:
        self.count += 1

    def __exit__(self, *exception: Any) -> None:
        if self.installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class _Settings:
    """Owns settings of the library."""

    def __init__(self) -> None:
        self.pointer: Optional[int] = library.named_settings_new()
        if not self.pointer:
            raise MemoryError("manychain: out of memory")

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            library.named_settings_free(self.pointer)

    def set(self, name: str, value: Any) -> None:
        library.set(self.pointer, name.encode(), encoded(name, as_text(name, value, _OTHERS)))

    def initial_points(self, points: Any, dimension: int) -> None:
        array = np.asarray(points)
        if array.dtype.kind not in "biuf":
            raise TypeError("initial_points: give an array of real numbers")
        if array.ndim != 2 or array.shape[1] != dimension:
            raise ValueError(f"initial_points: the shape is {array.shape}; it must be (chains, {dimension}), on the "
                             "unconstrained scale")
        by_dimension = np.ascontiguousarray(array.T, dtype=np.float64)
        library.set_initial_points(self.pointer, by_dimension.ctypes.data, by_dimension.size)

    def initial_values(self, values: Union[Mapping, Sequence[Mapping]]) -> None:
        listed: List[Any] = [values] if isinstance(values, Mapping) else list(values)
        for one in listed:
            if not isinstance(one, Mapping):
                raise TypeError("initial_values: give a mapping of names to values, or a sequence of them")
            library.add_initial_values(self.pointer, encoded("initial_values", as_json(one)))


def _watcher(progress: Union[bool, Callable[[Progress], Any], None]) -> Optional[Callable[[Progress], Any]]:
    if progress is None:
        progress = bool(getattr(sys.stderr, "isatty", lambda: False)())
    if progress is True:
        return _Line(sys.stderr)
    if progress is False:
        return None
    if not callable(progress):
        raise TypeError(f"progress: give True, False or a function of a Progress, not {type(progress).__name__}")
    return progress


def _raise_first(*lists: List[BaseException]) -> None:
    """Raises the first exception of a callback. No list keeps it: its frames refer to the lists."""
    first = next((failures[0] for failures in lists if failures), None)
    for failures in lists:
        failures.clear()
    if first is not None:
        try:
            raise first
        finally:
            del first


_OTHERS = ("data", "progress", "initial_points", "initial_values")


def sample(model: Model, data: Union[DataSource, Sequence[DataSource], None] = None, *,
           progress: Union[bool, Callable[[Progress], Any], None] = None, initial_points: Any = None,
           initial_values: Union[Mapping, Sequence[Mapping], None] = None, **settings: Any) -> Result:
    """Samples a model with many chains at once, until every quantity has an ESS of 400 unless told otherwise.

    ``model``: the name of a built-in model (:func:`manychain.models`), a :class:`Density`, a :class:`CFunction` or a
    :class:`StanModel`.
    ``data``: a mapping of names to numbers and arrays, the name of a file (CSV or CmdStan's JSON), JSON, or a list of these;
    None for the data that the model carries.
    ``progress``: True for a line on stderr, False for none, None for a line where stderr is a terminal; or a function that is
    called with a :class:`Progress` some 20 times a second. If it returns True the run ends, and keeps its draws.
    ``initial_points``: starting points on the unconstrained scale, shape (chains, dimension).
    ``initial_values``: starting points by name on the constrained scale, a mapping or a sequence of K of them, of which chain
    c takes number c mod K.
    The seed is a new one unless it is given; ``result.seed`` has it. A run is a function of model, data, settings and seed,
    and its draws are those of the command line with the same seed.

    The first Ctrl-C ends the run: the result has the draws until then, ``result.cancelled`` is True, and a RuntimeWarning says
    so. A second one, and one before the first draw, raise KeyboardInterrupt. This holds in the main thread, unless the
    program has a handler of its own for SIGINT: an exception of that one comes out of ``sample()``.

    Raises BadInput (a ValueError) or TypeError for what cannot be, before the first draw; SamplingFailed (a RuntimeError) if
    the run fails; and the exceptions of a Density and of ``progress`` as they are.
    """
    source = model_of(model)
    watcher = _watcher(progress)
    held = _Settings()
    if settings.get("seed") is None:
        settings["seed"] = secrets.randbits(32)
    for name, value in settings.items():
        if value is not None or name not in _all:
            held.set(name, value)
    require_own_threads()

    result = ctypes.c_void_p()
    failures: List[BaseException] = []
    with _Interrupts() as interrupts:
        def watch(at: Any, user: Any) -> int:
            try:
                p: CProgress = at.contents
                ends = watcher is not None and watcher(Progress(
                    text(p.phase), p.transitions, p.total, p.chains, p.stuck_chains, p.divergences, p.acceptance_rate,
                    p.step_size, p.seconds, p.transitions_per_second)) is True
                return int(ends or interrupts.count > 0)
            except BaseException as failure:  # nothing may leave a callback of C
                failures.append(failure)
                return 1

        bound = source._bind(data, int(settings["seed"]), lambda: interrupts.count > 1)
        if initial_points is not None:
            held.initial_points(initial_points, library.model_dimension(bound.pointer))
        if initial_values is not None:
            held.initial_values(initial_values)
        callback = Watch(watch)
        library.set_watch(held.pointer, callback, None)
        try:
            library.sample_model(bound.pointer, held.pointer, result)
        except SamplingFailed:
            if not bound.failures and not failures and interrupts.count == 0:
                raise
        made = Result(result.value) if result.value else None
        if isinstance(watcher, _Line):
            watcher.end()
    _raise_first(bound.failures, failures)
    if made is None or interrupts.count > 1:
        raise KeyboardInterrupt
    if interrupts.count:
        warnings.warn(f"the run was interrupted: the result has the {made.draws} draws of each chain until then",
                      RuntimeWarning, stacklevel=2)
    return made


def check_gradient(model: Model, data: Union[DataSource, Sequence[DataSource], None] = None) -> None:
    """Compares the gradient of a model with finite differences of its log density, at 20 random points. Raises
    SamplingFailed, with the parameter that is off most, where it is wrong, and where rounding hides whether it is.
    Model and data as of :func:`sample`."""
    require_own_threads()
    bound = model_of(model)._bind(data, 0, lambda: False)
    try:
        library.check_model_gradient(bound.pointer)
    except SamplingFailed:
        _raise_first(bound.failures)
        raise


_all = settings()


def _documented() -> None:
    """The settings of the library's table, as parameters and in the text of help(sample)."""
    lines = ["", "    Settings, of which docs/settings.md says more (None leaves one to the run):", ""]
    for one in _all.values():
        words = ", ".join(one.words)
        default = f" (default: {one.default})" if one.default else ""
        lines.append(f"    ``{one.name}``: {one.help or words}{default}")
    sample.__doc__ = (sample.__doc__ or "").rstrip() + "\n" + "\n".join(lines) + "\n"
    signature = inspect.signature(sample)
    named = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    named += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _all]
    sample.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]


_documented()
