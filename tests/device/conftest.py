"""Every test in this folder runs on every device."""

from __future__ import annotations

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and "device_name" not in item.fixturenames:
        raise pytest.UsageError(
            f"{item.nodeid} asks for no `device`: it would run on one device only, or on none"
        )
