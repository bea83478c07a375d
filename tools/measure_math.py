"""Measure the errors of the math functions and write the table in docs/math.md.

python3 tools/measure_math.py [--exhaustive] [--precision f64] [function ...]

The sources run on Numba's CPU target, with the bits that they have on every device; `tests/unit/math_errors.py` says
what they are compared with. Without an option, functions whose sources have changed are measured on 10**5 points and
more. `--exhaustive` measures float32 functions of one number on all 2**32 of them, and the others on 10**7 points; it
keeps what it has found after each block in tools/math_errors.json and goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from numba_vulkan.mathlib.digests import source_digest  # noqa: E402
from numba_vulkan.mathlib.table import FUNCTIONS  # noqa: E402
from unit.math_errors import BLOCK, BLOCKS, BOUNDS, checked, exhaustive_errors, measured  # noqa: E402

PAGE = ROOT / "docs" / "math.md"
STATE = ROOT / "tools" / "math_errors.json"
MARK = "<!-- table of tools/measure_math.py -->\n"
# Points of each of the six ranges of arguments, or a quarter of them for each pair of ranges.
QUICK, THOROUGH = 20_000, 200_000
THOROUGH_BLOCKS = 9
SAVED_EVERY = 8
FIRST = ("exp", "log", "sin", "cos", "sqrt")


def is_exhaustive(name: str, precision: str) -> bool:
    """Return whether all arguments can be tried."""
    return precision == "f32" and len(FUNCTIONS[name].operands) == 1


def points(name: str, blocks: int, count: int) -> int:
    """Return the number of arguments that blocks of so many points a range have."""
    return blocks * (6 * count if len(FUNCTIONS[name].operands) == 1 else 36 * (count // 4))


def blocks(name: str, precision: str, first: int) -> Iterator[tuple[int, int, float, tuple[float, ...]]]:
    """Yield blocks done, points tried, the largest error of the block and where it is."""
    if is_exhaustive(name, precision):
        for done, worst, where in exhaustive_errors(name, first):
            yield done, done * BLOCK, worst, (where,)
        return
    for block in range(first, THOROUGH_BLOCKS):
        worst, place = measured.__wrapped__(name, precision, THOROUGH, seed=block + 2)
        yield block + 1, points(name, block + 1, THOROUGH), worst, place


def total_blocks(name: str, precision: str) -> int:
    """Return how many blocks a thorough measurement has."""
    return BLOCKS if is_exhaustive(name, precision) else THOROUGH_BLOCKS


def read_state() -> dict[str, dict[str, Any]]:
    """Return what was measured before, of sources as they are."""
    known = json.loads(STATE.read_text()) if STATE.exists() else {}
    return {s: row for s, row in known.items() if row["source"] == source_digest(s)}


def write_state(state: dict[str, dict[str, Any]]) -> None:
    """Replace the file in one step."""
    temporary = STATE.with_suffix(".new")
    temporary.write_text(json.dumps(dict(sorted(state.items())), indent=1) + "\n")
    temporary.replace(STATE)


def measure_quickly(state: dict[str, dict[str, Any]], name: str, precision: str) -> None:
    """Measure a function that is not known."""
    symbol = FUNCTIONS[name].symbol(precision)
    if symbol not in state:
        error, place = measured(name, precision, QUICK)
        state[symbol] = row(symbol, 0, points(name, 1, QUICK), error, place, 0.0)


def measure_thoroughly(state: dict[str, dict[str, Any]], name: str, precision: str) -> None:
    """Measure a function on all blocks that are not done, saving the state on the way."""
    symbol = FUNCTIONS[name].symbol(precision)
    known = state.get(symbol)
    if known is None or not known["blocks"]:
        known = row(symbol, 0, 0, 0.0, (), 0.0)
    total = total_blocks(name, precision)
    began = time.perf_counter()
    for done, tried, error, place in blocks(name, precision, known["blocks"]):
        seconds = known["seconds"] + time.perf_counter() - began
        began = time.perf_counter()
        if error <= known["error"]:
            error, place = known["error"], known["at"]
        known = row(symbol, done, tried, error, place, seconds)
        state[symbol] = known
        if done % SAVED_EVERY == 0 or done == total:
            write_state(state)
    if known["at"]:
        known["error"] = checked(name, precision, tuple(known["at"]))
        state[symbol] = known
        write_state(state)


def row(symbol: str, done: int, tried: int, error: float, place: Any, seconds: float) -> dict[str, Any]:
    """Return what is kept of a function."""
    return {
        "source": source_digest(symbol),
        "blocks": done,
        "points": tried,
        "error": error,
        "at": list(place),
        "seconds": round(seconds, 1),
    }


def power(count: int) -> str:
    """Return a number of points in words."""
    return "all" if count == 1 << 32 else f"{count:.1e}".replace("e+0", "·10^").replace("e+", "·10^")


def table(state: dict[str, dict[str, Any]]) -> list[str]:
    """Return the lines of the table."""
    lines = [
        "| function | float32 | bound | points | float64 | bound | points |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, bounds in BOUNDS.items():
        cells = []
        for precision, bound in zip(("f32", "f64"), bounds, strict=True):
            known = state[FUNCTIONS[name].symbol(precision)]
            cells += [f"{known['error']:.3f}", f"{bound:g}", power(known["points"])]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def write_page(state: dict[str, dict[str, Any]]) -> None:
    """Write the page with a new table."""
    head, _, rest = PAGE.read_text().partition(MARK)
    _, _, tail = rest.partition(MARK)
    PAGE.write_text(head + MARK + "\n" + "\n".join(table(state)) + "\n\n" + MARK + tail)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--exhaustive", action="store_true", help="all float32 numbers, 10**7 points otherwise"
    )
    parser.add_argument("--precision", choices=("f32", "f64"), action="append", help="both by default")
    parser.add_argument("functions", nargs="*", default=[*FIRST, *(n for n in BOUNDS if n not in FIRST)])
    options = parser.parse_args()
    state = read_state()
    for name in options.functions:
        for precision in options.precision or ("f32", "f64"):
            symbol = FUNCTIONS[name].symbol(precision)
            (measure_thoroughly if options.exhaustive else measure_quickly)(state, name, precision)
            known = state[symbol]
            print(
                f"{symbol:24} {known['error']:.3f} {power(known['points'])} {known['seconds']} s", flush=True
            )
    write_state(state)
    if all(f.symbol(p) in state for f in map(FUNCTIONS.get, BOUNDS) for p in ("f32", "f64") if f):
        write_page(state)


if __name__ == "__main__":
    main()
