"""``python -m numba_vulkan``."""

from __future__ import annotations

import numba_vulkan as nv
from numba_vulkan.__main__ import main


def test_devices_lists_each_with_what_its_probes_found(device, capsys):
    assert main(["devices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = lines.index(
        next(line for line in lines if line.startswith(f"{device.info.index}: {device.info.name}"))
    )
    rows = dict(line.strip().split(":", 1) for line in lines[start + 1 : start + 8])
    assert rows["kind"].strip() == device.info.kind
    assert rows["corrected"].strip() == (", ".join(device.info.probes.corrected) or "nothing needs to be")
    assert sum("(default)" in line for line in lines) == 1


def test_the_info_of_an_open_device_has_the_answers(device):
    answers = nv.get_device().info.probes
    assert answers.uncorrected == ()
    assert answers.has_fused_fma == device.profile.has_fused_fma
