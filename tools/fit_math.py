"""Fit the polynomials of the math library; needs mpmath.

python3 tools/fit_math.py [names]

Each row of `FITS` says what is approximated, where, and what the error is measured against. The minimax polynomial is
found by Remez exchange, then its coefficients are rounded one after the other, those of higher degree fitted again to
what rounding has left. The result is src/numba_vulkan/mathlib/sources/coefficients.py, which also notes the binary
logarithm of the error of every polynomial; `names` fits only the rows that begin so and keeps the rest.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp

from mathfits import FITS, Fit, Real

OUTPUT = Path(__file__).resolve().parent.parent / "src/numba_vulkan/mathlib/sources/coefficients.py"
HEADER = '''"""Polynomials of the math library, lowest degree first: tools/fit_math.py made them."""

from __future__ import annotations

'''


@dataclass(frozen=True)
class Polynomial:
    """Coefficients and the largest error on the interval."""

    coefficients: list[Real]
    error: Real


def fit(row: Fit) -> Polynomial:
    """Return the rounded polynomial of one row."""
    mp.mp.prec = row.working_bits
    fixed: list[Real] = []
    best = remez(row, fixed)
    for position in range(row.degree + 1):
        wanted = best.coefficients[position]
        rounded = row.round(wanted)
        if position == 0 and row.first_is_pair:
            rounded += row.round(wanted - rounded)
        fixed.append(rounded)
        if position == row.degree:
            break
        again = remez(row, fixed)
        kept = [*fixed, *best.coefficients[position + 1 :]]
        best = min(again, Polynomial(kept, error_of(row, kept)), key=lambda p: p.error)
    return Polynomial(fixed, error_of(row, fixed))


def nodes(low: Real, high: Real, count: int) -> list[Real]:
    """Return the extremes of a Chebyshev polynomial on an interval."""
    middle, radius = (low + high) / 2, (high - low) / 2
    return [middle - radius * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]


def remez(row: Fit, fixed: Sequence[Real], rounds: int = 8) -> Polynomial:
    """Return the best polynomial that begins with ``fixed``."""
    first = len(fixed)
    unknowns = row.degree + 1 - first
    grid = nodes(row.low, row.high, 24 * (unknowns + 1) + 1)
    wanted = [row.value(x) - mp.polyval(list(fixed)[::-1] or [0], x) for x in grid]
    weights = [row.weight(x) for x in grid]
    reference = [round(i * (len(grid) - 1) / unknowns) for i in range(unknowns + 1)]
    solution: list[Real] = []
    for _ in range(rounds):
        matrix = mp.matrix(unknowns + 1, unknowns + 1)
        right = mp.matrix(unknowns + 1, 1)
        for line, index in enumerate(reference):
            for column in range(unknowns):
                matrix[line, column] = weights[index] * grid[index] ** (column + first)
            matrix[line, unknowns] = (-1) ** line
            right[line] = weights[index] * wanted[index]
        try:
            solved = mp.lu_solve(matrix, right)
        except ZeroDivisionError:
            break
        solution = [solved[i] for i in range(unknowns)]
        errors = [
            w * (value - x**first * mp.polyval(solution[::-1], x))
            for w, value, x in zip(weights, wanted, grid, strict=True)
        ]
        peaks = alternating_peaks(errors)
        if len(peaks) < unknowns + 1:
            break
        while len(peaks) > unknowns + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        if peaks == reference:
            break
        reference = peaks
    coefficients = [*fixed, *solution]
    return Polynomial(coefficients, error_of(row, coefficients))


def alternating_peaks(errors: Sequence[Real]) -> list[int]:
    """Return the position of the largest error in each run of one sign."""
    peaks: list[int] = []
    for position, error in enumerate(errors):
        if error == 0:
            continue
        if peaks and (errors[peaks[-1]] > 0) == (error > 0):
            if abs(error) > abs(errors[peaks[-1]]):
                peaks[-1] = position
        else:
            peaks.append(position)
    return peaks


def error_of(row: Fit, coefficients: Sequence[Real]) -> Real:
    """Return the largest weighted error on a fine grid."""
    points = nodes(row.low, row.high, 200)
    return max(abs(row.weight(x) * (row.value(x) - mp.polyval(list(coefficients)[::-1], x))) for x in points)


def known_lines() -> dict[str, str]:
    """Return the lines of the file as it is, by name."""
    if not OUTPUT.exists():
        return {}
    text = OUTPUT.read_text()
    return {
        node.targets[0].id: ast.get_source_segment(text, node) or ""
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def line_of(row: Fit) -> str:
    """Return the assignment of one polynomial."""
    found = fit(row)
    print(
        f"{row.name}: degree {row.degree}, log2 of the error {float(mp.log(found.error, 2)):.1f}", flush=True
    )
    coefficients = list(found.coefficients)
    if row.first_is_pair:
        head = row.round(coefficients[0])
        coefficients[:1] = [head, coefficients[0] - head]
    numbers = "".join(f"\n    {float(c)!r}," for c in coefficients)
    return f"{row.name} = ({numbers}\n)"


def main(prefixes: Sequence[str]) -> None:
    """Write the file."""
    lines = known_lines()
    for row in FITS:
        if row.name not in lines or any(row.name.startswith(p) for p in prefixes):
            lines[row.name] = line_of(row)
            names = [r.name for r in FITS if r.name in lines]
            OUTPUT.write_text(HEADER + "\n".join(lines[name] for name in names) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
