"""manychain.sample(), and runs that go on."""

import inspect
import json
import os
import secrets
import warnings
from collections.abc import Mapping
from ctypes import byref, c_char_p
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Literal, Optional, Sequence, Tuple, Union, overload

import numpy as np

from ._data import DataSource
from ._errors import BadInput
from ._handle import Run
from ._library import library, path_bytes, require_own_threads, text
from ._models import Asked, Bound, HeaderModel, Model, StanModel, Wanted, model_of
from ._result import Result
from ._running import Held, Interrupts, Job, Line, Progress, watcher_of
from ._settings import as_text, settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._setting_types import Settings

_Data = Union[DataSource, Sequence[DataSource], None]


@overload
def sample(model: Model, data: _Data = None, *, blocking: Literal[True] = True,
           progress: Union[bool, Callable[[Progress], Any], None] = None, initial_points: Any = None,
           initial_values: "Mapping[str, Any] | Sequence[Mapping[str, Any]] | None" = None,
           output: "str | os.PathLike[str] | None" = None, checkpoint: "str | os.PathLike[str] | None" = None,
           every: float = 30, memory: float = 512, warmup_only: bool = False, compression: str = "none",
           **settings: "Unpack[Settings]") -> Result: ...


@overload
def sample(model: Model, data: _Data = None, *, blocking: Literal[False],
           progress: Union[bool, Callable[[Progress], Any], None] = None, initial_points: Any = None,
           initial_values: "Mapping[str, Any] | Sequence[Mapping[str, Any]] | None" = None,
           output: "str | os.PathLike[str] | None" = None, checkpoint: "str | os.PathLike[str] | None" = None,
           every: float = 30, memory: float = 512, warmup_only: bool = False, compression: str = "none",
           **settings: "Unpack[Settings]") -> Run: ...


