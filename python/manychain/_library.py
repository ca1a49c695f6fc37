"""The shared library and its C interface (include/manychain/manychain.h), by ctypes."""

import ctypes
import os
import pathlib
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from importlib import util
from typing import Any, Optional

from ._errors import BadInput, Error, SamplingFailed

OK, BAD_INPUT, SAMPLING_FAILED = 0, 2, 3


class CProgress(Structure):
    _fields_ = [("phase", c_char_p), ("transitions", c_size_t), ("total", c_size_t), ("acceptance_rate", c_double),
                ("step_size", c_double), ("seconds", c_double), ("chains", c_size_t), ("stuck_chains", c_size_t),
                ("divergences", c_size_t), ("transitions_per_second", c_double), ("run", c_void_p), ("sets", c_void_p)]


class CBuiltin(Structure):
    _fields_ = [("name", c_char_p), ("description", c_char_p), ("carries_data", c_int)]


class CQuantity(Structure):
    _fields_ = [("name", c_char_p), ("rank", c_size_t), ("shape", POINTER(c_size_t)), ("offset", c_size_t),
                ("size", c_size_t), ("kind", c_int)]


class CSetting(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_char_p), ("default_value", c_char_p), ("words", c_char_p),
                ("help", c_char_p)]


class CFinding(Structure):
    _fields_ = [("severity", c_int), ("what", c_char_p), ("advice", c_char_p)]


class CView(Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t), ("draws", c_size_t), ("rows", c_size_t), ("chains", c_size_t)]


class CDeviceArray(Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t), ("device", c_int), ("chains", c_size_t), ("draws", c_size_t),
                ("size", c_size_t)]


class CSetsCounts(Structure):
    _fields_ = [*((name, c_size_t) for name in ("sets", "sampled", "converged", "refused", "failed", "left_out")),
                ("cancelled", c_int), ("draws_left_out", c_int), ("seconds", c_double)]


class CSetFacts(Structure):
    _fields_ = [*((name, c_char_p) for name in ("name", "state", "said", "worst")), ("place", c_size_t),
                *((name, c_uint64) for name in ("seed", "gradients", "divergences")), ("converged", c_int),
                ("warmup", c_size_t), ("draws", c_size_t),
                *((name, c_double) for name in ("largest_rhat", "smallest_ess", "seconds"))]


class CCompile(Structure):
    _fields_ = [("class_name", c_char_p), ("samplers", c_char_p), ("precision", c_char_p), ("cache", c_char_p),
                ("share", c_char_p), ("watch", c_void_p), ("watch_user", c_void_p)]


class CDiagnostic(Structure):
    _fields_ = [("name", c_char_p), ("of_probability", c_int)]


class CSequences(Structure):
    _fields_ = [("values", c_void_p), ("chains", c_size_t), ("draws", c_size_t), ("variables", c_size_t)]


FindShare = CFUNCTYPE(c_int, c_void_p, c_size_t)
CompileWatch = CFUNCTYPE(c_int, c_char_p, c_void_p)
Watch = CFUNCTYPE(c_int, c_void_p, c_void_p)  # gets the address of a CProgress
Batch = CFUNCTYPE(c_int, c_size_t, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p)
ModelOfSet = CFUNCTYPE(c_int, c_size_t, c_void_p, c_uint64, c_void_p, c_void_p, c_size_t, POINTER(c_void_p))

_size_p = POINTER(c_size_t)
_names_p = POINTER(c_char_p)

