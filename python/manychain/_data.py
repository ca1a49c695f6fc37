"""Data of models: mappings of numbers and arrays, files, JSON."""

import ctypes
import json
import numbers
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple, Union

import numpy as np

from ._errors import BadInput, Error
from ._frames import Frame, categories_of, columns_of, is_frame, is_missing, rows_of_sets
from ._library import library, path_bytes
from ._settings import encoded

DataSource = Union[Mapping, Frame, str, "os.PathLike[str]"]

_NAMES_OF_DIMENSIONS = ("coords", "dims")


_NO_MISSING = "a model has no missing values; leave their rows out, or give the indices of the rows that are there"


def _element(name: str, place: Tuple[int, ...]) -> str:
    """Elements are counted from 1 as in summaries, `place` from 0."""
    return f"{name}[{', '.join(str(k + 1) for k in place)}]" if place else name


def _require_number(what: str, name: str, place: Tuple[int, ...], value: Any) -> None:
    """Raises with the place of the element."""
    if isinstance(value, (str, bytes)):
        said = (f"the text {value!r}: give real numbers, and categories as their whole numbers, as a pandas.Categorical or a "
                "Polars Enum has them")
    elif is_missing(value):
        said = f"{value}: {_NO_MISSING}"
    elif isinstance(value, (list, tuple)):
        raise ValueError(f"{what}: {name} is no rectangular array: its rows differ in length")
    else:
        try:
            double = float(value)
        except (TypeError, ValueError, OverflowError):
            said = f"of type {type(value).__name__}: give real numbers"
            if not place and hasattr(value, "__iter__"):
                said += ", as a list or an array"
        else:
            if isinstance(value, int) and double != value:
                raise ValueError(f"{what}: {name} has integers beyond 2^53, which a double does not hold")
            return
    raise TypeError(f"{what}: {_element(name, place)} is {said}")


def array_of(name: str, value: Any, what: str = "data") -> np.ndarray:
    """A variable of data as an array of doubles, or a sentence on why it is none. `what` is wrong, for messages."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise TypeError(f"{what}: {name} has masked values, and {_NO_MISSING}")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{what}: {name} is no rectangular array: its rows differ in length") from None
    except Exception as error:  # of a tensor on a GPU, or with a gradient
        raise TypeError(f"{what}: {name} is of type {type(value).__name__}, which does not become an array: {error}") from None
    if array.dtype == object:
        for place, one in np.ndenumerate(array):
            _require_number(what, name, place, one)
        array = array.astype(np.float64)
    if array.dtype.kind in "US" and array.size > 0:
        _require_number(what, name, (0,) * array.ndim, array.flat[0].item())
    if array.dtype.kind == "V" and "float" in array.dtype.name:  # bfloat16
        array = array.astype(np.float64)
    if array.dtype.kind in "mM":
        since = f"days since the first, ({name} - {name}.min())" if array.dtype.kind == "M" else f"days, {name}"
        raise TypeError(f"{what}: {name} is an array of {array.dtype}: give times as real numbers, for example {since} / "
                        "numpy.timedelta64(1, 'D')")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what}: {name} is an array of {array.dtype}: give real numbers")
    doubles = np.asarray(array, dtype=np.float64, order="C")
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and not (doubles.astype(array.dtype) == array).all():
        raise ValueError(f"{what}: {name} has integers beyond 2^53, which a double does not hold")
    return doubles


def _is_json(source: DataSource) -> bool:
    return isinstance(source, str) and source.lstrip().startswith("{")


def _are_integers(value: Any) -> bool:
    """By their type: a 3.0 is none."""
    array = np.asarray(value)
    return array.dtype.kind in "biu" or array.dtype == object and all(isinstance(one, numbers.Integral) for one in array.flat)


def as_json(values: Mapping, what: str = "data") -> str:
    """A mapping as one JSON object in CmdStan's dialect. `what` it is, for messages."""
    def plain(name: str, value: Any) -> Any:
        if name in _NAMES_OF_DIMENSIONS:
            return {key: np.asarray(labels).tolist() for key, labels in value.items()}
        array = array_of(name, value, what)
        whole = array.size > 0 and bool(np.all(np.isfinite(array))) and bool(np.all(array == np.trunc(array)))
        return (array.astype(np.int64) if whole and _are_integers(value) else array).tolist()
    return json.dumps({str(name): plain(str(name), value) for name, value in values.items()})


