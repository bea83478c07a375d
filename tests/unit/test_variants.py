"""One lowered kernel is emitted for every kind of device, without lowering it again."""

import itertools
from dataclasses import replace

import pytest
from numba import float64, int64, types

import numba_vulkan as nv
from numba_vulkan import abi, codegen
from numba_vulkan.frontend import entry
from numba_vulkan.frontend.types import argument_type
from numba_vulkan.kernel import TargetProfile, Variant
from numba_vulkan.spirv.check import check

WAYS = list(itertools.product((True, False), (True, False)))
PROFILES = {
    "all features": TargetProfile(),
    "no int64": TargetProfile(int64=False),
    "no float64": TargetProfile(float64=False),
    "neither": TargetProfile(
        int64=False, float64=False, int16=False, int8=False, storage8=False, storage16=False
    ),
    "loop limit": TargetProfile(loop_limit=True),
}


@nv.jit
def accumulate(x, y, out):
    i = nv.global_id(0)
    if i < out.shape[0]:
        total = 0.0
        for k in range(x.shape[1]):
            total += x[i, k] * y[k]
        out[i] = total


@pytest.fixture(scope="module")
def lowered():
    strided = types.Array(types.float64, 2, "A")
    given = tuple(argument_type(t) for t in (strided, int64[::1], float64[:]))
    return entry.lower(accumulate, given)


@pytest.mark.parametrize(("aliased", "addressed"), WAYS)
@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile(lowered, profile, aliased, addressed):
    variant = Variant(PROFILES[profile], aliased, addressed)
    compiled = codegen.build(lowered, variant)
    check(compiled.spirv, variant.profile)
    assert replace(compiled.interface, narrowed_floats=False) == lowered.interface
    status = {abi.STATUS_BINDING} if variant.profile.loop_limit else set()
    assert compiled.written_bindings == {3} | status
    assert compiled.arrays == (1, 2, 3)
    assert compiled.descriptors == ((0,) if addressed else (*status, 1, 2, 3))
    assert ("PhysicalStorageBufferAddresses" in compiled.capabilities) == addressed
    assert ("Int64" in compiled.capabilities) <= variant.profile.int64
    assert ("Float64" in compiled.capabilities) == variant.profile.float64
    assert compiled.narrowed_floats != variant.profile.float64
    assert compiled.reports_status == variant.profile.loop_limit


def test_variants_differ(lowered):
    modules = {
        codegen.build(lowered, Variant(profile, aliased, addressed)).spirv
        for profile, (aliased, addressed) in itertools.product(PROFILES.values(), WAYS)
        if aliased or not addressed
    }
    assert len(modules) == 3 * len(PROFILES)


def test_a_variant_is_emitted_the_same_each_time(lowered):
    variant = Variant(TargetProfile())
    assert codegen.build(lowered, variant).spirv == codegen.build(lowered, variant).spirv
