"""Reads PTX as nvcc writes it: variables, functions and kernels, with their parameters and statements.

Only the syntax is known here. What instructions mean is for instructions.py.
"""

import re
from dataclasses import dataclass, field


class PtxError(Exception):
    """PTX that this reader, or the translator, does not know."""


@dataclass(frozen=True)
class Parameter:
    name: str
    offset: int  # in the parameter block of a kernel
    size: int


@dataclass(frozen=True)
class Variable:
    """A variable of a module or of a function; `values` as they are written, empty where there are none."""

    space: str
    name: str
    type: str
    count: int
    alignment: int
    values: tuple = ()

    @property
    def bytes(self):
        return size_of(self.type) * self.count


@dataclass(frozen=True)
class Registers:
    """`.reg .b32 %r<4>` declares %r0 ... %r3: `names` has them all."""

    type: str
    names: tuple


@dataclass(frozen=True)
class Label:
    name: str


@dataclass(frozen=True)
class Scope:
    opens: bool


@dataclass(frozen=True)
class Instruction:
    opcode: tuple  # "ld.global.f32" is ("ld", "global", "f32")
    operands: tuple  # as they are written, "{a, b}" and "[address]" each one
    guard: str = ""  # register of the predicate
    guard_negated: bool = False


@dataclass
class Function:
    is_kernel: bool
    name: str
    results: list
    parameters: list
    statements: list

    @property
    def weight(self):
        return len(self.statements)


@dataclass
class Module:
    variables: list = field(default_factory=list)
    dynamic_shared: list = field(default_factory=list)  # names
    functions: list = field(default_factory=list)  # callees first


def size_of(type_name):
    """Bytes of a fundamental type."""
    return 1 if type_name == "pred" else int(type_name[1:]) // 8


def split_operands(text):
    """Splits at commas that are not within brackets."""
    return tuple(re.findall(r"(?:\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,{}\[\]()\s][^,{}\[\]()]*)", text))


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_STATEMENT = re.compile(r"\s*(?:([{}])|([$\w]+):|([^{};]+(?:\{[^{}]*\}[^{};]*)*);)")
_DECLARATION = re.compile(
    r"\.(global|const|shared|local|param)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$%]+)(?:\[(\d*)\])?(?:\s*=\s*(.*))?$",
    re.S,
)
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr.*?\s)?([\w$%]+)(?:\[(\d+)\])?$")
_FUNCTION = re.compile(r"\.(func|entry)\s*(?:\(([^)]*)\)\s*)?([\w$]+)\s*(?:\(([^)]*)\))?\s*([^{;]*)([{;])")
_INSTRUCTION = re.compile(r"(?:@(!?)([%\w$]+)\s+)?([a-z][\w.:]*)\s*(.*)$", re.S)


def _parameters(text):
    found, offset = [], 0
    for one in filter(None, (part.strip() for part in (text or "").split(","))):
        match = _PARAMETER.match(" ".join(one.split()))
        if not match:
            raise PtxError(f"parameter: {one}")
        alignment, type_name, name, count = match.groups()
        size = size_of(type_name) * int(count or 1)
        alignment = int(alignment or size_of(type_name))
        offset = -(-offset // alignment) * alignment
        found.append(Parameter(name, offset, size))
        offset += size
    return found


def _variable(text):
    match = _DECLARATION.match(text)
    if not match:
        return None
    space, alignment, type_name, name, count, values = match.groups()
    values = tuple(v.strip() for v in values.strip("{} \n").split(",")) if values else ()
    return Variable(space, name, type_name, int(count) if count else 1, int(alignment or size_of(type_name)), values)


def _registers(text):
    type_name, names = re.match(r"\.reg\s+\.(\w+)\s+(.*)$", text, re.S).groups()
    found = []
    for name in (n.strip() for n in names.split(",")):
        many = re.match(r"(.*)<(\d+)>$", name)
        found += [f"{many[1]}{i}" for i in range(int(many[2]))] if many else [name]
    return Registers(type_name, tuple(found))


def _statement(text):
    if text.startswith(".reg"):
        return _registers(text)
    if re.match(r"\.(pragma|loc)\s", text):
        return None
    if text.startswith("."):
        variable = _variable(text)
        if not variable:
            raise PtxError(f"directive: {text}")
        return variable
    negated, guard, opcode, operands = _INSTRUCTION.match(text).groups()
    return Instruction(tuple(re.split(r"\.|::", opcode)), split_operands(operands), guard or "", bool(negated))


def _statements(text):
    found = []
    for brace, label, statement in _STATEMENT.findall(text):
        if brace:
            found.append(Scope(brace == "{"))
        elif label:
            found.append(Label(label))
        elif made := _statement(statement.strip()):
            found.append(made)
    return found


def _end_of_body(text, begin):
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, begin):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    raise PtxError("a body without an end")


def read_module(text, wanted=lambda kernel_name: True):
    """Reads a module; kernels that are not wanted are passed over."""
    text = _COMMENT.sub("", text)
    module, position, outside = Module(), 0, []
    while match := _FUNCTION.search(text, position):
        outside.append(text[position : match.start()])
        kind, results, name, parameters, _, end = match.groups()
        position = match.end()
        if end == ";":  # declared, defined later
            continue
        position = _end_of_body(text, match.end())
        body = text[match.end() : position]
        position += 1
        if kind == "func" or wanted(name):
            module.functions.append(
                Function(kind == "entry", name, _parameters(results), _parameters(parameters), _statements(body))
            )
    outside.append(text[position:])
    module.functions.sort(key=lambda function: function.is_kernel)
    for declaration in re.findall(r"\.(?:global|const)\s[^;]*;|\.extern\s[^;]*;", "".join(outside)):
        if declaration.startswith(".extern"):
            module.dynamic_shared.append(re.search(r"([\w$]+)\[\]", declaration)[1])
        else:
            module.variables.append(_variable(declaration[:-1].strip()))
    return module
