"""Headers of models in a wheel, which the C++ compiler of its user compiles."""

import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Dict, List, NamedTuple, Optional, Tuple

from ._errors import BadInput
from ._library import library

_COMPILERS = ("c++", "g++", "clang++")
# Options of g++ that clang++ refuses, by their beginnings, and what stands for them.
_FOR_CLANG = {"--param=": None, "-mtune-ctrl=": None, "-Wno-maybe-uninitialized": None, "-Wno-uninitialized": None,
              "-fopenmp": "-fopenmp-simd", "-Werror=comma-subscript": "-Werror=deprecated-comma-subscript"}


class _Compiler(NamedTuple):
    path: str
    macros: Tuple[str, ...]  #: lines "#define NAME VALUE" of a unit that includes the standard library

    def defines(self, name: str) -> bool:
        return any(line.split()[1] == name for line in self.macros)


@functools.lru_cache(maxsize=None)
def _asked(path: str) -> _Compiler:
    """A compiler, whose library must be the one of C++ that the library of the wheel has: std::string crosses between them."""
    ask = [path, "-std=c++20", "-x", "c++", "-E", "-dM", "-include", "version", os.devnull]
    try:
        said = subprocess.run(ask, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stdout", None) or str(error)
        raise BadInput(f"the compiler {path} does not compile C++20: {why.strip().splitlines()[-1]}") from None
    compiler = _Compiler(path, tuple(line for line in said.splitlines() if line.startswith("#define ")))
    if not compiler.defines("__GLIBCXX__"):
        raise BadInput(f"the compiler {path} takes another library of C++ than libstdc++, which manychain has: take g++, or a "
                       "clang++ with libstdc++")
    return compiler


def _compiler() -> _Compiler:
    named = os.environ.get("CXX")
    found = next((path for path in map(shutil.which, [named] if named else _COMPILERS) if path), None)
    if found is None:
        raise BadInput(f"the compiler {named}, which the environment variable CXX names, is not there" if named else
                       "a header needs a C++ compiler, g++ 12 or clang++ 14 or later, and there is none on the PATH: install "
                       "one (the package g++ of Linux), or name one by the environment variable CXX")
    return _asked(os.path.abspath(found))


def _option(word: str, clang: bool) -> Optional[str]:
    """An option of the library's compiler as this one takes it; None: not at all."""
    if clang:
        for beginning, instead in _FOR_CLANG.items():
            if word.startswith(beginning):
                return instead
    return word


def _lines(folder: pathlib.Path, compiler: _Compiler) -> Dict[str, List[str]]:
    """The files of a folder share/manychain, which src/own_model/toolchain.cpp reads."""
    clang = compiler.defines("__clang__")
    toolchain = [f"compiler {compiler.path}"]
    for line in (folder / "toolchain.txt").read_text(encoding="utf-8").splitlines():
        name, _, word = line.partition(" ")
        kept = _option(word, clang) if name in ("option", "chain", "check") else word
        if kept is not None and name != "system":
            toolchain.append(f"{name} {kept}")
    models = folder.parent
    toolchain += [f"include {models / 'include'}", f"system {models / 'xsimd'}", f"templates {models / 'templates'}",
                  f"entry {folder / 'libmanychain_own_entry.a'}", f"entry {folder / 'libmanychain_of_models.a'}"]
    awk = shutil.which("awk")
    if awk:
        toolchain.append(f"awk {awk}")
    return {"toolchain.txt": toolchain, "link.txt": ["link -Wl,--gc-sections", "link -lm", "link -lpthread"],
            "headers.txt": (folder / "headers.txt").read_text(encoding="utf-8").splitlines()}


def share_of_wheel(cache: str) -> Optional[str]:
    """The folder by which headers are compiled, in the folder `cache`; None where the package brings nothing for that."""
    of = pathlib.Path(library.path).resolve()
    folder = of.parent / "models" / of.stem
    if not (folder / "toolchain.txt").exists():
        return None
    compiler = _compiler()
    files = {name: "\n".join(lines) + "\n" for name, lines in _lines(folder, compiler).items()}
    digest = hashlib.sha256("\n".join([*compiler.macros, *files.values()]).encode()).hexdigest()[:32]
    share = pathlib.Path(cache).absolute() / "toolchains" / digest / "share" / "manychain"
    if not share.exists():
        share.parent.mkdir(parents=True, exist_ok=True)
        partial = pathlib.Path(tempfile.mkdtemp(dir=share.parent))
        for name, content in files.items():
            (partial / name).write_text(content, encoding="utf-8")
        try:
            os.rename(partial, share)
        except OSError:  # another process has made it
            shutil.rmtree(partial)
            if not share.exists():
                raise
    return str(share)
