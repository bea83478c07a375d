"""All pairs of integer types and all operators: natively, in words, and with int64 hidden.

Each with a fixed choice of numbers at the edges of the types, and with what Hypothesis thinks of.
"""

from __future__ import annotations

import functools
import linecache
import random
from collections.abc import Sequence
from types import CodeType

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import numba_vulkan as nv
from differential.hidden_features import run_hiding
from differential.integer_expressions import BOUNDS, CASTS, EDGES, Integer

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
def kernel_of(left: str) -> nv.dispatcher.VulkanDispatcher:
    """Return a kernel that computes all expressions for one type on the left."""
    place = f"<pairs of {left}>"
    source = f"def kernel(left, {', '.join(f'of_{name}' for name in TYPES)}, out):\n"
    source += "    i = nv.global_id(0)\n    if i < left.size:\n        x = left[i]\n"
    for k, (text, right) in enumerate(expressions_of(left)):
        source += f"        out[{k}, i] = int64({text.replace('y', f'of_{right}[i]')})\n"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    namespace = {"nv": nv, **{name: getattr(numba, name) for name in TYPES}}
    exec(compile(source, place, "exec"), namespace)
    return nv.jit(namespace["kernel"])


@functools.cache
def codes_of(left: str) -> list[tuple[CodeType, str]]:
    """Return the expressions for the reference, each with the type of ``y``."""
    return [
        (compile(f"int64({text})", "<expression>", "eval"), right) for text, right in expressions_of(left)
    ]


Rows = Sequence[tuple[int, ...]]


def difference_of(left: str, rows: Rows) -> str:
    """Say which operations differ on the selected device; a row has ``x`` and a ``y`` of each type."""
    codes = codes_of(left)
    expected = np.zeros((len(codes), len(rows)), np.int64)
    for i, (x, *ys) in enumerate(rows):
        right = {name: Integer(y, name) for name, y in zip(TYPES, ys, strict=True)}
        for k, (code, name) in enumerate(codes):
            expected[k, i] = eval(code, {**CASTS, "x": Integer(x, left), "y": right[name]}).value
    columns = [np.array(c, t) for c, t in zip(zip(*rows, strict=True), (left, *TYPES), strict=True)]
    found = np.zeros_like(expected)
    kernel_of(left).forall(len(rows))(*columns, found)
    wrong = []
    for k in np.flatnonzero((found != expected).any(axis=1)).tolist():
        row = int(np.flatnonzero(found[k] != expected[k])[0])
        text, right = expressions_of(left)[k]
        x, y = rows[row][0], rows[row][1 + TYPES.index(right)]
        wrong.append(f"{text} for {left} x={x}, {right} y={y}: {found[k, row]} instead of {expected[k, row]}")
    return "\n".join(wrong)


def edges_of(left: str) -> Rows:
    """Return rows of numbers mostly at the edges of the types."""
    columns = [numbers(f"left {left}", left), *(numbers(f"{left} with {name}", name) for name in TYPES)]
    return list(zip(*columns, strict=True))


def any_number(name: str) -> st.SearchStrategy[int]:
    return st.sampled_from(EDGES[name]) | st.integers(*BOUNDS[name])


def compare_any_numbers(left: str) -> None:
    """Compare what Hypothesis draws; it shows the smallest row that differs."""

    @given(st.lists(st.tuples(*map(any_number, (left, *TYPES))), min_size=1, max_size=8))
    def compare(rows: Rows) -> None:
        assert difference_of(left, rows) == ""

    compare()


QUICK = ("uint8", "int64", "uint64")


@pytest.mark.parametrize(
    "left", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in TYPES]
)
def test_all_operators(device, left):
    found = difference_of(left, edges_of(left))
    if found:
        pytest.fail(found, pytrace=False)


@pytest.mark.slow
@pytest.mark.parametrize("left", TYPES)
def test_all_operators_with_any_numbers(device, left):
    compare_any_numbers(left)


HIDDEN = """
from differential.test_integer_pairs import compare_any_numbers, difference_of, edges_of
print(difference_of({left!r}, edges_of({left!r})))
compare_any_numbers({left!r})
"""


@pytest.mark.needs("int64")
@pytest.mark.slow
@pytest.mark.parametrize("left", TYPES)
def test_all_operators_with_hidden_int64(device, left):
    assert run_hiding("int64", device, HIDDEN.format(left=left)) == ""
