#!/usr/bin/env python3
"""Holds every #include of include/, src/ and kernels/ to the rule that docs/architecture.md states.

    check_includes.py ROOT

The rule is read from the document, section "The folders":
  - a row "| `folder` | what lies there | may include |" for each folder: `random` stands for include/manychain/random
    and src/random together, `kernels` for kernels, `c` for headers of C, `top` for what else lies directly in include/manychain and in src. A
    folder may include itself and those that its row names; a row names earlier rows only, so that there is no cycle;
  - a paragraph "Public files include from outside ...: `header`, ...", all that they may include beside the standard
    library. Public are include/ and kernels/*.cuh, which are installed;
  - a line "- `header` brings `folder`, ...": what a header brings, by way of others too;
  - a line "- `file` includes `header`" for an include that breaks the rule and is still there.
Beside it, rooms of a public folder (include/manychain/<folder>/<room>) include each other in one direction, and headers of Eigen
come after core/eigen.hpp, which renames its namespace: a unity build hides one that does not.
Each fault is a line: file, line number, and what it breaks.
"""

import os
import re
import sys

DOCUMENT = "docs/architecture.md"
SECTION = "## The folders"
INCLUDE = re.compile(r'\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')
EIGEN = "src/core/eigen.hpp"
SOURCES = (".h", ".hpp", ".cpp", ".cuh", ".cu")


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def in_words(names):
    return ", ".join(f"`{name}`" for name in names) or "nothing"


class Rule:
    """What the document says, and what is wrong with that alone."""

    def __init__(self, root):
        self.faults = []
        self.allowed = {}  # folder -> the folders that it may include
        self.outside = []  # third-party headers that public files may include
        self.brings = []  # (line, header, folders)
        self.exceptions = {}  # (file, header) -> line
        inside = False
        with open(os.path.join(root, DOCUMENT), encoding="utf-8") as document:
            lines = document.read().splitlines()
        for number, line in enumerate(lines, 1):
            if line.startswith("## "):
                inside = line == SECTION
            if inside:
                self.read(number, line, lines[number:])
        if not self.allowed:
            self.fault(1, f"there is no table of folders in the section '{SECTION}'")

    def fault(self, number, sentence):
        self.faults.append(f"{DOCUMENT}:{number}: {sentence}")

    def read(self, number, line, following):
        row = re.match(r"\| `(\w+)` \|.*\|([^|]*)\|$", line)
        if row:
            folder, names = row[1], quoted(row[2])
            for name in names:
                if name not in self.allowed:
                    self.fault(number, f"the row of `{folder}` names `{name}`, which is no earlier row: a folder "
                                       "includes only what stands above it")
            self.allowed[folder] = names
        elif line.startswith("Public files include from outside"):
            paragraph = line
            for more in following:
                if not more:
                    break
                paragraph += " " + more
            self.outside = quoted(paragraph)
        elif re.match(r"- `[^`]+` brings ", line):
            header, *folders = quoted(line)
            self.brings.append((number, header, folders))
        elif re.match(r"- `[^`]+` includes `[^`]+`", line):
            self.exceptions[tuple(quoted(line)[:2])] = number


