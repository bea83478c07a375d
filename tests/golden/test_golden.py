"""Golden files of the passes: `tests/golden/<pass>/<case>.ll` holds a reason, the input and what the pass makes of it.

    ; Why the case is here.
    ; without: int64, float64        (optional: features that the device lacks)
    ; disjoint                       (optional: the arrays of the launch do not overlap)
    ; narrow: ints                   (optional: what @jit(narrow=...) says)
    ; arrays: 2                      (optional: how many arrays the kernel takes)
    ; records: 2                     (optional: how many arrays of records instead)
    ; in parts                       (optional: a dispatch is a part of the grid)
    ; pairing: odd                   (optional: one workgroup does the work of two, and their number is odd)
    define void @k() {
    ...
    ; ---- after split-int64
    ...

The folder is the name of a pass in `middle.pipeline.PIPELINE`, or `llvm` for LLVM's passes, whose input is a module.
The pass runs alone, so the input is what earlier passes leave. `pytest --bless` writes what it makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from numba_vulkan import abi
from numba_vulkan.kernel import ArrayArgument, KernelInterface, Pairing, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import defined_functions, parse_function
from numba_vulkan.llvmir.printing import print_function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle.llvm_passes import optimise
from numba_vulkan.middle.pipeline import PIPELINE, Context
from numba_vulkan.narrowing import mode_of
from numba_vulkan.parameters import ParameterBlock, with_part

FOLDER = Path(__file__).parent
CASES = sorted(FOLDER.glob("*/*.ll"))
PASSES = {step.name: step.run for step in PIPELINE}
LLVM = "llvm"


def context_of(text: str, name: str) -> Context:
    """What the comments in front of the input say of the device."""
    lines = [line.lstrip("; ") for line in text.splitlines() if line.startswith(";")]
    missing = {
        word.strip()
        for line in lines
        if line.startswith("without:")
        for word in line.removeprefix("without:").split(",")
    }
    unknown = missing - {field.name for field in fields(TargetProfile)}
    assert not unknown, f"TargetProfile has no {unknown}"
    narrow = next(
        (line.removeprefix("narrow:").strip() for line in lines if line.startswith("narrow:")), None
    )
    profile = TargetProfile(**dict.fromkeys(missing, False), mode=mode_of(narrow))
    elements = {"arrays": "i32", "records": abi.WORDS}
    arrays = tuple(
        ArrayArgument(i, element, 1, "C")
        for kind, element in elements.items()
        for line in lines
        if line.startswith(f"{kind}:")
        for i in range(int(line.removeprefix(f"{kind}:")))
    )
    block, in_parts = ParameterBlock(), "in parts" in lines
    interface = KernelInterface(name, "kernel.py", 1, arrays, with_part(block) if in_parts else block)
    pairing = next((p for p in Pairing if f"pairing: {p.name.lower()}" in lines), Pairing.NONE)
    aliased = "disjoint" not in lines
    return Context(interface, Variant(profile, aliased=aliased, in_parts=in_parts, pairing=pairing))


def transformed(pass_name: str, text: str) -> Function:
    """What the pass makes of the first function of the input."""
    name = next(iter(defined_functions(text)))
    if pass_name == LLVM:
        return parse_function(optimise((text,), name), name)
    function = parse_function(text, name)
    verify(function)
    PASSES[pass_name](function, context_of(text, name))
    return function


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix())
def test_golden(path: Path, golden: Callable[..., None]):
    pass_name = path.parent.name
    header = f"; ---- after {pass_name}"
    text = path.read_text()
    assert text.startswith("; "), "a golden file starts with the reason for it"
    assert header in text.splitlines()
    function = transformed(pass_name, text.partition(header)[0])
    verify(function)
    golden(
        path.relative_to(FOLDER), print_function(function, declarations=False, locations=True), after=header
    )


def test_every_folder_is_a_pass():
    folders = {path.parent.name for path in CASES}
    assert folders <= {*PASSES, LLVM}
    assert folders, "there are no golden files"
