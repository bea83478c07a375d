"""Modules to be changed, and what the checker and spirv-val say of them."""

from __future__ import annotations

import subprocess
from array import array

from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.spirv.check import check
from numba_vulkan.spirv.decode import LAYOUTS
from unit.spirv_ir import ALL, Kernel


class Module:
    """The words of a module, instruction by instruction, to be changed."""

    def __init__(self, kernel: Kernel, **options: object) -> None:
        words = array("I", kernel.emit(**options).spirv).tolist()
        self.head, self.rows = words[:5], []
        at = 5
        while at < len(words):
            self.rows.append(words[at : at + (words[at] >> 16)])
            at += words[at] >> 16

    def find(self, opcode: int, number: int = 0) -> int:
        """Position of an instruction."""
        return [k for k, row in enumerate(self.rows) if row[0] & 0xFFFF == opcode][number]

    def id(self, opcode: int, number: int = 0) -> int:
        """Result id of an instruction."""
        row = self.rows[self.find(opcode, number)]
        return row[2] if LAYOUTS[opcode].startswith("T") else row[1]

    def set(self, opcode: int, word: int, value: int, number: int = 0) -> None:
        self.rows[self.find(opcode, number)][word] = value

    def drop(self, opcode: int, number: int = 0) -> list[int]:
        return self.rows.pop(self.find(opcode, number))

    def insert(self, before: int, opcode: int, *words: int) -> None:
        self.rows.insert(before, [opcode, *words])

    def new_id(self) -> int:
        self.head[3] += 1
        return self.head[3] - 1

    def to_bytes(self) -> bytes:
        words = list(self.head)
        for row in self.rows:
            words += [row[0] & 0xFFFF | len(row) << 16, *row[1:]]
        return array("I", words).tobytes()


def rule_of(spirv: bytes, profile=ALL) -> str:
    """The rule that the checker says is broken, or nothing."""
    try:
        check(spirv, profile, "broken")
    except SpirvCodegenError as error:
        return str(error).removeprefix("the SPIR-V of kernel 'broken' breaks the rule '").split("'")[0]
    return ""


def accepted_by_spirv_val(spirv: bytes) -> bool:
    command = ["spirv-val", "--target-env", "vulkan1.2", "-"]
    return not subprocess.run(command, input=spirv, capture_output=True, check=False, timeout=60).returncode
