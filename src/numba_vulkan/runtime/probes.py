"""What only running a kernel can tell of a driver: asked once per driver version, kept in the cache folder."""

from __future__ import annotations

import hashlib
import json
import struct
import warnings
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction

import numpy as np

from .. import abi, settings
from ..errors import VulkanPrecisionWarning
from ..kernel import ArrayArgument, CompiledKernel, KernelInterface, TargetProfile, Variant
from .answers import ProbeAnswers
from .driver_file import DriverFile
from .info import DeviceInfo
from .probe_modules import words

__all__ = [
    "FENCES",
    "LOOP_ITERATIONS",
    "LOOP_RESULT",
    "RunKernel",
    "answered",
    "answers_of",
    "rounding_items",
]

# Runs a kernel of one invocation on a buffer of 32-bit words, the kernel's argument 0, and returns these afterwards.
RunKernel = Callable[[CompiledKernel, np.ndarray], np.ndarray]

# llvmpipe of Mesa 22.3 stops after 65 535 iterations; the state of the generator of loop_limit.spvasm after all.
LOOP_ITERATIONS = 70_000
LOOP_RESULT = 0x66C58730
# It ends the loop of a lone invocation that has a fence in it after two.
FENCES = 9
# How many quotients, roots and fused sums are looked at; NVIDIA's driver 580 rounds 3 of 10 and 1 of 6 wrongly.
ROUNDED_ITEMS = 128
# Of all numbers in [1, 2), those of which one step from a float within three units does not always lead to the nearest
# float to the inverse, by their mantissas: tests/unit/test_correct_rounding.py tries all.
# fmt: off
HARD_INVERSES = (
    0x069913, 0x07CC45, 0x0EFA43, 0x109909, 0x16DBCF, 0x186799, 0x1BEAAF, 0x2013D1, 0x20DDD1, 0x224CF7, 0x26449F,
    0x276B84, 0x2AAAAC, 0x2B8BE1, 0x2D1367, 0x2E4F88, 0x31F990, 0x384A93, 0x423DC3, 0x466730, 0x4698D0, 0x4CCCD0,
    0x4F7D05, 0x4FBA38, 0x50AC19, 0x50DD0D, 0x525D25, 0x543D43, 0x5C23DD, 0x5E86A9, 0x5E9BD0, 0x605475, 0x61368B,
    0x625473, 0x658FD0, 0x68BA34, 0x6C7EC7, 0x6E4BC5, 0x700FF1, 0x702A3B, 0x70FF0F, 0x7C3237, 0x7E01FF, 0x7F44FE,
    0x7FFFF9, 0x7FFFFB, 0x7FFFFD, 0x7FFFFF,
)
# fmt: on
_STEPS = ("sums", "products", "products that are added to", "sums in the order that is written")
_DENORMAL_PRODUCT = (2.0**-100, 2.0**-30, 0.0)
# Answers of other modules do not count.
_VERSION = hashlib.sha256(
    repr(
        (
            words.LOOP_LIMIT,
            LOOP_ITERATIONS,
            words.DIVERGENT_FENCE,
            words.ROUNDING,
            ROUNDED_ITEMS,
            HARD_INVERSES,
            words.ARITHMETIC,
            words.DOUBLES,
        )
    ).encode()
).hexdigest()


def answered(info: DeviceInfo, run: RunKernel) -> DeviceInfo:
    """Return the same with what the probes say of the driver."""
    return replace(info, probes=answers_of(info, run))


def answers_of(info: DeviceInfo, run: RunKernel) -> ProbeAnswers:
    """Return what the probes say of a driver.

    Parameters
    ----------
    info : DeviceInfo
        The device.
    run : callable
        Runs a probe on it.
    """
    file = DriverFile("probes", info)
    answers = _read(file)
    if answers is None:
        answers = _asked(info, run)
        file.write(json.dumps({"version": _VERSION, "answers": asdict(answers)}).encode())
    if answers.uncorrected and settings.warnings.value():
        warnings.warn(VulkanPrecisionWarning(_complaint(info, answers)), stacklevel=2)
    return answers


def _complaint(info: DeviceInfo, answers: ProbeAnswers) -> str:
    driver = f"the driver of {info.name!r} ({info.driver_name} {info.driver_info})"
    return (
        f"{driver} gets these operations, of float32 if nothing else is said, wrong: {', '.join(answers.uncorrected)}; "
        "results may differ from those on other devices, and the bounds of math functions do not hold: update the "
        "driver, or choose another device"
    )


def _asked(info: DeviceInfo, run: RunKernel) -> ProbeAnswers:
    """Run the probes."""
    division, sqrt, inverse, fma = _rounds(run)
    faults, fuses_float64 = _float64(run) if info.float64 else ((), True)
    # A GPU's driver that stopped loops would not pass the conformance tests: these are faults of compiling for CPUs.
    is_cpu = info.kind == "cpu"
    return ProbeAnswers(
        loop_limit=is_cpu and _stops_loops(run),
        fences_end_loops=is_cpu and _stops_at_fences(run),
        rounds_division=division,
        rounds_sqrt=sqrt,
        inverts_in_one_step=inverse,
        has_fused_fma=fma and fuses_float64,
        float64_faults=faults,
        **_arithmetic(run),
    )


def _read(file: DriverFile) -> ProbeAnswers | None:
    content = file.read()
    if not content:
        return None
    found = json.loads(content)
    if found["version"] != _VERSION:
        return None
    answers = found["answers"]
    return ProbeAnswers(**{**answers, "float64_faults": tuple(answers["float64_faults"])})


