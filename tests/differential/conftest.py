"""Random programs come in chunks, so that pytest can spread them over its workers."""

from __future__ import annotations

import pytest

_CHUNK = 10


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize before the devices are, so that the runs of one chunk on all devices follow each other."""
    if "program_numbers" in metafunc.fixturenames:
        count = metafunc.config.getoption("--programs")
        chunks = [range(first, min(first + _CHUNK, count)) for first in range(0, count, _CHUNK)]
        metafunc.parametrize("program_numbers", chunks, ids=[f"{c[0]}-{c[-1]}" for c in chunks])
