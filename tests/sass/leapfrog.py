"""What a leapfrog costs: counts of instructions from the control flow graph of an HMC kernel.

**The leapfrog loop.** The loop over transitions is the outermost loop that is nested deepest; of the loops directly
within it the leapfrog loop is the one that is nested deepest, of several the one of most instructions. It must be that
of `Splitting::trajectory()`:

    for (l = 0;; ++l) {
      kick(); kick_along();            // a loop over the directions of the metric
      if (l == gradients) break;       // the only way out
      drift();
      if (l + 1 < gradients) evaluate<gradient>(); else evaluate<value_and_gradient>();
    }

so it has one block with a way out, which is not its last. Of the loops before that block one is nested deepest: the
loop over directions.

**The path of an ordinary leapfrog** goes from the header back to it. It leaves out the loop over directions, since a
metric without them passes it by. At other branches it goes
- where a jump compares the loop's own count (is this the last leapfrog, which needs the value too?) by the way of a
  count that is less than, or not equal to, what it is compared with; where the comparison is part of some logic, by the
  way of fewer instructions a row, as the gradient alone has fewer than value and gradient;
- else by the way through more loops, so that no row is passed by;
- of ways through as many loops, by that of fewer instructions: slow paths of a division, subnormal numbers and the like
  are not taken.

**Inner loops** on that path are counted by themselves, one pass of each, by the same rules, and divided by `unroll`: by
how much a pass moves the loop's counter. In a kernel that deals rows to the lanes of a warp (it has SHFL) a step of 32
is one row. Where the dimension is fixed and at most 32 the only inner loops are those over rows of a likelihood. In
other kernels there are loops over components, too, and the rest of an unrolled loop is one of its own: there `row` is
one pass of every one of them, which tells changes and no cost.
"""

from dataclasses import dataclass, field

from control_flow import blocks_of, loops_of, reverse_postorder
from dataflow import compared, counters, definitions, register, sources
from sass import SassError, target_of

COUNTS = ("all", "fma", "mufu", "shuffle", "load32", "load64", "load128", "const", "store", "local")


def kind_counts(instructions):
    """{what: how many} of COUNTS. `local` is what lies on the stack, spills among it; loads of 8 and 16 bits count as
    those of 32."""
    counts = dict.fromkeys(COUNTS, 0)
    for one in instructions:
        counts["all"] += 1
        width = "load128" if "128" in one.modifiers else "load64" if "64" in one.modifiers else "load32"
        what = {
            "FFMA": "fma",
            "DFMA": "fma",
            "MUFU": "mufu",
            "SHFL": "shuffle",
            "LD": width,
            "LDG": width,
            "LDS": width,
            "LDC": "const",
            "ULDC": "const",
            "ST": "store",
            "STG": "store",
            "STS": "store",
            "LDL": "local",
            "STL": "local",
        }.get(one.name)
        if what:
            counts[what] += 1
    return counts


@dataclass
class Pass:
    """A way through a loop, once: its own instructions, and those of one pass of each loop on the way."""

    instructions: list
    inner: list = field(default_factory=list)  # [Pass]
    unroll: int = None  # rows a pass; None where it could not be told

    @property
    def weight(self):
        """Instructions for one row of each loop."""
        return len(self.instructions) + sum(one.weight / (one.unroll or 1) for one in self.inner)

    @property
    def loops(self):
        return sum(1 + one.loops for one in self.inner)

    def all_inner(self):
        """The loops on the way, and those in them."""
        return [found for one in self.inner for found in [one, *one.all_inner()]]


@dataclass
class Leapfrog:
    loop: object
    path: Pass
    directions: object  # the loop over them
    branches_on_count: int

    def counts(self):
        return kind_counts(self.path.instructions)

    def row_counts(self):
        total = dict.fromkeys(COUNTS, 0.0)
        for one in self.path.all_inner():
            for what, count in kind_counts(one.instructions).items():
                total[what] += count / (one.unroll or 1)
        return total


class _Ways:
    """Finds the pass of a loop. Nodes are the loop's own blocks and the loops directly within it."""

    def __init__(self, function, left_out=()):
        self.function = function  # all its instructions: subroutines lie behind the code that calls them
        self.shuffles = any(one.name == "SHFL" for one in function)
        self.left_out = set(left_out)
        self.subroutines = {}

    def pass_of(self, loop, on_count=None):
        """`on_count`: {block: where an ordinary leapfrog goes from there; None where fewer instructions decide}."""
        on_count = on_count or {}
        owner = {block: child for child in loop.children for block in child.blocks}
        node_of = {block: owner.get(block, block) for block in loop.blocks}

        def successors(node):
            blocks = [node] if node in loop.blocks else node.blocks
            after = {place for block in blocks for place in block.successors}
            return sorted(
                {node_of[place] for place in after if place in loop.blocks and place is not loop.header} - {node},
                key=lambda one: one.address if one in loop.blocks else one.header.address,
            )

        def is_last(node):
            blocks = [node] if node in loop.blocks else node.blocks
            return any(loop.header in block.successors for block in blocks)

        best = {}
        for node in reversed(reverse_postorder(loop.header, successors)):
            if node in self.left_out:
                continue
            ways = {after: best[after] for after in successors(node) if after in best}
            if is_last(node):
                ways[loop.header] = Pass([])
            if not ways:
                continue
            known = on_count.get(node) and node_of[on_count[node]]
            if known in ways:
                way = ways[known]
            elif node in on_count:
                way = min(ways.values(), key=lambda one: one.weight)
            else:
                way = min(ways.values(), key=lambda one: (-one.loops, one.weight))
            if node in loop.blocks:
                best[node] = Pass(self.with_subroutines(node.instructions) + way.instructions, way.inner)
            else:
                inner = self.pass_of(node)
                inner.unroll = _unroll(node, self.shuffles)
                best[node] = Pass(way.instructions, [inner, *way.inner])
        if loop.header not in best:
            raise SassError(f"{loop.header.address:#x}: no way through the loop without one over directions")
        return best[loop.header]

    def with_subroutines(self, instructions):
        """With the shortest way through each subroutine that is called."""
        found = []
        for one in instructions:
            found.append(one)
            if one.name == "CALL":
                found += self.subroutine(target_of(one), one)
        return found

    def subroutine(self, address, call):
        if address not in self.subroutines:
            if address is None:
                raise SassError(f"{call.address:#x}: {call.opcode} calls what is not known")
            blocks = blocks_of(self.function, address)
            best = {}
            for block in reversed(reverse_postorder(blocks[0], lambda one: one.successors)):
                ways = [best[after] for after in block.successors if after in best]
                if block.instructions[-1].name == "RET":
                    ways.append([])
                if ways:
                    best[block] = self.with_subroutines(block.instructions) + min(ways, key=len)
            if blocks[0] not in best:
                raise SassError(f"{address:#x}: the subroutine does not return")
            self.subroutines[address] = best[blocks[0]]
        return self.subroutines[address]


