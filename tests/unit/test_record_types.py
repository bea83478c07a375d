"""Types of records: what tells them apart, and how references become others."""

from __future__ import annotations

import numpy as np
import pytest

from numba_vulkan.errors import VulkanUnsupportedError
from numba_vulkan.frontend.record_types import largest_unit, record_of, unit_at
from numba_vulkan.frontend.types import VulkanArray

FIELDS = [("f", "u1"), ("x", "f4"), ("v", "?", (2, 3)), ("p", [("a", "i2"), ("t", "M8[s]")])]


def test_records_that_differ_in_their_places_have_different_names():
    packed, aligned = (record_of(np.dtype(FIELDS, align=align)) for align in (False, True))
    assert packed.name != aligned.name
    assert packed.form != aligned.form
    assert packed != aligned
    assert VulkanArray(packed, 1, "C") != VulkanArray(packed, 1, "C", unit=1, readonly=True)


def test_a_reference_may_forget_where_it_lies_and_that_it_may_be_written():
    record = record_of(np.dtype(FIELDS, align=True))
    known, less = record.at(8, readonly=False), record.at(2, readonly=True)
    assert known.can_convert_to(None, less) is not None
    assert less.can_convert_to(None, known) is None
    unified = known.unify(None, less)
    assert unified is not None
    assert (unified.unit, unified.readonly) == (2, True)
    assert known.unify(None, record_of(np.dtype(FIELDS))) is None


@pytest.mark.parametrize(
    ("unit", "offset", "expected"), [(16, 0, 16), (16, 4, 4), (8, 3, 1), (1, 8, 1), (4, 8, 4), (2, 6, 2)]
)
def test_units(unit, offset, expected):
    assert unit_at(unit, offset) == expected


def test_the_largest_unit_divides_the_size():
    assert [largest_unit(size) for size in (1, 7, 12, 28, 48, 32)] == [1, 1, 4, 4, 16, 16]


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        ([("a", "i4"), ("p", [("s", "S3")])], "field 'p.s' of records holds bytes"),
        ([("q", np.clongdouble)], "field 'q' of records has dtype"),
        ([("b", ">i2", (2,))], "field 'b' of records has foreign byte order"),
        ([("v", "V3")], "field 'v' of records holds raw bytes"),
    ],
)
def test_fields_that_kernels_cannot_hold(dtype, message):
    with pytest.raises(VulkanUnsupportedError, match=message):
        record_of(np.dtype(dtype))