def sample(model: Model, data: _Data = None, *, blocking: bool = True,
           progress: Union[bool, Callable[[Progress], Any], None] = None, initial_points: Any = None,
           initial_values: Union[Mapping, Sequence[Mapping], None] = None,
           output: "str | os.PathLike[str] | None" = None, checkpoint: "str | os.PathLike[str] | None" = None,
           every: float = 30, memory: float = 512, warmup_only: bool = False, compression: str = "none",
           **settings: Any) -> Any:
    """Samples a model with many chains at once, until every quantity has an ESS of 400 unless told otherwise.

    ``model``: the name of a built-in model (:func:`manychain.models`), of a header (``"model.hpp"``) or of a Stan program
    (``"model.stan"``); a :class:`HeaderModel`, a :class:`StanModel`, a :class:`Density` or a :class:`CFunction`.
    ``data``: a mapping of names to numbers and arrays, a pandas.DataFrame (its columns of numbers, and ``N``, the number of rows),
    the name of a file (CSV or CmdStan's JSON), JSON, or a list of these;
    None for the data that the model carries.
    ``blocking``: True returns a :class:`Result`; False returns a :class:`Run` at once, once the model is compiled and has its
    data, and the run goes on in a thread of its own.
    ``progress``: True for a bar on stderr, or in a notebook in the output of the cell, False for none, None for one in a notebook and
    where stderr is a terminal, if the call waits for the run; or a function that is called with a :class:`Progress` some 20 times a
    second. If it returns True the run ends, and keeps its draws.
    ``initial_points``: starting points on the unconstrained scale, shape (chains, dimension).
    ``initial_values``: starting points by name on the constrained scale, a mapping or a sequence of K of them, of which chain
    c takes number c mod K.
    ``output``: a folder NAME.zarr in which the draws are stored while the run goes on, at the latest every ``every`` seconds;
    :func:`resume` goes on from there, whatever ended the run. Of more than ``memory`` megabytes of draws the run holds some at a
    time; the result reads them from the store, all at once, when it is first asked for draws. ``warmup_only``: the run ends
    behind warm-up, without draws, and :func:`resume` samples from there, all chains or a part of them. ``compression="gzip"``:
    of the draws in that folder.
    ``checkpoint``: a file that keeps the run in place of that folder, state and draws, written anew every ``every`` seconds and
    when the run is ended; :func:`resume` goes on from it. A run of ``keep_draws=False`` has no other way to go on.
    The seed is a new one unless it is given; ``result.seed`` has it. A run is a function of model, data, settings and seed,
    and its draws are those of the command line with the same seed.

    The first Ctrl-C ends the run: the result has the draws until then, ``result.cancelled`` is True, and a RuntimeWarning says
    so. A second one, and one before the first draw, raise KeyboardInterrupt. This holds in the main thread, unless the
    program has a handler of its own for SIGINT: an exception of that one comes out of ``sample()``.

    Raises BadInput (a ValueError) or TypeError for what cannot be, before the first draw; SamplingFailed (a RuntimeError) if
    the run fails; and the exceptions of a Density and of ``progress`` as they are.
    """
    watcher = watcher_of(progress, blocking)
    held = Held()
    if settings.get("seed") is None:
        settings["seed"] = secrets.randbits(32)
    for name, value in settings.items():
        if value is not None or name not in _all:
            held.set(name, value)
    if output is not None and checkpoint is not None:
        raise TypeError("checkpoint: a run with an output keeps itself there; leave one of them out")
    if output is not None:
        held.store(output, every, memory, _facts(model, data, settings))
        held.compress(compression)
    elif compression != "none":
        raise TypeError("compression: it is that of a store: give its output, too")
    if checkpoint is not None:
        held.checkpoint(checkpoint, every, _facts(model, data, settings))
    if output is not None or checkpoint is not None:
        library.set_warmup_only(held.pointer, bool(warmup_only))
    elif warmup_only:
        raise TypeError("warmup_only: the run goes on from a store: give its output, too, or a checkpoint")

    def prepared(asked: Asked) -> Job:
        bound = _bound(model, data, Wanted(asked, int(settings["seed"]), settings.get("sampler"), settings.get("precision")),
                       watcher)
        if initial_points is not None:
            held.initial_points(initial_points, library.model_dimension(bound.pointer), settings.get("chains"))
        if initial_values is not None:
            held.initial_values(initial_values)
        return Job(bound, held, watcher, asked, lambda result: library.sample_model(bound.pointer, held.pointer, result))

    return _begun(prepared, blocking)


def _bound(model: Any, data: Any, wanted: Wanted, watcher: Any) -> Bound:
    """The model with its data. A line of progress says what is compiled."""
    if not isinstance(watcher, Line):
        return model_of(model)._bind(data, wanted)
    try:
        return model_of(model)._bind(data, wanted._replace(tell=watcher.tell))
    except BaseException:
        watcher.end()
        raise


def _begun(prepared: Callable[[Asked], Job], blocking: bool, handle: Callable[[Job], Any] = Run) -> Any:
    """The result of a run, or its handle."""
    if not isinstance(blocking, (bool, np.bool_)):
        raise TypeError(f"blocking: give True or False, not {blocking!r}")
    require_own_threads()
    if not blocking:
        return handle(prepared(Asked()))
    with Interrupts() as interrupts:
        made = prepared(interrupts).run()
    if made is None or interrupts.count > 1 or interrupts.count and not made._until_then():
        raise KeyboardInterrupt
    if interrupts.count:
        warnings.warn(f"the run was interrupted: the result has the {made._until_then()} until then", RuntimeWarning, stacklevel=3)
    return made


def _facts(model: Any, data: Any, given: Dict[str, Any]) -> Dict[str, str]:
    """Texts that resume() and ``manychain resume`` need: the settings, and the place of the model, if they can find it."""
    texts = {f"setting {name}": as_text(name, value) for name, value in given.items() if value is not None}

    def absolute(path: Any) -> str:
        return os.path.abspath(os.path.expanduser(os.fspath(path)))

    files = [] if data is None else list(data) if isinstance(data, (list, tuple)) else [data]
    if any(not isinstance(one, (str, os.PathLike)) or str(one).lstrip().startswith("{") for one in files):
        return texts
    source = model_of(model)
    if isinstance(source, StanModel):
        place = {"model": "", "stan": absolute(source.library)}
    elif isinstance(source, HeaderModel):
        place = {"model": absolute(source.path), "class": source.class_name or ""}
    elif isinstance(model, str):
        place = {"model": model}
    else:
        return texts
    return {**texts, **place, "data": "\n".join(map(absolute, files)), "digests": "", "dimension": "0"}


