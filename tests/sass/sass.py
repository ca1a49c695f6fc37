"""Reads SASS as `cuobjdump -sass` writes it: functions and their instructions.

Only the syntax is known here. Where control goes is for control_flow.py.
"""

import re
from dataclasses import dataclass

BYTES = 16  # of an instruction, since compute capability 7.0


class SassError(Exception):
    """SASS that this reader, or what counts it, does not know."""


@dataclass(frozen=True)
class Instruction:
    address: int
    opcode: str  # with its modifiers: "LDG.E.128"
    operands: tuple  # as they are written
    guard: str = ""  # "P0", "!P0", "!UP1"; empty where it is always executed

    @property
    def name(self):
        return self.opcode.split(".", 1)[0]

    @property
    def modifiers(self):
        return self.opcode.split(".")[1:]


_FUNCTION = re.compile(r"^\s*Function : (\S+)")
_ADDRESS = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/")
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P(?:\d|T))\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")


def _operands(text):
    """Splits at commas that are not within brackets."""
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    parts.append(text[begin:].strip())
    return tuple(filter(None, parts))


def read_instruction(line):
    """The instruction of a line; None where it holds none."""
    if not _ADDRESS.match(line):
        return None
    match = _INSTRUCTION.match(line)
    if not match:
        raise SassError(f"no instruction that is known: {line.strip()}")
    address, guard, opcode, operands = match.groups()
    guard = "" if guard in ("PT", "UPT") else guard or ""
    return Instruction(int(address, 16), opcode, _operands(operands), guard)


def read_functions(lines):
    """{mangled name: [Instruction]} of a disassembly, in the order of addresses."""
    functions, current = {}, None
    for line in lines:
        function = _FUNCTION.match(line)
        if function:
            if function.group(1) in functions:
                raise SassError(f"a second function {function.group(1)}")
            current = functions[function.group(1)] = []
            continue
        instruction = read_instruction(line)
        if instruction:
            if current is None:
                raise SassError(f"an instruction outside a function: {line.strip()}")
            current.append(instruction)
    for name, instructions in functions.items():
        if [one.address for one in instructions] != list(
            range(0, BYTES * len(instructions), BYTES)
        ) or not instructions:
            raise SassError(f"not all instructions of {name} were read")
    return functions


def target_of(instruction):
    """The address that a jump names, its last operand; None where it names none."""
    if not instruction.operands:
        return None
    return int(instruction.operands[-1], 16) if re.fullmatch("0x[0-9a-f]+", instruction.operands[-1]) else None
