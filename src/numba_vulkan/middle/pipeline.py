"""What happens to a kernel in the middle, in order: `PIPELINE`, and `run`, which takes a kernel through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import settings
from ..errors import SpirvCodegenError, VulkanError
from ..kernel import KernelInterface, LoweredKernel, TargetProfile, Variant
from ..llvmir.model import Function, Instruction
from ..llvmir.parse import parse_function
from ..llvmir.printing import print_function
from ..llvmir.types import F64
from . import (
    carry_values,
    check_structure,
    choose_arrays,
    contract,
    correct_rounding,
    divide_int64,
    eliminate_dead,
    expand_floats,
    expand_intrinsics,
    fold_constants,
    guard_loops,
    hold_variables,
    inline_math,
    join_branches,
    keep_locks,
    llvm_passes,
    load_from_both,
    lower_access,
    lower_atomics,
    lower_subgroups,
    merge_values,
    name_atomics,
    narrow_floats,
    narrow_ints,
    number_locals,
    order_barriers,
    order_locks,
    pair_invocations,
    place_in_grid,
    place_local_words,
    place_locals,
    place_shared,
    promote_ints,
    rewrite_ops,
    scalarize_aggregates,
    select_branches,
    settle_undefined,
    shrink_int64,
    split_allocas,
    split_int64,
    split_switches,
    structurize,
    uniform_barriers,
    unroll_loops,
    widen_shared,
    widen_to_words,
)
from .inline_math import is_math_call
from .passes import Context, Fact, Pass

__all__ = ["PIPELINE", "Context", "Fact", "MiddleResult", "Observer", "Pass", "run", "transform"]

Observer = Callable[[int, str, Callable[[], str]], None]
"""Called as ``(index, name, producer of the text)`` after LLVM's passes (index 0) and after each pass (from 1 on)."""


def _narrows_floats(profile: TargetProfile) -> bool:
    return not profile.computes_float64


def _narrows_ints(profile: TargetProfile) -> bool:
    return profile.mode.ints


def _computes_int64(profile: TargetProfile) -> bool:
    return profile.stores_int64


def _splits_int64(profile: TargetProfile) -> bool:
    return not profile.int64


def _keeps_int64(profile: TargetProfile) -> bool:
    return profile.int64


def _contracts(profile: TargetProfile) -> bool:
    return profile.contracts


def _limits_loops(profile: TargetProfile) -> bool:
    return profile.loop_limit


def _limits_branches(profile: TargetProfile) -> bool:
    return profile.branch_depth > 0


