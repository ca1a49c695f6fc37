"""The result of a run."""

import copy
import functools
import html
import importlib.util
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np

from ._device import DeviceArray
from ._errors import BadInput
from ._library import CFinding, CQuantity, CView, library, path_bytes, require_own_threads, text
from ._settings import did_you_mean
from ._table import Table

_SEVERITIES = ("failure", "warning", "note")
_KINDS = ("parameter", "derived", "predicted")
_DRAWS, _STATS = 0, 1


class Finding(NamedTuple):
    """One statement about a run."""
    severity: str  #: "failure": a reason why it has not converged; "warning": speaks against the draws; "note"
    what: str
    advice: str  #: what to do; may be empty

    def __str__(self) -> str:
        return f"{self.what} {self.advice}".rstrip()


class Quantity(NamedTuple):
    """A named array of a draw."""
    name: str
    shape: Tuple[int, ...]
    kind: str  #: "parameter", "derived" or "predicted"
    offset: int  #: the row of the summary that is its first element
    size: int


class _Handle:
    """Owns a result of the library. Arrays keep it alive."""

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        library.free(self.pointer)


class _Rows:
    """Some rows of draws or statistics as an array (chain, draw, ...) that lies in the memory of the result."""

    def __init__(self, handle: _Handle, which: int, offset: int, shape: Tuple[int, ...]) -> None:
        view = CView()
        library.get_view(handle.pointer, which, view)
        self._handle = handle
        of_row = view.bytes * view.chains
        within, stride = [], of_row
        for extent in reversed(shape):
            within.append(stride)
            stride *= extent
        self.__array_interface__ = {
            "version": 3, "typestr": f"<f{view.bytes}", "data": ((view.data or 0) + offset * of_row, True),
            "shape": (view.chains, view.draws, *shape),
            "strides": (view.bytes, of_row * view.rows, *reversed(within))}


class Draws(Mapping):
    """Draws of a run, those so far (:meth:`Run.inspect`) or all of them (:class:`Result`).

    ``draws["theta"]`` is a NumPy array of shape (chain, draw, ...) in the precision of the run, read-only, that lies in the
    memory of the library: it is not copied, and keeps that memory alive. ``draws.sample_stats["lp"]`` likewise. Iteration goes
    over the names of the quantities.
    """

    def __init__(self, pointer: int) -> None:
        self._handle = _Handle(pointer)

    @functools.cached_property
    def _quantities(self) -> Dict[str, Quantity]:
        found = {}
        for index in range(library.quantities(self._handle.pointer)):
            q = CQuantity()
            library.get_quantity(self._handle.pointer, index, q)
            found[text(q.name)] = Quantity(text(q.name), tuple(q.shape[:q.rank]), _KINDS[q.kind], q.offset, q.size)
        return found

    @property
    def chains(self) -> int:
        return library.chains(self._handle.pointer)

    @property
    def draws(self) -> int:
        """Number of draws of each chain."""
        return library.draws(self._handle.pointer)

    @property
    def quantities(self) -> Dict[str, Quantity]:
        """The named arrays of a draw, parameters first, in the order of the summary."""
        return dict(self._quantities)

    def __getitem__(self, name: str) -> np.ndarray:
        quantity = self._quantities.get(name)
        if quantity is None:
            raise KeyError(f"the model has no {name!r}{did_you_mean(str(name), self._quantities)}")
        return np.asarray(_Rows(self._handle, _DRAWS, quantity.offset, quantity.shape))

    def __iter__(self) -> Iterator[str]:
        return iter(self._quantities)

    def __len__(self) -> int:
        return len(self._quantities)

    @property
    def sample_stats(self) -> Dict[str, np.ndarray]:
        """lp (unconstrained scale), acceptance_rate, energy and diverging of every draw, each (chain, draw)."""
        stats = {}
        row = 0
        while text(library.stat_name(row)):
            name = text(library.stat_name(row))
            values = np.asarray(_Rows(self._handle, _STATS, row, ()))
            stats[name] = values != 0 if name == "diverging" else values
            row += 1
        return stats

    def __repr__(self) -> str:
        return f"{self.chains} chains of {self.draws} draws: {', '.join(self)}"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self) -> "Draws":
        return self  # nothing changes it

    def __deepcopy__(self, memo: Any) -> "Draws":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("these draws lie in the memory of their process and cannot be pickled: take the arrays")


