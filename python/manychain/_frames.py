"""Data frames of pandas, Polars and PyArrow, and their columns of categories."""

from typing import Any, Dict, List, NamedTuple, Optional, Protocol, Tuple

import numpy as np

from ._errors import BadInput
from ._settings import did_you_mean


class Frame(Protocol):
    """A data frame, as type checkers see it."""

    @property
    def columns(self) -> Any: ...


def is_frame(source: Any) -> bool:
    return any(hasattr(source, "columns") and hasattr(source, name) for name in ("iloc", "get_columns", "column_names"))


def columns_of(frame: Any) -> List[Tuple[str, Any]]:
    """Each column under its name."""
    if hasattr(frame, "iloc"):  # pandas
        found = [(str(name), frame.iloc[:, k]) for k, name in enumerate(frame.columns)]
    elif hasattr(frame, "get_columns"):  # Polars
        found = [(one.name, one) for one in frame.get_columns()]
    else:  # PyArrow
        found = [(str(name), column) for name, column in zip(frame.column_names, frame.columns)]
    names = [name for name, _ in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"data: the data frame has two columns {twice}")
    return found


def rows_of(frame: Any, rows: List[int]) -> Any:
    """A data frame of these rows."""
    if hasattr(frame, "iloc"):
        return frame.iloc[rows]
    return frame[rows] if hasattr(frame, "get_columns") else frame.take(rows)


def rows_of_sets(frame: Any, column: Optional[str]) -> Dict[str, List[int]]:
    """The rows of each set of a data frame, by the words of a column."""
    if column is None:
        raise TypeError("column: give the name of the column that says of which set a row is")
    columns = dict(columns_of(frame))
    if column not in columns:
        raise BadInput(f"data_sets: there is no column {column}{did_you_mean(column, columns)}")
    rows: Dict[str, List[int]] = {}
    for row, label in enumerate(columns[column].to_pylist() if hasattr(columns[column], "to_pylist") else columns[column]):
        if is_missing(label) or label != label or str(label).strip() == "":  # a column of texts of pandas 3 has NaN
            raise BadInput(f"data_sets: row {row} has nothing in column {column}, so that its set is not known")
        rows.setdefault(str(label).strip(), []).append(row)
    return rows


def is_missing(value: Any) -> bool:
    """None, or what pandas writes for it. A NaN is a number, which the model reads."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


class Categories(NamedTuple):
    codes: np.ndarray  #: counted from 1; 0 where a row has none
    labels: List[str]  #: in the order that they were given


def categories_of(values: Any) -> Optional[Categories]:
    """Categories of a pandas.Categorical of words or of a Polars Enum, whose order is stated; None for other columns."""
    dtype = getattr(values, "dtype", None)
    polars = hasattr(values, "to_physical")
    if not hasattr(dtype, "categories") or polars and type(dtype).__name__ != "Enum":
        return None
    words = list(dtype.categories)
    if not all(isinstance(word, str) for word in words):
        return None
    if polars:
        codes = [-1 if code is None else code for code in values.to_physical()]
    else:
        codes = getattr(values, "cat", values).codes
    return Categories(np.asarray(codes, dtype=np.int64) + 1, words)