# Name, result, arguments. A result "status" is checked, and becomes an exception.
_PROTOTYPES = [
    ("last_error", c_char_p, []),
    ("version", c_char_p, []),
    ("data_new", c_void_p, []),
    ("data_free", None, [c_void_p]),
    ("data_set", "status", [c_void_p, c_char_p, c_void_p, c_size_t, _size_p]),
    ("data_add_json", "status", [c_void_p, c_char_p]),
    ("data_add_file", "status", [c_void_p, c_char_p]),
    ("builtin_count", c_size_t, []),
    ("get_builtin", "status", [c_size_t, POINTER(CBuiltin)]),
    ("builtin_model", "status", [c_char_p, c_void_p, POINTER(c_void_p)]),
    ("logp_model", "status", [c_size_t, _names_p, c_void_p, c_void_p, c_size_t, POINTER(c_void_p)]),
    ("batch_model", "status", [c_size_t, _names_p, Batch, c_void_p, c_size_t, POINTER(c_void_p)]),
    ("batch_model_of_precisions", "status", [c_size_t, _names_p, Batch, Batch, c_void_p, c_size_t, POINTER(c_void_p)]),
    ("stan_model", "status", [c_char_p, c_char_p, c_uint64, POINTER(c_void_p)]),
    ("set_netcdf", None, [c_char_p]),
    ("find_share", None, [FindShare]),
    ("command_line", c_int, [c_int, POINTER(c_char_p)]),
    ("header_model", "status", [c_char_p, POINTER(CCompile), c_void_p, POINTER(c_void_p)]),
    ("compiler_words", c_char_p, []),
    ("model_free", None, [c_void_p]),
    ("check_model_gradient", "status", [c_void_p]),
    ("check_model", "status", [c_void_p, POINTER(c_int), POINTER(c_char_p), POINTER(c_char_p)]),
    ("model_name", c_char_p, [c_void_p]),
    ("model_dimension", c_size_t, [c_void_p]),
    ("setting_count", c_size_t, []),
    ("get_setting", "status", [c_size_t, POINTER(CSetting)]),
    ("named_settings_new", c_void_p, []),
    ("named_settings_free", None, [c_void_p]),
    ("set", "status", [c_void_p, c_char_p, c_char_p]),
    ("set_initial_points", "status", [c_void_p, c_void_p, c_size_t]),
    ("add_initial_values", "status", [c_void_p, c_char_p]),
    ("set_watch", "status", [c_void_p, Watch, c_void_p]),
    ("sample_model", "status", [c_void_p, c_void_p, POINTER(c_void_p)]),
    ("set_store", "status", [c_void_p, c_char_p, c_double]),
    ("set_checkpoint", "status", [c_void_p, c_char_p, c_double]),
    ("set_store_memory", "status", [c_void_p, c_double]),
    ("set_store_compression", "status", [c_void_p, c_char_p]),
    ("add_store_fact", "status", [c_void_p, c_char_p, c_char_p]),
    ("store_facts", "status", [c_char_p, POINTER(c_char_p)]),
    ("resume_model", "status", [c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_void_p)]),
    ("merge_model", "status", [c_void_p, c_char_p, _names_p, c_size_t, c_void_p, POINTER(c_void_p)]),
    ("evidence", "status", [c_void_p, c_void_p, POINTER(c_int), POINTER(c_char_p), POINTER(c_char_p)]),
    ("calibrate", "status", [c_void_p, c_size_t, c_void_p, POINTER(c_int), POINTER(c_char_p), POINTER(c_char_p)]),
    ("cross_validate", "status", [c_void_p, c_size_t, c_void_p, POINTER(c_int), POINTER(c_char_p), POINTER(c_char_p)]),
    ("set_warmup_only", "status", [c_void_p, c_int]),
    ("set_part", "status", [c_void_p, c_size_t, c_size_t]),
    ("data_sets_new", c_void_p, []),
    ("data_sets_free", None, [c_void_p]),
    ("data_sets_add", "status", [c_void_p, c_char_p, c_void_p]),
    ("data_sets_add_json", "status", [c_void_p, c_char_p]),
    ("data_sets_add_file", "status", [c_void_p, c_char_p, c_char_p]),
    ("data_sets_common", "status", [c_void_p, c_void_p]),
    ("builtin_model_of_sets", "status", [c_char_p, c_void_p, POINTER(c_void_p)]),
    ("header_model_of_sets", "status", [c_char_p, POINTER(CCompile), c_void_p, POINTER(c_void_p)]),
    ("stan_model_of_sets", "status", [c_char_p, c_char_p, c_void_p, POINTER(c_void_p)]),
    ("models_of_sets", "status", [ModelOfSet, c_void_p, c_void_p, POINTER(c_void_p)]),
    ("sample_sets", "status", [c_void_p, c_void_p, c_void_p, c_double, POINTER(c_void_p)]),
    ("sets_free", None, [c_void_p]),
    ("sets_so_far", "status", [c_void_p, c_void_p]),
    ("get_sets_counts", CSetsCounts, [c_void_p]),
    ("get_set", "status", [c_void_p, c_size_t, POINTER(CSetFacts)]),
    ("set_result", "status", [c_void_p, c_size_t, POINTER(c_void_p)]),
    ("sets_table", c_char_p, [c_void_p]),
    ("sets_json", c_char_p, [c_void_p]),
    ("write_sets", "status", [c_void_p, c_char_p]),
    ("draws_so_far", "status", [c_void_p, POINTER(c_void_p)]),
    ("free", None, [c_void_p]),
    ("chains", c_size_t, [c_void_p]),
    ("draws", c_size_t, [c_void_p]),
    ("converged", c_int, [c_void_p]),
    ("outputs", c_size_t, [c_void_p]),
    ("headline", c_char_p, [c_void_p]),
    ("findings", c_size_t, [c_void_p]),
    ("get_finding", "status", [c_void_p, c_size_t, POINTER(CFinding)]),
    ("quantities", c_size_t, [c_void_p]),
    ("get_quantity", "status", [c_void_p, c_size_t, POINTER(CQuantity)]),
    ("output_name", c_char_p, [c_void_p, c_size_t]),
    ("summary_columns", c_size_t, []),
    ("summary_column", c_char_p, [c_size_t]),
    ("get_summary_matrix", "status", [c_void_p, c_void_p, c_size_t]),
    ("get_view", "status", [c_void_p, c_int, POINTER(CView)]),
    ("has_device_draws", c_int, [c_void_p]),
    ("get_device_array", "status", [c_void_p, c_size_t, POINTER(CDeviceArray)]),
    ("device_dlpack", "status", [c_void_p, c_size_t, POINTER(c_void_p)]),
    ("stat_name", c_char_p, [c_size_t]),
    ("table", c_char_p, [c_void_p]),
    ("json", c_char_p, [c_void_p]),
    ("write_netcdf", "status", [c_void_p, c_char_p]),
    ("write_report", "status", [c_void_p, c_char_p]),
    ("diagnostic_count", c_size_t, []),
    ("get_diagnostic", "status", [c_size_t, POINTER(CDiagnostic)]),
    ("diagnose", "status", [c_char_p, c_double, POINTER(CSequences), c_int, c_void_p]),
    ("rhat_nested", "status", [POINTER(CSequences), _size_p, c_int, c_int, c_void_p]),
    ("autocorrelation", "status", [POINTER(CSequences), c_size_t, c_void_p]),
    ("ebfmi", "status", [POINTER(CSequences), c_void_p]),
]

