"""Functions that a stream calls when its work is done."""

from __future__ import annotations

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import Device, stream

pytestmark = pytest.mark.mesa22


def test_callbacks(device: Device) -> None:
    s, seen = stream(), []
    s.add_callback(lambda: seen.append(0))
    x = nv.to_device(np.ones(10), stream=s)
    s.add_callback(lambda: seen.append(1))
    host = x.copy_to_host(stream=s)
    s.add_callback(lambda: seen.append(float(host[0])))
    s.add_callback(lambda: seen.append(3))
    s.synchronize()
    assert seen == [0, 1, 1.0, 3]


def test_callbacks_that_use_their_stream(device: Device) -> None:
    s, seen, x = stream(), [], nv.to_device(np.arange(10))

    def use() -> None:
        seen.append("used")
        host = x.copy_to_host(stream=s)
        s.add_callback(lambda: seen.append(int(host[9])))
        s.synchronize()

    x.copy_to_host(stream=s)
    s.add_callback(use)
    s.add_callback(lambda: seen.append("last"))
    s.synchronize()
    assert sorted(map(str, seen)) == ["9", "last", "used"]
    assert seen[0] == "used"


def test_a_callback_that_raises_at_once(device: Device) -> None:
    s = stream()
    s.add_callback(lambda: {}["missing"])
    with pytest.raises(KeyError):
        s.synchronize()
    s.synchronize()


def test_an_interrupted_callback(device: Device) -> None:
    """The next synchronisation goes on with it."""
    x, s, calls = nv.to_device(np.arange(1000.0)), stream(), []

    def call() -> None:
        calls.append("interrupted" if not calls else "called")
        if len(calls) == 1:
            raise KeyboardInterrupt

    x.copy_to_host(stream=s)
    s.add_callback(call)
    s.add_callback(lambda: calls.append("last"))
    with pytest.raises(KeyboardInterrupt):
        s.synchronize()
    s.synchronize()
    assert calls == ["interrupted", "called", "last"]
