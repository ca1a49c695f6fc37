"""Where the value of a register comes from: definitions that reach a place, through copies, and counters of loops."""

import functools
import re

_REGISTER = re.compile(r"-?\|?~?!?(U?R\d+|UR\d+|U?P\d)(?:\.\w+)*\|?(?:\.\w+)*")
_NO_RESULT = {
    "ST",
    "STG",
    "STS",
    "RED",
    "BRA",
    "BSSY",
    "BSYNC",
    "EXIT",
    "CALL",
    "RET",
    "BAR",
    "MEMBAR",
    "NOP",
    "WARPSYNC",
    "YIELD",
    "JMP",
    "BREAK",
    "KILL",
    "ERRBAR",
    "CCTL",
    "BPT",
    "NANOSLEEP",
}
_COPIES = {"MOV", "UMOV", "R2UR", "IMAD.MOV.U32", "IMAD.MOV"}
_SUMS = {"IADD3", "UIADD3", "VIADD", "IADD"}


def register(operand):
    """The name of the register that an operand is, without sign and modifiers; None of anything else."""
    match = _REGISTER.fullmatch(operand)
    return match.group(1) if match else None


def _is_predicate(name):
    return bool(name) and re.fullmatch(r"U?P\d", name) is not None


def _registers_of_result(instruction, name):
    """A result of 64 or 128 bits is written to consecutive registers."""
    width = instruction.modifiers[:2] if instruction.name in ("F2F", "I2F", "F2I") else instruction.modifiers
    count = 4 if "128" in width else 2 if {"64", "WIDE"} & set(width) else 1
    if re.fullmatch(r"D(ADD|MUL|FMA)", instruction.name) or "F64" in width[:1] or instruction.opcode == "CS2R":
        count = 2
    prefix, number = re.fullmatch(r"(U?R)(\d+)", name).groups()
    return {f"{prefix}{int(number) + offset}" for offset in range(count)}


@functools.cache  # asked of each instruction hundreds of times
def results(instruction):
    """The registers that an instruction writes, predicates among them: what its operands begin with. A place on the
    stack that STL writes counts as one."""
    if instruction.name == "STL":
        return frozenset(instruction.operands[:1])
    if instruction.name in _NO_RESULT:
        return frozenset()
    places = 2 if instruction.name in ("VOTE", "VOTEU") else 3
    only_predicates = instruction.name.endswith("SETP") or instruction.name in ("PLOP3", "UPLOP3", "FCHK", "R2P")
    found, has_register = set(), False
    for place, operand in enumerate(instruction.operands[:places]):
        name = register(operand)
        if operand == "PR" and place == 0:
            found |= {f"P{number}" for number in range(7)}
        elif operand in ("PT", "UPT"):
            pass
        elif name == operand and _is_predicate(name) and place < 3 - only_predicates:
            found.add(name)
        elif only_predicates or has_register or (name != operand and operand not in ("RZ", "URZ")):
            break
        else:
            has_register = True
            if name:
                found |= _registers_of_result(instruction, name)
    return frozenset(found)


def definitions(loop, block, place, name):
    """[(block, place)] of the instructions of the loop whose value of the register `name` reaches the instruction at
    `place` of the block, round the loop if need be. What comes from outside the loop has none."""
    found, seen, waiting = [], set(), [(block, place)]
    while waiting:
        one, end = waiting.pop()
        for index in range(end - 1, -1, -1):
            instruction = one.instructions[index]
            if name in results(instruction):
                found.append((one, index))
                if not instruction.guard:
                    break
        else:
            for before in one.predecessors:
                if before in loop.blocks and before not in seen:
                    seen.add(before)
                    waiting.append((before, len(before.instructions)))
    return found


def sources(loop, block, place, name):
    """definitions(), with copies followed to what they copy, over the stack too."""
    found, seen, waiting = [], set(), [(block, place, name)]
    while waiting:
        one, index, wanted = waiting.pop()
        for at in definitions(loop, one, index, wanted):
            if at in seen:
                continue
            seen.add(at)
            instruction = at[0].instructions[at[1]]
            copied = register(instruction.operands[-1])
            if instruction.name == "LDL":
                waiting.append((*at, instruction.operands[-1]))
            elif copied and (instruction.opcode in _COPIES or instruction.name == "STL"):
                waiting.append((*at, copied))
            else:
                found.append(at)
    return found


