"""A run: its settings, its progress, the call of the library."""

import _signal  # functions of the module signal look for each handler among the members of an enum
import ctypes
import html
import importlib
import numbers
import os
import shutil
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, TextIO, Union

import numpy as np

from ._data import as_json
from ._errors import BadInput, SamplingFailed
from ._library import CProgress, Watch, library, path_bytes, text
from ._models import Asked, Bound
from ._result import Draws, Result
from ._settings import as_text, encoded

OTHERS = ("data", "progress", "initial_points", "initial_values", "blocking", "output", "every", "memory", "warmup_only",
          "compression")
_BAR = 20  # characters
_SIGINT = int(signal.SIGINT)


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


class Line:
    """A bar on a terminal, a line that is written over again and again."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.width = stream, 0

    def __call__(self, p: Progress) -> None:
        words = {"warmup": "warm-up"}.get(p.phase, p.phase)
        of = f"at most {p.total} transitions of {p.chains} chains" if p.chains else f"{p.total}"
        line = f"{words}: {p.transitions} of {of}, {p.seconds:.1f} s"
        if p.divergences:
            line += f", {p.divergences} divergences"
        self.show(line, min(p.transitions / p.total, 1.0) if p.total else 0.0)

    def show(self, line: str, done: float) -> None:
        full = int(done * _BAR)
        self.tell(f"[{'=' * full}{' ' * (_BAR - full)}] {line}")

    def tell(self, line: str) -> None:
        line = line[:shutil.get_terminal_size().columns - 1]  # a wrapped line could not be written over
        self.stream.write("\r" + line.ljust(self.width))
        self.stream.flush()
        self.width = max(self.width, len(line))

    def end(self) -> None:
        if self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()


class NotebookBar(Line):
    """A bar in the output of a notebook's cell, which goes when the run ends."""

    def __init__(self, stream: TextIO, display: Callable[..., Any]) -> None:
        super().__init__(stream)
        self.display, self.handle = display, None

    def show(self, line: str, done: float) -> None:
        self._put(f'<progress value="{done:.4f}" max="1"></progress> ', line)

    def tell(self, line: str) -> None:
        self._put("", line)

    def _put(self, bar: str, line: str) -> None:
        self._send({"text/html": f"<div>{bar}<code>{html.escape(line)}</code></div>", "text/plain": line})

    def _send(self, shown: Dict[str, str]) -> None:
        if self.handle is None:
            self.handle = self.display(shown, raw=True, display_id=True)
        else:
            self.handle.update(shown, raw=True)

    def end(self) -> None:
        if self.handle is not None:
            self._send({"text/html": "", "text/plain": ""})


class Interrupts(Asked):
    """Counts Ctrl-C while a run goes on, in the main thread, where Python's own handler would raise KeyboardInterrupt."""

    def __init__(self) -> None:
        super().__init__()
        self.installed = False

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread() and _signal.getsignal(_SIGINT) is signal.default_int_handler:
            _signal.signal(_SIGINT, self._hear)
            self.installed = True
        return self

    def _hear(self, number: int, frame: Any) -> None:
        self.count += 1

    def __exit__(self, *exception: Any) -> None:
        if self.installed:
            _signal.signal(_SIGINT, signal.default_int_handler)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: give a number, not {value!r}")
    return float(value)


class Held:
    """Owns settings of the library."""

    def __init__(self) -> None:
        self.pointer: Optional[int] = library.named_settings_new()
        if not self.pointer:
            raise MemoryError("manychain: out of memory")

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            library.named_settings_free(self.pointer)

    def set(self, name: str, value: Any) -> None:
        library.set(self.pointer, name.encode(), encoded(name, as_text(name, value, OTHERS)))

    def store(self, path: Any, every: float, memory: float, facts: Mapping) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"output: give the name of a folder, NAME.zarr, not {type(path).__name__}")
        library.set_store(self.pointer, path_bytes(path), _number("every", every))
        library.set_store_memory(self.pointer, _number("memory", memory) * 1e6)
        self._add(facts)

    def compress(self, compression: Any) -> None:
        library.set_store_compression(self.pointer, encoded("compression", str(compression)))

    def checkpoint(self, path: Any, every: float, facts: Mapping) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"checkpoint: give the name of a file, not {type(path).__name__}")
        library.set_checkpoint(self.pointer, path_bytes(path), _number("every", every))
        self._add(facts)

    def _add(self, facts: Mapping) -> None:
        for name, value in facts.items():
            library.add_store_fact(self.pointer, encoded("a fact", name), encoded("a fact", value))

    def initial_points(self, points: Any, dimension: int, chains: Any) -> None:
        try:
            array = np.asarray(points)
        except ValueError:
            raise ValueError("initial_points: the points differ in length") from None
        if array.dtype.kind not in "biuf":
            raise TypeError("initial_points: give an array of real numbers")
        if array.ndim != 2 or array.shape[1] != dimension:
            raise ValueError(f"initial_points: the shape is {array.shape}; it must be (chains, {dimension}), on the "
                             "unconstrained scale")
        if chains and len(array) != chains:
            raise ValueError(f"initial_points: there are {len(array)} points for {chains} chains")
        by_dimension = np.ascontiguousarray(array.T, dtype=np.float64)
        library.set_initial_points(self.pointer, by_dimension.ctypes.data, by_dimension.size)

    def initial_values(self, values: Union[Mapping, Sequence[Mapping]]) -> None:
        if not isinstance(values, Mapping) and not hasattr(values, "__iter__"):
            raise TypeError("initial_values: give a mapping of names to values, or a sequence of them, not "
                            f"{type(values).__name__}")
        listed: List[Any] = [values] if isinstance(values, Mapping) else list(values)
        if not listed:
            raise BadInput("initial_values: there are none")
        for one in listed:
            if not isinstance(one, Mapping):
                raise TypeError("initial_values: give a mapping of names to values, or a sequence of them")
            library.add_initial_values(self.pointer, encoded("initial_values", as_json(one, "initial_values")))