def _coded(name: str, value: Any, labels: Dict[str, List[str]]) -> Any:
    """The codes of categories, whose words `labels` gets; all else as it is."""
    found = categories_of(value)
    if found is None:
        return value
    missing = np.flatnonzero(found.codes == 0)
    if missing.size:
        raise TypeError(f"data: {_element(name, (int(missing[0]),))} is missing: {_NO_MISSING}")
    labels[name] = found.labels
    return found.codes


def _columns(frame: Any, left_out: Dict[str, str], labels: Dict[str, List[str]]) -> Dict[str, np.ndarray]:
    """The columns of numbers and of categories, integers as such. Words stop no model that does not ask for them: `left_out`
    gets the reasons."""
    found = {}
    for name, values in columns_of(frame):
        try:
            coded = _coded(name, values, labels)
            doubles = array_of(name, coded)
        except TypeError as error:
            left_out[name] = str(error)
        else:
            found[name] = doubles.astype(np.int64) if _are_integers(coded) else doubles
    return found


def _rows(parts: Sequence[Any], named: "Iterable[str]") -> Dict[str, np.ndarray]:
    """N, if all data frames have as many rows, and nothing else is called so."""
    rows = {len(part) for part in parts if is_frame(part)}
    return {"N": np.array(rows.pop())} if len(rows) == 1 and "N" not in named else {}


def _parts(source: Any) -> List[Any]:
    return list(source) if isinstance(source, (list, tuple)) else [source]


class Data:
    """Owns data of the library."""

    def __init__(self, source: Union[DataSource, Sequence[DataSource]]) -> None:
        self.pointer: Optional[int] = library.data_new()
        if not self.pointer:
            raise MemoryError("manychain: out of memory")
        self._left_out: Dict[str, str] = {}
        self._labels: Dict[str, List[str]] = {}  # of categories
        self._named: Set[str] = set()
        self._dims: Set[str] = set()  # that are asked for
        parts = _parts(source)
        for part in parts:
            self._add(part)
        for name, rows in _rows(parts, self._named).items():
            self._set(name, array_of(name, rows))
        coords = {name: words for name, words in self._labels.items() if name in self._dims}
        if coords:
            library.data_add_json(self.pointer, encoded("data", json.dumps({"coords": coords})))

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            library.data_free(self.pointer)

    def _add(self, source: DataSource) -> None:
        if isinstance(source, Mapping):
            for name, value in source.items():
                if not isinstance(name, str):
                    raise TypeError(f"data: {name!r} is no name; names are texts")
                if name not in _NAMES_OF_DIMENSIONS:
                    self._set(name, array_of(name, _coded(name, value, self._labels)))
            self._add_names({key: source[key] for key in _NAMES_OF_DIMENSIONS if key in source})
        elif _is_json(source):
            library.data_add_json(self.pointer, encoded("data", str(source)))
        elif isinstance(source, str) and not source.strip():
            raise BadInput("data: the text is empty: give the name of a file, JSON, or None for a model without data")
        elif isinstance(source, (str, os.PathLike)):
            library.data_add_file(self.pointer, path_bytes(source))
        elif is_frame(source):
            for name, values in _columns(source, self._left_out, self._labels).items():
                self._set(name, array_of(name, values))
        else:
            raise TypeError("data: give a mapping of names to arrays, a data frame, the name of a file or JSON, not "
                            f"{type(source).__name__}")

    def _add_names(self, names: Dict[str, Any]) -> None:
        """Labels of dimensions. One without any, called like a column of categories, gets the words of that column."""
        for key, value in names.items():
            if not isinstance(value, Mapping):
                raise TypeError(f"data: {key}: give a mapping, not {type(value).__name__}")
        if names:
            library.data_add_json(self.pointer, encoded("data", as_json(names)))
        for dims in names.get("dims", {}).values():
            self._dims.update([dims] if isinstance(dims, str) else map(str, dims))
        self._dims.difference_update(names.get("coords", {}))

    def explained(self, error: Error) -> Error:
        """An error of the model; where it misses a column that is left out, with the reason for that, and where it met NaN, by which
        data frames say that a number is missing, with what to do."""
        if re.search(r"value that is not finite: .* is nan$", str(error)):
            return BadInput(f"{error}; {_NO_MISSING}")
        found = re.match("variable does not exist: (\\w+)", str(error))
        why = self._left_out.get(found[1]) if found else None
        return BadInput(f"{error}; {why.partition(': ')[2]}") if why else error

    def _set(self, name: str, values: np.ndarray) -> None:
        self._named.add(name)
        shape = (ctypes.c_size_t * values.ndim)(*values.shape)
        library.data_set(self.pointer, encoded("data: a name", name), values.ctypes.data, values.ndim, shape)


