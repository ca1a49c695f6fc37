"""Many data sets of one model in one run."""

import html
import importlib.util
import json
import secrets
from collections.abc import Mapping
from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, Iterator, List, Literal, NamedTuple, NoReturn, Optional, Sequence, Union, overload

import numpy as np

from ._data import DataSets, DataSource
from ._handle import Run
from ._library import CSetFacts, library, path_bytes, require_own_threads, text
from ._made import GivenSets, MadeForEach
from ._models import Asked, CFunction, Density, Model, Wanted, model_of
from ._result import Summarised, datatree_of
from ._run import _begun
from ._running import Held, Job, Line, Progress, watcher_of
from ._settings import did_you_mean
from ._table import Table

_Watcher = Union[bool, Callable[[Progress], Any], None]


class SetFacts(NamedTuple):
    """The answer of one data set, without its draws."""
    name: str
    state: str  #: "sampled", "refused" (the model does not take the data), "failed", "left out" (the run ended before it)
    said: str  #: why it was refused or failed, or has not converged; else empty
    converged: bool
    seed: int  #: a run of this set alone with this seed and the settings of the run has the same draws
    warmup: int  #: transitions of each chain
    draws: int  #: of each chain
    divergences: int
    gradients: int
    largest_rhat: float  #: NaN of a set that was not sampled, as the numbers below
    worst: str  #: the output with that R-hat
    smallest_ess: float
    seconds: float  #: of one thread


class SetResult(Summarised):
    """The result of one data set: draws as of :class:`Draws`, and their summary."""

    def __init__(self, facts: SetFacts, pointer: int) -> None:
        super().__init__(pointer)
        self.facts = facts

    @property
    def converged(self) -> bool:
        return self.facts.converged

    @property
    def verdict(self) -> str:
        """One line."""
        return text(library.headline(self._handle.pointer))

    def __repr__(self) -> str:
        return f"{self.facts.name}: {self.verdict}\n{super().__repr__()}"


class _Handle:
    """Owns the result of sets."""

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        library.sets_free(self.pointer)


