"""The bits of all math functions on the CPU are those that devices are compared with."""

from __future__ import annotations

import pytest

from unit.math_identity import DIGESTS, SYMBOLS, digest, on_cpu


@pytest.mark.slow
def test_bits_of_the_sources(golden):
    lines = [f"{name}.{precision} {digest(on_cpu(name, precision))}" for name, precision in SYMBOLS]
    golden(DIGESTS, "\n".join(lines))