def _step(instruction):
    """(register, number) of an instruction that adds a number to a register; None of any other."""
    if instruction.name not in _SUMS or "X" in instruction.modifiers:
        return None
    operands = [one for one in instruction.operands[1:] if one not in ("RZ", "URZ", "PT", "!PT", "UPT", "!UPT")]
    numbers = [one for one in operands if re.fullmatch(r"-?0x[0-9a-f]+", one)]
    registers = [one for one in operands if register(one) and not _is_predicate(register(one))]
    if len(operands) != 2 or len(numbers) != 1 or len(registers) != 1 or registers[0].startswith("-"):
        return None
    number = int(numbers[0], 16)
    return register(registers[0]), number - 2**32 if number >= 2**31 else number


def compared(loop, block):
    """[(block, place, register)] of what the jump at the end of a block depends on: operands of the comparisons that
    make its predicate, also through logic of predicates."""
    last = block.instructions[-1]
    predicates = [last.guard] + list(last.operands[:-1])
    waiting = [
        (block, len(block.instructions) - 1, register(one)) for one in predicates if _is_predicate(register(one))
    ]
    found, seen = [], set()
    while waiting:
        for at in definitions(loop, *waiting.pop()):
            if at in seen:
                continue
            seen.add(at)
            instruction = at[0].instructions[at[1]]
            for operand in instruction.operands[1:]:
                name = register(operand)
                if _is_predicate(name) and instruction.name in ("PLOP3", "UPLOP3", "ISETP", "UISETP"):
                    waiting.append((*at, name))
                elif name and not _is_predicate(name) and instruction.name in ("ISETP", "UISETP"):
                    found.append((*at, name))
    return found


def counters(loop, block):
    """{(block, place): number} of the sums that count the loop and on which the jump at the end of the block depends:
    a number is added to what was the same sum's result one pass before. Sums of 64 bits, addresses, are none."""
    found = {}
    for at in compared(loop, block):
        for sum_at in sources(loop, *at):
            step = _step(sum_at[0].instructions[sum_at[1]])
            if step and sum_at in sources(loop, *sum_at, step[0]):
                found[sum_at] = step[1]
    return found


def _addends(instruction):
    """The registers that an instruction adds, where it adds two, both as they are, and nothing else."""
    operands = list(instruction.operands[1:])
    if instruction.opcode == "IMAD.IADD" and operands[1:2] == ["0x1"]:
        del operands[1]
    elif instruction.name not in _SUMS or "X" in instruction.modifiers:
        return []
    operands = [one for one in operands if one not in ("RZ", "URZ", "PT", "!PT", "UPT", "!UPT")]
    return [register(one) for one in operands] if len(operands) == 2 and not any("-" in one for one in operands) else []


def strides(loop, block):
    """[(block, place, register)] of the sums that count the loop, as counters() has them, but in steps of what is in a
    register, and comes from outside the loop."""
    found = []
    for at in compared(loop, block):
        for sum_at in sources(loop, *at):
            addends = _addends(sum_at[0].instructions[sum_at[1]])
            for counted, step in zip(addends, addends[::-1]):
                if (
                    counted
                    and step
                    and sum_at in sources(loop, *sum_at, counted)
                    and not definitions(loop, *sum_at, step)
                ):
                    found.append((*sum_at, step))
    return found


def doubles(loop, block, place):
    """Whether an instruction doubles its own result of one pass of the loop before."""
    one = block.instructions[place]
    factor = {"SHF": "0x1", "USHF": "0x1", "IMAD": "0x2"}.get(one.name)
    if not factor or not ({"L", "SHL"} & set(one.modifiers)) or one.operands[2] != factor:
        return False
    doubled = register(one.operands[1])
    return bool(doubled) and (block, place) in sources(loop, block, place, doubled)
