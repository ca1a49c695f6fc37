#!/usr/bin/env python3
"""Counts the instructions of the HMC kernels of a build and holds them to a kept table.

    count_sass.py [--update] [--part] [--table FILE] [--nvcc NVCC] [--tools FOLDER] FILE...

FILEs are object files or archives that nvcc made, with code for sm_90 (--architecture). Of each kernel that advances
chains by HMC, in either precision, the one that shows no proposals, it prints and compares

- `registers` of a thread and bytes of its `stack`, as cuobjdump -res-usage says them, and bytes `spilled`, stores and
  loads, as ptxas said in FILE.ptxas ("-" where there is none);
- `leap.*`: instructions of an ordinary leapfrog, without the loops in it;
- `row.*`: instructions of one pass of each loop in it, divided by `unroll`, the rows of a pass (one number for each
  loop, "-" where it could not be told);
- `exchange.*`: instructions of the blocks, and of all passes of the loops, in which the threads of a chain exchange
  gradients.

leapfrog.py says how path and loops are found, what is a row, and where a chain has 32 threads.

`all` are all instructions, `fma` FFMA and DFMA, `mufu` special functions, `shuffle` SHFL, `load32`, `load64`, `load128`
loads from global and shared memory by width, `const` LDC and ULDC, `store` stores, `local` loads and stores on the
stack.

A count that has risen by more than 5 % fails, and so does any rise of stack, spills and `local`. Loads are compared in
number and in bytes, so that wider ones are no rise. A kernel that is not in the table, or no longer in the build,
fails; with --part a model that the files have no kernel of is passed over. --update writes the table anew.

Exit status: 0; 1 when something has risen or could not be counted; 77 when nothing can be said: no cuobjdump, no such
code, or a table that another release of nvcc made.
"""

import argparse
import os
import sys

from binary_tools import BinaryTools, Skipped, hmc_kernel, name_kernels, spills
from leapfrog import measure
from sass import SassError
from table import UNKNOWN, TableError, compare, read_table, show, write_table

SKIP = 77


def count_kernel(instructions, usage, spilled):
    """{column: number or text} of a kernel."""
    leapfrog = measure(instructions)
    return {
        "registers": usage.registers,
        "stack": usage.stack,
        "spilled": spilled,
        **{f"leap.{what}": count for what, count in leapfrog.counts().items()},
        "unroll": ",".join(str(one.unroll or UNKNOWN) for one in leapfrog.rows) or UNKNOWN,
        **{f"row.{what}": count for what, count in leapfrog.row_counts().items()},
        **{f"exchange.{what}": count for what, count in leapfrog.exchange_counts().items()},
    }


def count_kernels(tools, files, architecture):
    """{name in the table: {column: number or text}} of all HMC kernels in the files."""
    usages = {file: tools.usages(file, architecture) for file in files}
    names = [name for of_file in usages.values() for name in of_file]
    if not names:
        raise Skipped(f"the build has no code for {architecture}")
    found = {name: hmc_kernel(shown) for name, shown in zip(names, tools.demangle(names)) if hmc_kernel(shown)}
    if not found:
        raise SassError(f"of {len(names)} kernels for {architecture} none is advance_kernel<..., Hmc<...>, false, ...>")
    shown = name_kernels(found)
    rows = {}
    for file in files:
        kernels = [name for name in usages[file] if name in found]
        if not kernels:
            continue
        spilled = {}
        if os.path.exists(f"{file}.ptxas"):
            with open(f"{file}.ptxas", encoding="utf-8") as report:
                spilled = spills(report.read(), architecture)
        code = tools.instructions(file, architecture, kernels)
        for name in kernels:
            if shown[name] in rows:
                raise SassError(f"{file}: a second kernel {shown[name]}")
            try:
                rows[shown[name]] = count_kernel(code[name], usages[file][name], spilled.get(name, UNKNOWN))
            except SassError as error:
                raise SassError(f"{shown[name]}: {error}") from error
    return rows


def of_models(kept, rows):
    """The rows of a table that are kernels of the models of `rows`."""
    models = {name.partition("<")[0] for name in rows}
    return {name: row for name, row in kept.items() if name.partition("<")[0] in models}


def main(arguments):
    parser = argparse.ArgumentParser(description="Counts the instructions of HMC kernels in SASS.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--table", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "counts.txt"))
    parser.add_argument("--update", action="store_true", help="write the table anew")
    parser.add_argument("--part", action="store_true", help="the files have some of the table's models")
    parser.add_argument("--nvcc", default="nvcc", help="the compiler that made the files")
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument(
        "--tools",
        action="append",
        default=[],
        metavar="FOLDER",
        help="where pip --target has put cuobjdump and nvdisasm",
    )
    given = parser.parse_args(arguments)
    if given.part and given.update:
        parser.error("--update takes the files of all models, not a part")
    try:
        tools = BinaryTools(given.nvcc, given.tools)
        release = tools.nvcc_release(given.nvcc)
        kept = None
        if not given.update:
            with open(given.table, encoding="utf-8") as file:
                kept, kept_release, kept_architecture = read_table(file.read())
            if (kept_release, kept_architecture) != (release, given.architecture):
                raise Skipped(
                    f"the table was made with nvcc {kept_release} for {kept_architecture}, and this is nvcc {release} "
                    f"for {given.architecture}"
                )
        rows = count_kernels(tools, given.files, given.architecture)
    except Skipped as reason:
        print(f"skipped: {reason}")
        return SKIP
    except (SassError, TableError, OSError) as error:
        print(f"FAILED: {error}")
        return 1

    text = write_table(rows, release, given.architecture)
    if given.update:
        with open(given.table, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"{len(rows)} kernels written to {given.table}")
        return 0
    print(text)
    # The table as written is compared: rounded alike.
    differences = compare(of_models(kept, rows) if given.part else kept, read_table(text)[0])
    failed = [one for one in differences if one[-1] in ("more", "missing", "new")]
    fallen = [one for one in differences if one[-1] == "less"]
    if differences:
        print("\n".join(show(differences)))
    if failed or fallen:
        command = " ".join([sys.executable, "-B", os.path.abspath(__file__), "--update", *arguments])
        if given.part:
            command = "count_sass.py --update, with all models, as cuda.instructions of the full suite says it"
        print(f"\nIf this is what was meant, renew the table:\n    {command}")
    print(f"\n{len(rows)} kernels: {len(failed)} counts have risen or have no counterpart, {len(fallen)} have fallen")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
