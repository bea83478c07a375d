"""The examples of docs/kernel-language.md run, and leave what Python leaves."""

import re
from pathlib import Path

import numba
import numpy as np
import pytest

from device.against_python import check, function_of

PAGE = Path(__file__).parents[2] / "docs" / "kernel-language.md"


NAMES = {
    "scale": numba.njit(lambda v, w=2: v * w),
    "fill": numba.njit(lambda v, c: v.fill(c)),
    "ends": numba.njit(lambda v: (v[1:], v.size)),
    "made": numba.njit(lambda f, shape, dtype: f(np.ones(shape, dtype))),
    "last": numba.njit(lambda first, *rest: first + rest[-1]),
    "total": numba.njit(lambda v: v.sum()),
}
PARAMETERS = "x, y, m, out, n, t, r"


def examples():
    return re.findall(r"^\|[^|]+\| `([^|]+)` \|$", PAGE.read_text(), re.MULTILINE)


def body_of(example):
    """Return the statements of an example, one in each line."""
    lines = []
    for part in example.replace("@@", "; ").split("; "):
        head = re.match(r"((?:if|for|try|except) ?(?:[^:]*\[[^]]*\])*[^:\[]*): ", part)
        lines.append(f"{head[1]}:\n    {part[head.end() :]}" if head else part)
    return "\n".join(lines)


def arguments():
    return (
        np.arange(1, 7, dtype=np.float32),
        np.arange(6, 0, -1).astype(np.float32) / 2,
        np.arange(12, dtype=np.int32).reshape(3, 4),
        np.zeros(4, np.int64),
        5,
        (3, (4, 5, 6)),
        np.rec.array(
            [(k, k + 0.5, (k, 2 * k, 3), (k, 7)) for k in (3, 1, 2)],
            [("id", "u1"), ("mass", "f4"), ("v", "f4", (3,)), ("p", [("x", "f4"), ("y", "f4")])],
        ),
    )


@pytest.mark.parametrize("example", examples())
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_example(device, example):
    check(function_of(body_of(example), PARAMETERS, **NAMES), arguments, rtol=1e-6)


def test_the_pages_have_examples(device):
    assert len(examples()) > 45
