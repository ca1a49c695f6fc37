#!/usr/bin/env python3
"""Makes a wheel of the Python package with the shared library inside, for machines like this one.

    wheel.py LIBRARY FOLDER

Needs nothing but Python. The wheel is for every Python from 3.9 on, on this kind of processor; it loads the system's
netCDF, fmt and OpenMP, and its chain code is for the instruction set that the library was compiled for.
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


def version():
    return re.search(r"project\(manychain VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def metadata():
    text = ("Metadata-Version: 2.1\nName: manychain\n" + f"Version: {version()}\n" +
            "Summary: Thousands of Markov chains at once, on SIMD lanes of a CPU\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Provides-Extra: arviz\nRequires-Dist: arviz; extra == \"arviz\"\nRequires-Dist: h5netcdf; extra == \"arviz\"\n"
            "Requires-Dist: h5py; extra == \"arviz\"\nDescription-Content-Type: text/markdown\n\n")
    return text + (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def stripped(library, folder):
    """Without its table of symbols: a fifth less."""
    copy = folder / "libmanychain.so"
    try:
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, library], check=True)
        return copy.read_bytes()
    except (OSError, subprocess.CalledProcessError):
        return pathlib.Path(library).read_bytes()
    finally:
        copy.unlink(missing_ok=True)


def main(library, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"manychain-{version()}.dist-info"
    files = {f"manychain/{path.name}": path.read_bytes()
             for path in sorted((ROOT / "python" / "manychain").iterdir()) if path.suffix in (".py", ".typed")}
    files["manychain/libmanychain.so"] = stripped(library, folder)
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: manychain\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = folder / f"manychain-{version()}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, content)
    print(wheel, f"({wheel.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main(*sys.argv[1:])