class SetsResult(Mapping):
    """The results of many data sets. ``result["north"]`` is the :class:`SetResult` of one, a copy; iteration goes over the names
    of the sets, in the order of the data. It prints as the table of the command line."""

    def __init__(self, pointer: int) -> None:
        self._handle = _Handle(pointer)
        counts = library.get_sets_counts(pointer)
        self.sampled: int = counts.sampled  #: sets that have a summary, converged or not
        self.converged_sets: int = counts.converged
        self.refused: int = counts.refused  #: sets that the model does not take
        self.failed: int = counts.failed
        self.left_out: int = counts.left_out  #: sets that the end of the run came before
        self.cancelled = bool(counts.cancelled)
        self.draws_left_out = bool(counts.draws_left_out)  #: they take more than ``memory``
        self.seconds: float = counts.seconds  #: by the clock
        self._facts: List[SetFacts] = []
        self._places: List[int] = []
        for index in range(counts.sets):
            one = CSetFacts()
            library.get_set(pointer, index, one)
            self._facts.append(SetFacts(text(one.name), text(one.state), text(one.said), bool(one.converged), one.seed, one.warmup,
                                        one.draws, one.divergences, one.gradients, one.largest_rhat, text(one.worst),
                                        one.smallest_ess, one.seconds))
            self._places.append(one.place)
        self._index = {one.name: index for index, one in enumerate(self._facts)}

    @property
    def converged(self) -> bool:
        """All sets have, and there is one."""
        return 0 < self.converged_sets == len(self._facts)

    @property
    def sets(self) -> Dict[str, SetFacts]:
        """The answers by name, in the order of the data."""
        return {one.name: one for one in self._facts}

    @property
    def worst_first(self) -> List[str]:
        """Names of the sets as the table has them: failed, refused, not converged, then by R-hat."""
        names = [""] * len(self._facts)
        for index, place in enumerate(self._places):
            names[place] = self._facts[index].name
        return names

    @property
    def problems(self) -> Dict[str, str]:
        """Reasons by name, the worst set first: why it has not converged, or has no result."""
        return {name: self._facts[self._index[name]].said or "it has no answer: the run ended before it"
                for name in self.worst_first if not self._facts[self._index[name]].converged}

    def __getitem__(self, name: str) -> SetResult:
        index = self._index.get(name)
        if index is None:
            raise KeyError(f"there is no data set {name!r}{did_you_mean(str(name), self._index)}")
        made = c_void_p()
        library.set_result(self._handle.pointer, index, byref(made))
        return SetResult(self._facts[index], made.value or 0)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def summary(self, names: Union[str, Sequence[str], None] = None) -> Any:
        """A row for each data set, the worst first: its state, R-hat, ESS, draws and divergences, and mean and sd of the
        quantities or outputs ``names``, without these of the first three parameters. What a set does not have is NaN.

        A pandas.DataFrame where pandas is installed, else a :class:`Table`."""
        asked = [names] if isinstance(names, str) else names
        columns: List[str] = []
        rows: Dict[str, Dict[str, float]] = {}
        for name, facts in self.sets.items():
            if facts.state != "sampled":
                continue
            table = self[name]._table(None)
            means, sds = (table.values[:, table.columns.index(column)] for column in ("mean", "sd"))
            if asked is None and not columns:
                columns = [output for q in self[name].quantities.values() if q.kind == "parameter"
                           for output in table.index[q.offset:q.offset + q.size]][:3]
            wanted = columns if asked is None else [
                output for one in asked for output in table.index if output == one or output.partition("[")[0] == one]
            columns += [output for output in wanted if output not in columns]
            places = {output: place for place, output in enumerate(table.index)}
            rows[name] = {key: value for output in wanted if output in places for key, value in
                          ((f"{output}_mean", means[places[output]]), (f"{output}_sd", sds[places[output]]))}
        missing = [one for one in asked or () if rows and not any(c == one or c.partition("[")[0] == one for c in columns)]
        if missing:
            raise KeyError(f"no data set has {missing[0]!r}")
        all_columns = ["state", "converged", "largest_rhat", "smallest_ess", "draws", "divergences"]
        all_columns += [column for output in columns for column in (f"{output}_mean", f"{output}_sd")]
        cells = [[getattr(self._facts[self._index[name]], column) for column in all_columns[:6]] +
                 [rows.get(name, {}).get(column, np.nan) for column in all_columns[6:]] for name in self.worst_first]
        if importlib.util.find_spec("pandas") is not None:
            import pandas
            return pandas.DataFrame(cells, index=self.worst_first, columns=all_columns)
        return Table(self.worst_first, all_columns, np.array(cells, dtype=object))

    def table(self) -> str:
        """As the command line prints it: a verdict, and a row for each data set, the worst first."""
        return text(library.sets_table(self._handle.pointer))

    @property
    def info(self) -> Dict[str, Any]:
        """The JSON object of the command line (docs/data_sets.md). A new dictionary."""
        return json.loads(text(library.sets_json(self._handle.pointer)))

    def save(self, path: Any) -> None:
        """Writes a NetCDF file with a dimension for the set (docs/data_sets.md)."""
        require_own_threads()
        library.write_sets(self._handle.pointer, path_bytes(path))

    def to_datatree(self) -> Any:
        """An xarray.DataTree with the groups of that file: data_sets, summary and, if the draws were kept, posterior and
        with ``log_likelihood=N`` log_likelihood."""
        return datatree_of(self.save)

    def _until_then(self) -> str:
        answered = len(self._facts) - self.left_out
        return f"{answered} of {len(self._facts)} data sets that had their answer" if answered else ""

    def __repr__(self) -> str:
        return self.table().rstrip("\n")

    def _repr_html_(self) -> str:
        headline, _, rest = self.table().rstrip("\n").partition("\n")
        return f"<div><p><b>{html.escape(headline)}</b></p><pre>{html.escape(rest)}</pre></div>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SetsResult lies in the memory of its process and cannot be pickled: save() it, or take its summary")


def _so_far(at: Any) -> SetsResult:
    made = c_void_p()
    library.sets_so_far(at, byref(made))
    return SetsResult(made.value or 0)


class SetsRun(Run):
    """A run of many data sets that goes on while the program does; see :class:`Run`. ``wait()`` and ``stop()`` return a
    :class:`SetsResult`."""

    def inspect(self, timeout: Optional[float] = None) -> SetsResult:  # type: ignore[override]
        """The sets that have their answer so far, in the order of the data: facts, summaries and the table, a copy without draws.
        ``len(run.inspect())`` of ``run.progress.total`` are done. TimeoutError after ``timeout`` seconds; it waits some 0.05.
        Once the run has ended it is the result, as by ``wait()``."""
        return super().inspect(timeout)  # type: ignore[return-value]


