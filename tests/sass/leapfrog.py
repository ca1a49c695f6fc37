"""What a leapfrog costs: counts of instructions from the control flow graph of an HMC kernel.

**The leapfrog loop.** The loop over transitions is the outermost loop that is nested deepest; the leapfrog loop is one
of the loops directly within it that are nested deepest. `Splitting` in include/manychain/samplers/integrator.hpp writes
it in two ways, and it must be one of them:

    rolled()                                         ends_apart(), for each integrator
    for (l = 0;; ++l) {                              kick();
      kick();                                        for (l = 1; l < gradients; ++l) {
      if (l == gradients) break;                       drift();
      drift();                                         evaluate<gradient>();
      if (l + 1 < gradients)                           kick();
        evaluate<gradient>();                        }
      else                                           drift();
        evaluate<value_and_gradient>();              evaluate<value_and_gradient>();
    }                                                kick();

- One that is left between kick and drift, and nowhere else, is that of rolled(); of several the one of most
  instructions.
- Two that are left at their ends are those of ends_apart(). That of two stages asks whether its count is odd, which
  decides the fraction of its kick; the other one is the leapfrog loop.

kick() has a loop over the directions of the metric: in rolled() the deepest before the way out, in ends_apart() the
last one of all.

**The path of an ordinary leapfrog** goes from the header back to it. It leaves out the loop over directions, since a
metric without them passes it by. At other branches it goes
- where a jump compares the loop's own count (is this the last leapfrog, which needs the value too?) by the way of a
  count that is less than, or not equal to, what it is compared with; where the comparison is part of some logic, by the
  way of fewer instructions a row, as the gradient alone has fewer than value and gradient;
- else by the way through more loops, so that no row is passed by;
- of ways through as many loops, by that of fewer instructions: slow paths of a division, subnormal numbers, a warp that
  has diverged and the like are not taken.

**Inner loops** on that path are counted by themselves, one pass of each, by the same rules, and divided by `unroll`: by
how much a pass moves the loop's counter. Where it moves by the number of a chain's threads (blockDim.x), the rows are
dealt to the threads, and a pass is one row of each. Where the dimension is fixed and at most 32 the only inner loops
are those over rows of a likelihood, and exchanges. In other kernels there are loops over components, too, and the rest
of an unrolled loop is one of its own: there `row` is one pass of every one of them, which tells changes and no cost.

**Exchanges** between the threads of a chain, `ChainThreads::average()`, are counted by themselves: the leapfrog's own
blocks with SHFL in them, and inner loops with SHFL, of five passes, between threads that are 1, 2, 4, 8 and 16 apart.
Only a chain of 32 threads comes to them, and how many threads it has depends on the data: 32, if there are 64 terms or
more to deal. What is counted is
- a chain of 32 threads where the path has a loop over rows: it then goes where there is an exchange,
- a chain of one thread where it has none: the terms that such a model has, if any, are too few to be dealt. The loops
  of exchanges are then left out, as directions are; the way past the others has fewer instructions.
"""

from dataclasses import dataclass, field

from control_flow import Loop, blocks_of, loops_of, reverse_postorder
from dataflow import compared, counters, definitions, doubles, register, sources, strides
from sass import SassError, target_of

COUNTS = ("all", "fma", "mufu", "shuffle", "load32", "load64", "load128", "const", "store", "local")
EXCHANGE_COUNTS = ("all", "shuffle", "local")
EXCHANGE_PASSES = 5  # log2 of the lanes of a warp
_BLOCK_DIM_X = ("c[0x0][0x0]", "c[0x0][RZ]")


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
    is_exchange: bool = False
    exchanged: list = field(default_factory=list)  # own instructions of blocks in which threads exchange numbers

    @property
    def weight(self):
        """Instructions for one row of each loop."""
        own = len(self.instructions) + len(self.exchanged)
        return own + sum(one.weight / (one.unroll or 1) for one in self.inner)

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

    @property
    def rows(self):
        """The inner loops but exchanges."""
        return [one for one in self.path.all_inner() if not one.is_exchange]

    def row_counts(self):
        total = dict.fromkeys(COUNTS, 0.0)
        for one in self.rows:
            for what, count in kind_counts(one.instructions).items():
                total[what] += count / (one.unroll or 1)
        return total

    def exchange_counts(self):
        """Of EXCHANGE_COUNTS, all passes of a loop together."""
        once = kind_counts(self.path.exchanged)
        in_loops = kind_counts(
            [one for loop in self.path.all_inner() if loop.is_exchange for one in [*loop.instructions, *loop.exchanged]]
        )
        return {what: once[what] + EXCHANGE_PASSES * in_loops[what] for what in EXCHANGE_COUNTS}


class _Ways:
    """Finds the pass of a loop. Nodes are the loop's own blocks and the loops directly within it."""

    def __init__(self, function, blocks, left_out=(), exchanges=False):
        """`exchanges`: where threads may exchange numbers, they do."""
        self.function = function  # all its instructions: subroutines lie behind the code that calls them
        self.exchanges = exchanges
        self.whole = Loop(blocks[0], set(blocks))
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
                way = min(ways.values(), key=lambda one: (-one.loops, -self.shuffles(one), one.weight))
            if node in loop.blocks:
                own = self.with_subroutines(node.instructions)
                best[node] = (
                    Pass(way.instructions, way.inner, exchanged=own + way.exchanged)
                    if any(one.name == "SHFL" for one in own)
                    else Pass(own + way.instructions, way.inner, exchanged=way.exchanged)
                )
            else:
                inner = self.pass_of(node)
                inner.is_exchange = _is_exchange(node)
                inner.unroll = None if inner.is_exchange else _unroll(node, self.whole)
                best[node] = Pass(way.instructions, [inner, *way.inner], exchanged=way.exchanged)
        if loop.header not in best:
            raise SassError(f"{loop.header.address:#x}: no way through the loop without one over directions")
        return best[loop.header]

    def shuffles(self, way):
        return self.exchanges and bool(way.exchanged)

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
    largest = max(deepest.children, key=lambda loop: (loop.height, loop.instructions))
    if not _is_left_at_its_end(largest):
        return largest
    return _leapfrog_of_one_stage(
        [loop for loop in deepest.children if loop.height == largest.height and _is_left_at_its_end(loop)]
    )