def _display_of_notebook() -> Optional[Callable[..., Any]]:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return importlib.import_module("IPython.display").display if hasattr(shell, "kernel") else None


def watcher_of(progress: Union[bool, Callable[[Progress], Any], None], blocking: bool) -> Optional[Callable[[Progress], Any]]:
    display = _display_of_notebook()
    if progress is None:
        progress = blocking and (display is not None or bool(getattr(sys.stderr, "isatty", lambda: False)()))
    if progress is True:
        return Line(sys.stderr) if display is None else NotebookBar(sys.stderr, display)
    if progress is False:
        return None
    if not callable(progress):
        raise TypeError(f"progress: give True, False or a function of a Progress, not {type(progress).__name__}")
    return progress


def raise_first(*lists: List[BaseException]) -> None:
    """Raises the first exception of a callback. No list keeps it: its frames refer to the lists."""
    first = next((failures[0] for failures in lists if failures), None)
    for failures in lists:
        failures.clear()
    if first is not None:
        try:
            raise first
        finally:
            del first


def _progress_of(p: CProgress) -> Progress:
    return Progress(text(p.phase), p.transitions, p.total, p.chains, p.stuck_chains, p.divergences, p.acceptance_rate,
                    p.step_size, p.seconds, p.transitions_per_second)


def watched(call: Callable[[], Any], held: Held, watcher: Optional[Callable[[Progress], Any]], asked: Asked,
            failures: List[BaseException], look: Optional[Callable[[int], None]] = None) -> Any:
    """Returns what `call` returns. Within it, the library calls `watcher`, whose exceptions become `failures`, and hears of what is asked.
    `look` gets the library's own progress, for library.draws_so_far() or library.sets_so_far()."""
    def watch(at: int, user: Any) -> int:
        try:
            if watcher is None and look is None:
                return asked.count > 0
            progress = CProgress.from_address(at)
            if look is not None and (progress.run or progress.sets):
                look(at)
            return watcher is not None and watcher(_progress_of(progress)) is True or asked.count > 0
        except BaseException as failure:  # nothing may leave a callback of C
            failures.append(failure)
            return 1

    callback = Watch(watch)
    library.set_watch(held.pointer, callback, None)
    try:
        return call()
    finally:
        if isinstance(watcher, Line):
            watcher.end()


def draws_so_far(at: int) -> Draws:
    made = ctypes.c_void_p()
    library.draws_so_far(at, made)
    return Draws(made.value or 0)


class Job:
    """A run that is ready to begin. ``call``: what the library does with the place of a result. ``result``: makes a Result of
    what it left there. ``so_far``: what there is of it, from the progress within a watch."""

    def __init__(self, bound: Bound, held: Held, watcher: Optional[Callable[[Progress], Any]], asked: Asked,
                 call: Callable[[Any], None], result: Callable[[int], Any] = Result,
                 so_far: Callable[[Any], Any] = draws_so_far) -> None:
        self.bound, self.held, self.watcher, self.asked, self.call = bound, held, watcher, asked, call
        self.result, self.so_far = result, so_far
        self.look: Optional[Callable[[Any], None]] = None

    def run(self) -> Any:
        """The result; None if the run was ended before there was one. Raises the exceptions of callbacks as they are."""
        result = ctypes.c_void_p()
        failures: List[BaseException] = []
        try:
            watched(lambda: self.call(result), self.held, self.watcher, self.asked, failures, self.look)
        except SamplingFailed:
            if not self.bound.failures and not failures and self.asked.count == 0:
                raise
        made = self.result(result.value) if result.value else None
        raise_first(self.bound.failures, failures)
        return made
