"""``boundscheck=True`` where integers are computed in 32 bits: what does not fit raises."""

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan import VulkanUnsupportedError


@pytest.mark.mesa22
@pytest.mark.parametrize("narrow", ["ints", True])
@pytest.mark.parametrize(
    ("dtype", "fits", "beyond"),
    [
        (np.int64, [-(2**31), 2**31 - 1], [2**31, -(2**31) - 1, 2**62, -(2**63), 0xFFFFFFFF]),
        (np.uint64, [0, 2**32 - 1], [2**32, 2**64 - 1]),
    ],
)
def test_elements_beyond_32_bits_raise_with_boundscheck(device, narrow, dtype, fits, beyond):
    def copied(x, out):
        i = nv.global_id(0)
        if i < x.size:
            out[i] = x[i]

    checked = nv.jit(copied, narrow=narrow, boundscheck=True)
    out = np.zeros(2, dtype)
    checked.forall(2)(np.array(fits, dtype), out)
    np.testing.assert_array_equal(out, np.array(fits, dtype))
    for number in beyond:
        with pytest.raises(
            OverflowError, match=rf"{np.dtype(dtype)} is {number}, .*32 bits.*narrow="
        ) as raised:
            checked.forall(2)(np.array([1, number], dtype), out)
        assert "test_narrow_boundscheck.py:" in raised.value.__notes__[0]
        assert "invocation (1, 0, 0)" in raised.value.__notes__[0]
        nv.jit(copied, boundscheck=True).forall(2)(np.array([1, number], dtype), out)
        assert out[1] == number


def test_every_kind_of_array_is_checked_for_elements_beyond_32_bits(device):
    """Views, sums, indices and shared arrays; arrays of an invocation have the width that the kernel computes in."""

    @nv.jit(narrow="ints", boundscheck=True)
    def mixed(x, which, out):
        shared = nv.shared.array(4, np.int64)
        local = nv.local.array(4, np.int64)
        if which == 0:
            out[0] = x[1:].sum()
        elif which == 1:
            y = x if which == 1 else out
            out[0] = out[y[2] - x[2]]
        for k in range(4):
            shared[k] = x[k % 2]
            local[k] = shared[k] << 31
        out[1] = local[3] + shared[2]

    x, out = np.array([1, 2, 2**40 + 3]), np.zeros(4, np.int64)
    for which in (0, 1):
        with pytest.raises(OverflowError, match=f"int64 is {2**40 + 3}"):
            mixed[1, 1](x, which, out)
    mixed[1, 1](x, 2, out)
    assert out.tolist() == [0, 1, 0, 0]


def as_other_type(x, out):
    out[0] = x[0]


def all_as_other_type(x, out):
    out[:] = x


def from_shared_to_field(x, records):
    part = nv.shared.array(2, np.uint64)
    part[0] = x[0]
    records[0].value = part[0]


def atomically(x, out):
    nv.atomic.store(out, 0, np.int64(x[0]))


@pytest.mark.mesa22
@pytest.mark.parametrize("body", [as_other_type, all_as_other_type])
@pytest.mark.parametrize(
    ("number", "source", "target"),
    [
        (2**32 - 1, np.uint64, np.int64),
        (2**31, np.uint32, np.int64),
        (-1, np.int64, np.uint64),
        (-(2**31), np.int32, np.uint64),
        (-5, np.int8, np.uint64),
    ],
)
def test_numbers_that_another_type_of_32_bits_lacks_raise_with_boundscheck(
    device, body, number, source, target
):
    x, out = np.array([number], source), np.zeros(1, target)
    message = rf"^{number} of type {np.dtype(source)} becomes {np.dtype(target)}, .*32 bits.*narrow="
    with pytest.raises(OverflowError, match=message):
        nv.jit(body, narrow="ints", boundscheck=True)[1, 1](x, out)
    nv.jit(body, narrow="ints")[1, 1](x, out)
    word = np.dtype(f"{np.dtype(target).kind}4")
    assert out[0] == np.array(number).astype(word)
    nv.jit(body, boundscheck=True)[1, 1](x, out)
    assert out[0] == np.array(number).astype(target)
    x[0] = 5
    nv.jit(body, narrow="ints", boundscheck=True)[1, 1](x, out)
    assert out[0] == 5


def test_numbers_that_become_another_type_raise_wherever_they_lie(device):
    table, word = np.array([1, 2, 3, 4, 2**32 - 1], np.uint64), np.zeros(1, np.int32)

    def looked_up(x, out):
        out[0] = table[x[1]]

    checked = {"narrow": "ints", "boundscheck": True}
    x = np.array([2**32 - 1, 4], np.uint64)
    for body, out in (
        (from_shared_to_field, np.zeros(1, [("value", np.int64)])),
        (looked_up, np.zeros(1, np.int64)),
        (atomically, word),
    ):
        with pytest.raises(OverflowError, match="4294967295 of type uint64 becomes int64"):
            nv.jit(body, **checked)[1, 1](x, out)

    @nv.jit(**checked)
    def constant(out):
        out[0] = table[4]
        out[1] = np.uint64(0xFFFFFFFF) & np.uint64(0xFF)

    out = np.zeros(2, np.uint64)
    constant[1, 1](out)
    assert out.tolist() == [2**32 - 1, 255]


def test_scalar_constants_of_arrays_that_are_known_have_the_width_of_what_uses_them(device):
    """What a constant array is known to hold becomes a number behind LLVM."""
    table = np.array([1, 2, 3, 4, -7, 2**33])

    def known(out):
        out[0] = np.int16(table[4])
        out[1] = table[4] // table[2]

    out = np.zeros(2, np.int32)
    for boundscheck in (False, True):
        nv.jit(known, narrow="ints", boundscheck=boundscheck)[1, 1](out)
        assert out.tolist() == [-7, -3]


def test_atomic_operations_on_64_bits_are_refused_where_integers_have_32(device):
    @nv.jit(narrow="ints")
    def count(out):
        out[0] = nv.atomic.add(out, 1, 1)

    with pytest.raises(VulkanUnsupportedError, match=r"atomic.*64 bits.*32 bits"):
        count[1, 1](np.zeros(2, np.int64))


@pytest.mark.needs("float64")
def test_bits_of_floats_pass_the_check_for_elements_beyond_32_bits(device):
    @nv.jit(narrow="ints", boundscheck=True)
    def values(bits, out):
        i = nv.global_id(0)
        if i < bits.size:
            out[i] = bits[i].view(np.float64)

    x, out = np.array([1e300, -0.1]), np.zeros(2)
    values.forall(2)(x.view(np.int64), out)
    np.testing.assert_array_equal(out, x)