def _is_left_at_its_end(loop):
    """Whether the loop is left at one place, from which control else goes to the header."""
    return len(loop.exits) == 1 and not any(
        after in loop.blocks and after is not loop.header for after in loop.exits[0].successors
    )


def _leapfrog_of_one_stage(loops):
    """The one of the leapfrog's and the two-stage integrator's loops that does not ask whether its count is odd."""
    where = ", ".join(f"{loop.header.address:#x}" for loop in loops)
    if len(loops) != 2:
        raise SassError(
            f"{where}: {len(loops)} leapfrog loop{'s are' if len(loops) > 1 else ' is'} left at the end, expected two: "
            "of the leapfrog and of two stages"
        )
    found = [loop for loop in loops if not _asks_for_odd_counts(loop)]
    if len(found) != 1:
        raise SassError(f"{where}: {2 - len(found)} leapfrog loops ask whether their count is odd, expected one")
    return found[0]


def _asks_for_odd_counts(loop):
    counts = set(counters(loop, loop.exits[0]))
    return any(
        one.name in ("LOP3", "ULOP3")
        and "0x1" in one.operands
        and any(
            counts & set(sources(loop, block, place, register(operand)))
            for operand in one.operands[1:]
            if register(operand)
        )
        for block in loop.blocks
        for place, one in enumerate(block.instructions)
    )


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


def _loops_behind(loop, child):
    """The loops directly within `loop` that are reached from its `child` without a pass of the header."""
    found, waiting = set(child.blocks), list(child.blocks)
    while waiting:
        for after in waiting.pop().successors:
            if after in loop.blocks and after is not loop.header and after not in found:
                found.add(after)
                waiting.append(after)
    return [other for other in loop.children if other is not child and other.header in found]


def loop_over_directions(loop):
    """The loop over the directions of the metric in the leapfrog loop."""
    where = f"{loop.header.address:#x}"
    if len(loop.exits) != 1:
        raise SassError(
            f"{where}: the leapfrog loop is left at {len(loop.exits)} places, expected one, between kick and drift or "
            "at its end"
        )
    if _is_left_at_its_end(loop):
        last = [child for child in loop.children if not _is_exchange(child) and not _loops_behind(loop, child)]
        if len(last) != 1:
            raise SassError(
                f"{where}: {len(last)} loops without SHFL at the end of the leapfrog loop, expected one, over the "
                "directions of the metric"
            )
        return last[0]
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


def _is_exchange(loop):
    """Whether threads exchange numbers in the loop. The distance between them must be twice as long in each pass."""
    shuffles = [
        (block, place)
        for block in (() if loop.children else loop.blocks)
        for place, one in enumerate(block.instructions)
        if one.name == "SHFL"
    ]
    for block, place in shuffles:
        one = block.instructions[place]
        distance = register(one.operands[3])
        steps = sources(loop, block, place, distance) if distance else []
        if "BFLY" not in one.modifiers or not steps or not all(doubles(loop, *step) for step in steps):
            raise SassError(f"{one.address:#x}: {one.opcode} in a loop, not between threads 1, 2, 4, 8 and 16 apart")
    return bool(shuffles)


def _unroll(loop, whole):
    """Rows a pass; `whole` has all blocks of the kernel. None where it could not be told."""
    constant = {abs(step) for block in loop.exits for step in counters(loop, block).values()} - {0}
    by_register = {step for block in loop.exits for step in strides(loop, block)}
    if len(constant) == 1 and not by_register:
        return constant.pop()
    if by_register and not constant:
        origins = [block.instructions[place] for step in by_register for block, place in sources(whole, *step)]
        if origins and all(one.operands[-1] in _BLOCK_DIM_X for one in origins):
            return 1
    return None


def measure(instructions):
    """The Leapfrog of an HMC kernel's instructions."""
    blocks = blocks_of(instructions)
    loop = leapfrog_loop(loops_of(blocks))
    directions = loop_over_directions(loop)
    rolled = not _is_left_at_its_end(loop)
    branches = {}
    if rolled:
        for count in counters(loop, loop.exits[0]):
            branches.update(_branches_on(loop, count))
        branches.pop(loop.exits[0], None)
    exchanges = [child for child in loop.children if _is_exchange(child)]
    path = _Ways(instructions, blocks, [directions, *exchanges]).pass_of(loop, branches)
    if rolled and path.inner and not branches:
        raise SassError(
            f"{loop.header.address:#x}: no jump in the leapfrog loop depends on its count, so that the gradient "
            "alone is not told from value and gradient"
        )
    if path.inner:
        path = _Ways(instructions, blocks, [directions], exchanges=True).pass_of(loop, branches)
    return Leapfrog(loop, path, directions, len(branches))
