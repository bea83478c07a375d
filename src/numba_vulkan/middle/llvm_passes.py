"""LLVM's part of the middle: links the modules of a kernel, inlines everything and runs passes picked by hand."""

# llvmlite has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from .. import abi
from ..errors import SpirvCodegenError, VulkanUnsupportedError
from ..kernel import TargetProfile, Variant
from ..llvmir.model import TERMINATORS, Block, Function, Value
from ..llvmir.parse import defined_functions, parse_function
from ..mathlib.library import assembly
from ..mathlib.table import PREFIX
from . import math_calls
from .inline_math import gains_in_llvm
from .known_rounds import latches_to_unroll
from .merge_values import equal_values

__all__ = ["PASSES", "Simplified", "optimise", "optimise_kernel"]

# Names of llvmlite's ``add_*_pass`` methods, in order. None of them makes integers of odd widths, lookup tables or
# vectors, threads jumps, rotates loops, or merges and copies calls that are convergent.
#
# SROA runs before inlining because promoting the variables of small functions is cheaper than those of a large one,
# and twice after it: what is passed through pointers is seen only when the first round has cleared the way.
# Unrolling is full unrolling of loops with a constant trip count, by LLVM's default limit: about 150 instructions
# after unrolling. It brings its loops into canonical form itself. Equal values are merged by a pass of our own,
# `merge_values`: LLVM has only NewGVN for it here, which ends the process on some nests of loops.
PASSES = (
    "sroa",
    "always_inliner",
    "global_dead_code_eliminate",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
    "loop_unroll",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
    "aggressive_dce",
)
# The functions of the math library are a fixed set, all of which the tests compile. NewGVN marks code that it has
# proved unreachable with stores to null and leaves it in place; simplifying the control flow removes it.
PASSES_OF_MATH = (*PASSES[:-1], "new_gvn", "simplify_cfg", "aggressive_dce")
# For what our own pass has merged of them besides.
PASSES_OF_MERGED = ("instruction_combine", "simplify_cfg", "aggressive_dce")
# For loops that are marked, and what becomes of them; the rest has been through all passes.
PASSES_OF_UNROLLING = PASSES[PASSES.index("loop_unroll") :]
# Functions of the math library are linked after these, and after calls with the same arguments have been merged: of
# functions with branches only what is in front of the first one would be.
PASSES_BEFORE_MATH = (
    "sroa",
    "always_inliner",
    "global_dead_code_eliminate",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
    "sroa",
    "instruction_combine",
)
# What is left to do with those functions, which are compiled by all passes, in a kernel that has come out of the passes
# above without a phi, and so without a loop that could be unrolled. Inlining folds constant arguments by itself;
# combining instructions takes half of the time, and finds something only where calls were merged or signs are flipped.
PASSES_AROUND_MATH = (
    "always_inliner",
    "global_dead_code_eliminate",
)
PASSES_ACROSS_CALLS = (*PASSES_AROUND_MATH, "instruction_combine", "simplify_cfg")
_PHI = " = phi "
_MERGED = " = select i1 true, "
_SIGNS = (_MERGED, " = fneg ")
# Integers of 32 bits are the native ones: LLVM then narrows where it can and never widens beyond them.
_DATA_LAYOUT = "n32"
_WITH_EVERYTHING = Variant(TargetProfile())


def optimise(
    modules: tuple[str, ...],
    entry: str,
    variant: Variant = _WITH_EVERYTHING,
    passes: tuple[str, ...] = PASSES,
) -> str:
    """Link, inline and simplify the modules of one kernel.

    The caller holds Numba's compiler lock, as for everything that uses LLVM.

    Parameters
    ----------
    modules : tuple of str
        LLVM assembly, as `LoweredKernel.modules`.
    entry : str
        The function to keep; all others are inlined into it.
    variant : Variant
        What the kernel is compiled for: it decides which functions of the math library are linked, and answers what
        the front end left open.
    passes : tuple of str
        LLVM's passes, by llvmlite's names.

    Returns
    -------
    str
        LLVM assembly in which ``entry`` is the only function with a body.

    Raises
    ------
    VulkanUnsupportedError
        If functions of the kernel are recursive.
    SpirvCodegenError
        If LLVM refuses a module.
    """
    linked, symbols = _link(modules, entry, variant)
    if symbols:
        _run(linked, PASSES_BEFORE_MATH)
        return _with_math(linked, str(linked), entry, symbols, passes)
    return _simplified(linked, entry, passes)


class Simplified(NamedTuple):
    """A kernel after LLVM's passes, and read, if that has decided which passes to run."""

    text: str
    function: Function | None


def optimise_kernel(modules: tuple[str, ...], entry: str, variant: Variant) -> Simplified:
    """Link, inline and simplify the modules of one kernel, for `inline_math`.

    Calls of math functions stay where LLVM would do no more than inline them. Otherwise as `optimise`.
    """
    linked, symbols = _link(modules, entry, variant)
    if symbols:
        _run(linked, PASSES_BEFORE_MATH)
        text = str(linked)
        left = _left(linked, text, entry)
        simplified = left or Simplified(_with_math(linked, text, entry, symbols, PASSES), None)
    else:
        simplified = Simplified(_simplified(linked, entry, PASSES), None)
    return _unrolled(simplified, entry) if variant.profile.loads_wait else simplified