def _stored_facts(path: "str | os.PathLike[str]") -> Dict[str, str]:
    told = c_char_p()
    library.store_facts(path_bytes(path), byref(told))
    return json.loads(text(told.value))


@overload
def resume(path: "str | os.PathLike[str]", model: Optional[Model] = None, data: _Data = None, *,
           blocking: Literal[True] = True, draws: Optional[int] = None,
           more: Optional[int] = None, target_ess: Optional[float] = None, threads: Optional[int] = None,
           time_limit: Optional[float] = None, log_likelihood: Optional[int] = None, part: "tuple[int, int] | None" = None,
           output: "str | os.PathLike[str] | None" = None, warmup_only: bool = False, every: float = 30, memory: float = 512,
           progress: Union[bool, Callable[[Progress], Any], None] = None) -> Result: ...


@overload
def resume(path: "str | os.PathLike[str]", model: Optional[Model] = None, data: _Data = None, *,
           blocking: Literal[False], draws: Optional[int] = None,
           more: Optional[int] = None, target_ess: Optional[float] = None, threads: Optional[int] = None,
           time_limit: Optional[float] = None, log_likelihood: Optional[int] = None, part: "tuple[int, int] | None" = None,
           output: "str | os.PathLike[str] | None" = None, warmup_only: bool = False, every: float = 30, memory: float = 512,
           progress: Union[bool, Callable[[Progress], Any], None] = None) -> Run: ...


def resume(path: "str | os.PathLike[str]", model: Optional[Model] = None, data: _Data = None, *, draws: Optional[int] = None,
           more: Optional[int] = None, target_ess: Optional[float] = None, threads: Optional[int] = None,
           time_limit: Optional[float] = None, log_likelihood: Optional[int] = None, part: "tuple[int, int] | None" = None,
           output: "str | os.PathLike[str] | None" = None, warmup_only: bool = False, every: float = 30, memory: float = 512,
           blocking: bool = True,
           progress: Union[bool, Callable[[Progress], Any], None] = None) -> Any:
    """Goes on with a run that was stored (``sample(..., output=path)`` or ``checkpoint=path``, ``manychain sample --output``),
    to its end. The draws are those of a run that was not interrupted, bit by bit; the result has all of them.

    ``model``, ``data``: as they were given to :func:`sample`. They may be left out where the store knows them: a built-in
    model, a header or a Stan library, with data from files or none.
    ``draws``: so many of each chain in all; ``more``: so many beside those that there are; ``target_ess``: to go on until all
    ESS are that large. Without these three the run goes on to the end that was planned, and one that has ended has its
    diagnostics computed again. ``time_limit``: seconds after which it ends, to go on later: ``result.cancelled`` is True then.
    ``log_likelihood``: so many draws of each chain get their pointwise log likelihoods, of a run that has ended, too.
    ``part``: (3, 16) samples the third of sixteen parts of the chains alone, of a run that ended at its warm-up (``sample(...,
    warmup_only=True)``), into a store of its own: ``output``, or NAME.part-03-of-16.zarr beside the run. A part that was begun
    there goes on. Its result has draws and no verdict; :func:`merge` puts all parts together. ``warmup_only`` as of
    :func:`sample`.
    ``every``, ``memory``, ``blocking``, ``progress`` as of :func:`sample`.
    """
    watcher = watcher_of(progress, blocking)
    held = Held()
    for name, value in (("draws", draws), ("target_ess", target_ess), ("threads", threads), ("time_limit", time_limit),
                        ("log_likelihood", log_likelihood)):
        if value is not None:
            held.set(name, value)
    if more is not None and (isinstance(more, bool) or not hasattr(more, "__index__") or more.__index__() < 1):
        raise ValueError(f"more: give a whole number from 1 on, not {more!r}")
    if output is None and isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
        held.checkpoint(path, every, {})
    else:
        held.store(path if output is None else output, every, memory, {})
    library.set_warmup_only(held.pointer, bool(warmup_only))
    if part is not None:
        library.set_part(held.pointer, *_part(part))
    elif output is not None:
        raise TypeError("output: a run goes on in its own store; only a part has another one")
    facts = _stored_facts(path)
    model, data = _model_of_store(path, facts, model, data)

    def prepared(asked: Asked) -> Job:
        bound = _bound(model, data, _wanted(asked, facts), watcher)
        return Job(bound, held, watcher, asked, lambda result: library.resume_model(
            bound.pointer, path_bytes(path), held.pointer, 0 if more is None else more.__index__(), result))

    return _begun(prepared, blocking)


