"""What only running a kernel can tell of a driver: asked once per driver version, kept in the cache folder.

A device starts the probes when it is opened, and waits for them when something depends on an answer: meanwhile the
driver compiles them, in threads of its own or while the front end compiles the first kernel.
"""

from __future__ import annotations

import hashlib
import json
import struct
import threading
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from .. import abi, settings
from ..errors import VulkanPrecisionWarning
from ..kernel import ArrayArgument, CompiledKernel, KernelInterface, TargetProfile, Variant
from .answers import ProbeAnswers
from .driver_file import DriverFile
from .info import DeviceInfo
from .probe_modules import words

__all__ = ["FENCES", "LOOP_ITERATIONS", "LOOP_RESULT", "PROBES", "Probe", "Probes", "StartKernel"]

# Starts a kernel of one workgroup on 32-bit words, the kernel's argument 0. What it returns waits for the kernel, and
# returns the words.
StartKernel = Callable[[CompiledKernel, tuple[int, ...]], Callable[[], tuple[int, ...]]]

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
# The bits of 2**-100.
_SMALL_BITS = 0x0D800000


@dataclass(frozen=True)
class Probe:
    """A kernel of one workgroup that asks a driver something.

    Attributes
    ----------
    name : str
        What `words` and the assembly file call it.
    module : tuple of int
        Its SPIR-V.
    given : tuple of int
        The words that it is run on.
    applies : callable
        Whether a device is asked.
    capabilities : tuple of str
        What it needs besides ``Shader``.
    """

    name: str
    module: tuple[int, ...]
    given: tuple[int, ...]
    applies: Callable[[DeviceInfo], bool]
    capabilities: tuple[str, ...] = ()


def hard_inverses() -> np.ndarray:
    """Return the numbers of the probe of inverses."""
    return (np.array(HARD_INVERSES, np.uint32) + 0x3F800000).view(np.float32)


def _is_cpu(info: DeviceInfo) -> bool:
    """Return whether shaders are compiled for a processor.

    A GPU's driver that stopped loops would not pass the conformance tests: such faults are those of compiling for CPUs.
    """
    return info.kind == "cpu"


PROBES = (
    Probe("floats", words.FLOATS, (ROUNDED_ITEMS, *[0] * 7, _SMALL_BITS), lambda info: True),
    Probe("doubles", words.DOUBLES, (ROUNDED_ITEMS, *[0] * 7), lambda info: info.float64, ("Float64",)),
    Probe(
        "inverses",
        words.INVERSES,
        (len(HARD_INVERSES), *hard_inverses().view(np.uint32).tolist()),
        lambda info: not _is_cpu(info),
    ),
    Probe("loop_limit", words.LOOP_LIMIT, (LOOP_ITERATIONS, 0), _is_cpu),
    Probe("divergent_fence", words.DIVERGENT_FENCE, (FENCES, 0), _is_cpu),
)
# Answers of other probes do not count.
_VERSION = hashlib.sha256(repr([(probe.module, probe.given) for probe in PROBES]).encode()).hexdigest()


class Probes:
    """The probes of a device.

    Parameters
    ----------
    info : DeviceInfo
        The device.
    start : callable
        Starts a probe on it.
    """

    def __init__(self, info: DeviceInfo, start: StartKernel) -> None:
        self._info = info
        self._lock = threading.Lock()
        self._file = DriverFile("probes", info)
        self._answers = _read(self._file)
        self._running: dict[str, Callable[[], tuple[int, ...]]] = {}
        self._is_judged = False
        if self._answers is None:
            asked = [probe for probe in PROBES if probe.applies(info)]
            self._running = {probe.name: start(_kernel(probe), probe.given) for probe in asked}

    def answers(self) -> ProbeAnswers:
        """Return what the probes say of the driver; waits for them, and warns once of what nothing corrects."""
        with self._lock:
            if self._answers is None:
                self._answers = _answers_in({name: result() for name, result in self._running.items()})
                self._running.clear()
                content = {"version": _VERSION, "answers": asdict(self._answers)}
                self._file.write(json.dumps(content).encode())
            answers, is_judged, self._is_judged = self._answers, self._is_judged, True
        if answers.uncorrected and not is_judged and settings.warnings.value():
            warnings.warn(VulkanPrecisionWarning(_complaint(self._info, answers)), stacklevel=2)
        return answers


def _read(file: DriverFile) -> ProbeAnswers | None:
    content = file.read()
    if not content:
        return None
    found = json.loads(content)
    if found["version"] != _VERSION:
        return None
    answers = found["answers"]
    return ProbeAnswers(**{**answers, "float64_faults": tuple(answers["float64_faults"])})