def leapfrog_loop(loops):
    """The leapfrog loop among the loops of a kernel."""
    outermost = [loop for loop in loops if not loop.parent and loop.height > 2]
    if not outermost:
        raise SassError("no loop over transitions: none holds a loop that holds another")
    deepest = max(outermost, key=lambda loop: (loop.height, loop.instructions))
    return max(deepest.children, key=lambda loop: (loop.height, loop.instructions))


def _reached_before(loop, ends):
    """The blocks of the loop from which one of `ends` is reached without a pass of the header."""
    found, waiting = set(ends), list(ends)
    while waiting:
        block = waiting.pop()
        if block is loop.header:
            continue
        for before in block.predecessors:
            if before in loop.blocks and before not in found:
                found.add(before)
                waiting.append(before)
    return found


def loop_over_directions(loop):
    """The loop over the directions of the metric in the leapfrog loop: the deepest before its way out."""
    where = f"{loop.header.address:#x}"
    if len(loop.exits) != 1:
        raise SassError(
            f"{where}: the leapfrog loop is left at {len(loop.exits)} places, expected one, between kick and drift"
        )
    if not any(after in loop.blocks and after is not loop.header for after in loop.exits[0].successors):
        raise SassError(f"{where}: the leapfrog loop is left at its end, expected between kick and drift")
    before = _reached_before(loop, loop.exits)
    children = [child for child in loop.children if child.header in before]
    height = max((child.height for child in children), default=0)
    deepest = [child for child in children if child.height == height]
    if len(deepest) != 1:
        raise SassError(
            f"{where}: {len(deepest)} loops of {height} levels before the way out of the leapfrog loop, "
            "expected one, over the directions of the metric"
        )
    return deepest[0]


def _ordinary_way(loop, block, count):
    """Where the jump at the end of a block goes while the count is less than what it is compared with, or not equal to
    it; None where more than this comparison decides."""
    jump = block.instructions[-1]
    predicate = register(jump.guard)
    at = (
        definitions(loop, block, len(block.instructions) - 1, predicate)
        if predicate and len(jump.operands) == 1
        else []
    )
    if len(at) != 1:
        return None
    test = at[0][0].instructions[at[0][1]]
    if (
        test.name not in ("ISETP", "UISETP")
        or test.guard
        or test.operands[0] != predicate
        or test.operands[-1] not in ("PT", "UPT")
        or "AND" not in test.modifiers
    ):
        return None
    on_left = register(test.operands[2]) and count in sources(loop, *at[0], register(test.operands[2]))
    holds = {"NE": True, "EQ": False, "LT": on_left, "LE": on_left, "GT": not on_left, "GE": not on_left}[
        test.modifiers[0]
    ]
    jumps = holds != jump.guard.startswith("!")
    ways = [after for after in block.successors if (after.address == target_of(jump)) == jumps]
    return ways[0] if len(ways) == 1 else None


def _branches_on(loop, count):
    """{block: _ordinary_way()} of the loop's own blocks whose jump depends on the sum at `count`."""
    inner = {block for child in loop.children for block in child.blocks}
    return {
        block: _ordinary_way(loop, block, count)
        for block in loop.blocks - inner
        if len(block.successors) > 1 and any(count in sources(loop, *at) for at in compared(loop, block))
    }


def _unroll(loop, shuffles):
    steps = {abs(step) for block in loop.exits for step in counters(loop, block).values()} - {0}
    if len(steps) != 1:
        return None
    step = steps.pop()
    return step // 32 if shuffles and step % 32 == 0 else step


def measure(instructions):
    """The Leapfrog of an HMC kernel's instructions."""
    loop = leapfrog_loop(loops_of(blocks_of(instructions)))
    directions = loop_over_directions(loop)
    branches = {}
    for count in counters(loop, loop.exits[0]):
        branches.update(_branches_on(loop, count))
    branches.pop(loop.exits[0], None)
    path = _Ways(instructions, [directions]).pass_of(loop, branches)
    if path.inner and not branches:
        raise SassError(
            f"{loop.header.address:#x}: no jump in the leapfrog loop depends on its count, so that the gradient "
            "alone is not told from value and gradient"
        )
    return Leapfrog(loop, path, directions, len(branches))
