"""Runs test code in a process whose devices lack a feature: hiding one is decided when a process opens its devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import hypothesis

import numba_vulkan as nv

__all__ = ["run_hiding"]

_START = """
import sys
import conftest
import hypothesis
import numba_vulkan as nv
device = nv.select_device(sys.argv[1])
hypothesis.settings.load_profile(sys.argv[2])
"""


def run_hiding(feature: str, device: nv.Device, code: str) -> str:
    """Return what code prints that runs on a device without a feature.

    Parameters
    ----------
    feature : str
        What of the device's profile is hidden.
    device : Device
        The device, selected when the code starts.
    code : str
        It finds the modules of the tests, and the profile of Hypothesis that this process has.
    """
    profile = hypothesis.settings.get_current_profile_name()
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    check = f"assert not device.profile.{feature}\n"
    run = subprocess.run(
        [sys.executable, "-c", _START + check + code, device.info.name, profile],
        check=False,
        env={**os.environ, "NUMBA_VULKAN_DISABLE": feature, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=None if profile == "fuzz" else 280,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()
