"""One number for all results of a math function, to tell whether two devices give the same bits.

Inputs are normal numbers. Denormal results count as zeros of their sign, which is what some drivers make of them, and
every NaN is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

import numba_vulkan as nv
from numba_vulkan.frontend.math_lowering import library
from numba_vulkan.mathlib.table import FUNCTIONS
from unit.math_twin import FLOATS, twin

Array = np.ndarray
# Relative to tests/golden.
DIGESTS = Path("math") / "digests.txt"
SYMBOLS = [(name, precision) for name in FUNCTIONS for precision in ("f32", "f64")]
_COUNT = 6000
_BITS: dict[str, Any] = {"f32": np.uint32, "f64": np.uint64}
_SPECIAL = (0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, 10, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan)
_OF_PRODUCTS = ("complex_numbers", "sums", "fused")
# Smallest and largest operands where others would lead to denormal numbers on the way: what is left of a division, and
# squares and products in functions of complex numbers.
_RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("fmod", "remainder", "modulo", "floor_divide", "divmod"), (1e-20, np.inf)),
    **{name: (1e-9, 1e9) for name, row in FUNCTIONS.items() if row.single.__module__.endswith(_OF_PRODUCTS)},
    "cpow": (0.1, 10.0),
}


def _floats(precision: str, seed: int) -> Array:
    """Return numbers of all exponents, of those in use, near 1, and special ones."""
    words = np.random.PCG64(seed).random_raw(4 * _COUNT)
    width, unsigned = FLOATS[precision], _BITS[precision]
    # Not from NumPy's distributions, which may change.
    uniform = (words[_COUNT:] >> np.uint64(11)).astype(np.float64) * 2.0**-53 - 0.5
    parts = (
        (words[:_COUNT] >> np.uint64(64 - 8 * np.dtype(unsigned).itemsize)).astype(unsigned).view(width),
        uniform[:_COUNT] * 220,
        uniform[_COUNT : 2 * _COUNT] * 4,
        1 + uniform[2 * _COUNT :] / 8,
        np.array(_SPECIAL),
    )
    numbers = np.concatenate([part.astype(width) for part in parts])
    return numbers[~_is_denormal(numbers)]


def inputs(name: str, precision: str) -> list[Array]:
    """Return the operands of a function."""
    kinds = FUNCTIONS[name].operands
    columns = [_floats(precision, seed) for seed in range(1, len(kinds) + 1)]
    size = min(column.size for column in columns)
    orders = [np.argsort(np.random.PCG64(10 + k).random_raw(size), kind="stable") for k in range(len(kinds))]
    floats = [column[-size:][order] for column, order in zip(columns, orders, strict=True)]
    if name in _RANGES:
        floats = [_within(x, *_RANGES[name]) for x in floats]
    integers = (np.random.PCG64(4).random_raw(size) % np.uint64(81)).astype(np.int32) - 40
    return [floats[k] if kind == "f" else integers for k, kind in enumerate(kinds)]


def _within(values: Array, smallest: float, largest: float) -> Array:
    """Return the numbers with others in place of finite ones outside of a range; zeros stay."""
    sizes = np.abs(values)
    is_outside = ((sizes < smallest) & (sizes > 0)) | ((sizes > largest) & np.isfinite(sizes))
    return np.where(is_outside, values.dtype.type(0.75), values)


def _is_denormal(values: Array) -> Array:
    return (np.abs(values) < np.finfo(values.dtype).tiny) & (values != 0)


def digest(columns: list[Array]) -> str:
    """Return the name of some columns of results."""
    total = hashlib.sha256()
    for column in columns:
        if column.dtype.kind == "f":
            column = np.where(np.isnan(column), np.array(np.nan, column.dtype), column)
            column = np.where(_is_denormal(column), np.copysign(np.zeros_like(column), column), column)
        total.update(np.ascontiguousarray(column).tobytes())
    return total.hexdigest()[:16]


def expected_digests() -> dict[str, str]:
    """Return the digest of each function as it was agreed on."""
    lines = (Path(__file__).parent.parent / "golden" / DIGESTS).read_text().splitlines()
    return dict(line.split() for line in lines)


def on_cpu(name: str, precision: str) -> list[Array]:
    """Return the results of the source on Numba's CPU target."""
    results = twin(name, precision)(*inputs(name, precision))
    return list(results) if isinstance(results, tuple) else [results]


def _called(name: str, precision: str) -> Callable[..., Any]:
    """Return what calls a function of the library in a kernel."""
    row = FUNCTIONS[name]
    kinds = {"f": getattr(types, np.dtype(FLOATS[precision]).name), "i": types.int32}
    fields = [kinds[kind] for kind in row.results]
    result = fields[0] if len(fields) == 1 else types.Tuple(fields)
    lower = library(name)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return lower(context, builder, signature, args)

    parameters = ", ".join(f"x{k}" for k in range(len(row.operands)))
    namespace = {"result": result, "operands": [kinds[kind] for kind in row.operands], "generate": generate}
    source = f"def call(context, {parameters}):\n    return result(*operands), generate\n"
    exec(source, namespace)
    return intrinsic(namespace["call"])


def kernel(name: str, precision: str) -> Any:
    """Return a kernel that stores all results of a function, from one array per operand to one per result."""
    row = FUNCTIONS[name]
    given = [f"x{k}" for k in range(len(row.operands))]
    stored = [f"r{k}" for k in range(len(row.results))]
    source = f"""def run({", ".join(given + stored)}):
    i = nv.global_id(0)
    if i < x0.size:
        {", ".join(f"{r}[i]" for r in stored)} = call({", ".join(f"{x}[i]" for x in given)})
"""
    namespace = {"nv": nv, "call": _called(name, precision)}
    exec(source, namespace)
    return nv.jit(namespace["run"])


def on_device(name: str, precision: str) -> list[Array]:
    """Return the results on the current device."""
    operands = inputs(name, precision)
    kinds = {"f": FLOATS[precision], "i": np.int32}
    results = [np.zeros(operands[0].size, kinds[kind]) for kind in FUNCTIONS[name].results]
    kernel(name, precision).forall(operands[0].size)(*operands, *results)
    return results
