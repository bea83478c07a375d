"""Operations of words that SPIR-V has under other names, and float64 as two words."""

from __future__ import annotations

from numba_vulkan import abi
from numba_vulkan.llvmir.model import constant
from numba_vulkan.llvmir.types import F64, I1, I32
from unit.spirv_ir import Kernel, disassembly, spirv_val


def test_operations_of_words() -> None:
    kernel = Kernel("i32 i32")
    b, i = kernel.builder, kernel.id()
    x = kernel.load(0, i)
    zeros = b.call("llvm.ctlz.i32", I32, x, constant(I1, 0))
    ones = b.call("llvm.ctpop.i32", I32, zeros)
    product = b.call(abi.MULHI_U32, I32, x, b.call("llvm.bitreverse.i32", I32, ones))
    kernel.store(1, i, b.call(abi.MULHI_U32, I32, product, x))
    kernel.ret()
    spirv = kernel.emit().spirv
    spirv_val(spirv)
    text = disassembly(spirv)
    for expected in ("FindUMsb", "OpBitCount %uint", "OpBitReverse %uint", "OpUMulExtended"):
        assert expected in text
    assert text.count("OpTypeStruct %uint %uint\n") == 1


def test_words_of_float64() -> None:
    kernel = Kernel("f64 i32")
    b, i = kernel.builder, kernel.id()
    x = kernel.load(0, i)
    swapped = b.call(abi.JOIN_F64, F64, b.call(abi.HIGH_F64, I32, x), b.call(abi.LOW_F64, I32, x))
    kernel.store(0, i, swapped)
    kernel.ret()
    result = kernel.emit()
    spirv_val(result.spirv)
    assert "Int64" not in result.capabilities
    text = disassembly(result.spirv)
    assert "OpBitcast %v2uint" in text
    assert "OpBitcast %double" in text