@overload
def sample_sets(model: Union[Model, Callable[[Any], Any]], data_sets: Any, *, column: Optional[str] = None,
                data: Union[DataSource, Sequence[DataSource], None] = None, memory: float = 512,
                blocking: Literal[True] = True, progress: _Watcher = None,
                initial_values: Union[Mapping, Sequence[Mapping], None] = None, **settings: Any) -> SetsResult: ...


@overload
def sample_sets(model: Union[Model, Callable[[Any], Any]], data_sets: Any, *, column: Optional[str] = None,
                data: Union[DataSource, Sequence[DataSource], None] = None, memory: float = 512,
                blocking: Literal[False], progress: _Watcher = None,
                initial_values: Union[Mapping, Sequence[Mapping], None] = None, **settings: Any) -> SetsRun: ...


def sample_sets(model: Union[Model, Callable[[Any], Any]], data_sets: Any, *, column: Optional[str] = None,
                data: Union[DataSource, Sequence[DataSource], None] = None, memory: float = 512, blocking: bool = True,
                progress: _Watcher = None, initial_values: Union[Mapping, Sequence[Mapping], None] = None,
                **settings: Any) -> Any:
    """Samples the posterior of each of many data sets, with tuning, stopping and verdict of its own, several at a time
    (docs/data_sets.md), as ``manychain sample --data-sets`` does.

    ``model``: as of :func:`manychain.sample`: a built-in model, a header or a Stan program. Or a function that gets the data of a
    set and returns its :class:`Density` or :class:`CFunction`.
    ``data_sets``: a mapping of names to data, or a sequence of data, which are called "1", "2", ...; each is a mapping of names to
    numbers and arrays, the name of a file, or JSON. Or a pandas.DataFrame, or the name of a CSV, with ``column``, which says of
    which set a row is: the other columns of numbers are the data, ``N`` the number of rows of the set. Or the name of a file of
    data sets, or its JSON. Sets may differ in size. A function gets the values of the mapping, the elements of the sequence, or the
    rows of a set as a data frame, whatever they are; it is called once for each set, by one thread at a time if it returns a Density.
    A BadInput of it refuses the set; any other exception, also of a density, ends the run and comes out as it is.
    ``data``: what all sets have beside their own.
    ``memory``: the draws of all sets are kept if they take no more than so many megabytes; 0: none are.
    ``blocking``: True returns a :class:`SetsResult`; False a :class:`SetsRun` at once.
    ``progress``: as of ``sample()``; sets that are done are ``transitions`` of phase "data sets".
    ``initial_values``: of each set, as of ``sample()``; a set whose parameters they do not fit is refused.
    Other settings: those of ``sample()``. Set k, counted from 0, has the seed ``seed`` + k, and the draws of a run of its own with
    that seed and the settings that ``result.info["settings"]`` names.

    A set that the model refuses, or that fails, is named in the result, and the others go on. The first Ctrl-C ends the run: the
    result has the sets that had their answer, ``result.cancelled`` is True, and a RuntimeWarning says so. A second one, and one
    before the first answer, raise KeyboardInterrupt.

    Raises BadInput if the model takes none of the sets, or a setting cannot be; TypeError for what are no data sets, and for a
    Density, which has its data inside: give a function that makes it.
    """
    watcher = watcher_of(progress, blocking)
    held = Held()
    if settings.get("seed") is None:
        settings["seed"] = secrets.randbits(32)
    for name, value in settings.items():
        if value is not None:
            held.set(name, value)
    if initial_values is not None:
        held.initial_values(initial_values)
    if isinstance(model, (Density, CFunction)):
        raise TypeError(f"model: a {type(model).__name__} has its data inside: give a function that makes that of a set")
    made = callable(model) and not isinstance(model, type)
    source = MadeForEach(model) if made else model_of(model)
    sets = (GivenSets if made else DataSets)(data_sets, column, data)

    def prepared(asked: Asked) -> Job:
        wanted = Wanted(asked, int(settings["seed"]), settings.get("sampler"), settings.get("precision"),
                        watcher.tell if isinstance(watcher, Line) else None)
        bound = source._bind(sets, wanted)
        return Job(bound, held, watcher, asked, lambda result: library.sample_sets(
            bound.pointer, sets.pointer, held.pointer, float(memory) * 1e6, result), SetsResult, _so_far)

    return _begun(prepared, blocking, SetsRun)
