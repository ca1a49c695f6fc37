#!/usr/bin/env python3
"""Turns the PTX in an object of nvcc into C++ that runs on the host: each kernel becomes a function of one thread.

    ptx_to_cpp.py IN.o OUT_0.cpp [OUT_1.cpp ...] --architecture N [--kernels REGEX]

The kernels are dealt to the outputs, so that these can be compiled at the same time. With --kernels only those whose
name REGEX finds are translated. The C++ needs the folder runtime/.
"""

import argparse
import re
import sys
from pathlib import Path

from instructions import Translator, function_name, label_name
from object_ptx import object_ptx
from operands import Names, cpp_type, identifier
from ptx import Instruction, Label, PtxError, Registers, Scope, Variable, read_module

_UNNAMED = re.compile(r"(\d+)_GLOBAL__N__[0-9a-f]{8}_(\d+)_")
_CUB = re.compile(r"(\d+)CUB_\d+_SM_")


def kernel_name(name):
    """The name under which a kernel of an object and of its PTX meet.

    nvcc names an unnamed namespace after the file, its path and the command, "34_GLOBAL__N__3f2a91c0_9_normal_cu_5b1d";
    the name of the file is kept. CUB names its own after all architectures compiled for, "17CUB_300001_SM_900".
    runtime/kernel_name.cpp does the same.
    """
    while match := _UNNAMED.search(name):
        end = match.end(1) + int(match[1])
        name = f"{name[: match.start()]}<{name[match.end() : match.end() + int(match[2])]}>{name[end:]}"
    while match := _CUB.search(name):
        name = f"{name[: match.start()]}<CUB>{name[match.end(1) + int(match[1]) :]}"
    return name


def literal(value, type_name):
    if re.match(r"0[dD][0-9A-Fa-f]{16}$", value):
        return f"bits<double>(0x{value[2:]}ull)"
    if re.match(r"0[fF][0-9A-Fa-f]{8}$", value):
        return f"bits<float>(0x{value[2:]}u)"
    if not re.match(r"-?\w+$", value):
        raise PtxError(f"initial value {value}")
    return f"{cpp_type(type_name)}({value})"


class FunctionWriter:
    """Writes the body of one function or kernel."""

    def __init__(self, function, memory):
        if function.is_kernel:
            parameters = {p.name: f"(address_of(parameters) + {p.offset})" for p in function.parameters}
        else:
            parameters = {p.name: "p_" + identifier(p.name) for p in function.results + function.parameters}
        self.function = function
        self.names = Names(memory | parameters)
        self.translator = Translator(self.names, function.is_kernel)
        self.shared_bytes = 0
        self.lines = []
        for statement in function.statements:
            self._add(statement)

    def _add(self, statement):
        if isinstance(statement, Instruction):
            self.lines.append(self.translator.translate(statement))
        elif isinstance(statement, Label):
            self.lines.append(f"{label_name(statement.name)}:;")
        elif isinstance(statement, Registers):
            self._declare(statement)
        elif isinstance(statement, Scope):
            self.names.scopes.append({}) if statement.opens else self.names.scopes.pop()
            self.lines.append("{" if statement.opens else "}")
        elif isinstance(statement, Variable):
            self._place(statement)

    def _declare(self, registers):
        for name in registers.names:
            self.names.declare(registers.type, name)
        names = ", ".join(self.names.register(name) for name in registers.names)
        self.lines.append(f"{cpp_type(registers.type)} {names};")

    def _place(self, variable):
        if variable.space == "shared":
            offset = -(-self.shared_bytes // variable.alignment) * variable.alignment
            self.names.memory[variable.name] = f"(t.block->shared + {offset})"
            self.shared_bytes = offset + variable.bytes
        else:  # of a thread
            place = "v_" + identifier(variable.name)
            self.names.memory[variable.name] = f"address_of({place})"
            self.lines.append(f"alignas(16) std::uint8_t {place}[{variable.bytes}];")
            if variable.space == "local":
                self.lines.append(f"fill_unknown({place}, {variable.bytes});")

    def signature(self):
        if self.function.is_kernel:
            parameters = "const std::uint8_t* parameters"
        else:
            places = self.function.results + self.function.parameters
            parameters = ", ".join(f"std::uint64_t p_{identifier(p.name)}" for p in places)
        separator = ", " if parameters else ""
        return f"void {function_name(self.function.name)}(Thread& t{separator}{parameters})"

    def text(self):
        return "\n".join([self.signature() + " {", *self.lines, "}"])

    def registration(self):
        fields = ", ".join(f"{{{p.offset}, {p.size}}}" for p in self.function.parameters)
        waits = str(self.translator.synchronises).lower()
        name = function_name(self.function.name)
        return (
            f'const Kernel kernel_{name}("{kernel_name(self.function.name)}", {name}, {waits}, '
            f"{self.shared_bytes}, {{{fields}}});"
        )


def variable_text(variable):
    values = ", ".join(literal(value, variable.type) for value in variable.values)
    place = f"{cpp_type(variable.type)} v_{identifier(variable.name)}[{variable.count}]"
    return f"alignas({max(variable.alignment, 16)}) inline {place} = {{{values}}};"


def module_text(module, name, functions):
    """The C++ of some of the functions of a module. Its variables are inline: all outputs share them."""
    memory = {v.name: f"address_of(v_{identifier(v.name)})" for v in module.variables}
    memory |= {name: "t.block->dynamic_shared" for name in module.dynamic_shared}
    lines = ["// Generated from PTX by ptx_to_cpp.py.", '#include "runtime/machine.hpp"', "using namespace ptx;"]
    lines += [f"namespace ptx_{identifier(name)} {{", *(variable_text(v) for v in module.variables)]
    names = [f"v_{identifier(v.name)}" for v in module.variables]
    lines += [f"inline const Variable of_{n}(address_of({n}), sizeof {n});" for n in names]
    lines += ["namespace {"]
    for function in functions:
        try:
            writer = FunctionWriter(function, memory)
        except PtxError as error:
            raise PtxError(f"{function.name}: {error}") from error
        lines.append(writer.text())
        if function.is_kernel:
            lines.append(writer.registration())
    return "\n".join([*lines, "}", "}", ""])


def dealt(kernels, count):
    """The kernels in `count` lists of about the same length of code."""
    parts = [[] for _ in range(count)]
    for kernel in sorted(kernels, key=lambda k: -k.weight):
        min(parts, key=lambda part: sum(k.weight for k in part)).append(kernel)
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object", type=Path)
    parser.add_argument("outputs", type=Path, nargs="+")
    parser.add_argument("--architecture", type=int, required=True)
    parser.add_argument("--kernels", type=re.compile, default=re.compile(""))
    arguments = parser.parse_args()
    try:
        text = object_ptx(arguments.object.read_bytes(), arguments.architecture)
        module = read_module(text, arguments.kernels.search)
        kernels = [f for f in module.functions if f.is_kernel]
        if not kernels:
            raise PtxError("there is no such kernel")
        callees = [f for f in module.functions if not f.is_kernel]
        for output, part in zip(arguments.outputs, dealt(kernels, len(arguments.outputs))):
            output.write_text(module_text(module, arguments.object.stem, callees + part))
    except PtxError as error:
        sys.exit(f"{arguments.object}: {error}")


if __name__ == "__main__":
    main()
