"""Stan programs, which the package stanli of this Python compiles."""

import ctypes
import importlib
import importlib.util
import json
import os
import pathlib
import platform
import subprocess
import sys
from typing import Any, Dict, Optional, Tuple

from ._errors import BadInput

_ARCH_PRCTL, _GET_PERMITTED, _AMX_TILES = 158, 0x1022, 1 << 18  # of Linux on x86-64
_IN_CHILD = """
import json, sys
import stanli
code, folder, name = json.load(sys.stdin)
try:
    answer = {"manifest": {"build_id": stanli.build_id(), "mir": stanli.stan_to_mir(code, [folder]), "name": name}}
except Exception as error:
    answer = {"error": str(error)}
print(json.dumps(answer))
"""


def amx_is_permitted() -> bool:
    """True if this process may use Intel's AMX, which a library asks for. Linux then takes no small stack for signals, and the
    compiler of stanli, which has one, ends the process: "Failed to allocate signal stack for domain 0"."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    permitted = ctypes.c_uint64()
    failed = ctypes.CDLL(None).syscall(_ARCH_PRCTL, _GET_PERMITTED, ctypes.byref(permitted))
    return not failed and bool(permitted.value & _AMX_TILES)


def _manifest(code: str, folder: str, name: str) -> Dict[str, Any]:
    stanli = importlib.import_module("stanli")
    return {"build_id": stanli.build_id(), "mir": stanli.stan_to_mir(code, [folder]), "name": name}


def _manifest_of_child(code: str, folder: str, name: str) -> Any:
    """Compiles in a process of its own, which has no such permission."""
    path = os.pathsep.join(part for part in sys.path if part)
    child = subprocess.run([sys.executable, "-c", _IN_CHILD], input=json.dumps([code, folder, name]), text=True, check=False,
                           env=dict(os.environ, PYTHONPATH=path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if child.returncode:
        raise RuntimeError(f"its process has ended with {child.returncode}: {child.stderr.strip()}")
    answer = json.loads(child.stdout.splitlines()[-1])
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["manifest"]


def _text_of(path: pathlib.Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot be read: {error.strerror}") from None


def compiled_here(file: bytes) -> Tuple[bytes, str]:
    """The runtime of stanli, and the program as that takes it, a JSON object: src/foreign/stanli.cpp does the same."""
    path = pathlib.Path(os.fsdecode(file))
    code = _text_of(path)
    try:
        manifest = (_manifest_of_child if amx_is_permitted() else _manifest)(code, str(path.parent), path.stem)
    except Exception as error:
        raise BadInput(f"{path}: stanli: {error}") from None
    package = importlib.util.find_spec("stanli")
    if package is None or package.origin is None:
        raise BadInput(f"{path}: the package stanli has no folder")
    return os.fsencode(pathlib.Path(package.origin).parent / "_bin" / "libstanli.so"), json.dumps(manifest)


def with_manifest(manifest: str, file: bytes, data: Optional[bytes]) -> bytes:
    """The data with the program `file` beside them."""
    given = "{}" if data is None else data.decode() if data.lstrip().startswith(b"{") else _text_of(
        pathlib.Path(os.fsdecode(data)))
    before, _, rest = given.partition("{")
    if before.strip() or "{" not in given:
        raise BadInput(f'{os.fsdecode(file)}: data: a data file is one object, {{"name": value, ...}}')
    comma = "" if rest.lstrip().startswith("}") else ", "
    return f'{{"__stanli": {manifest}{comma}{rest}'.encode()
