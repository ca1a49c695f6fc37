#!/usr/bin/env python3
"""Each name of the standard library in a public header has its header, in the file or in what the file includes.

    check_standard_headers.py ROOT

Compilers do not see to it: a header of the standard library may include others, and the test headers.compile_alone
precompiles some. A name that no row of HEADERS has is a fault as well.
"""

import re
import sys

from check_includes import Rule, Tree

HEADERS = {  # header: names in namespace std that it is sure to have
    "algorithm": "copy copy_n equal fill find max min none_of",
    "array": "array",
    "atomic": "atomic",
    "bit": "bit_width",
    "cmath": "atan ceil exp expm1 fabs floor fma isfinite log log1p pow sqrt tanh",
    "concepts": "convertible_to derived_from integral same_as",
    "cstddef": "byte nullptr_t ptrdiff_t size_t",
    "cstdint": "int32_t int64_t uint16_t uint32_t uint64_t",
    "deque": "deque",
    "exception": "exception",
    "functional": "function less",
    "limits": "numeric_limits",
    "map": "map",
    "memory": "allocator make_shared make_unique shared_ptr unique_ptr",
    "new": "bad_alloc bad_array_new_length",
    "optional": "nullopt optional",
    "random": "gamma_distribution mt19937_64 normal_distribution",
    "span": "span",
    "stdexcept": "runtime_error",
    "string": "string to_string",
    "string_view": "string_view",
    "type_traits": "conditional_t is_arithmetic_v is_const_v is_constructible_v is_default_constructible_v is_final_v"
                   " is_floating_point_v is_integral_v is_invocable_v is_member_object_pointer_v"
                   " is_move_constructible_v is_null_pointer_v is_object_v is_pointer_v is_same_v is_trivially_copyable_v"
                   " is_void_v remove_const_t remove_cvref_t remove_pointer_t type_identity",
    "utility": "as_const declval integer_sequence make_integer_sequence move pair",
    "vector": "erase_if vector",
}
MACROS = {  # header: macros, and names of C that need no std
    "cassert": "assert",
    "climits": "INT_MAX INT_MIN",
    "cmath": "HUGE_VAL HUGE_VALF INFINITY M_PI NAN",
    "cstddef": "offsetof",
    "cstdint": "SIZE_MAX UINT32_MAX UINT64_MAX",
}
MACRO = re.compile(r"(?<![\w:.])(" + "|".join(" ".join(MACROS.values()).split()) + r")\b")
HEADER_OF_MACRO = {name: header for header, names in MACROS.items() for name in names.split()}
HEADER_OF = {name: header for header, names in HEADERS.items() for name in names.split()}
COMMENT_OR_LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


def code_of(text):
    """The text without comments and literals, on the same lines."""
    return COMMENT_OR_LITERAL.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def included(tree, path):
    """The names of all headers that are not of the project, in the file and in what it includes."""
    names, seen, todo = set(), {path}, [path]
    while todo:
        for _, name, file in tree.includes[todo.pop()]:
            if file is None:
                names.add(name)
            elif file in tree.includes and file not in seen:
                seen.add(file)
                todo.append(file)
    return names


def faults_of(tree, path, text):
    faults, there, code = [], included(tree, path), code_of(text)
    of_macros = {name.strip() for names in re.findall(r"#define \w+\(([^)]*)\)", code) for name in names.split(",")}
    for number, line in enumerate(code.splitlines(), 1):
        for name in re.findall(r"\bstd::(\w+)", line):
            header = HEADER_OF.get(name)
            if name in of_macros:
                continue
            if header is None:
                faults.append(f"{path}:{number}: std::{name} is in no row of HEADERS")
            elif header not in there:
                faults.append(f"{path}:{number}: std::{name} without <{header}>")
        for name in MACRO.findall(line):
            if there.isdisjoint({HEADER_OF_MACRO[name], HEADER_OF_MACRO[name][1:] + ".h"}):
                faults.append(f"{path}:{number}: {name} without <{HEADER_OF_MACRO[name]}>")
    return faults


def faults_of_tree(root):
    tree, faults = Tree(root, Rule(root)), []
    for path in filter(tree.public, sorted(tree.includes)):
        with open(f"{root}/{path}", encoding="utf-8") as file:
            faults += faults_of(tree, path, file.read())
    return faults


def main():
    faults = faults_of_tree(sys.argv[1])
    print("\n".join(faults) or "Right: each name of the standard library has its header.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
