"""Environment variables: what is read, and what is said of values that mean nothing."""

from __future__ import annotations

import pytest

from numba_vulkan import settings

FLAGS = ("VALIDATE", "WARNINGS", "SYNC", "NATIVE", "ROBUST", "ADDRESSES", "STAGED")
BY_SUFFIX = {setting.suffix: setting for setting in settings.SETTINGS}


def read(suffix: str, text: str, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setenv(f"NUMBA_VULKAN_{suffix}", text)
    return BY_SUFFIX[suffix].value()


@pytest.mark.parametrize("suffix", BY_SUFFIX)
def test_without_a_variable_the_default_holds(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(f"NUMBA_VULKAN_{suffix}", raising=False)
    assert BY_SUFFIX[suffix].value() == BY_SUFFIX[suffix].default


@pytest.mark.parametrize("suffix", FLAGS)
@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", True), ("on", True), ("YES", True), (" true ", True), ("0", False), ("no", False), ("", False)],
)
def test_flags(suffix: str, text: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(suffix, text, monkeypatch) is expected


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        ("DEBUG", "2", 2),
        ("DEBUG", "", 0),
        ("POOL_MB", "0", 0),
        ("POOL_MB", " 64 ", 64),
        ("NARROW", "Ints", "ints"),
        ("NARROW", "off", False),
        ("NARROW", "none", None),
        ("DISABLE", "int64, float64,", frozenset({"int64", "float64"})),
    ],
)
def test_values(suffix: str, text: str, expected: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(suffix, text, monkeypatch) == expected


@pytest.mark.parametrize(
    ("suffix", "text", "choices"),
    [
        *((suffix, "maybe", "the choices are 0, false, no, off, 1, true, yes, on") for suffix in FLAGS),
        ("DEBUG", "7", "the choices are 0, 1, 2"),
        ("DEBUG", "-1", "the choices are 0, 1, 2"),
        ("NARROW", "int", "ints, floats"),
        ("POOL_MB", "-1", "it must be a whole number, 0 or more"),
        ("POOL_MB", "1.5", "it must be a whole number, 0 or more"),
        ("POOL_MB", "", "it must be a whole number, 0 or more"),
        ("PRINT_KB", "many", "it must be a whole number, 0 or more"),
    ],
)
def test_errors_name_variable_value_and_choices(
    suffix: str, text: str, choices: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=f"NUMBA_VULKAN_{suffix}='{text}' cannot be read") as caught:
        read(suffix, text, monkeypatch)
    assert choices in str(caught.value)
    assert BY_SUFFIX[suffix].meaning in str(caught.value)
