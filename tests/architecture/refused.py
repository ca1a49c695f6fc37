#!/usr/bin/env python3
"""check_includes.py and check_standard_headers.py let a right tree pass, and find each fault that is put into it, with file,
line and sentence."""

import os
import sys
import tempfile
import unittest

import check_standard_headers
from check_includes import check

DOCUMENT = """# Architecture

## The folders

| folder | what lies there | may include |
|---|---|---|
| `core` | numbers | nothing |
| `model` | models | `core` |
| `run` | runs | `core`, `model` |
| `kernels` | device code | `core`, `run` |
| `top` | all of it | `run` |

Public files include from outside the standard library and
`cuda_runtime.h`, `stddef.h`.

- `manychain/all.hpp` brings `run`, `model`.

Not so yet:

- `src/core/old.cpp` includes `manychain/run/run.hpp`

## Something else

| `elsewhere` | is no row | `nowhere` |
"""

RIGHT = {
    "docs/architecture.md": DOCUMENT,
    "include/manychain/all.hpp": '#include "manychain/run/run.hpp"\n',
    "include/manychain/core/real.hpp": "#include <stddef.h>\n#include <vector>\n",
    "include/manychain/model/model.hpp": "",
    "include/manychain/run/run.hpp": '#include "manychain/model/model.hpp"\n',
    "src/core/old.cpp": '#include "manychain/run/run.hpp"\n',
    "src/run/run.cpp": '#include "manychain/run/run.hpp"\n\n#include <Eigen/Dense>\n\n#include "run/own.hpp"\n',
    "src/run/own.hpp": '#include "manychain/core/real.hpp"\n',
    "kernels/kernel.cuh": '#include <cuda_runtime.h>\n#include "manychain/core/real.hpp"\n',
    "kernels/engine.cu": '#include "manychain/kernels/kernel.cuh"\n#include "run/own.hpp"\n',
}


def faults_of(changes, check=lambda root: check(root)[0]):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**RIGHT, **changes}.items():
            if text is None:
                continue
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return check(root)


