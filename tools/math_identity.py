"""Compare the math functions of a device, bit by bit, with tests/golden/math/digests.txt.

python3 tools/math_identity.py [device]

Prints the functions whose results differ, with a few of their arguments, and ends with 1 if there are any.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import numba_vulkan as nv  # noqa: E402
from unit.math_identity import SYMBOLS, digest, expected_digests, inputs, on_cpu, on_device  # noqa: E402


def differences(name: str, precision: str, got: list[np.ndarray]) -> list[str]:
    """Return lines with arguments whose results differ from those on the CPU."""
    given = inputs(name, precision)
    lines = []
    for position, (mine, theirs) in enumerate(zip(got, on_cpu(name, precision), strict=True)):
        differ = np.flatnonzero(~((mine == theirs) | ((mine != mine) & (theirs != theirs))))
        for k in differ[:2]:
            arguments = ", ".join(repr(x[k].item()) for x in given)
            lines.append(
                f"    result {position}, {differ.size} differ: f({arguments}) is {mine[k]!r}, expected {theirs[k]!r}"
            )
    return lines


def main() -> int:
    """Compare all functions that the device can have."""
    device = nv.select_device(sys.argv[1]) if len(sys.argv) > 1 else nv.get_device()
    expected = expected_digests()
    compared, differing = 0, 0
    for name, precision in SYMBOLS:
        if precision == "f64" and not device.info.float64:
            continue
        compared += 1
        results = on_device(name, precision)
        if digest(results) != expected[f"{name}.{precision}"]:
            differing += 1
            print(f"{name}.{precision} differs", *differences(name, precision, results), sep="\n")
    print(f"{device.info.name}: {compared} functions, {differing} differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