_F = Fact
PIPELINE: tuple[Pass, ...] = (
    Pass("merge-values", merge_values.run),
    # Calls with equal arguments are one by now.
    Pass("inline-math", inline_math.run, gives=frozenset({_F.LINKED_MATH})),
    Pass("fold-constants", fold_constants.run),
    Pass("name-atomics", name_atomics.run),
    Pass("number-locals", number_locals.run, gives=frozenset({_F.NUMBERED_LOCALS})),
    Pass("place-shared", place_shared.run, gives=frozenset({_F.PLACED_SHARED})),
    Pass(
        "expand-intrinsics",
        expand_intrinsics.run,
        needs=frozenset({_F.LINKED_MATH, _F.PLACED_SHARED, _F.NUMBERED_LOCALS}),
        gives=frozenset({_F.KNOWN_CALLS}),
    ),
    Pass(
        "scalarize-aggregates",
        scalarize_aggregates.run,
        needs=frozenset({_F.KNOWN_CALLS}),  # overflow intrinsics return structures
        gives=frozenset({_F.SCALAR_VALUES}),
    ),
    Pass(
        "load-from-both",
        load_from_both.run,
        needs=frozenset({_F.SCALAR_VALUES}),  # loads of structures
        gives=frozenset({_F.PLAIN_ADDRESSES}),
    ),
    Pass(
        "split-allocas",
        split_allocas.run,
        needs=frozenset({_F.SCALAR_VALUES, _F.PLAIN_ADDRESSES}),  # loads and stores of structures
        gives=frozenset({_F.SCALAR_MEMORY}),
    ),
    Pass(
        "settle-undefined",
        settle_undefined.run,
        needs=frozenset({_F.SCALAR_VALUES}),  # structures are built from undef
        gives=frozenset({_F.DEFINED}),
    ),
    Pass(
        "choose-arrays",
        choose_arrays.run,
        needs=frozenset({_F.SCALAR_MEMORY, _F.DEFINED}),  # tuples of arrays; undefined bindings
        gives=frozenset({_F.NAMED_ARRAYS}),
    ),
    Pass(
        "widen-to-words",
        widen_to_words.run,
        needs=frozenset({_F.NAMED_ARRAYS, _F.NUMBERED_LOCALS, _F.PLACED_SHARED}),
        gives=frozenset({_F.DECLARED_ELEMENTS}),
    ),
    Pass(
        "place-locals",
        place_locals.run,
        needs=frozenset({_F.NAMED_ARRAYS, _F.DECLARED_ELEMENTS, _F.SCALAR_MEMORY}),
        gives=frozenset({_F.PLACED_LOCALS}),
    ),
    Pass(
        "promote-ints",
        promote_ints.run,
        needs=frozenset({_F.KNOWN_CALLS, _F.SCALAR_MEMORY, _F.DEFINED}),
        gives=frozenset({_F.WORD_INTEGERS}),
    ),
    Pass(
        "narrow-floats",
        narrow_floats.run,
        when=_narrows_floats,
        needs=frozenset({_F.SCALAR_MEMORY, _F.DEFINED}),
        gives=frozenset({_F.DEVICE_FLOATS}),
    ),
    Pass(
        "narrow-ints",
        narrow_ints.run,
        when=_narrows_ints,
        needs=frozenset({_F.WORD_INTEGERS, _F.DEVICE_FLOATS}),
    ),
    Pass(
        "unroll-loops",
        unroll_loops.run,
        # One instruction is one access, and what it reaches is known; later passes make several of it.
        # Counters have the width that they are computed in, which decides whether they overflow.
        needs=frozenset({_F.NAMED_ARRAYS, _F.PLACED_LOCALS, _F.WORD_INTEGERS}),
    ),
    Pass(
        "lower-atomics",
        lower_atomics.run,
        needs=frozenset({_F.DECLARED_ELEMENTS, _F.WORD_INTEGERS, _F.DEVICE_FLOATS}),
        gives=frozenset({_F.DEVICE_ATOMICS}),
    ),
    Pass(
        "lower-subgroups",
        lower_subgroups.run,
        needs=frozenset({_F.WORD_INTEGERS, _F.DEVICE_FLOATS}),
        gives=frozenset({_F.DEVICE_SUBGROUPS}),
    ),
    Pass(
        "lower-access",
        lower_access.run,
        needs=frozenset(
            {_F.NAMED_ARRAYS, _F.DEVICE_ATOMICS, _F.DEVICE_SUBGROUPS, _F.WORD_INTEGERS, _F.DEVICE_FLOATS}
        ),
        gives=frozenset({_F.STORED_ELEMENTS}),
    ),
    Pass("widen-shared", widen_shared.run, needs=frozenset({_F.STORED_ELEMENTS})),
    Pass(
        "place-local-words",
        place_local_words.run,
        needs=frozenset({_F.STORED_ELEMENTS}),
        gives=frozenset({_F.PLACED_LOCAL_WORDS}),
    ),
    Pass(
        "expand-floats",
        expand_floats.run,
        needs=frozenset({_F.DEVICE_FLOATS, _F.DEFINED}),
        gives=frozenset({_F.SIMPLE_FLOATS}),
    ),
    Pass(
        "contract",
        contract.run,
        when=_contracts,
        needs=frozenset({_F.DEVICE_FLOATS, _F.SIMPLE_FLOATS}),
    ),
    Pass(
        "shrink-int64",
        shrink_int64.run,
        when=_computes_int64,
        needs=frozenset({_F.WORD_INTEGERS, _F.STORED_ELEMENTS, _F.SIMPLE_FLOATS}),
    ),
    Pass(
        "correct-rounding",
        correct_rounding.run,
        needs=frozenset({_F.DEVICE_FLOATS, _F.SIMPLE_FLOATS}),
    ),
    Pass(
        "divide-int64",
        divide_int64.run,
        when=_keeps_int64,
        needs=frozenset({_F.WORD_INTEGERS}),
    ),
    Pass(
        "split-int64",
        split_int64.run,
        when=_splits_int64,
        needs=frozenset({_F.WORD_INTEGERS, _F.STORED_ELEMENTS, _F.SIMPLE_FLOATS}),
        gives=frozenset({_F.DEVICE_INTEGERS}),
    ),
    Pass(
        "rewrite-ops",
        rewrite_ops.run,
        needs=frozenset({_F.DEVICE_INTEGERS, _F.SIMPLE_FLOATS}),
        gives=frozenset({_F.LEGAL}),
    ),
    # What the other passes know of ids and counts holds of those of the whole grid.
    Pass("place-in-grid", place_in_grid.run, needs=frozenset({_F.LEGAL})),
    Pass("eliminate-dead", eliminate_dead.run),
    Pass("select-branches", select_branches.run, needs=frozenset({_F.LEGAL})),
    Pass("join-branches", join_branches.run, needs=frozenset({_F.LEGAL})),
    Pass("carry-values", carry_values.run, needs=frozenset({_F.LEGAL})),
    Pass("pair-invocations", pair_invocations.run, needs=frozenset({_F.LEGAL})),
    Pass("keep-locks", keep_locks.run, needs=frozenset({_F.LEGAL, _F.DEVICE_ATOMICS})),
    Pass("order-locks", order_locks.run, needs=frozenset({_F.LEGAL, _F.DEVICE_ATOMICS})),
    Pass(
        "uniform-barriers",
        uniform_barriers.run,
        needs=frozenset({_F.LEGAL}),
        gives=frozenset({_F.UNIFORM_BARRIERS}),
    ),
    Pass(
        "order-barriers",
        order_barriers.run,
        needs=frozenset({_F.STORED_ELEMENTS, _F.UNIFORM_BARRIERS}),
    ),
    Pass("split-switches", split_switches.run, when=_limits_branches, needs=frozenset({_F.UNIFORM_BARRIERS})),
    Pass(
        "structurize",
        structurize.run,
        needs=frozenset({_F.LEGAL, _F.UNIFORM_BARRIERS}),
        gives=frozenset({_F.STRUCTURED}),
    ),
    Pass(
        "guard-loops",
        guard_loops.run,
        when=_limits_loops,
        needs=frozenset({_F.STRUCTURED}),
        gives=frozenset({_F.GUARDED_LOOPS}),
    ),
    Pass(
        "hold-variables",
        hold_variables.run,
        when=_limits_loops,  # the same driver
        needs=frozenset({_F.GUARDED_LOOPS}),  # the marks of the guard leave loops too
    ),
    Pass("check-structure", check_structure.check, needs=frozenset({_F.STRUCTURED})),
)


