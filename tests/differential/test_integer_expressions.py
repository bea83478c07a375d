"""Random integer expressions equal Numba's types and NumPy's values, natively, in words, and with int64 hidden."""

from __future__ import annotations

import functools
import linecache
import random

import numba
import numpy as np
import pytest

import numba_vulkan as nv
from differential.hidden_features import run_hiding
from differential.integer_expressions import (
    CASTS,
    COLUMNS,
    EDGES,
    Expression,
    Integer,
    kernel_text,
    random_expressions,
)

ROWS = 200


def columns_of(seed: int) -> list[np.ndarray]:
    """Return arguments of all types: edges, and numbers of all lengths."""
    rng = random.Random(f"columns {seed}")
    columns = []
    for dtype in COLUMNS.values():
        info = np.iinfo(dtype)
        values = []
        for _ in range(ROWS):
            wide = rng.randrange(int(info.min), int(info.max) + 1) >> rng.randrange(info.bits)
            values.append(rng.choice((rng.choice(EDGES[dtype]), wide)))
        columns.append(np.array(values, dtype))
    return columns


def kernel_of(text: str, place: str) -> nv.dispatcher.VulkanDispatcher:
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    namespace = {"nv": nv, **{name: getattr(numba, name) for name in CASTS}}
    exec(compile(text, place, "exec"), namespace)
    return namespace["kernel"]


def values_of(expressions: list[Expression], columns: list[np.ndarray]) -> np.ndarray:
    """Compute the expressions of each row in plain Python."""
    codes = [compile(f"int64({expression.text})", "<expression>", "eval") for expression in expressions]
    values = np.zeros((ROWS, len(expressions)), np.int64)
    for row in range(ROWS):
        arguments = {
            name: Integer(int(column[row]), COLUMNS[name])
            for name, column in zip(COLUMNS, columns, strict=True)
        }
        values[row] = [eval(code, {**CASTS, **arguments}).value for code in codes]
    return values


@functools.lru_cache(maxsize=64)
def case(seed: int) -> tuple[list[Expression], nv.dispatcher.VulkanDispatcher, list[np.ndarray], np.ndarray]:
    """Return expressions, their kernel, arguments, and the right results."""
    expressions, columns = random_expressions(seed, 6), columns_of(seed)
    kernel = kernel_of(kernel_text(expressions), f"<expressions {seed}>")
    return expressions, kernel, columns, values_of(expressions, columns)


def difference(seed: int) -> str:
    """Say which expression of a seed differs on the selected device, and for which arguments."""
    expressions, kernel, columns, expected = case(seed)
    found = np.zeros_like(expected)
    kernel.forall(ROWS)(*columns, found)
    if (found == expected).all():
        return ""
    row, k = np.argwhere(found != expected)[0].tolist()
    arguments = ", ".join(f"{name}={column[row]}" for name, column in zip(COLUMNS, columns, strict=True))
    return (
        f"expressions of seed {seed}, number {k}: {expressions[k].text}\n"
        f"is {found[row, k]} instead of {expected[row, k]} for {arguments}; "
        f"{int((found[:, k] != expected[:, k]).sum())} of {ROWS} rows differ"
    )


def test_random_expressions(device, program_numbers, program_seed):
    """One kernel of six expressions for ten programs of the control-flow test."""
    seed = program_seed + program_numbers[0]
    found = difference(seed)
    if found:
        pytest.fail(found, pytrace=False)


OPERATIONS = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=")


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_reference_equals_numpy(operation, dtype):
    edges = EDGES[dtype]
    x, y = (side.ravel() for side in np.meshgrid(np.array(edges, dtype), np.array(edges, dtype)))
    with np.errstate(all="ignore"):
        expected = eval(f"x {operation} y", {"x": x, "y": y})
    numbers = [(Integer(a, dtype), Integer(b, dtype)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    found = [eval(f"int64(a {operation} b)", {**CASTS, "a": a, "b": b}).value for a, b in numbers]
    np.testing.assert_array_equal(np.array(found), expected.astype(np.int64))


HIDDEN = """
from differential.test_integer_expressions import difference
found = [difference(seed) for seed in range({first}, {last})]
print("\\n".join(filter(None, found)))
"""


def test_random_expressions_with_hidden_int64(device, program_count, program_seed):
    last = program_seed + program_count // 30 + 1
    assert run_hiding("int64", device, HIDDEN.format(first=program_seed, last=last)) == ""
