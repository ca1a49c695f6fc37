"""Operands of PTX as C++ expressions: registers, literals, addresses, special registers."""

import re

from ptx import PtxError, size_of

_KINDS = {"u": "std::uint{}_t", "b": "std::uint{}_t", "s": "std::int{}_t"}


def cpp_type(type_name):
    if type_name == "pred":
        return "bool"
    if type_name[0] == "f":
        return {"f32": "float", "f64": "double"}[type_name]
    return _KINDS[type_name[0]].format(type_name[1:])


def is_float(type_name):
    return type_name[0] == "f"


def unsigned(type_name):
    """The type in which integers wrap around."""
    return "u" + type_name[1:]


def widened(type_name):
    return type_name[0] + str(16 * size_of(type_name))


def identifier(name):
    return re.sub(r"\W", "_", name)


_DIMENSIONS = {"tid": "t.index", "ntid": "t.block->threads", "ctaid": "t.block->index", "nctaid": "t.block->blocks"}
_LANE = "t.lane()"
_SPECIAL = {
    "%laneid": _LANE,
    "%warpid": "(t.linear / 32)",
    "%lanemask_eq": f"(1u << {_LANE})",
    "%lanemask_lt": f"((1u << {_LANE}) - 1)",
    "%lanemask_le": f"std::uint32_t((2ull << {_LANE}) - 1)",
    "%lanemask_gt": f"~std::uint32_t((2ull << {_LANE}) - 1)",
    "%lanemask_ge": f"~((1u << {_LANE}) - 1)",
}


def _special(name):
    dimension, _, axis = name[1:].partition(".")
    if axis and dimension in _DIMENSIONS:
        return f"{_DIMENSIONS[dimension]}[{'xyz'.index(axis)}]"
    return _SPECIAL.get(name)


class Names:
    """What the names in the body of a function stand for. `memory` has the addresses of variables and parameters."""

    def __init__(self, memory):
        self.memory = dict(memory)
        self.scopes = [{}]

    def declare(self, type_name, name):
        self.scopes[-1][name] = type_name

    def type_of(self, name):
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def register(self, name):
        return "r" + identifier(name)

    def predicate(self, operand):
        return f"!{self.register(operand[1:])}" if operand[0] == "!" else self.register(operand)

    def read(self, operand, type_name):
        """The operand as a value of that type."""
        operand = operand.strip()
        target = cpp_type(type_name)
        if match := re.match(r"^0[fF]([0-9A-Fa-f]{8})$", operand):
            return f"bits<float>(0x{match[1]}u)"
        if match := re.match(r"^0[dD]([0-9A-Fa-f]{16})$", operand):
            return f"bits<double>(0x{match[1]}ull)"
        if re.match(r"^-?(0x[0-9A-Fa-f]+|\d+)U?$", operand):
            value = int(operand.rstrip("U"), 0) % 2**64
            return str(bool(value)).lower() if type_name == "pred" else f"{target}({value:#x}ull)"
        if special := _special(operand):
            return f"{target}({special})"
        if type_name == "pred":
            return self.predicate(operand)
        declared = self.type_of(operand)
        if declared is None:
            return f"{target}({self.address(operand)})"
        name = self.register(operand)
        if is_float(declared) != is_float(type_name):
            return f"bits<{target}>({name})"
        return name if declared == type_name else f"{target}({name})"

    def write(self, register, type_name, expression):
        """A statement that gives the register a value of that type."""
        declared = self.type_of(register)
        if register == "_":
            return ""
        if declared is None:
            raise PtxError(f"register {register}")
        name, source, target = self.register(register), cpp_type(type_name), cpp_type(declared)
        if is_float(declared) != is_float(type_name):
            return f"{name} = bits<{target}>({source}({expression}));"
        if declared == "pred" or cpp_type(declared) == source:
            return f"{name} = {target}({expression});"
        return f"{name} = {target}({source}({expression}));"

    def address(self, operand):
        """`[base+offset]` or `base+offset`."""
        match = re.match(r"^\[?\s*([%$\w]+)\s*(?:\+\s*(-?\w+))?\s*\]?$", operand)
        if not match:
            raise PtxError(f"address {operand}")
        base, offset = match.groups()
        if base.isdigit():
            place = f"std::uint64_t({base})"
        elif self.type_of(base):
            place = f"std::uint64_t({self.register(base)})"
        elif base in self.memory:
            place = self.memory[base]
        else:
            raise PtxError(f"symbol {base}")
        return f"({place} + std::int64_t({offset}))" if offset else place


def vector(operand):
    """`{a, b}` as a list, anything else as a list of one."""
    return [part.strip() for part in operand[1:-1].split(",")] if operand.startswith("{") else [operand]
