"""Random reducible control flow in the small IR: loops in loops, jumps over several levels, switches, phis.

The nodes stand in a line; loops are nested intervals that begin at their header. Any edge forward is allowed unless
it enters a loop beside its header, and so is any edge back to the header of a loop around its source. Every reducible
graph has such a line, so nothing is left out.

Each block mixes what it knows into values and into a running trace, stores the trace to a buffer, and decides by a
pseudo-random number where to go. When the fuel has run out, blocks go to their last target, mostly out of loops.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from numba_vulkan import abi
from numba_vulkan.graphs.dominators import DominatorTree, dominator_tree
from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.model import Block, Function, Instruction, Value
from numba_vulkan.llvmir.types import I1, I32, VOID

__all__ = ["SEEDS", "TRACE", "Shape", "random_function", "random_graph"]

# Bindings of generated functions, elements of i32: a seed per invocation; its last trace and its number of steps.
SEEDS, TRACE = abi.array_binding(0), abi.array_binding(1)


@dataclass(frozen=True)
class Shape:
    """How large and how wild a graph is.

    Attributes
    ----------
    nodes : int
        Number of blocks.
    loops : float
        Probability that a node begins a loop.
    switches, returns, backs : float
        Probability that a node ends in a switch; leaves the function; that one of its edges goes back.
    straight : float
        Probability that one of the edges of a node goes to the next node; 1.0 makes all nodes reachable.
    fuel : int
        After how many branches an invocation goes to last targets only.
    patience : int
        Of 2 ** ``patience`` times that a node with two targets has fuel, it goes to the last one once: with large
        numbers, loops run for long.
    silent : float
        Probability that a block with one target has no effect.
    """

    nodes: int
    loops: float = 0.25
    switches: float = 0.15
    returns: float = 0.08
    backs: float = 0.3
    straight: float = 0.7
    fuel: int = 60
    patience: int = 1
    silent: float = 0.0


def random_graph(rng: random.Random, shape: Shape) -> list[list[int]]:
    """Return the successors of each node in order, none if it leaves the function.

    Node 0 is the entry and begins no loop. Not every node can be reached.
    """
    count = shape.nodes
    # The headers of the loops around each node, outermost first, with the ends of these loops.
    around: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    open_loops: list[tuple[int, int]] = []
    for node in range(1, count):
        open_loops = [(header, end) for header, end in open_loops if node <= end]
        limit = open_loops[-1][1] if open_loops else count - 1
        if rng.random() < shape.loops and node < count - 1:
            open_loops.append((node, min(limit, node + rng.choice((0, 1, 2, 3, 5, 8, 13)))))
        around[node] = list(open_loops)
    successors: list[list[int]] = []
    for node in range(count):
        forward = _forward_targets(node, around)
        if not forward or (node and rng.random() < shape.returns):
            successors.append([])
            continue
        back = [header for header, _ in around[node]]
        ways = rng.randint(3, 5) if rng.random() < shape.switches else rng.choice((1, 2, 2, 2))
        targets = []
        for _ in range(ways):
            if back and rng.random() < shape.backs:
                targets.append(rng.choice(back[-1:] + back))
            else:
                # Near targets make deep nests, far ones jumps over many levels.
                targets.append(forward[min(int(rng.expovariate(0.6)), len(forward) - 1)])
        if node + 1 in forward and rng.random() < shape.straight:
            targets[rng.randrange(ways)] = node + 1
        successors.append(sorted(targets))
    return successors


def _forward_targets(node: int, around: list[list[tuple[int, int]]]) -> list[int]:
    """Return the later nodes that an edge from ``node`` may go to."""
    mine = around[node]
    allowed = []
    for target in range(node + 1, min(node + 80, len(around))):
        entered = [loop for loop in around[target] if loop not in mine]
        if all(header == target for header, _ in entered):
            allowed.append(target)
    return allowed


def random_function(rng: random.Random, shape: Shape) -> Function:
    """Return a kernel with random control flow; its invocations are numbered by ``nv.id.global``."""
    successors = random_graph(rng, shape)
    return _Writer(rng, shape, successors).write()


class _Writer:
    """Fills the blocks of a graph."""

    def __init__(self, rng: random.Random, shape: Shape, successors: list[list[int]]) -> None:
        self.rng = rng
        self.shape = shape
        self.successors = successors
        self.tree: DominatorTree = dominator_tree([list(dict.fromkeys(s)) for s in successors])
        self.blocks = [Block(f"b{node}") for node in range(len(successors))]
        # What each block defines, and all that dominates it.
        self.defined: dict[int, list[Value]] = {}
        self.phis: list[tuple[int, Instruction]] = []
        entry = Builder([])
        self.lane = entry.call("nv.id.global", I32, entry.i32(0))
        self.state, self.trace, self.fuel = (entry.alloca(I32, name) for name in ("state", "trace", "fuel"))
        seed = entry.call(abi.load_name("i32"), I32, entry.i32(SEEDS), self.lane)
        entry.store(seed, self.state)
        entry.store(entry.i32(0), self.trace)
        entry.store(entry.i32(shape.fuel), self.fuel)
        self.start = entry.instructions
        self.seed = seed

    def write(self) -> Function:
        function = Function("random", VOID)
        for node in self.tree.order:
            self.fill(node)
        for node, phi in self.phis:
            self.complete(node, phi)
        self.blocks[0].instructions[:0] = self.start
        # Blocks that cannot be reached stay, as loops of themselves.
        for block in self.blocks:
            if not block.instructions:
                Builder(block.instructions).branch(block)
        function.blocks = self.blocks
        return function

    def visible(self, node: int) -> list[Value]:
        """Return values that are defined wherever ``node`` runs, near ones last."""
        values: list[Value] = []
        while True:
            values[:0] = self.defined.get(node, [])
            if node == 0 or len(values) > 40:
                return [self.seed, *values]
            node = self.tree.parent(node)

    def pick(self, values: list[Value]) -> Value:
        near = self.rng.random() < 0.5
        return self.rng.choice(values[-4:] if near else values)

    def fill(self, node: int) -> None:
        build = Builder(self.blocks[node].instructions)
        self.defined[node] = []
        values = self.visible(node)
        known = len(values)
        if len(self.tree.predecessors[node]) > 1:
            for _ in range(self.rng.choice((0, 1, 1, 2))):
                phi = build.emit(Instruction("phi", I32, []))
                self.phis.append((node, phi))
                values.append(phi)
        for _ in range(self.rng.randint(0, 2)):
            opcode = self.rng.choice(("add", "sub", "mul", "xor", "and", "or"))
            result = build.emit(Instruction(opcode, I32, [self.pick(values), self.pick(values)]))
            values.append(result)
        self.defined[node] = values[known:]
        if self.shape.silent and len(self.successors[node]) == 1 and self.rng.random() < self.shape.silent:
            self.leave(node, build)
            return
        mixed = build.binary("mul", build.load(self.trace, I32), build.i32(31))
        mixed = build.binary("add", mixed, build.i32(node + 1))
        mixed = build.binary("xor", mixed, self.pick(values))
        build.store(mixed, self.trace)
        build.call(abi.store_name("i32"), VOID, build.i32(TRACE), self.lane, mixed)
        self.leave(node, build)

    def leave(self, node: int, build: Builder) -> None:
        """End a block: a draw while there is fuel, else the last target."""
        targets = [self.blocks[target] for target in self.successors[node]]
        if len(targets) < 2:
            build.emit(Instruction("br" if targets else "ret", VOID, [], targets=targets))
            return
        fuel = build.binary("sub", build.load(self.fuel, I32), build.i32(1))
        build.store(fuel, self.fuel)
        state = build.binary("mul", build.load(self.state, I32), build.i32(1664525))
        state = build.binary("add", state, build.i32(1013904223))
        build.store(state, self.state)
        draw = build.binary("lshr", state, build.i32(16))
        running = build.icmp("sgt", fuel, build.i32(0))
        if len(targets) == 2:
            bits = build.binary("and", draw, build.i32((1 << self.shape.patience) - 1))
            first = build.icmp("ne", bits, build.i32(0))
            condition = build.emit(Instruction("and", I1, [first, running]))
            build.branch_if(condition, targets[0], targets[1])
            return
        drawn = build.binary("urem", draw, build.i32(len(targets)))
        chosen = build.select(running, drawn, build.i32(len(targets) - 1))
        cases = tuple(range(len(targets) - 1))
        build.emit(Instruction("switch", VOID, [chosen], detail=cases, targets=[targets[-1], *targets[:-1]]))

    def complete(self, node: int, phi: Instruction) -> None:
        """Give a phi a value of each predecessor."""
        for source in self.tree.predecessors[node]:
            phi.operands.append(self.pick(self.visible(source)))
            phi.targets.append(self.blocks[source])
