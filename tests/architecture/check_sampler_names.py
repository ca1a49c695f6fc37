"""Holds the names of samplers to one place.

check_sampler_names.py ROOT: `info` in a sampler's class (include/manychain/samplers) gives its name. Nothing else may
compare with it: what is asked of a sampler is a member of SamplerInfo. And the table of samplers in docs/gallery.md has
every one. Prints what is wrong and exits with 1.
"""
import os
import re
import sys


def main(root):
    names, faults = set(), []
    folder = os.path.join(root, "include/manychain/samplers")
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding="utf-8") as text:
            names.update(re.findall(r'\.name = "([^"]+)"', text.read()))
    if len(names) < 10:
        faults.append(f"{folder}: found {len(names)} names of samplers, expected those of all samplers")
    quoted = "|".join(re.escape(name) for name in sorted(names))
    compared = re.compile(rf'(==|!=)\s*(std::string\()?"({quoted})"|"({quoted})"\s*(==|!=)')
    for top in ("include", "src", "kernels", "bench"):
        for place, _, files in os.walk(os.path.join(root, top)):
            for file in files:
                if not file.endswith((".hpp", ".cpp", ".cuh", ".cu", ".h")):
                    continue
                path = os.path.join(place, file)
                with open(path, encoding="utf-8") as text:
                    for number, line in enumerate(text, 1):
                        if compared.search(line):
                            faults.append(f"{os.path.relpath(path, root)}:{number}: compares the name of a sampler: "
                                          "ask SamplerInfo, and give it a member where none serves")
    with open(os.path.join(root, "docs/gallery.md"), encoding="utf-8") as text:
        table = "".join(line for line in text if line.startswith("|"))
    faults += [f"docs/gallery.md: no table has the sampler `{name}`" for name in sorted(names)
               if f"`{name}`" not in table]
    for fault in faults:
        print(fault)
    if not faults:
        print(f"Right: {len(names)} samplers.")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
