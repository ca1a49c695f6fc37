"""Data of models: mappings of numbers and arrays, files, JSON."""

import ctypes
import json
import os
from collections.abc import Mapping
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from ._library import library, path_bytes
from ._settings import encoded

DataSource = Union[Mapping, str, "os.PathLike[str]"]

_NAMES_OF_DIMENSIONS = ("coords", "dims")


def array_of(name: str, value: Any) -> np.ndarray:
    """A variable of data as an array of doubles, or a sentence on why it is none."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"data: {name} is no rectangular array: its rows differ in length") from None
    if array.dtype == object:
        try:
            if any(one is None for one in array.flat):
                raise TypeError
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"data: {name} has values that are no numbers, or rows that differ in length") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"data: {name} is an array of {array.dtype}: give real numbers")
    doubles = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    if array.dtype.kind in "iu" and doubles.size and not np.array_equal(doubles.astype(array.dtype), array):
        raise ValueError(f"data: {name} has integers beyond 2^53, which a double does not hold")
    return doubles


def _is_json(source: DataSource) -> bool:
    return isinstance(source, str) and source.lstrip().startswith("{")


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
        parts: List[DataSource] = list(source) if isinstance(source, (list, tuple)) else [source]  # type: ignore
        for part in parts:
            self._add(part)

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
        elif isinstance(source, (str, os.PathLike)):
            library.data_add_file(self.pointer, path_bytes(source))
        else:
            raise TypeError(f"data: give a mapping of names to arrays, the name of a file or JSON, not {type(source).__name__}")

    def _set(self, name: str, values: np.ndarray) -> None:
        shape = (ctypes.c_size_t * values.ndim)(*values.shape)
        library.data_set(self.pointer, encoded("data: a name", name), values.ctypes.data, values.ndim, shape)


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