def _complaint(info: DeviceInfo, answers: ProbeAnswers) -> str:
    driver = f"the driver of {info.name!r} ({info.driver_name} {info.driver_info})"
    return (
        f"{driver} gets these operations, of float32 if nothing else is said, wrong: {', '.join(answers.uncorrected)}; "
        "results may differ from those on other devices, and the bounds of math functions do not hold: update the "
        "driver, or choose another device"
    )


# ---------------------------------------------------------------- what is right

_OPERATIONS = (
    "division",
    "square roots",
    "fused sums",
    "sums",
    "products",
    "products that are added to",
    "sums in the order that is written",
)
_FUSED = _OPERATIONS.index("fused sums")


def items_of(dtype: type[np.floating]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the items of a probe of rounding, a, b and c, as its shader computes them."""
    number = np.arange(1, ROUNDED_ITEMS + 1, dtype=np.uint32) + np.array([[0], [129], [258]], np.uint32)
    low, one, sign = number * np.uint32(0x9E3779B1), 0x3F800000, np.array([[0], [0], [1 << 31]], np.uint32)
    if dtype is np.float32:
        bits = low & 0x7FFFFF | one | sign
    else:
        high = number * np.uint32(0x85EBCA6B) & 0xFFFFF | 0x3FF00000 | sign
        bits = np.stack([low, high], axis=-1)
    a, b, c = bits.view(dtype).reshape(3, ROUNDED_ITEMS)
    return a, b, c


def results_of(dtype: type[np.floating]) -> tuple[np.ndarray, ...]:
    """Return what each of the operations gives for the items."""
    a, b, c = items_of(dtype)
    product = a * b
    exact = [
        float(Fraction(x) * Fraction(y) - Fraction(z))
        for x, y, z in zip(a.tolist(), b.tolist(), product.tolist(), strict=True)
    ]
    return a / b, np.sqrt(a), np.array(exact, dtype), a + b, product, a * c + b, (a + b) - a


def digest(values: np.ndarray) -> int:
    """Return the digest of the bits of numbers, as the shaders compute it."""
    found = 0
    for word in values.view(np.uint32).tolist():
        found = (found * 1664525 + word) & 0xFFFFFFFF
    return found


def _right(results: tuple[int, ...], dtype: type[np.floating]) -> tuple[bool, ...]:
    """Return which operations a driver gets right."""
    wanted = map(digest, results_of(dtype))
    return tuple(got == want for got, want in zip(results[1:], wanted, strict=False))


def _inverts_in_one_step(results: tuple[int, ...]) -> bool:
    """Return whether one step leads from what a driver found for the inverses to the nearest floats."""
    found = np.array(results[1:], np.uint32).view(np.float32)
    return all(map(_one_step_is_enough, hard_inverses().tolist(), found.tolist()))


def _one_step_is_enough(d: float, found: float) -> bool:
    """Return whether what a driver found for 1 / d, and some of what it lacks, rounds to the nearest float."""
    nearest, lack = float(np.float32(1) / np.float32(d)), float(np.float32(1 - d * found))
    refined = Fraction(found) * (1 + Fraction(lack))
    return abs(refined - Fraction(nearest)) < Fraction(1, 1 << 25)


# ---------------------------------------------------------------- answers


def _answers_in(results: dict[str, tuple[int, ...]]) -> ProbeAnswers:
    """Return what the words that the probes have left mean; what was not asked is as it should be.

    Only of inverses nobody knows that, where quotients are wrong: there they take two steps.
    """
    division, sqrt, fused, *steps = _right(results["floats"], np.float32)
    right = _right(results["doubles"], np.float64) if "doubles" in results else (True,) * len(_OPERATIONS)
    faults = [name for i, name in enumerate(_OPERATIONS) if not right[i] and i != _FUSED]
    return ProbeAnswers(
        loop_limit="loop_limit" in results and results["loop_limit"][1] != LOOP_RESULT,
        fences_end_loops="divergent_fence" in results and results["divergent_fence"][1] != FENCES,
        rounds_division=division,
        rounds_sqrt=sqrt,
        inverts_in_one_step=_inverts_in_one_step(results["inverses"]) if "inverses" in results else division,
        has_fused_fma=fused and right[_FUSED],
        **dict(zip(("rounds_sum", "rounds_product", "keeps_steps", "keeps_order"), steps, strict=True)),
        flushes_denormals=results["floats"][-1] == 0,
        float64_faults=tuple(faults),
    )


def _kernel(probe: Probe) -> CompiledKernel:
    binding = abi.array_binding(0)
    return CompiledKernel(
        interface=KernelInterface(probe.name, __file__, 1, (ArrayArgument(0, "i32", 1, "C"),)),
        variant=Variant(TargetProfile()),
        llvm_ir="",
        spirv=struct.pack(f"<{len(probe.module)}I", *probe.module),
        capabilities=("Shader", *probe.capabilities),
        bindings=frozenset({binding}),
        written_bindings=frozenset({binding}),
        reports_status=False,
    )
