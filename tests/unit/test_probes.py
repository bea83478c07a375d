"""The probes of drivers, without a driver: what they ask, what answers mean, and how drivers that err are found."""

from __future__ import annotations

import importlib.util
import shutil
import struct
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from numba_vulkan.errors import VulkanPrecisionWarning
from numba_vulkan.kernel import CompiledKernel
from numba_vulkan.runtime import DeviceInfo, ProbeAnswers, probes, profile_of
from numba_vulkan.runtime.driver_file import DriverFile

ROOT = Path(__file__).resolve().parents[2]


def info_of(**values: object) -> DeviceInfo:
    types = dict.fromkeys(("float64", "int64", "int16", "int8"), True)
    return DeviceInfo(**({"index": 0, "name": "n", "kind": "cpu", "handle": 1} | types | values))


@pytest.fixture
def cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path / "caches"))
    return tmp_path / "caches"


class Driver:
    """Stands for a device; counts the probes that are started."""

    def __init__(
        self,
        result: int = probes.LOOP_RESULT,
        units: int = 0,
        *,
        reassociates: bool = False,
        fused: tuple[type[np.floating], ...] = (np.float32, np.float64),
        fences: int = probes.FENCES,
    ) -> None:
        self.result = result
        self.units = units
        self.reassociates = reassociates
        self.fused = fused
        self.fences = fences
        self.count = 0
        self.unread = 0

    def __call__(self, kernel: CompiledKernel, given: tuple[int, ...]) -> Callable[[], tuple[int, ...]]:
        self.count += 1
        self.unread += 1

        def result() -> tuple[int, ...]:
            self.unread -= 1
            if kernel.name == "loop_limit":
                return given[0], self.result
            if kernel.name == "divergent_fence":
                return given[0], self.fences
            if kernel.name == "inverses":
                inverses = np.float32(1) / probes.hard_inverses()
                return given[0], *(inverses.view(np.uint32) + self.units).tolist()
            dtype = {"floats": np.float32, "doubles": np.float64}[kernel.name]
            return given[0], *map(probes.digest, self.results(dtype)), *given[8:]

        return result

    def results(self, dtype: type[np.floating]) -> list[np.ndarray]:
        """Return what the driver makes of the items of a probe."""
        a, b, _ = probes.items_of(dtype)
        found = [result.copy() for result in probes.results_of(dtype)]
        for rounded in found[:2]:
            rounded[-1:].view(np.uint32 if dtype is np.float32 else np.uint64)[:] += self.units
        if dtype not in self.fused:
            found[2] = a * b - a * b
        if self.reassociates:
            found[-1] = b
        return found


def answers_of(info: DeviceInfo, driver: Driver) -> ProbeAnswers:
    return probes.Probes(info, driver).answers()


def test_probe_result_is_that_of_the_generator() -> None:
    state = 0
    for _ in range(probes.LOOP_ITERATIONS):
        state = (state * 1664525 + 1013904223) % 2**32
    assert state == probes.LOOP_RESULT


@pytest.mark.parametrize("stops", [False, True])
def test_probe_runs_once_per_driver(cache_folder: Path, stops: bool) -> None:
    driver = Driver(probes.LOOP_RESULT - stops)
    wanted = ProbeAnswers(loop_limit=stops, has_fused_fma=True)
    assert answers_of(info_of(), driver) == wanted
    assert answers_of(info_of(), driver) == wanted
    assert driver.count == 4
    answers_of(info_of(driver_info="newer"), driver)
    assert driver.count == 8


def test_probes_are_started_at_once_and_waited_for_when_asked(cache_folder: Path) -> None:
    driver = Driver()
    started = probes.Probes(info_of(), driver)
    assert driver.unread == 4
    assert started.answers() is started.answers()
    assert driver.unread == 0


def test_a_wait_that_fails_can_be_repeated(cache_folder: Path) -> None:
    class Interrupted(Driver):
        fails = True

        def results(self, dtype: type[np.floating]) -> list[np.ndarray]:
            if self.fails:
                raise KeyboardInterrupt
            return super().results(dtype)

    driver = Interrupted()
    started = probes.Probes(info_of(), driver)
    with pytest.raises(KeyboardInterrupt):
        started.answers()
    driver.fails = False
    assert started.answers() == ProbeAnswers(has_fused_fma=True)


def test_loops_that_end_at_fences_are_found(cache_folder: Path) -> None:
    assert answers_of(info_of(), Driver(fences=2, fused=())) == ProbeAnswers(fences_end_loops=True)


