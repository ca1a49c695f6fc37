#!/usr/bin/env python3
"""Writes docs/functions.md from the docstrings of the language, or with --check compares it with them.

A docstring that stands in the table begins with `/// name(arguments): what it is.`, and ends with `Source: ...`;
`Support: ...` may stand before that. Every distribution NAME must have draws, NAME_distribution(parameters): without
them nothing is written, and --check fails.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SECTIONS = [
    ("Distributions", "Log densities and log masses, normalising constants included. Any argument may be data, a literal, "
     "a parameter or an expression, and any may be a vector: the sum over its elements. Outside of the support the value "
     "is -infinity. Each also draws: `target.predict(name, NAME_distribution(parameters))`, see Draws.",
     ["distributions", "continuous_distributions", "count_distributions", "categorical_distributions",
      "matrix_distributions"]),
    ("Generalised linear models", "The densities above with mean or logits alpha + X beta. They draw a vector, an element "
     "for each row of X.", ["glm"]),
    ("Log probabilities of tails", "For censored and truncated data. `von_mises` and `beta_binomial` have none; that of "
     "`normal_variance` is that of `normal` with sqrt(v).",
     ["log_cdfs", "half_log_cdfs", "shape_log_cdfs", "skew_normal_log_cdfs", "count_log_cdfs"]),
    ("Constraints", "Of `target.real(name, constraint)`, `target.vector(name, n, constraint)` and "
     "`target.matrix(name, rows, columns, constraint)`; that of a vector is of each row of a matrix. Those of square matrices as said.",
     ["constraints", "vector_constraints", "matrix_constraints"]),
    ("Functions", "Of parameters and expressions; most take vectors, element by element.",
     ["expression", "functions", "mixtures", "vector_expression", "matrix_expression"]),
    ("Linear algebra", "Square matrices of parameters or expressions.", ["matrix_statements", "linear_algebra", "covariance_functions"]),
    ("Whole functions and differential equations", "", ["dual", "forward_mode", "scan", "ode"]),
    ("Draws", "For `target.predict()`; the densities are those above.",
     ["sampled_distributions", "sampled_continuous", "sampled_counts", "sampled_vectors"]),
]
DRAWN = ["Distributions", "Generalised linear models"]


def blocks(path):
    """The docstrings of a header, each as one line."""
    lines, block = path.read_text().splitlines(), []
    for line in lines + [""]:
        stripped = line.strip()
        if stripped.startswith("///"):
            block.append(stripped[3:].strip())
        elif stripped.startswith("//") and re.match(r"// \w+\(.*\) of a target", stripped):
            block = [stripped[2:].strip()]
        elif stripped.startswith("// ") and block and not stripped.startswith("///"):
            block.append(stripped[2:].strip())
        else:
            if block:
                yield " ".join(block)
            block = []


def rows(stem):
    (path,) = (ROOT / "include" / "manychain" / "model").glob(f"*/{stem}.hpp")
    for text in blocks(path):
        match = re.match(r"((?:\w+\.)?[A-Za-z_]\w*\([^)]*\))(?: of a target)?: (.*?)(?: Support: (.*?))?\s*Source: (.*)$", text)
        if match:
            signature, what, support, source = (part.strip().rstrip(".") if part else "" for part in match.groups())
            yield [f"`{signature}`"] + [cell.replace("|", "\\|") for cell in (what, support, source)]


def draws():
    """What is drawn by NAME_distribution(): NAME, and of the signatures that it has the last, which takes vectors."""
    signatures = [row[0] for stem in SECTIONS[-1][2] for row in rows(stem)]
    return {re.match(r"`(\w+)_distribution\(", text).group(1): text for text in signatures}


def document():
    drawn = draws()
    out = ["# Functions, distributions and constraints of the language", "",
           "Written by `scripts/function_table.py` from the headers; `docs/models.md` says how they are used.", ""]
    for title, introduction, stems in SECTIONS:
        table = [row for stem in stems for row in rows(stem)]
        if not table:
            continue
        out += [f"## {title}", ""]
        if introduction:
            out += [introduction, ""]
        with_support = any(row[2] for row in table)
        head = ["", "", "support", "source"] if with_support else ["", "", "source"]
        if title in DRAWN:
            names = [re.match(r"`(\w+)", row[0]).group(1) for row in table]
            missing = [name for name in names if name not in drawn]
            if missing:
                sys.exit(f"no draws of {', '.join(missing)}: predict() needs NAME_distribution(parameters), with a "
                         "docstring, in one of " + ", ".join(f"{stem}.hpp" for stem in SECTIONS[-1][2]))
            head.insert(3, "drawn by")
            table = [row[:3] + [drawn[name]] + row[3:] for row, name in zip(table, names)]
        out += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        out += ["| " + " | ".join(row if with_support else row[:2] + row[3:]) + " |" for row in table]
        out += [""]
    return "\n".join(out)


def main():
    path = ROOT / "docs" / "functions.md"
    if sys.argv[1:] == ["--check"]:
        if not path.exists() or path.read_text() != document():
            sys.exit(f"{path.relative_to(ROOT)} is not what the headers say: run scripts/function_table.py")
    else:
        path.write_text(document())


main()
