"""The kept table of counts: one line a kernel, to be read in a diff; and its comparison with the counts of a build."""

from leapfrog import COUNTS, EXCHANGE_COUNTS

COLUMNS = [
    "registers",
    "stack",
    "spilled",
    *(f"leap.{what}" for what in COUNTS),
    "unroll",
    *(f"row.{what}" for what in COUNTS),
    *(f"exchange.{what}" for what in EXCHANGE_COUNTS),
]
MARGIN = 0.05
# A rise of any size: registers that no longer suffice.
_NONE_MORE = {"stack", "spilled", "leap.local", "row.local", "exchange.local"}
UNKNOWN = "-"

_HEAD = """\
# What tests/sass/count_sass.py counted in the HMC kernels of the built-in models. The columns are explained there.
# After a change that is meant: count_sass.py --update, as the test says it.
"""


class TableError(Exception):
    """A table that cannot be read."""


def _text(value):
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0")


def write_table(rows, nvcc, architecture):
    """The text of a table of {kernel: {column: number or text}}."""
    lines = [["kernel", *COLUMNS]] + [
        [kernel, *(_text(row[one]) for one in COLUMNS)] for kernel, row in sorted(rows.items())
    ]
    widths = [max(map(len, column)) for column in zip(*lines)]
    table = "".join(
        "  ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]) + "\n"
        for line in lines
    )
    return f"{_HEAD}nvcc {nvcc}\narchitecture {architecture}\n{table}"


def read_table(text):
    """(rows, nvcc, architecture) of what write_table() wrote."""
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) < 3 or lines[0][0] != "nvcc" or lines[1][0] != "architecture" or lines[2] != ["kernel", *COLUMNS]:
        raise TableError("not a table of these columns: write it anew with --update")
    rows = {}
    for kernel, *cells in lines[3:]:
        if len(cells) != len(COLUMNS) or kernel in rows:
            raise TableError(f"the line of {kernel}")
        rows[kernel] = {
            one: cell if one == "unroll" or cell == UNKNOWN else float(cell) for one, cell in zip(COLUMNS, cells)
        }
    return rows, lines[0][1], lines[1][1]


def _compared(row):
    """What is held against the margin. Loads are so in number and in bytes, so that wider ones are no rise."""
    found = {one: row[one] for one in COLUMNS if one != "unroll" and ".load" not in one}
    for part in ("leap", "row"):
        loads = [row[f"{part}.load{bits}"] for bits in (32, 64, 128)]
        found[f"{part}.loads"] = sum(loads)
        found[f"{part}.bytes"] = sum(load * width for load, width in zip(loads, (4, 8, 16)))
    return found


def compare(kept, now):
    """[(kernel, what, kept, now, verdict)] of what differs; a verdict of "more" or "missing" or "new" is a failure,
    "less" a fall of more than the margin, "" a change within it."""
    found = []
    for kernel in sorted(kept.keys() | now.keys()):
        if kernel not in now:
            found.append((kernel, "", "", "", "missing"))
            continue
        if kernel not in kept:
            found.append((kernel, "", "", "", "new"))
            continue
        if kept[kernel]["unroll"] != now[kernel]["unroll"]:
            found.append((kernel, "unroll", kept[kernel]["unroll"], now[kernel]["unroll"], ""))
        old, new = _compared(kept[kernel]), _compared(now[kernel])
        for what, before in old.items():
            after = new[what]
            if UNKNOWN in (before, after) or before == after:
                continue
            verdict = ""
            if after > before * (1 + (0 if what in _NONE_MORE else MARGIN)):
                verdict = "more"
            elif after < before * (1 - MARGIN):
                verdict = "less"
            found.append((kernel, what, before, after, verdict))
    return found


def show(differences):
    """The lines of a table of compare()."""
    lines = [("kernel", "count", "kept", "now", "change", "")]
    for kernel, what, before, after, verdict in differences:
        change = ""
        if isinstance(before, float):
            change = f"{100 * (after - before) / before:+.1f} %" if before else f"+{_text(after)}"
        lines.append((kernel, what, _text(before), _text(after), change, verdict))
    widths = [max(map(len, column)) for column in zip(*lines)]
    return [
        "  ".join(
            [line[0].ljust(widths[0]), line[1].ljust(widths[1])]
            + [cell.rjust(width) for cell, width in zip(line[2:5], widths[2:5])]
            + [line[5]]
        ).rstrip()
        for line in lines
    ]
