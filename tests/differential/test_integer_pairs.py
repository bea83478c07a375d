"""All pairs of integer types, all operators, at the edges of the types: natively, in words, and with int64 hidden."""

from __future__ import annotations

import functools
import linecache
import os
import random
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import numba_vulkan as nv
from differential.integer_expressions import CASTS, EDGES, Integer

ROWS = 300
TYPES = tuple(CASTS)
BINARY = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=")
UNARY = ("-x", "~x", "abs(x)", *(f"{name}(x)" for name in TYPES))
# Of one type only: of two, Numba unifies them first.
EXTREMA = ("min(x, y)", "max(x, y)")


def expressions_of(left: str) -> list[tuple[str, str]]:
    """Return the expressions of ``x`` and ``y``, each with the type of ``y``, for one type of ``x``."""
    binary = [(f"x {operator} y", right) for right in TYPES for operator in BINARY]
    return [*binary, *((text, left) for text in (*UNARY, *EXTREMA))]


def numbers(seed: str, name: str) -> list[int]:
    rng = random.Random(seed)
    info = np.iinfo(name)
    wide = [rng.randrange(int(info.min), int(info.max) + 1) >> rng.randrange(info.bits) for _ in range(ROWS)]
    return [rng.choice(EDGES[name]) if rng.random() < 0.8 else number for number in wide]


@functools.cache
def case(left: str) -> tuple[nv.dispatcher.VulkanDispatcher, list[np.ndarray], np.ndarray]:
    """Return a kernel for one type on the left, its arguments, and the right results."""
    expressions = expressions_of(left)
    place = f"<pairs of {left}>"
    source = f"def kernel(left, {', '.join(f'of_{name}' for name in TYPES)}, out):\n"
    source += "    i = nv.global_id(0)\n    if i < left.size:\n        x = left[i]\n"
    for k, (text, right) in enumerate(expressions):
        source += f"        out[{k}, i] = int64({text.replace('y', f'of_{right}[i]')})\n"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    namespace = {"nv": nv, **{name: getattr(numba, name) for name in TYPES}}
    exec(compile(source, place, "exec"), namespace)
    x = numbers(f"left {left}", left)
    ys = {name: numbers(f"{left} with {name}", name) for name in TYPES}
    expected = np.zeros((len(expressions), ROWS), np.int64)
    for k, (text, right) in enumerate(expressions):
        code = compile(f"int64({text})", "<expression>", "eval")
        for row in range(ROWS):
            arguments = {"x": Integer(x[row], left), "y": Integer(ys[right][row], right)}
            expected[k, row] = eval(code, {**CASTS, **arguments}).value
    arguments = [np.array(x, left), *(np.array(y, name) for name, y in ys.items())]
    return nv.jit(namespace["kernel"]), arguments, expected


def difference(left: str) -> str:
    """Say which operation differs on the selected device, and for which operands."""
    kernel, arguments, expected = case(left)
    found = np.zeros_like(expected)
    kernel.forall(ROWS)(*arguments, found)
    if (found == expected).all():
        return ""
    wrong = []
    for k, (text, right) in enumerate(expressions_of(left)):
        rows = np.flatnonzero(found[k] != expected[k])
        if rows.size:
            row = rows[0]
            y = arguments[1 + TYPES.index(right)][row]
            wrong.append(
                f"{text} for {left} x={arguments[0][row]}, {right} y={y}: {found[k, row]} instead of {expected[k, row]}"
            )
    return "\n".join(wrong)


QUICK = ("uint8", "int64", "uint64")


@pytest.mark.parametrize(
    "left", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in TYPES]
)
def test_all_operators(device, left):
    found = difference(left)
    if found:
        pytest.fail(found, pytrace=False)


HIDDEN = """
import sys
import numba_vulkan as nv
from differential.test_integer_pairs import difference
device = nv.select_device(sys.argv[1])
assert not device.profile.int64
print(difference(sys.argv[2]))
"""


@pytest.mark.needs("int64")
@pytest.mark.slow
@pytest.mark.parametrize("left", TYPES)
def test_all_operators_with_hidden_int64(device, left):
    """Hiding a feature is decided when a process opens its devices."""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    run = subprocess.run(
        [sys.executable, "-c", HIDDEN, device.info.name, left],
        check=False,
        env={**os.environ, "NUMBA_VULKAN_DISABLE": "int64", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == ""


# ---- conversions between integers and floats


@nv.jit
def convert(source, target):
    i = nv.global_id(0)
    if i < source.size:
        target[i] = source[i]


@pytest.mark.parametrize("integer", TYPES)
@pytest.mark.parametrize("real", ["float32", pytest.param("float64", marks=pytest.mark.needs("float64"))])
def test_integers_become_floats(device, integer, real):
    """Rounded once, to nearest, ties to even."""
    info = np.iinfo(integer)
    edges = [
        p + d for p in (1 << k for k in range(64)) for d in (-2, -1, 0, 1, 2, p >> 24, p >> 25, (p >> 24) * 3)
    ]
    edges = [e for e in {*edges, *(-e for e in edges), *EDGES[integer]} if info.min <= e <= info.max]
    source = np.array([*edges, *numbers(f"{integer} to {real}", integer)], integer)
    target = np.zeros(source.size, real)
    convert.forall(source.size)(source, target)
    np.testing.assert_array_equal(target, source.astype(real))


@pytest.mark.parametrize("integer", TYPES)
@pytest.mark.parametrize("real", ["float32", pytest.param("float64", marks=pytest.mark.needs("float64"))])
def test_floats_in_range_become_integers(device, integer, real):
    """Truncated; a negative number becomes an unsigned integer only if it truncates to zero."""
    info, step = np.iinfo(integer), np.finfo(real)
    magnitudes = np.ldexp(np.array([1, 1.25, 1.5, 1.999], real), np.arange(-3, info.bits)[:, None]).ravel()
    near = np.array(
        [0.0, -0.0, 0.5, -0.5, -0.999, step.smallest_subnormal, -step.tiny, 1 - step.epsneg], real
    )
    below = np.nextafter(np.array([2.0**info.bits, 2.0 ** (info.bits - 1)], real), real_zero(real))
    source = np.concatenate([magnitudes, -magnitudes, near, below, -below])
    # Exactly: the comparison of floats with the limits as Python integers.
    source = np.array([f for f in source.tolist() if info.min - 1 < f < info.max + 1 and fits(f, info)], real)
    assert source.size > 20
    target = np.zeros(source.size, integer)
    convert.forall(source.size)(source, target)
    np.testing.assert_array_equal(target, np.array([int(f) for f in source.tolist()], integer))


def real_zero(real: str) -> np.floating:
    return np.dtype(real).type(0)


def fits(number: float, info: np.iinfo) -> bool:
    return int(info.min) <= int(number) <= int(info.max)
