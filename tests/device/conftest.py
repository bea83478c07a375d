"""Every test in this folder runs on every device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from device.unmapped import hide_arrays
from numba_vulkan.runtime import Device
from numba_vulkan.runtime.launcher import launcher


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and "device_name" not in item.fixturenames:
        raise pytest.UsageError(
            f"{item.nodeid} asks for no `device`: it would run on one device only, or on none"
        )


@pytest.fixture
def staged(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device with arrays that the host cannot reach, as on discrete GPUs, and small staging buffers."""
    hide_arrays(monkeypatch)
    monkeypatch.setattr("numba_vulkan.runtime.staging.STAGING_BYTES", 64)
    return device


@pytest.fixture(params=["native", "python"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Whether native code or its Python twin records."""
    monkeypatch.setenv("NUMBA_VULKAN_NATIVE", str(int(request.param == "native")))
    launcher.cache_clear()
    yield request.param
    launcher.cache_clear()
