"""The examples of docs/kernel-language.md run, and leave what Python leaves."""

import re
from pathlib import Path

import numpy as np
import pytest

from device.against_python import check, function_of

PAGE = Path(__file__).parents[2] / "docs" / "kernel-language.md"


def examples():
    supported = PAGE.read_text().split("# What cannot work")[0]
    return re.findall(r"^\|[^|]+\| `([^|]+)` \|$", supported, re.MULTILINE)


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
    body = re.sub(r"^((?:if|for) [^:]*(?:\[[^]]*\][^:]*)*): ", r"\1:\n    ", example).replace("; ", "\n")
    check(function_of(body, "x, y, m, out, n, t, r"), arguments, rtol=1e-6)


def test_the_page_has_examples(device):
    assert len(examples()) > 25