class DataSets:
    """Owns data sets of the library. `source`: a mapping of names to data, a sequence of data, a data frame or a file with
    `column`, a file, JSON. `common`: what all have beside their own."""

    def __init__(self, source: Any, column: Optional[str], common: Any) -> None:
        self._begin(column)
        if isinstance(source, str) and source.lstrip()[:1] in ("[", "{"):
            self._without(column)
            library.data_sets_add_json(self.pointer, encoded("data_sets", source))
        elif isinstance(source, (str, os.PathLike)):
            library.data_sets_add_file(self.pointer, path_bytes(source), None if column is None else encoded("column", column))
        elif is_frame(source):
            self._add_frame(source, column)
        elif isinstance(source, Mapping):
            self._without(column)
            for name, data in source.items():
                self._add(str(name), data)
        elif isinstance(source, Iterable):
            self._without(column)
            for data in source:
                self._add(None, data)
        else:
            raise TypeError("data_sets: give a mapping of names to data, a sequence of data, a data frame with column=, the "
                            f"name of a file or JSON, not {type(source).__name__}")
        if common is not None:
            held = Data(common)
            library.data_sets_common(self.pointer, held.pointer)

    def _begin(self, column: Optional[str]) -> None:
        self.pointer: Optional[int] = library.data_sets_new()
        if not self.pointer:
            raise MemoryError("manychain: out of memory")
        if column is not None and not isinstance(column, str):
            raise TypeError(f"column: give the name of one, not {type(column).__name__}")

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            library.data_sets_free(self.pointer)

    @staticmethod
    def _without(column: Optional[str]) -> None:
        if column is not None:
            raise TypeError("column: it says of which set a row of a data frame or of a CSV is; leave it out")

    def _add(self, name: Optional[str], data: Any) -> None:
        if not isinstance(data, (Mapping, str, os.PathLike)):
            raise TypeError(f"data_sets: {'a set' if name is None else name} is no mapping of names to arrays, no name of a file "
                            f"and no JSON, but {type(data).__name__}")
        held = Data(data)
        library.data_sets_add(self.pointer, None if name is None else encoded("data_sets: a name", name), held.pointer)

    def _add_frame(self, frame: Any, column: Optional[str]) -> None:
        """As a CSV with these columns."""
        rows = rows_of_sets(frame, column)
        columns = _columns(frame, {}, {})
        columns.pop(str(column), None)
        for name, of_set in rows.items():
            self._add(name, {"N": len(of_set), **{key: values[of_set] for key, values in columns.items()}})


def for_stan(source: Union[DataSource, Sequence[DataSource], None]) -> Optional[bytes]:
    """Data as manychain_stan_model() takes them: JSON, the name of a file, or nothing."""
    if source is None:
        return None
    parts = _parts(source)
    if parts and all(isinstance(part, Mapping) or is_frame(part) for part in parts):
        values: Dict[str, Any] = {}
        for part in parts:
            given = part if isinstance(part, Mapping) else _columns(part, {}, {})
            twice = next((name for name in given if name in values), None)
            if twice is not None:
                raise BadInput(f"data: {twice} is given twice")
            values.update((name, _coded(str(name), value, {})) for name, value in given.items())
        return encoded("data", as_json({**values, **_rows(parts, values)}))
    if len(parts) == 1 and _is_json(parts[0]):
        return encoded("data", str(parts[0]))
    if len(parts) == 1 and isinstance(parts[0], (str, os.PathLike)):
        return path_bytes(parts[0])
    raise TypeError("data: give a Stan program mappings of names to arrays and data frames, or the name of one file, or JSON, not "
                    + ", ".join(type(part).__name__ for part in parts))
