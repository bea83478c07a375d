"""Print buffers that were kept: their records as the kernel's prints write them."""

from __future__ import annotations

import numpy as np
import pytest

from numba_vulkan import kernel
from numba_vulkan.errors import SpirvCodegenError, VulkanPrintWarning
from numba_vulkan.runtime import PRINT_BUFFER_WORDS, print_records

X = kernel.Reported(1, "int64")
PRINTS = (
    kernel.KernelPrint(0x5001, 3, kernel.ReportedText("x is {}\n", (X,))),
    kernel.KernelPrint(0x5002, 1, kernel.ReportedText("done\n", ())),
)


def compiled() -> kernel.CompiledKernel:
    return kernel.CompiledKernel(
        interface=kernel.KernelInterface("k", "k.py", 1, prints=PRINTS),
        variant=kernel.Variant(kernel.TargetProfile()),
        llvm_ir="",
        spirv=b"",
        capabilities=(),
        bindings=frozenset(),
        written_bindings=frozenset(),
        reports_status=False,
    )


def buffer(records: list[int], lost: int = 0) -> np.ndarray:
    words = np.zeros(PRINT_BUFFER_WORDS, np.uint32)
    words[:3] = len(records), len(words) - 3, lost
    words[3 : 3 + len(records)] = records
    return words


def test_records_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_records(buffer([0x5001, 7, 0, 0x5002, 0x5001, 0xFFFFFFFF, 0xFFFFFFFF]), compiled())
    assert capsys.readouterr().out == "x is 7\ndone\nx is -1\n"
    print_records(buffer([]), compiled())
    assert not capsys.readouterr().out


def test_what_cannot_be_printed() -> None:
    with pytest.warns(VulkanPrintWarning, match="2 of its prints are missing"):
        print_records(buffer([0x5002], lost=2), compiled())
    with pytest.raises(SpirvCodegenError, match="unknown record at word 1"):
        print_records(buffer([0x5002, 0x5003]), compiled())
