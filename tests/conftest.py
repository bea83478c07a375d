"""Options, the `device` fixture with its markers, and golden files.

A test that asks for `device` runs once on every Vulkan device that the loader finds. `NUMBA_VULKAN_TEST_DEVICES`
names the devices on which at least one such test has to have passed: a run that reached none of them has shown nothing
and fails.
"""

from __future__ import annotations

import atexit
import difflib
import functools
import os
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

# Set before anything imports the package. Caches of the user must neither help nor hurt a test.
os.environ["NUMBA_VULKAN_VALIDATE"] = "1"
if "NUMBA_VULKAN_CACHE_DIR" not in os.environ:  # workers of pytest-xdist inherit it
    os.environ["NUMBA_VULKAN_CACHE_DIR"] = tempfile.mkdtemp(prefix="numba-vulkan-tests-")
    atexit.register(shutil.rmtree, os.environ["NUMBA_VULKAN_CACHE_DIR"], ignore_errors=True)

GOLDEN = Path(__file__).parent / "golden"
DEVICE_PROPERTY = "numba_vulkan_device"
DEFAULT_SEED = 20240229

hypothesis.settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("numba_vulkan")
    group.addoption(
        "--bless", action="store_true", help="rewrite golden files instead of comparing with them"
    )
    group.addoption("--soak", action="store_true", help="the memory tests in full length, with their numbers")
    group.addoption("--programs", type=int, default=300, help="number of random programs of each fuzz test")
    group.addoption(
        "--seed", default=str(DEFAULT_SEED), help="seed of the random programs; 'random' draws one"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(DeviceCount(config), "numba_vulkan_device_count")


@pytest.fixture(scope="session")
def program_count(request: pytest.FixtureRequest) -> int:
    """How many random programs a fuzz test tries; set by --programs."""
    return request.config.getoption("--programs")


@pytest.fixture
def program_seed(request: pytest.FixtureRequest) -> int:
    """Seed of the random programs; a failing test prints it, --seed repeats it."""
    text = request.config.getoption("--seed")
    seed = random.SystemRandom().randrange(2**32) if text == "random" else int(text)
    print(f"repeat with --seed={seed}")
    return seed


# ---------------------------------------------------------------- devices


@functools.cache
def known_devices() -> tuple[dict[str, object], str]:
    """DeviceInfo by short name, and why there is none."""
    try:
        import numba_vulkan
    except Exception as error:
        return {}, f"numba_vulkan cannot be imported: {error!r}"
    try:
        infos = numba_vulkan.list_devices()
    except Exception as error:
        return {}, f"list_devices failed: {error!r}"
    return short_names(infos), "the Vulkan loader lists no device"


def short_names(infos: list) -> dict[str, object]:
    """Test ids such as `llvmpipe`; a second device of the same name gets a number."""
    named: dict[str, object] = {}
    for info in infos:
        words = re.findall(r"[a-z0-9]+", info.name.lower())
        known = next((word for word in words if word in ("llvmpipe", "swiftshader")), None)
        name = known or "-".join(words[:3])
        count = sum(key.split("#")[0] == name for key in named)
        named[f"{name}#{count + 1}" if count else name] = info
    return named


def expected_devices() -> list[str]:
    return [word for word in os.environ.get("NUMBA_VULKAN_TEST_DEVICES", "").split(",") if word]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device_name" in metafunc.fixturenames:
        names = list(known_devices()[0]) or ["no-device"]
        metafunc.parametrize("device_name", names, indirect=True)


@pytest.fixture
def device_name(request: pytest.FixtureRequest) -> str:
    """Short name of the device that this run of the test uses, for example `llvmpipe`."""
    request.node.user_properties.append((DEVICE_PROPERTY, request.param))
    return request.param


@pytest.fixture
def device_info(request: pytest.FixtureRequest, device_name: str):
    """DeviceInfo of the device; the test is skipped if it lacks what a `needs` marker names."""
    infos, reason = known_devices()
    if device_name not in infos:
        if expected_devices() or "imported" in reason or "failed" in reason:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    info = infos[device_name]
    for marker in request.node.iter_markers("needs"):
        lacking = missing_features(info, marker.args, marker.kwargs)
        if lacking:
            pytest.skip(f"{device_name} lacks {lacking}")
    return info


def missing_features(info, features: tuple[str, ...], least: dict[str, int]) -> str:
    """What of a `needs` marker a device lacks, as text; a name that DeviceInfo does not have is a mistake."""
    for name in (*features, *least):
        if not hasattr(info, name):
            pytest.fail(f"marker needs({name!r}): DeviceInfo has no such attribute", pytrace=False)
    lacking = [name for name in features if not getattr(info, name)]
    lacking += [f"{name} >= {bound}" for name, bound in least.items() if getattr(info, name) < bound]
    return ", ".join(lacking)


@pytest.fixture
def device(device_info):
    """The Device under test, which is also the default device while the test runs."""
    import numba_vulkan

    return numba_vulkan.select_device(device_info)


class DeviceCount:
    """Counts the tests that passed on each device, and fails a run that missed an expected one."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.has_device_tests = False
        self.passed: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = dict(report.user_properties).get(DEVICE_PROPERTY)
        if name is None:
            return
        self.has_device_tests = True
        if report.when == "call" and report.passed:
            self.passed[str(name)] += 1

    def missed(self) -> list[str]:
        return [name for name in expected_devices() if self.has_device_tests and not self.passed[name]]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.missed() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter) -> None:
        for name, count in sorted(self.passed.items()):
            terminalreporter.write_line(f"passed on {name}: {count}")
        for name in self.missed():
            terminalreporter.write_line(
                f"FAILED: no test passed on {name}, which this run has to cover", red=True
            )


# ---------------------------------------------------------------- golden files


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compare text with a golden file: `golden(path, text, after=None)`.

    `path` is relative to tests/golden. With `after`, a line of the file such as `; ---- after structurize`, only what
    follows it, up to the next line that starts with `; ----`, is compared. `--bless` writes the text instead.
    """
    bless = request.config.getoption("--bless")

    def compare(path: str | Path, text: str, after: str | None = None) -> None:
        target = GOLDEN / path
        text = text.rstrip("\n") + "\n"
        whole = target.read_text() if target.exists() else ""
        start, end = section_bounds(whole, after, target)
        if whole[start:end].strip("\n") == text.strip("\n"):
            return
        if bless:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(whole[:start] + text + whole[end:])
            return
        lines = difflib.unified_diff(
            whole[start:end].splitlines(), text.splitlines(), "golden", "now", lineterm=""
        )
        pytest.fail(f"{target} differs; `pytest --bless` rewrites it\n" + "\n".join(lines), pytrace=False)

    return compare


def section_bounds(whole: str, after: str | None, target: Path) -> tuple[int, int]:
    """Where the compared text starts and ends in the golden file."""
    if after is None:
        return 0, len(whole)
    header = re.search(rf"^{re.escape(after)}[ \t]*(\n|\Z)", whole, re.MULTILINE)
    if header is None:
        raise LookupError(f"{target} has no line {after!r}")
    following = re.compile(r"^; ----", re.MULTILINE).search(whole, header.end())
    return header.end(), following.start() if following else len(whole)
