"""Finding, choosing and opening devices; processes that end, fork or debug."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import numba_vulkan as nv
from device import hand_made
from numba_vulkan.errors import VulkanSupportError
from numba_vulkan.frontend import entry
from numba_vulkan.kernel import TargetProfile
from numba_vulkan.runtime import (
    Device,
    DeviceInfo,
    ProbeAnswers,
    device_array,
    get_device,
    instance,
    list_devices,
    profile_of,
    select_device,
)
from numba_vulkan.runtime.binding import loader_functions, read_list, vk
from numba_vulkan.runtime.probes import Probes

pytestmark = pytest.mark.mesa22

SRC = Path(__file__).resolve().parents[2] / "src"
TESTS = Path(__file__).resolve().parents[1]


def run_python(code: str, device: Device, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with the device as the default one."""
    variables = os.environ | {"PYTHONPATH": f"{SRC}:{TESTS}", "NUMBA_VULKAN_DEVICE": str(device.info.index)}
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        env=variables | environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def has_validation_layer() -> bool:
    call = loader_functions().vkEnumerateInstanceLayerProperties
    names = [layer.layerName for layer in read_list(call, vk.VkLayerProperties)]
    return instance.VALIDATION_LAYER.encode() in names


needs_layer = pytest.mark.skipif("not has_validation_layer()", reason="needs vulkan-validationlayers")


# ---------------------------------------------------------------- info


def test_info_has_values_for_all_fields(device: Device) -> None:
    info = device.info
    assert info in list_devices()
    assert list_devices()[info.index] == info
    assert info.kind in ("discrete", "integrated", "virtual", "cpu", "other")
    assert info.api_version >= (1, 2, 0)
    assert all(limit >= 64 for limit in info.max_local_size[:1])
    assert info.max_local_invocations >= 128
    assert all(count >= 65535 for count in info.max_groups)
    assert info.max_shared_memory >= 16384
    assert info.max_push_constant_bytes >= 128
    assert info.max_storage_buffer_range >= 2**27
    assert info.max_storage_buffers >= 4
    assert info.min_subgroup_size <= info.subgroup_size <= info.max_subgroup_size
    assert info.subgroup_basic
    assert info.timestamp_period > 0
    assert len(info.device_uuid) == len(info.driver_uuid) == len(info.pipeline_cache_uuid) == 32
    assert {f.name for f in fields(DeviceInfo)} == set(info.__dict__)
    assert hash(info) == hash(replace(info))


def test_refresh_finds_the_same_devices_again(device: Device) -> None:
    before = list_devices()
    after = list_devices(refresh=True)
    assert after == before
    assert after[device.info.index].instance is not before[device.info.index].instance
    assert get_device(after[device.info.index]) is device
    assert device_array(3).device is device


