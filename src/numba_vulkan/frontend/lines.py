"""Debug information with lines only: enough for errors of later passes to name the user's line, and cheap."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.debuginfo import AbstractDIBuilder

__all__ = ["LineBuilder"]

_DEBUG_INFO_VERSION = 3


class LineBuilder(AbstractDIBuilder):
    """Gives each function of a module a subprogram and each instruction its line.

    Numba's own builder also describes every variable and type, which doubles the size of a module.
    """

    def __init__(self, module: ir.Module, filepath: str, cgctx: Any, directives_only: bool) -> None:
        del cgctx, directives_only
        self._module = module
        self._file = module.add_debug_info("DIFile", {"filename": filepath, "directory": ""})
        self._locations: dict[int, Any] = {}
        self._scope: Any = None
        self._unit: Any = None

    def mark_subprogram(
        self, function: ir.Function, qualname: str, argnames: Any, argtypes: Any, line: int
    ) -> None:
        """Start a function; the lines that follow belong to it."""
        del argnames, argtypes
        module = self._module
        signature = module.add_debug_info("DISubroutineType", {"types": module.add_metadata([None])})
        self._unit = module.add_debug_info(
            "DICompileUnit",
            {
                "language": ir.DIToken("DW_LANG_Python"),
                "file": self._file,
                "producer": "numba_vulkan",
                "isOptimized": True,
                "runtimeVersion": 0,
                "emissionKind": ir.DIToken("LineTablesOnly"),
            },
            is_distinct=True,
        )
        self._scope = module.add_debug_info(
            "DISubprogram",
            {
                "name": qualname,
                "scope": self._file,
                "file": self._file,
                "line": line,
                "type": signature,
                "scopeLine": line,
                "spFlags": ir.DIToken("DISPFlagDefinition"),
                "unit": self._unit,
            },
            is_distinct=True,
        )
        self._locations.clear()
        function.set_metadata("dbg", self._scope)

    def mark_location(self, builder: ir.IRBuilder, line: int) -> None:
        """Give the instructions that follow this line."""
        location = self._locations.get(line)
        if location is None:
            parts = {"line": line, "column": 1, "scope": self._scope}
            location = self._locations[line] = self._module.add_debug_info("DILocation", parts)
        builder.debug_metadata = location

    def mark_variable(self, *_args: Any, **_kws: Any) -> None:
        """Variables are not described."""

    def initialize(self) -> None:
        """Nothing to prepare."""

    def finalize(self) -> None:
        """Name the compile unit and the version of the format in the module."""
        module = self._module
        cgutils.get_or_insert_named_metadata(module, "llvm.dbg.cu").add(self._unit)
        flags = cgutils.get_or_insert_named_metadata(module, "llvm.module.flags")
        if not flags.operands:
            # Behaviour 2: modules that are linked must agree.
            parts = [ir.IntType(32)(2), "Debug Info Version", ir.IntType(32)(_DEBUG_INFO_VERSION)]
            flags.add(module.add_metadata(parts))
