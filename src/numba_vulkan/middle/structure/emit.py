"""Write the blocks of a plan, with their merge annotations, in an order in which dominators come first."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...llvmir.build import Builder
from ...llvmir.model import Block, Function, Instruction, LoopMerge, SelectionMerge, Value
from ...llvmir.types import I32, VOID
from .flow import Flow, copy_exit
from .plan import NOWHERE, Jump, Plan, jump_kind, target_position

__all__ = ["emit"]


class End(NamedTuple):
    """Where jumps that fall out of a region go, and whether they must store the position of their target."""

    block: Block
    reads_target: bool


class Way(NamedTuple):
    """One way out of a block, as the input has it: what it becomes, the block, its node (-1 for exits)."""

    kind: Jump
    block: Block
    node: int


class Edge(NamedTuple):
    """One way out of a block, as the output has it; ``stored`` goes to the target variable unless it is None."""

    block: Block
    stored: int | None = None


# Pieces of the output that are still to be made, in order.
Pieces = list[Callable[[], None]]


def emit(function: Function, flow: Flow, plan: Plan) -> None:
    """Replace the blocks of ``function`` by those of the plan."""
    emitter = _Emitter(function, flow, plan)
    emitter.queue([lambda: emitter.region(0, None)])
    while emitter.work:
        emitter.work.pop()()
    if emitter.target is not None:
        function.entry.instructions.insert(0, emitter.target)
    function.blocks = emitter.blocks


class _Emitter:
    """The output so far, and what is still to do on an explicit stack."""

    def __init__(self, function: Function, flow: Flow, plan: Plan) -> None:
        self.flow = flow
        self.plan = plan
        self.blocks: list[Block] = []
        self.work: Pieces = []
        # The variable that holds the position of the target of a jump on its way there.
        self.target: Instruction | None = None
        # Where in the user's source each block ends.
        self.locations = [block.terminator.location for block in flow.blocks]
        self.names = {block.name for block in function.blocks}
        # What stands in front of a loop that is not simply branched to.
        self.entries: dict[int, Block] = {}
        loop_count = len(flow.loops.headers)
        self.headers: list[Block | None] = [None] * loop_count
        self.continues: list[Block | None] = [None] * loop_count
        self.merges: list[End | None] = [None] * loop_count

    # ---- blocks

    def queue(self, pieces: Pieces) -> None:
        """Make ``pieces`` next, in this order."""
        self.work.extend(reversed(pieces))

    def new_block(self, node: int, role: str) -> Block:
        """Return an empty block named after a node's block and what it is there for."""
        base = f"{self.flow.blocks[node].name}.{role}"
        name, count = base, 1
        while name in self.names:
            name, count = f"{base}{count}", count + 1
        self.names.add(name)
        return Block(name)

    def placing(self, block: Block) -> Callable[[], None]:
        """Return the piece that is a finished block."""
        return lambda: self.blocks.append(block)

    def builder(self, block: Block, node: int) -> Builder:
        """Return a builder that appends to ``block`` at the location of the end of a node's block."""
        return Builder(block.instructions, self.locations[node])

    def jumping(self, node: int, role: str, edge: Edge) -> Block:
        """Return a new block that only takes an edge."""
        block = self.new_block(node, role)
        build = self.builder(block, node)
        self.store_target(build, edge.stored)
        build.branch(edge.block)
        return block

    def dead_end(self, node: int, role: str) -> Block:
        """Return a new block that control never reaches."""
        block = self.new_block(node, role)
        self.builder(block, node).emit(Instruction("unreachable", VOID))
        return block

    def target_variable(self) -> Instruction:
        """Return the target variable; it is declared at its first use."""
        if self.target is None:
            self.target = Builder([]).alloca(I32, "target")
        return self.target

    def store_target(self, build: Builder, position: int | None) -> None:
        """Emit the store of a target if there is one."""
        if position is not None:
            build.store(build.i32(position), self.target_variable())

    def entry(self, node: int) -> Block:
        """Return the block that conditional branches to a node's region go to."""
        if not self.flow.loops.is_header(node):
            return self.flow.blocks[node]
        if node not in self.entries:
            self.entries[node] = self.jumping(node, "enter", Edge(self.loop_header(node)))
        return self.entries[node]

    def loop_header(self, node: int) -> Block:
        """Return the block with the loop annotation of the loop that begins at ``node``."""
        loop = self.flow.loops.innermost[node]
        block = self.headers[loop]
        if block is None:
            block = self.headers[loop] = self.new_block(node, "loop")
        return block

    # ---- regions

    def region(self, node: int, end: End | None) -> None:
        """Emit a node with all that hangs below it; what falls out of it goes to ``end``."""
        if not self.flow.loops.is_header(node):
            self.body(node, end)
            return
        loop = self.flow.loops.innermost[node]
        header, continue_ = self.loop_header(node), self.new_block(node, "continue")
        merge, pieces = self.after_loop(node, end)
        self.continues[loop], self.merges[loop] = continue_, merge
        header.merge = LoopMerge(merge.block, continue_)
        self.builder(header, node).branch(self.flow.blocks[node])
        self.builder(continue_, node).branch(header)
        if node in self.entries:
            self.blocks.append(self.entries[node])
        self.blocks.append(header)
        self.queue([lambda: self.body(node, None), self.placing(continue_), *pieces])

    def after_loop(self, node: int, end: End | None) -> tuple[End, Pieces]:
        """Return the merge block of a loop and all that follows the loop in its region."""
        plan, loop = self.plan, self.flow.loops.innermost[node]
        around = self.flow.loops.parent(loop)
        follow, pieces = self.chain(node, plan.after[node], end)
        ways: list[tuple[str, int, End]] = []
        if plan.leaves[loop]:
            outer = self.merges[around]
            assert outer is not None
            ways.append(("ugt", plan.continue_position[around], outer))
        if plan.continues[loop]:
            outer_continue = self.continues[around]
            assert outer_continue is not None
            ways.append(("eq", plan.continue_position[around], End(outer_continue, False)))
        if plan.falls[loop] != NOWHERE:
            assert follow is not None
            if not plan.after[node]:
                follow = self.passing(node, "merge", follow)
                pieces = [self.placing(follow.block)]
            ways.append(("", 0, follow))
        return self.dispatch(node, ways, pieces)

    def dispatch(self, node: int, ways: list[tuple[str, int, End]], pieces: Pieces) -> tuple[End, Pieces]:
        """Return the merge block of a loop that goes one of up to three ways, ``pieces`` following the last."""
        if not ways:
            block = self.dead_end(node, "merge")
            return End(block, False), [self.placing(block)]
        predicate, _, last = ways[-1]
        if len(ways) == 1:
            if not predicate:
                return last, pieces
            block = self.jumping(node, "merge", Edge(last.block))
            return End(block, last.reads_target), [self.placing(block)]
        following = last.block
        for test, bound, way in reversed(ways[:-1]):
            block = self.new_block(node, "merge")
            build = self.builder(block, node)
            condition = build.icmp(test, build.load(self.target_variable(), I32), build.i32(bound))
            build.branch_if(condition, way.block, following)
            pieces = [self.placing(block), *pieces]
            following = block
        return End(following, True), pieces

    def chain(self, node: int, children: list[int], end: End | None) -> tuple[End | None, Pieces]:
        """Return where to enter the merging or following children of a node, and these in order."""
        pieces: Pieces = []
        for child in reversed(children):
            if not self.plan.tested[child]:
                pieces.append(self.region_piece(child, end))
                end = End(self.entry(child), False)
                continue
            assert end is not None
            if not pieces:
                end = self.passing(child, "skip", end)
                pieces.append(self.placing(end.block))
            test = self.new_block(child, "test")
            build = self.builder(test, node)
            load = build.load(self.target_variable(), I32)
            condition = build.icmp("eq", load, build.i32(self.plan.position[child]))
            build.branch_if(condition, self.entry(child), end.block)
            test.merge = SelectionMerge(end.block)
            pieces += [self.region_piece(child, end), self.placing(test)]
            end = End(test, True)
        return end, pieces[::-1]

    def passing(self, node: int, role: str, end: End) -> End:
        """Return a new merge block that only goes on to ``end``."""
        return End(self.jumping(node, role, Edge(end.block)), end.reads_target)

    def region_piece(self, node: int, end: End | None) -> Callable[[], None]:
        """Return the piece that is a region."""
        return lambda: self.region(node, end)

    # ---- branches

    def body(self, node: int, end: End | None) -> None:
        """Emit a node's block, its branch and what hangs below it, but for the loop around them."""
        block = self.flow.blocks[node]
        self.blocks.append(block)
        last = block.terminator
        if last.opcode not in ("br", "switch"):
            return
        block.instructions.pop()
        build = self.builder(block, node)
        ways = [self.way(node, target) for target in last.targets]
        if all(way.block is ways[0].block for way in ways):
            self.unconditional(node, ways[0], end, build)
        elif last.opcode == "switch":
            self.switch(node, last, ways, end)
        else:
            self.conditional(node, last.operands[0], ways, end)

    def way(self, node: int, target: Block) -> Way:
        """Classify a branch target of a node's block."""
        index = self.flow.index.get(target, -1)
        kind = Jump.EXIT if index < 0 else jump_kind(self.flow, self.plan, node, index)
        return Way(kind, target, index)

    def edge(self, node: int, way: Way, end: End | None) -> Edge:
        """Return how a jump leaves a node's block."""
        loop = self.flow.loops.innermost[node]
        if way.kind is Jump.CONTINUE:
            continue_ = self.continues[loop]
            assert continue_ is not None
            return Edge(continue_)
        if way.kind is Jump.BREAK:
            end = self.merges[loop]
        assert end is not None, f"nothing follows {self.flow.blocks[node]}"
        return Edge(end.block, self.position(node, way) if end.reads_target else None)

    def position(self, node: int, way: Way) -> int:
        """Return the position that a jump goes to."""
        return target_position(self.flow, self.plan, node, way.node)

    def side(self, node: int, way: Way, end: End | None) -> tuple[Block, Callable[[], None]]:
        """Return a block of its own for a side of a branch, and the piece to emit for it."""
        if way.kind is Jump.NESTED:
            return self.entry(way.node), self.region_piece(way.node, end)
        if way.kind is Jump.EXIT:
            block = self.new_block(node, "exit")
            block.instructions.append(copy_exit(way.block.terminator))
        else:
            block = self.jumping(node, "go", self.edge(node, way, end))
        return block, self.placing(block)

    def unconditional(self, node: int, way: Way, end: End | None, build: Builder) -> None:
        """End a node's block with its only way out."""
        if way.kind is Jump.NESTED:
            is_loop = self.flow.loops.is_header(way.node)
            build.branch(self.loop_header(way.node) if is_loop else way.block)
            inner, rest = self.chain(node, self.plan.merging[node], end)
            self.queue([self.region_piece(way.node, inner), *rest])
        elif way.kind is Jump.EXIT:
            build.instructions.append(copy_exit(way.block.terminator))
        else:
            edge = self.edge(node, way, end)
            self.store_target(build, edge.stored)
            build.branch(edge.block)

    def conditional(self, node: int, condition: Value, ways: list[Way], end: End | None) -> None:
        """End a node's block with a conditional branch to two different targets."""
        block = self.flow.blocks[node]
        kinds = {way.kind for way in ways}
        if kinds == {Jump.FALL} or kinds <= _LOOP_JUMPS:
            self.branch(node, condition, [self.edge(node, way, end) for way in ways])
        elif kinds & _LOOP_JUMPS:
            # One side leaves, so the other one goes on in the same construct.
            other = next(way for way in ways if way.kind not in _LOOP_JUMPS)
            inside, piece = self.side(node, other, end)
            self.branch(
                node, condition, [Edge(inside) if w is other else self.edge(node, w, end) for w in ways]
            )
            self.queue([piece])
        elif alone := [way for way in ways if self.never_falls(way)]:
            # One side never meets the other one, which stands at the merge block.
            (first, first_piece), (second, second_piece) = [self.side(node, way, end) for way in ways]
            self.branch(node, condition, [Edge(first), Edge(second)])
            pieces = [first_piece, second_piece]
            if alone[0] is ways[0]:
                block.merge = SelectionMerge(second)
            else:
                block.merge = SelectionMerge(first)
                pieces.reverse()
            self.queue(pieces)
        else:
            self.selection(node, condition, ways, end)

    def never_falls(self, way: Way) -> bool:
        """Whether control that goes this way never meets the other way of the branch."""
        return way.kind is Jump.EXIT or (way.kind is Jump.NESTED and not self.plan.falls_through(way.node))

    def selection(self, node: int, condition: Value, ways: list[Way], end: End | None) -> None:
        """End a node's block with a branch whose sides meet at a merge block."""
        inner, rest = self.merge_of(node, end)
        pieces: Pieces = []
        edges: list[Edge] = []
        for way in ways:
            if way.kind is Jump.NESTED:
                inside, piece = self.side(node, way, inner)
                pieces.append(piece)
                edges.append(Edge(inside))
            else:
                edges.append(self.edge(node, way, inner))
        self.branch(node, condition, edges)
        self.flow.blocks[node].merge = SelectionMerge(inner.block)
        self.queue([*pieces, *rest])

    def merge_of(self, node: int, end: End | None) -> tuple[End, Pieces]:
        """Return the merge block of a branch of which a side falls, and what follows it in the node's region."""
        if self.plan.merging[node]:
            inner, rest = self.chain(node, self.plan.merging[node], end)
            assert inner is not None
            return inner, rest
        assert end is not None, f"nothing follows {self.flow.blocks[node]}"
        inner = self.passing(node, "merge", end)
        return inner, [self.placing(inner.block)]

    def branch(self, node: int, condition: Value, edges: list[Edge]) -> None:
        """Append a conditional branch.

        A position is stored before the branch even if only one side needs it: who reads the variable has come by
        a later store if he came by the other side.
        """
        build = self.builder(self.flow.blocks[node], node)
        stored = [edge.stored for edge in edges if edge.stored is not None]
        if len(stored) == 2 and stored[0] != stored[1]:
            value = build.select(condition, build.i32(stored[0]), build.i32(stored[1]))
            build.store(value, self.target_variable())
        elif stored:
            self.store_target(build, stored[0])
        if edges[0].block is edges[1].block:
            build.branch(edges[0].block)
        else:
            build.branch_if(condition, edges[0].block, edges[1].block)

    def switch(self, node: int, last: Instruction, ways: list[Way], end: End | None) -> None:
        """End a node's block with a switch; each target that is no nested child gets a block that jumps."""
        block = self.flow.blocks[node]
        if any(way.kind not in _LOOP_JUMPS and not self.never_falls(way) for way in ways):
            inner, rest = self.merge_of(node, end)
        else:
            unused = self.dead_end(node, "merge")
            inner, rest = End(unused, False), [self.placing(unused)]
        pieces: Pieces = []
        sides: dict[Block, Block] = {}
        for way in ways:
            if way.block in sides:
                continue
            if way.kind is Jump.FALL and not inner.reads_target:
                sides[way.block] = inner.block
                continue
            sides[way.block], piece = self.side(node, way, inner)
            pieces.append(piece)
        last.targets = [sides[way.block] for way in ways]
        block.instructions.append(last)
        block.merge = SelectionMerge(inner.block)
        self.queue([*pieces, *rest])


_LOOP_JUMPS = {Jump.CONTINUE, Jump.BREAK}
