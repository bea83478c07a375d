"""Math functions as they are compiled for a driver that rounds float32 wrongly and fuses products and sums.

No such driver is at hand in CI. The final IR runs in the interpreter, whose quotients and inverse roots are made as
wrong as such a driver's; the results have to be those of the CPU twin, bit by bit.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numba import types
from numba.core.compiler_lock import global_compiler_lock

from differential import interpreter, placeholders, semantics
from numba_vulkan import abi, mathbuild
from numba_vulkan.frontend import entry
from numba_vulkan.frontend.types import argument_type
from numba_vulkan.kernel import TargetProfile, Variant
from numba_vulkan.mathlib.table import FUNCTIONS
from numba_vulkan.middle import pipeline
from unit.math_errors import BOUNDS
from unit.math_identity import kernel
from unit.math_twin import twin

pytestmark = pytest.mark.slow

PROFILE = TargetProfile(
    rounds_division=False, rounds_sqrt=False, inverts_in_one_step=False, has_fused_fma=True
)
NAMES = (*BOUNDS, "fmod", "modulo", "floor_divide")
SPECIAL = (0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, 10, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 88.9, -100)


class Driver:
    """Quotients and inverse roots of float32 that are one or two units off."""

    def __init__(self) -> None:
        self.random = random.Random(1)
        self.exact = semantics.FLOAT_OPERATIONS["fdiv"]

    def divide(self, left: Any, right: Any) -> Any:
        quotient = self.exact(left, right)
        if not isinstance(quotient, np.float32) or not np.isfinite(quotient) or quotient == 0:
            return quotient
        return np.nextafter(quotient, np.float32(self.random.choice((-np.inf, np.inf))))

    def inverse_root(self, _state: object, x: Any) -> Any:
        return np.float32(1 / np.sqrt(np.float64(x)) * (1 + self.random.uniform(-2, 2) * 2**-24))


@pytest.fixture
def _imprecise(monkeypatch):
    driver = Driver()
    monkeypatch.setitem(semantics.FLOAT_OPERATIONS, "fdiv", driver.divide)
    monkeypatch.setitem(placeholders.FAMILIES, "nv.driver", lambda _name, _kind: driver.inverse_root)
    multiply_high = lambda _state, left, right: left * right >> 32  # noqa: E731
    monkeypatch.setitem(placeholders.FAMILIES, "nv.mulhi", lambda _name, _kind: multiply_high)


def arguments(seed: int) -> np.ndarray:
    """Return normal numbers in use, of many exponents, next to 1, and special ones."""
    rng = np.random.default_rng(seed)
    parts = (
        rng.uniform(-12, 12, 24),
        np.ldexp(rng.uniform(1, 2, 12), rng.integers(-60, 60, 12)),
        1 + 0.1 * rng.standard_normal(12),
        rng.permutation(SPECIAL),
    )
    return np.concatenate(parts).astype(np.float32)


@pytest.mark.usefixtures("_imprecise")
@pytest.mark.parametrize("name", NAMES)
def test_bits_are_those_of_the_cpu(name):
    mathbuild.install()
    count = len(FUNCTIONS[name].operands)
    given = [arguments(seed) for seed in range(count)]
    types_of_arrays = (argument_type(types.float32[::1]),) * (count + 1)
    assert abi.INVERSE_ROOT.startswith("nv.driver.")
    with global_compiler_lock:
        lowered = entry.lower(kernel(name, "f32"), types_of_arrays)
        program = interpreter.Program(pipeline.run(lowered, Variant(PROFILE, aliased=False)).function)
    got = np.zeros_like(given[0])
    memory = {k + 1: column for k, column in enumerate((*given, got))}
    for invocation in range(got.size):
        program.run(memory, {"nv.id.global": (invocation, 0, 0)}, [got.size] * 64)
    wanted = twin(name, "f32")(*given)
    differ = (got.view(np.uint32) != wanted.view(np.uint32)) & ~(np.isnan(got) & np.isnan(wanted))
    assert not differ.any(), [(column[differ].tolist()) for column in (*given, got, wanted)]
