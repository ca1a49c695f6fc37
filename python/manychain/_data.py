"""Data of models: mappings of numbers and arrays, files, JSON."""

import ctypes
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._errors import BadInput, Error
from ._library import library, path_bytes
from ._settings import did_you_mean, encoded

DataSource = Union[Mapping, str, "os.PathLike[str]"]

_NAMES_OF_DIMENSIONS = ("coords", "dims")


def _require_number(name: str, place: Tuple[int, ...], value: Any) -> None:
    """Raises with the place of the element, counted from 0 in `place`."""
    if isinstance(value, str):
        what = f"the text {value!r}: give real numbers, and categories as their whole numbers"
    elif value is None:
        what = "None: a model has no missing values; leave their rows out, or give the indices of the rows that are there"
    elif isinstance(value, (list, tuple)):
        raise ValueError(f"data: {name} is no rectangular array: its rows differ in length")
    else:
        try:
            float(value)
            return
        except (TypeError, ValueError):
            what = f"of type {type(value).__name__}: give real numbers"
    index = f"[{', '.join(str(k + 1) for k in place)}]" if place else ""
    raise TypeError(f"data: {name}{index} is {what}")


def array_of(name: str, value: Any) -> np.ndarray:
    """A variable of data as an array of doubles, or a sentence on why it is none."""
    if np.ma.is_masked(value):
        raise TypeError(f"data: {name} has masked values, and a model has no missing ones: leave their rows out, or give the "
                        "indices of the rows that are there")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"data: {name} is no rectangular array: its rows differ in length") from None
    if array.dtype == object:
        for place, one in np.ndenumerate(array):
            _require_number(name, place, one)
        array = array.astype(np.float64)
    if array.dtype.kind == "U" and array.size > 0:
        _require_number(name, (0,) * array.ndim, str(array.flat[0]))
    if array.dtype.kind not in "biuf":
        raise TypeError(f"data: {name} is an array of {array.dtype}: give real numbers")
    doubles = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    if array.dtype.kind in "iu" and doubles.size and not np.array_equal(doubles.astype(array.dtype), array):
        raise ValueError(f"data: {name} has integers beyond 2^53, which a double does not hold")
    return doubles


def _is_json(source: DataSource) -> bool:
    return isinstance(source, str) and source.lstrip().startswith("{")


def is_frame(source: Any) -> bool:
    return hasattr(source, "columns") and hasattr(source, "iloc")


def _columns_of(frame: Any, left_out: Dict[str, str]) -> Dict[str, np.ndarray]:
    """The columns of numbers. Words stop no model that does not ask for them: `left_out` gets the reasons by name."""
    names = [str(name) for name in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"data: the data frame has two columns {twice}")
    numbers = {}
    for k, name in enumerate(names):
        try:
            numbers[name] = array_of(name, frame.iloc[:, k].to_numpy())
        except TypeError as error:
            left_out[name] = str(error)
    return numbers


def as_json(values: Mapping) -> str:
    """A mapping as one JSON object in CmdStan's dialect."""
    def plain(name: str, value: Any) -> Any:
        if name in _NAMES_OF_DIMENSIONS:
            return {key: np.asarray(labels).tolist() for key, labels in value.items()}
        array = array_of(name, value)
        whole = array.size > 0 and bool(np.all(np.isfinite(array))) and bool(np.all(array == np.trunc(array)))
        integers = np.asarray(value).dtype.kind in "biu"
        return (array.astype(np.int64) if whole and integers else array).tolist()
    return json.dumps({str(name): plain(str(name), value) for name, value in values.items()})


class Data:
    """Owns data of the library."""

    def __init__(self, source: Union[DataSource, Sequence[DataSource]]) -> None:
        self.pointer: Optional[int] = library.data_new()
        if not self.pointer:
            raise MemoryError("manychain: out of memory")
        self._left_out: Dict[str, str] = {}
        parts: List[DataSource] = list(source) if isinstance(source, (list, tuple)) else [source]  # type: ignore
        for part in parts:
            self._add(part)
        rows = {len(part) for part in parts if is_frame(part)}  # type: ignore[arg-type]
        named = {str(name) for part in parts if isinstance(part, Mapping) or is_frame(part) for name in part}  # type: ignore
        if len(rows) == 1 and "N" not in named:
            self._set("N", np.array(float(rows.pop())))

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            library.data_free(self.pointer)

    def _add(self, source: DataSource) -> None:
        if isinstance(source, Mapping):
            for name, value in source.items():
                if not isinstance(name, str):
                    raise TypeError(f"data: {name!r} is no name; names are texts")
                if name not in _NAMES_OF_DIMENSIONS:
                    self._set(name, array_of(name, value))
            names = {key: source[key] for key in _NAMES_OF_DIMENSIONS if key in source}
            if names:
                library.data_add_json(self.pointer, encoded("data", as_json(names)))
        elif _is_json(source):
            library.data_add_json(self.pointer, encoded("data", str(source)))
        elif isinstance(source, str) and not source.strip():
            raise BadInput("data: the text is empty: give the name of a file, JSON, or None for a model without data")
        elif isinstance(source, (str, os.PathLike)):
            library.data_add_file(self.pointer, path_bytes(source))
        elif is_frame(source):
            for name, values in _columns_of(source, self._left_out).items():
                self._set(name, values)
        else:
            raise TypeError("data: give a mapping of names to arrays, a data frame, the name of a file or JSON, not "
                            f"{type(source).__name__}")

    def explained(self, error: Error) -> Error:
        """An error of the model; where it misses a column that is left out, with the reason for that."""
        found = re.match("variable does not exist: (\\w+)", str(error))
        why = self._left_out.get(found[1]) if found else None
        return BadInput(f"{error}; {why.partition(': ')[2]}") if why else error

    def _set(self, name: str, values: np.ndarray) -> None:
        shape = (ctypes.c_size_t * values.ndim)(*values.shape)
        library.data_set(self.pointer, encoded("data: a name", name), values.ctypes.data, values.ndim, shape)


def rows_of_sets(frame: Any, column: Optional[str]) -> Dict[str, List[int]]:
    """The rows of each set of a data frame, by the words of a column."""
    if column is None:
        raise TypeError("column: give the name of the column that says of which set a row is")
    names = [str(name) for name in frame.columns]
    if column not in names:
        raise BadInput(f"data_sets: there is no column {column}{did_you_mean(column, names)}")
    rows: Dict[str, List[int]] = {}
    for row, label in enumerate(frame.iloc[:, names.index(column)]):
        if label is None or label != label or str(label).strip() == "":
            raise BadInput(f"data_sets: row {row} has nothing in column {column}, so that its set is not known")
        rows.setdefault(str(label).strip(), []).append(row)
    return rows


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
        numbers = _columns_of(frame, {})
        numbers.pop(str(column), None)
        for name, of_set in rows.items():
            self._add(name, {"N": len(of_set), **{key: values[of_set] for key, values in numbers.items()}})


def for_stan(source: Optional[DataSource]) -> Optional[bytes]:
    """Data as manychain_stan_model() takes them: JSON, the name of a file, or nothing."""
    if source is None:
        return None
    if isinstance(source, Mapping):
        return encoded("data", as_json(source))
    if _is_json(source):
        return encoded("data", str(source))
    if isinstance(source, (str, os.PathLike)):
        return path_bytes(source)
    raise TypeError(f"data: give a mapping of names to arrays, the name of a file or JSON, not {type(source).__name__}")
