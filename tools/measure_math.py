"""Measure the errors of the math functions and write the table in docs/math.md.

python3 tools/measure_math.py [points per function]

The sources run on Numba's CPU target, with the bits that they have on every device. References: x87 extended precision,
which has 11 bits more than float64, and mpmath for erf, erfc, gamma and lgamma.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from unit.math_errors import BOUNDS, SLOW, measured  # noqa: E402

PAGE = ROOT / "docs" / "math.md"
MARK = "<!-- table of tools/measure_math.py -->\n"


def rows(count: int) -> list[str]:
    """Return the lines of the table."""
    lines = ["| function | float32 | bound | float64 | bound |", "|---|---|---|---|---|"]
    for name, bounds in BOUNDS.items():
        points = min(count, 20_000) if name in SLOW else count
        cells = [
            f"{measured(name, p, points)[0]:.3f} | {b:g}" for p, b in zip(("f32", "f64"), bounds, strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Write the page with a new table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    head, _, rest = PAGE.read_text().partition(MARK)
    _, _, tail = rest.partition(MARK)
    PAGE.write_text(head + MARK + "\n" + "\n".join(rows(count)) + "\n\n" + MARK + tail)


if __name__ == "__main__":
    main()