def test_features_can_be_hidden(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("int64", "float64", "int64_atomics", "float64_atomic_add", "subgroup_int64", "storage8")
    monkeypatch.setenv("NUMBA_VULKAN_DISABLE", "int64,float64,storage8")
    hidden = list_devices()[device.info.index]
    assert not any(getattr(hidden, name) for name in names)
    assert replace(hidden, **{name: getattr(device.info, name) for name in names}) == device.info
    opened = get_device(hidden)
    assert opened.info == hidden
    assert (opened is device) == (hidden == device.info)
    assert not opened.profile.int64
    kernel = replace(hand_made.grid(), capabilities=("Shader", "Int64"))
    with pytest.raises(VulkanSupportError, match="needs int64"):
        opened.check_support(kernel)


def test_profile_and_mode(device: Device) -> None:
    expected = profile_of(device.info)
    asked = {f.name for f in fields(ProbeAnswers)} & {f.name for f in fields(TargetProfile)}
    answers = {name: getattr(expected, name) for name in asked}
    assert replace(device.profile, **answers) == expected
    assert device.mode.floats == (not device.info.float64)
    assert not device.mode.ints


def test_loop_limit_is_found(device: Device) -> None:
    """The one driver known to have it, and to end loops at fences too, is llvmpipe before Mesa 23."""
    is_old = device.info.driver_name == "llvmpipe" and device.info.driver_info.startswith("Mesa 22")
    assert device.profile.loop_limit == is_old
    assert device.profile.fences_end_loops == is_old


# ---------------------------------------------------------------- choosing


def test_probes_are_waited_for_behind_the_front_end(
    device_info: DeviceInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def noting(function: Callable[..., object], name: str) -> Callable[..., object]:
        return lambda *given: (order.append(name), function(*given))[1]

    monkeypatch.setattr(Probes, "answers", noting(Probes.answers, "answers"))
    monkeypatch.setattr(entry, "lower", noting(entry.lower, "lower"))

    @nv.jit
    def double(x):
        i = nv.global_id(0)
        if i < x.size:
            x[i] += x[i]

    x = np.ones(9, np.float32)
    double.forall(9, device=Device(device_info))(x)
    assert (x == 2).all()
    assert order[0] == "lower"
    assert "answers" in order


def test_get_device_by_anything(device: Device) -> None:
    info = device.info
    unique = [i.name for i in list_devices()].count(info.name) == 1
    assert get_device() is device
    assert get_device(info.index) is device
    assert get_device(np.int64(info.index)) is device
    assert get_device(info) is device
    assert get_device(device) is device
    if unique:
        assert get_device(info.name[2:].upper()) is device
    assert select_device(info.index) is device


def test_variable_names_the_default_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    select_device(None)
    monkeypatch.setenv("NUMBA_VULKAN_DEVICE", f" {device.info.index} ")
    assert get_device() is device
    monkeypatch.setenv("NUMBA_VULKAN_DEVICE", device.info.name.lower())
    assert get_device().info.name == device.info.name
    monkeypatch.setenv("NUMBA_VULKAN_DEVICE", "no such device")
    with pytest.raises(
        VulkanSupportError, match="NUMBA_VULKAN_DEVICE: no device has 'no such device' in its name"
    ):
        get_device()
    monkeypatch.delenv("NUMBA_VULKAN_DEVICE")
    assert get_device().info in list_devices()


@pytest.mark.parametrize("which", [99, -1, "nothing of the kind"])
def test_unknown_device_lists_those_there_are(device: Device, which: object) -> None:
    with pytest.raises(VulkanSupportError) as raised:
        get_device(which)
    assert f"choose one of {', '.join(f'{i.index} ({i.name!r})' for i in list_devices())}" in str(
        raised.value
    )
    assert str(which) in str(raised.value)
    with pytest.raises(TypeError):
        get_device(1.5)


# ---------------------------------------------------------------- pipeline cache


def test_pipeline_cache_is_kept_and_damage_ignored(
    device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path))
    for _ in range(3):
        opened = Device(device.info)
        out = opened.create_buffer(28)
        opened.upload(out, np.zeros(7, np.uint32))
        opened.launch(hand_made.grid(), (2, 1, 1), {1: out}, local_size=(3, 1, 1))
        result = np.empty(7, np.uint32)
        opened.download(out, result)
        assert result.tolist() == [6, 3, 1, 1, 2, 1, 1]
        opened._pipelines.save()
        (file,) = (tmp_path / "pipelines").iterdir()
        assert file.stat().st_size > 32
        file.write_bytes(file.read_bytes()[:-3] + b"bad")


# ---------------------------------------------------------------- processes

LAUNCH = """
import struct, numpy as np
from device import hand_made
import numba_vulkan.runtime as runtime
x, y = runtime.to_device(np.ones(64, np.float32)), runtime.to_device(np.ones(64, np.float32))
kernel = hand_made.saxpy()
def launch():
    runtime.get_device().launch(
        kernel, (1, 1, 1), {1: x.buffer, 2: y.buffer}, struct.pack("<fi", 1.0, 64), (64, 1, 1)
    )
launch()
"""


def test_process_ends_cleanly_with_everything_alive(device: Device) -> None:
    done = run_python(LAUNCH + "print(y.copy_to_host()[:3])", device)
    assert (done.stdout, done.stderr, done.returncode) == ("[2. 2. 2.]\n", "", 0)


@needs_layer
def test_validation_layer_has_nothing_to_say(device: Device) -> None:
    code = LAUNCH + (
        "launch(); launch(); y.copy_to_host()\n"
        "y.buffer.address = 0; y.copy_to_host(); y.copy_to_device(np.ones(64))\n"
        "print(runtime.debug_level(), runtime.debug_enabled(), runtime.validation_messages())\n"
    )
    done = run_python(code, device, NUMBA_VULKAN_DEBUG="2")
    assert (done.stdout, done.stderr, done.returncode) == ("2 True []\n", "", 0)


@needs_layer
def test_validation_layer_reports_misuse_as_warnings(device: Device) -> None:
    code = LAUNCH + (
        "import ctypes, warnings\n"
        "from numba_vulkan.runtime.binding import vk\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    runtime.get_device().logical.create('vkCreateBuffer', vk.VkBufferCreateInfo(size=0, usage=32))\n"
        "print([w.category.__name__ for w in caught][:1], runtime.validation_messages()[0][0])\n"
        "print('VkBufferCreateInfo' in runtime.validation_messages(clear=True)[0][1])\n"
        "print(runtime.validation_messages())\n"
        "import os; os._exit(0)\n"
    )
    done = run_python(code, device, NUMBA_VULKAN_DEBUG="1")
    assert done.stdout == "['VulkanValidationWarning'] error\nTrue\n[]\n", done.stderr


def test_debug_is_off_by_default(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_VULKAN_DEBUG", raising=False)
    done = run_python(LAUNCH + "print(runtime.debug_level(), runtime.DEBUG_ENV_VAR)", device)
    assert done.stdout == "0 NUMBA_VULKAN_DEBUG\n", done.stderr


def test_robust_buffer_access(device: Device) -> None:
    code = LAUNCH + (
        "device = runtime.get_device()\n"
        "small = device.create_buffer(16)\n"
        "push = struct.pack('<fi', 1.0, 1 << 20)\n"
        "device.launch(kernel, (1 << 14, 1, 1), {1: small, 2: small}, push, (64, 1, 1))\n"
        "print('done')\n"
    )
    done = run_python(code, device, NUMBA_VULKAN_ROBUST="1")
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_child_is_told_so_and_the_parent_goes_on(device: Device) -> None:
    code = LAUNCH + (
        "import os, sys\n"
        "def attempt(what):\n"
        "    try:\n        what()\n"
        "    except runtime.current.VulkanSupportError as error:\n        print('wrong', error)\n"
        "    except Exception as error:\n        print(type(error).__name__, str(error)[:47])\n"
        "sys.stdout.flush()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    for what in (launch, y.copy_to_host, runtime.list_devices, runtime.get_device, runtime.synchronize,\n"
        "                 lambda: y.copy_to_device(np.ones(64)), lambda: runtime.device_array(3)):\n"
        "        attempt(what)\n"
        "    del x, y\n"
        "    sys.exit(3)\n"
        "print('child', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "launch()\n"
        "print(y.copy_to_host()[0])\n"
    )
    done = run_python(code, device)
    error = "VulkanError Vulkan was used in this process before it was f\n"
    assert done.stdout == error * 7 + "child 3\n3.0\n", done.stderr
    assert "Traceback" not in done.stderr


NATIVE = """
import os, sys, threading, numpy as np
import numba_vulkan as nv
@nv.jit
def add(x):
    i = nv.global_id(0)
    if i < x.size:
        x[i] += 1
x = nv.to_device(np.zeros(50, np.int32))
for _ in range(20):
    add.forall(50)(x)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("native", ["0", "1"])
def test_plans_know_of_a_fork(device: Device, native: str) -> None:
    code = NATIVE + (
        "sys.stdout.flush()\n"
        "lock = nv.get_device().logical.lock\n"
        "lock.__enter__()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    for arrays in (x, np.zeros(50, np.int32)):\n"
        "        try:\n            add.forall(50)(arrays)\n"
        "        except nv.VulkanError as error:\n            print(str(error)[:47])\n"
        "    sys.exit(3)\n"
        "lock.__exit__(None, None, None)\n"
        "print('child', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "add.forall(50)(x)\n"
        "print(x.copy_to_host()[0])\n"
    )
    done = run_python(code, device, NUMBA_VULKAN_NATIVE=native)
    assert done.stdout == "Vulkan was used in this process before it was f\n" * 2 + "child 3\n21\n", (
        done.stderr
    )


def test_the_end_with_launches_in_flight(device: Device) -> None:
    code = NATIVE + (
        "stream, pinned = nv.stream(), nv.pinned_array(50, np.int32)\n"
        "add.forall(50, stream=stream)(x)\n"
        "x.copy_to_host(pinned, stream=stream)\n"
        "with nv.record() as graph:\n    add.forall(50)(x)\n"
        "graph.launch()\n"
        "def work():\n    y = nv.to_device(np.zeros(50, np.int32))\n    [add.forall(50)(y) for _ in range(100)]\n"
        "threading.Thread(target=work).start()\n"
        "for _ in range(100):\n    add.forall(50)(x)\n"
        "print('end')\n"
    )
    done = run_python(code, device, NUMBA_VULKAN_DEBUG="0")
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)
    if has_validation_layer():
        done = run_python(code, device, NUMBA_VULKAN_DEBUG="1")
        assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_before_use_works(device: Device) -> None:
    code = (
        "import os\n"
        "import numba_vulkan.runtime\n"
        "child = os.fork()\n" + LAUNCH + "assert y.copy_to_host()[0] == 2\n"
        "if child:\n    print(os.waitpid(child, 0)[1])\n"
    )
    done = run_python(code, device)
    assert done.stdout == "0\n", done.stderr


INTERRUPT = (
    LAUNCH
    + """
def interrupt(*arguments):
    raise KeyboardInterrupt
functions = runtime.get_device().logical.functions
names = "vkWaitSemaphores", "vkGetSemaphoreCounterValue"
kept = [getattr(functions, name) for name in names]
for name in names:
    setattr(functions, name, interrupt)
try:
    launch()
    runtime.synchronize()
except KeyboardInterrupt:
    print("interrupted", runtime.get_device().work.last_serial > 0)
for name, function in zip(names, kept):
    setattr(functions, name, function)
"""
)


def test_launch_after_an_interrupt_waits_for_the_one_before(device: Device) -> None:
    done = run_python(INTERRUPT + "launch(); print(y.copy_to_host()[0])", device)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted True\n4.0\n", "", 0)


def test_process_ends_cleanly_with_work_in_flight(device: Device) -> None:
    done = run_python(INTERRUPT, device, NUMBA_VULKAN_DEBUG=str(int(has_validation_layer())))
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted True\n", "", 0)
