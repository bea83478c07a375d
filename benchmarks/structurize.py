"""How long the structurizer takes for large control flow. Run: ``python benchmarks/structurize.py``."""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from differential import control_shapes
from differential.random_graphs import Shape, random_function
from numba_vulkan.collection import collection_paused
from numba_vulkan.llvmir.model import Function
from numba_vulkan.middle import check_structure, structurize

BLOCKS = 5700


CASES: dict[str, Callable[[], Function]] = {
    "sequence of conditions": lambda: control_shapes.sequential_conditions(BLOCKS // 3),
    "nested conditions": lambda: control_shapes.nested_conditions(BLOCKS // 2),
    "elif chain": lambda: control_shapes.elif_chain(BLOCKS // 2),
    "early exits to one block": lambda: control_shapes.jumps_to_one_block(BLOCKS),
    "nested loops": lambda: control_shapes.nested_loops(BLOCKS // 3),
    "breaks out of all loops": lambda: control_shapes.nested_loops(BLOCKS // 3, breaks=True),
    "one switch": lambda: control_shapes.wide_switch(BLOCKS),
    "random": lambda: random_function(random.Random(3), Shape(BLOCKS, returns=0.0, straight=1.0)),
}


def measure(build: Callable[[], Function], run: Callable[[Function], None]) -> tuple[int, float]:
    """Return the number of blocks and the least of three times in seconds of processor time."""
    best, blocks = float("inf"), 0
    for _ in range(3):
        function = build()
        blocks = len(function.blocks)
        gc.collect()
        with collection_paused():  # as in every compilation
            start = time.process_time()
            run(function)
            best = min(best, time.process_time() - start)
    return blocks, best


def main() -> None:
    """Print a table."""
    for name, build in CASES.items():
        blocks, seconds = measure(build, structurize.run)
        function = build()
        structurize.run(function)
        start = time.process_time()
        check_structure.check(function)
        checked = time.process_time() - start
        print(
            f"{name:26} {blocks:6} blocks → {len(function.blocks):6}   "
            f"structurize {seconds:6.3f} s   check {checked:6.3f} s"
        )


if __name__ == "__main__":
    main()
