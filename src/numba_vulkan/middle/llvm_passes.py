"""LLVM's part of the middle: links the modules of a kernel, inlines everything and runs passes picked by hand."""

# llvmlite has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any, NamedTuple

import llvmlite.binding as llvm

from .. import abi
from ..errors import SpirvCodegenError, VulkanUnsupportedError
from ..graphs.dominators import dominator_tree
from ..graphs.loops import loop_nest
from ..kernel import TargetProfile, Variant
from ..llvmir.parse import defined_functions, parse_function
from ..mathlib.library import assembly
from ..mathlib.table import PREFIX
from . import math_calls
from .blocks import successors_of

__all__ = ["PASSES", "optimise"]

_GVN = "new_gvn"
# Names of llvmlite's ``add_*_pass`` methods, in order. None of them makes integers of odd widths, lookup tables or
# vectors, threads jumps, rotates loops, or merges and copies calls that are convergent.
#
# SROA runs before inlining because promoting the variables of small functions is cheaper than those of a large one,
# and twice after it: what is passed through pointers is seen only when the first round has cleared the way.
# Unrolling is full unrolling of loops with a constant trip count, by LLVM's default limit: about 150 instructions
# after unrolling. It brings its loops into canonical form itself. GVN comes late because unrolling makes it useful. It
# marks code that it has proved unreachable with stores to null and leaves it in place; simplifying the control flow
# removes it.
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
    _GVN,
    "simplify_cfg",
    "aggressive_dce",
)
# Functions of the math library are linked after these, which merge calls with the same arguments: of functions with
# branches LLVM would merge only what is in front of the first one.
PASSES_BEFORE_MATH = (
    "sroa",
    "always_inliner",
    "global_dead_code_eliminate",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
    "sroa",
    "instruction_combine",
    _GVN,
)
# What is left to do with those functions, which are compiled by all passes, in a kernel that has come out of the passes
# above without a phi, and so without a loop that could be unrolled.
PASSES_AROUND_MATH = (
    "always_inliner",
    "global_dead_code_eliminate",
    "instruction_combine",
    "simplify_cfg",
)
_MANY_PHIS, _DEEP_LOOPS = 12, 3
# Integers of 32 bits are the native ones: LLVM then narrows where it can and never widens beyond them.
_DATA_LAYOUT = "n32"
_WITH_EVERYTHING = Variant(TargetProfile())


def optimise(modules: tuple[str, ...], entry: str, variant: Variant = _WITH_EVERYTHING) -> str:
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
    passes = PASSES
    if symbols:
        _run(linked, PASSES_BEFORE_MATH, entry)
        passes = PASSES if " = phi " in str(linked) else PASSES_AROUND_MATH
        _add(linked, [_parse(assembly(symbol)) for symbol in symbols], entry)
    _run(linked, passes, entry)
    text = str(linked)
    _refuse_recursion(text, entry)
    return text


def _run(linked: Any, passes: tuple[str, ...], entry: str) -> None:
    """Run passes over a module, with GVN where it is safe."""
    position = passes.index(_GVN) if _GVN in passes else len(passes)
    _run_all(linked, passes[:position])
    if position < len(passes):
        _run_all(linked, passes[position + _gvn_may_abort(linked, entry) :])


def _run_all(linked: Any, passes: tuple[str, ...]) -> None:
    """Run passes over a module."""
    # No target machine: its costs and preferences are those of a CPU. Both objects are made anew for each run,
    # because a builder that is used again gets slower with every run (LLVM 22, llvmlite 0.50).
    builder = llvm.create_pass_builder(None, llvm.create_pipeline_tuning_options())
    manager = llvm.create_new_module_pass_manager()
    for name in passes:
        getattr(manager, f"add_{name}_pass")()
    manager.run(linked, builder)


def _gvn_may_abort(linked: Any, entry: str) -> bool:
    """Whether a function is of the kind on which NewGVN may end the process.

    NewGVN of LLVM 22 can go round in circles between the phis of nested loops until an assertion ends the process
    ("Seem to have processed the same Value a lot"). It was seen with 41 phis in three loops in each other, on one of
    some 300 random programs with such loops, and never on thousands with fewer. Drivers merge equal values as well.
    """
    text = str(linked)
    if text.count(" = phi ") < _MANY_PHIS:
        return False
    try:
        function = parse_function(text, entry)
    except SpirvCodegenError:  # of what later passes would have removed
        return True
    return max(loop_nest(dominator_tree(successors_of(function))).nest.depth) >= _DEEP_LOOPS


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


def _described(module: Any, text: str = "") -> _Parsed:
    """Find out what a module defines and declares."""
    module.data_layout = module.triple = ""
    names: dict[bool, list[str]] = {False: [], True: []}
    for function in module.functions:
        names[function.is_declaration].append(function.name)
    return _Parsed(text, module, names[False], names[True])


def _refuse_recursion(text: str, entry: str) -> None:
    """Raise for functions that are left after inlining, which call themselves or each other."""
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
