"""Kernels assembled by hand, for tests of the runtime that need no compiler."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from numba_vulkan.kernel import (
    ArrayArgument,
    CompiledKernel,
    KernelInterface,
    ScalarArgument,
    TargetProfile,
    Variant,
)
from numba_vulkan.parameters import Parameter, ParameterBlock, lay_out

SHADERS = Path(__file__).parent / "shaders"


@functools.cache
def assemble(name: str) -> bytes:
    """The SPIR-V of shaders/<name>.spvasm, validated: drivers crash on some invalid modules."""
    options = ["--target-env", "vulkan1.2"]
    source = str(SHADERS / f"{name}.spvasm")
    code = subprocess.run(
        ["spirv-as", *options, "-o", "-", source], check=True, capture_output=True, timeout=60
    )
    subprocess.run(["spirv-val", *options, "-"], check=True, input=code.stdout, timeout=60)
    return code.stdout


def kernel(
    name: str,
    arguments: tuple[ArrayArgument | ScalarArgument, ...],
    bindings: set[int],
    block: ParameterBlock | None = None,
    capabilities: tuple[str, ...] = ("Shader",),
    reports_status: bool = False,
) -> CompiledKernel:
    interface = KernelInterface(name, f"{name}.spvasm", 1, arguments, block or ParameterBlock())
    return CompiledKernel(
        interface=interface,
        variant=Variant(TargetProfile()),
        llvm_ir="",
        spirv=assemble(name),
        capabilities=capabilities,
        bindings=frozenset(bindings),
        written_bindings=frozenset(bindings),
        reports_status=reports_status,
    )


def words(count: int) -> ParameterBlock:
    """A block of so many i32 scalars."""
    return lay_out(tuple(Parameter(i, "scalar", 0, "i32") for i in range(count)))


def saxpy() -> CompiledKernel:
    """``y[i] = a * x[i] + y[i]``; x in binding 1, y in binding 2, push constants float a and int n."""
    block = lay_out((Parameter(2, "scalar", 0, "f32"), Parameter(0, "extent", 0, "i32")))
    arrays = (ArrayArgument(0, "f32", 1, "C"), ArrayArgument(1, "f32", 1, "C"))
    return kernel("saxpy", (*arrays, ScalarArgument(2, "f32", "float32")), {1, 2}, block)


def grid() -> CompiledKernel:
    """Writes the number of invocations, the workgroup size and the workgroup counts to seven words."""
    return kernel("grid", (ArrayArgument(0, "i32", 1, "C"),), {1})


def report(parameter_count: int) -> CompiledKernel:
    """Reports its parameter 0, and the one whose number is parameter 1 as payload; all behind the status words."""
    arguments = tuple(ScalarArgument(i, "i32", "int32") for i in range(parameter_count))
    return kernel("report", arguments, {0}, words(parameter_count), reports_status=True)


def increment_bytes() -> CompiledKernel:
    """Adds one to each element of an array of bytes."""
    capabilities = ("Shader", "Int8", "StorageBuffer8BitAccess")
    return kernel("bytes", (ArrayArgument(0, "i8", 1, "C"),), {1}, capabilities=capabilities)