class Tree:
    def __init__(self, root, rule):
        self.root, self.rule, self.faults = root, rule, []
        self.includes = {}  # file -> [(line, name, file or None)]
        self.broken = set()  # exceptions that occur
        for top in ("include", "src", "kernels"):
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    if name.endswith(SOURCES):
                        self.read(os.path.relpath(os.path.join(folder, name), root))

    def read(self, path):
        self.includes[path] = []
        with open(os.path.join(self.root, path), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                found = INCLUDE.match(line)
                if found:
                    name = found[1] or found[2]
                    file = self.resolve(path, name)
                    self.includes[path].append((number, name, file))
                    if found[2] and file is None:
                        self.fault(path, number, f'there is no file "{name}"')

    def fault(self, path, number, sentence):
        self.faults.append(f"{path}:{number}: {sentence}")

    def resolve(self, path, name):
        places = [os.path.dirname(path), "include", "src"]
        candidates = [os.path.normpath(os.path.join(place, name)) for place in places]
        if name.startswith("manychain/kernels/"):
            candidates = [name[len("manychain/"):]]
        return next((c for c in candidates if os.path.isfile(os.path.join(self.root, c))), None)

    @staticmethod
    def folder(path):
        parts = path.split("/")
        if parts[0] == "kernels":
            return "kernels"
        if path.endswith(".h"):
            return "c"
        inner = parts[2:] if parts[0] == "include" else parts[1:]
        return inner[0] if len(inner) > 1 else "top"

    @staticmethod
    def public(path):
        return path.startswith("include/") or (path.startswith("kernels/") and path.endswith(".cuh"))

    def check(self):
        self.check_rows()
        for path in sorted(self.includes):
            for number, name, file in self.includes[path]:
                if file is not None:
                    self.check_ours(path, number, name, file)
                elif self.public(path) and re.search(r"[./]", name) and name not in self.rule.outside:
                    self.fault(path, number, f"a public file includes <{name}>, which is not among the headers from "
                                             f"outside that {DOCUMENT} allows there: {in_words(self.rule.outside)}")
        for (path, name), number in self.rule.exceptions.items():
            if (path, name) not in self.broken:
                self.rule.fault(number, f"`{path}` no longer includes `{name}` against the rule: delete this line")
        self.check_cycles()
        self.check_rooms()
        self.check_eigen()
        for number, header, folders in self.rule.brings:
            self.check_closure(number, header, folders)
        return self.rule.faults + self.faults

    def check_rows(self):
        there = {}
        for path in sorted(self.includes):
            there.setdefault(self.folder(path), path)
        for folder, path in there.items():
            if folder not in self.rule.allowed:
                self.rule.fault(1, f"the table of folders has no row for `{folder}`, where {path} lies")
        for folder in self.rule.allowed:
            if folder not in there:
                self.rule.fault(1, f"the table of folders has a row for `{folder}`, and there is no such folder")

    def check_ours(self, path, number, name, file):
        if (path, name) in self.rule.exceptions:
            allowed = self.rule.allowed.get(self.folder(path), [])
            if self.folder(file) != self.folder(path) and self.folder(file) not in allowed:
                self.broken.add((path, name))
                return
        if self.public(path) and not self.public(file):
            self.fault(path, number, f'a public file includes "{name}", which is not public and is not installed')
        if path.startswith("include/") and file.startswith("kernels/"):
            self.fault(path, number, f'include/ includes nothing of kernels/, and this is "{name}"')
            return
        mine, other = self.folder(path), self.folder(file)
        allowed = self.rule.allowed.get(mine)
        if allowed is not None and other != mine and other not in allowed:
            self.fault(path, number, f'`{mine}` may not include `{other}`, and this is "{name}": {DOCUMENT} allows '
                                     f"`{mine}` {in_words(allowed)}")

    def check_cycles(self):
        done, open_files = set(), []

        def visit(path):
            if path in done:
                return
            open_files.append(path)
            for number, _, file in self.includes[path]:
                if file in open_files:
                    around = open_files[open_files.index(file):] + [file]
                    self.fault(path, number, "files include each other: " + " -> ".join(around))
                elif file in self.includes:
                    visit(file)
            open_files.pop()
            done.add(path)

        for path in sorted(self.includes):
            visit(path)

    def check_rooms(self):
        """The rooms of a public folder, include/manychain/<folder>/<room>, include each other in one direction."""
        first = {}  # (room, room) -> (path, line) of an include
        for path in sorted(self.includes):
            for number, _, file in self.includes[path]:
                rooms = [os.path.dirname(p) for p in (path, file or "")]
                if rooms[0] != rooms[1] and all(room.startswith("include/") and room.count("/") == 3 for room in rooms):
                    first.setdefault(tuple(rooms), (path, number))
        beyond = {}
        for room, other in first:
            beyond.setdefault(room, set()).add(other)
        changed = True
        while changed:  # the transitive closure of a few rooms
            changed = False
            for others in beyond.values():
                more = set().union(*(beyond.get(other, set()) for other in others)) - others
                changed = changed or bool(more)
                others |= more
        for (room, other), (path, number) in sorted(first.items()):
            if room in beyond.get(other, set()):
                self.fault(path, number, f"{room} includes {other}, which includes {room} again")

    def check_eigen(self):
        """Each header of Eigen follows core/eigen.hpp, or a header that has included it."""
        for path in sorted(self.includes) if EIGEN in self.includes else ():
            renamed = path == EIGEN
            for number, name, file in self.includes[path]:
                renamed = renamed or (file is not None and EIGEN in self.reached(file))
                if name.startswith("Eigen/") and not renamed:
                    self.fault(path, number, f"<{name}> comes before core/eigen.hpp, which renames the namespace of Eigen")

    def reached(self, start):
        """A file, and all that it includes, by way of others too."""
        found, todo = {start}, [start]
        while todo:
            for _, _, file in self.includes.get(todo.pop(), []):
                if file is not None and file not in found:
                    found.add(file)
                    todo.append(file)
        return found

    def check_closure(self, number, header, folders):
        start = self.resolve("", header)
        if start is None:
            self.rule.fault(number, f"there is no header `{header}`")
            return
        came_from, todo = {start: None}, [start]
        while todo:
            path = todo.pop()
            for _, name, file in self.includes[path]:
                if file in self.includes and file not in came_from and (path, name) not in self.rule.exceptions:
                    came_from[file] = path
                    todo.append(file)
        for file in sorted(came_from):
            if file != start and self.folder(file) not in folders:
                way = [file]
                while came_from[way[-1]] is not None:
                    way.append(came_from[way[-1]])
                self.rule.fault(number, f"`{header}` brings `{self.folder(file)}`, which this line does not name: "
                                        + " -> ".join(reversed(way)))


def check(root):
    tree = Tree(root, Rule(root))
    return tree.check(), tree


def main():
    faults, tree = check(sys.argv[1])
    if faults:
        print("\n".join(faults))
        return 1
    lines = sum(len(found) for found in tree.includes.values())
    print(f"Right: {lines} includes of {len(tree.includes)} files; {len(tree.rule.exceptions)} exceptions.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