def _unrolled(simplified: Simplified, entry: str) -> Simplified:
    """Return a kernel with those loops written out that LLVM leaves, and of which a GPU gains."""
    text = simplified.text
    function = simplified.function or (_read(text, entry) if _PHI in text else None)
    if function is None:
        return simplified
    latches = latches_to_unroll(function)
    if not latches:
        return Simplified(text, function)
    linked = llvm.parse_assembly(_marked(text, function, latches))
    _run(linked, PASSES_OF_UNROLLING)
    return Simplified(str(linked), None)


def _marked(text: str, function: Function, latches: list[Block]) -> str:
    """Return the only function of a module with its loops marked as to be written out, by what leads back in each."""
    lines = text.splitlines()
    number = sum(line[:1] == "!" and line[1:2].isdigit() for line in lines)
    full = number
    # LLVM prints the blocks in order, and their instructions by a line each that names what they do, or a value first.
    ends = [place for place, line in enumerate(lines) if line[:2] == "  " and line.split()[0] in TERMINATORS]
    place_of = dict(zip(function.blocks, ends, strict=True))
    marks = [f'!{full} = !{{!"llvm.loop.unroll.full"}}']
    for latch in latches:
        number += 1
        lines[place_of[latch]] += f", !llvm.loop !{number}"
        marks.append(f"!{number} = distinct !{{!{number}, !{full}}}")
    return "\n".join([*lines, *marks])


def _left(linked: Any, text: str, entry: str) -> Simplified | None:
    """Return a kernel with calls of math functions after all passes; None if LLVM has use for the functions."""
    passes = _passes_around_math(text, PASSES)
    is_combined = passes != PASSES_AROUND_MATH
    function = _read(text, entry)
    if function is None or gains_in_llvm(function, is_combined):
        return None
    if _PHI in text:
        calls = len(function.calls(PREFIX))
        simplified = linked.clone()
        _run(simplified, passes)
        text = str(simplified)
        function = _read(text, entry)
        if function is None or gains_in_llvm(function, is_combined):
            return None
        # A loop that is short with calls may be one that LLVM would not unroll with the functions in it.
        if len(function.calls(PREFIX)) > calls:
            return None
    _refuse_recursion(text, entry)
    return Simplified(text, function)


def _with_math(linked: Any, text: str, entry: str, symbols: tuple[str, ...], passes: tuple[str, ...]) -> str:
    """Return a kernel that has been through the first passes, with its math functions linked and simplified."""
    merged = _with_merged_calls(text, entry, symbols)
    if merged is not text:
        linked = llvm.parse_assembly(merged)
    _add(linked, [_parse_function_of_math(symbol) for symbol in symbols], entry)
    return _simplified(linked, entry, _passes_around_math(merged, passes))


def _simplified(linked: Any, entry: str, passes: tuple[str, ...]) -> str:
    """Return the text of a module after passes."""
    _run(linked, passes)
    text = str(linked)
    _refuse_recursion(text, entry)
    return text


def _read(text: str, entry: str) -> Function | None:
    """Return a kernel; None if it has what only later passes remove."""
    try:
        return parse_function(text, entry)
    except SpirvCodegenError:
        return None


def _run(linked: Any, passes: tuple[str, ...]) -> None:
    """Run passes over a module."""
    # No target machine: its costs and preferences are those of a CPU. The builder is made anew for each run, because
    # one that is used again gets slower with every run (LLVM 22, llvmlite 0.50: by a fifth after 128).
    _manager(passes).run(linked, llvm.create_pass_builder(None, llvm.create_pipeline_tuning_options()))


@cache
def _manager(passes: tuple[str, ...]) -> Any:
    """Return what runs passes; there are a handful of lists of them.

    llvmlite 0.50 does not free all of a manager: one for each run kept 15 KiB of every kernel. Held by tests/memory.
    """
    manager = llvm.create_new_module_pass_manager()
    for name in passes:
        getattr(manager, f"add_{name}_pass")()
    return manager


