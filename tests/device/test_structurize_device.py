"""Random control flow runs on the device as in the interpreter before it was structured; so do long shapes."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from differential import control_shapes
from differential.device_graphs import draw_seeds, interpreted, launched

TESTS = Path(__file__).parents[1]
PARTS = 5
GRAPHS = 100
# Of a part. A crash is the fault of LLVM 15 in llvmpipe; see differential.device_graphs.
CRASHES = 4


def run_graphs(name: str, seed: int, start: int, stop: int) -> tuple[list[str], int]:
    """Return the lines of the graphs that ran and how often the driver crashed."""
    lines: list[str] = []
    crashes = 0
    while start < stop:
        command = [sys.executable, "-m", "differential.device_graphs", name, *map(str, (seed, start, stop))]
        child = subprocess.run(command, check=False, cwd=TESTS, capture_output=True, text=True, timeout=280)
        shown = child.stdout.splitlines()
        if child.returncode >= 0:
            assert child.returncode == 0, child.stderr
            return lines + shown, crashes
        assert "llvmpipe" in name, f"{name} crashed: {child.stderr}"
        crashes += 1
        lines += shown[:-1]
        start = int(shown[-1].split()[0]) + 1
    return lines, crashes


@pytest.mark.parametrize("part", range(PARTS))
def test_random_graphs(device_info, program_seed: int, part: int):
    lines, crashes = run_graphs(device_info.name, program_seed, part * GRAPHS, (part + 1) * GRAPHS)
    assert [line for line in lines if not line.endswith(" equal")] == []
    assert len(lines) == GRAPHS - crashes
    assert crashes <= CRASHES


@pytest.mark.mesa22
def test_random_graphs_in_short(device_info, program_seed: int):
    lines, crashes = run_graphs(device_info.name, program_seed, 1000, 1020)
    assert [line for line in lines if not line.endswith(" equal")] == []
    assert crashes <= 1


@pytest.mark.mesa22
@pytest.mark.parametrize(
    "build",
    [
        lambda: control_shapes.sequential_conditions(200),
        lambda: control_shapes.nested_conditions(30),
        lambda: control_shapes.elif_chain(30),
        lambda: control_shapes.jumps_to_one_block(30),
        lambda: control_shapes.wide_switch(30),
    ],
    ids=["200 conditions", "30 nested conditions", "30 elif", "30 jumps", "switch of 30"],
)
def test_long_shapes(device, build):
    seeds = draw_seeds(random.Random(4))
    function = build()
    expected = interpreted(function, seeds)
    assert len(set(expected.tolist())) > 1
    np.testing.assert_array_equal(launched(device, function, seeds), expected)
