#!/usr/bin/env python3
"""Every header of examples/posteriors is in the bench, with data and a reference that fit it. Nothing is compiled.

    posterior_examples.py ROOT

  - bench/posteriors/list.cpp includes and binds it, cmake/programs.cmake compiles it, bench/posteriors/table.py names it for the
    same posteriors;
  - the data of each posterior have every variable that the header's data() names, and the reference has mean, sd and standard error of
    quantities that its log_density() declares;
  - no data and no reference are left over.
"""

import ast
import json
import pathlib
import re
import sys

DECLARED = r'target\.(?!observe|predict)\w+\(\s*"(\w+)'


class Header:
    """Its class, what data() names, and what log_density() declares. Literals are compared, no C++ is understood."""

    def __init__(self, path):
        self.path, text = path, re.sub(r"//.*", "", path.read_text())
        self.model = re.search(r"^struct (\w+)", text, re.MULTILINE).group(1)
        begin, end = text.index("void data("), text.index("void log_density(")
        self.variables = set(re.findall(r'"(\w+)"', re.sub(r"#include.*", "", text[begin:end])))
        self.quantities = set(re.findall(DECLARED, text[end:]))


def listed(text):
    """(posterior, data, reference, class) for each entry of list.cpp."""
    strings = dict(re.findall(r'(\w+) = "([^"]+)"', text))
    for call, brace in re.findall(r"^      (?:posterior\(([^)]*)\)|\{([^}]*)\}),$", text, re.MULTILINE):
        words = [word.strip() for word in (call or brace).split(",")]
        names = [word.strip('"') if word.startswith('"') else strings[word] for word in words[:-1]]
        data = names[1] if len(names) > 1 else names[0]
        yield names[0], data, names[2] if len(names) > 2 else names[0], re.fullmatch(r"bound<(\w+)>", words[-1]).group(1)


def main():
    root = pathlib.Path(sys.argv[1])
    folder, bench = root / "examples" / "posteriors", root / "bench" / "posteriors"
    faults = []
    headers = {h.model: h for h in map(Header, [*folder.glob("*.hpp"), *bench.glob("models/*.hpp")])}
    text = (bench / "list.cpp").read_text()
    posteriors = list(listed(text))
    compiled = dict(re.findall(r"^  posterior_model\((\w+) (\w+)", (root / "cmake" / "programs.cmake").read_text(), re.MULTILINE))
    table = next(ast.literal_eval(node.value) for node in ast.parse((bench / "table.py").read_text()).body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "HEADERS")
    used = set()

    for model, header in headers.items():
        name = header.path.stem
        if model not in {of[3] for of in posteriors}:
            faults.append(f"{name}.hpp: list.cpp binds no {model}")
        if header.path.parent == folder:
            if f'#include "posteriors/{name}.hpp"' not in text:
                faults.append(f"{name}.hpp: list.cpp does not include it")
            if compiled.get(name) != model:
                faults.append(f"{name}.hpp: programs.cmake compiles no {model} of it")
    for posterior, data, reference, model in posteriors:
        if model not in headers:
            faults.append(f"{posterior}: no header has the class {model}")
            continue
        header = headers[model]
        if header.path.parent == folder and table.get(posterior) != header.path.stem:
            faults.append(f"{posterior}: table.py names {table.get(posterior)}, list.cpp binds {header.path.stem}")
        files = folder / "data" / f"{data}.json", folder / "data" / f"{reference}.reference.json"
        for file in files:
            if not file.exists():
                faults.append(f"{posterior}: there is no {file.name}")
            used.add(file)
        if not all(file.exists() for file in files):
            continue
        for variable in sorted(header.variables - set(json.loads(files[0].read_text()))):
            faults.append(f"{files[0].name}: {header.path.name} asks for {variable}")
        of = json.loads(files[1].read_text())
        unknown = {re.sub(r"\[.*", "", quantity) for quantity in of} - header.quantities
        for quantity in sorted(unknown):
            faults.append(f"{files[1].name}: {header.path.name} declares no {quantity}")
        if any(not {"mean", "sd", "mcse_mean"} <= set(row) for row in of.values()):
            faults.append(f"{files[1].name}: a quantity lacks mean, sd or mcse_mean")
    for posterior in sorted(set(table) - {of[0] for of in posteriors}):
        faults.append(f"{posterior}: in table.py alone")
    for file in sorted(set((folder / "data").glob("*.json")) - used):
        faults.append(f"{file.name}: no posterior of list.cpp has it")

    print("\n".join(faults) or f"Right: {len(posteriors)} posteriors of {len(headers)} headers.")
    sys.exit(bool(faults))


main()
