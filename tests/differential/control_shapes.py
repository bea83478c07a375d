"""Control flow of typical shapes in the small IR, as text and by construction."""

from __future__ import annotations

from numba_vulkan import abi
from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.model import Block, Function, Instruction, Value
from numba_vulkan.llvmir.types import I32, VOID

__all__ = [
    "elif_chain",
    "jumps_to_one_block",
    "nested_conditions",
    "nested_loops",
    "sequential_conditions",
    "wide_switch",
]

# Bindings of arrays of i32: bits that decide where to go, and what blocks add up.
BITS, SUM = abi.array_binding(0), abi.array_binding(1)


class Shape:
    """A function under construction; blocks leave their numbers in a hash, which the end stores."""

    def __init__(self, name: str) -> None:
        self.function = Function(name, VOID)
        build = self.begin(self.block())
        self.lane = build.call("nv.id.global", I32, build.i32(0))
        self.seed = build.call(abi.load_name("i32"), I32, build.i32(BITS), self.lane)
        self.hash = build.alloca(I32, "hash")
        build.store(build.i32(1), self.hash)

    def block(self) -> Block:
        """Return a new block that is not yet in the function."""
        return Block("")

    def begin(self, block: Block) -> Builder:
        """Append a block to the function and return a builder for it."""
        block.name = f"b{len(self.function.blocks)}"
        self.function.blocks.append(block)
        return Builder(block.instructions)

    def count(self, build: Builder) -> None:
        """Add the number of the block to the hash."""
        mixed = build.binary("mul", build.load(self.hash, I32), build.i32(31))
        build.store(build.binary("add", mixed, build.i32(len(self.function.blocks))), self.hash)

    def draw(self, build: Builder, number: int) -> Value:
        """Return a bit that depends on the invocation's seed and on a number."""
        mixed = build.binary("xor", self.seed, build.i32(number * 40503))
        mixed = build.binary("mul", mixed, build.i32(1664525))
        return build.icmp("slt", mixed, build.i32(0))

    def end(self, build: Builder) -> Function:
        """End the function with the last block."""
        self.count(build)
        build.call(abi.store_name("i32"), VOID, build.i32(SUM), self.lane, build.load(self.hash, I32))
        build.emit(Instruction("ret", VOID, []))
        return self.function


def sequential_conditions(count: int) -> Function:
    """``if c: ...`` one after the other."""
    shape = Shape("sequential")
    build = Builder(shape.function.blocks[0].instructions)
    for number in range(count):
        inside, after = shape.block(), shape.block()
        build.branch_if(shape.draw(build, number), inside, after)
        build = shape.begin(inside)
        shape.count(build)
        build.branch(after)
        build = shape.begin(after)
        shape.count(build)
    return shape.end(build)


def nested_conditions(count: int) -> Function:
    """``if c: ...`` one inside the other, each with something after its inner one."""
    shape = Shape("nested")
    build = Builder(shape.function.blocks[0].instructions)
    joins: list[Block] = []
    for number in range(count):
        inside, join = shape.block(), shape.block()
        build.branch_if(shape.draw(build, number), inside, join)
        joins.append(join)
        build = shape.begin(inside)
        shape.count(build)
    for join in reversed(joins):
        build.branch(join)
        build = shape.begin(join)
        shape.count(build)
    return shape.end(build)


def elif_chain(count: int) -> Function:
    """``if ... elif ... elif ... else``."""
    shape = Shape("elif")
    build = Builder(shape.function.blocks[0].instructions)
    join = shape.block()
    for number in range(count):
        inside, other = shape.block(), shape.block()
        build.branch_if(shape.draw(build, number), inside, other)
        build = shape.begin(inside)
        shape.count(build)
        build.branch(join)
        build = shape.begin(other)
    build.branch(join)
    build = shape.begin(join)
    return shape.end(build)


def jumps_to_one_block(count: int) -> Function:
    """A long sequence from which every block may jump to the end."""
    shape = Shape("jumps")
    build = Builder(shape.function.blocks[0].instructions)
    join = shape.block()
    for number in range(count):
        following = shape.block()
        build.branch_if(shape.draw(build, number), join, following)
        build = shape.begin(following)
        shape.count(build)
    build.branch(join)
    build = shape.begin(join)
    return shape.end(build)


def nested_loops(depth: int, breaks: bool = False) -> Function:
    """``while`` loops one inside the other; with ``breaks`` the middle of each may leave all of them."""
    shape = Shape("loops")
    build = Builder(shape.function.blocks[0].instructions)
    join = shape.block()
    ends: list[tuple[Block, Block]] = []
    for number in range(depth):
        header, body, after = shape.block(), shape.block(), shape.block()
        build.branch(header)
        build = shape.begin(header)
        build.branch_if(shape.draw(build, number), body, after)
        ends.append((header, after))
        build = shape.begin(body)
        shape.count(build)
        if breaks:
            following = shape.block()
            build.branch_if(shape.draw(build, -number), join, following)
            build = shape.begin(following)
    for header, after in reversed(ends):
        build.branch(header)
        build = shape.begin(after)
        shape.count(build)
    build.branch(join)
    build = shape.begin(join)
    return shape.end(build)


def wide_switch(count: int) -> Function:
    """A switch with many cases, half of which go on to a common block first."""
    shape = Shape("switch")
    build = Builder(shape.function.blocks[0].instructions)
    shared, join = shape.block(), shape.block()
    cases = [shape.block() for _ in range(count)]
    chosen = build.binary("urem", shape.seed, build.i32(count))
    details = tuple(range(count))
    build.emit(Instruction("switch", VOID, [chosen], detail=details, targets=[join, *cases]))
    for number, case in enumerate(cases):
        build = shape.begin(case)
        shape.count(build)
        build.branch(shared if number % 2 else join)
    build = shape.begin(shared)
    shape.count(build)
    build.branch(join)
    build = shape.begin(join)
    return shape.end(build)
