"""Headers of models in a wheel, which the C++ compiler of its user compiles."""

import functools
import hashlib
import importlib.util
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
# Options of LLVM. Without them moves of short arrays in loops become calls of memmove(), and these arrays stay in memory: a
# recurrence took 4 times as long. With less inlining other arrays do: a hidden Markov model took 1.5 times as long.
_FOR_SPEED = ("-disable-loop-idiom-memcpy", "-inline-threshold=2000")
# The library of C++ that the wheel was compiled with runs with the glibc of this version, and later ones.
_TARGET = "x86_64-linux-gnu.2.34"
# Libraries of this process with which clang of ziglang links, by the beginnings of their names. They have what a model needs.
_LIBRARIES = ("libstdc++.so", "libgcc_s.so", "libm.so", "libc.so", "ld-linux")


class _Compiler(NamedTuple):
    words: Tuple[str, ...]  #: a program and what stands before all options
    macros: Tuple[str, ...]  #: lines "#define NAME VALUE" of a unit that includes the standard library

    def defines(self, name: str) -> bool:
        return any(line.split()[1] == name for line in self.macros)

    @property
    def is_zig(self) -> bool:
        return len(self.words) > 1


@functools.lru_cache(maxsize=None)
def _asked(*words: str) -> _Compiler:
    """A compiler, whose library must be the one of C++ that the library of the wheel has: std::string crosses between them."""
    ask = [*words, "-std=c++20", "-x", "c++", "-E", "-dM", "-include", "version", os.devnull]
    name = f"the compiler {words[0]}" if len(words) == 1 else "clang of the package ziglang"
    try:
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run(ask, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, cwd=folder).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        why = (getattr(error, "stdout", None) or str(error)).strip() or "it failed"
        raise BadInput(f"{name} does not compile C++20: {why.splitlines()[-1]}") from None
    compiler = _Compiler(words, tuple(line for line in said.splitlines() if line.startswith("#define ")))
    if not compiler.defines("__GLIBCXX__"):
        raise BadInput(f"{name} takes another library of C++ than libstdc++, which manychain has: take g++, or a clang++ with "
                       "libstdc++, or pip install manychain[compiler]")
    return compiler


def _zig(models: pathlib.Path) -> Optional[Tuple[str, ...]]:
    """Clang of the package ziglang with the headers of libstdc++ in the wheel; None where one of them is not there."""
    package = importlib.util.find_spec("ziglang")
    library_of_cpp = models / "libstdc++"
    if package is None or not package.origin or not library_of_cpp.is_dir():
        return None
    # Its cache lies in the folder where a unit is compiled, and goes with it.
    words = ["/usr/bin/env", "ZIG_GLOBAL_CACHE_DIR=zig", "ZIG_LOCAL_CACHE_DIR=zig",
             str(pathlib.Path(package.origin).parent / "zig"), "c++", "-target", _TARGET, "-nostdinc++"]
    # By -isystem they would stand behind the headers of C, which they include as the next ones.
    return (*words, *(f"-I{folder}" for folder in sorted(library_of_cpp.iterdir()) if folder.is_dir()))


def _compiler(models: pathlib.Path) -> _Compiler:
    """The one that CXX names; else the first of the PATH that will do; else that of the package ziglang."""
    named = os.environ.get("CXX")
    if named:
        path = shutil.which(named)
        if path is None:
            raise BadInput(f"the compiler {named}, which the environment variable CXX names, is not there")
        return _asked(os.path.abspath(path))
    refused = []
    for words in [*((os.path.abspath(path),) for path in map(shutil.which, _COMPILERS) if path), _zig(models)]:
        try:
            if words is not None:
                return _asked(*words)
        except BadInput as error:
            refused.append(error)
    if refused:
        raise refused[0]
    raise BadInput("a header needs a C++ compiler, and there is none on the PATH: pip install manychain[compiler] brings one; or "
                   "install g++ 12 or clang++ 14 or later, or name one by the environment variable CXX")


def _in_this_process() -> List[str]:
    """The paths of _LIBRARIES."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
    return [path for name in _LIBRARIES for path in sorted(paths) if os.path.basename(path).startswith(name)]


def _option(word: str, clang: bool, zig: bool = False) -> Optional[str]:
    """An option of the library's compiler as this one takes it; None: not at all."""
    if zig and word.startswith("-mtune="):  # it takes none but those of processors that it knows by other names
        return None
    if clang:
        for beginning, instead in _FOR_CLANG.items():
            if word.startswith(beginning):
                return instead
    return word


def _lines(folder: pathlib.Path, compiler: _Compiler) -> Dict[str, List[str]]:
    """The files of a folder share/manychain, which src/own_model/toolchain.cpp reads."""
    clang = compiler.defines("__clang__")
    toolchain = [f"compiler {word}" for word in compiler.words]
    for line in (folder / "toolchain.txt").read_text(encoding="utf-8").splitlines():
        name, _, word = line.partition(" ")
        kept = _option(word, clang, compiler.is_zig) if name in ("option", "chain", "check") else word
        if kept is not None and name != "system":
            toolchain.append(f"{name} {kept}")
    models = folder.parent
    toolchain += [f"include {models / 'include'}", f"system {models / 'xsimd'}", f"templates {models / 'templates'}",
                  f"entry {folder / 'libmanychain_own_entry.a'}", f"entry {folder / 'libmanychain_of_models.a'}"]
    awk = shutil.which("awk")
    if awk:
        toolchain.append(f"awk {awk}")
    link = ["link -Wl,--gc-sections", "link -lm", "link -lpthread"]
    if compiler.is_zig:
        # Its linker alone: the compiler would link with libraries of its own, which it first makes for a minute.
        toolchain += [f"linker {word}" for word in (*compiler.words[:compiler.words.index("c++")], "ld.lld")]
        toolchain += ["option -g0", "option -DMANYCHAIN_PROCESSOR_HAS_ISA"]
        toolchain += [f"chain {word}" for option in _FOR_SPEED for word in ("-mllvm", option)]
        link = ["link --gc-sections", "link --eh-frame-hdr", *(f"link {path}" for path in _in_this_process())]
    return {"toolchain.txt": toolchain, "link.txt": link,
            "headers.txt": (folder / "headers.txt").read_text(encoding="utf-8").splitlines()}


def share_of_wheel(cache: str) -> Optional[str]:
    """The folder by which headers are compiled, in the folder `cache`; None where the package brings nothing for that."""
    of = pathlib.Path(library.path).resolve()
    folder = of.parent / "models" / of.stem
    if not (folder / "toolchain.txt").exists():
        return None
    compiler = _compiler(folder.parent)
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


def cache_of_models(given: "str | os.PathLike[str] | None") -> str:
    """The folder of what is compiled, as the command line has it."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = given or os.environ.get("MANYCHAIN_CACHE") or os.path.join(caches, "manychain")
    return os.path.abspath(os.path.expanduser(folder))


def share_of_models(cache: "str | os.PathLike[str] | None") -> Optional[str]:
    """The folder share/manychain by which headers are compiled, where that is not beside the library."""
    return os.environ.get("MANYCHAIN_SHARE") or share_of_wheel(cache_of_models(cache))
