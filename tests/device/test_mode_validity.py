"""Modules of every mode are valid, for spirv-val and for Vulkan's validation layer, and need what the device has."""

from __future__ import annotations

import pytest

from device.kernels_of_every_type import MODES
from device.test_runtime_devices import has_validation_layer, run_python

OF_FEATURES = {"Int64": "int64", "Float64": "float64", "Int16": "int16", "Int8": "int8"}
NEEDS_NOTHING = {"Shader", "SignedZeroInfNanPreserve"}


@pytest.mark.skipif(not has_validation_layer(), reason="needs vulkan-validationlayers")
def test_validation_is_silent_in_every_mode(device):
    code = "from device import kernels_of_every_type\nkernels_of_every_type.main()"
    done = run_python(code, device, NUMBA_VULKAN_DEBUG="1", NUMBA_VULKAN_VALIDATE="1")
    told = [line for line in done.stderr.splitlines() if not line.startswith("compiling math functions")]
    assert (told, done.returncode) == ([], 0)
    *lines, messages = done.stdout.splitlines()
    assert messages == "[]"
    assert [line.split()[0] for line in lines] == [str(mode) for mode in MODES]
    for line in lines:
        mode, *capabilities = line.split()
        for name, feature in OF_FEATURES.items():
            assert name not in capabilities or getattr(device.info, feature), line
        # With narrow="ints", the bits of float64 values are still whole.
        assert mode != "True" or "Int64" not in capabilities, line
        assert mode not in ("floats", "True") or "Float64" not in capabilities, line
        if mode == "True":
            storage = {"StorageBuffer8BitAccess", "StorageBuffer16BitAccess", "Int8", "Int16", "Float16"}
            assert set(capabilities) <= NEEDS_NOTHING | storage, line
