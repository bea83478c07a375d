"""Calls of the placeholder functions of `abi` while lowering."""

from __future__ import annotations

from llvmlite import ir

from .. import abi

__all__ = ["call"]

_TYPES: dict[str, ir.Type] = {
    "void": ir.VoidType(),
    "half": ir.HalfType(),
    "float": ir.FloatType(),
    "double": ir.DoubleType(),
} | {f"i{bits}": ir.IntType(bits) for bits in (1, 8, 16, 32, 64)}


def call(builder: ir.IRBuilder, name: str, *operands: ir.Value) -> ir.Value:
    """Emit a call of a placeholder and declare it in the module; its attributes come with `abi.prelude`."""
    module = builder.module
    function = module.globals.get(name)
    if function is None:
        row = abi.PLACEHOLDERS[name]
        signature = ir.FunctionType(_TYPES[row.result], [_TYPES[p] for p in row.parameters])
        function = ir.Function(module, signature, name)
    return builder.call(function, operands)
