"""Sizes and offsets of types are those of LLVM with the data layout of the middle."""

from __future__ import annotations

import pytest
from llvmlite import binding as llvm

from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.middle.layout import member, size_bytes
from numba_vulkan.middle.llvm_passes import optimise

SCALARS = ("i1", "i8", "i16", "i24", "i32", "i48", "i64", "i128", "half", "float", "double", "ptr")
AGGREGATES = (
    "[3 x i16]",
    "[5 x i24]",
    "<2 x float>",
    "<4 x i16>",
    "<3 x i32>",
    "{ i8, i64 }",
    "{ i32, i64, i8 }",
    "{ i8, double }",
    "{ i1, { i16, i64 }, i8 }",
    "[2 x { i64, i8 }]",
    "{ i8, [3 x { i8, i16 }], ptr }",
    "{ i32, <2 x double>, i8 }",
    "{ i64, double, i1, float }",
)


def text_of(type: str, layout: str) -> str:
    return f"""target datalayout = "{layout}"
@v = global {type} zeroinitializer
define void @f() {{
entry:
  %p = alloca {type}
  ret void
}}
"""


def layout_of_the_middle() -> str:
    text = optimise(("define void @f() {\n  ret void\n}\n",), "f")
    (line,) = (line for line in text.splitlines() if line.startswith("target datalayout"))
    return line.split('"')[1]


@pytest.mark.parametrize("type", SCALARS + AGGREGATES)
def test_layout(type: str):
    layout = layout_of_the_middle()
    module = llvm.parse_assembly(text_of(type, layout))
    data = llvm.create_target_data(layout)
    llvm_type = module.get_global_variable("v").global_value_type
    ours = next(parse_function(text_of(type, layout), "f").instructions()).element
    assert size_bytes(ours) == data.get_abi_size(llvm_type)
    if type[0] == "{":
        count = len(list(llvm_type.elements))
        offsets = [data.get_element_offset(llvm_type, k) for k in range(count)]
        assert [member(ours, k)[0] for k in range(count)] == offsets
