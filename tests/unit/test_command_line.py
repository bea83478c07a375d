"""``python -m numba_vulkan`` without a device."""

from __future__ import annotations

import pytest

import numba_vulkan as nv
from numba_vulkan.__main__ import main


def test_unknown_commands_are_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["device"])
    assert stopped.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


def test_a_machine_without_devices_gets_one_line(capsys, monkeypatch):
    def without_devices():
        raise nv.VulkanSupportError("there is no driver: install one")

    monkeypatch.setattr("numba_vulkan.__main__.list_devices", without_devices)
    assert main(["devices"]) == 1
    assert capsys.readouterr().err == "numba_vulkan: there is no driver: install one\n"
