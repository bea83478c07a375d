"""What `jit` makes of the options of float arithmetic."""

from __future__ import annotations

import pickle

import pytest

import numba_vulkan as nv


def nothing():
    pass


def test_modes_are_pickled():
    kernel = pickle.loads(pickle.dumps(nv.jit(nothing, fastmath=True)))
    assert kernel._reduce_states()["math"].fastmath


@pytest.mark.parametrize("option", ["fma", "fastmath", "narrow_math"])
@pytest.mark.parametrize("value", [1, None, "yes"])
def test_options_are_bools(option, value):
    with pytest.raises(TypeError, match=f"{option}={value!r}"):
        nv.jit(nothing, **{option: value})
