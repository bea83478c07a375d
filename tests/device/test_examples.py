"""The examples at small sizes: each compares its result with the CPU's itself, and fails if they differ."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path.name for path in (ROOT / "examples").glob("[a-z]*.py"))
PICTURES = {"mandelbrot.py": (96, 64), "median_filter.py": (192, 64)}
# The steps of the heat equation are always 500.
SIZE = 64


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, str(ROOT / "examples" / program), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.mesa22
@pytest.mark.parametrize("program", PROGRAMS)
def test_example_agrees_with_the_cpu(device, program, tmp_path):
    picture = tmp_path / "pictures" / "out.png"
    arguments = ["--device", device.info.name, "--size", str(SIZE)]
    done = run(program, *arguments, *(["--output", str(picture)] if program in PICTURES else []))
    assert done.returncode == 0, done.stderr
    lines = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    assert ["largest", "difference", "0"] in lines
    assert device.info.name in done.stdout
    if program in PICTURES:
        with Image.open(picture) as image:
            assert image.size == PICTURES[program]


def test_unknown_device_is_named(device):
    done = run("heat.py", "--device", "no such device")
    assert done.returncode != 0
    assert "no such device" in done.stderr
    assert device.info.name in done.stderr
