"""Numba's code library and code generator interfaces: they collect LLVM assembly and exceptions, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, TypeVar

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core.codegen import Codegen, CodeLibrary

from ..errors import SpirvCodegenError, VulkanUnsupportedError
from ..kernel import ConstantArray, KernelException, KernelPlace, KernelPrint
from .expression_uses import Assumption

__all__ = ["Collected", "VulkanCodegen", "VulkanCodeLibrary"]


class Collected(NamedTuple):
    """The modules of functions, and what they report."""

    modules: tuple[str, ...]
    exceptions: tuple[KernelException, ...]
    prints: tuple[KernelPrint, ...]
    places: tuple[KernelPlace, ...]


class VulkanCodeLibrary(CodeLibrary):
    """The LLVM modules of one compiled function and the libraries of the functions it calls."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._modules: list[ir.Module | str] = []
        self._linked: dict[VulkanCodeLibrary, None] = {}
        self._exceptions: dict[int, KernelException] = {}
        self._prints: dict[int, KernelPrint] = {}
        self._places: dict[int, KernelPlace] = {}
        self._constants: dict[str, ConstantArray] = {}
        self._dynamic_bytes = 0
        self.assumptions: tuple[Assumption, ...] = ()

    def add_ir_module(self, ir_module: ir.Module) -> None:
        """Add a module of this function."""
        self._modules.append(ir_module)

    def add_linking_library(self, library: CodeLibrary) -> None:
        """Add the library of a function that this one calls."""
        assert isinstance(library, VulkanCodeLibrary)
        self._linked[library] = None

    def add_exception(self, exception: KernelException, code: int) -> int:
        """Register an exception that this function raises under a free code from ``code`` on; return the code."""
        return _register(self._exceptions, exception, code)

    def add_print(self, printed: KernelPrint, code: int) -> int:
        """Register what this function prints under a free code from ``code`` on; return the code."""
        return _register(self._prints, printed, code)

    def add_place(self, place: KernelPlace, code: int) -> int:
        """Register where this function calls what may raise under a free code from ``code`` on; return the code."""
        return _register(self._places, place, code)

    def add_constant(self, array: ConstantArray) -> None:
        """Register a constant array that this function reads."""
        self._constants[array.name] = array

    def constants(self, first_binding: int) -> tuple[ConstantArray, ...]:
        """Return the constant arrays of everything reachable, each once, with bindings from a number on."""
        found = {name: array for library in self.reachable() for name, array in library._constants.items()}
        return tuple(replace(found[name], binding=first_binding + k) for k, name in enumerate(sorted(found)))

    def add_dynamic(self, itemsize: int) -> None:
        """Register that this function makes a dynamic shared array with elements of so many bytes."""
        self._dynamic_bytes = max(self._dynamic_bytes, itemsize)

    def dynamic_bytes(self) -> int:
        """Return the bytes of the largest element of dynamic shared arrays of everything reachable, 0 without any."""
        return max(library._dynamic_bytes for library in self.reachable())

    def reachable(self) -> list[VulkanCodeLibrary]:
        """Return this library and all that it calls, directly or not, each once."""
        found: dict[VulkanCodeLibrary, None] = {self: None}
        pending: list[VulkanCodeLibrary] = [self]
        while pending:
            for library in pending.pop()._linked:
                if library not in found:
                    found[library] = None
                    pending.append(library)
        return list(found)

    def assembly(self) -> list[str]:
        """Return the LLVM assembly of this library's own modules."""
        self._modules = [str(module) for module in self._modules]
        return [module for module in self._modules if isinstance(module, str)]

    def collect(self) -> Collected:
        """Return what everything reachable consists of.

        Raises
        ------
        SpirvCodegenError
            If two different exceptions, prints or places have one code.
        """
        reachable = self.reachable()
        return Collected(
            tuple(module for library in reachable for module in library.assembly()),
            _merged([library._exceptions for library in reachable], "exceptions"),
            _merged([library._prints for library in reachable], "prints"),
            _merged([library._places for library in reachable], "places"),
        )

    def finalize(self) -> None:
        """Close the library; there is nothing to compile yet."""
        self._finalized = True

    def get_function(self, name: str) -> NoReturn:
        """Refuse: functions exist as text only."""
        raise NotImplementedError(name)

    def get_llvm_str(self) -> str:
        """Return the LLVM assembly of this function alone."""
        return "\n".join(self.assembly())

    def get_asm_str(self) -> str:
        """Return an empty text: a function alone is never assembled."""
        return ""


_Coded = TypeVar("_Coded", KernelException, KernelPrint, KernelPlace)


def _register(table: dict[int, _Coded], item: _Coded, code: int) -> int:
    """Enter an item without a code under the first that is free, or its own; return that."""
    while (known := table.get(code)) is not None and replace(known, code=0) != item:
        code += 1
    table[code] = replace(item, code=code)
    return code


def _merged(tables: Iterable[dict[int, _Coded]], what: str) -> tuple[_Coded, ...]:
    found: dict[int, _Coded] = {}
    for table in tables:
        for code, item in table.items():
            if found.setdefault(code, item) != item:
                raise SpirvCodegenError(
                    f"two {what} share status code {code}: change the text of one of them"
                )
    return tuple(found.values())


class VulkanCodegen(Codegen):
    """Creates libraries and modules; the target data layout is LLVM's default with 64-bit pointers."""

    _library_class = VulkanCodeLibrary

    def __init__(self) -> None:
        self._data_layout = ""
        self._target_data = llvm.create_target_data("")

    def _create_empty_module(self, name: str) -> ir.Module:
        return ir.Module(name)

    def _add_module(self, module: ir.Module) -> NoReturn:
        raise NotImplementedError(module)

    def insert_unresolved_ref(self, builder: ir.IRBuilder, fnty: ir.FunctionType, name: str) -> NoReturn:
        """Refuse: Numba refers only to functions that it is still compiling, that is, from within themselves."""
        raise VulkanUnsupportedError(
            "recursion is not supported in kernels, and this function calls itself, directly or through others: "
            "write a loop"
        )

    def magic_tuple(self) -> tuple[str, ...]:
        """Return what identifies the code generator in Numba's caches."""
        return ("vulkan",)