def rounding_items() -> np.ndarray:
    """Return the operands of the probe of rounding: rows of a, b and the rounded -(a * b)."""
    spread = np.arange(1, 2 * ROUNDED_ITEMS + 1, dtype=np.uint64) * 0x9E3779B1 % (1 << 23)
    a, b = (spread.astype(np.uint32) + 0x3F800000).view(np.float32).reshape(2, -1)
    return np.stack([a, b, -(a * b)], axis=1)


def inverse_items() -> np.ndarray:
    """Return the operands of the probe of inverses, in the same way: 1, d, -d."""
    d = (np.array(HARD_INVERSES, np.uint32) + 0x3F800000).view(np.float32)
    return np.stack([np.ones_like(d), d, -d], axis=1)


def _rounds(run: RunKernel) -> tuple[bool, bool, bool, bool]:
    """Return whether division, square root, a refined inverse and the fused sum of float32 are rounded once."""
    hard, items = inverse_items(), rounding_items()
    given = np.zeros((len(hard) + ROUNDED_ITEMS, 6), np.float32)
    given[:, :3] = np.concatenate([hard, items])
    buffer = np.concatenate([np.array([len(given)], np.uint32), given.ravel().view(np.uint32)])
    got = run(_kernel("rounding", words.ROUNDING), buffer)[1:].view(np.float32).reshape(-1, 6)[:, 3:]
    a, b, c = items.T
    fused = (a.astype(np.float64) * b + c).astype(np.float32)
    wanted = (a / b, np.sqrt(a), fused)
    division, sqrt, fma = (
        bool(np.array_equal(g, w)) for g, w in zip(got[len(hard) :].T, wanted, strict=True)
    )
    inverse = all(map(_one_step_is_enough, hard[:, 1].tolist(), got[: len(hard), 0].tolist()))
    return division, sqrt, inverse, fma


def _one_step_is_enough(d: float, found: float) -> bool:
    """Return whether what a driver found for 1 / d, and some of what it lacks, rounds to the nearest float."""
    nearest, lack = float(np.float32(1) / np.float32(d)), float(np.float32(1 - d * found))
    refined = Fraction(found) * (1 + Fraction(lack))
    return abs(refined - Fraction(nearest)) < Fraction(1, 1 << 25)


def _arithmetic(run: RunKernel) -> dict[str, bool]:
    """Return what becomes of sums and products of float32, and of a denormal product."""
    a, b, _ = rounding_items().T
    # In this order one of each two is odd, so that their sum has to be rounded.
    b = b[::-1]
    items = np.concatenate([np.stack([a, b, -(a * b)], axis=1), [_DENORMAL_PRODUCT]]).astype(np.float32)
    given = np.zeros((len(items), 7), np.float32)
    given[:, :3] = items
    buffer = np.concatenate([np.array([len(items)], np.uint32), given.ravel().view(np.uint32)])
    got = run(_kernel("arithmetic", words.ARITHMETIC), buffer)[1:].view(np.float32).reshape(-1, 7)[:, 3:]
    c = items[:-1, 2]
    wanted = (a + b, a * b, a * b + c, (a + b) - a)
    names = ("rounds_sum", "rounds_product", "keeps_steps", "keeps_order")
    right = (bool(np.array_equal(g, w)) for g, w in zip(got[:-1].T, wanted, strict=True))
    return {**dict(zip(names, right, strict=True)), "flushes_denormals": bool(got[-1, 1] == 0)}


def float64_items() -> np.ndarray:
    """Return the operands of the probe of float64: rows of a, b and the rounded -(a * b)."""
    spread = np.arange(1, 2 * ROUNDED_ITEMS + 1, dtype=np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    ) >> np.uint64(12)
    a, b = (spread + (np.uint64(0x3FF) << np.uint64(52))).view(np.float64).reshape(2, -1)
    return np.stack([a, b, -(a * b)], axis=1)


def _float64(run: RunKernel) -> tuple[tuple[str, ...], bool]:
    """Return which operations of float64 a driver gets wrong, and whether its fused sum is rounded once."""
    items = float64_items()
    given = np.zeros((len(items), 10))
    given[:, :3] = items
    buffer = np.concatenate([np.array([len(items)], np.uint32), given.ravel().view(np.uint32)])
    returned = run(_kernel("doubles", words.DOUBLES, "Float64"), buffer)[1:].copy()
    quotient, root, fused, *others = returned.view(np.float64).reshape(-1, 10)[:, 3:].T
    a, b, c = items.T
    exact = [float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in items.tolist()]
    rows = (
        ("division", quotient, a / b),
        ("square roots", root, np.sqrt(a)),
        *zip(_STEPS, others, (a + b, a * b, a * b + c, (a + b) - a), strict=True),
    )
    wrong = tuple(name for name, got, wanted in rows if not np.array_equal(got, wanted))
    return wrong, bool(np.array_equal(fused, exact))


def _stops_loops(run: RunKernel) -> bool:
    result = run(_kernel("loop_limit", words.LOOP_LIMIT), np.array([LOOP_ITERATIONS, 0], np.uint32))
    return int(result[1]) != LOOP_RESULT


def _stops_at_fences(run: RunKernel) -> bool:
    result = run(_kernel("divergent_fence", words.DIVERGENT_FENCE), np.array([FENCES, 0], np.uint32))
    return int(result[1]) != FENCES


def _kernel(name: str, module: tuple[int, ...], *capabilities: str) -> CompiledKernel:
    binding = abi.array_binding(0)
    return CompiledKernel(
        interface=KernelInterface(name, __file__, 1, (ArrayArgument(0, "i32", 1, "C"),)),
        variant=Variant(TargetProfile()),
        llvm_ir="",
        spirv=struct.pack(f"<{len(module)}I", *module),
        capabilities=("Shader", *capabilities),
        bindings=frozenset({binding}),
        written_bindings=frozenset({binding}),
        reports_status=False,
    )
