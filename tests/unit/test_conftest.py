"""The test machinery itself: it must not let a run pass that has shown nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each starts pytest in a process of its own

TESTS = Path(__file__).resolve().parents[1]

FAKE_PACKAGE = """
from dataclasses import dataclass

@dataclass(frozen=True)
class DeviceInfo:
    name: str
    float64: bool
    max_local_invocations: int

def list_devices():
    return [DeviceInfo("llvmpipe (LLVM 15.0.6, 256 bits)", True, 1024),
            DeviceInfo("SwiftShader Device (Subzero)", False, 256)]

def select_device(info):
    return info
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """A folder with this project's conftest, a package that pretends to have two devices, and one marker."""
    pytester.makeconftest((TESTS / "conftest.py").read_text())
    pytester.makepyfile(numba_vulkan=FAKE_PACKAGE)
    pytester.makeini("[pytest]\nmarkers =\n    needs\npythonpath = .\n")
    monkeypatch.setenv("NUMBA_VULKAN_TEST_DEVICES", "llvmpipe,swiftshader")
    return pytester


def run(project, text: str, *arguments: str):
    project.makepyfile(test_it=text)
    return project.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_runs_on_every_device(project):
    result = run(project, "def test(device): assert device.name")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["passed on llvmpipe: 1", "passed on swiftshader: 1"])
    assert result.ret == 0


def test_counts_survive_workers(project):
    result = run(project, "def test(device): assert device.name", "-n", "2")
    result.stdout.fnmatch_lines(["passed on llvmpipe: 1", "passed on swiftshader: 1"])
    assert result.ret == 0


def test_run_without_an_expected_device_fails(project, monkeypatch):
    monkeypatch.setenv("NUMBA_VULKAN_TEST_DEVICES", "llvmpipe,nvidia")
    result = run(project, "def test(device): assert device.name")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["FAILED: no test passed on nvidia*"])
    assert result.ret == 1


def test_run_that_skipped_everything_on_a_device_fails(project):
    text = "import pytest\n@pytest.mark.needs('float64')\ndef test(device): pass"
    result = run(project, text, "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["FAILED: no test passed on swiftshader*", "*swiftshader lacks float64*"])
    assert result.ret == 1


def test_run_without_device_tests_passes(project):
    result = run(project, "def test(): pass")
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_limits_can_be_needed(project):
    text = "import pytest\n@pytest.mark.needs(max_local_invocations=512)\ndef test(device): pass"
    result = run(project, text, "-rs")
    result.stdout.fnmatch_lines(["*swiftshader lacks max_local_invocations >= 512*"])


def test_unknown_feature_is_an_error(project):
    text = "import pytest\n@pytest.mark.needs('flaot64')\ndef test(device): pass"
    result = run(project, text)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*DeviceInfo has no such attribute*"])


def test_package_that_cannot_be_imported_fails_its_tests_only(project):
    project.makepyfile(numba_vulkan="raise RuntimeError('broken')")
    result = run(project, "def test(device): pass\ndef test_other(): pass")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*numba_vulkan cannot be imported*broken*"])


def test_validation_is_always_on(project):
    result = run(project, "import os\ndef test(): assert os.environ['NUMBA_VULKAN_VALIDATE'] == '1'")
    result.assert_outcomes(passed=1)


def test_golden_file_is_blessed_then_compared(project):
    text = "def test(golden): golden('case.ll', 'b\\n', after='; ---- after x')"
    folder = project.path / "golden"
    folder.mkdir()
    (folder / "case.ll").write_text("reason\n; ---- after x\na\n; ---- after y\nc\n")
    differing = run(project, text)
    differing.assert_outcomes(failed=1)
    differing.stdout.fnmatch_lines(["*--bless*", "-a", "+b"])
    run(project, text, "--bless").assert_outcomes(passed=1)
    assert (folder / "case.ll").read_text() == "reason\n; ---- after x\nb\n; ---- after y\nc\n"
    run(project, text).assert_outcomes(passed=1)