class CheckIncludes(unittest.TestCase):
    def refused(self, changes, *sentences):
        self.assertEqual(faults_of(changes), list(sentences))

    def test_a_right_tree_passes(self):
        self.refused({})

    def test_a_folder_that_the_row_does_not_name(self):
        self.refused({"include/manychain/model/model.hpp": '// first\n#include "manychain/run/other.hpp"\n',
                      "include/manychain/run/other.hpp": ""},
                     'include/manychain/model/model.hpp:2: `model` may not include `run`, and this is '
                     '"manychain/run/other.hpp": docs/architecture.md allows `model` `core`')

    def test_a_source_counts_as_its_folder(self):
        self.refused({"src/model/a.cpp": '  #  include "run/own.hpp"\n'},
                     'src/model/a.cpp:1: `model` may not include `run`, and this is "run/own.hpp": '
                     "docs/architecture.md allows `model` `core`")

    def test_a_row_that_names_a_later_one(self):
        self.refused({"docs/architecture.md": DOCUMENT.replace("models | `core` |", "models | `core`, `run` |")},
                     "docs/architecture.md:8: the row of `model` names `run`, which is no earlier row: a folder "
                     "includes only what stands above it")

    def test_a_private_file_in_a_public_one(self):
        self.refused({"include/manychain/run/run.hpp": '#include "run/own.hpp"\n'},
                     "docs/architecture.md:16: `manychain/all.hpp` brings `core`, which this line does not name: "
                     "include/manychain/all.hpp -> include/manychain/run/run.hpp -> src/run/own.hpp -> "
                     "include/manychain/core/real.hpp",
                     'include/manychain/run/run.hpp:1: a public file includes "run/own.hpp", which is not public and is '
                     "not installed")
        self.refused({"kernels/kernel.cuh": '#include "own.hpp"\n', "kernels/own.hpp": ""},
                     'kernels/kernel.cuh:1: a public file includes "own.hpp", which is not public and is not '
                     "installed")

    def test_device_code_in_a_public_header(self):
        self.refused({"include/manychain/run/run.hpp": '#include "manychain/kernels/bare.cuh"\n',
                      "kernels/bare.cuh": ""},
                     "docs/architecture.md:16: `manychain/all.hpp` brings `kernels`, which this line does not name: "
                     "include/manychain/all.hpp -> include/manychain/run/run.hpp -> kernels/bare.cuh",
                     'include/manychain/run/run.hpp:1: include/ includes nothing of kernels/, and this is '
                     '"manychain/kernels/bare.cuh"')

    def test_third_party_headers_in_public_files(self):
        for name in ("Eigen/Dense", "thrust/sort.h", "cub/cub.cuh", "netcdf.h", "nlohmann/json.hpp"):
            self.refused({"include/manychain/core/real.hpp": f"#include <{name}>\n"},
                         f"include/manychain/core/real.hpp:1: a public file includes <{name}>, which is not among the "
                         "headers from outside that docs/architecture.md allows there: `cuda_runtime.h`, `stddef.h`")

    def test_files_that_include_each_other(self):
        self.refused({"include/manychain/core/a.hpp": '#include "manychain/core/b.hpp"\n',
                      "include/manychain/core/b.hpp": '#include "manychain/core/a.hpp"\n'},
                     "include/manychain/core/b.hpp:1: files include each other: include/manychain/core/a.hpp -> "
                     "include/manychain/core/b.hpp -> include/manychain/core/a.hpp")

    def test_a_file_that_is_not_there(self):
        self.refused({"src/core/a.cpp": '#include "core/gone.hpp"\n'},
                     'src/core/a.cpp:1: there is no file "core/gone.hpp"')

    def test_an_exception_that_is_gone(self):
        sentence = ("docs/architecture.md:20: `src/core/old.cpp` no longer includes `manychain/run/run.hpp` against "
                    "the rule: delete this line")
        self.refused({"src/core/old.cpp": ""}, sentence)
        self.refused({"src/core/old.cpp": None}, sentence)

    def test_a_folder_without_a_row_and_a_row_without_a_folder(self):
        self.refused({"src/text/table.cpp": "", "include/manychain/all.hpp": None,
                      "docs/architecture.md": DOCUMENT.replace("- `manychain/all.hpp` brings", "- It brings")},
                     "docs/architecture.md:1: the table of folders has no row for `text`, where src/text/table.cpp "
                     "lies",
                     "docs/architecture.md:1: the table of folders has a row for `top`, and there is no such folder")

    def test_eigen_without_its_namespace(self):
        ours = {"src/run/run.cpp": "", "src/core/eigen.hpp": "#define Eigen ours\n#include <Eigen/Core>\n",
                "src/core/algebra.hpp": '#include "core/eigen.hpp"\n#include <Eigen/LU>\n'}
        self.refused(ours)
        self.refused({**ours, "src/core/path.hpp": '#include <Eigen/Core>\n#include "core/algebra.hpp"\n'},
                    "src/core/path.hpp:1: <Eigen/Core> comes before core/eigen.hpp, which renames the namespace of Eigen")

    def test_rooms_that_include_each_other(self):
        a, b, c = (f"include/manychain/model/{room}/" for room in ("a", "b", "c"))
        files = {a + "x.hpp": '#include "manychain/model/b/x.hpp"\n', b + "x.hpp": '#include "manychain/model/c/x.hpp"\n',
                 c + "x.hpp": ""}
        self.refused(files)
        self.refused({**files, c + "y.hpp": '#include "manychain/model/a/y.hpp"\n', a + "y.hpp": ""},
                     f"{a}x.hpp:1: {a[:-1]} includes {b[:-1]}, which includes {a[:-1]} again",
                     f"{b}x.hpp:1: {b[:-1]} includes {c[:-1]}, which includes {b[:-1]} again",
                     f"{c}y.hpp:1: {c[:-1]} includes {a[:-1]}, which includes {c[:-1]} again")

    def test_a_document_without_a_table(self):
        self.assertIn("docs/architecture.md:1: there is no table of folders in the section '## The folders'",
                      faults_of({"docs/architecture.md": "# Architecture\n"}))


class CheckStandardHeaders(unittest.TestCase):
    def refused(self, text, *sentences):
        faults = faults_of({"include/manychain/run/run.hpp": text}, check_standard_headers.faults_of_tree)
        self.assertEqual(faults, [f"include/manychain/run/run.hpp:{sentence}" for sentence in sentences])

    def test_a_name_with_its_header(self):
        self.refused("#include <string>\nstd::string f();\n")

    def test_a_header_that_another_file_includes(self):
        self.refused('#include "manychain/core/real.hpp"\nstd::vector<int> f();\n')

    def test_a_name_without_its_header(self):
        self.refused("#include <vector>\n\nstd::vector<std::string> f();\n", "3: std::string without <string>")

    def test_comments_and_literals_are_no_code(self):
        self.refused('// std::string\n/* std::map\n */ const char* a = "std::deque"; std::deque<int> f();\n',
                     "3: std::deque without <deque>")

    def test_parameters_of_macros_are_no_names(self):
        self.refused("#define OF(name) std::name\n")

    def test_a_macro_without_its_header(self):
        self.refused("#include <cmath>\ndouble a = NAN;\nauto n = SIZE_MAX;\n", "3: SIZE_MAX without <cstdint>")

    def test_a_name_that_no_row_has(self):
        self.refused("std::barrier f();\n", "1: std::barrier is in no row of HEADERS")


if __name__ == "__main__":
    sys.exit(unittest.main())