@dataclass(frozen=True)
class MiddleResult:
    """What the middle makes of a kernel.

    Attributes
    ----------
    function : Function
        Legal, structured IR for the emitter.
    interface : KernelInterface
        What a launch must know of the kernel; of arrays as what it accesses them.
    narrowed_floats : bool
        Whether the kernel says float64 where the IR says float32.
    float64_line : str
        File and line of the first operation on float64; '' if there is none.
    llvm_ir : str
        The LLVM assembly that it was parsed from.
    """

    function: Function
    interface: KernelInterface
    narrowed_floats: bool
    float64_line: str
    llvm_ir: str


def _float64_operations(function: Function) -> list[Instruction]:
    return [i for i in function.instructions() if i.type is F64 or any(o.type is F64 for o in i.operands)]


def _first_line(operations: list[Instruction]) -> str:
    """Return where the first computation is, as opposed to a mere access of memory."""
    computed = [
        i for i in operations if not (i.opcode == "call" and i.callee.startswith("nv.")) or is_math_call(i)
    ]
    return next((str(i.location) for i in computed if i.location is not None), "")


def run(lowered: LoweredKernel, variant: Variant, observer: Observer | None = None) -> MiddleResult:
    """Take a kernel from the front end's modules to structured IR.

    Parameters
    ----------
    lowered : LoweredKernel
        The kernel.
    variant : Variant
        What it is compiled for.
    observer : callable, optional
        Sees the text after each step: ``(index, name, producer of the text)``.

    Raises
    ------
    VulkanUnsupportedError
        If the kernel does what a shader cannot do.
    SpirvCodegenError
        If a pass fails; its input is saved and named in the message.
    """
    narrows = _narrows_floats(variant.profile)
    text, simplified = llvm_passes.optimise_kernel(lowered.modules, lowered.entry, variant)
    if observer:
        observer(0, "llvm", lambda: text)

    def parse() -> Function:
        return parse_function(text, lowered.entry)

    try:
        function = simplified or parse()
    except Exception as error:
        raise _failure(0, "parse", text, lowered.interface.name, error) from error
    in_float64 = _float64_operations(function)
    narrowed = narrows and bool(in_float64)
    line = _first_line(in_float64)
    context = transform(function, Context(lowered.interface, variant), observer=observer, reread=parse)
    return MiddleResult(function, context.interface, narrowed, line, text)


