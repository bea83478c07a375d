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
    """A function under construction; each block leaves its number in a running sum."""

    def __init__(self, name: str) -> None:
        self.function = Function(name, VOID)
        build = self.begin(self.block())
        self.lane = build.call("nv.id.global", I32, build.i32(0))

    def block(self) -> Block:
        """Return a new block that is not yet in the function."""
        return Block("")

    def begin(self, block: Block) -> Builder:
        """Append a block to the function and return a builder for it."""
        block.name = f"b{len(self.function.blocks)}"
        self.function.blocks.append(block)
        return Builder(block.instructions)

    def count(self, build: Builder) -> None:
        """Add to the running sum of the invocation."""
        total = build.call(abi.load_name("i32"), I32, build.i32(SUM), self.lane)
        added = build.binary(
            "add", build.binary("mul", total, build.i32(3)), build.i32(len(self.function.blocks))
        )
        build.call(abi.store_name("i32"), VOID, build.i32(SUM), self.lane, added)

    def draw(self, build: Builder, number: int) -> Value:
        """Return a bit that depends on the invocation's seed and on a number."""
        seed = build.call(abi.load_name("i32"), I32, build.i32(BITS), self.lane)
        mixed = build.binary("mul", build.binary("xor", seed, build.i32(number * 40503)), build.i32(1664525))
        return build.icmp("slt", mixed, build.i32(0))

    def end(self) -> Function:
        """Return the function; the last block leaves it."""
        return self.function


def leave(build: Builder) -> None:
    """End a block by returning."""
    build.emit(Instruction("ret", VOID, []))


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
    leave(build)
    return shape.end()


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
    leave(build)
    return shape.end()


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
    shape.count(build)
    leave(build)
    return shape.end()


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
    shape.count(build)
    leave(build)
    return shape.end()


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
    shape.count(build)
    leave(build)
    return shape.end()


def wide_switch(count: int) -> Function:
    """A switch with many cases, half of which go on to a common block first."""
    shape = Shape("switch")
    build = Builder(shape.function.blocks[0].instructions)
    shared, join = shape.block(), shape.block()
    cases = [shape.block() for _ in range(count)]
    seed = build.call(abi.load_name("i32"), I32, build.i32(BITS), shape.lane)
    chosen = build.binary("urem", seed, build.i32(count))
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
    shape.count(build)
    leave(build)
    return shape.end()
