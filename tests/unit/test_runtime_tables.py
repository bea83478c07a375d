"""The runtime without a device: features, memory types, settings, files and probes."""

from __future__ import annotations

import importlib.util
import shutil
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from numba_vulkan import settings
from numba_vulkan.errors import VulkanPrecisionWarning
from numba_vulkan.kernel import CompiledKernel
from numba_vulkan.runtime import DeviceInfo, ProbeAnswers, probes, profile_of
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
from numba_vulkan.runtime.probe_modules import words

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


# ---------------------------------------------------------------- probes


class Runs:
    """Stands for a device; counts the kernels that it runs."""

    def __init__(
        self,
        result: int,
        units: int = 0,
        *,
        reassociates: bool = False,
        fused: bool = False,
        fences: int = probes.FENCES,
    ) -> None:
        self.result = result
        self.units = units
        self.reassociates = reassociates
        self.fused = fused
        self.fences = fences
        self.count = 0

    def __call__(self, kernel: CompiledKernel, given: np.ndarray) -> np.ndarray:
        self.count += 1
        if kernel.name == "arithmetic":
            return self.arithmetic(given)
        if kernel.name == "doubles":
            return self.doubles(given)
        if kernel.name == "loop_limit":
            return np.array([given[0], self.result], np.uint32)
        if kernel.name == "divergent_fence":
            return np.array([given[0], self.fences], np.uint32)
        items = given[1:].view(np.float32).reshape(-1, 6).copy()
        a, b, c = items[:, :3].T
        items[:, 3], items[:, 4], items[:, 5] = a / b, np.sqrt(a), a * b + c
        if self.fused:
            items[:, 5] = (a.astype(np.float64) * b + c).astype(np.float32)
        items[-1, 3:5].view(np.uint32)[:] += self.units
        return np.concatenate([given[:1], items.ravel().view(np.uint32)])

    def arithmetic(self, given: np.ndarray) -> np.ndarray:
        items = given[1:].view(np.float32).reshape(-1, 7).copy()
        a, b, c = items[:, :3].T
        items[:, 3], items[:, 4], items[:, 5], items[:, 6] = a + b, a * b, a * b + c, (a + b) - a
        if self.reassociates:
            items[:, 6] = b
        return np.concatenate([given[:1], items.ravel().view(np.uint32)])

    def doubles(self, given: np.ndarray) -> np.ndarray:
        items = given[1:].copy().view(np.float64).reshape(-1, 10)
        a, b, c = items[:, :3].T
        items[:, 3:].T[:] = a / b, np.sqrt(a), a * b + c, a + b, a * b, a * b + c, (a + b) - a
        if self.fused:
            rows = items[:, :3].tolist()
            items[:, 5] = [float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in rows]
        items[-1, 3:5].view(np.uint64)[:] += self.units
        if self.reassociates:
            items[:, 9] = b
        return np.concatenate([given[:1], items.ravel().view(np.uint32)])


def test_probe_result_is_that_of_the_generator() -> None:
    state = 0
    for _ in range(probes.LOOP_ITERATIONS):
        state = (state * 1664525 + 1013904223) % 2**32
    assert state == probes.LOOP_RESULT


@pytest.mark.parametrize("stops", [False, True])
def test_probe_runs_once_per_driver(cache_folder: Path, stops: bool) -> None:
    run = Runs(probes.LOOP_RESULT - stops)
    assert probes.answers_of(info_of(), run) == ProbeAnswers(loop_limit=stops)
    assert probes.answers_of(info_of(), run) == ProbeAnswers(loop_limit=stops)
    assert run.count == 5
    probes.answers_of(info_of(driver_info="newer"), run)
    assert run.count == 10


def test_loops_that_end_at_fences_are_found(cache_folder: Path) -> None:
    run = Runs(probes.LOOP_RESULT, fences=2)
    assert probes.answers_of(info_of(), run) == ProbeAnswers(fences_end_loops=True)


def test_answers_of_other_probes_do_not_count(cache_folder: Path) -> None:
    DriverFile("probes", info_of()).write(b'{"version": "other", "loop_limit": true}')
    assert not probes.answers_of(info_of(), Runs(probes.LOOP_RESULT)).loop_limit


def test_gpus_are_not_asked_about_loops(cache_folder: Path) -> None:
    run = Runs(0)
    assert probes.answers_of(info_of(kind="discrete"), run) == ProbeAnswers(loop_limit=False)
    assert run.count == 3


def test_float64_is_looked_at_where_there_is_any(cache_folder: Path) -> None:
    run = Runs(0)
    probes.answers_of(info_of(kind="discrete", float64=False), run)
    assert run.count == 2


def test_a_driver_that_fuses_float32_alone_counts_as_fusing_nothing(cache_folder: Path) -> None:
    class FusesFloat32(Runs):
        def doubles(self, given: np.ndarray) -> np.ndarray:
            return Runs(0).doubles(given)

    info = info_of(kind="discrete")
    assert not probes.answers_of(info, FusesFloat32(0, fused=True)).has_fused_fma


def test_one_wrong_quotient_and_root_are_found(cache_folder: Path) -> None:
    info = info_of(kind="discrete", float64=False)
    answers = probes.answers_of(info, Runs(0, units=1, fused=True))
    assert answers == ProbeAnswers(rounds_division=False, rounds_sqrt=False, has_fused_fma=True)
    assert answers.corrected == ("division", "square roots")
    assert answers.uncorrected == ()
    profile = profile_of(info, answers)
    assert not profile.rounds_division
    assert not profile.rounds_sqrt


@pytest.mark.parametrize(
    ("run", "named"),
    [
        (Runs(0, units=1), "division, square roots, division of float64, square roots of float64"),
        (Runs(0, units=1, fused=True), "division of float64, square roots of float64"),
        (
            Runs(0, reassociates=True, fused=True),
            "sums in the order that is written, sums in the order that is written of float64",
        ),
    ],
)
def test_what_cannot_be_corrected_is_named(cache_folder: Path, run: Runs, named: str) -> None:
    info = info_of(kind="discrete")
    for _ in range(2):  # also when the answers come from the cache
        with pytest.warns(
            VulkanPrecisionWarning, match=f"of float32 if nothing else is said, wrong: {named};"
        ):
            probes.answers_of(info, run)
    assert run.count == 3


@pytest.mark.skipif(shutil.which("spirv-as") is None, reason="needs spirv-tools")
def test_probe_modules_are_those_of_their_sources(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("assemble_probes", ROOT / "tools" / "assemble_probes.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.OUTPUT.read_text() == tool.text()
    module = tmp_path / "module.spv"
    for code in (words.LOOP_LIMIT, words.ROUNDING, words.ARITHMETIC, words.DOUBLES):
        module.write_bytes(struct.pack(f"<{len(code)}I", *code))
        subprocess.run(["spirv-val", "--target-env", "vulkan1.2", str(module)], check=True, timeout=60)


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