def transform(
    function: Function,
    context: Context,
    passes: Sequence[Pass] = PIPELINE,
    observer: Observer | None = None,
    reread: Callable[[], Function] | None = None,
) -> Context:
    """Run passes over a function, in place, and return what is known in the end.

    Parameters
    ----------
    function : Function
        The parsed kernel.
    context : Context
        Its interface and what it is compiled for.
    passes : sequence of Pass
        All passes of the pipeline by default.
    observer : callable, optional
        Sees the text after each pass.
    reread : callable, optional
        Makes the function anew. After a failure the passes before it run again to save the input of the one that
        failed, so that nothing is printed or copied as long as all is well.
    """
    given = context
    for index, step in enumerate(passes, start=1):
        if not step.when(context.profile):
            continue
        try:
            context = step.run(function, context) or context
        except Exception as error:
            if isinstance(error, VulkanError) and not isinstance(error, SpirvCodegenError):
                raise
            text = _text_before(index, reread, given, passes)
            raise _failure(index, step.name, text, context.interface.name, error) from error
        if observer:
            observer(index, step.name, lambda: print_function(function, locations=True))
    return context


def _text_before(
    failed: int, reread: Callable[[], Function] | None, context: Context, passes: Sequence[Pass]
) -> str:
    """Return the input of a pass; '' if it cannot be made again."""
    if reread is None:
        return ""
    function = reread()
    for step in passes[: failed - 1]:
        if step.when(context.profile):
            context = step.run(function, context) or context
    return print_function(function, locations=True)


def _failure(index: int, name: str, text: str, kernel: str, error: Exception) -> SpirvCodegenError:
    """Save the input of a step that failed and return the error that says so."""
    what = str(error) if isinstance(error, SpirvCodegenError) else f"{type(error).__name__}: {error}"
    message = f"kernel '{kernel}': pass '{name}' failed: {what}"
    if text:
        file = Path(settings.dump.value()) / f"numba-vulkan-failure-{index:02d}-{name}.ll"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        message += f"; input saved to {file}"
    return SpirvCodegenError(f"{message}; please report it")
