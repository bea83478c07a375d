"""Whole-array assignment between arguments that share memory gives NumPy's result or raises."""

import numpy as np
import pytest

import numba_vulkan as nv


@nv.jit
def assign(target, source):
    target[:] = source


def is_refused(target, source):
    """Run the assignment on the device; return whether it was refused for its overlap."""
    try:
        assign[1, 1](target, source)
    except ValueError as error:
        if "overlap" not in str(error):
            raise
        return True
    return False


VIEWS = {
    "forwards": (lambda x: (x[1:9], x[0:8]), False),
    "backwards": (lambda x: (x[0:8], x[1:9]), False),
    "the same": (lambda x: (x[2:6], x[2:6]), False),
    "apart": (lambda x: (x[0:8], x[8:16]), False),
    "reversed": (lambda x: (x[0:8], x[7::-1]), True),
    "other steps": (lambda x: (x[0:8], x[0:16:2]), True),
    "other steps, later": (lambda x: (x[4:12], x[0:16:2]), True),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_one_array_as_two_arguments(device, name):
    views, may_refuse = VIEWS[name]
    found, expected = np.arange(16, dtype=np.int32), np.arange(16, dtype=np.int32)
    if is_refused(*views(found)):
        assert may_refuse
        return
    target, source = views(expected)
    target[:] = source
    np.testing.assert_array_equal(found, expected)


def test_arrays_that_do_not_share_memory_are_never_refused(device):
    source = np.arange(16, dtype=np.int32)
    for view in (source[::2], source[7::-1], source[:8]):
        target = np.zeros(8, np.int32)
        assign[1, 1](target, view)
        np.testing.assert_array_equal(target, view)
    wide = np.zeros(8, np.int64)
    assign[1, 1](wide, source[::2])
    np.testing.assert_array_equal(wide, source[::2])


def test_elements_of_other_sizes_in_the_same_memory(device):
    base = np.arange(8, dtype=np.int32)
    expected = base.copy()
    halves = base.view(np.int16)[4:12]
    if not is_refused(base, halves):
        expected[:] = expected.view(np.int16)[4:12].copy()
        np.testing.assert_array_equal(base, expected)


@nv.jit
def reads_around_a_store(x, y, out):
    i = nv.global_id(0)
    before = x[i]
    y[i] = 7
    out[i] = before * 100 + x[i]


@pytest.mark.mesa22
def test_an_array_that_is_written_by_another_name(device):
    x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    reads_around_a_store[1, 8](x, x, out)
    np.testing.assert_array_equal(out, 100 * np.arange(8) + 7)
    on_device = nv.to_device(np.arange(8, dtype=np.int32))
    reads_around_a_store[1, 8](on_device, on_device[:], out)
    np.testing.assert_array_equal(out, 100 * np.arange(8) + 7)