def _part(part: Any) -> Tuple[int, int]:
    if not isinstance(part, (tuple, list)) or len(part) != 2 or any(
            isinstance(one, bool) or not hasattr(one, "__index__") or one.__index__() < 0 for one in part):
        raise TypeError(f"part: give two whole numbers, as (3, 16) for the third of sixteen, not {part!r}")
    return part[0].__index__(), part[1].__index__()


def _wanted(asked: Asked, facts: Dict[str, str]) -> Wanted:
    return Wanted(asked, int(facts.get("setting seed", 0)), facts.get("setting sampler"), facts.get("setting precision"))


def _model_of_store(path: Any, facts: Dict[str, str], model: Optional[Model], data: _Data) -> Any:
    """Model and data: as they are given, else those that the store names."""
    if model is not None:
        return model, data
    if data is not None:
        raise TypeError("data: give the model, too")
    files: List[DataSource] = [line for line in facts.get("data", "").splitlines() if line]
    if facts.get("stan"):
        return StanModel(facts["stan"]), files[0] if files else None
    if not facts.get("model"):
        raise TypeError(f"model: {os.fspath(path)} does not say where it is; give model and data as sample() had them")
    model = facts["model"]
    if isinstance(model_of(model), HeaderModel):
        return HeaderModel(model, class_name=facts.get("class") or None), files or None
    return model, files or None


def merge(path: "str | os.PathLike[str]", parts: "Sequence[str | os.PathLike[str]]", model: Optional[Model] = None,
          data: _Data = None, *, threads: Optional[int] = None, memory: float = 512,
          progress: Union[bool, Callable[[Progress], Any], None] = None) -> Result:
    """Puts the parts of a run together, which :func:`resume` or ``manychain resume --part`` has made (docs/long_runs.md): one result of all
    chains, and a new store ``path``, NAME.zarr, of which nothing remains if it cannot be made. It is, bit by bit, the run that
    was never in parts, and :func:`resume` goes on with it.

    ``parts``: their stores, each once, in any order. ``model``, ``data``, ``memory``, ``progress`` as of :func:`resume`.
    """
    if isinstance(parts, (str, os.PathLike)):
        raise TypeError("parts: give a sequence of stores, not the name of one")
    listed = [path_bytes(part) for part in parts]
    if not listed:
        raise BadInput("parts: there are none")
    watcher = watcher_of(progress, True)
    held = Held()
    if threads is not None:
        held.set("threads", threads)
    held.store(path, 30, memory, {})
    facts = _stored_facts(os.fsdecode(listed[0]))
    model, data = _model_of_store(os.fsdecode(listed[0]), facts, model, data)

    def prepared(asked: Asked) -> Job:
        bound = _bound(model, data, _wanted(asked, facts), watcher)
        names = (c_char_p * len(listed))(*listed)
        return Job(bound, held, watcher, asked, lambda result: library.merge_model(
            bound.pointer, path_bytes(path), names, len(listed), held.pointer, result))

    return _begun(prepared, True)


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