def datatree_of(save: Callable[[str], None]) -> Any:
    """The file that `save` writes, as an xarray.DataTree."""
    import xarray
    if not hasattr(xarray, "open_datatree"):
        raise ImportError(f"to_datatree() needs xarray 2024.10 or later; this is {xarray.__version__}")
    with tempfile.TemporaryDirectory(prefix="manychain") as folder:
        path = os.path.join(folder, "draws.nc")
        save(path)
        with xarray.open_datatree(path) as tree:
            return tree.load()


def has_inference_data(arviz: Any) -> bool:
    """Before ArviZ 1, which from 1.3 on has the name for a DataTree."""
    return int(arviz.__version__.partition(".")[0]) < 1


class Summarised(Draws):
    """Draws with a summary."""

    def summary(self, names: Union[str, Sequence[str], None] = None) -> Any:
        """Mean, sd, quantiles, R-hat, ESS and Monte Carlo errors of every scalar, elements counted from 1 ("theta[2]").

        A pandas.DataFrame where pandas is installed, else a :class:`Table`. ``names``: of these quantities or rows alone.
        ``rhat_nested`` is NaN of a run without superchains, and decides where it is not (docs/diagnostics.md).
        """
        table = self._table(names)
        if importlib.util.find_spec("pandas") is not None:
            import pandas
            return pandas.DataFrame(table.values, index=table.index, columns=table.columns)
        return table

    def _table(self, names: Union[str, Sequence[str], None]) -> Table:
        pointer = self._handle.pointer
        columns = [text(library.summary_column(k)) for k in range(library.summary_columns())]
        rows = [text(library.output_name(pointer, k)) for k in range(library.outputs(pointer))]
        values = np.empty((len(rows), len(columns)))
        library.get_summary_matrix(pointer, values.ctypes.data, values.size)
        if names is not None:
            if not isinstance(names, str) and not isinstance(names, Iterable):
                raise TypeError(f"names: give a name or a sequence of names, not {names!r}")
            chosen = self._rows_called([names] if isinstance(names, str) else list(names), rows)
            rows, values = [rows[k] for k in chosen], values[chosen]
        return Table(rows, columns, values)

    def _rows_called(self, names: List[str], rows: List[str]) -> List[int]:
        chosen: List[int] = []
        for name in names:
            if name in self._quantities:
                quantity = self._quantities[name]
                chosen += range(quantity.offset, quantity.offset + quantity.size)
            elif name in rows:
                chosen.append(rows.index(name))
            else:
                raise KeyError(f"the model has no {name!r}{did_you_mean(str(name), [*self._quantities, *rows])}")
        return chosen


