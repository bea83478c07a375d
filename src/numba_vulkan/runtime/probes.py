"""What only running a kernel can tell of a driver: asked once per driver version, kept in the cache folder."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable

import numpy as np

from .. import abi
from ..kernel import ArrayArgument, CompiledKernel, KernelInterface, TargetProfile, Variant
from .driver_file import DriverFile
from .info import DeviceInfo, ProbeAnswers
from .probe_modules import words

__all__ = ["LOOP_ITERATIONS", "LOOP_RESULT", "RunKernel", "answers_of"]

# Runs a kernel of one invocation on a buffer of 32-bit words, the kernel's argument 0, and returns these afterwards.
RunKernel = Callable[[CompiledKernel, np.ndarray], np.ndarray]

# llvmpipe of Mesa 22.3 stops after 65 535 iterations; the state of the generator of loop_limit.spvasm after all.
LOOP_ITERATIONS = 70_000
LOOP_RESULT = 0x66C58730
# Answers of other modules do not count.
_VERSION = hashlib.sha256(repr((words.LOOP_LIMIT, LOOP_ITERATIONS)).encode()).hexdigest()


def answers_of(info: DeviceInfo, run: RunKernel) -> ProbeAnswers:
    """Return what the probes say of a driver.

    Parameters
    ----------
    info : DeviceInfo
        The device.
    run : callable
        Runs a probe on it.
    """
    # A GPU's driver that stopped loops would not pass the conformance tests; the fault is one of compiling for CPUs.
    if info.kind != "cpu":
        return ProbeAnswers(loop_limit=False)
    file = DriverFile("probes", info)
    known = _read(file)
    if known is not None:
        return known
    answers = ProbeAnswers(loop_limit=_stops_loops(run))
    file.write(json.dumps({"version": _VERSION, "loop_limit": answers.loop_limit}).encode())
    return answers


def _read(file: DriverFile) -> ProbeAnswers | None:
    content = file.read()
    if not content:
        return None
    found = json.loads(content)
    return ProbeAnswers(loop_limit=found["loop_limit"]) if found["version"] == _VERSION else None


def _stops_loops(run: RunKernel) -> bool:
    result = run(_kernel("loop_limit", words.LOOP_LIMIT), np.array([LOOP_ITERATIONS, 0], np.uint32))
    return int(result[1]) != LOOP_RESULT


def _kernel(name: str, module: tuple[int, ...]) -> CompiledKernel:
    binding = abi.array_binding(0)
    return CompiledKernel(
        interface=KernelInterface(name, __file__, 1, (ArrayArgument(0, "i32", 1, "C"),)),
        variant=Variant(TargetProfile()),
        llvm_ir="",
        spirv=struct.pack(f"<{len(module)}I", *module),
        capabilities=("Shader",),
        bindings=frozenset({binding}),
        written_bindings=frozenset({binding}),
        reports_status=False,
    )
