"""Which grids one workgroup does the work of two in."""

from __future__ import annotations

import pytest

from numba_vulkan.dispatcher.grid import pairing_of
from numba_vulkan.kernel import Pairing

LARGE = (4096, 1, 1), (256, 1, 1)


@pytest.mark.parametrize(
    ("groups", "size", "loads_wait", "expected"),
    [
        (*LARGE, True, Pairing.EVEN),
        ((4097, 1, 1), LARGE[1], True, Pairing.ODD),
        ((64, 64, 1), LARGE[1], True, Pairing.EVEN),
        ((1, 4096, 1), LARGE[1], True, Pairing.NONE),  # there are no neighbours along x
        ((4095, 1, 1), LARGE[1], True, Pairing.NONE),
        (*LARGE, False, Pairing.NONE),
    ],
)
def test_large_grids_on_gpus(
    groups: tuple[int, int, int], size: tuple[int, int, int], loads_wait: bool, expected: Pairing
):
    assert pairing_of(groups, size, loads_wait) is expected


@pytest.mark.parametrize(
    ("setting", "groups", "expected"),
    [("1", 2, Pairing.EVEN), ("1", 3, Pairing.ODD), ("1", 1, Pairing.NONE), ("0", 1 << 20, Pairing.NONE)],
)
def test_the_setting_decides(monkeypatch: pytest.MonkeyPatch, setting: str, groups: int, expected: Pairing):
    monkeypatch.setenv("NUMBA_VULKAN_PAIRS", setting)
    assert pairing_of((groups, 1, 1), (64, 1, 1), loads_wait=True) is expected