# A library that was built without the command line, or linked with netCDF, has not all of these.
_OPTIONAL = ("header_model", "header_model_of_sets", "compiler_words", "command_line", "set_netcdf", "find_share")

# Instruction sets that a wheel has libraries for, the best first, and the flags in /proc/cpuinfo that their code takes.
_INSTRUCTION_SETS = {"avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd", "fma", "bmi2"),
                     "avx2": ("avx2", "fma"), "sse2": ()}


def instruction_sets(cpuinfo: str) -> "list[str]":
    """Names of the instruction sets that a processor has, the best first. `cpuinfo`: text of /proc/cpuinfo."""
    words = next((line.split() for line in cpuinfo.splitlines() if line.startswith("flags")), [])
    return [name for name, flags in _INSTRUCTION_SETS.items() if all(flag in words for flag in flags)]


def _usable_sets() -> "list[str]":
    """Those of this machine; the environment variable MANYCHAIN_ISA names the best one that is taken."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            usable = instruction_sets(file.read())
    except OSError:
        usable = ["sse2"]
    named = os.environ.get("MANYCHAIN_ISA")
    if not named:
        return usable
    if named not in usable:
        raise ImportError(f"manychain: the environment variable MANYCHAIN_ISA is {named}; this processor has " +
                          ", ".join(usable))
    return usable[usable.index(named):]


def _candidates() -> "list[str]":
    """Places of the library: the environment decides, then the package, the source tree, the system."""
    named = os.environ.get("MANYCHAIN_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve().parent
    beside = [here / f"libmanychain-{name}.so" for name in _usable_sets()]
    beside += [here / "libmanychain.so", here.parent.parent / "build" / "lib" / "libmanychain.so"]
    return [str(path) for path in beside if path.exists()] + ["libmanychain.so"]


def _netcdf() -> "str | None":
    """The library in the PyPI package netCDF4, which is not imported for it."""
    package = util.find_spec("netCDF4")
    if not package or not package.origin:
        return None
    beside = pathlib.Path(package.origin).parent.parent
    found = sorted(path for name in ("netCDF4.libs", "netcdf4.libs") for path in (beside / name).glob("libnetcdf-*.so*"))
    return str(found[0]) if found else None


def _load() -> ctypes.CDLL:
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError("manychain: the shared library could not be loaded (" + "; ".join(reasons) +
                      "); build its target manychain_shared, and name it by MANYCHAIN_LIBRARY")


class Library:
    """The functions of the C interface without their prefix: library.builtin_model(...)."""

    def __init__(self, handle: ctypes.CDLL) -> None:
        self.path: str = handle._name  #: as it was found
        for name, result, arguments in _PROTOTYPES:
            try:
                function = getattr(handle, "manychain_" + name)
            except AttributeError:
                if name in _OPTIONAL:
                    setattr(self, name, None)
                    continue
                raise ImportError(f"manychain: the shared library {handle._name} has no function manychain_{name}: it "
                                  "is of another version than the Python package") from None
            function.argtypes = arguments
            if result == "status":
                function.restype, function.errcheck = c_int, self._checked
            else:
                function.restype = result
            setattr(self, name, function)

    def _checked(self, status: int, function: Any, arguments: Any) -> None:
        if status != OK:
            raise self.error(status)

    def error(self, status: int) -> Error:
        """The exception of a status, with the message of the last failed call in this thread."""
        message = text(self.last_error())
        return BadInput(message) if status == BAD_INPUT else SamplingFailed(message)

    def __getattr__(self, name: str) -> Any:  # for type checkers: the functions are set by __init__()
        raise AttributeError(name)


def text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


def path_bytes(path: "str | os.PathLike[str]") -> bytes:
    """A path as the library takes it; `~` is the home folder."""
    encoded = os.fsencode(os.path.expanduser(path))
    if b"\0" in encoded:
        raise BadInput("a path must not contain a null character")
    return encoded


library = Library(_load())
if library.set_netcdf is not None:
    _found = _netcdf()
    if _found:
        library.set_netcdf(os.fsencode(_found))


class _Process:
    """Threads do not survive a fork, and the library's would be waited for in vain."""
    has_sampled = False
    forked_after_sampling = False


def _after_fork() -> None:
    _Process.forked_after_sampling = _Process.forked_after_sampling or _Process.has_sampled


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def require_own_threads() -> None:
    """Throws in a process that was forked from one that has sampled, and notes that this one will have."""
    if _Process.forked_after_sampling:
        raise Error("this process was forked from one that had sampled, and has none of its threads: start processes by "
                    "spawn or forkserver (multiprocessing.get_context(\"spawn\")), or fork before the first run")
    _Process.has_sampled = True
