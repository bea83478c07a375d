"""The tables are what the installed grammar gives."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from numba_vulkan.spirv import _tables

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location(
        "generate_spirv_tables", ROOT / "tools/generate_spirv_tables.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not (module.HEADERS / "spirv.core.grammar.json").exists():
        pytest.skip("the package spirv-headers is not installed")
    return module


def test_tables_are_current(generator):
    core = json.loads((generator.HEADERS / "spirv.core.grammar.json").read_text())
    if generator.version_of(core) != _tables.GRAMMAR:
        pytest.skip(
            f"the grammar installed is {generator.version_of(core)}, the tables have {_tables.GRAMMAR}"
        )
    assert generator.TARGET.read_text() == generator.generate(generator.HEADERS)


def test_layouts():
    assert _tables.LAYOUTS[_tables.Op.IAdd] == "TRII"
    assert _tables.LAYOUTS[_tables.Op.Switch] == "IIC*"
    assert _tables.ENUMERANTS["o"][_tables.ExecutionMode.LocalSize] == ("LLL", ())
    assert _tables.OPCODE_CAPABILITIES[_tables.Op.TypeRuntimeArray] == (_tables.Capability.Shader,)