def test_answers_of_other_probes_do_not_count(cache_folder: Path) -> None:
    DriverFile("probes", info_of()).write(b'{"version": "other", "loop_limit": true}')
    assert not answers_of(info_of(), Driver()).loop_limit


def test_gpus_are_not_asked_about_loops(cache_folder: Path) -> None:
    driver = Driver(0, fused=())
    assert answers_of(info_of(kind="discrete"), driver) == ProbeAnswers(loop_limit=False)
    assert driver.count == 3


def test_float64_is_looked_at_where_there_is_any(cache_folder: Path) -> None:
    driver = Driver()
    answers_of(info_of(kind="discrete", float64=False), driver)
    assert driver.count == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_driver_that_fuses_one_precision_alone_counts_as_fusing_nothing(cache_folder: Path, dtype) -> None:
    assert not answers_of(info_of(kind="discrete"), Driver(fused=(dtype,))).has_fused_fma


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_items_tell_right_operations_from_wrong_ones(dtype: type[np.floating]) -> None:
    a, b, c = ([Fraction(x) for x in numbers.tolist()] for numbers in probes.items_of(dtype))
    _, _, fused, sums, products, both, back = (
        [Fraction(x) for x in numbers.tolist()] for numbers in probes.results_of(dtype)
    )
    n = range(len(a))
    once = np.array([float(a[i] * c[i] + b[i]) for i in n], dtype).tolist()
    # How many a driver gets wrong that rounds twice, rounds to zero, joins products and sums, or reorders sums.
    wrong = {
        "fused": sum(fused[i] != 0 for i in n),
        "sums": sum(sums[i] > a[i] + b[i] for i in n),
        "products": sum(products[i] > a[i] * b[i] for i in n),
        "both": sum(both[i] != once[i] for i in n),
        "back": sum(back[i] != b[i] for i in n),
    }
    assert min(wrong.values()) > 30, wrong


def test_one_wrong_quotient_and_root_are_found(cache_folder: Path) -> None:
    info = info_of(kind="discrete", float64=False)
    answers = answers_of(info, Driver(units=1))
    wrong = {"rounds_division": False, "rounds_sqrt": False, "inverts_in_one_step": False}
    assert answers == ProbeAnswers(**wrong, has_fused_fma=True)
    assert answers.corrected == ("division", "square roots")
    assert answers.uncorrected == ()
    profile = profile_of(info, answers)
    assert not profile.rounds_division
    assert not profile.rounds_sqrt


def test_one_step_makes_inverses_right_or_is_not_relied_on(cache_folder: Path) -> None:
    class WrongQuotients(Driver):
        def results(self, dtype: type[np.floating]) -> list[np.ndarray]:
            quotients, *others = super().results(dtype)
            return [quotients + 1, *others]

    driver = WrongQuotients()
    gpu, cpu = (info_of(kind=kind, float64=False) for kind in ("discrete", "cpu"))
    assert answers_of(gpu, driver).inverts_in_one_step
    assert not answers_of(replace(cpu, name="c"), driver).inverts_in_one_step
    assert answers_of(replace(cpu, name="right"), Driver()).inverts_in_one_step


@pytest.mark.parametrize(
    ("driver", "named"),
    [
        (Driver(units=1, fused=()), "division, square roots, division of float64, square roots of float64"),
        (Driver(units=1), "division of float64, square roots of float64"),
        (
            Driver(reassociates=True),
            "sums in the order that is written, sums in the order that is written of float64",
        ),
    ],
)
def test_what_cannot_be_corrected_is_named_once(cache_folder: Path, driver: Driver, named: str) -> None:
    info = info_of(kind="discrete")
    for _ in range(2):  # also when the answers come from the cache
        started = probes.Probes(info, driver)
        with pytest.warns(
            VulkanPrecisionWarning, match=f"of float32 if nothing else is said, wrong: {named};"
        ):
            started.answers()
        started.answers()
    assert driver.count == 3


@pytest.mark.skipif(shutil.which("spirv-as") is None, reason="needs spirv-tools")
def test_probe_modules_are_those_of_their_sources(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("assemble_probes", ROOT / "tools" / "assemble_probes.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.OUTPUT.read_text() == tool.text()
    module = tmp_path / "module.spv"
    for probe in probes.PROBES:
        code = struct.pack(f"<{len(probe.module)}I", *probe.module)
        module.write_bytes(code)
        subprocess.run(["spirv-val", "--target-env", "vulkan1.2", str(module)], check=True, timeout=60)
