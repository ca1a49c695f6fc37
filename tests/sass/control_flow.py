"""The control flow graph of a function in SASS: basic blocks, dominators, natural loops.

A block is what is executed from one place where control can come in or go out to the next. A loop is a natural loop
(Aho, Lam, Sethi and Ullman 2006, section 9.6.6): the header and all blocks from which a back edge to it is reached
without passing it. Back edges to the same header make one loop.
"""

from dataclasses import dataclass, field

from sass import SassError, target_of

_ENDS = {"EXIT", "RET", "KILL"}
_JUMPS = {"BRA", "JMP", "WARPSYNC"} | _ENDS
_INDIRECT = {"BRX", "JMX", "BRXU", "JMXU"}


@dataclass(eq=False)
class Block:
    """Blocks are compared as objects."""

    instructions: list
    successors: list = field(default_factory=list)
    predecessors: list = field(default_factory=list)

    @property
    def address(self):
        return self.instructions[0].address

    def __repr__(self):
        return f"Block({self.address:#x})"


@dataclass(eq=False)
class Loop:
    header: Block
    blocks: set
    parent: "Loop" = None
    children: list = field(default_factory=list)  # those directly within, in the order of addresses

    @property
    def height(self):
        """1 of a loop that holds no other."""
        return 1 + max((child.height for child in self.children), default=0)

    @property
    def instructions(self):
        return sum(len(block.instructions) for block in self.blocks)

    @property
    def exits(self):
        """Blocks of the loop from which control leaves it."""
        return sorted(
            (block for block in self.blocks if any(after not in self.blocks for after in block.successors)),
            key=lambda block: block.address,
        )

    def __repr__(self):
        return f"Loop({self.header.address:#x})"


def _is_conditional(instruction):
    """Whether control may pass by a jump: a guard, a predicate among the operands, or a jump of divergent warps."""
    if instruction.guard or {"DIV", "CONV"} & set(instruction.modifiers):
        return True
    return instruction.name == "BRA" and any(operand not in ("PT", "UPT") for operand in instruction.operands[:-1])


def _after(instruction, following, barriers):
    """[(address, barriers)] of where control may go; `barriers` {name: address} says where those that are set end."""
    name = instruction.name
    if name in _INDIRECT:
        raise SassError(f"{instruction.address:#x}: {instruction.opcode} jumps to a place that is not known")
    places = []
    if name == "BSSY":
        barriers = {**barriers, instruction.operands[0]: target_of(instruction)}
    elif name == "BSYNC":
        # Threads that have met go on where the BSSY says, which is nearly always the next instruction.
        barriers = dict(barriers)
        return [(barriers.pop(instruction.operands[0], following), barriers)]
    elif name in ("BRA", "JMP", "WARPSYNC"):
        target = target_of(instruction)
        if target is not None:
            places.append((target, barriers))
        elif name != "WARPSYNC":
            raise SassError(f"{instruction.address:#x}: {instruction.opcode} has no target")
    if name not in _JUMPS or name == "WARPSYNC" or _is_conditional(instruction):
        places.append((following, barriers))
    return places


def blocks_of(instructions, entry=None):
    """The blocks that are reached from `entry` (of the function, by default), the first one first. A subroutine is not
    followed: control goes on behind its CALL."""
    at = {instruction.address: place for place, instruction in enumerate(instructions)}
    following = {one.address: next_one.address for one, next_one in zip(instructions, instructions[1:])}
    entry = instructions[0].address if entry is None else entry

    # Every address with the barriers that may be set there, since these say where a BSYNC goes.
    edges, seen, waiting = {}, set(), [(entry, {})]
    while waiting:
        address, barriers = waiting.pop()
        state = (address, tuple(sorted(barriers.items())))
        if state in seen:
            continue
        seen.add(state)
        if address not in at:
            raise SassError(f"control goes to {address if address is None else hex(address)}, where no instruction is")
        instruction = instructions[at[address]]
        for place, left in _after(instruction, following.get(address), barriers):
            edges.setdefault(address, set()).add(place)
            waiting.append((place, left))
        edges.setdefault(address, set())

    # A block begins where several edges meet, at one that is not the only way out of the instruction before, and behind
    # an end that is passed.
    before = {}
    for address, places in edges.items():
        for place in places:
            before.setdefault(place, set()).add(address)
    leaders = {entry}
    for address, sources in before.items():
        only = next(iter(sources))
        if (
            len(sources) > 1
            or len(edges[only]) > 1
            or following.get(only) != address
            or instructions[at[only]].name in _ENDS
        ):
            leaders.add(address)
    blocks = {}
    for leader in leaders:
        block, address = [], leader
        while True:
            block.append(instructions[at[address]])
            if len(edges[address]) != 1:
                break
            address = next(iter(edges[address]))
            if address in leaders:
                break
        blocks[leader] = Block(block)
    for block in blocks.values():
        block.successors = [blocks[place] for place in sorted(edges[block.instructions[-1].address])]
        for after in block.successors:
            after.predecessors.append(block)
    return [blocks[entry]] + [blocks[leader] for leader in sorted(leaders - {entry})]


def reverse_postorder(entry, successors):
    """Each node reached from `entry` once, before all its successors but those of back edges."""
    order, seen, stack = [], {entry}, [(entry, iter(successors(entry)))]
    while stack:
        node, rest = stack[-1]
        after = next((one for one in rest if one not in seen), None)
        if after is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(after)
            stack.append((after, iter(successors(after))))
    return order[::-1]


def dominators(entry):
    """{block: the one that dominates it immediately} (Cooper, Harvey and Kennedy 2001); the entry's is itself."""
    order = reverse_postorder(entry, lambda block: block.successors)
    number = {block: place for place, block in enumerate(order)}
    above = {entry: entry}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            found = None
            for before in block.predecessors:
                if before not in above:
                    continue
                other = before
                if found is None:
                    found = other
                while found is not other:
                    while number[found] > number[other]:
                        found = above[found]
                    while number[other] > number[found]:
                        other = above[other]
            if above.get(block) is not found:
                above[block] = found
                changed = True
    return above


def loops_of(blocks):
    """The natural loops of blocks_of(), outer ones before inner ones, each with its parent and its children."""
    entry = blocks[0]
    above = dominators(entry)
    number = {block: place for place, block in enumerate(reverse_postorder(entry, lambda one: one.successors))}

    def dominates(one, other):
        while number[other] > number[one]:
            other = above[other]
        return one is other

    bodies = {}
    for block in number:
        for after in block.successors:
            if number[after] > number[block]:
                continue
            if not dominates(after, block):
                raise SassError(f"{after.address:#x}: control comes into a loop at more than one place")
            body = bodies.setdefault(after, {after})
            waiting = [block]
            while waiting:
                one = waiting.pop()
                if one not in body:
                    body.add(one)
                    waiting.extend(before for before in one.predecessors if before in number)
    loops = [Loop(header, body) for header, body in bodies.items()]
    loops.sort(key=lambda loop: (-len(loop.blocks), loop.header.address))
    for place, loop in enumerate(loops):
        around = [outer for outer in loops[:place] if loop.header in outer.blocks and outer.header is not loop.header]
        if around:
            loop.parent = around[-1]  # the smallest
            loop.parent.children.append(loop)
    for loop in loops:
        loop.children.sort(key=lambda child: child.header.address)
    return loops
