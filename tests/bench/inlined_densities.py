#!/usr/bin/env python3
"""No density of the language is a function of its own in chain code: it would compute what nobody asks for, such as the
value beside a gradient (MANYCHAIN_LAMBDA in include/manychain/core/macros.hpp).

    inlined_densities.py NM PROGRAM functions.md
"""

import re
import subprocess
import sys


def densities(table):
    """Names in the table of distributions."""
    section = table.split("## Distributions", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `(\w+)\(", section, re.MULTILINE))


def main():
    nm, program, functions = sys.argv[1:]
    with open(functions, encoding="utf-8") as file:
        names = densities(file.read())
    if len(names) < 20:
        sys.exit(f"{functions}: only {len(names)} distributions were found in it")
    symbols = subprocess.run([nm, "--demangle", program], check=True, capture_output=True, text=True).stdout.splitlines()
    if not any("Pack<" in symbol for symbol in symbols):
        sys.exit(f"{program}: no symbols of chain code")
    found = []
    for symbol in symbols:
        of = re.search(r"[tTwW] (?:auto )?manychain::\w+::(\w+)<.*\{lambda", symbol)
        if of and of.group(1) in names:
            found.append(symbol[:200])
    print("\n".join(found) or f"{len(names)} densities, none of them a function of its own")
    sys.exit(bool(found))


main()
