"""Finds cuobjdump, nvdisasm and a demangler, and asks them what a build holds."""

import glob
import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from sass import SassError, read_functions


class Skipped(Exception):
    """Why nothing can be counted here."""


@dataclass(frozen=True)
class Usage:
    registers: int
    stack: int


def _folders(nvcc, more):
    """Where programs of the CUDA toolkit may lie, also those that came as packages for Python."""
    folders = [os.path.dirname(os.path.realpath(nvcc))] if os.path.exists(nvcc) else []
    roots = list(more)
    nvidia = importlib.util.find_spec("nvidia")
    roots += [os.path.dirname(place) for place in (nvidia.submodule_search_locations or [] if nvidia else [])]
    for root in roots:
        folders += sorted(glob.glob(os.path.join(root, "nvidia", "*", "bin")), reverse=True)
    return folders


class BinaryTools:
    def __init__(self, nvcc="nvcc", folders=()):
        nvcc = shutil.which(nvcc) or nvcc
        path = os.pathsep.join([*_folders(nvcc, folders), os.environ.get("PATH", "")])
        self.environment = {**os.environ, "PATH": path, "LC_ALL": "C"}
        for name in ("cuobjdump", "nvdisasm"):
            if not shutil.which(name, path=path):
                raise Skipped(
                    f"there is no {name}: it comes with the CUDA toolkit (Debian's package: nvidia-cuda-toolkit), and "
                    "from PyPI in nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm"
                )
        self.demangler = shutil.which("c++filt", path=path) or shutil.which("cu++filt", path=path)
        if not self.demangler:
            raise Skipped("there is neither c++filt nor cu++filt")

    def _run(self, *command, text=None, may_fail_with="\0"):
        try:
            done = subprocess.run(
                command, input=text, capture_output=True, text=True, env=self.environment, check=False
            )
        except OSError as error:
            raise SassError(f"{command[0]}: {error.strerror}") from error
        if done.returncode != 0 and may_fail_with not in done.stdout + done.stderr:
            raise SassError(f"{' '.join(command[:3])} ended with {done.returncode}: {done.stderr.strip()[:500]}")
        return done.stdout

    def nvcc_release(self, nvcc):
        """Such as 13.0.88."""
        match = re.search(r"release [\d.]+, V([\d.]+)", self._run(nvcc, "--version"))
        if not match:
            raise SassError(f"{nvcc} --version names no release")
        return match.group(1)

    def usages(self, file, architecture):
        """{mangled name: Usage} of the kernels of an object file or archive; empty where it has no such code."""
        if not os.path.exists(file):
            raise SassError(f"there is no file {file}")
        text = self._run(
            "cuobjdump", "-res-usage", "-arch", architecture, file, may_fail_with="does not contain device code"
        )
        # An archive names each of its members; code of other architectures has sections of its own.
        found, current, name = {}, None, None
        for line in text.splitlines():
            arch = re.match(r"arch = (\S+)", line)
            if arch:
                current = arch.group(1)
            match = re.match(r" *Function (\S+):\s*$", line)
            if match:
                name = match.group(1)
            match = re.search(r"\bREG:(\d+) STACK:(\d+)", line)
            if match and current == architecture:
                found[name] = Usage(int(match.group(1)), int(match.group(2)))
        return found

    def demangle(self, names):
        if not names:
            return []
        shown = self._run(self.demangler, text="".join(f"{name}\n" for name in names)).splitlines()
        if len(shown) != len(names):
            raise SassError(f"{self.demangler} made {len(shown)} names of {len(names)}")
        return shown

    def instructions(self, file, architecture, names):
        """{mangled name: [Instruction]}"""
        text = self._run("cuobjdump", "-sass", "-arch", architecture, "-fun", ",".join(names), file)
        found = read_functions(text.splitlines())
        absent = [name for name in names if name not in found]
        if absent:
            raise SassError(f"{file}: no SASS of {absent[0]}")
        return found


def _template_arguments(name, function):
    """The arguments of function<...> in a demangled name, without namespaces; None where it is another function."""
    # cu++filt writes (bool)1 and (int)25, c++filt true and 25.
    name = name.replace("(bool)0", "false").replace("(bool)1", "true").replace("<unnamed>::", "")
    name = re.sub(r"\((?:unsigned )?(?:int|long|short|char)\)(?=-?\d)", "", name)
    begin = name.find(f"{function}<")
    if begin < 0 or (begin > 0 and name[begin - 1] not in ": "):
        return None
    arguments, depth, current = [], 1, ""
    for sign in name[begin + len(function) + 1 :]:
        depth += (sign in "<(") - (sign in ">)")
        if depth == 0:
            break
        if sign == "," and depth == 1:
            arguments.append(current)
            current = ""
        else:
            current += sign
    arguments.append(current)
    return [re.sub(r"(?:\w+|\(anonymous namespace\))::", "", one).replace(" ", "") for one in arguments]


def hmc_kernel(demangled):
    """(model, further arguments) of the kernel that advances chains by HMC and shows no proposals; None of any other.
    Further arguments are what it has beside model, sampler, whether it shows proposals, and precision."""
    arguments = _template_arguments(demangled, "advance_kernel")
    sampler = next((place for place, one in enumerate(arguments or []) if re.match(r"Hmc\b", one)), None)
    if sampler is None or arguments[sampler + 1 : sampler + 2] == ["true"]:
        return None
    model, rest = arguments[0], arguments[1:sampler] + arguments[sampler + 2 :]
    return model, tuple(one for one in rest if one not in ("float", "double"))


def name_kernels(found):
    """{mangled name: name in the table} of {mangled name: hmc_kernel()}: the model, and what tells kernels of one model
    apart."""
    models = [model for model, _ in found.values()]
    return {
        name: ",".join([model, *rest]) if models.count(model) > 1 else model for name, (model, rest) in found.items()
    }


def spills(report, architecture):
    """{mangled name: bytes} of the spill stores and loads in what ptxas said."""
    found, name = {}, None
    for line in report.splitlines():
        match = re.search(r"Compiling entry function '(\S+)' for '(\S+)'", line)
        if match:
            name = match.group(1) if match.group(2) == architecture else None
        match = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if match and name and name not in found:  # subroutines have such a line, too
            found[name] = int(match.group(1)) + int(match.group(2))
    return found
