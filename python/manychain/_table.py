"""A small table, where pandas is not installed."""

import html
from typing import Any, Iterator, List, Sequence

import numpy as np


class Table:
    """Rows by name, columns by name: ``table["mean"]`` is a column, ``table.loc["mu", "mean"]`` a number. Cells may be words."""

    def __init__(self, index: Sequence[str], columns: Sequence[str], values: np.ndarray) -> None:
        self.index: List[str] = list(index)
        self.columns: List[str] = list(columns)
        self.values = values

    def __getitem__(self, column: str) -> np.ndarray:
        if column not in self.columns:
            raise KeyError(f"there is no column {column!r}; there are {', '.join(self.columns)}")
        return self.values[:, self.columns.index(column)]

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    @property
    def loc(self) -> "_Location":
        return _Location(self)

    def row(self, name: str) -> np.ndarray:
        if name not in self.index:
            raise KeyError(f"there is no row {name!r}")
        return self.values[self.index.index(name)]

    def _cells(self) -> List[List[str]]:
        return [["", *self.columns]] + [[name, *(number if isinstance(number, str) else f"{number:.6g}" for number in row)]
                                        for name, row in zip(self.index, self.values)]

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        return "\n".join(row[0].ljust(widths[0]) + "".join("  " + cell.rjust(width)
                                                           for cell, width in zip(row[1:], widths[1:])) for row in cells)

    def _repr_html_(self) -> str:
        head, *rows = self._cells()
        line = lambda cells, tag: "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
        return ("<table><thead>" + line(head, "th") + "</thead><tbody>" + "".join(line(row, "td") for row in rows) +
                "</tbody></table>")


class _Location:
    def __init__(self, table: Table) -> None:
        self._table = table

    def __getitem__(self, place: "tuple[str, str]") -> Any:
        row, column = place
        self._table[column]  # a name that is none is named
        cell = self._table.row(row)[self._table.columns.index(column)]
        return cell if isinstance(cell, str) else float(cell)