def _passes_around_math(text: str, passes: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is run when the math functions are linked to a kernel that has been through the first passes."""
    if _PHI in text:
        return passes
    return PASSES_ACROSS_CALLS if any(sign in text for sign in _SIGNS) else PASSES_AROUND_MATH


def _with_merged_calls(text: str, entry: str, symbols: tuple[str, ...]) -> str:
    """Return a module in which one call of a math function answers those with the same arguments behind it."""
    lines = text.splitlines()
    calls = [place for place, line in enumerate(lines) if f"@{PREFIX}" in line and " call " in line]
    function = _read(text, entry) if len(calls) > len(symbols) else None
    if function is None:
        return text
    in_order = function.calls(PREFIX)
    place_of: dict[Value, int] = dict(zip(in_order, calls, strict=False))
    equal = {i: other for i, other in equal_values(function).items() if i in place_of and other in place_of}
    if not equal or len(in_order) != len(calls):
        return text
    for call, other in equal.items():
        name, kept = (lines[place_of[i]].partition(" = ")[0].strip() for i in (call, other))
        type = str(call.type)
        # Combining instructions makes this the other call's value.
        lines[place_of[call]] = f"  {name}{_MERGED}{type} {kept}, {type} {kept}"
    return "\n".join(lines)


class _Parsed(NamedTuple):
    """A module that is ready to be linked, its source, the functions that it defines and those it only declares."""

    text: str
    module: Any
    defined: list[str]
    declared: list[str]


def _answers(variant: Variant) -> dict[str, str]:
    """Return what a variant says to questions of the front end; LLVM removes what other answers lead to."""
    answers = {
        abi.ARE_ALIASED: f"i1 {int(variant.aliased)}",
        abi.NARROWS_INTEGERS: f"i1 {int(variant.profile.mode.ints)}",
    }
    if variant.subgroup_size:
        answers[abi.SUBGROUP_SIZE] = f"i32 {variant.subgroup_size}"
    return answers


def _link(modules: tuple[str, ...], entry: str, variant: Variant) -> tuple[Any, tuple[str, ...]]:
    """Return one module in which only the entry is visible, and the functions of the math library that it needs."""
    parsed = [_parse(text) for text in modules]
    declared = {name for one in parsed for name in one.declared}
    called = sorted(name for name in declared if name.startswith(PREFIX))
    answers = {name: answer for name, answer in _answers(variant).items() if name in declared}
    math = math_calls.answer(called, variant.profile)
    parsed += [_parse(text) for text in math.wrappers]
    parsed += [
        _parse(f"define {answer.split()[0]} @{name}() {{\n  ret {answer}\n}}")
        for name, answer in answers.items()
    ]
    return _joined(parsed, entry, "".join(map(math_calls.declaration, math.symbols))), math.symbols


def _joined(parsed: list[_Parsed], entry: str, declarations: str) -> Any:
    """Return one module with the declarations of the placeholders in use, in which all but the entry is inlined."""
    # Declarations come first, so that they keep their attributes.
    placeholders = abi.prelude(dict.fromkeys(name for one in parsed for name in one.declared))
    linked = llvm.parse_assembly(placeholders + declarations)
    _add(linked, parsed, entry)
    return linked


def _add(linked: Any, parsed: list[_Parsed], entry: str) -> None:
    """Link modules in, of which all functions but the entry are to be inlined."""
    inlined = [name for one in parsed for name in one.defined if name != entry]
    for one in parsed:
        _link_in(linked, one, entry)
    try:
        for name in inlined:
            linked.get_function(name).linkage = "internal"
        linked.data_layout = _DATA_LAYOUT
        linked.verify()
        linked.get_function(entry)
    except (RuntimeError, NameError) as error:
        raise SpirvCodegenError(f"the linked modules of the kernel are no valid LLVM IR: {error}") from error


def _link_in(linked: Any, parsed: _Parsed, entry: str) -> None:
    """Link a module in, with all its functions but the entry to be inlined."""
    for name in parsed.defined:
        if name != entry:
            parsed.module.get_function(name).add_function_attribute("alwaysinline")
    try:
        linked.link_in(parsed.module)
    except RuntimeError as error:
        raise SpirvCodegenError(f"LLVM refuses a module of the kernel: {error}\n{parsed.text}") from error


def _parse(text: str) -> _Parsed:
    """Read a module."""
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as error:
        raise SpirvCodegenError(f"LLVM refuses a module of the kernel: {error}\n{text}") from error
    return _described(module, text)


def _parse_function_of_math(symbol: str) -> _Parsed:
    """Read the module of a function of the library, which defines nothing else."""
    return _Parsed(assembly(symbol), _module_of_math(symbol).clone(), [symbol], [])


@cache
def _module_of_math(symbol: str) -> Any:
    """Return the module of a function of the library, which is linked as a copy: that takes a third of reading it."""
    module = llvm.parse_assembly(assembly(symbol))
    module.data_layout = module.triple = ""
    return module


def _described(module: Any, text: str = "") -> _Parsed:
    """Find out what a module defines and declares."""
    module.data_layout = module.triple = ""
    names: dict[bool, list[str]] = {False: [], True: []}
    for function in module.functions:
        names[function.is_declaration].append(function.name)
    return _Parsed(text, module, names[False], names[True])


def _refuse_recursion(text: str, entry: str) -> None:
    """Raise for functions that are left after inlining, which call themselves or each other."""
    if text.count("\ndefine ") <= 1:
        return
    left = defined_functions(text)
    left.pop(entry, None)
    if not left:
        return
    known = [description for description in left.values() if description is not None]
    names = " and ".join(f"'{name}' ({location})" for name, location in known) or ", ".join(left)
    raise VulkanUnsupportedError(
        f"recursion is not supported in kernels, and {names} "
        f"{'calls itself' if len(left) == 1 else 'call each other'}: write a loop"
    )