class Result(Summarised):
    """The result of a run: verdict, summary, draws.

    ``result["theta"]`` is an array of draws, as of :class:`Draws`: it keeps the memory of the run alive. Of a run with
    ``keep_on_device=True`` it is a :class:`DeviceArray`, in the memory of the CUDA device.
    """

    def __getitem__(self, name: str) -> Any:
        if not library.has_device_draws(self._handle.pointer) or name not in self._quantities:
            return super().__getitem__(name)
        index, on_host = list(self._quantities).index(name), super().__getitem__
        return DeviceArray(self._handle, index, self._quantities[name].shape, lambda: on_host(name))

    # The verdict.

    @property
    def converged(self) -> bool:
        """Every R-hat below 1.01 (with superchains: nested R-hat), every bulk ESS above 400, no chain stuck, outlying or not
        finite."""
        return bool(library.converged(self._handle.pointer))

    @property
    def findings(self) -> List[Finding]:
        """All that there is to say: failures, then warnings, then notes."""
        found = []
        for index in range(library.findings(self._handle.pointer)):
            one = CFinding()
            library.get_finding(self._handle.pointer, index, one)
            found.append(Finding(_SEVERITIES[one.severity], text(one.what), text(one.advice)))
        return found

    @property
    def verdict(self) -> str:
        """The headline, and a line for each finding."""
        lines = [text(library.headline(self._handle.pointer))]
        for finding in self.findings:
            lines.append("  " + ("" if finding.severity == "failure" else finding.severity + ": ") + str(finding))
        return "\n".join(lines)

    def _texts(self, severity: str) -> List[str]:
        return [str(finding) for finding in self.findings if finding.severity == severity]

    @property
    def problems(self) -> List[str]:
        """Why the run has not converged, worst first; empty if it has."""
        return self._texts("failure")

    @property
    def warnings(self) -> List[str]:
        """Reasons to doubt the draws although the chains agree."""
        return self._texts("warning")

    @property
    def notes(self) -> List[str]:
        return self._texts("note")

    # The run.

    @property
    def info(self) -> Dict[str, Any]:
        """The run as docs/output.md describes its JSON object: settings, counts, times, tuning. A new dictionary."""
        return copy.deepcopy(self._record)

    @functools.cached_property
    def _record(self) -> Dict[str, Any]:
        record = json.loads(text(library.json(self._handle.pointer)))
        record.pop("parameters")  # summary() has it
        return record

    @property
    def model(self) -> str:
        return self._record["model"]

    @property
    def seed(self) -> int:
        """Repeats the run: ``sample(..., seed=result.seed)``."""
        return self._record["seed"]

    @property
    def draws(self) -> int:
        """Number of draws of each chain."""
        return self._record["draws"]

    @property
    def cancelled(self) -> bool:
        """The run was ended before its end; it has the draws until then."""
        return self._record["cancelled"]

    def _until_then(self) -> str:
        """For a run that was interrupted."""
        return f"{self.draws} draws of each chain"

    @property
    def seconds(self) -> Dict[str, float]:
        """Wall-clock time: total, warmup, sampling, diagnostics."""
        return dict(self._record["seconds"])

    def table(self) -> str:
        """The summary for a terminal, as the command line prints it: verdict, then at most 40 rows."""
        return text(library.table(self._handle.pointer))

    # Files.

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the draws as a NetCDF file that ArviZ opens and ``manychain diagnose`` reads, or, if the name ends in
        ``.zarr``, as a Zarr store (docs/output.md)."""
        other = os.path.splitext(os.fspath(path))[1]
        if other in (".csv", ".json", ".parquet", ".pkl", ".npz"):
            raise BadInput(f"{os.fspath(path)!r}: save() writes NetCDF (.nc) or a Zarr store (.zarr), not {other}; a summary as a "
                           "table is summary().to_csv()")
        require_own_threads()
        library.write_netcdf(self._handle.pointer, path_bytes(path))

    def report(self, path: "str | os.PathLike[str]") -> None:
        """Writes a page of HTML by which the run is shown and judged: verdict, settings, table, pictures."""
        require_own_threads()
        library.write_report(self._handle.pointer, path_bytes(path))

    def to_datatree(self) -> Any:
        """An xarray.DataTree, as ArviZ 1.x takes it, with all groups of the file of draws. Needs xarray and netCDF4 or
        h5netcdf, which ArviZ brings."""
        return datatree_of(self.save)

    def to_inference_data(self) -> Any:
        """An arviz.InferenceData of ArviZ 0.x; of ArviZ 1.x, which has none, a DataTree."""
        import arviz
        if not has_inference_data(arviz):
            return self.to_datatree()
        with tempfile.TemporaryDirectory(prefix="manychain") as folder:
            path = os.path.join(folder, "draws.nc")
            self.save(path)
            data = arviz.from_netcdf(path)
            data.load()
            data.close()
            return data

    # Python's own.

    def __repr__(self) -> str:
        return f"{self.table()}\n{self.chains} chains of {self.draws} draws, seed {self.seed}"

    def _repr_html_(self) -> str:
        headline, _, rest = self.verdict.partition("\n")
        table = self.summary()
        shown = table if isinstance(table, Table) else table.head(40)
        body = shown._repr_html_()
        findings = f"<pre>{html.escape(rest)}</pre>" if rest else ""
        return (f"<div><p><b>{html.escape(headline)}</b></p>{findings}{body}<p>{html.escape(self.model)}: {self.chains} "
                f"chains of {self.draws} draws, seed {self.seed}</p></div>")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Result lies in the memory of its process and cannot be pickled: save() it, or take its arrays")
