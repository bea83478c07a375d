"""The runtime without a device: features, memory types, settings and files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from numba_vulkan import settings
from numba_vulkan.runtime import DeviceInfo, ProbeAnswers, profile_of
from numba_vulkan.runtime.binding import loader, vk
from numba_vulkan.runtime.driver_file import DriverFile
from numba_vulkan.runtime.features import (
    BASE_CAPABILITIES,
    CAPABILITY_FEATURES,
    FEATURES,
    SUBGROUP_PROPERTIES,
    FeatureChain,
    disabled_features,
)
from numba_vulkan.runtime.memory import MemoryKind, choose_type

ROOT = Path(__file__).resolve().parents[2]


def info_of(**values: object) -> DeviceInfo:
    types = dict.fromkeys(("float64", "int64", "int16", "int8"), True)
    return DeviceInfo(**({"index": 0, "name": "n", "kind": "cpu", "handle": 1} | types | values))


# ---------------------------------------------------------------- features


def test_every_feature_is_a_field_of_device_info_and_of_its_structure() -> None:
    fields = DeviceInfo.__dataclass_fields__
    for feature in FEATURES:
        assert feature.name in fields
        structure = (
            vk.VkPhysicalDeviceFeatures
            if feature.structure is vk.VkPhysicalDeviceFeatures2
            else feature.structure
        )
        assert set(feature.members) <= {name for name, _ in structure._fields_}
        assert feature.remedy
        assert set(feature.requires) <= {f.name for f in FEATURES}
    for name, _, _ in SUBGROUP_PROPERTIES:
        assert name in fields


def test_capability_belongs_to_one_feature() -> None:
    assert len(CAPABILITY_FEATURES) == sum(len(f.capabilities) for f in FEATURES)
    assert not BASE_CAPABILITIES & CAPABILITY_FEATURES.keys()


def test_chain_leaves_out_structures_of_missing_extensions() -> None:
    chain = FeatureChain(frozenset())
    atomic = next(f for f in FEATURES if f.name == "float32_atomic_add")
    int64 = next(f for f in FEATURES if f.name == "int64")
    assert not chain.offers(atomic)
    assert not chain.offers(int64)
    chain.enable(int64.structure, *int64.members)
    assert chain.offers(int64)
    assert chain.head.features.shaderInt64 == 1
    longer = FeatureChain(frozenset({"VK_EXT_shader_atomic_float"}))
    longer.enable(atomic.structure, atomic.members[0])
    assert not longer.offers(atomic)
    longer.enable(atomic.structure, atomic.members[1])
    assert longer.offers(atomic)


def test_disabling_a_feature_disables_what_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_DISABLE", "int64, float64")
    assert disabled_features() == {
        "int64",
        "float64",
        "int64_atomics",
        "float64_atomic_add",
        "subgroup_int64",
    }


def test_disabling_an_unknown_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_DISABLE", "int46")
    with pytest.raises(
        ValueError, match="NUMBA_VULKAN_DISABLE names unknown features int46; there are float64, int64"
    ):
        disabled_features()


# ---------------------------------------------------------------- profile


def test_profile_repeats_the_info() -> None:
    info = info_of(int64=False, int8=False, float16=True, storage8=True, nan_preserve=(32,))
    profile = profile_of(info, ProbeAnswers(loop_limit=False))
    assert (profile.int64, profile.float64, profile.int16, profile.int8) == (False, True, True, False)
    assert (profile.float16, profile.storage8, profile.storage16) == (True, True, False)
    assert profile.nan_preserve == (32,)
    assert not profile.loop_limit


def test_profile_without_answers_expects_the_worst() -> None:
    for kind, is_suspect in (("cpu", True), ("discrete", False)):
        profile = profile_of(info_of(kind=kind))
        assert (profile.loop_limit, profile.fences_end_loops) == (is_suspect, is_suspect)


# ---------------------------------------------------------------- memory types

LOCAL = vk.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
MAPPED = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
CACHED = vk.VK_MEMORY_PROPERTY_HOST_CACHED_BIT
DISCRETE = [(0, 1), (LOCAL, 0), (MAPPED, 1), (MAPPED | CACHED, 1), (LOCAL | MAPPED, 2)]
INTEGRATED = [(LOCAL, 0), (LOCAL | MAPPED, 0), (LOCAL | MAPPED | CACHED, 0)]


@pytest.mark.parametrize(
    ("types", "allowed", "kind", "expected"),
    [
        (DISCRETE, 0b11111, MemoryKind.DEVICE, 1),
        (DISCRETE, 0b11111, MemoryKind.HOST, 3),
        (DISCRETE, 0b10111, MemoryKind.HOST, 2),
        (DISCRETE, 0b11101, MemoryKind.DEVICE, 4),
        (DISCRETE, 0b00101, MemoryKind.DEVICE, 0),
        (INTEGRATED, 0b111, MemoryKind.DEVICE, 2),
        (INTEGRATED, 0b111, MemoryKind.HOST, 2),
        (INTEGRATED, 0b011, MemoryKind.HOST, 1),
        (INTEGRATED, 0b011, MemoryKind.DEVICE, 0),
    ],
)
def test_choice_of_memory(types: list, allowed: int, kind: MemoryKind, expected: int) -> None:
    assert choose_type(types, allowed, kind) == expected


# ---------------------------------------------------------------- files


@pytest.fixture
def cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path / "caches"))
    return tmp_path / "caches"


def test_driver_file_returns_what_was_written(cache_folder: Path) -> None:
    file = DriverFile("things", info_of())
    assert file.read() == b""
    file.write(b"content")
    assert DriverFile("things", info_of(index=3)).read() == b"content"
    assert [path.parent.name for path in cache_folder.rglob("*.bin")] == ["things"]


def test_driver_file_differs_by_driver_version(cache_folder: Path) -> None:
    DriverFile("things", info_of(driver_info="Mesa 22")).write(b"old")
    assert DriverFile("things", info_of(driver_info="Mesa 25")).read() == b""


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 40])
def test_damaged_driver_file_reads_as_empty(cache_folder: Path, damage: bytes) -> None:
    file = DriverFile("things", info_of())
    file.write(b"content")
    file.path.write_bytes(damage)
    assert file.read() == b""
    file.write(b"content")
    file.path.write_bytes(file.path.read_bytes()[:-1])
    assert file.read() == b""


def test_driver_file_in_an_unusable_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path / "file"))
    file = DriverFile("things", info_of())
    file.write(b"content")
    assert file.read() == b""


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path))
    assert settings.cache_folder() == tmp_path
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", "")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert settings.cache_folder() == Path("/somewhere/numba_vulkan")


# ---------------------------------------------------------------- no loader, no driver, no touch


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, check=False, capture_output=True, text=True, timeout=120
    )


def test_missing_loader() -> None:
    code = (
        "from numba_vulkan.runtime.binding import loader\n"
        "loader._LOADER_NAMES = {'linux': ('libnothing.so.1',)}\n"
        "import numba_vulkan.runtime as runtime\n"
        "try:\n    runtime.list_devices()\n"
        "except runtime.current.VulkanSupportError as error:\n    print(error)\n"
    )
    done = run_python(code)
    assert done.stdout.startswith("no Vulkan loader found (tried libnothing.so.1): install"), done.stderr
    assert "libvulkan1" in done.stdout
    assert "mesa-vulkan-drivers" in loader.remedy()


def test_no_driver_names_the_variable() -> None:
    code = (
        "import numba_vulkan.runtime as runtime\n"
        "print(runtime.list_devices())\n"
        "try:\n    runtime.get_device()\n"
        "except runtime.current.VulkanSupportError as error:\n    print(error)\n"
    )
    done = run_python(code, VK_DRIVER_FILES="/nowhere.json", VK_ICD_FILENAMES="/nowhere.json")
    lines = done.stdout.splitlines()
    assert lines[0] == "[]", done.stderr
    assert lines[1].startswith("the Vulkan loader lists no device with Vulkan 1.2 and a compute queue")
    assert "VK_DRIVER_FILES=/nowhere.json" in lines[1]


def test_import_loads_no_vulkan() -> None:
    code = "import numba_vulkan.runtime; print('vulkan.so' in open('/proc/self/maps').read())"
    assert run_python(code).stdout == "False\n"
