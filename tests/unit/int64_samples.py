"""64-bit integers on which operations are tried: edges, numbers of all lengths, and what lies around multiples."""

from __future__ import annotations

import numpy as np

__all__ = [
    "DIVISORS",
    "EDGES",
    "near_multiples",
    "pairs_of_samples",
    "samples",
    "without_undefined_divisions",
]

GENERATOR = np.random.default_rng(64)

POWERS = [1 << k for k in (0, 1, 8, 15, 16, 17, 23, 24, 30, 31, 32, 33, 47, 52, 53, 62, 63)]
EDGES = np.array(
    sorted({(sign * power + step) % 2**64 for power in POWERS for step in (-1, 0, 1) for sign in (1, -1)}),
    np.uint64,
)


def samples(count: int) -> np.ndarray:
    """Numbers of all lengths, with runs of ones and zeros: half of them random bits, half sums of two powers of 2."""
    lengths = GENERATOR.integers(0, 64, count, dtype=np.uint64)
    bits = GENERATOR.integers(0, 2**64, count, dtype=np.uint64) >> lengths
    one, other = (np.uint64(1) << GENERATOR.integers(0, 64, count, dtype=np.uint64) for _ in range(2))
    runs = np.where(GENERATOR.integers(0, 2, count) == 1, one - other, one + other)
    return np.where(GENERATOR.integers(0, 2, count) == 1, bits, runs)


def pairs_of_samples() -> list[np.ndarray]:
    left, right = (grid.ravel() for grid in np.meshgrid(EDGES, EDGES))
    return [np.concatenate([left, samples(30_000)]), np.concatenate([right, samples(30_000)])]


def without_undefined_divisions(opcode: str, left: np.ndarray, right: np.ndarray) -> list[np.ndarray]:
    defined = right != 0
    if opcode[0] == "s":
        defined &= ~((left == 1 << 63) & (right == 2**64 - 1))
    return [left[defined], right[defined]]


DIVISORS = (
    *(1, -1, 2, -2, 3, -3, 7, 10, 1000, 65535, 65536, 65537, 10**6, 2**31 - 1, 2**31, -(2**31), 2**31 + 1),
    *(2**32 - 1, 2**32, 2**32 + 1, 10**10, 2**48 + 12345, 0x123456789ABCDEF, 2**62, 2**63 - 1, -(2**63)),
)


def near_multiples(divisor: int) -> np.ndarray:
    """Numbers of all kinds, and multiples of a divisor with their neighbours."""
    left = np.concatenate([EDGES, samples(4000)])
    near = (np.arange(1, 1500, dtype=np.uint64) * np.uint64(divisor % 2**64)).repeat(3)
    return np.concatenate([left, near + np.tile(np.array([0, 1, 2**64 - 1], np.uint64), 1499)])
