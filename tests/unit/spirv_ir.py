"""Hand-built kernels for the tests of the SPIR-V stage."""

from __future__ import annotations

import subprocess

from numba_vulkan.kernel import ArrayArgument, KernelInterface, ScalarArgument, TargetProfile, Variant
from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.model import Block, Function, Instruction, LoopMerge, SelectionMerge
from numba_vulkan.llvmir.types import F16, F32, F64, I1, I8, I16, I32, I64, PTR, VOID
from numba_vulkan.parameters import Parameter, lay_out
from numba_vulkan.spirv.emit import emit

TYPES = {"i1": I1, "i8": I8, "i16": I16, "i32": I32, "i64": I64, "f16": F16, "f32": F32, "f64": F64}
PROFILES = {
    "all": TargetProfile(),
    "no int64": TargetProfile(int64=False),
    "no float64": TargetProfile(float64=False),
    "neither": TargetProfile(int64=False, float64=False),
}
ALL = PROFILES["all"]


class Kernel:
    """A kernel under construction, with arrays named by their element types and then scalars."""

    def __init__(self, arrays: str = "", scalars: str = "") -> None:
        arguments = [ArrayArgument(k, element, 1, "C") for k, element in enumerate(arrays.split())]
        first = len(arguments)
        arguments += [ScalarArgument(first + k, type, type) for k, type in enumerate(scalars.split())]
        block = lay_out(tuple(Parameter(first + k, "scalar", 0, t) for k, t in enumerate(scalars.split())))
        self.first_scalar = first
        self.interface = KernelInterface("kernel", "kernel.py", 1, tuple(arguments), block)
        self.function = Function("kernel", VOID)
        self.builder: Builder
        self.begin(self.block("entry"))

    def block(self, name: str) -> Block:
        block = Block(name)
        self.function.blocks.append(block)
        return block

    def begin(self, block: Block) -> Block:
        """Continue in ``block``."""
        self.current = block
        self.builder = Builder(block.instructions)
        return block

    def id(self, name: str = "nv.id.global", axis: int = 0) -> Instruction:
        return self.builder.call(name, I32, self.builder.i32(axis))

    def scalar(self, k: int) -> Instruction:
        argument = self.interface.arguments[self.first_scalar + k]
        offset = self.interface.block.offset(argument.index, "scalar")
        return self.builder.call(f"nv.param.{argument.type}", TYPES[argument.type], self.builder.i32(offset))

    def load(self, k: int, index, element: str = "") -> Instruction:
        element = element or self.interface.arguments[k].element
        return self.builder.call(
            f"nv.load.{element}.{index.type}", TYPES[element], self.builder.i32(k + 1), index
        )

    def store(self, k: int, index, value, element: str = "") -> Instruction:
        element = element or self.interface.arguments[k].element
        return self.builder.call(
            f"nv.store.{element}.{index.type}", VOID, self.builder.i32(k + 1), index, value
        )

    def ret(self) -> None:
        self.builder.emit(Instruction("ret", VOID))

    def emit(
        self,
        profile: TargetProfile = ALL,
        *,
        aliased: bool = True,
        addressed: bool = False,
        lines: bool = False,
    ):
        return emit(self.function, self.interface, Variant(profile, aliased, addressed), lines=lines)


def saxpy() -> Kernel:
    """``if i < n: y[i] = a * x[i] + y[i]``."""
    kernel = Kernel("f32 f32", "f32 i32")
    i = kernel.id()
    inside, done = kernel.block("inside"), kernel.block("done")
    b = kernel.builder
    b.branch_if(b.icmp("ult", i, kernel.scalar(1)), inside, done)
    kernel.current.merge = SelectionMerge(done)
    kernel.begin(inside)
    b = kernel.builder
    product = b.binary("fmul", kernel.scalar(0), kernel.load(0, i))
    kernel.store(1, i, b.binary("fadd", product, kernel.load(1, i)))
    b.branch(done)
    kernel.begin(done)
    kernel.ret()
    return kernel


def loop() -> Kernel:
    """Sum the numbers below n, leaving early at an element that is zero."""
    kernel = Kernel("i32 i32", "i32")
    b, i = kernel.builder, kernel.id()
    counter, total = b.alloca(I32), b.alloca(I32)
    b.store(b.i32(0), counter)
    b.store(b.i32(0), total)
    header, body, more, latch, done = (kernel.block(n) for n in ("header", "body", "more", "latch", "done"))
    b.branch(header)
    kernel.begin(header)
    b = kernel.builder
    header.merge = LoopMerge(done, latch)
    b.branch_if(b.icmp("slt", b.load(counter, I32), kernel.scalar(0)), body, done)
    kernel.begin(body)
    b = kernel.builder
    b.branch_if(b.icmp("eq", kernel.load(0, b.load(counter, I32)), b.i32(0)), done, more)
    kernel.begin(more)
    b = kernel.builder
    b.store(b.binary("add", b.load(total, I32), b.load(counter, I32)), total)
    b.branch(latch)
    kernel.begin(latch)
    b = kernel.builder
    b.store(b.binary("add", b.load(counter, I32), b.i32(1)), counter)
    b.branch(header)
    kernel.begin(done)
    kernel.store(1, i, kernel.builder.load(total, I32))
    kernel.ret()
    return kernel


def step(kernel: Kernel, element, base, *indices) -> Instruction:
    """A pointer to an element of a variable."""
    return kernel.builder.emit(Instruction("getelementptr", PTR, [base, *indices], detail=element))


def spirv_val(spirv: bytes) -> None:
    """Assert that spirv-val accepts a module."""
    result = subprocess.run(
        ["spirv-val", "--target-env", "vulkan1.2", "-"],
        input=spirv,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 0, (result.stdout + result.stderr).decode()


def disassembly(spirv: bytes) -> str:
    """Return the text of a module."""
    result = subprocess.run(
        ["spirv-dis", "--no-color", "-"], input=spirv, capture_output=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode()
