"""Compiles the sources of the math library, with the stages that kernels go through, one function at a time."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.compiler_lock import global_compiler_lock

from . import abi
from .frontend import math_primitives
from .frontend.functions import DeviceDispatcher
from .frontend.math_primitives import INT
from .frontend.target import vulkan_target
from .llvmir.parse import parse_function
from .llvmir.printing import print_function
from .mathlib import library
from .mathlib.digests import digest_of_files
from .mathlib.precision import specialise
from .mathlib.table import FAST, MathFunction, symbol_parts, symbols
from .middle import llvm_passes, merge_values

__all__ = ["compile_symbol", "compiler_identity", "install", "write_all"]

_SINGLE = types.float32, np.float32
_TYPES: dict[str, tuple[Any, Any]] = {"f32": _SINGLE, FAST: _SINGLE, "f64": (types.float64, np.float64)}
_known: dict[Any, Any] = {}


def compile_symbol(symbol: str) -> str:
    """Return the LLVM assembly of one function of the library; the caller holds Numba's compiler lock."""
    function, precision = symbol_parts(symbol)
    float_type, floats = _TYPES[precision]
    dispatcher = specialise(function.source(precision), floats, DeviceDispatcher, _known)
    arguments = tuple(float_type if kind == "f" else INT for kind in function.operands)
    dispatcher.compile_device(arguments)
    result = dispatcher.overloads[arguments]
    modules = result.library.collect().modules
    wrapper = _wrapper(symbol, function, result, arguments)
    linked = (*modules, str(wrapper))
    text = _without_names(llvm_passes.optimise(linked, symbol, passes=llvm_passes.PASSES_OF_MATH))
    merged = parse_function(text, symbol)
    merge_values.merge_values(merged)
    text = llvm_passes.optimise((print_function(merged),), symbol, passes=llvm_passes.PASSES_OF_MERGED)
    # Shorter than LLVM's text, and read in less time.
    return print_function(parse_function(text, symbol))


def _wrapper(
    symbol: str, function: MathFunction, result: Any, arguments: tuple[types.Type, ...]
) -> ir.Module:
    """Return a module with a plain function that calls the compiled one."""
    context = vulkan_target.target_context
    module = context.create_module("math")
    convention = context.call_conv
    returned = result.signature.return_type
    callee = ir.Function(
        module, convention.get_function_type(returned, arguments), result.fndesc.llvm_func_name
    )
    parameters = [context.get_value_type(a) for a in arguments]
    fields = [parameters[0] if kind == "f" else ir.IntType(32) for kind in function.results]
    plain = fields[0] if len(fields) == 1 else ir.LiteralStructType(fields)
    entry = ir.Function(module, ir.FunctionType(plain, parameters), symbol)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    _, value = convention.call_function(builder, callee, returned, arguments, entry.args)
    if len(fields) > 1:
        value = cgutils.pack_struct(builder, cgutils.unpack_tuple(builder, value, len(fields)))
    builder.ret(value)
    return module


def _without_names(text: str) -> str:
    """Drop debug information, so that what is inlined has the line of its call, names of values and Numba's globals."""
    lines = text.split("\n")
    module = llvm.parse_assembly("\n".join(line for line in lines if " = common global ptr null" not in line))
    manager = llvm.create_new_module_pass_manager()
    manager.add_strip_symbols_pass()
    manager.run(module, llvm.create_pass_builder(None, llvm.create_pipeline_tuning_options()))
    return str(module)


@cache
def compiler_identity() -> str:
    """Return a name for what decides how a source is compiled, besides the source."""
    files = digest_of_files(
        *(Path(str(module.__file__)) for module in (llvm_passes, merge_values, math_primitives)),
        Path(__file__),
    )
    parts = (files, abi.prelude(), numba.__version__, llvmlite.__version__)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def write_all(folder: Path) -> None:
    """Compile all functions of the library into files of a folder, for a wheel.

    Parameters
    ----------
    folder : Path
        Is made if it does not exist.
    """
    install()
    folder.mkdir(parents=True, exist_ok=True)
    with global_compiler_lock:
        for symbol in symbols():
            (folder / library.file_name(symbol)).write_text(compile_symbol(symbol), encoding="utf-8")


def install() -> None:
    """Let the library compile what it does not know."""
    library.install_compiler(compile_symbol, compiler_identity)
