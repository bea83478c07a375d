"""The comparison that the examples end with tells wrong results from right ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "_comparison.py"


@pytest.fixture(scope="module")
def comparison():
    spec = importlib.util.spec_from_file_location("examples_comparison", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_equal_results_are_reported(comparison, capsys):
    values = np.arange(4, dtype=np.float32)
    comparison.report("Title", "a device", {"on the device": 0.5}, values, values.copy())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Title"
    assert [line.split() for line in lines[1:]] == [
        ["device", "a", "device"],
        ["on", "the", "device", "500.0", "ms"],
        ["largest", "difference", "0"],
    ]


@pytest.mark.parametrize(
    ("wrong", "by"), [(np.float32(2.5), "1.5"), (np.float32(np.nan), "nan"), (np.float32(np.inf), "inf")]
)
def test_a_wrong_value_ends_the_program(comparison, wrong, by):
    expected = np.ones((2, 2), np.float32)
    result = expected.copy()
    result[1, 0] = wrong
    with pytest.raises(SystemExit) as stopped:
        comparison.report("Title", "a device", {}, result, expected)
    assert f"1 of 4 values computed on 'a device' differ from the CPU's, by up to {by}" in str(
        stopped.value.code
    )


def test_differences_of_small_integers_do_not_wrap(comparison):
    expected = np.array([250, 3], np.uint8)
    with pytest.raises(SystemExit) as stopped:
        comparison.report("Title", "a device", {}, np.array([250, 255], np.uint8), expected)
    assert "by up to 252" in str(stopped.value.code)
